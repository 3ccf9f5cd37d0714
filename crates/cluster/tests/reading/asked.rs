//! What the server would do.

use kelson_plan::{DryRun, Kind, Question, Silent};
use kelson_yaml::{Dialect, Span, first_document};

use crate::{admin, config_map, config_maps, id};

fn secrets() -> Kind {
    Kind { kind: "Secret".to_owned(), plural: "secrets".to_owned(), ..config_maps() }
}

fn question(kind: &Kind, namespace: &str, name: &str, fields: &str, force: bool) -> Question {
    let text = format!(
        "{{apiVersion: v1, kind: {}, metadata: {{name: {name}, namespace: {namespace}}}, {fields}}}",
        kind.kind
    );
    let body = first_document(&text, Span::NONE, Dialect::V3).unwrap().unwrap();
    Question { id: id(kind, namespace, name), kind: kind.clone(), body, force, is_new: false }
}

/// Asks, and compares what is said of each with a text in it.
async fn check(questions: Vec<Question>, expected: &[&str]) {
    let (_, cluster) = admin().await;
    let ids: Vec<_> = questions.iter().map(|question| question.id.clone()).collect();
    let answers = cluster.dry_run(questions, "kelson", &Silent).await.unwrap();
    for (id, expected) in ids.iter().zip(expected) {
        let actual = match &answers[id] {
            DryRun::Would(node) => {
                let mut text = String::new();
                kelson_yaml::json::write(node, &mut text).unwrap();
                text
            }
            DryRun::Refused(refusal) => format!("{refusal} {:?}", refusal.causes),
        };
        assert!(actual.contains(expected), "{id}: {actual}");
        assert!(!actual.contains("31337"), "{id}: {actual}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_says_what_would_be_and_what_would_not() {
    let (plane, _) = admin().await;
    let namespace = plane.namespace().unwrap();
    config_map(plane, &namespace, "mine", false);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/theirs");
    let body =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"theirs"},"data":{"a":"b"}}"#;
    crate::apply(plane, &path, "kubectl", body);
    crate::apply(
        plane,
        &path.replace("theirs", "taken"),
        "kubectl",
        &body.replace("theirs", "taken"),
    );
    let maps = config_maps();
    let ask = |name: &str, fields: &str, force| question(&maps, &namespace, name, fields, force);
    check(
        vec![
            ask("new", "data: {a: c}", false),
            ask("mine", "data: {a: c}", false),
            ask("theirs", "data: {a: c}", false),
            ask("taken", "data: {a: c}", true),
            ask("odd", "dta: {a: c}", false),
            ask("Bad", "data: {a: c}", false),
            question(&maps, "no-such-namespace", "new", "data: {a: c}", false),
            ask("a/status", "data: {a: c}", false),
        ],
        &[
            r#""data":{"a":"c"}"#,
            r#""data":{"a":"c"}"#,
            r#"conflict with \"kubectl\""#,
            r#""data":{"a":"c"}"#,
            ".dta: field not declared in schema (500",
            "Invalid",
            "namespaces \"no-such-namespace\" not found (404 NotFound)",
            "`a/status` cannot be a part of an object's address",
        ],
    )
    .await;
    let now = plane.kubectl(&["get", "configmaps", "-n", &namespace, "-o", "name"]).unwrap();
    assert!(!now.contains("/new"), "{now}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_of_a_secret_is_in_a_refusal() {
    let (plane, _) = admin().await;
    let namespace = plane.namespace().unwrap();
    let kind = secrets();
    let ask = |name: &str, fields: &str| question(&kind, &namespace, name, fields, false);
    check(
        vec![
            ask("number", "stringData: {a: 31337}"),
            ask("base", "data: {a: '!31337!'}"),
            ask("key", "stringData: {'bad key': '31337'}"),
            ask(
                "typed",
                "type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: '31337'}",
            ),
            ask("tls", "type: kubernetes.io/tls, stringData: {tls.crt: '31337'}"),
        ],
        &["***", "base64", "is invalid", "is invalid", "is invalid"],
    )
    .await;
}
