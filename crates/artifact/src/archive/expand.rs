//! Content as it was before gzip or zstd, in pieces and within limits.

use std::io::{self, Read};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::limits::Limits;
use super::read::Skip;
use crate::Error;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Content that is being expanded. The first bytes decide how; media types are only claims.
pub(super) struct Expanded<'a> {
    member: Member<'a>,
    members: u32,
    produced: u64,
    most: u64,
    limits: &'a Limits,
}

/// One of the compressed streams that follow each other.
enum Member<'a> {
    Plain(&'a [u8]),
    Gzip(Box<GzDecoder<&'a [u8]>>),
    Zstd(Box<StreamingDecoder<&'a [u8], FrameDecoder>>),
}

impl<'a> Expanded<'a> {
    pub(super) fn open(content: &'a [u8], limits: &'a Limits) -> Result<Self, Error> {
        let most = limits.expansion(content.len() as u64);
        let member = Member::open(content, limits).map_err(refuse)?;
        let member = member.unwrap_or(Member::Plain(content));
        Ok(Self { member, members: 1, produced: 0, most, limits })
    }

    /// Goes on to the next stream. What follows one must be another, whole.
    fn next(&mut self) -> Result<bool, String> {
        let rest = match &self.member {
            Member::Plain(_) => return Ok(false),
            Member::Gzip(decoder) => *decoder.get_ref(),
            Member::Zstd(decoder) => *decoder.get_ref(),
        };
        if rest.is_empty() {
            return Ok(false);
        }
        self.members += 1;
        if self.members > self.limits.members {
            return Err(format!("it has more than {} compressed streams", self.limits.members));
        }
        let trailing = || format!("{} bytes of something else follow its content", rest.len());
        self.member = Member::open(rest, self.limits)?.ok_or_else(trailing)?;
        Ok(true)
    }

    fn count(&mut self, piece: usize) -> io::Result<usize> {
        self.produced += piece as u64;
        match self.produced > self.most {
            false => Ok(piece),
            true => Err(io::Error::other(refuse(format!(
                "it expands to more than {} bytes",
                self.most
            )))),
        }
    }
}

impl<'a> Member<'a> {
    /// Begins a stream, where one begins here.
    fn open(content: &'a [u8], limits: &Limits) -> Result<Option<Self>, String> {
        if content.starts_with(GZIP) {
            return Ok(Some(Self::Gzip(Box::new(GzDecoder::new(content)))));
        }
        let Some(frame) = content.strip_prefix(ZSTD) else { return Ok(None) };
        let window = window(frame).ok_or("its zstd header is cut short")?;
        if window > limits.window {
            let most = limits.window;
            return Err(format!("its zstd window of {window} bytes is larger than {most}"));
        }
        let decoder = StreamingDecoder::new(content);
        let decoder = decoder.map_err(|error| format!("its zstd data is broken: {error}"))?;
        Ok(Some(Self::Zstd(Box::new(decoder))))
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (read, name) = match self {
            Self::Plain(rest) => (rest.read(buffer), "tar"),
            Self::Gzip(decoder) => (decoder.read(buffer), "gzip"),
            Self::Zstd(decoder) => (decoder.read(buffer), "zstd"),
        };
        let broken = |error| refuse(format!("its {name} data is broken: {error}"));
        read.map_err(|error| io::Error::other(broken(error)))
    }
}

impl Read for Expanded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let piece = self.member.read(buffer)?;
            if piece > 0 || buffer.is_empty() {
                return self.count(piece);
            }
            if !self.next().map_err(|rule| io::Error::other(refuse(rule)))? {
                return Ok(0);
            }
        }
    }
}

impl Skip for Expanded<'_> {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        match io::copy(&mut self.take(bytes), &mut io::sink())? == bytes {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn refuse(rule: String) -> Error {
    Error::Archive { rule }
}

/// How far back a zstd frame may look, by the header after its magic number.
fn window(frame: &[u8]) -> Option<u64> {
    let descriptor = *frame.first()?;
    let single_segment = descriptor & 0x20 != 0;
    if !single_segment {
        let byte = u64::from(*frame.get(1)?);
        let base = 1_u64 << (10 + (byte >> 3));
        return Some(base + base / 8 * (byte & 7));
    }
    // Such a frame keeps all of its content, whose length is written after the dictionary's number.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let length = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let field = frame.get(1 + dictionary..1 + dictionary + length)?;
    let mut bytes = [0; 8];
    bytes[..length].copy_from_slice(field);
    let shift = if length == 2 { 256 } else { 0 };
    u64::from_le_bytes(bytes).checked_add(shift)
}
