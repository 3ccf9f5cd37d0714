//! JSON as Go's `encoding/json` reads and writes it, and numbers as `strconv` prints them.

use kelson_yaml::{Dialect, Span, Tag, first_document, json, number};

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = json::read(text, Span::NONE).expect_err("it is refused");
    assert_eq!(error.message, expected, "for {text}");
}

#[test]
fn errors_have_the_words_of_encoding_json() {
    refused("", "unexpected end of JSON input");
    refused("x", "invalid character 'x' looking for beginning of value");
    refused("[1,]", "invalid character ']' looking for beginning of value");
    refused("[1 2]", "invalid character '2' after array element");
    refused("{a: 1}", "invalid character 'a' looking for beginning of object key string");
    refused("{\"a\" 1}", "invalid character '1' after object key");
    refused("{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair");
    refused("1 2", "invalid character '2' after top-level value");
    refused("01", "invalid character '1' after top-level value");
    refused("tru", "invalid character ' ' in literal true (expecting 'e')");
    refused("nul,", "invalid character ',' in literal null (expecting 'l')");
    refused("-x", "invalid character 'x' in numeric literal");
    refused("1.x", "invalid character 'x' after decimal point in numeric literal");
    refused("1ex", "invalid character 'x' in exponent of numeric literal");
    refused("\"\\x\"", "invalid character 'x' in string escape code");
    refused("\"\\u12x4\"", "invalid character 'x' in \\u hexadecimal character escape");
    refused("\"a\nb\"", "invalid character '\\n' in string literal");
    refused("\"a", "unexpected end of JSON input");
    refused("é", "invalid character 'Ã' looking for beginning of value");
}

#[test]
fn numbers_keep_their_text_and_the_last_of_equal_keys_counts() {
    let text = "{\"a\": 1, \"b\": 1.50, \"a\": \"\\ud83d\\ude00\\ud83d\"}";
    let node = json::read(text, Span::NONE).unwrap();
    assert_eq!(node.get("a").and_then(|node| node.as_str()), Some("😀\u{FFFD}"));
    let number = node.get("b").and_then(|node| node.as_scalar()).unwrap();
    assert_eq!((number.text.as_str(), number.tag), ("1.50", Tag::Float));
}

#[test]
fn a_tree_is_written_compact_sorted_and_escaped() {
    let text = "b: [1, 1.0, 1e21, ~, yes]\na: <&>\nc: 2001-01-01\nd: !!binary /w==\n";
    let node = first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap();
    let mut out = String::new();
    json::write(&node, &mut out).unwrap();
    let expected = "{\"a\":\"\\u003c\\u0026\\u003e\",\"b\":[1,1,1e+21,null,\"yes\"],\
                    \"c\":\"2001-01-01T00:00:00Z\",\"d\":\"\\ufffd\"}";
    assert_eq!(out, expected);
}

#[test]
fn floats_are_printed_as_strconv_prints_them() {
    let check = |value: f64, general: &str, fixed: &str, as_json: &str| {
        let print = |format: fn(f64, &mut String)| {
            let mut out = String::new();
            format(value, &mut out);
            out
        };
        assert_eq!(print(number::format_g), general);
        assert_eq!(print(number::format_f), fixed);
        assert_eq!(print(number::format_json), as_json);
    };
    check(0.0, "0", "0", "0");
    check(-0.0, "-0", "-0", "-0");
    check(100_000.0, "100000", "100000", "100000");
    check(1_234_567.0, "1.234567e+06", "1234567", "1234567");
    check(1.5e-7, "1.5e-07", "0.00000015", "1.5e-7");
    check(0.000_012_34, "1.234e-05", "0.00001234", "0.00001234");
    check(1e21, "1e+21", "1000000000000000000000", "1e+21");
    check(123_456_789.5, "1.234567895e+08", "123456789.5", "123456789.5");
    check(f64::INFINITY, "+Inf", "+Inf", "+Inf");
}
