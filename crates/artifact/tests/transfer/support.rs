//! What the tests of transfers share.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::OnceLock;

use kelson_artifact::registry::{Client, Options};
use kelson_artifact::{Layout, Metadata, Reference, Store};
use kelson_testkit::{Registry, registry};

pub(crate) const OBJECTS: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - image: IMAGE\n    name: web\n---\n";

/// The registry that the tests of one process share: each uses repositories of its own.
pub(crate) fn shared() -> &'static Registry {
    static SHARED: OnceLock<Registry> = OnceLock::new();
    SHARED.get_or_init(|| Registry::start(registry::Options::default()).expect("a registry"))
}

pub(crate) fn host() -> String {
    shared().address().to_string()
}

pub(crate) fn client() -> Client {
    Client::new(Options::default()).expect("options that can be used")
}

pub(crate) fn repository(client: &Client, name: &str) -> Store {
    Store::Repository(client.repository(&host(), name))
}

pub(crate) fn named(store: &Store, tag: &str) -> Reference {
    Reference { place: store.place(), tag: Some(tag.to_owned()), digest: None }
}

pub(crate) fn tags(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|tag| tag.to_string()).collect()
}

pub(crate) fn metadata() -> Metadata {
    Metadata {
        source: Some("https://git.example.com/shop.git".to_owned()),
        revision: Some("main@sha1:0123456789abcdef0123456789abcdef01234567".to_owned()),
        ..Metadata::default()
    }
}

/// A directory that goes away.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = RandomState::new().build_hasher().finish();
        let path = std::env::temp_dir().join(format!("kelson-transfer-{number:016x}"));
        std::fs::create_dir(&path).expect("because the name is new");
        Self(path)
    }

    pub(crate) fn layout(&self, name: &str) -> Layout {
        let path = self.0.join(name);
        match name.ends_with(".tar") {
            true => Layout::tar(&path),
            false => Layout::directory(&path),
        }
    }

    pub(crate) fn store(&self, name: &str) -> Store {
        Store::Layout(self.layout(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
