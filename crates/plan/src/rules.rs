//! What keeps noise from the eye. Rules hide changes from people; they decide nothing.

mod defaults; // what a server gives where nobody does
mod quantity; // amounts, however they are written

use kelson_yaml::Node;

use crate::fields::walk::{Segment, same};

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it hides, in a sentence.
    pub about: &'static str,
    hides: fn(&Case<'_>) -> bool,
}

/// A change that rules are tried on.
pub(crate) struct Case<'a> {
    pub(crate) path: &'a [Segment<'a>],
    pub(crate) before: Option<&'a Node>,
    pub(crate) after: Option<&'a Node>,
    /// Whether the manifest gives the field.
    pub(crate) given: bool,
    /// Whether we own it as it is live.
    pub(crate) ours: bool,
}

/// All rules, in the order in which they are tried.
pub const RULES: &[Rule] = &[
    Rule {
        name: "other-tool",
        about: "labels and annotations in which a tool that is taken over from keeps its books",
        hides: |case| match case.path {
            [
                Segment::Key("metadata"),
                Segment::Key("labels" | "annotations"),
                Segment::Key(key),
            ] => case.after.is_none() && crate::adopt::is_mark(key),
            _ => false,
        },
    },
    Rule {
        name: "ownership",
        about: "fields whose value stays: they only become ours, or cease to be",
        hides: |case| {
            case.before.zip(case.after).is_some_and(|(before, after)| same(before, after))
        },
    },
    Rule {
        name: "server-defaults",
        about: "fields that neither the manifest gives nor this delivery owns, and that the server adds or drops; and \
                those with the value that it gives them again when they are taken away",
        hides: |case| match (case.before, case.after) {
            (Some(before), None) if !case.given && defaults::is_default(case.path, before) => true,
            (before, after) => !case.given && !case.ours && (before.is_none() || after.is_none()),
        },
    },
    Rule {
        name: "mutating-webhooks",
        about: "fields that neither the manifest gives nor this delivery owns, and that an admission webhook or the \
                server sets to another value",
        hides: |case| !case.given && !case.ours,
    },
    Rule {
        name: "quantities",
        about: "amounts of resources that are the same, written in another way (1000m and 1, 1Gi and 1024Mi)",
        hides: |case| {
            let is_amount = case.path.iter().any(|segment| match segment {
                Segment::Key(key) => quantity::FIELDS.contains(key),
                _ => false,
            });
            let texts = case.before.and_then(Node::text).zip(case.after.and_then(Node::text));
            is_amount && texts.is_some_and(|(before, after)| quantity::same(before, after))
        },
    },
    Rule {
        name: "set-order",
        about: "lists with the same elements in another order, where the order means nothing (not those of commands, \
                arguments, variables and init containers)",
        hides: |case| {
            const ORDERED: [&str; 5] = ["command", "args", "env", "envFrom", "initContainers"];
            let is_list =
                |node: Option<&Node>| node.is_some_and(|node| node.as_sequence().is_some());
            let is_ordered =
                matches!(case.path.last(), Some(Segment::Key(key)) if ORDERED.contains(key));
            is_list(case.before) && is_list(case.after) && !is_ordered
        },
    },
];

/// The rule that hides a change, by name.
pub(crate) fn hidden(case: &Case<'_>) -> Option<&'static str> {
    RULES.iter().find(|rule| (rule.hides)(case)).map(|rule| rule.name)
}
