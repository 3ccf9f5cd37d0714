//! Base64 as Go decodes it: the standard alphabet, padded, line breaks ignored.

/// The bytes that a text encodes.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut digits = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    while let Some(first) = digits.next() {
        let quantum = [first, digits.next()?, digits.next()?, digits.next()?];
        let padding = quantum.iter().rev().take_while(|digit| **digit == b'=').count();
        let mut bits = 0;
        for digit in &quantum[..4 - padding.min(2)] {
            bits = bits << 6 | value(*digit)?;
        }
        match padding {
            0 => bytes.extend([(bits >> 16) as u8, (bits >> 8) as u8, bits as u8]),
            1 => bytes.extend([(bits >> 10) as u8, (bits >> 2) as u8]),
            2 => bytes.push((bits >> 4) as u8),
            _ => return None,
        }
        if padding > 0 && digits.next().is_some() {
            return None;
        }
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// Bytes as text; every byte that is not part of a character becomes U+FFFD, as in Go.
pub(crate) fn to_text(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}
