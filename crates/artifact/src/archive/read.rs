//! The entries of a tar archive, one after the other.

use std::io::{self, Read};

use super::header::{BLOCK, Block, Header, Records, unwanted};
use super::limits::Limits;
use super::name::{self, Names};
use crate::Error;
use crate::error::crop;

/// The most that records before an entry may have: a name, and a few times that for what is not looked at.
const LARGEST_RECORDS: u64 = 64 << 10;

/// Content that can be passed over.
pub(crate) trait Skip: Read {
    /// Passes over as many bytes, which must be there.
    fn skip(&mut self, bytes: u64) -> io::Result<()>;
}

/// Reads entries. Whatever is not understood in full is refused, so that no two readers see two different archives.
pub(crate) struct Entries<'a, R> {
    input: R,
    limits: &'a Limits,
    names: Names,
    /// The bytes read so far.
    offset: u64,
    /// What remains of the body and padding of the entry before.
    pending: u64,
}

/// A file or directory.
pub(crate) struct Entry {
    /// Its path inside the archive; empty for the root.
    pub(crate) path: String,
    /// Whether it is a directory.
    pub(crate) directory: bool,
    /// How many bytes it has.
    pub(crate) size: u64,
    /// Where they begin.
    pub(crate) offset: u64,
}

impl<'a, R: Skip> Entries<'a, R> {
    pub(crate) fn new(input: R, limits: &'a Limits) -> Self {
        Self { input, limits, names: Names::default(), offset: 0, pending: 0 }
    }

    /// Goes on to the next entry. After the last one, only zeros may follow.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Error> {
        let mut records = None;
        loop {
            self.pass(self.pending)?;
            let block = self.block()?;
            if block.iter().all(|byte| *byte == 0) {
                return match records {
                    None => self.end().map(|()| None),
                    Some(_) => Err(refuse("its last records belong to no entry")),
                };
            }
            let header = Header::parse(&block).map_err(|rule| self.unnamed(&block, rule))?;
            if !matches!(header.kind, b'x' | b'g' | b'L') {
                return self.entry(header, records.unwrap_or_default()).map(Some);
            }
            let found = self.records(&header).map_err(|rule| self.unnamed(&block, rule))?;
            if header.kind != b'g' && records.replace(found).is_some() {
                return Err(self.unnamed(&block, "it has records twice".to_owned()));
            }
        }
    }

    /// Reads the content of the entry that [`Self::next`] gave last.
    pub(crate) fn body(&mut self, entry: &Entry) -> Result<Vec<u8>, Error> {
        if entry.size > self.limits.file {
            let rule = format!("it has more than {} bytes", self.limits.file);
            return Err(Error::Entry { entry: entry.path.clone(), rule });
        }
        let content = self.content(entry.size)?;
        self.pending -= entry.size;
        Ok(content)
    }

    fn entry(&mut self, header: Header, records: Records) -> Result<Entry, Error> {
        let name = records.path.unwrap_or(header.name);
        let named = |rule| Error::Entry { entry: show(&name), rule };
        // Another size in the records would make two readers go on at two different places.
        if records.size.is_some_and(|size| size != header.size) {
            return Err(named("its header and its PAX records say two sizes".to_owned()));
        }
        let slash = name.ends_with(b"/");
        let directory = match header.kind {
            b'5' => true,
            0 => slash,
            b'0' if slash => {
                return Err(named("it is a file, but its name ends in `/`".to_owned()));
            }
            b'0' => false,
            kind => return Err(named(unwanted(kind))),
        };
        if directory && header.size != 0 {
            return Err(named("it is a directory, but has content".to_owned()));
        }
        let path = name::clean(&name, self.limits).map_err(named)?;
        if path.is_empty() && !directory {
            return Err(named("its name is that of the root".to_owned()));
        }
        if !path.is_empty() {
            self.names.claim(&path, directory, self.limits).map_err(named)?;
        }
        self.pending = padded(header.size);
        Ok(Entry { path, directory, size: header.size, offset: self.offset })
    }

    /// Reads what stands before an entry: PAX records, or GNU's long name.
    fn records(&mut self, header: &Header) -> Result<Records, String> {
        if header.size > LARGEST_RECORDS {
            return Err(format!("its records have more than {LARGEST_RECORDS} bytes"));
        }
        let content = self.content(header.size).map_err(|error| error.to_string())?;
        self.pending = padded(header.size) - header.size;
        if header.kind != b'L' {
            return Records::parse(&content, header.kind == b'g');
        }
        let path = content.strip_suffix(b"\0").ok_or("its long name does not end in NUL")?;
        Ok(Records { path: Some(path.to_vec()), size: None })
    }

    fn block(&mut self) -> Result<Block, Error> {
        let mut block = [0; BLOCK];
        self.input.read_exact(&mut block).map_err(broken)?;
        self.offset += BLOCK as u64;
        Ok(block)
    }

    /// Memory is taken as bytes come, not as they are promised.
    fn content(&mut self, size: u64) -> Result<Vec<u8>, Error> {
        let mut content = Vec::with_capacity(size.min(1 << 20) as usize);
        self.input.by_ref().take(size).read_to_end(&mut content).map_err(broken)?;
        self.offset += size;
        match content.len() as u64 == size {
            true => Ok(content),
            false => Err(broken(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    fn pass(&mut self, bytes: u64) -> Result<(), Error> {
        self.input.skip(bytes).map_err(broken)?;
        self.offset += bytes;
        self.pending = 0;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        let mut rest = [0; 4096];
        loop {
            match self.input.read(&mut rest).map_err(broken)? {
                0 => return Ok(()),
                read if rest[..read].iter().any(|byte| *byte != 0) => {
                    return Err(refuse("something follows its end"));
                }
                _ => {}
            }
        }
    }

    /// A refusal of an entry whose name is not known for certain.
    fn unnamed(&self, block: &Block, rule: String) -> Error {
        let name = block[..100].split(|byte| *byte == 0).next().unwrap_or_default();
        Error::Entry { entry: show(name), rule }
    }
}

/// As many bytes with the padding after them. Only sizes that fit into octal digits come here.
fn padded(size: u64) -> u64 {
    size.next_multiple_of(BLOCK as u64)
}

/// A name that may be anything, for people.
fn show(name: &[u8]) -> String {
    crop(&String::from_utf8_lossy(name))
}

fn refuse(rule: &str) -> Error {
    Error::Archive { rule: rule.to_owned() }
}

fn broken(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return refuse("it is cut short");
    }
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(source) => Error::Read { what: "archive".to_owned(), source },
    }
}
