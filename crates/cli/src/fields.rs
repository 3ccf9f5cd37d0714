//! The fields that differ, for people and for machines.

use kelson_plan::{FieldChange, Value};
use kelson_yaml::Node;

use crate::json;

/// Draws a field. A short value stands on the line of its field; a long text shows the lines that differ. `remark` ends
/// the line of the field.
pub(crate) fn draw(field: &FieldChange, remark: &str, text: &mut String) {
    let (before, after) = (shown(field.before.as_ref()), shown(field.after.as_ref()));
    let path = &field.path;
    match (&field.before, &field.after) {
        // Two masks under one key are the same where what they hide is: only its owner is another then.
        (Some(Value::Masked(one)), Some(Value::Masked(other)))
            if one == other && !one.is_empty() =>
        {
            text.push_str(&format!("    {path}: *** (the same){remark}\n"));
        }
        (Some(Value::Masked(_)), Some(Value::Masked(_))) => {
            text.push_str(&format!("    {path}: *** (changed){remark}\n"));
        }
        (Some(_), Some(_)) if before.contains("\\n") || after.contains("\\n") => {
            text.push_str(&format!("    {path}:{remark}\n"));
            draw_lines(&before, &after, text);
        }
        (Some(_), Some(_)) => {
            text.push_str(&format!("    {path}: {} → {}{remark}\n", crop(&before), crop(&after)));
        }
        (None, _) => text.push_str(&format!("  + {path}: {}{remark}\n", crop(&after))),
        (_, None) => text.push_str(&format!("  - {path}: {}{remark}\n", crop(&before))),
    }
}

/// The lines between those that both begin and both end with.
fn draw_lines(before: &str, after: &str, text: &mut String) {
    let lines = |text: &str| -> Vec<String> {
        text.trim_matches('"').split("\\n").map(str::to_owned).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let ends = before[start..].iter().rev().zip(after[start..].iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    for (mark, lines) in [("-", &before), ("+", &after)] {
        for line in &lines[start..lines.len() - end] {
            text.push_str(&format!("      {mark} {}\n", crop(line)));
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map(Value::to_string).unwrap_or_default()
}

/// As much of a value as a line can bear.
fn crop(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

/// A field for the machine.
pub(crate) fn report(field: &FieldChange) -> Node {
    let value = |value: &Option<Value>| value.as_ref().map(json::string);
    json::object([
        ("path", Some(json::string(&field.path))),
        ("before", value(&field.before)),
        ("after", value(&field.after)),
    ])
}
