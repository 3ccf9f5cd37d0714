//! A client without any knowledge of Kubernetes: one encrypted connection, one HTTP/1.1 request after the other.
//!
//! Tests look at clusters with it, since starting kubectl takes longer than its question, and benches measure with it
//! what a server itself takes.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use serde_json::Value;

use crate::Error;
use crate::proxy::{self, Framing, Head};

/// How long a server may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that can be asked. Every clone has a connection of its own.
pub struct Bare {
    address: SocketAddr,
    config: Arc<ClientConfig>,
    token: Option<String>,
    patience: Duration,
    connection: Option<BufReader<StreamOwned<ClientConnection, TcpStream>>>,
}

/// What a server answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The content.
    pub body: String,
}

impl Bare {
    /// The API server of a kubeconfig that a control plane wrote, asked with the token in it.
    pub fn new(kubeconfig: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(kubeconfig).map_err(Error::at(kubeconfig))?;
        let place = Place::read(&text, kubeconfig)?;
        let token = value(&text, "token").map(str::to_owned);
        Self::to(place.address, &place.authority, token, PATIENCE)
    }

    /// A server on the loopback interface whose certificate `authority` signed.
    pub(crate) fn to(
        address: SocketAddr,
        authority: &str,
        token: Option<String>,
        patience: Duration,
    ) -> Result<Self, Error> {
        Ok(Self { address, config: proxy::client(authority)?, token, patience, connection: None })
    }

    /// Reads an object or a list; fails for any status but 200.
    pub fn get(&mut self, path: &str) -> Result<Value, Error> {
        let answer = self.send("GET", path, "", "")?;
        let wrong = |why: String| Error::Missing(format!("GET {path}: {why}"));
        if answer.status != 200 {
            return Err(wrong(format!("{} {}", answer.status, answer.body.trim())));
        }
        serde_json::from_str(&answer.body).map_err(|error| wrong(error.to_string()))
    }

    /// Sends one request with a content of a type, both empty for none, and reads the answer.
    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &str,
    ) -> Result<Answer, Error> {
        let request = self.request(method, path, content_type, body);
        let place = format!("https://{}{path}", self.address);
        let is_fresh = self.connection.is_none();
        let answer = match self.exchange(&request) {
            // The server may have closed a connection that was idle.
            Err(_) if !is_fresh => {
                self.connection = None;
                self.exchange(&request)
            }
            answer => answer,
        };
        if answer.is_err() {
            self.connection = None;
        }
        answer.map_err(Error::at(Path::new(&place)))
    }

    fn request(&self, method: &str, path: &str, content_type: &str, body: &str) -> Vec<u8> {
        let mut headers = vec![
            ("host".to_owned(), self.address.to_string()),
            ("content-length".to_owned(), body.len().to_string()),
        ];
        if !content_type.is_empty() {
            headers.push(("content-type".to_owned(), content_type.to_owned()));
        }
        if let Some(token) = &self.token {
            headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        let mut request = Vec::new();
        let head = Head { first: format!("{method} {path} HTTP/1.1"), headers };
        head.write(&mut request).expect("because a vector takes everything");
        request.extend_from_slice(body.as_bytes());
        request
    }

    fn exchange(&mut self, request: &[u8]) -> io::Result<Answer> {
        if self.connection.is_none() {
            self.connection = Some(BufReader::new(self.open()?));
        }
        let connection = self.connection.as_mut().ok_or(ErrorKind::NotConnected)?;
        connection.get_mut().write_all(request)?;
        connection.get_mut().flush()?;
        let head = Head::read(connection)?.ok_or(ErrorKind::UnexpectedEof)?;
        let status = head.words().1.parse().map_err(|_| io::Error::from(ErrorKind::InvalidData))?;
        let body = content(connection, head.framing())?;
        if head.header("connection") == Some("close") {
            self.connection = None;
        }
        Ok(Answer { status, body: String::from_utf8_lossy(&body).into_owned() })
    }

    fn open(&self) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
        let socket = TcpStream::connect(self.address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(self.patience))?;
        socket.set_write_timeout(Some(self.patience))?;
        let name = ServerName::from(self.address.ip());
        let connection =
            ClientConnection::new(self.config.clone(), name).map_err(io::Error::other)?;
        Ok(StreamOwned::new(connection, socket))
    }
}

impl Clone for Bare {
    fn clone(&self) -> Self {
        Self {
            address: self.address,
            config: self.config.clone(),
            token: self.token.clone(),
            patience: self.patience,
            connection: None,
        }
    }
}

/// Reads a content to its end.
fn content(from: &mut impl BufRead, framing: Framing) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut take = |from: &mut dyn BufRead, length: u64| -> io::Result<()> {
        let count = from.take(length).read_to_end(&mut body)?;
        if (count as u64) < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    };
    match framing {
        Framing::Length(length) => take(from, length)?,
        Framing::Chunks => loop {
            let mut line = String::new();
            from.read_line(&mut line)?;
            let size = line.trim().split(';').next().unwrap_or_default();
            let size = u64::from_str_radix(size, 16)
                .map_err(|_| io::Error::from(ErrorKind::InvalidData))?;
            take(from, size)?;
            from.read_line(&mut line)?;
            if size == 0 {
                break;
            }
        },
    }
    Ok(body)
}

/// Where the API server of a kubeconfig is.
pub(crate) struct Place {
    pub(crate) address: SocketAddr,
    /// Who signed its certificate.
    pub(crate) authority: String,
}

impl Place {
    /// Reads it from the text of a kubeconfig in the form in which control planes write it.
    pub(crate) fn read(text: &str, kubeconfig: &Path) -> Result<Self, Error> {
        let lacks = |what: &str| {
            Error::Missing(format!("`{}` has no {what} that fits", kubeconfig.display()))
        };
        let address = value(text, "server")
            .and_then(|url| url.strip_prefix("https://")?.parse().ok())
            .ok_or_else(|| lacks("server"))?;
        let authority = value(text, "certificate-authority-data")
            .and_then(|data| String::from_utf8(STANDARD.decode(data).ok()?).ok())
            .ok_or_else(|| lacks("certificate-authority-data"))?;
        Ok(Self { address, authority })
    }
}

/// The first value of a key of such a kubeconfig.
pub(crate) fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(": "))
}
