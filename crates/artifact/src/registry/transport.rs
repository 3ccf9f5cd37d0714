//! Connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Certificate, ClientBuilder, Identity, NoProxy, Proxy, Request, Response, Url};
use tokio::sync::OnceCell;

use super::body::Pulse;
use super::failure::{Again, Stalled, Trouble};
use super::{Options, Proxies, host};
use crate::Error;

/// Whom nobody forwards to.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// Sends requests as they are: nothing is followed, repeated or added.
pub(super) struct Transport {
    builder: Box<dyn Fn() -> Result<ClientBuilder, Error> + Send + Sync>,
    // Each is made when it is first used: reading the system's authorities takes longer than a small request, and
    // is in vain for plain HTTP.
    plain: OnceCell<reqwest::Client>,
    secure: OnceCell<reqwest::Client>,
    guarded: OnceCell<reqwest::Client>,
    stall: Duration,
    forwarders: Vec<String>,
}

/// To whom a connection may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    /// To anybody.
    Open,
    /// To nobody in a private network, whatever a name turns out to mean.
    Guarded,
}

impl Transport {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let options = options.clone();
        // What is wrong with the options is said before anything is done.
        builder(&options).map(drop)?;
        Ok(Self {
            stall: options.stall_timeout,
            forwarders: forwarders(&options.proxies).collect(),
            builder: Box::new(move || builder(&options)),
            plain: OnceCell::new(),
            secure: OnceCell::new(),
            guarded: OnceCell::new(),
        })
    }

    async fn client(&self, door: Door, url: &Url) -> Result<&reqwest::Client, Trouble> {
        let open = if url.scheme() == "https" { &self.secure } else { &self.plain };
        let cell = if door == Door::Open { open } else { &self.guarded };
        cell.get_or_try_init(|| async { self.build(door, url) }).await
    }

    fn build(&self, door: Door, url: &Url) -> Result<reqwest::Client, Trouble> {
        let prepared = || {
            let builder = (self.builder)().map_err(Trouble::of)?;
            Ok::<_, Trouble>(match door {
                Door::Open => builder,
                Door::Guarded => {
                    builder.dns_resolver(Guard { forwarders: self.forwarders.clone() })
                }
            })
        };
        let without_system = || Ok(prepared()?.tls_certs_only([]).build()?);
        if url.scheme() == "http" {
            return without_system();
        }
        // A machine without any authority can still use those it is given.
        prepared()?.build().or_else(|_| without_system())
    }

    /// Whether somebody may forward our requests, so that we do not know where they end.
    pub(super) fn is_forwarded(&self, url: &Url) -> bool {
        !self.forwarders.is_empty() && !host::is_loopback(url)
    }

    /// Sends a request and waits for the beginning of the answer, as long as something moves.
    pub(super) async fn send(
        &self,
        door: Door,
        request: Request,
        pulse: &Pulse,
    ) -> Result<Response, Trouble> {
        let client = self.client(door, request.url()).await?;
        let mut sending = std::pin::pin!(client.execute(request));
        let mut count = pulse.count();
        loop {
            match tokio::time::timeout(self.stall, &mut sending).await {
                Ok(result) => return Ok(result?),
                Err(_) if pulse.count() != count => count = pulse.count(),
                Err(_) => return Err(Stalled(self.stall).into()),
            }
        }
    }

    /// The next piece of an answer's content.
    pub(super) async fn piece(&self, response: &mut Response) -> Result<Option<Bytes>, Trouble> {
        match tokio::time::timeout(self.stall, response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(error)) => {
                // The connection was good until now.
                Err(Trouble { again: Again::Later, ..Trouble::from(error) })
            }
            Err(_) => Err(Stalled(self.stall).into()),
        }
    }

    /// The whole content of an answer, or as much as fits and one byte more.
    pub(super) async fn content(
        &self,
        response: &mut Response,
        most: u64,
    ) -> Result<Bytes, Trouble> {
        let mut content = BytesMut::new();
        while let Some(piece) = self.piece(response).await? {
            let room = (most + 1).saturating_sub(content.len() as u64);
            content.extend_from_slice(&piece[..piece.len().min(room as usize)]);
            if content.len() as u64 > most {
                break;
            }
        }
        Ok(content.freeze())
    }
}

fn builder(options: &Options) -> Result<ClientBuilder, Error> {
    let mut builder = reqwest::Client::builder()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(options.connect_timeout)
        .user_agent(&options.user_agent)
        .tls_backend_rustls()
        .tls_danger_accept_invalid_certs(options.insecure_tls);
    for pem in &options.authorities {
        builder = builder.tls_certs_merge(authorities(pem)?);
    }
    if let Some((certificate, key)) = &options.certificate {
        let pem = [certificate, b"\n".as_slice(), key.expose().as_bytes()].concat();
        // What the parser says could quote the key.
        let identity = Identity::from_pem(&pem).map_err(|_| Error::Options {
            what: "the client certificate",
            reason: "a certificate and its unencrypted key are expected, both as PEM".to_owned(),
        })?;
        builder = builder.identity(identity);
    }
    for proxy in proxies(&options.proxies)? {
        builder = builder.proxy(proxy);
    }
    Ok(builder)
}

fn authorities(pem: &[u8]) -> Result<Vec<Certificate>, Error> {
    let refuse = |reason: &str| Error::Options {
        what: "the certificate of the authority",
        reason: reason.to_owned(),
    };
    match Certificate::from_pem_bundle(pem) {
        Ok(certificates) if certificates.is_empty() => Err(refuse("there is none in the file")),
        Ok(certificates) => Ok(certificates),
        Err(_) => Err(refuse("it is not PEM")),
    }
}

fn proxies(proxies: &Proxies) -> Result<Vec<Proxy>, Error> {
    let except = proxies.except.as_deref().unwrap_or_default();
    let except = NoProxy::from_string(&format!("{except},{LOOPBACK}"));
    let made = [
        proxies.http.as_ref().map(|url| Proxy::http(url.expose())),
        proxies.https.as_ref().map(|url| Proxy::https(url.expose())),
    ];
    // What the parser says would quote the URL, which may have a password.
    let wrong = |_| Error::Options {
        what: "the proxy",
        reason: "a URL such as `http://proxy.example:3128` is expected".to_owned(),
    };
    made.into_iter()
        .flatten()
        .map(|proxy| proxy.map(|proxy| proxy.no_proxy(except.clone())).map_err(wrong))
        .collect()
}

/// The names of those who forward.
fn forwarders(proxies: &Proxies) -> impl Iterator<Item = String> {
    let given = [&proxies.http, &proxies.https].into_iter().flatten();
    given.filter_map(|url| {
        let url =
            Url::parse(url.expose()).or_else(|_| Url::parse(&format!("http://{}", url.expose())));
        Some(url.ok()?.host_str()?.trim_matches(['[', ']']).to_owned())
    })
}

/// Resolves names, but not to addresses of private networks, unless the name is of somebody who forwards.
struct Guard {
    forwarders: Vec<String>,
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let is_forwarder = self.forwarders.iter().any(|forwarder| forwarder == name.as_str());
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if !is_forwarder && found.iter().any(|address| host::is_private(address.ip())) {
                return Err("the name leads into a private network".into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// A pulse for requests that have no content to speak of.
pub(super) fn still() -> Arc<Pulse> {
    Arc::new(Pulse::default())
}
