//! A page becomes its items, without a tree of the whole.

use std::ops::Range;

use kelson_yaml::{Node, Span};

/// The list without its items, and where in the text each item is. Whether an item is JSON is for whoever reads it to
/// find out.
pub(super) fn split(text: &str) -> Option<(Node, Vec<Range<usize>>)> {
    let scanner = Scanner { bytes: text.as_bytes() };
    let (array, items) = scanner.items(text)?;
    let head = [&text[..array.start], "[]", &text[array.end..]].concat();
    Some((kelson_yaml::json::read(&head, Span::NONE).ok()?, items))
}

struct Scanner<'a> {
    bytes: &'a [u8],
}

impl Scanner<'_> {
    /// Where the value of the key `items` is, and its elements.
    fn items(&self, text: &str) -> Option<(Range<usize>, Vec<Range<usize>>)> {
        let mut at = self.expect(0, b'{')?;
        loop {
            let key = self.blanks(at);
            if self.bytes.get(key) != Some(&b'"') {
                return None;
            }
            let end = self.string(key)?;
            let value = self.blanks(self.expect(end, b':')?);
            if &text[key..end] == "\"items\"" {
                return self.elements(value);
            }
            at = self.expect(self.value(value)?, b',')?;
        }
    }

    fn elements(&self, start: usize) -> Option<(Range<usize>, Vec<Range<usize>>)> {
        if self.bytes[start..].starts_with(b"null") {
            return Some((start..start + 4, Vec::new()));
        }
        let mut at = self.blanks(self.expect(start, b'[')?);
        let mut elements = Vec::new();
        if self.bytes.get(at) == Some(&b']') {
            return Some((start..at + 1, elements));
        }
        loop {
            let end = self.value(at)?;
            elements.push(at..end);
            let next = self.blanks(end);
            match self.bytes.get(next)? {
                b',' => at = self.blanks(next + 1),
                b']' => return Some((start..next + 1, elements)),
                _ => return None,
            }
        }
    }

    /// Where the value that begins here ends.
    fn value(&self, start: usize) -> Option<usize> {
        match self.bytes.get(start)? {
            b'"' => self.string(start),
            b'{' | b'[' => self.collection(start),
            _ => {
                let rest = &self.bytes[start..];
                let length = rest.iter().position(|byte| b",]} \t\r\n".contains(byte));
                length.filter(|length| *length > 0).map(|length| start + length)
            }
        }
    }

    fn collection(&self, start: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = start;
        loop {
            match self.bytes.get(at)? {
                b'"' => {
                    at = self.string(at)?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 1 => return Some(at + 1),
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
    }

    fn string(&self, start: usize) -> Option<usize> {
        let mut at = start + 1;
        loop {
            match self.bytes.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    fn blanks(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(|byte| b" \t\r\n".contains(byte)) {
            at += 1;
        }
        at
    }

    fn expect(&self, at: usize, byte: u8) -> Option<usize> {
        let at = self.blanks(at);
        (self.bytes.get(at) == Some(&byte)).then_some(at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match split(text) {
            None => "no list".to_owned(),
            Some((head, items)) => {
                let mut json = String::new();
                kelson_yaml::json::write(&head, &mut json).unwrap();
                let items: Vec<_> = items.into_iter().map(|range| &text[range]).collect();
                format!("{json} {}", items.join(" | "))
            }
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn a_page_is_split_into_its_items() {
        check(
            r#"{"kind":"List","metadata":{"continue":"a\"]"},"items":[{"a":"]}\\"}, [1,{}] ,"x",7]}"#,
            r#"{"items":[],"kind":"List","metadata":{"continue":"a\"]"}} {"a":"]}\\"} | [1,{}] | "x" | 7"#,
        );
        check(r#" { "items" : [ ] , "kind" : 1 } "#, r#"{"items":[],"kind":1} "#);
        check(r#"{"items":null}"#, r#"{"items":[]} "#);
        check(r#"{"items":[{"ä":"ö"}]}"#, r#"{"items":[]} {"ä":"ö"}"#);
    }

    #[test]
    fn what_is_no_list_is_not_split() {
        for text in [
            "",
            "[]",
            "{}",
            "x",
            r#"{"kind":1}"#,
            r#"{"items":[{]}"#,
            r#"{"items":[1,]}"#,
            r#"{"items":[1 2]}"#,
            r#"{"items":["#,
            r#"{"items":["a\"#,
            r#"{"items":{}}"#,
            r#"{"items":[1]"#,
            r#"{"items":[1]}}"#,
            r#"{items:[]}"#,
            r#"{"a":"#,
            r#"{"items""#,
            r#"{"items":"#,
        ] {
            check(text, "no list");
        }
    }
}
