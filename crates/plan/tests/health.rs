//! The vectors of kstatus: an object, and the status that is computed of it. Jobs are read as Flux reads them.
//!
//! The corpus lies beside the project, not in it.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::BTreeMap;

use kelson_plan::{Health, HealthRules, Verdict};
use kelson_yaml::{Dialect, Node, Span, first_document};
use serde_json::Value as Json;

/// The time at which all objects are looked at, and a minute before, as objects have it.
const NOW: i64 = 1_800_000_000;
const BEFORE: &str = "2027-01-15T07:59:00Z";

/// Jobs for which the vectors only have what kstatus says, with what comes of Flux's rules; COMPAT.md says why.
const DIFFERENT: &[(&str, &str)] = &[
    ("compute/testsuspendedjobconditions", "Current : Job is suspended"),
    (
        "compute/testpreviouslysuspendedjobconditions",
        "InProgress JobNotStarted: Job not started. active: 0/1",
    ),
    ("compute/testsuspendedjobtransitionconditions_1", "Current : Job is suspended"),
    (
        "compute/testsuspendedjobtransitionconditions_2",
        "InProgress JobNotStarted: Job not started. active: 0/1",
    ),
    (
        "compute/testjobstatus-jobinprogress",
        "InProgress JobInProgress: Job in progress. success:3, active: 2, failed: 1",
    ),
];

#[test]
fn the_vectors_of_kstatus_come_out_as_there() {
    let test = "the_vectors_of_kstatus_come_out_as_there";
    let Some(corpus) = kelson_testkit::conformance(test, "kstatus") else { return };
    let text = std::fs::read_to_string(corpus.join("cases.json")).unwrap();
    let cases: Json = serde_json::from_str(&text).unwrap();
    let mut score: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases["cases"].as_array().unwrap() {
        let entry = score.entry(case["area"].as_str().unwrap()).or_default();
        entry.2 += 1;
        match compared(case) {
            Ok(true) => entry.0 += 1,
            Ok(false) => entry.1 += 1,
            Err(text) => wrong.push(format!("=== {}\n{text}", case["name"])),
        }
    }
    println!("same, different on purpose, of");
    for (area, (same, different, all)) in &score {
        println!("{same:4} {different:4} {all:4}  {area}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_rules_of_the_documentation_are_rules() {
    let text = include_str!("../../../docs/health.md");
    let (_, block) = text.split_once("```yaml health\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let rules = HealthRules::read("docs/health.md", block).unwrap();
    assert!(rules.has_rule("cert-manager.io", "Certificate"));
    let database =
        "{apiVersion: databases.example.com/v2, kind: Database, status: {phase: Running}}";
    let database = first_document(database, Span::NONE, Dialect::V3).unwrap().unwrap();
    assert_eq!(rules.judge(&database, NOW).health, Health::Current);
}

/// Whether a case comes out as it does there; the error says how it differs where it should not.
fn compared(case: &Json) -> Result<bool, String> {
    let text = case["object"].as_str().unwrap().replace("${BEFORE}", BEFORE);
    let object = first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap();
    let verdict = HealthRules::default().judge(&object, NOW);
    let results = &case["result"];
    let names = ["flux-job", "both", "fluxcd"];
    let theirs = names.into_iter().find_map(|name| results.get(name)).unwrap();
    let (actual, wanted) = match theirs.get("conditions_after") {
        Some(conditions) => (augmented(&object, &verdict), listed(conditions)),
        None => (told(&verdict), expected(theirs)),
    };
    match DIFFERENT.iter().find(|(name, _)| case["name"] == *name) {
        Some((_, ours)) if actual == *ours => Ok(false),
        None if actual == wanted => Ok(true),
        _ => Err(format!("ours:   {actual}\ntheirs: {wanted}")),
    }
}

fn told(verdict: &Verdict) -> String {
    format!("{:?} {}: {}", verdict.health, verdict.reason, verdict.message)
}

/// A result of theirs; its reason is that of the condition that comes with it.
fn expected(result: &Json) -> String {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let reason = text(&result["conditions"][0]["reason"]);
    format!("{} {reason}: {}", text(&result["status"]), text(&result["message"]))
}

/// The conditions of an object with the one that a verdict stands for, unless it has it already.
fn augmented(object: &Node, verdict: &Verdict) -> String {
    let conditions = object.lookup(&["status", "conditions"]).and_then(Node::as_sequence);
    let field = |node: &Node, key: &str| {
        node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned()
    };
    let mut list: Vec<[String; 4]> = conditions
        .unwrap_or_default()
        .iter()
        .map(|node| ["type", "status", "reason", "message"].map(|key| field(node, key)))
        .collect();
    let kind = match verdict.health {
        Health::InProgress => "Reconciling",
        Health::Failed => "Stalled",
        _ => return format!("{list:?}"),
    };
    if !list.iter().any(|[known, ..]| known == kind) {
        let Verdict { reason, message, .. } = verdict.clone();
        list.push([kind.to_owned(), "True".to_owned(), reason, message]);
    }
    format!("{list:?}")
}

fn listed(conditions: &Json) -> String {
    let list: Vec<[String; 4]> = conditions
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            ["type", "status", "reason", "message"]
                .map(|key| it[key].as_str().unwrap_or_default().to_owned())
        })
        .collect();
    format!("{list:?}")
}
