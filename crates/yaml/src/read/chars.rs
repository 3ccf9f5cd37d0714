//! The characters of YAML 1.1, looked at as bytes of UTF-8.

/// Whether a space or a tab stands at `at`.
pub(super) fn is_blank(src: &[u8], at: usize) -> bool {
    matches!(src.get(at), Some(b' ' | b'\t'))
}

/// How many bytes the line break at `at` has; nothing where there is none.
///
/// Beside LF, CR and CR LF, YAML 1.1 breaks lines at U+0085, U+2028 and U+2029.
#[inline]
pub(super) fn break_width(src: &[u8], at: usize) -> Option<usize> {
    match src.get(at)? {
        b'\n' => Some(1),
        b'\r' => Some(if src.get(at + 1) == Some(&b'\n') { 2 } else { 1 }),
        0xC2 => (src.get(at + 1) == Some(&0x85)).then_some(2),
        0xE2 => matches!(src.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])).then_some(3),
        _ => None,
    }
}

pub(super) fn is_break(src: &[u8], at: usize) -> bool {
    break_width(src, at).is_some()
}

/// A line break or the end of the text.
pub(super) fn is_break_or_end(src: &[u8], at: usize) -> bool {
    at >= src.len() || is_break(src, at)
}

/// A space, a tab, a line break or the end of the text.
#[inline]
pub(super) fn is_blank_or_end(src: &[u8], at: usize) -> bool {
    match src.get(at) {
        None | Some(b' ' | b'\t' | b'\n' | b'\r') => true,
        Some(0xC2 | 0xE2) => is_break(src, at),
        Some(_) => false,
    }
}

/// What may stand in the name of an anchor, a tag handle or a directive.
pub(super) fn is_alpha(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// What may stand in the suffix of a tag.
pub(super) fn is_uri(byte: u8) -> bool {
    is_alpha(byte) || b";/?:@&=+$,.!~*'()[]%".contains(&byte)
}

/// What a run of text looks out for; every other byte is passed over quickly.
pub(super) const STOPS: [u8; 256] = stops();

/// Ends a run of plain text outside of flow collections: blanks, breaks, `:` and the bytes that may begin a break.
pub(super) const STOP_PLAIN: u8 = 1;
/// Ends a run of plain text inside of flow collections.
pub(super) const STOP_FLOW: u8 = 2;
/// Ends a run in single quotes.
pub(super) const STOP_SINGLE: u8 = 4;
/// Ends a run in double quotes.
pub(super) const STOP_DOUBLE: u8 = 8;
/// Ends a line.
pub(super) const STOP_LINE: u8 = 16;

const fn stops() -> [u8; 256] {
    let mut table = [0; 256];
    let everywhere = STOP_PLAIN | STOP_FLOW | STOP_SINGLE | STOP_DOUBLE | STOP_LINE;
    table[b'\n' as usize] = everywhere;
    table[b'\r' as usize] = everywhere;
    table[0xC2] = everywhere;
    table[0xE2] = everywhere;
    table[b' ' as usize] = STOP_PLAIN | STOP_FLOW;
    table[b'\t' as usize] = STOP_PLAIN | STOP_FLOW;
    table[b':' as usize] = STOP_PLAIN | STOP_FLOW;
    let flow = b",?[]{}";
    let mut index = 0;
    while index < flow.len() {
        table[flow[index] as usize] |= STOP_FLOW;
        index += 1;
    }
    table[b'\'' as usize] |= STOP_SINGLE;
    table[b'"' as usize] |= STOP_DOUBLE;
    table[b'\\' as usize] |= STOP_DOUBLE;
    table
}

/// The first byte at or after `at` that ends a run of the kind `stop`.
#[inline]
pub(super) fn run(src: &[u8], at: usize, stop: u8) -> usize {
    let rest = &src[at..];
    at + rest.iter().position(|byte| STOPS[*byte as usize] & stop != 0).unwrap_or(rest.len())
}

/// The offset of the first character that YAML does not allow.
pub(super) fn first_forbidden(src: &[u8]) -> Option<usize> {
    const CHUNK: usize = 64;
    let suspicious = |byte: &u8| {
        let byte = *byte;
        (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r')
            | (byte == 0x7F)
            | (byte == 0xC2)
            | (byte == 0xEF)
    };
    for (index, chunk) in src.chunks(CHUNK).enumerate() {
        if chunk.iter().fold(false, |any, byte| any | suspicious(byte)) {
            let start = index * CHUNK;
            let found = (start..start + chunk.len()).find(|at| is_forbidden(src, *at));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

fn is_forbidden(src: &[u8], at: usize) -> bool {
    match src[at] {
        b'\t' | b'\n' | b'\r' => false,
        0..0x20 | 0x7F => true,
        0xC2 => matches!(src.get(at + 1), Some(0x80..=0x84 | 0x86..=0x9F)),
        0xEF => matches!(src.get(at + 1..at + 3), Some([0xBF, 0xBE | 0xBF])),
        _ => false,
    }
}
