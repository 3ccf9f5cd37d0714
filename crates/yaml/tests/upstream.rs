//! Compares with what go-yaml v3.0.3, go-yaml v2.4.2, `sigs.k8s.io/yaml` v1.5.0 and kyaml v0.21.1 answered.
//!
//! `upstream.jsonl` has one text per line with upstream's answers: the tree it reads, the canonical and the
//! styled output, the JSON that the older dialect gives. `retagged.jsonl` has trees that no text gives: a
//! scalar whose tag or style was changed after reading.

use std::fmt::Write;

use kelson_yaml::{
    Data, Dialect, EmitError, Entry, Node, ParseError, Span, Style, Tag, emit, first_document, json,
};

#[test]
fn texts_are_read_as_upstream_reads_them() {
    check("upstream.jsonl", "tree", |case| {
        let text = case.get("in")?.text()?;
        Some(v3(text, |node, out| {
            dump(node, text, out);
            Ok(())
        }))
    });
}

#[test]
fn canonical_output_is_what_kustomize_prints() {
    check("upstream.jsonl", "canon", |case| Some(v3(case.get("in")?.text()?, emit::canonical)));
}

#[test]
fn styled_output_is_what_kyaml_prints() {
    check("upstream.jsonl", "styled", |case| Some(v3(case.get("in")?.text()?, emit::styled)));
}

#[test]
fn the_older_dialect_gives_the_values_of_json() {
    check("upstream.jsonl", "v2", |case| {
        let text = case.get("in")?.text()?;
        Some(match first_document(text, Span::NONE, Dialect::V2) {
            Ok(None) => "OK null".to_owned(),
            Ok(Some(node)) => {
                let mut out = String::from("OK ");
                dump_json(&node, &mut out);
                out
            }
            Err(error) => failed(&error),
        })
    });
}

#[test]
fn changed_scalars_are_written_as_upstream_writes_them() {
    check("retagged.jsonl", "out", |case| {
        let node = retagged(case)?;
        let mut answer = String::new();
        emit::styled(&node, &mut answer).ok()?;
        let mut out = String::new();
        match emit::canonical(&node, &mut out) {
            Ok(()) => answer += &format!("OK {out}"),
            Err(error) => answer += &format!("ERR {error}"),
        }
        Some(answer)
    });
}

#[test]
fn canonical_output_is_read_back_with_the_same_values() {
    for line in data("upstream.jsonl").lines() {
        let case = json::read(line, Span::NONE).unwrap();
        let expected = case.get("canon").and_then(Node::text).unwrap_or("");
        let Some(text) = expected.strip_prefix("OK ") else { continue };
        // The dialect of the emitter: v3 takes some of its plain texts, such as `0o-7`, for numbers.
        let node = first_document(text, Span::NONE, Dialect::V2).unwrap().unwrap();
        let mut again = String::new();
        // A root that is not a mapping is no resource, and some texts change each time they pass.
        if node.as_mapping().is_some() && !text.contains("\\N") {
            emit::canonical(&node, &mut again).unwrap();
            assert_eq!(again, text);
        }
    }
}

/// Runs every case of a file that has an answer in the field `expected`.
#[track_caller]
fn check(file: &str, expected: &str, answer: impl Fn(&Node) -> Option<String>) {
    let mut compared = 0;
    for line in data(file).lines() {
        let case = json::read(line, Span::NONE).expect("the data is JSON");
        let Some(wanted) = case.get(expected).and_then(Node::text) else { continue };
        let found = answer(&case).expect("the case is complete");
        assert_eq!(found, wanted, "for {line}");
        compared += 1;
    }
    assert!(compared > 100, "only {compared} cases have `{expected}`");
}

fn data(file: &str) -> String {
    let path = format!("{}/tests/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the data is there")
}

fn v3(text: &str, write: impl Fn(&Node, &mut String) -> Result<(), EmitError>) -> String {
    match first_document(text, Span::NONE, Dialect::V3) {
        Ok(None) => "NONE".to_owned(),
        Ok(Some(node)) => {
            let mut out = String::from("OK ");
            write(&node, &mut out).map_or_else(|error| format!("ERR {error}"), |()| out)
        }
        Err(error) => failed(&error),
    }
}

fn failed(error: &ParseError) -> String {
    format!("ERR {}", error.upstream())
}

/// A tree with every text in hex and every place: scalars as style, tag, text and place, mappings in
/// braces, lists in brackets, `F` before those in flow style.
fn dump(node: &Node, text: &str, out: &mut String) {
    let (line, column) = place(text, node.span);
    let mut open = |flow: bool, bracket: char| {
        let _ = write!(out, "{}", if flow { "F" } else { "" });
        let _ = write!(out, "{}{bracket}@{line}:{column}", node.custom_tag().unwrap_or(""));
    };
    match &node.data {
        Data::Mapping(mapping) => {
            open(mapping.flow, '{');
            for entry in mapping {
                out.push(' ');
                dump(&entry.key, text, out);
                out.push('=');
                dump(&entry.value, text, out);
            }
            out.push('}');
        }
        Data::Sequence(sequence) => {
            open(sequence.flow, '[');
            for item in &sequence.items {
                out.push(' ');
                dump(item, text, out);
            }
            out.push(']');
        }
        Data::Scalar(scalar) => {
            let style = match scalar.style {
                Style::Plain => "p",
                Style::SingleQuoted => "s",
                Style::DoubleQuoted => "d",
                Style::Literal => "l",
                Style::Folded => "f",
                Style::Place => "p",
            };
            let tagged = if node.is_tagged() { "!" } else { "" };
            let _ = write!(out, "{style}{tagged}");
            out.push_str(node.custom_tag().unwrap_or(scalar.tag.name()));
            if scalar.text.is_empty() && style == "p" {
                out.push_str("\"\"");
                return;
            }
            let hex: String = scalar.text.bytes().map(|byte| format!("{byte:02x}")).collect();
            let _ = write!(out, "{hex}@{line}:{column}");
        }
    }
}

/// The line and the column of a span, both from one, with the line breaks of YAML 1.1.
fn place(text: &str, span: Span) -> (usize, usize) {
    let before = &text[..span.start as usize];
    let before = before.trim_start_matches('\u{FEFF}').replace("\r\n", "\n");
    let mut lines = before.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    let last = lines.next_back().unwrap_or("").chars().count();
    (lines.count() + 1, last + 1)
}

fn dump_json(node: &Node, out: &mut String) {
    match &node.data {
        Data::Scalar(scalar) if scalar.tag == Tag::Null => out.push_str("null"),
        Data::Scalar(scalar) if scalar.tag == Tag::Str => {
            let list = Node::sequence(vec![Node::scalar(
                scalar.text.clone(),
                Tag::Str,
                Style::DoubleQuoted,
            )]);
            let mut text = String::new();
            json::write(&list, &mut text).expect("a string can be written");
            out.push_str(&text[1..text.len() - 1]);
        }
        Data::Scalar(scalar) => out.push_str(&scalar.text),
        Data::Sequence(sequence) => {
            out.push('[');
            for (index, item) in sequence.items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                dump_json(item, out);
            }
            out.push(']');
        }
        Data::Mapping(mapping) => {
            let mut entries: Vec<_> = mapping.iter().collect();
            entries.sort_by(|a, b| a.key.text().cmp(&b.key.text()));
            out.push('{');
            for (index, entry) in entries.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                dump_json(&entry.key, out);
                out.push(':');
                dump_json(&entry.value, out);
            }
            out.push('}');
        }
    }
}

/// The tree of a case in `retagged.jsonl`: one changed scalar beside the key or value `a`.
fn retagged(case: &Node) -> Option<Node> {
    let field = |name: &str| case.get(name)?.text();
    let style = match field("style")? {
        "plain" => Style::Plain,
        "single" => Style::SingleQuoted,
        "double" => Style::DoubleQuoted,
        "literal" => Style::Literal,
        _ => Style::Folded,
    };
    let core = [Tag::Null, Tag::Bool, Tag::Int, Tag::Float, Tag::Str, Tag::Timestamp, Tag::Binary];
    let name = field("tag")?;
    let tag = match core.into_iter().chain([Tag::Merge]).find(|tag| tag.name() == name) {
        Some(tag) => tag,
        None if name.is_empty() => Tag::Unresolved,
        None => Tag::Other,
    };
    let mut node = Node::scalar(field("text")?, tag, style);
    if tag == Tag::Other {
        node.set_custom_tag(name);
    }
    node.set_tagged(field("tagged")? == "true");
    let pair = |key: Node, value: Node| Node::mapping(vec![Entry { key, value }]);
    let a = || Node::string("a");
    Some(match field("place")? {
        "key" => pair(node, a()),
        "items" => pair(a(), Node::sequence(vec![node.clone(), node])),
        "inner key" => pair(a(), pair(node, a())),
        place => {
            let mut root = pair(a(), node);
            root.as_mapping_mut()?.flow = place == "flow";
            root
        }
    })
}
