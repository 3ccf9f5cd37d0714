//! Values as Go's `%#v` prints them, which upstream puts before the error of an object it cannot write.

use std::fmt::Write as _;

use kelson_yaml::{Data, Node, Tag};

use crate::gotext;

/// A tree in Go's syntax.
pub(crate) fn go_syntax(node: &Node) -> String {
    let mut text = String::new();
    write(node, true, &mut text);
    text
}

/// A number or truth value as Go prints it.
fn number(node: &Node) -> String {
    let mut text = String::new();
    if kelson_yaml::json::write(node, &mut text).is_ok() {
        return text;
    }
    match node.text().unwrap_or_default().to_ascii_lowercase().as_str() {
        ".nan" => "NaN".to_owned(),
        negative if negative.starts_with('-') => "-Inf".to_owned(),
        _ => "+Inf".to_owned(),
    }
}

fn write(node: &Node, is_root: bool, text: &mut String) {
    match &node.data {
        Data::Sequence(sequence) => {
            text.push_str("[]interface {}{");
            for (number, item) in sequence.items.iter().enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                write(item, false, text);
            }
            text.push('}');
        }
        Data::Mapping(mapping) => {
            let is_text = |key: &Node| key.as_scalar().is_some_and(|it| it.resolved() == Tag::Str);
            let all_text = is_root || mapping.iter().all(|entry| is_text(&entry.key));
            text.push_str(if all_text {
                "map[string]interface {}{"
            } else {
                "map[interface {}]interface {}{"
            });
            let mut entries: Vec<_> = mapping.iter().collect();
            entries
                .sort_by_key(|entry| (!is_text(&entry.key), entry.key.text().map(str::to_owned)));
            for (number, entry) in entries.into_iter().enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                match all_text {
                    true => text.push_str(&gotext::quote(entry.key.text().unwrap_or_default())),
                    false => write(&entry.key, false, text),
                }
                text.push(':');
                write(&entry.value, false, text);
            }
            text.push('}');
        }
        Data::Scalar(scalar) => {
            let _ = match scalar.resolved() {
                Tag::Null => write!(text, "interface {{}}(nil)"),
                Tag::Bool | Tag::Int | Tag::Float => write!(text, "{}", number(node)),
                _ => write!(text, "{}", gotext::quote(&scalar.text)),
            };
        }
    }
}
