//! How objects are, in words and for the machine.

use kelson_cluster::ObservedObject;
use kelson_model::ObjectId;
use kelson_plan::{Blame, Health, HealthSummary, Verdict};
use kelson_yaml::Node;

use crate::commands::id;
use crate::draw;
use crate::json::{self, number, object, string};

/// What is shown of a text that the cluster gave.
const LONGEST: usize = 500;

/// How an object is, in a word for people.
pub(crate) fn word(health: Health) -> &'static str {
    match health {
        Health::Current => "ready",
        Health::InProgress => "waiting",
        Health::Failed => "failed",
        Health::Terminating => "deleting",
        Health::NotFound => "missing",
        Health::Unknown => "unknown",
    }
}

/// How an object is, as kstatus names it.
pub(crate) fn name(health: Health) -> &'static str {
    match health {
        Health::Current => "Current",
        Health::InProgress => "InProgress",
        Health::Failed => "Failed",
        Health::Terminating => "Terminating",
        Health::NotFound => "NotFound",
        Health::Unknown => "Unknown",
    }
}

/// Why it is so, in a line; nothing where there is nothing to say.
pub(crate) fn why(verdict: &Verdict) -> String {
    match (verdict.message.is_empty(), verdict.reason.is_empty()) {
        (true, _) => clean(&verdict.reason),
        (false, true) => clean(&verdict.message),
        (false, false) => format!("{} ({})", clean(&verdict.message), clean(&verdict.reason)),
    }
}

/// The lines below an object: what is behind it, each with the end of its log.
pub(crate) fn behind(because: &[Blame]) -> Vec<String> {
    let mut lines = Vec::new();
    for blame in because {
        let message = clean(&blame.message);
        lines.push(match message.is_empty() {
            true => format!("{}: {}", blame.object, blame.reason),
            false => format!("{}: {}: {message}", blame.object, blame.reason),
        });
        lines.extend(blame.log.iter().map(|line| format!("  | {}", clean(line))));
    }
    lines
}

/// As much of a text of the cluster's as a line can bear.
pub(crate) fn clean(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", draw::plain(&text[..at])),
        None => draw::plain(text),
    }
}

/// How many objects are how.
pub(crate) fn summary<'a>(objects: impl IntoIterator<Item = &'a ObservedObject>) -> HealthSummary {
    let mut summary = HealthSummary::default();
    for object in objects {
        *match object.verdict.health {
            Health::Current => &mut summary.current,
            Health::InProgress => &mut summary.in_progress,
            Health::Failed => &mut summary.failed,
            Health::Terminating => &mut summary.terminating,
            Health::NotFound => &mut summary.not_found,
            Health::Unknown => &mut summary.unknown,
        } += 1;
    }
    summary
}

/// How many objects are how, in a line. What was to go and is missing is `gone`.
pub(crate) fn summary_text(summary: &HealthSummary, gone: bool) -> String {
    let parts = [
        (summary.current, word(Health::Current)),
        (summary.in_progress, word(Health::InProgress)),
        (summary.failed, word(Health::Failed)),
        (summary.terminating, word(Health::Terminating)),
        (summary.not_found, if gone { "gone" } else { word(Health::NotFound) }),
        (summary.unknown, word(Health::Unknown)),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    match parts.is_empty() {
        true => "nothing to wait for".to_owned(),
        false => parts.join(", "),
    }
}

/// How many objects are how, for the machine.
pub(crate) fn summary_node(summary: &HealthSummary) -> Node {
    object([
        ("current", Some(number(summary.current))),
        ("inProgress", Some(number(summary.in_progress))),
        ("failed", Some(number(summary.failed))),
        ("terminating", Some(number(summary.terminating))),
        ("notFound", Some(number(summary.not_found))),
        ("unknown", Some(number(summary.unknown))),
    ])
}

/// An object and how it is, as fields for the machine.
pub(crate) fn fields(
    of: &ObjectId,
    verdict: &Verdict,
    because: &[Blame],
) -> [(&'static str, Option<Node>); 5] {
    let said = |text: &String| Some(string(text)).filter(|_| !text.is_empty());
    let behind = Node::sequence(because.iter().map(blame).collect());
    [
        ("object", Some(id(of))),
        ("health", Some(Node::string(name(verdict.health)))),
        ("reason", said(&verdict.reason)),
        ("message", said(&verdict.message)),
        ("because", Some(behind).filter(|_| !because.is_empty())),
    ]
}

fn blame(blame: &Blame) -> Node {
    let log = Node::sequence(blame.log.iter().map(string).collect());
    json::object([
        ("object", Some(id(&blame.object))),
        ("reason", Some(Node::string(blame.reason))),
        ("message", Some(string(&blame.message))),
        ("container", blame.container.as_ref().map(string)),
        ("log", Some(log).filter(|_| !blame.log.is_empty())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_container_prints_does_not_reach_the_terminal_as_it_is() {
        assert_eq!(clean("a\tb\x1b[31mred\u{7}\n\n"), "a b\u{fffd}[31mred\u{fffd}");
        assert_eq!(clean(&"x".repeat(501)), format!("{}…", "x".repeat(500)));
        assert_eq!(clean(&"x".repeat(500)), "x".repeat(500));
    }
}
