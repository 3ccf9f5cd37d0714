//! The heads of HTTP/1.1 messages, and how long their contents are.

use std::io::{self, ErrorKind, Read, Write};

/// The longest head that is read.
const LONGEST: usize = 256 << 10;

/// The first line and the headers.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) first: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// How the end of a content is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(u64),
    Chunks,
}

impl Head {
    /// Reads a head; nothing if the other side is done.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut text = Vec::new();
        let mut byte = [0];
        while !text.ends_with(b"\r\n\r\n") {
            if from.read(&mut byte)? == 0 {
                return if text.is_empty() {
                    Ok(None)
                } else {
                    Err(ErrorKind::UnexpectedEof.into())
                };
            }
            text.push(byte[0]);
            if text.len() > LONGEST {
                return Err(ErrorKind::InvalidData.into());
            }
        }
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers =
            headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        Ok(Some(Self { first, headers: headers.collect() }))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) {
        self.headers.retain(|(known, _)| known != name);
        self.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
    }

    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut text = format!("{}\r\n", self.first);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        to.write_all((text + "\r\n").as_bytes())
    }

    /// The words of the first line.
    pub(crate) fn words(&self) -> (&str, &str) {
        let mut words = self.first.split(' ');
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    }

    /// How the end of a request's content is known.
    pub(crate) fn framing(&self) -> Framing {
        match self.header("transfer-encoding") {
            Some(_) => Framing::Chunks,
            None => Framing::Length(
                self.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0),
            ),
        }
    }
}

/// Passes a request's content on, as it is written. When the other side takes no more, the rest is read all the same,
/// since the client would not listen before it has said everything.
pub(crate) fn pass(from: &mut impl Read, to: &mut impl Write, framing: Framing) -> io::Result<()> {
    match framing {
        Framing::Length(length) => pass_bytes(from, to, length),
        Framing::Chunks => loop {
            let line = line(from)?;
            to.write_all(&line).ok();
            let size = String::from_utf8_lossy(&line);
            let size = size.trim().split(';').next().unwrap_or_default();
            let size = u64::from_str_radix(size, 16)
                .map_err(|_| io::Error::from(ErrorKind::InvalidData))?;
            pass_bytes(from, to, size + 2)?;
            if size == 0 {
                return Ok(());
            }
        },
    }
}

fn pass_bytes(from: &mut impl Read, to: &mut impl Write, mut left: u64) -> io::Result<()> {
    let mut buffer = [0; 16 << 10];
    while left > 0 {
        let room = buffer.len().min(left as usize);
        let count = from.read(&mut buffer[..room])?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        to.write_all(&buffer[..count]).ok();
        left -= count as u64;
    }
    Ok(())
}

fn line(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") {
        if from.read(&mut byte)? == 0 || line.len() > 1000 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        line.push(byte[0]);
    }
    Ok(line)
}
