//! Texts as they are stored: gzip, in base64 for URLs.

use std::io::{Read, Write};

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// The largest text that is taken back.
const MOST: u64 = 64 << 20;

/// Why a text is not what was stored.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCompressed {
    /// It is not base64.
    #[error("is not base64")]
    Base64,
    /// What it encodes is not gzip.
    #[error("is not gzip")]
    Gzip,
    /// It expands to more than anybody would store.
    #[error("expands to more than {} MiB", MOST >> 20)]
    TooLarge,
    /// What was compressed is not text.
    #[error("is not UTF-8")]
    Text,
}

/// Compresses a text; the same text gives the same bytes.
pub fn compress(text: &str) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let bytes = gzip.write_all(text.as_bytes()).and_then(|()| gzip.finish());
    let bytes = bytes.expect("because memory takes all that is written");
    general_purpose::URL_SAFE.encode(bytes)
}

/// Takes a text back, padded or not.
///
/// # Errors
///
/// Fails for what is none, and for what expands without measure.
pub fn expand(text: &str) -> Result<String, NotCompressed> {
    let any = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = GeneralPurpose::new(&URL_SAFE, any)
        .decode(text.trim())
        .map_err(|_| NotCompressed::Base64)?;
    let mut expanded = Vec::new();
    let read = MultiGzDecoder::new(&*bytes).take(MOST + 1).read_to_end(&mut expanded);
    match read {
        Ok(length) if length as u64 > MOST => Err(NotCompressed::TooLarge),
        Ok(_) => String::from_utf8(expanded).map_err(|_| NotCompressed::Text),
        Err(_) => Err(NotCompressed::Gzip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back() {
        for text in ["", "a", "{\"ä\": \"b\"}", &"x".repeat(100_000)] {
            let stored = compress(text);
            assert_eq!(expand(&stored).as_deref(), Ok(text));
            assert_eq!(expand(stored.trim_end_matches('=')).as_deref(), Ok(text));
            assert_eq!(stored, compress(text));
        }
    }

    #[test]
    fn what_was_not_stored_so_is_refused() {
        let gzip = |bytes: &[u8]| {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(bytes).unwrap();
            gzip.finish().unwrap()
        };
        let encode = |bytes: &[u8]| general_purpose::URL_SAFE.encode(bytes);
        assert_eq!(expand("!"), Err(NotCompressed::Base64));
        assert_eq!(expand(&encode(b"hello")), Err(NotCompressed::Gzip));
        assert_eq!(expand(&encode(&gzip(b"a")[..10])), Err(NotCompressed::Gzip));
        assert_eq!(
            expand(&encode(&[gzip(b"a"), b"rest".to_vec()].concat())),
            Err(NotCompressed::Gzip)
        );
        assert_eq!(expand(&encode(&gzip(&[0xff]))), Err(NotCompressed::Text));
        let bomb = gzip(&vec![0; (MOST + 1) as usize]);
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        assert_eq!(expand(&encode(&bomb)), Err(NotCompressed::TooLarge));
    }
}
