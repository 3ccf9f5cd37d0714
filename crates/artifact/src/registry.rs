//! Registries that speak the distribution protocol.
//!
//! A [`Client`] holds what all requests of a run share, a [`Repository`] is a place in a registry. Three rules hold
//! for every request: what proves who we are goes to the registry it was found for and to nobody else, what comes is
//! hashed by us, and whatever a server does, we end.

mod auth; // proves who we are
mod body; // what is sent
mod challenge; // how a registry asks who we are
mod download; // reading blobs, over broken connections too
mod exchange; // one request: redirects, challenges
mod failure; // what went wrong, and whether it may go better
mod host; // how a registry is reached
mod link; // the next page
mod manifests; // manifests and tags
mod options; // how registries are reached
mod realm; // who may give tokens
mod referrers; // what says something about a manifest
mod refusal; // what a registry says when it does not
mod retry; // when to try again
mod scope; // what a token is for
mod token; // tokens
mod transport; // connections
mod upload; // storing blobs

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use reqwest::Url;

use crate::reference::Place;
use crate::{Digest, Error};
use auth::Auth;
pub use options::{Clock, Given, Options, Proxies, SystemClock};
pub use refusal::Refusal;
use scope::Scope;
use transport::Transport;

/// What is shared by all requests of a run: connections, credentials, tokens, limits. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    transport: Transport,
    auth: Auth,
    clock: Arc<dyn Clock>,
    retries: u32,
    jitter: AtomicU64,
    plain_http: bool,
    loopback_http: bool,
    /// Held by whoever changes a list of referrers, since that is reading and then writing.
    listing: tokio::sync::Mutex<()>,
}

impl Client {
    /// Prepares to speak to registries. Nobody is spoken to yet.
    pub fn new(options: Options) -> Result<Self, Error> {
        let transport = Transport::new(&options)?;
        let inner = Inner {
            transport,
            loopback_http: !options.is_about_tls(),
            plain_http: options.plain_http,
            clock: options.clock,
            retries: options.retries,
            jitter: AtomicU64::new(options.jitter),
            auth: Auth::new(options.credentials, options.keychain),
            listing: tokio::sync::Mutex::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A repository of a registry.
    pub fn repository(&self, host: &str, name: &str) -> Repository {
        Repository { client: self.inner.clone(), host: host.into(), name: name.into() }
    }
}

/// A repository of a registry. Cheap to clone.
#[derive(Clone)]
pub struct Repository {
    client: Arc<Inner>,
    host: Arc<str>,
    name: Arc<str>,
}

impl Repository {
    /// The place as people name it.
    pub(crate) fn place(&self) -> Place {
        Place::Repository { host: self.host.to_string(), name: self.name.to_string() }
    }

    fn pull(&self) -> Scope {
        Scope::new(&self.name, "pull")
    }

    fn push(&self) -> Scope {
        Scope::new(&self.name, "pull,push")
    }

    /// Where something of this repository is, such as `["manifests", "v1"]`.
    fn url(&self, segments: &[&str]) -> Result<Url, Error> {
        let mut url = self.base()?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(self.name.split('/')).extend(segments);
        }
        Ok(url)
    }

    /// Where the registry is.
    fn base(&self) -> Result<Url, Error> {
        let (plain_http, loopback_http) = (self.client.plain_http, self.client.loopback_http);
        host::base(&self.host, plain_http, loopback_http).map_err(|reason| Error::Answer {
            action: "find anything".to_owned(),
            place: self.place().to_string(),
            reason,
        })
    }

    fn blob_url(&self, digest: &Digest) -> Result<Url, Error> {
        self.url(&["blobs", &digest.to_string()])
    }
}
