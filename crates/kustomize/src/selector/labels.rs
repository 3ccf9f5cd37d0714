//! Requirements on labels: `app=web, tier in (a,b), !canary`.

use kelson_yaml::Node;

use super::syntax;
use crate::decode::Str;
use crate::fault::{Fault, Result};

/// Requirements that labels, or annotations, must all meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector {
    requirements: Vec<Requirement>,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) key: String,
    pub(super) operator: Operator,
    pub(super) values: Vec<String>,
}

/// How a label is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    GreaterThan,
    LessThan,
}

impl LabelSelector {
    /// Reads a selector; an empty one asks for nothing.
    pub(crate) fn parse(text: &Str) -> Result<Self> {
        let requirements = syntax::parse(text).map_err(|error| {
            Fault::new("bad-label-selector", error).at(text.span, "not a label selector")
        })?;
        Ok(Self { requirements })
    }

    /// Whether `metadata.<field>` of an object meets every requirement.
    pub(crate) fn matches(&self, object: &Node, field: &str) -> bool {
        if self.requirements.is_empty() {
            return true;
        }
        let texts = super::texts(object, field);
        self.requirements.iter().all(|it| it.is_met(texts.get(it.key.as_str()).copied()))
    }
}

impl Requirement {
    fn is_met(&self, label: Option<&str>) -> bool {
        let number = |text: &str| text.parse::<i64>().ok();
        let bound = || self.values.first().and_then(|value| number(value));
        match (self.operator, label) {
            (Operator::In, label) => label.is_some_and(|text| self.has(text)),
            (Operator::NotIn, label) => !label.is_some_and(|text| self.has(text)),
            (Operator::Exists, label) => label.is_some(),
            (Operator::DoesNotExist, label) => label.is_none(),
            (Operator::GreaterThan, Some(text)) => {
                number(text).zip(bound()).is_some_and(|(number, bound)| number > bound)
            }
            (Operator::LessThan, Some(text)) => {
                number(text).zip(bound()).is_some_and(|(number, bound)| number < bound)
            }
            (Operator::GreaterThan | Operator::LessThan, None) => false,
        }
    }

    fn has(&self, text: &str) -> bool {
        self.values.iter().any(|value| value == text)
    }
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span};

    use super::*;

    #[track_caller]
    fn check(selector: &str, labels: &str, expected: std::result::Result<bool, &str>) {
        let text = format!("metadata: {{labels: {{{labels}}}}}");
        let object = kelson_yaml::first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap();
        let found =
            LabelSelector::parse(&Str::new(selector)).map(|it| it.matches(&object, "labels"));
        assert_eq!(
            found.map_err(|fault| fault.text),
            expected.map_err(str::to_owned),
            "{selector}"
        );
    }

    #[test]
    fn every_requirement_must_be_met() {
        check("", "a: b", Ok(true));
        check("a", "a: b", Ok(true));
        check("!a", "a: b", Ok(false));
        check("a=b,c!=d", "a: b", Ok(true));
        check("a==b, c", "a: b", Ok(false));
        check("a in (x, b)", "a: b", Ok(true));
        check("a notin (x,b)", "a: b", Ok(false));
        check("a notin (x)", "", Ok(true));
        check("a in (x,,y)", "a: ''", Ok(true));
        check("a in ()", "a: ''", Ok(true));
        check("in in (in)", "in: in", Ok(true));
        check("a>3,a<7", "a: 5", Ok(true));
        check("a>3", "a: b", Ok(false));
        check("a=", "a: ''", Ok(true));
        check("example.com/a=1", "example.com/a: 1", Ok(true));
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_kubernetes_words() {
        check("a,,b", "", Err("found ',', expected: identifier after ','"));
        check("a,", "", Err("found '', expected: identifier after ','"));
        check("=b", "", Err("found '=', expected: !, identifier, or 'end of string'"));
        check("!a=b", "", Err("found '=', expected: ',' or 'end of string'"));
        check("a in b", "", Err("unable to parse requirement: found 'b' expected: '('"));
        check("a in (b", "", Err("unable to parse requirement: found '', expected: ',' or ')'"));
        check(
            "a b",
            "",
            Err("unable to parse requirement: found 'b', expected: '=', '!=', '==', 'in', notin'"),
        );
        check(
            "a>b",
            "",
            Err(
                "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        );
        check(
            "/a",
            "",
            Err(
                "unable to parse requirement: invalid label key \"/a\": prefix part must be non-empty",
            ),
        );
        check(
            "a=-b",
            "",
            Err(
                "unable to parse requirement: invalid label value: \"-b\": at key: \"a\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
            ),
        );
    }
}
