//! Image layouts: artifacts in a directory or a tar file, without a registry.
//!
//! A layout may have been written by anybody. Links in it are not followed, what is too long is not read, and content is
//! checked against its digest whenever it is read or written. What is written appears under its name when it is whole.

mod directory; // as a directory
mod files; // whole files or none
mod index; // which manifests there are
mod memory; // as bytes in memory
mod newest; // what came last is kept
mod tarball; // as a tar file

use std::path::Path;

use crate::blob::{Blob, BlobSource};
use crate::error::crop;
use crate::manifest::{Descriptor, LARGEST_MANIFEST, Parsed, Raw, media};
use crate::reference::{Place, Selector};
use crate::{Digest, Error, Index, Limits};

use directory::Directory;
use memory::Memory;
pub(crate) use tarball::Batch;
use tarball::Tarball;

/// An image layout. Clones are the same layout.
#[derive(Clone)]
pub struct Layout(Form);

#[derive(Clone)]
enum Form {
    Directory(Directory),
    Tar(Tarball),
    Memory(Memory),
}

impl Layout {
    /// A layout that is a directory. It is made by the first write.
    pub fn directory(path: &Path) -> Self {
        Self(Form::Directory(Directory::new(path)))
    }

    /// A layout that is a tar file. Every write makes a new file that takes the place of the old one.
    pub fn tar(path: &Path) -> Self {
        Self(Form::Tar(Tarball::new(path)))
    }

    /// A layout that was enclosed in bytes, see [`crate::enclose`]. It can only be read; `name` is for messages.
    pub fn enclosed(name: &str, archive: &[u8], limits: &Limits) -> Result<Self, Error> {
        Ok(Self(Form::Memory(Memory::open(name, archive, limits)?)))
    }

    /// The names of all manifests that have one, tags and others.
    pub async fn names(&self) -> Result<Vec<String>, Error> {
        let index = self.index().await?;
        let mut names: Vec<String> = index::names(&index).map(str::to_owned).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Drops all manifests but those that were put last, with what only they name. Only a directory can become smaller.
    pub async fn keep_newest(&self, most: usize) -> Result<(), Error> {
        let Form::Directory(directory) = &self.0 else { return Ok(()) };
        let path = directory.path().to_owned();
        crate::blocking::blocking(move || newest::keep(&path, most)).await
    }

    pub(crate) async fn tags(&self) -> Result<Vec<String>, Error> {
        let mut names = self.names().await?;
        names.retain(|name| crate::is_tag(name));
        Ok(names)
    }

    pub(crate) async fn resolve(&self, selector: &Selector) -> Result<Descriptor, Error> {
        let index = self.index().await?;
        if let Some(found) = index::find(&index, selector) {
            return Ok(found.clone());
        }
        match selector {
            Selector::Digest(digest) => Ok(self.raw(digest, &index).await?.descriptor),
            Selector::Tag(_) => Err(self.missing(selector.to_string())),
        }
    }

    pub(crate) async fn manifest(&self, digest: &Digest) -> Result<Raw, Error> {
        self.raw(digest, &self.index().await?).await
    }

    async fn raw(&self, digest: &Digest, index: &Index) -> Result<Raw, Error> {
        let what = || format!("manifest {digest}");
        let content = match &self.0 {
            Form::Directory(directory) => directory.small(digest).await?,
            Form::Tar(tarball) => tarball.small(digest).await?,
            Form::Memory(memory) => memory.small(digest)?,
        };
        let content = content.ok_or_else(|| self.missing(what()))?;
        let actual = Digest::of(&content);
        if actual != *digest {
            return Err(Error::Mismatch { what: what(), expected: *digest, actual });
        }
        let listed = index::find(index, &Selector::Digest(*digest));
        let media_type = match listed {
            Some(listed) => listed.media_type.clone(),
            None => media_type(&content),
        };
        Ok(Raw::new(&media_type, content))
    }

    pub(crate) async fn blob(&self, descriptor: &Descriptor) -> Result<Blob, Error> {
        let blob = match &self.0 {
            Form::Directory(directory) => directory.blob(descriptor).await?,
            Form::Tar(tarball) => tarball.blob(descriptor).await?,
            Form::Memory(memory) => memory.blob(descriptor),
        };
        blob.ok_or_else(|| self.missing(format!("blob {}", descriptor.digest)))
    }

    pub(crate) async fn has_blob(&self, digest: &Digest) -> Result<bool, Error> {
        match &self.0 {
            Form::Directory(directory) => directory.has_blob(digest).await,
            Form::Tar(tarball) => tarball.has_blob(digest).await,
            Form::Memory(memory) => Ok(memory.has_blob(digest)),
        }
    }

    pub(crate) async fn put_blob(
        &self,
        descriptor: &Descriptor,
        source: &dyn BlobSource,
    ) -> Result<(), Error> {
        match &self.0 {
            Form::Directory(directory) => directory.put_blob(descriptor, source).await,
            Form::Tar(tarball) => tarball.put_blob(descriptor, source).await,
            Form::Memory(memory) => Err(memory.written()),
        }
    }

    pub(crate) async fn put_manifest(&self, raw: &Raw, tag: Option<&str>) -> Result<(), Error> {
        match &self.0 {
            Form::Directory(directory) => directory.put_manifest(raw, tag).await,
            Form::Tar(tarball) => tarball.put_manifest(raw, tag).await,
            Form::Memory(memory) => Err(memory.written()),
        }
    }

    /// The manifests listed in the layout whose subject this one is, and those of the list that older programs keep under
    /// a tag.
    pub(crate) async fn referrers(&self, digest: &Digest) -> Result<Vec<Descriptor>, Error> {
        let index = self.index().await?;
        let mut referrers: Vec<Descriptor> = Vec::new();
        let mut add = |found: Descriptor| {
            if referrers.iter().all(|known| known.digest != found.digest) {
                referrers.push(found);
            }
        };
        let list = Selector::Tag(format!("sha256-{}", digest.hex()));
        for listed in &index.manifests {
            let raw = self.raw(&listed.digest, &index).await?;
            // What cannot be read says nothing of anything.
            let Ok(parsed) = raw.parse() else { continue };
            match parsed {
                Parsed::Index(list_of) if index::named(listed, &list) => {
                    list_of.manifests.into_iter().for_each(&mut add);
                }
                parsed => {
                    if let Some(found) = index::referrer(raw.descriptor, parsed, digest) {
                        add(found);
                    }
                }
            }
        }
        Ok(referrers)
    }

    /// Puts off the writing of a tar file until everything is there.
    pub(crate) fn batch(&self) -> Batch {
        match &self.0 {
            Form::Directory(_) | Form::Memory(_) => Batch::default(),
            Form::Tar(tarball) => tarball.batch(),
        }
    }

    pub(crate) fn place(&self) -> Place {
        match &self.0 {
            Form::Directory(directory) => Place::Directory(directory.path().to_owned()),
            Form::Tar(tarball) => Place::Tar(tarball.path().to_owned()),
            Form::Memory(memory) => Place::Directory(memory.path().to_owned()),
        }
    }

    async fn index(&self) -> Result<Index, Error> {
        match &self.0 {
            Form::Directory(directory) => directory.index().await,
            Form::Tar(tarball) => tarball.index().await,
            Form::Memory(memory) => memory.index(),
        }
    }

    fn missing(&self, what: String) -> Error {
        Error::NotFound { what, place: self.place().to_string() }
    }
}

/// The files that make a layout of one manifest and its blobs.
pub(crate) fn only(raw: &Raw) -> Vec<(&'static str, Vec<u8>)> {
    let mut listed = index::empty();
    index::put(&mut listed, raw, None);
    vec![("oci-layout", MARK.as_bytes().to_vec()), ("index.json", index::write(&listed))]
}

/// What a manifest that is not listed says it is, or looks like.
fn media_type(content: &[u8]) -> String {
    let value: serde_json::Value = serde_json::from_slice(content).unwrap_or_default();
    match value["mediaType"].as_str() {
        Some(media_type) => media_type.to_owned(),
        None if value["manifests"].is_array() => media::OCI_INDEX.to_owned(),
        None => media::OCI_MANIFEST.to_owned(),
    }
}

/// The file that makes a directory an image layout.
const MARK: &str = r#"{"imageLayoutVersion":"1.0.0"}"#;

/// Checks the file that makes a directory an image layout.
fn check_mark(content: &[u8]) -> Result<(), String> {
    let value: serde_json::Value =
        serde_json::from_slice(content).map_err(|error| format!("its `oci-layout`: {error}"))?;
    match value["imageLayoutVersion"].as_str() {
        Some(version) if version.starts_with("1.") => Ok(()),
        Some(version) => Err(format!("its version `{}` is unknown", crop(version))),
        None => Err("its `oci-layout` says no version".to_owned()),
    }
}

/// Where a blob is inside a layout.
pub(crate) fn blob_path(digest: &Digest) -> String {
    format!("blobs/sha256/{}", digest.hex())
}

/// A limit that no manifest and no index may exceed.
const LONGEST: u64 = LARGEST_MANIFEST;

#[cfg(test)]
mod tests;
