//! The file that has rules.

use std::sync::Arc;

use kelson_model::{Diagnostic, Sources, nearest};
use kelson_yaml::{Dialect, Node, Span, documents};

use super::expression::{BadExpression, Expression, Language};
use super::place::within;
use super::{Custom, Rule};
use crate::health::words::shown;

/// A larger file is none of rules.
const LARGEST: usize = 1 << 20;
/// After so many problems nobody reads on.
const PROBLEMS: usize = 50;

/// The field that has the rules, in a Kustomization of Flux as well.
const FIELD: &str = "healthCheckExprs";
const FIELDS: [&str; 5] = ["apiVersion", "kind", "current", "inProgress", "failed"];
const EXAMPLE: &str =
    "an example is `status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')`";

/// Why a file has no rules that one could judge by.
#[derive(Clone, Debug)]
pub struct BadHealthRules {
    /// Everything that is wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// The file.
    pub sources: Sources,
}

/// Reads rules. `file` is what the file is called in messages.
pub(in crate::health) fn read(file: &str, text: &str) -> Result<Custom, BadHealthRules> {
    let mut sources = Sources::default();
    let source = sources.add(file, text);
    let start = Span { source, start: 0 };
    let language = Language::new();
    let mut reader = Reader { text, language, rules: Vec::new(), problems: Vec::new() };
    if text.len() > LARGEST {
        reader.problem("too-large", format!("`{file}` has more than {LARGEST} bytes"), start);
    } else {
        reader.file(file, start);
    }
    match reader.problems.is_empty() {
        true => {
            let rules = reader.rules.into_iter().map(|(rule, _)| rule).collect();
            Ok(Custom { rules: Arc::new(rules) })
        }
        false => Err(BadHealthRules { diagnostics: reader.problems, sources }),
    }
}

/// A file on its way from text to rules. Problems are collected, so that all of them are said at once.
struct Reader<'a> {
    text: &'a str,
    language: Language,
    /// With the places where they begin.
    rules: Vec<(Rule, Span)>,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn problem(&mut self, code: &'static str, message: String, at: Span) {
        self.say(Diagnostic::error(code, message).at(at, ""));
    }

    fn say(&mut self, problem: Diagnostic) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn file(&mut self, file: &str, start: Span) {
        match documents(self.text, start, Dialect::V2) {
            Err(error) => {
                let message = format!("this is not YAML: {}", error.message);
                self.problem("bad-yaml", message, error.span);
            }
            Ok(documents) if documents.is_empty() => {
                let problem = Diagnostic::error("missing-field", format!("`{file}` is empty"));
                self.say(
                    problem.at(start, "").help(format!("write a list of rules, or `{FIELD}`")),
                );
            }
            Ok(documents) => documents.iter().for_each(|document| self.document(document)),
        }
    }

    /// A list, or an object that has one.
    fn document(&mut self, document: &Node) {
        let named = || document.get(FIELD).or_else(|| document.lookup(&["spec", FIELD]));
        let list = match document.as_mapping() {
            Some(_) => named(),
            None => Some(document),
        };
        let Some(rules) = list.and_then(Node::as_sequence) else {
            let at = list.unwrap_or(document).span;
            let message = match document.as_mapping() {
                Some(_) if list.is_none() => format!("there is no field `{FIELD}`"),
                _ => "rules are a list".to_owned(),
            };
            let help = "write a list whose elements have `apiVersion`, `kind` and `current`";
            return self.say(Diagnostic::error("wrong-type", message).at(at, "").help(help));
        };
        rules.iter().for_each(|rule| self.rule(rule));
    }

    fn rule(&mut self, node: &Node) {
        if node.as_mapping().is_none() {
            let message = "a rule is an object with `apiVersion`, `kind` and `current`".to_owned();
            return self.problem("wrong-type", message, node.span);
        }
        self.only_known(node);
        let api_version = self.text(node, "apiVersion", true).map(word);
        let kind = self.text(node, "kind", false).map_or("", word).to_owned();
        let in_progress = self.expression(node, "inProgress", false);
        let failed = self.expression(node, "failed", false);
        let current = self.expression(node, "current", true);
        let (Some(api_version), Some(current)) = (api_version, current) else { return };
        let group = api_version.split_once('/').map_or("", |(group, _)| group).to_owned();
        self.add(Rule { group, kind, in_progress, failed, current }, node.span);
    }

    fn add(&mut self, rule: Rule, at: Span) {
        let same = |known: &&(Rule, Span)| known.0.group == rule.group && known.0.kind == rule.kind;
        if let Some((_, first)) = self.rules.iter().find(same) {
            let name = format!("{}/{}", rule.group, rule.kind);
            let message = format!("there are two rules for `{}`", shown(name.trim_matches('/')));
            let problem = Diagnostic::error("duplicate-rule", message).at(at, "");
            let problem = problem.at(*first, "the first is here");
            return self.say(problem.help("the version of a kind does not tell rules apart"));
        }
        self.rules.push((rule, at));
    }

    fn only_known(&mut self, node: &Node) {
        for entry in node.as_mapping().into_iter().flatten() {
            let key = entry.key.text().unwrap_or_default();
            if FIELDS.contains(&key) {
                continue;
            }
            let message = format!("`{}` is not a field of a health rule", shown(key));
            let problem = Diagnostic::error("unknown-key", message).at(entry.key.span, "");
            self.say(match nearest(key, FIELDS) {
                Some(word) => problem.help(format!("did you mean `{word}`?")),
                None => problem.help(format!("known here: {}", FIELDS.join(", "))),
            });
        }
    }

    /// A text that is not blank, where there is one.
    fn text<'n>(&mut self, rule: &'n Node, key: &str, is_required: bool) -> Option<&'n Node> {
        let value = rule.get(key).filter(|value| !value.is_null());
        if let Some(value) = value.filter(|value| value.as_str().is_none()) {
            let problem = Diagnostic::error("wrong-type", format!("`{key}` is a text"));
            let help = value.text().map(|text| format!("put quotes around it: '{}'", shown(text)));
            self.say(help.into_iter().fold(problem.at(value.span, ""), Diagnostic::help));
            return None;
        }
        let value = value.filter(|value| !word(value).trim().is_empty());
        if value.is_none() && is_required {
            let problem =
                Diagnostic::error("missing-field", format!("a health rule needs `{key}`"));
            self.say(problem.at(rule.span, ""));
        }
        value
    }

    /// An expression; nothing where there is none, or a bad one.
    fn expression(&mut self, rule: &Node, key: &str, is_required: bool) -> Option<Expression> {
        let value = self.text(rule, key, is_required)?;
        match self.language.read(word(value)) {
            Ok(expression) => Some(expression),
            Err(BadExpression { why, place }) => {
                let message = format!("`{key}` is no CEL expression: {why}");
                let at = place.map_or(value.span, |place| within(self.text, value, place));
                self.say(Diagnostic::error("bad-expression", message).at(at, "").help(EXAMPLE));
                None
            }
        }
    }
}

fn word(node: &Node) -> &str {
    node.as_str().unwrap_or_default()
}
