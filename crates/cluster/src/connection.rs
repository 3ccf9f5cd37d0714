//! How a cluster is reached: kubectl's flags and files.

mod client; // what sends requests
mod kubeconfig; // which cluster, and as whom
mod proxy; // what stands in between
mod surroundings; // what a process finds around it

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use kelson_plan::Silent;
use kube::config::KubeConfigOptions;
use tokio::sync::Semaphore;

use self::kubeconfig::{Chosen, Problem};
use self::surroundings::Surroundings;
use crate::Error;
use crate::request::{Request, unreadable};

/// How many requests are under way at once where nothing is said about it.
const PARALLEL: usize = 16;

/// What a person says about the cluster; everything else comes from the kubeconfig or, in a pod, the service account.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// `--kubeconfig`; otherwise `KUBECONFIG` (several files are merged), then the file in the home directory.
    pub kubeconfig: Option<PathBuf>,
    /// A kubeconfig itself, instead of any file.
    pub kubeconfig_text: Option<kelson_model::Secret>,
    /// Further variables for the program by which the kubeconfig's user logs in.
    pub variables: BTreeMap<String, kelson_model::Secret>,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`.
    pub token: Option<kelson_model::Secret>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--client-certificate`.
    pub client_certificate: Option<PathBuf>,
    /// `--client-key`.
    pub client_key: Option<PathBuf>,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--insecure-skip-tls-verify`.
    pub insecure: bool,
    /// `--request-timeout`: for one request; without it, somewhat longer than a server itself works on one.
    pub request_timeout: Option<Duration>,
    /// How many requests may be under way at once; 0 for the usual number.
    pub parallel: usize,
}

/// A cluster that can be asked. Cheap to clone.
#[derive(Clone)]
pub struct Cluster {
    inner: Arc<Inner>,
}

struct Inner {
    client: kube::Client,
    server: String,
    context: Option<String>,
    namespace: String,
    request_timeout: Option<Duration>,
    parallel: usize,
    turns: Semaphore,
}

impl Cluster {
    /// Finds out how to reach a cluster. No request is made yet.
    ///
    /// # Errors
    ///
    /// Fails where the configuration is missing, wrong, or names what does not exist.
    pub async fn connect(connection: &Connection) -> Result<Self, Error> {
        let surroundings = Surroundings::of_process();
        let wrong = |problem| Error::Configuration(Box::new(problem));
        let chosen = kubeconfig::choose(connection, &surroundings).map_err(wrong)?;
        let context = chosen.context.clone();
        let config = configure(connection, chosen, &surroundings).await.map_err(wrong)?;
        let server = shown(&config.cluster_url);
        let namespace = config.default_namespace.clone();
        let client = client::make(config)
            .await
            .map_err(|why| wrong(Problem::Unusable { server: server.clone(), why }))?;
        let parallel = if connection.parallel == 0 { PARALLEL } else { connection.parallel };
        let inner = Inner {
            client,
            server,
            context,
            namespace,
            request_timeout: connection.request_timeout,
            parallel,
            turns: Semaphore::new(parallel.min(Semaphore::MAX_PERMITS)),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The namespace of the context.
    pub fn default_namespace(&self) -> &str {
        &self.inner.namespace
    }

    /// The name of the context, where it was found by one.
    pub fn context(&self) -> Option<&str> {
        self.inner.context.as_deref()
    }

    /// The address of its API server, without credentials.
    pub fn server(&self) -> &str {
        &self.inner.server
    }

    /// What no two clusters share: the uid of `kube-system`. Who may not read that is told the address of the API server
    /// instead: less sure, but who may work in one namespace only must be able to.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read for another reason.
    pub async fn identity(&self) -> Result<String, Error> {
        let what = || "tell which cluster this is".to_owned();
        let request = Request::get("/api/v1/namespaces/kube-system");
        match self.send(&request, &Silent).await {
            Ok(answer) => answer
                .text_at("/metadata/uid")
                .ok_or_else(|| Error::Refused { what: what(), refusal: unreadable() }),
            Err(refused) if refused.refusal.code == 403 => Ok(self.server().to_owned()),
            Err(refused) => Err(Error::Refused { what: what(), refusal: refused.refusal }),
        }
    }

    /// Who we are to the cluster (SelfSubjectReview), or the user of the machine where it does not say.
    pub async fn who(&self) -> String {
        let body = r#"{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}"#;
        let request = Request::post("/apis/authentication.k8s.io/v1/selfsubjectreviews", body);
        let answer = self.send(&request, &Silent).await.ok();
        answer
            .and_then(|answer| answer.text_at("/status/userInfo/username"))
            .unwrap_or_else(|| Surroundings::of_process().user)
    }

    pub(crate) fn client(&self) -> &kube::Client {
        &self.inner.client
    }

    pub(crate) fn request_timeout(&self) -> Option<Duration> {
        self.inner.request_timeout
    }

    /// How many requests may be under way at once.
    pub(crate) fn parallel(&self) -> usize {
        self.inner.parallel
    }

    /// Whoever holds a turn may have a request under way.
    pub(crate) fn turns(&self) -> &Semaphore {
        &self.inner.turns
    }
}

async fn configure(
    connection: &Connection,
    chosen: Chosen,
    surroundings: &Surroundings,
) -> Result<kube::Config, Problem> {
    let own_proxy = chosen.cluster.proxy_url.is_some();
    let (account, namespace) = (chosen.account.clone(), chosen.namespace.clone());
    let config = chosen.into_kubeconfig();
    let options = KubeConfigOptions::default();
    let mut config = kube::Config::from_custom_kubeconfig(config, &options).await?;
    if !own_proxy {
        config.proxy_url = proxy::for_server(&config.cluster_url, surroundings);
    }
    if !connection.insecure && connection.certificate_authority.is_none() {
        config.root_cert_file = account.map(|account| account.join("ca.crt"));
    }
    config.default_namespace = namespace.unwrap_or_else(|| "default".to_owned());
    // Requests are tried again in one place only, see `request`.
    config.default_retry = false;
    let agent = concat!("kelson/", env!("CARGO_PKG_VERSION"));
    let agent = (http::header::USER_AGENT, http::HeaderValue::from_static(agent));
    config.headers.push(agent);
    Ok(config)
}

/// Takes an address as people write it.
fn address(text: &str) -> Option<Uri> {
    let text = text.trim();
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let address = whole.parse::<Uri>().ok()?;
    let is_web = matches!(address.scheme_str(), Some("http" | "https"));
    (is_web && address.host().is_some_and(|host| !host.is_empty())).then_some(address)
}

/// An address for people.
fn shown(address: &Uri) -> String {
    let authority = address.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let scheme = address.scheme_str().unwrap_or("https");
    format!("{scheme}://{host}{}", address.path().trim_end_matches('/'))
}
