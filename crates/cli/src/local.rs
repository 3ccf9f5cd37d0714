//! Artifacts that plans were made from: what was approved is rendered again from here.

use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use anyhow::{Context, bail};
use kelson_artifact::{CopyOptions, Digest, Layout, Packed, Place, Reference, Store, Watch, copy};

/// How many artifacts are kept.
const MOST: usize = 100;

/// Where artifacts are kept.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Flags {
    /// The image layout that keeps what plans were made from; by default kelson/store below the user's data.
    #[arg(long, value_name = "DIR", env = "KELSON_STORE")]
    store: Option<PathBuf>,
}

impl Flags {
    /// Keeps an artifact, so that a plan that names its digest can be applied.
    pub(crate) async fn keep(&self, packed: &Packed) -> anyhow::Result<()> {
        let layout = self.open()?;
        let store = Store::Layout(layout.clone());
        // Under a name of its own, it counts as new again when it is kept again.
        let name = packed.manifest.descriptor.digest.hex();
        packed.push(&store, &[name], &Watch::default()).await?;
        Ok(layout.keep_newest(MOST).await?)
    }

    /// Keeps an artifact as another store has it.
    pub(crate) async fn keep_from(
        &self,
        from: &Store,
        reference: &Reference,
    ) -> anyhow::Result<()> {
        let layout = self.open()?;
        let names: Vec<String> = reference.digest.iter().map(Digest::hex).collect();
        let options = CopyOptions { referrers: false, ..CopyOptions::default() };
        copy(from, reference, &Store::Layout(layout.clone()), &names, &options).await?;
        Ok(layout.keep_newest(MOST).await?)
    }

    fn open(&self) -> anyhow::Result<Layout> {
        let path = self.path()?;
        // What is delivered may hold Secrets.
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .with_context(|| format!("cannot make the store `{}`", path.display()))?;
        Ok(Layout::directory(&path))
    }

    /// An artifact that was kept.
    pub(crate) fn reference(&self, digest: &str) -> anyhow::Result<Reference> {
        let path = self.path()?;
        let digest: Digest =
            digest.parse().with_context(|| format!("`{digest}` is no digest of an artifact"))?;
        if !path.exists() {
            bail!(
                "there is no store `{}` that could hold the artifact {digest}; --store names another",
                path.display()
            );
        }
        Ok(Reference { place: Place::Directory(path), tag: None, digest: Some(digest) })
    }

    fn path(&self) -> anyhow::Result<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(path) = self.store.clone().filter(|path| !path.as_os_str().is_empty()) {
            return Ok(path);
        }
        let data = variable("XDG_DATA_HOME").map(PathBuf::from);
        let home = || variable("HOME").map(|home| PathBuf::from(home).join(".local/share"));
        let data =
            data.or_else(home).context("there is no HOME to keep artifacts in; name a --store")?;
        Ok(data.join("kelson/store"))
    }
}
