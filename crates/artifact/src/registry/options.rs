//! How registries are reached.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use kelson_model::Secret;

use crate::credentials::Keychain;

/// How registries are reached. Nothing is taken from the environment: whoever fills this in reads it.
#[derive(Clone)]
pub struct Options {
    /// Users and passwords that go before all that the keychain has.
    pub credentials: Vec<Given>,
    /// Where credentials are looked for otherwise.
    pub keychain: Keychain,
    /// Speaks HTTP without encryption. On the loopback interface that is so anyhow, unless one of the options
    /// about TLS is given.
    pub plain_http: bool,
    /// Believes every certificate.
    pub insecure_tls: bool,
    /// Certificates, as PEM, of authorities that are believed besides the system's.
    pub authorities: Vec<Vec<u8>>,
    /// Our own certificate with its key, both as PEM.
    pub certificate: Option<(Vec<u8>, Secret)>,
    /// Who forwards our requests.
    pub proxies: Proxies,
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// How long nothing at all may happen on a connection.
    pub stall_timeout: Duration,
    /// How often a request is made again that failed for a reason that may pass.
    pub retries: u32,
    /// How we call ourselves.
    pub user_agent: String,
    /// Any number, best another one in each process, so that many who failed together do not come back together.
    pub jitter: u64,
    /// What time it is, and how to wait.
    pub clock: Arc<dyn Clock>,
}

/// A user and a password.
#[derive(Clone, Debug)]
pub struct Given {
    /// The registry that they are shown to when it asks, with its port; without one, every registry that asks.
    pub host: Option<String>,
    /// The user.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// Who forwards our requests, as the variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` say. Nobody does on the
/// loopback interface.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    /// For plain HTTP.
    pub http: Option<Secret>,
    /// For HTTPS.
    pub https: Option<Secret>,
    /// Whom to speak to directly, separated by commas: names with all below them, addresses, networks, or `*`.
    pub except: Option<String>,
}

/// What time it is, and how to wait.
pub trait Clock: Send + Sync {
    /// What time it is.
    fn now(&self) -> SystemTime;
    /// Waits.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

impl Options {
    /// Whether something is said of TLS, so that it must be meant even on the loopback interface.
    pub(super) fn is_about_tls(&self) -> bool {
        self.insecure_tls || !self.authorities.is_empty() || self.certificate.is_some()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            credentials: Vec::new(),
            keychain: Keychain::default(),
            plain_http: false,
            insecure_tls: false,
            authorities: Vec::new(),
            certificate: None,
            proxies: Proxies::default(),
            connect_timeout: Duration::from_secs(15),
            stall_timeout: Duration::from_secs(60),
            retries: 4,
            user_agent: concat!("kelson/", env!("CARGO_PKG_VERSION")).to_owned(),
            jitter: 0,
            clock: Arc::new(SystemClock),
        }
    }
}
