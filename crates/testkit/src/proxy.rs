//! A server in front of a server that does what networks and servers do on bad days, on demand.
//!
//! It speaks HTTP/1.1 and knows nothing of what it passes on. Each fault is announced with the requests it is meant
//! for and the number of times it happens; everything else goes through. All requests are recorded.

mod connection; // one client
mod gate; // where requests are held
mod message; // heads and bodies
mod stream; // with TLS or without

use std::collections::HashMap;
use std::fmt;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Error;
use crate::certs::Authority;
pub use gate::Gate;
pub(crate) use message::{Framing, Head, pass};
use stream::Connect;
pub(crate) use stream::{Listen, Stream, client};

/// What happens to a request.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It is answered without being passed on.
    Status {
        /// The status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// The content.
        body: String,
    },
    /// It is answered with a status that leads elsewhere, without being passed on.
    Redirect {
        /// 301, 302, 303, 307 or 308.
        status: u16,
        /// Where to: the scheme and host to which the path and query of the request are added.
        to: String,
    },
    /// It is never answered.
    Stall,
    /// It is not passed on, and the connection is closed instead of an answer: not done, and nobody says so.
    Close,
    /// It is passed on, and the connection is closed instead of an answer: done, and nobody says so.
    Unanswered,
    /// It is held at a gate before it is passed on, then has the fate that the gate is told.
    Hold(Gate),
    /// It is passed on; its answer is held at a gate, then has the fate that the gate is told.
    HoldAnswer(Gate),
    /// After so many bytes of the answer's content nothing more comes.
    StallAfter(u64),
    /// After so many bytes of the answer's content the connection is closed.
    Truncate(u64),
    /// After so many bytes of the answer's content nothing more is sent, but the connection is still read.
    HalfClose(u64),
    /// The byte at this position of the answer's content is another.
    Corrupt(u64),
    /// The answer says that its content has this length.
    Length(u64),
    /// The answer has this header, or does not have it.
    Header(String, Option<String>),
}

/// A request that came through.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path with the query, or the whole URL where we are used to forward.
    pub target: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// How long its content is said to be.
    pub length: u64,
}

impl Fault {
    /// A refusal in the words of an API server: the status, the reason in one word, and what it says.
    pub fn refusal(status: u16, reason: &str, message: &str) -> Self {
        let body = serde_json::json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "code": status,
        });
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self::Status { status, headers, body: body.to_string() }
    }

    /// The same with another header, such as `retry-after`.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Self::Status { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.target)
    }
}

impl Seen {
    /// A header, named in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it showed who sent it.
    pub fn is_authorized(&self) -> bool {
        self.header("authorization").is_some()
    }
}

/// A server in front of a server. It ends, with all its connections, when dropped.
pub struct FaultProxy {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    listen: Listen,
    connect: Connect,
    rules: Mutex<Vec<Rule>>,
    seen: Mutex<Vec<Seen>>,
    connections: Mutex<HashMap<u64, TcpStream>>,
    count: AtomicU64,
    ends: AtomicBool,
}

struct Rule {
    method: String,
    path: String,
    /// How many fitting requests come before the first that it happens to.
    spared: usize,
    times: usize,
    fault: Fault,
}

impl FaultProxy {
    /// Stands before a server that speaks plain HTTP.
    pub fn start(upstream: SocketAddr) -> Result<Self, Error> {
        Self::serve(Listen::Plain, Connect::plain(upstream))
    }

    /// Stands before a server that speaks HTTPS on the loopback interface. It has the server's own certificate and
    /// key, so that clients see no difference; `authority` signed it.
    pub fn start_tls(
        upstream: SocketAddr,
        authority: &str,
        certificate: &str,
        key: &str,
    ) -> Result<Self, Error> {
        let listen = Listen::tls(certificate, key)?;
        Self::serve(listen, Connect::tls(upstream, authority)?)
    }

    /// Stands, with TLS, before a server that speaks plain HTTP on the loopback interface, and returns the certificate of
    /// the authority that signed its own.
    pub fn start_encrypting(upstream: SocketAddr) -> Result<(Self, String), Error> {
        let authority = Authority::new()?;
        let server = authority.server()?;
        let listen = Listen::tls(&server.certificate, &server.key)?;
        Ok((Self::serve(listen, Connect::plain(upstream))?, authority.pem))
    }

    fn serve(listen: Listen, connect: Connect) -> Result<Self, Error> {
        let place = Path::new("127.0.0.1:0");
        let listener = TcpListener::bind("127.0.0.1:0").map_err(Error::at(place))?;
        let address = listener.local_addr().map_err(Error::at(place))?;
        let state = Arc::new(State {
            listen,
            connect,
            rules: Mutex::default(),
            seen: Mutex::default(),
            connections: Mutex::default(),
            count: AtomicU64::new(0),
            ends: AtomicBool::new(false),
        });
        let serving = state.clone();
        std::thread::spawn(move || serving.accept(&listener));
        Ok(Self { address, state })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Announces a fault for the next `times` requests with this method whose target contains `path`; an empty text
    /// stands for all. Of several that fit, the one announced first happens.
    pub fn fault(&self, method: &str, path: &str, times: usize, fault: Fault) {
        let (method, path) = (method.to_owned(), path.to_owned());
        lock(&self.state.rules).push(Rule { method, path, spared: 0, times, fault });
    }

    /// Announces a fault for one request: the one with this number, from 1, among those from now on that fit as for
    /// [`FaultProxy::fault`].
    pub fn fault_at(&self, number: usize, method: &str, path: &str, fault: Fault) {
        let (method, path) = (method.to_owned(), path.to_owned());
        let spared = number.saturating_sub(1);
        lock(&self.state.rules).push(Rule { method, path, spared, times: 1, fault });
    }

    /// Takes all faults back.
    pub fn heal(&self) {
        lock(&self.state.rules).clear();
    }

    /// All requests so far, in the order of their coming.
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.state.seen).clone()
    }

    /// The requests with a method whose target contains `path`; an empty text stands for all.
    pub fn seen_at(&self, method: &str, path: &str) -> Vec<Seen> {
        let mut seen = self.seen();
        seen.retain(|seen| fits(method, &seen.method) && seen.target.contains(path));
        seen
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        lock(&self.state.seen).clear();
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::SeqCst);
        // Wakes the one who accepts.
        TcpStream::connect(self.address).ok();
        for (_, connection) in lock(&self.state.connections).drain() {
            connection.shutdown(std::net::Shutdown::Both).ok();
        }
    }
}

impl State {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        for connection in listener.incoming().map_while(Result::ok) {
            if self.ends.load(Ordering::SeqCst) {
                return;
            }
            // Small pieces go at once: waiting for more to send with them would take longer than any test.
            connection.set_nodelay(true).ok();
            let state = self.clone();
            // A client that goes away in the middle is no concern of ours.
            std::thread::spawn(move || state.serve(connection).ok());
        }
    }

    /// Makes sure that a connection does not outlive us, for as long as the answer is kept.
    fn enter(&self, connection: &TcpStream) -> std::io::Result<Entered<'_>> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        lock(&self.connections).insert(number, connection.try_clone()?);
        Ok(Entered { state: self, number })
    }

    /// Records a request and says what is to happen to it.
    fn record(&self, seen: Seen) -> Option<Fault> {
        let mut rules = lock(&self.rules);
        let mut fault = None;
        for rule in rules.iter_mut().filter(|rule| rule.fits(&seen)) {
            if rule.spared > 0 {
                rule.spared -= 1;
            } else if fault.is_none() && rule.times > 0 {
                rule.times -= 1;
                fault = Some(rule.fault.clone());
            }
        }
        lock(&self.seen).push(seen);
        fault
    }
}

impl Rule {
    fn fits(&self, seen: &Seen) -> bool {
        fits(&self.method, &seen.method) && seen.target.contains(&self.path)
    }
}

/// A connection that is ended with the proxy.
struct Entered<'a> {
    state: &'a State,
    number: u64,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        lock(&self.state.connections).remove(&self.number);
    }
}

fn fits(wanted: &str, method: &str) -> bool {
    wanted.is_empty() || wanted == method
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
