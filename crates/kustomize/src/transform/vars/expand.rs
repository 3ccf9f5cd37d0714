//! The syntax of references: `$(NAME)`, and `$$` for a dollar.

use hashbrown::{HashMap, HashSet};
use kelson_yaml::{Scalar, Span, Tag, Text, Touch, number};

use super::Known;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(Text),
    Int(i64),
    Float(f64),
    Bool(bool),
    /// A list or a mapping, which cannot stand in a text.
    Other,
}

impl Value {
    /// The value of a scalar, if Go can read it.
    pub(super) fn read(scalar: &Scalar) -> Option<Self> {
        let text = &scalar.text;
        Some(match scalar.tag {
            Tag::Int => Self::Int(text.parse().ok()?),
            Tag::Float => Self::Float(text.parse().ok().filter(|float: &f64| float.is_finite())?),
            Tag::Bool => Self::Bool(text.eq_ignore_ascii_case("true")),
            _ => Self::Text(text.clone()),
        })
    }

    /// The text and the type of a field that is nothing but this value.
    fn alone(&self) -> Option<(String, Tag)> {
        Some(match self {
            Self::Text(text) => (text.to_string(), Tag::Str),
            Self::Int(int) => (int.to_string(), Tag::Int),
            Self::Float(float) => (float.to_string(), Tag::Float),
            Self::Bool(truth) => (truth.to_string(), Tag::Bool),
            Self::Other => return None,
        })
    }

    /// The text inside a longer one.
    fn within(&self) -> Option<String> {
        match self {
            Self::Float(float) => Some(shortest(*float)),
            value => value.alone().map(|(text, _)| text),
        }
    }
}

/// What came of a text.
pub(super) struct Expanded {
    pub(super) text: String,
    pub(super) tag: Tag,
    /// Where the value was written, if the text is nothing but a value.
    pub(super) span: Option<Span>,
    /// The first variable that was replaced.
    pub(super) touch: Option<Touch>,
}

/// Replaces the references in a text and notes the names it used. Unknown names stay as they are.
pub(super) fn expand(
    text: &str,
    values: &HashMap<Text, Known>,
    used: &mut HashSet<Text>,
) -> Expanded {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut touch = None;
    let last_close = text.rfind(')').unwrap_or(0);
    while let Some(at) = rest.find('$') {
        let after = &rest[at + 1..];
        if after.is_empty() {
            break;
        }
        out.push_str(&rest[..at]);
        if let Some(unescaped) = after.strip_prefix('$') {
            out.push('$');
            rest = unescaped;
            continue;
        }
        let is_closed = text.len() - after.len() < last_close;
        let inner = after.strip_prefix('(').filter(|_| is_closed);
        let Some((name, tail)) = inner.and_then(|inner| inner.split_once(')')) else {
            // The letter that follows belongs to the dollar, whatever it is.
            let width = after.chars().next().map_or(0, char::len_utf8);
            out.push('$');
            out.push_str(&after[..width]);
            rest = &after[width..];
            continue;
        };
        let known = values.get(name).filter(|known| known.value != Value::Other);
        touch = touch.or(known.map(|known| known.touch));
        if known.is_some() && !used.contains(name) {
            used.insert(name.into());
        }
        if at == 0
            && tail.is_empty()
            && out.is_empty()
            && rest.len() == text.len()
            && let Some(known) = known
            && let Some((text, tag)) = known.value.alone()
        {
            return Expanded { text, tag, span: Some(known.span), touch };
        }
        match known.and_then(|known| known.value.within()) {
            Some(value) => out.push_str(&value),
            None => out.extend(["$(", name, ")"]),
        }
        rest = tail;
    }
    out.push_str(rest);
    Expanded { text: out, tag: Tag::Str, span: None, touch }
}

/// A number as Go's `%v` writes it: the shortest form, with an exponent where it is very large or very small.
fn shortest(float: f64) -> String {
    let mut text = String::new();
    number::format_g(float, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str, tag: Tag) {
        let values = [
            ("A", Value::Text("x".into())),
            ("N", Value::Int(80)),
            ("F", Value::Float(1e21)),
            ("B", Value::Bool(true)),
            ("L", Value::Other),
        ];
        let values = values
            .map(|(name, value)| {
                (name.into(), Known { value, span: Span::NONE, touch: Touch::NONE })
            })
            .into();
        let expanded = expand(text, &values, &mut HashSet::new());
        assert_eq!((expanded.text.as_str(), expanded.tag), (expected, tag));
    }

    #[test]
    fn references_are_replaced_and_the_rest_stays() {
        check("$(A)", "x", Tag::Str);
        check("a$(A)b$(A)", "axbx", Tag::Str);
        check("$(NOPE)-$(L)", "$(NOPE)-$(L)", Tag::Str);
        check("$$(A)", "$(A)", Tag::Str);
        check("$$$(A)", "$x", Tag::Str);
        check("$A $", "$A $", Tag::Str);
        check("$(A", "$(A", Tag::Str);
        check("$($(A))", "$($(A))", Tag::Str);
        check("$($$(A)", "$($$(A)", Tag::Str);
    }

    #[test]
    fn a_value_alone_keeps_its_type() {
        check("$(N)", "80", Tag::Int);
        check("$(B)", "true", Tag::Bool);
        check("$(F)", "1000000000000000000000", Tag::Float);
        check("$(F)/", "1e+21/", Tag::Str);
        check("$(N)$(N)", "8080", Tag::Str);
    }
}
