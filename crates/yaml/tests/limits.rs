//! Hostile texts are refused with a word, and never cost more than their length warrants.

use std::fmt::Write;

use kelson_yaml::{
    Dialect, Span, decode, documents, emit, first_document, first_document_of, json,
};

#[track_caller]
fn check(text: &str, expected: &str) {
    for dialect in [Dialect::V3, Dialect::V2] {
        let answer = match first_document(text, Span::NONE, dialect) {
            Ok(_) => "accepted".to_owned(),
            Err(error) => error.message,
        };
        assert!(answer.ends_with(expected), "{answer} for {dialect:?}");
    }
}

fn nested_flow(depth: usize) -> String {
    format!("a: {}{}", "[".repeat(depth), "]".repeat(depth))
}

fn nested_block(depth: usize) -> String {
    (0..depth).fold(String::new(), |mut text, level| {
        let _ = writeln!(text, "{}a:", " ".repeat(level));
        text
    })
}

#[test]
fn a_thousand_levels_are_read_copied_and_written() {
    for text in [nested_flow(999), nested_block(1000)] {
        check(&text, "accepted");
        let node = first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap().clone();
        let mut out = String::new();
        emit::canonical(&node, &mut out).unwrap();
        emit::styled(&node, &mut out).unwrap();
        json::write(&node, &mut out).unwrap();
    }
}

#[test]
fn deeper_nesting_is_refused() {
    check(&nested_flow(1000), "exceeded max depth of 1000");
    check(&nested_block(1001), "exceeded max depth of 1000");
    check(&"- ".repeat(100_000), "exceeded max depth of 1000");
    check(&"[".repeat(100_000), "exceeded max depth of 1000");
    let error = json::read(&"[".repeat(100_000), Span::NONE).unwrap_err();
    assert_eq!(error.message, "exceeded max depth");
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        let _ = writeln!(bomb, "a{level}: &a{level} [{}]", [before.as_str(); 10].join(", "));
    }
    check(&bomb, "document contains excessive aliasing");
}

#[test]
fn aliases_that_nest_are_refused() {
    let mut tower = String::from("a0: &a0 [x]\n");
    for level in 1..3000 {
        let _ = writeln!(tower, "a{level}: &a{level} [*a{}]", level - 1);
    }
    let refused = |dialect| first_document(&tower, Span::NONE, dialect).is_err();
    assert!(refused(Dialect::V3) && refused(Dialect::V2));
}

#[test]
fn an_alias_within_its_own_value_is_refused() {
    check("a: &a [*a]\n", "anchor 'a' value contains itself");
    check("a: &a {b: [*a]}\n", "anchor 'a' value contains itself");
}

#[test]
fn large_merges_take_linear_time() {
    let keys = |prefix: &str| {
        (0..20_000).fold(String::new(), |mut text, index| {
            let _ = writeln!(text, "  {prefix}{index}: x");
            text
        })
    };
    let text = format!("x: &x\n{}y:\n  <<: *x\n{}", keys("a"), keys("b"));
    check(&text, "accepted");
}

#[test]
fn every_document_of_a_text_is_read_with_its_place() {
    let at = Span { source: kelson_yaml::SourceId(3), start: 100 };
    let nodes = documents("a: 1\n---\n# c\n---\nb: 2\n", at, Dialect::V3).unwrap();
    let starts: Vec<_> = nodes.iter().map(|node| node.span.start).collect();
    assert_eq!(starts, [100, 113, 117]);
    let error = documents("a: 1\n---\nb: ]\n", at, Dialect::V3).unwrap_err();
    assert_eq!((error.span.source, error.span.start), (at.source, 112));
}

#[test]
fn bytes_become_text_by_their_byte_order_mark() {
    assert_eq!(decode(b"a: \xC3\xA9").unwrap(), "a: é");
    assert_eq!(decode(b"\xFF\xFEa\0:\0 \0\x3D\xD8\0\xDE").unwrap(), "a: 😀");
    assert_eq!(decode(b"\xFE\xFF\0a").unwrap(), "a");
    let message = |bytes| decode(bytes).unwrap_err().message;
    assert_eq!(message(b"a\xFF"), "invalid leading UTF-8 octet");
    assert_eq!(message(b"a\xC3"), "incomplete UTF-8 octet sequence");
    assert_eq!(message(b"a\xC3a"), "invalid trailing UTF-8 octet");
    assert_eq!(message(b"a\xC0\x80"), "invalid length of a UTF-8 sequence");
    assert_eq!(message(b"a\xED\xA0\x80"), "invalid Unicode character");
    assert_eq!(message(b"\xFF\xFE\0\xDC"), "unexpected low surrogate area");
    assert_eq!(message(b"\xFF\xFE\0\xD8"), "incomplete UTF-16 surrogate pair");
    assert_eq!(message(b"\xFF\xFE\0\xD8a\0"), "expected low surrogate area");
    assert_eq!(message(b"\xFF\xFEa"), "incomplete UTF-16 character");
}

#[test]
fn what_follows_the_first_document_may_break_off() {
    let read = |bytes: &[u8]| match first_document_of(bytes, Span::NONE, Dialect::V2) {
        Ok(node) => node.unwrap().get("a").and_then(|it| it.text().map(str::to_owned)).unwrap(),
        Err(error) => error.upstream(),
    };
    assert_eq!(read(b"a: 1\n---\nb: 2 \xC3"), "1");
    assert_eq!(
        read(b"\xFF\xFEa\x00:\x00 \x001\x00\n\x00-\x00-\x00-\x00\n\x00b\x00c\x00d\x00e\x00\x00"),
        "1"
    );
    assert_eq!(read(b"a: 1\n# \xC3"), "yaml: incomplete UTF-8 octet sequence");
    // What is no text at all shows as soon as it is taken in.
    assert_eq!(read(b"a: 1\n---\nb: 2 \xFF"), "yaml: invalid leading UTF-8 octet");
    let far = [b"a: 1\n---\n".as_slice(), &[b'b'; 600], b"\xFF"].concat();
    assert_eq!(read(&far), "1");
}
