//! `ValueAddTransformer`: one text, put into fields or into the file paths that fields hold.

use kelson_yaml::{Tag, Touch};

use super::namespace::{self, Namespace, Subjects};
use crate::decode::Str;
use crate::fault::Result;
use crate::fieldspec::Specs;
use crate::path::lookup_or_make;
use crate::resource::Resource;
use crate::write::{Writer, wrong_kind};

/// Puts `value` at a field of an object. With a position above 0 the field holds a file path, and the value
/// becomes its element of that number.
pub(crate) fn apply(
    resource: &mut Resource,
    value: &Str,
    field_path: &str,
    position: i64,
    is_cluster_scoped: bool,
    touch: Touch,
) -> Result<bool> {
    if field_path == "metadata/namespace" {
        let specs = &Specs::default();
        let subjects = Subjects::default();
        let namespace = Namespace { name: value, specs, unset_only: false, subjects };
        return namespace::set(resource, namespace, is_cluster_scoped, touch);
    }
    let mut writer = Writer::new(touch);
    let Some(node) = lookup_or_make(&mut resource.node, &split(field_path))? else {
        return Ok(false);
    };
    let Some(old) = node.text() else { return Err(wrong_kind("ScalarNode", node)) };
    match usize::try_from(position) {
        Ok(position) if position > 0 => {
            let text = insert_part(old, position - 1, value);
            writer.scalar(node, &text, Tag::Unresolved, Some(value.span))?;
        }
        _ if value.is_empty() => return Ok(false),
        _ => writer.scalar(node, value, Tag::Unresolved, Some(value.span))?,
    }
    writer.settle(&mut resource.node);
    Ok(true)
}

/// Splits at slashes that no backslash protects; unlike in field specs, a leading slash gives an empty element.
fn split(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.split('/') {
        match parts.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push('/');
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

/// Puts an element into a file path; too high a position puts it at the end.
fn insert_part(path: &str, position: usize, part: &str) -> String {
    if part.is_empty() {
        return path.to_owned();
    }
    let mut parts = path_parts(path);
    let mut position = position.min(parts.len());
    if parts.first().is_some_and(|first| first.is_empty()) && position < parts.len() {
        position += 1;
    }
    parts.insert(position, part);
    match parts.split_first() {
        Some((&"", rest)) => format!("/{}", joined(rest)),
        _ => joined(&parts),
    }
}

/// The elements of a file path; an empty first one says that it is absolute.
fn path_parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (directory, name) = rest.rfind('/').map_or(("", rest), |at| rest.split_at(at + 1));
        if directory == "/" {
            if !name.is_empty() {
                parts.push(name);
            }
            parts.push("");
            break;
        }
        parts.push(name);
        rest = directory.strip_suffix('/').unwrap_or(directory);
    }
    parts.reverse();
    parts
}

/// Joins elements and cleans the result: `.` and `..` are resolved, empty elements fall away.
fn joined(parts: &[&str]) -> String {
    let text = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("/");
    if text.is_empty() {
        return text;
    }
    let is_absolute = text.starts_with('/');
    let mut clean: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match (part, clean.last()) {
            ("" | ".", _) => {}
            ("..", Some(last)) if *last != ".." => {
                clean.pop();
            }
            ("..", None) if is_absolute => {}
            (part, _) => clean.push(part),
        }
    }
    match (is_absolute, clean.join("/")) {
        (true, text) => format!("/{text}"),
        (false, text) if text.is_empty() => ".".to_owned(),
        (false, text) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::tests::{parse, shown};

    #[track_caller]
    fn check(field_path: &str, position: i64, expected: &str) {
        let objects = r#"{spec: {path: /a/b, n: null, items: [{name: x, v: 1}], text: "q"}}"#;
        let mut resource = parse(objects).remove(0);
        let value = &Str::new("123");
        let added = apply(&mut resource, value, field_path, position, false, Touch(1)).map(|_| {
            let mut json = String::new();
            kelson_yaml::json::write(&resource.node, &mut json).unwrap();
            json
        });
        assert_eq!(added.unwrap_or_else(shown), expected);
    }

    #[test]
    fn a_value_is_added_where_the_path_leads() {
        let same = r#"{"spec":{"items":[{"name":"x","v":1}],"n":null,"path":"/a/b","text":"q"}}"#;
        let changed = |from: &str, to: &str| same.replacen(from, to, 1);
        check("spec/new/deep", 0, &changed(r#""path"#, r#""new":{"deep":123},"path"#));
        check("spec/path", 2, &changed("/a/b", "/a/123/b"));
        check("spec/items/[name=x]/v", 0, &changed("1}", "123}"));
        check("spec/items/[name=z]/v", 0, &changed("1}]", r#"1},{"name":"z","v":123}]"#));
        check("spec/items/0/v", 0, &changed("1}", "123}"));
        check("spec/items/7/v", 0, same);
        check("spec/n/x", 0, same);
        check("spec/text", 0, &changed(r#""q""#, r#""123""#));
        check(r"spec/a\/b", 0, &changed(r#"{"items"#, r#"{"a/b":123,"items"#));
        check(
            "metadata/namespace",
            0,
            &changed(r#"{"spec"#, r#"{"metadata":{"namespace":"123"},"spec"#),
        );
    }

    #[test]
    fn a_value_needs_a_single_value_to_replace() {
        check(
            "spec/items",
            0,
            "Error: wrong node kind: expected ScalarNode but got SequenceNode: node contents:\n[{name: x, v: 1}]\n",
        );
        check(
            "spec/text/x",
            0,
            "Error: wrong node kind: expected MappingNode but got ScalarNode: node contents:\n\"q\"\n",
        );
    }

    #[test]
    fn a_part_keeps_an_absolute_path_absolute() {
        for (path, position, expected) in [
            ("", 0, "P"),
            ("/", 0, "/P"),
            ("pie", 0, "P/pie"),
            ("/pie", 0, "/P/pie"),
            ("raw", 1, "raw/P"),
            ("/raw", 2, "/raw/P"),
            ("a/nice/warm/pie", 3, "a/nice/warm/P/pie"),
            ("/a/nice/warm/pie", 3, "/a/nice/warm/P/pie"),
            ("a//b/", 9, "a/b/P"),
        ] {
            assert_eq!(insert_part(path, position, "P"), expected, "{path} {position}");
        }
    }
}
