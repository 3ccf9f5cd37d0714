//! Events as JSON, a line each; `docs/events.md` describes them.

use kelson_plan::{Cause, Event, Outcome, Refusal, Summary};
use kelson_yaml::Node;

use super::word;
use crate::commands::id;
use crate::health;
use crate::json::{self, number, object, string};

/// An event as a line.
pub(super) fn line(event: &Event) -> anyhow::Result<String> {
    json::text(&node(event))
}

fn node(event: &Event) -> Node {
    let named = |name: &str| Some(Node::string(name));
    match event {
        Event::Read { source, objects } => object([
            ("event", named("read")),
            ("source", Some(string(source))),
            ("objects", Some(number(*objects))),
        ]),
        Event::Planned(counts) => {
            object([("event", named("planned")), ("summary", Some(summary(counts)))])
        }
        Event::Lease(message) => {
            object([("event", named("lease")), ("message", Some(string(message)))])
        }
        Event::Wave { number: this, of, steps } => object([
            ("event", named("wave")),
            ("number", Some(number(*this))),
            ("of", Some(number(*of))),
            ("steps", Some(number(*steps))),
        ]),
        Event::Retry { what, why } => object([
            ("event", named("retry")),
            ("what", Some(string(what))),
            ("why", Some(string(why))),
        ]),
        Event::Step { id: of, outcome } => object([
            ("event", named("step")),
            ("object", Some(id(of))),
            ("outcome", named(word(outcome))),
            ("reason", kept(outcome)),
            ("because", skipped(outcome)),
            ("refusal", refusal(outcome)),
        ]),
        Event::Waiting { id: of, until } => {
            object([("event", named("waiting")), ("object", Some(id(of))), ("until", named(until))])
        }
        Event::Warning(message) => {
            object([("event", named("warning")), ("message", Some(string(message)))])
        }
        Event::Done(counts) => {
            object([("event", named("done")), ("summary", Some(summary(counts)))])
        }
        Event::Observing { objects } => {
            object([("event", named("observing")), ("objects", Some(number(*objects)))])
        }
        Event::Health { id: of, verdict, because } => {
            let [of, how, reason, message, because] = health::fields(of, verdict, because);
            object([("event", named("health")), of, how, reason, message, because])
        }
        Event::Observed(counts) => {
            object([("event", named("observed")), ("summary", Some(health::summary_node(counts)))])
        }
    }
}

fn summary(summary: &Summary) -> Node {
    object([
        ("created", Some(number(summary.created))),
        ("changed", Some(number(summary.changed))),
        ("recreated", Some(number(summary.recreated))),
        ("deleted", Some(number(summary.deleted))),
        ("released", Some(number(summary.released))),
        ("unchanged", Some(number(summary.unchanged))),
        ("kept", Some(number(summary.kept))),
        ("failed", Some(number(summary.failed))),
        ("skipped", Some(number(summary.skipped))),
    ])
}

fn kept(outcome: &Outcome) -> Option<Node> {
    match outcome {
        Outcome::Kept(reason) => Some(string(reason)),
        _ => None,
    }
}

fn skipped(outcome: &Outcome) -> Option<Node> {
    match outcome {
        Outcome::Skipped(other) => Some(id(other)),
        _ => None,
    }
}

fn refusal(outcome: &Outcome) -> Option<Node> {
    let Outcome::Failed(Refusal { code, reason, message, causes }) = outcome else { return None };
    let cause = |cause: &Cause| {
        object([
            ("reason", Some(string(&cause.reason))),
            ("field", Some(string(&cause.field))),
            ("message", Some(string(&cause.message))),
        ])
    };
    Some(object([
        ("code", Some(number(usize::from(*code)))),
        ("reason", Some(string(reason))),
        ("message", Some(string(message))),
        ("causes", Some(Node::sequence(causes.iter().map(cause).collect()))),
    ]))
}
