//! The block before each entry of a tar archive, and the records that may stand before that.

/// As long as everything in a tar archive is a multiple of.
pub(super) const BLOCK: usize = 512;

/// A block.
pub(super) type Block = [u8; BLOCK];

/// What a header says.
pub(super) struct Header {
    /// The name, as written.
    pub(super) name: Vec<u8>,
    /// How many bytes follow.
    pub(super) size: u64,
    /// The letter for its kind.
    pub(super) kind: u8,
}

impl Header {
    pub(super) fn parse(block: &Block) -> Result<Self, String> {
        let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
        let field: u64 = block[148..156].iter().map(|byte| u64::from(*byte)).sum();
        // While the sum is taken, its own field counts as eight spaces.
        if octal(&block[148..156])? != sum - field + 8 * u64::from(b' ') {
            return Err("its header does not have the checksum it says".to_owned());
        }
        let mut name = text(&block[..100])?.to_vec();
        if &block[257..263] == b"ustar\0" {
            let prefix = text(&block[345..500])?;
            if !prefix.is_empty() {
                name = [prefix, b"/", &name].concat();
            }
        }
        Ok(Self { name, size: octal(&block[124..136])?, kind: block[156] })
    }
}

/// A field that ends in NUL, unless it is full.
fn text(field: &[u8]) -> Result<&[u8], String> {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    match field[end..].iter().all(|byte| *byte == 0) {
        true => Ok(&field[..end]),
        false => Err("its name contains NUL".to_owned()),
    }
}

/// A number in octal digits. The binary form that some writers use is for sizes far above every limit.
fn octal(field: &[u8]) -> Result<u64, String> {
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|byte| matches!(byte, 0 | b' ')).unwrap_or(digits.len());
    let (digits, padding) = digits.split_at(end);
    let clean = padding.iter().all(|byte| matches!(byte, 0 | b' '));
    let digit = |byte: &u8| matches!(byte, b'0'..=b'7').then(|| u64::from(byte - b'0'));
    let number = digits.iter().try_fold(0, |number, byte| Some(number * 8 + digit(byte)?));
    number.filter(|_| clean).ok_or_else(|| "its header has a number that is not octal".to_owned())
}

/// What the records before an entry may say of it.
#[derive(Default)]
pub(super) struct Records {
    /// A name longer or richer than the header can hold.
    pub(super) path: Option<Vec<u8>>,
    /// How many bytes follow.
    pub(super) size: Option<u64>,
}

impl Records {
    /// Reads `length key=value` lines. `global` records are for all entries that follow and may only be comments.
    pub(super) fn parse(mut content: &[u8], global: bool) -> Result<Self, String> {
        let mut records = Self::default();
        while !content.is_empty() {
            let (key, value, rest) = record(content).ok_or("its PAX records are broken")?;
            records.take(key, value, global)?;
            content = rest;
        }
        Ok(records)
    }

    fn take(&mut self, key: &[u8], value: &[u8], global: bool) -> Result<(), String> {
        let shown = String::from_utf8_lossy(key);
        match key {
            b"comment" => Ok(()),
            _ if global => Err(format!("it sets `{shown}` for all entries that follow")),
            b"path" => set(&mut self.path, value.to_vec(), "path"),
            b"size" => {
                let size = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                set(&mut self.size, size.ok_or("its PAX size is not a number")?, "size")
            }
            b"linkpath" => Err("it is a link".to_owned()),
            b"hdrcharset" => Err("its name is in another character set than UTF-8".to_owned()),
            _ if key.starts_with(b"GNU.sparse") => Err("it is a sparse file".to_owned()),
            _ => Ok(()),
        }
    }
}

fn set<T>(field: &mut Option<T>, value: T, key: &str) -> Result<(), String> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("its PAX records say `{key}` twice")),
    }
}

/// Takes one record off the front: its length in decimal digits counts all of it.
fn record(content: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = content.iter().take(20).position(|byte| *byte == b' ')?;
    let digits = std::str::from_utf8(&content[..space]).ok()?;
    let length: usize = digits.parse().ok().filter(|_| !digits.starts_with(['+', '0']))?;
    let (record, rest) = content.split_at_checked(length)?;
    let pair = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = pair.iter().position(|byte| *byte == b'=')?;
    let (key, value) = (&pair[..equals], &pair[equals + 1..]);
    (!key.is_empty()).then_some((key, value, rest))
}

/// What a kind of entry that is refused is called.
pub(super) fn unwanted(kind: u8) -> String {
    let name = match kind {
        b'1' => "a hard link",
        b'2' | b'K' => "a symbolic link",
        b'3' => "a character device",
        b'4' => "a block device",
        b'6' => "a FIFO",
        b'7' => "a contiguous file",
        b'S' => "a sparse file",
        kind => return format!("its kind `{}` is unknown", kind.escape_ascii()),
    };
    format!("it is {name}; only regular files and directories are accepted")
}
