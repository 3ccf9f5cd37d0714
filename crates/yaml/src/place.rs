//! Places that a template fills later: `{{.nuon.install.id}}` where a value is expected.
//!
//! Without quotes such a place would be a mapping in a mapping. Read with [`crate::Reading::places`] it is a plain text
//! that keeps its style, so that it is written without quotes again and may yet become a number.

/// Words that open or close a part of a template instead of giving a value.
const CONTROL: [&str; 10] =
    ["if", "else", "end", "range", "with", "define", "block", "template", "break", "continue"];

/// A longer place is none: what never closes must not be searched again from each of its braces.
const LONGEST: usize = 512;

/// The end of the place that begins at `at`: it closes on the same line, and quotes in it may hold braces.
pub(crate) fn end(bytes: &[u8], at: usize) -> Option<usize> {
    if !bytes.get(at..)?.starts_with(b"{{") {
        return None;
    }
    let bytes = &bytes[..bytes.len().min(at + LONGEST)];
    let mut here = at + 2;
    loop {
        match *bytes.get(here)? {
            b'\n' | b'\r' => return None,
            b'}' if bytes.get(here + 1) == Some(&b'}') => return Some(here + 2),
            quote @ (b'"' | b'`' | b'\'') => here = close(bytes, here + 1, quote)?,
            _ => here += 1,
        }
    }
}

/// Where a quoted text inside of a place is over.
fn close(bytes: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'\n' | b'\r' => return None,
            byte if byte == quote => return Some(at + 1),
            b'\\' if quote != b'`' => at += 2,
            _ => at += 1,
        }
    }
}

/// The word of a place that is no value but an instruction, such as `if`.
pub(crate) fn control(place: &str) -> Option<&'static str> {
    let inner = place.strip_prefix("{{")?.trim_start_matches('-').trim_start();
    if inner.starts_with("/*") {
        return Some("comment");
    }
    let word = inner.split(|letter: char| !letter.is_ascii_alphanumeric()).next()?;
    CONTROL.into_iter().find(|control| *control == word)
}

/// Whether a text can be written without quotes and is read as the same text where places are known.
pub(crate) fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(mut at) = end(bytes, 0) else { return false };
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match byte {
            b'{' => match end(bytes, at) {
                Some(end) => at = end,
                None => return false,
            },
            b' ' if next.is_none_or(|next| matches!(next, b'#' | b' ')) => return false,
            b':' if next.is_none_or(|next| *next == b' ') => return false,
            b'[' | b']' | b'}' | b',' | b'?' => return false,
            0..b' ' | 0x7F.. => return false,
            _ => at += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Reading, Span, Style, emit, first_document};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let reading = Reading { dialect: Dialect::V3, places: true };
        let mut actual = String::new();
        match first_document(text, Span::NONE, reading) {
            Ok(node) => emit::canonical(&node.unwrap(), &mut actual).unwrap(),
            Err(error) => return assert_eq!(error.to_string(), expected),
        }
        assert_eq!(actual, expected);
        // What is written is read as the same again.
        let again = first_document(&actual, Span::NONE, reading).unwrap().unwrap();
        let mut twice = String::new();
        emit::canonical(&again, &mut twice).unwrap();
        assert_eq!(twice, actual);
    }

    #[test]
    fn a_place_without_quotes_stays_without() {
        check("a: {{.x}}\n", "a: {{.x}}\n");
        check("a: {{ .x.y }}\n", "a: {{ .x.y }}\n");
        check("a: {{ index .x \"b: c\" }} # why\n", "a: {{ index .x \"b: c\" }}\n");
        check("a: {{.x}}-{{.y}}Mi\n", "a: {{.x}}-{{.y}}Mi\n");
        check("a:\n- {{.x}}\n- b\n", "a:\n- {{.x}}\n- b\n");
        check("a: [{{.x}}, {{ .y }}, z]\n", "a:\n- {{.x}}\n- {{ .y }}\n- z\n");
        check("a: {b: {{.x}}, c: 1}\n", "a:\n  b: {{.x}}\n  c: 1\n");
    }

    #[test]
    fn a_place_in_quotes_stays_in_quotes() {
        check("a: '{{.x}}'\n", "a: '{{.x}}'\n");
        check("a: \"{{.x}}-b\"\n", "a: '{{.x}}-b'\n");
        check("a: |\n  b: {{.x}}\n", "a: |\n  b: {{.x}}\n");
        check("{{.x}}: {{.y}}\n", "'{{.x}}': {{.y}}\n");
    }

    #[test]
    fn a_place_inside_of_a_text_needs_nothing() {
        check("a: b-{{.x}}-c\n", "a: b-{{.x}}-c\n");
        check("a: b-{{ \"x: y #z\" }}\n", "a: 'b-{{ \"x: y #z\" }}'\n");
        check("a: [b-{{.x}}, c]\n", "a:\n- b-{{.x}}\n- c\n");
        check("a: http://{{.x}}:80/\n", "a: http://{{.x}}:80/\n");
    }

    #[test]
    fn what_is_no_place_is_yaml() {
        check("a: {b: c}\n", "a:\n  b: c\n");
        check("a: {}\n", "a: {}\n");
        check("a: {{.x}\n", "line 1: did not find expected ',' or '}'");
        check("a: {{ \"}}\n", "line 2: found unexpected end of stream");
    }

    #[test]
    fn an_instruction_is_refused_by_name() {
        let message = "line 2: found `{{ if }}`: only values can be filled in later";
        check("a: 1\n{{- if .x }}\nb: 2\n{{ end }}\n", message);
        check(
            "a: 1\nb: {{/* why */}}\n",
            "line 2: found `{{ comment }}`: only values can be filled in later",
        );
    }

    #[test]
    fn without_being_asked_nothing_changes() {
        let error = first_document("a: {{.x}}-b\n", Span::NONE, Dialect::V3).unwrap_err();
        assert!(error.message.contains("did not find expected key"), "{error}");
        let node = first_document("a: x{{.x}}\n", Span::NONE, Dialect::V3).unwrap().unwrap();
        assert_eq!(node.get("a").unwrap().as_scalar().unwrap().style, Style::Plain);
    }
}
