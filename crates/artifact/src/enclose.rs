//! An artifact in one piece of bytes: an image layout as a compressed tar file, for places that keep neither files nor blobs.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::archive::{Compression, Item, layer};
use crate::layout::{blob_path, only};
use crate::manifest::{Parsed, Raw};
use crate::unpack::{Followed, follow};
use crate::{Digest, Error, Packed, Reference, Store};

/// Encloses an artifact as it is stored, encrypted content still encrypted: the same artifact, the same bytes. Nothing where
/// its content has more than `most` bytes.
pub async fn enclose(
    store: &Store,
    reference: &Reference,
    most: u64,
) -> Result<Option<Vec<u8>>, Error> {
    let Followed { first, rest, end } = follow(store, reference).await?;
    let Parsed::Manifest(manifest) = end else { return Ok(None) };
    let manifests = std::iter::once(&first).chain(&rest);
    let mut blobs: BTreeMap<Digest, Bytes> =
        manifests.map(|raw| (raw.descriptor.digest, raw.bytes.clone())).collect();
    let content = std::iter::once(&manifest.config).chain(&manifest.layers);
    let sizes = content.clone().map(|blob| blob.size);
    if sizes.fold(0, u64::saturating_add) > most {
        return Ok(None);
    }
    for descriptor in content {
        match store.blob(descriptor).await {
            Ok(blob) => blobs.insert(descriptor.digest, blob.bytes().await?),
            // Nobody needs the configuration to read the content.
            Err(Error::NotFound { .. }) if descriptor.digest == manifest.config.digest => continue,
            Err(error) => return Err(error),
        };
    }
    Ok(Some(enclosed(&first, &blobs)))
}

impl Packed {
    /// Encloses it, as [`enclose`] does for one that is stored.
    pub fn enclosed(&self) -> Vec<u8> {
        let manifest = (self.manifest.descriptor.digest, self.manifest.bytes.clone());
        let content = std::iter::once(&self.config).chain(&self.layers);
        let content = content.map(|(descriptor, bytes)| (descriptor.digest, bytes.clone()));
        enclosed(&self.manifest, &content.chain([manifest]).collect())
    }
}

fn enclosed(first: &Raw, blobs: &BTreeMap<Digest, Bytes>) -> Vec<u8> {
    let files = only(first);
    let blobs: Vec<(String, &Bytes)> =
        blobs.iter().map(|(digest, bytes)| (blob_path(digest), bytes)).collect();
    let files = files.iter().map(|(path, content)| (*path, &content[..]));
    let blobs = blobs.iter().map(|(path, content)| (path.as_str(), &content[..]));
    let item = |(path, content)| Item { path, mode: 0o644, content: Some(content) };
    // Layers are compressed already, and a fast compressor makes them longer.
    layer(files.chain(blobs).map(item), Compression::Usual).content
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Folder;
    use crate::{
        Content, Form, Identity, Layout, Limits, Metadata, PullOptions, Recipient, Watch,
        pack_objects, pull,
    };

    const KEY: &str = "AGE-SECRET-KEY-1VFUSUY9RWADL2ALJ5VUEQ4RRHJKNJHG6M6WP50JGGRXZCPM2FE2S7D4MZN";
    const TEXT: &str = "kind: A\n---\n";

    fn packed(recipients: &[Recipient]) -> Packed {
        pack_objects(TEXT, Form::Flux, &Metadata::default(), recipients).unwrap()
    }

    fn by_digest(store: &Store, packed: &Packed) -> Reference {
        let digest = Some(packed.manifest.descriptor.digest);
        Reference { place: store.place(), tag: None, digest }
    }

    async fn opened(archive: &[u8], packed: &Packed, key: bool) -> Result<String, Error> {
        let layout = Layout::enclosed("kept", archive, &Limits::default())?;
        let store = Store::Layout(layout);
        let identities = if key { Identity::parse_all(KEY).unwrap() } else { Vec::new() };
        let options = PullOptions { identities, ..PullOptions::default() };
        match pull(&store, &by_digest(&store, packed), &options).await?.content {
            Content::Objects(text) => Ok(text.to_string()),
            Content::Tree => Ok("a tree".to_owned()),
        }
    }

    #[tokio::test]
    async fn what_is_enclosed_comes_back() {
        let packed = packed(&[]);
        assert_eq!(opened(&packed.enclosed(), &packed, false).await.unwrap(), TEXT);
    }

    #[tokio::test]
    async fn an_artifact_has_the_same_bytes_wherever_it_is() {
        let (folder, packed) = (Folder::new(), packed(&[]));
        for name in ["layout", "layout.tar"] {
            let store = folder.store(name);
            packed.push(&store, &["v1".to_owned()], &Watch::default()).await.unwrap();
            let reference = by_digest(&store, &packed);
            let found = enclose(&store, &reference, 1 << 20).await.unwrap();
            assert_eq!(found, Some(packed.enclosed()), "{name}");
            assert_eq!(enclose(&store, &reference, 10).await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn what_is_encrypted_stays_so() {
        let identity = &Identity::parse_all(KEY).unwrap()[0];
        let (folder, packed) = (Folder::new(), packed(&[identity.recipient()]));
        let store = folder.store("layout");
        packed.push(&store, &[], &Watch::default()).await.unwrap();
        let found = enclose(&store, &by_digest(&store, &packed), 1 << 20).await.unwrap().unwrap();
        assert_eq!(
            opened(&found, &packed, false).await.unwrap_err().to_string(),
            "this is an encrypted artifact: an age identity is needed to read it"
        );
        assert_eq!(opened(&found, &packed, true).await.unwrap(), TEXT);
    }

    #[tokio::test]
    async fn other_bytes_are_another_artifact_or_none() {
        let one = packed(&[]);
        let other = pack_objects("kind: B\n", Form::Flux, &Metadata::default(), &[]).unwrap();
        let wrong = opened(&other.enclosed(), &one, false).await.unwrap_err().to_string();
        assert!(wrong.ends_with("is not in `oci-layout:kept`"), "{wrong}");
        let archive = one.enclosed();
        for at in (0..archive.len()).step_by(7) {
            let mut changed = archive.clone();
            changed[at] ^= 1;
            // The header of a compressed stream has bytes that mean nothing.
            if let Ok(text) = opened(&changed, &one, false).await {
                assert_eq!(text, TEXT);
            }
            assert!(opened(&archive[..at], &one, false).await.is_err());
        }
    }
}
