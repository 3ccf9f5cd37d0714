//! How web servers are asked: with which headers, and by believing whom.

use std::sync::{Arc, Mutex};

use gix::protocol::transport::client::blocking_io::http;
use kelson_model::Secret;
use reqwest::Certificate;

use super::Error;

/// Reads the certificates of authorities.
pub(super) fn authorities(pems: &[Vec<u8>]) -> Result<Vec<Certificate>, Error> {
    let read = |pem: &Vec<u8>| Certificate::from_pem_bundle(pem).map_err(|_| Error::Authority);
    let read: Vec<Vec<Certificate>> = pems.iter().map(read).collect::<Result<_, _>>()?;
    Ok(read.concat())
}

/// What a connection is told. `basic` is who asks, where the server is to know without asking back.
pub(super) fn options(
    authorities: Vec<Certificate>,
    basic: Option<&(String, Secret)>,
) -> http::Options {
    let header = |(user, password): &(String, Secret)| {
        let pair = base64(format!("{user}:{}", password.expose()).as_bytes());
        format!("Authorization: Basic {pair}")
    };
    let believe = move |client: reqwest::blocking::ClientBuilder| {
        Ok(client.tls_certs_merge(authorities.clone()))
    };
    let backend =
        http::reqwest::Options { configure_client: Some(Box::new(believe)), ..Default::default() };
    http::Options {
        extra_headers: basic.map(header).into_iter().collect(),
        backend: Some(Arc::new(Mutex::new(backend))),
        ..Default::default()
    }
}

/// Base64 of a short text.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
        let word = a << 16 | b << 8 | c;
        for at in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
