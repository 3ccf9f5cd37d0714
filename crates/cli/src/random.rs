//! Bytes that nobody can guess.

use std::fs::File;
use std::io::Read;

use anyhow::Context;

/// As many bytes as are asked for, from the system.
pub(crate) fn bytes(number: usize) -> anyhow::Result<Vec<u8>> {
    let mut bytes = vec![0; number];
    File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .context("the system gives no random bytes (`/dev/urandom`)")?;
    Ok(bytes)
}
