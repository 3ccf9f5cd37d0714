//! Paths with dots, as replacements, variables and added values write them.
//!
//! An element is the name of a field, the index of an item, `-` for the last item, or `[field=value]` for items
//! that have a certain field.

mod lookup; // one place, or none
mod select; // every place, by patterns

pub(crate) use lookup::{follow, follow_mut, lookup, lookup_mut, lookup_or_make, trail};
pub(crate) use select::{Kind, Select, inside};

use crate::fault::Fault;
use crate::fieldspec::split;
use crate::growth::DEPTH;

/// Splits a path at its dots. What is in brackets stays together; brackets that hold no `=` fall away.
pub(crate) fn split_dotted(path: &str) -> Vec<String> {
    let mut parts = split(path, '.').into_iter();
    let mut result = Vec::new();
    while let Some(mut part) = parts.next() {
        if !part.starts_with('[') || part.ends_with(']') {
            result.push(part);
            continue;
        }
        for more in parts.by_ref() {
            part.push('.');
            part.push_str(&more);
            if more.ends_with(']') {
                break;
            }
        }
        if part.contains('=') {
            result.push(part);
        } else {
            result.push(part.trim_matches(['[', ']']).to_owned());
        }
    }
    result
}

/// What is said of a path that leads deeper than any document.
fn too_long() -> Box<Fault> {
    Fault::new("too-deep", format!("the path of a field has more than {DEPTH} steps"))
}

/// Whether an element names items by a field.
fn is_match(part: &str) -> bool {
    part.starts_with('[') && part.ends_with(']')
}

/// The field and the value of `[field=value]`.
fn split_match(part: &str) -> Result<(&str, &str), &'static str> {
    let inner = part.strip_suffix(']').unwrap_or(part);
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    inner
        .split_once('=')
        .ok_or("list path element must contain fieldName=fieldValue for element to match")
}

#[cfg(test)]
mod tests {
    use super::split_dotted;

    #[track_caller]
    fn check(path: &str, expected: &[&str]) {
        assert_eq!(split_dotted(path), expected);
    }

    #[test]
    fn dots_separate_and_brackets_and_backslashes_protect() {
        check("a.b.c", &["a", "b", "c"]);
        check(r"a\.b.c", &["a.b", "c"]);
        check("a.[b.c/d].e", &["a", "b.c/d", "e"]);
        check("a.[b].e", &["a", "[b]", "e"]);
        check("a.[name=x.y].e", &["a", "[name=x.y]", "e"]);
        check("a.[b.c", &["a", "b.c"]);
        check(".a", &["a"]);
        check("", &[""]);
    }
}
