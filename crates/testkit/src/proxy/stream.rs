//! Connections with TLS or without.

use std::io::{self, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
};

use crate::Error;

/// How clients are heard.
pub(crate) enum Listen {
    Plain,
    Tls(Arc<ServerConfig>),
}

/// How the server is reached.
pub(super) struct Connect {
    address: SocketAddr,
    tls: Option<Arc<ClientConfig>>,
}

/// Either kind of connection.
pub(crate) trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

impl Listen {
    pub(crate) fn tls(certificate: &str, key: &str) -> Result<Self, Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::Missing(format!("no TLS: {error}"));
        let certificates = CertificateDer::pem_slice_iter(certificate.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| wrong(&error))?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| wrong(&error))?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(&error))?
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .map_err(|error| wrong(&error))?;
        // Clients that could speak HTTP/2 would otherwise have to guess.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self::Tls(Arc::new(config)))
    }

    pub(crate) fn greet(&self, socket: TcpStream) -> io::Result<Box<dyn Stream>> {
        match self {
            Self::Plain => Ok(Box::new(Buffered(BufReader::new(socket)))),
            Self::Tls(config) => {
                let connection = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
                Ok(Box::new(StreamOwned::new(connection, socket)))
            }
        }
    }
}

/// How a client speaks TLS with a server whose certificate `authority` signed.
pub(crate) fn client(authority: &str) -> Result<Arc<ClientConfig>, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Missing(format!("no TLS: {error}"));
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(authority.as_bytes());
    roots.add(authority.map_err(|error| wrong(&error))?).map_err(|error| wrong(&error))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

impl Connect {
    pub(super) fn plain(address: SocketAddr) -> Self {
        Self { address, tls: None }
    }

    pub(super) fn tls(address: SocketAddr, authority: &str) -> Result<Self, Error> {
        Ok(Self { address, tls: Some(client(authority)?) })
    }

    pub(super) fn open(&self) -> io::Result<TcpStream> {
        let socket = TcpStream::connect(self.address)?;
        socket.set_nodelay(true)?;
        Ok(socket)
    }

    pub(super) fn greet(&self, socket: TcpStream) -> io::Result<Box<dyn Stream>> {
        match &self.tls {
            None => Ok(Box::new(Buffered(BufReader::new(socket)))),
            Some(config) => {
                let name = ServerName::from(self.address.ip());
                let connection =
                    ClientConnection::new(config.clone(), name).map_err(io::Error::other)?;
                Ok(Box::new(StreamOwned::new(connection, socket)))
            }
        }
    }
}

/// A socket that is read in larger pieces than it is asked for.
struct Buffered(BufReader<TcpStream>);

impl Read for Buffered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Buffered {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.get_mut().write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.get_mut().flush()
    }
}
