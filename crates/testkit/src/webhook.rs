//! An admission webhook that says what a test wants said.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::Error;
use crate::certs::Authority;
use crate::proxy::{Head, Listen, Stream, pass};

/// What a webhook says to a request.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It may happen.
    Allow,
    /// It may not, for this reason.
    Deny(String),
    /// It may happen with these changes, a JSON patch.
    Patch(Value),
    /// Nothing, ever.
    Silence,
}

/// A webhook, on a free port of the loopback interface. It is gone when dropped.
pub struct Webhook {
    address: SocketAddr,
    authority: String,
    ends: Arc<AtomicBool>,
}

type Decide = dyn Fn(&Value) -> Verdict + Send + Sync;

impl Webhook {
    /// Starts one that decides about the `request` of each AdmissionReview.
    pub fn start(
        decide: impl Fn(&Value) -> Verdict + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let authority = Authority::new()?;
        let server = authority.server()?;
        let listen = Arc::new(Listen::tls(&server.certificate, &server.key)?);
        let place = Path::new("127.0.0.1:0");
        let listener = TcpListener::bind("127.0.0.1:0").map_err(Error::at(place))?;
        let address = listener.local_addr().map_err(Error::at(place))?;
        let ends = Arc::new(AtomicBool::new(false));
        let (decide, ended): (Arc<Decide>, _) = (Arc::new(decide), ends.clone());
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                let (listen, decide, ended) = (listen.clone(), decide.clone(), ended.clone());
                // A server that goes away in the middle is no concern of ours.
                std::thread::spawn(move || serve(&listen, socket, &*decide, &ended).ok());
            }
        });
        Ok(Self { address, authority: authority.pem, ends })
    }

    /// The `clientConfig` that leads here.
    pub fn client_config(&self) -> Value {
        json!({ "url": format!("https://{}/", self.address), "caBundle": STANDARD.encode(&self.authority) })
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // Wakes the one who accepts.
        TcpStream::connect(self.address).ok();
    }
}

fn serve(listen: &Listen, socket: TcpStream, decide: &Decide, ends: &AtomicBool) -> io::Result<()> {
    let mut client = listen.greet(socket)?;
    while let Some(head) = Head::read(&mut client)? {
        let mut body = Vec::new();
        pass(&mut client, &mut body, head.framing())?;
        let review: Value = serde_json::from_slice(&body).map_err(io::Error::other)?;
        let response = match decide(&review["request"]) {
            Verdict::Allow => json!({ "allowed": true }),
            Verdict::Deny(why) => {
                json!({ "allowed": false, "status": { "code": 403, "message": why } })
            }
            Verdict::Patch(patch) => {
                let patch = STANDARD.encode(patch.to_string());
                json!({ "allowed": true, "patchType": "JSONPatch", "patch": patch })
            }
            Verdict::Silence => return park(ends),
        };
        answer(&mut client, &review, response)?;
    }
    Ok(())
}

fn answer(client: &mut Box<dyn Stream>, review: &Value, mut response: Value) -> io::Result<()> {
    response["uid"] = review["request"]["uid"].clone();
    let (version, kind) = (&review["apiVersion"], &review["kind"]);
    let body = json!({ "apiVersion": version, "kind": kind, "response": response }).to_string();
    let headers =
        [("content-type", "application/json"), ("content-length", &body.len().to_string())]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let head = Head { first: "HTTP/1.1 200 OK".to_owned(), headers: headers.to_vec() };
    head.write(client)?;
    client.write_all(body.as_bytes())?;
    client.flush()
}

/// Does nothing until the end.
fn park(ends: &AtomicBool) -> io::Result<()> {
    while !ends.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
