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
    texts: Arc<Mutex<HashMap<(String, String), String>>>,
}

impl Logs {
    /// Serves on a free port until the returned task is aborted.
    pub(super) async fn serve() -> Result<(Self, JoinHandle<()>), Error> {
        let address = std::path::Path::new("127.0.0.1:0");
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::at(address))?;
        let port = listener.local_addr().map_err(Error::at(address))?.port();
        let logs = Self { port, texts: Arc::default() };
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
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert((namespace.to_owned(), pod.to_owned()), text.to_owned());
    }

    async fn answer(&self, acceptor: TlsAcceptor, socket: TcpStream) -> Option<()> {
        let mut stream = acceptor.accept(socket).await.ok()?;
        let mut request = Vec::new();
        while !request.windows(4).any(|four| four == b"\r\n\r\n") && request.len() < 64 * 1024 {
            if stream.read_buf(&mut request).await.ok()? == 0 {
                return None;
            }
        }
        let answer = match self.find(&String::from_utf8_lossy(&request)) {
            Some(text) => format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            ),
            None => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                .to_owned(),
        };
        stream.write_all(answer.as_bytes()).await.ok()?;
        stream.shutdown().await.ok()
    }

    /// Answers `GET /containerLogs/NAMESPACE/POD/CONTAINER?tailLines=N`.
    fn find(&self, request: &str) -> Option<String> {
        let target = request.split_whitespace().nth(1)?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut parts = path.strip_prefix("/containerLogs/")?.split('/');
        let key = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let text = texts.get(&key).cloned().unwrap_or_default();
        let wanted = query.split('&').find_map(|pair| pair.strip_prefix("tailLines="));
        let Some(wanted) = wanted.and_then(|number| number.parse::<usize>().ok()) else {
            return Some(text);
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        Some(lines[lines.len().saturating_sub(wanted)..].concat())
    }
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
