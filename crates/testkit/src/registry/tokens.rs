//! Who gives a registry's tokens: passwords and refresh tokens come in, signed tokens go out.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rcgen::{KeyPair, PKCS_ED25519, PublicKeyData, SigningKey};

use super::{PASSWORD, USER};
use crate::Error;
use crate::proxy::{Framing, Head};

pub(super) const SERVICE: &str = "kelson-testkit";
pub(super) const ISSUER: &str = "kelson-testkit-tokens";
const KEY: &str = "only";

/// What stands for the login of the user that is known.
pub const REFRESH_TOKEN: &str = "refresh-token-of-kelson";

/// Gives tokens on the loopback interface until dropped.
pub struct Tokens {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    key: KeyPair,
    asked: Mutex<Vec<String>>,
    refreshes: AtomicBool,
    ends: AtomicBool,
}

impl Tokens {
    pub(super) fn start() -> Result<Self, Error> {
        let wrong = |error| Error::Certificate("tokens".to_owned(), error);
        let place = Path::new("127.0.0.1:0");
        let listener = TcpListener::bind("127.0.0.1:0").map_err(Error::at(place))?;
        let address = listener.local_addr().map_err(Error::at(place))?;
        let state = Arc::new(State {
            key: KeyPair::generate_for(&PKCS_ED25519).map_err(wrong)?,
            asked: Mutex::default(),
            refreshes: AtomicBool::new(true),
            ends: AtomicBool::new(false),
        });
        let serving = state.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if serving.ends.load(Ordering::SeqCst) {
                    return;
                }
                let state = serving.clone();
                std::thread::spawn(move || state.serve(client).ok());
            }
        });
        Ok(Self { address, state })
    }

    /// Where tokens are asked for.
    pub fn realm(&self) -> String {
        format!("http://{}/token", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What was asked so far: who, by which way, for what; as in `GET kelson repository:a:pull`.
    pub fn asked(&self) -> Vec<String> {
        self.state.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether refresh tokens are taken; those who do not know them answer 404.
    pub fn take_refresh_tokens(&self, takes: bool) {
        self.state.refreshes.store(takes, Ordering::SeqCst);
    }

    /// The public key in the form that registries read.
    pub(super) fn keys(&self) -> String {
        let point = URL_SAFE_NO_PAD.encode(self.state.key.der_bytes());
        format!(
            r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig","kid":"{KEY}","x":"{point}"}}]}}"#
        )
    }
}

impl Drop for Tokens {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::SeqCst);
        TcpStream::connect(self.address).ok();
    }
}

impl State {
    fn serve(&self, mut client: TcpStream) -> std::io::Result<()> {
        client.set_read_timeout(Some(Duration::from_secs(30)))?;
        client.set_nodelay(true)?;
        let Some(head) = Head::read(&mut client)? else { return Ok(()) };
        let mut content = Vec::new();
        if let Framing::Length(length) = head.framing() {
            (&client).take(length.min(1 << 20)).read_to_end(&mut content)?;
        }
        let (status, body) = self.answer(&head, &String::from_utf8_lossy(&content));
        let length = body.len();
        write!(
            client,
            "HTTP/1.1 {status} -\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
    }

    fn answer(&self, head: &Head, content: &str) -> (u16, String) {
        let (method, target) = head.words();
        let query = target.split_once('?').map_or("", |(_, query)| query);
        let pairs = pairs(if method == "POST" { content } else { query });
        let all = |name: &str| -> Vec<String> {
            let values = pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value);
            values.flat_map(|value| value.split(' ')).map(str::to_owned).collect()
        };
        let basic = format!("Basic {}", STANDARD.encode(format!("{USER}:{PASSWORD}")));
        let user = match (method, head.header("authorization")) {
            ("POST", _) if !self.refreshes.load(Ordering::SeqCst) => return (404, "{}".to_owned()),
            ("POST", _) if all("refresh_token") == [REFRESH_TOKEN] => USER,
            ("GET", Some(shown)) if shown == basic => USER,
            ("GET", None) => "",
            _ => {
                return (
                    401,
                    r#"{"errors":[{"code":"UNAUTHORIZED","message":"who are you?"}]}"#.to_owned(),
                );
            }
        };
        let scopes = all("scope");
        let line = format!(
            "{method} {} {}",
            if user.is_empty() { "nobody" } else { user },
            scopes.join(" ")
        );
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        (200, format!(r#"{{"token":"{}","expires_in":300}}"#, self.token(user, &scopes)))
    }

    /// A token for what the user may do of what is asked.
    fn token(&self, user: &str, scopes: &[String]) -> String {
        let access: Vec<String> = scopes.iter().filter_map(|scope| grant(user, scope)).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let (before, after) = (now.saturating_sub(60), now + 300);
        let header = format!(r#"{{"typ":"JWT","alg":"EdDSA","kid":"{KEY}"}}"#);
        let claims = format!(
            r#"{{"iss":"{ISSUER}","sub":"{user}","aud":"{SERVICE}","exp":{after},"nbf":{before},"iat":{now},"jti":"{now}","access":[{}]}}"#,
            access.join(",")
        );
        let signed =
            format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature = self.key.sign(signed.as_bytes()).unwrap_or_default();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// What a user may do of `repository:name:actions`: everything, and nobody may read what is public.
fn grant(user: &str, scope: &str) -> Option<String> {
    let (resource, actions) = scope.rsplit_once(':')?;
    let (kind, name) = resource.split_once(':')?;
    let may =
        |action: &&str| !user.is_empty() || (*action == "pull" && name.starts_with("public/"));
    let actions: Vec<String> =
        actions.split(',').filter(may).map(|action| format!("\"{action}\"")).collect();
    Some(format!(r#"{{"type":"{kind}","name":"{name}","actions":[{}]}}"#, actions.join(",")))
}

/// Reads `a=b&c=d` with its escapes.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (unescape(name), unescape(value))).collect()
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).unwrap_or_default();
                bytes.push(u8::from_str_radix(digits, 16).unwrap_or(b'?'));
                rest = after;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
