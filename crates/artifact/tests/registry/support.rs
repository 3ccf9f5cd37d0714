//! What the tests of the registry client share.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use kelson_artifact::manifest::media;
use kelson_artifact::registry::{Client, Clock, Options};
use kelson_artifact::{
    Blob, BlobSource, Descriptor, Error, InMemory, Manifest, Raw, Selector, Store,
};
use kelson_testkit::registry;
use kelson_testkit::{Fault, FaultProxy, Registry};

/// The registry that the tests of one process share: each uses repositories of its own.
pub(crate) fn shared() -> &'static Registry {
    static SHARED: OnceLock<Registry> = OnceLock::new();
    SHARED.get_or_init(|| Registry::start(registry::Options::default()).expect("a registry"))
}

/// A client that does not wait.
pub(crate) fn client(options: Options) -> Client {
    client_with(options, &Arc::default())
}

/// A client with a clock that can be looked at.
pub(crate) fn client_with(options: Options, clock: &Arc<Patient>) -> Client {
    Client::new(Options { clock: clock.clone(), ..options }).expect("options that can be used")
}

/// A clock that never waits, remembers how long it should have, and can be turned forward.
#[derive(Default)]
pub(crate) struct Patient {
    waits: Mutex<Vec<Duration>>,
    ahead: Mutex<Duration>,
}

impl Patient {
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().expect("because nobody panics with it").clone()
    }

    pub(crate) fn turn(&self, forward: Duration) {
        *self.ahead.lock().expect("because nobody panics with it") += forward;
    }
}

impl Clock for Patient {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
            + Duration::from_secs(1_800_000_000)
            + *self.ahead.lock().expect("because nobody panics with it")
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.waits.lock().expect("because nobody panics with it").push(time);
        Box::pin(async {})
    }
}

/// A manifest with its configuration and one layer.
pub(crate) struct Artifact {
    pub(crate) config: Descriptor,
    pub(crate) layer: Descriptor,
    pub(crate) content: Vec<u8>,
    pub(crate) raw: Raw,
}

impl Artifact {
    pub(crate) fn new(content: &str) -> Self {
        Self::of(content.as_bytes().to_vec(), None)
    }

    /// An artifact whose layer has `size` bytes.
    pub(crate) fn large(seed: &str, size: usize) -> Self {
        Self::of(seed.bytes().cycle().take(size).collect(), None)
    }

    /// An artifact that says something about this one.
    pub(crate) fn signature(&self, content: &str) -> Self {
        Self::of(content.as_bytes().to_vec(), Some(self.raw.descriptor.clone()))
    }

    fn of(content: Vec<u8>, subject: Option<Descriptor>) -> Self {
        let config = Descriptor::of(media::EMPTY, b"{}");
        let layer = Descriptor::of("application/octet-stream", &content);
        let raw = Raw::write(&Manifest {
            schema_version: 2,
            media_type: Some(media::OCI_MANIFEST.to_owned()),
            artifact_type: Some("application/vnd.example.signature".to_owned()),
            config: config.clone(),
            layers: vec![layer.clone()],
            subject,
            annotations: Default::default(),
        });
        Self { config, layer, content, raw }
    }

    pub(crate) async fn store(&self, store: &Store, tag: Option<&str>) -> Result<(), Error> {
        for (descriptor, content) in
            [(&self.config, b"{}".to_vec()), (&self.layer, self.content.clone())]
        {
            let source = InMemory { descriptor: descriptor.clone(), content: content.into() };
            store.put_blob(descriptor, &source, None).await?;
        }
        store.put_manifest(&self.raw, tag).await
    }

    /// Finds it under a tag and reads all of it.
    pub(crate) async fn check(&self, store: &Store, tag: &str) {
        let found = store.resolve(&Selector::Tag(tag.to_owned())).await.expect("resolved");
        assert_eq!(found, self.raw.descriptor);
        assert_eq!(store.manifest(&found.digest).await.expect("read"), self.raw);
        let content = store.blob(&self.layer).await.expect("begun").bytes().await.expect("read");
        assert!(content == self.content);
    }
}

/// Content that must not be asked for.
pub(crate) struct Unreadable;

impl BlobSource for Unreadable {
    fn open(&self) -> BoxFuture<'_, Result<Blob, Error>> {
        panic!("the registry has it already");
    }
}

/// An answer with nothing but a status.
pub(crate) fn status(status: u16) -> Fault {
    Fault::Status { status, headers: Vec::new(), body: String::new() }
}

/// An error with all its causes, as a front end shows them, and as a debugger does.
pub(crate) fn shown(error: &Error) -> String {
    let causes =
        std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    let text = causes.map(ToString::to_string).collect::<Vec<_>>().join("\ncaused by: ");
    format!("{text}\n{error:?}")
}

/// A proxy before the registry that the tests of this process share.
pub(crate) fn proxy() -> FaultProxy {
    FaultProxy::start(shared().address()).expect("a proxy")
}

/// A repository of the registry at an address.
pub(crate) fn open(client: &Client, at: SocketAddr, name: &str) -> Store {
    Store::Repository(client.repository(&at.to_string(), name))
}
