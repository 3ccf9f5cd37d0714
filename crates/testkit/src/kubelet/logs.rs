//! The one thing that the API server asks of a node: what a container printed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::Error;
use crate::certs::Authority;

/// What containers printed, by namespace and Pod.
#[derive(Clone, Debug)]
pub(super) struct Logs {
    port: u16,
    printed: Arc<Mutex<HashMap<(String, String), Printed>>>,
}

/// What the containers of a Pod printed.
#[derive(Clone, Debug, Default)]
struct Printed {
    now: String,
    /// By the container that ran before, where there was one.
    before: Option<String>,
    /// Whether whoever asks gets no answer.
    hangs: bool,
}

impl Logs {
    /// Serves on a free port until the returned task is aborted.
    pub(super) async fn serve() -> Result<(Self, JoinHandle<()>), Error> {
        let address = std::path::Path::new("127.0.0.1:0");
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::at(address))?;
        let port = listener.local_addr().map_err(Error::at(address))?.port();
        let logs = Self { port, printed: Arc::default() };
        let acceptor = acceptor()?;
        let served = logs.clone();
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (acceptor, logs) = (acceptor.clone(), served.clone());
                tokio::spawn(async move { logs.answer(acceptor, socket).await });
            }
        });
        Ok((logs, task))
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn set(&self, namespace: &str, pod: &str, text: &str) {
        self.change(namespace, pod, |printed| printed.now = text.to_owned());
    }

    pub(super) fn set_previous(&self, namespace: &str, pod: &str, text: &str) {
        self.change(namespace, pod, |printed| printed.before = Some(text.to_owned()));
    }

    pub(super) fn hang(&self, namespace: &str, pod: &str) {
        self.change(namespace, pod, |printed| printed.hangs = true);
    }

    fn change(&self, namespace: &str, pod: &str, change: impl FnOnce(&mut Printed)) {
        let mut all = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        change(all.entry((namespace.to_owned(), pod.to_owned())).or_default());
    }

    async fn answer(&self, acceptor: TlsAcceptor, socket: TcpStream) -> Option<()> {
        let mut stream = acceptor.accept(socket).await.ok()?;
        let mut request = Vec::new();
        while !request.windows(4).any(|four| four == b"\r\n\r\n") && request.len() < 64 * 1024 {
            if stream.read_buf(&mut request).await.ok()? == 0 {
                return None;
            }
        }
        let (status, text) = match self.find(&String::from_utf8_lossy(&request)) {
            Some(Found::Text(text)) => ("200 OK", text),
            Some(Found::NoPrevious) => {
                ("400 Bad Request", "previous terminated container not found".to_owned())
            }
            Some(Found::Nothing) => return std::future::pending().await,
            None => ("404 Not Found", String::new()),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        stream.write_all(answer.as_bytes()).await.ok()?;
        stream.shutdown().await.ok()
    }

    /// Answers `GET /containerLogs/NAMESPACE/POD/CONTAINER?tailLines=N&previous=true`.
    fn find(&self, request: &str) -> Option<Found> {
        let target = request.split_whitespace().nth(1)?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut parts = path.strip_prefix("/containerLogs/")?.split('/');
        let key = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let all = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let printed = all.get(&key).cloned().unwrap_or_default();
        if printed.hangs {
            return Some(Found::Nothing);
        }
        let text = match query.split('&').any(|pair| pair == "previous=true") {
            true => printed.before,
            false => Some(printed.now),
        };
        let Some(text) = text else { return Some(Found::NoPrevious) };
        let wanted = query.split('&').find_map(|pair| pair.strip_prefix("tailLines="));
        let Some(wanted) = wanted.and_then(|number| number.parse::<usize>().ok()) else {
            return Some(Found::Text(text));
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        Some(Found::Text(lines[lines.len().saturating_sub(wanted)..].concat()))
    }
}

/// What there is to answer.
enum Found {
    Text(String),
    NoPrevious,
    /// Not even an answer.
    Nothing,
}

fn acceptor() -> Result<TlsAcceptor, Error> {
    let identity = Authority::new()?.server()?;
    let broken = |error: &dyn std::fmt::Display| Error::Missing(format!("no certificate: {error}"));
    let certificate = CertificateDer::from_pem_slice(identity.certificate.as_bytes())
        .map_err(|error| broken(&error))?;
    let key =
        PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).map_err(|error| broken(&error))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![certificate], key))
        .map_err(|error| broken(&error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
