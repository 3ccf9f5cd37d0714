//! One client's connection: requests come, are passed on, and go wrong where that was announced.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::message::{Framing, Head, pass};
use super::stream::Stream;
use super::{Fault, Seen, State};

impl State {
    /// Serves a client until it is done.
    pub(super) fn serve(&self, socket: TcpStream) -> io::Result<()> {
        let _entered = self.enter(&socket)?;
        let mut client = self.listen.greet(socket.try_clone()?)?;
        let served = self.serve_requests(&mut client, &socket);
        socket.shutdown(Shutdown::Both).ok();
        served
    }

    fn serve_requests(&self, client: &mut Box<dyn Stream>, socket: &TcpStream) -> io::Result<()> {
        while let Some(head) = Head::read(client)? {
            let seen = seen(&head);
            let fault = match self.record(seen.clone()) {
                Some(Fault::Hold(gate)) => gate.hold(seen, &self.ends),
                fault => fault,
            };
            match fault {
                Some(Fault::Status { status, headers, body }) => {
                    pass(client, &mut io::sink(), head.framing())?;
                    answer(client, &head, status, &headers, &body)?;
                }
                Some(Fault::Redirect { status, to }) => {
                    pass(client, &mut io::sink(), head.framing())?;
                    let location = [("location".to_owned(), to + path(head.words().1))];
                    answer(client, &head, status, &location, "")?;
                }
                Some(Fault::Stall) => return self.park(),
                Some(Fault::Close | Fault::Hold(_)) => return Ok(()),
                fault => {
                    if !self.forward(client, socket, head, fault)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Passes a request on and its answer back; says whether the connection can be used again.
    fn forward(
        &self,
        client: &mut Box<dyn Stream>,
        socket: &TcpStream,
        mut request: Head,
        fault: Option<Fault>,
    ) -> io::Result<bool> {
        let connection = self.connect.open()?;
        let _entered = self.enter(&connection)?;
        let mut server = self.connect.greet(connection)?;
        let seen = seen(&request);
        let framing = request.framing();
        let (method, target) = request.words();
        let is_head = method == "HEAD";
        request.first = format!("{method} {} HTTP/1.1", path(target));
        request.set("connection", Some("close"));
        request.write(&mut server)?;
        pass(client, &mut server, framing)?;
        server.flush().ok();
        let mut response = Head::read(&mut server)?.ok_or(ErrorKind::UnexpectedEof)?;
        response.set("connection", None);
        let fault = match fault {
            Some(Fault::HoldAnswer(gate)) => gate.hold(seen, &self.ends),
            fault => fault,
        };
        match &fault {
            Some(Fault::Unanswered | Fault::Close) => return Ok(false),
            Some(Fault::Stall) => return self.park().map(|()| false),
            Some(Fault::Header(name, value)) => response.set(name, value.as_deref()),
            Some(Fault::Length(length)) => {
                response.set("content-length", Some(&length.to_string()));
                response.set("transfer-encoding", None);
            }
            _ => {}
        }
        response.write(client)?;
        let ends_itself = is_head
            || response.framing() == Framing::Chunks
            || response.header("content-length").is_some()
            || ["204", "304"].contains(&response.words().1);
        let goes_on = self.pass_content(client, socket, &mut server, fault.as_ref())?;
        Ok(goes_on && ends_itself)
    }

    /// Passes the content of an answer on, up to where it goes wrong.
    fn pass_content(
        &self,
        client: &mut Box<dyn Stream>,
        socket: &TcpStream,
        server: &mut Box<dyn Stream>,
        fault: Option<&Fault>,
    ) -> io::Result<bool> {
        let mut buffer = [0; 16 << 10];
        let mut passed: u64 = 0;
        let limit = match fault {
            Some(Fault::Truncate(at) | Fault::StallAfter(at) | Fault::HalfClose(at)) => Some(*at),
            _ => None,
        };
        loop {
            let room = limit.map_or(u64::MAX, |limit| limit - passed).min(buffer.len() as u64);
            let count =
                if room == 0 { 0 } else { end_or(server.read(&mut buffer[..room as usize]))? };
            if count == 0 {
                break;
            }
            if let Some(Fault::Corrupt(at)) = fault
                && (passed..passed + count as u64).contains(at)
            {
                buffer[(at - passed) as usize] ^= 1;
            }
            client.write_all(&buffer[..count])?;
            client.flush()?;
            passed += count as u64;
        }
        match fault {
            Some(Fault::StallAfter(_)) => self.park().map(|()| false),
            Some(Fault::HalfClose(_)) => {
                socket.shutdown(Shutdown::Write).ok();
                // Reads until the client has had enough.
                while client.read(&mut buffer)? > 0 {}
                Ok(false)
            }
            Some(Fault::Truncate(_) | Fault::Length(_)) => Ok(false),
            _ => Ok(true),
        }
    }

    /// Does nothing until the end.
    fn park(&self) -> io::Result<()> {
        while !self.ends.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

/// Servers that close without TLS's farewell have said all they wanted.
fn end_or(count: io::Result<usize>) -> io::Result<usize> {
    match count {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(0),
        other => other,
    }
}

fn seen(head: &Head) -> Seen {
    let (method, target) = head.words();
    let length = match head.framing() {
        Framing::Length(length) => length,
        Framing::Chunks => 0,
    };
    let headers = head.headers.clone();
    Seen { method: method.to_owned(), target: target.to_owned(), headers, length }
}

/// The path of a target, which is a whole URL where we are used to forward.
fn path(target: &str) -> &str {
    match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    }
}

fn answer(
    client: &mut Box<dyn Stream>,
    request: &Head,
    status: u16,
    headers: &[(String, String)],
    body: &str,
) -> io::Result<()> {
    let mut head = Head { first: format!("HTTP/1.1 {status} Fault"), headers: headers.to_vec() };
    if head.header("content-length").is_none() {
        head.set("content-length", Some(&body.len().to_string()));
    }
    head.write(client)?;
    if request.words().0 != "HEAD" {
        client.write_all(body.as_bytes())?;
    }
    client.flush()
}
