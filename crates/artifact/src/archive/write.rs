//! Archives of which the same files give the same bytes: no times, no owners, one order.
//!
//! Headers are USTAR as Go writes them, with PAX records where a name does not fit.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression as Level, GzBuilder};

use super::header::BLOCK;
use crate::Digest;
use crate::digest::Hasher;

/// A file or directory to be written.
pub(crate) struct Item<'a> {
    /// The path inside the archive.
    pub(crate) path: &'a str,
    /// The permissions.
    pub(crate) mode: u32,
    /// The content of a file; a directory has none.
    pub(crate) content: Option<&'a [u8]>,
}

/// How hard to compress. The level is part of a format: another one gives other digests.
#[derive(Clone, Copy)]
pub(crate) enum Compression {
    /// Level 6, as Flux uses it.
    Usual,
    /// Level 1, as kustomizer uses it.
    Fast,
}

/// A compressed archive.
pub(crate) struct Layer {
    /// The compressed bytes.
    pub(crate) content: Vec<u8>,
    /// The digest of the archive itself.
    pub(crate) expanded: Digest,
}

/// Writes an archive of these items, in their order, and compresses it.
pub(crate) fn layer<'a>(items: impl Iterator<Item = Item<'a>>, compression: Compression) -> Layer {
    let level = match compression {
        Compression::Usual => Level::new(6),
        Compression::Fast => Level::new(1),
    };
    // Neither a name nor a time, and 255 for an unknown operating system: the same ten bytes everywhere.
    let encoder = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), level);
    let mut writer = Writer::new(Hashed { inner: encoder, hasher: Hasher::default() });
    let written = items.into_iter().try_for_each(|item| writer.item(&item));
    let finished = written.and_then(|()| writer.finish()).and_then(|hashed| {
        let content = hashed.inner.finish()?;
        Ok(Layer { content, expanded: hashed.hasher.finish() })
    });
    finished.expect("because memory takes whatever is written to it")
}

/// Hashes what passes.
struct Hashed {
    inner: GzEncoder<Vec<u8>>,
    hasher: Hasher,
}

impl Write for Hashed {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let taken = self.inner.write(piece)?;
        self.hasher.update(&piece[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes entries one after the other.
pub(crate) struct Writer<W> {
    output: W,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(output: W) -> Self {
        Self { output }
    }

    pub(crate) fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        let content = item.content.unwrap_or_default();
        let kind = if item.content.is_some() { b'0' } else { b'5' };
        self.header(item.path, item.mode, kind, content.len() as u64)?;
        self.output.write_all(content)?;
        self.pad(content.len() as u64)
    }

    /// Writes a file whose content comes from a reader, which must have as many bytes.
    pub(crate) fn stream(
        &mut self,
        path: &str,
        size: u64,
        content: &mut dyn io::Read,
    ) -> io::Result<()> {
        if size >> 33 != 0 {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "a tar entry has at most 8 GiB",
            ));
        }
        self.header(path, 0o644, b'0', size)?;
        if io::copy(&mut io::Read::take(content, size), &mut self.output)? != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.pad(size)
    }

    /// Ends the archive by two blocks of zeros.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.output.write_all(&[0; 2 * BLOCK])?;
        Ok(self.output)
    }

    fn header(&mut self, path: &str, mode: u32, kind: u8, size: u64) -> io::Result<()> {
        if let Some((prefix, name)) = ustar(path) {
            return self.output.write_all(&block(prefix, name, mode, kind, size));
        }
        let record = record("path", path);
        let (directory, file) = path.rsplit_once('/').unwrap_or((".", path));
        let name = ascii(&format!("{directory}/PaxHeaders.0/{file}"));
        self.output.write_all(&block("", &name, 0, b'x', record.len() as u64))?;
        self.output.write_all(record.as_bytes())?;
        self.pad(record.len() as u64)?;
        self.output.write_all(&block("", &ascii(path), mode, kind, size))
    }

    fn pad(&mut self, size: u64) -> io::Result<()> {
        let padding = size.next_multiple_of(BLOCK as u64) - size;
        self.output.write_all(&[0; BLOCK][..padding as usize])
    }
}

/// Splits a path into the two fields of a USTAR header, where it fits.
fn ustar(path: &str) -> Option<(&str, &str)> {
    if !path.is_ascii() {
        return None;
    }
    if path.len() <= 100 {
        return Some(("", path));
    }
    let window = &path[..path.len().min(156)];
    let at = window.rfind('/').filter(|at| *at > 0)?;
    let (prefix, name) = (&path[..at], &path[at + 1..]);
    (!name.is_empty() && name.len() <= 100).then_some((prefix, name))
}

/// What of a path a field of 100 ASCII bytes can hold; the records have the whole.
fn ascii(path: &str) -> String {
    path.chars().filter(char::is_ascii).take(100).collect()
}

/// A PAX record, whose length counts its own digits.
fn record(key: &str, value: &str) -> String {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + rest.to_string().len();
    if length.to_string().len() != rest.to_string().len() {
        length = rest + length.to_string().len();
    }
    format!("{length} {key}={value}\n")
}

fn block(prefix: &str, name: &str, mode: u32, kind: u8, size: u64) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{size:011o}").as_bytes());
    put(136, b"00000000000");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    put(329, b"0000000");
    put(337, b"0000000");
    put(345, prefix.as_bytes());
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}
