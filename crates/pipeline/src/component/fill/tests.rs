use expect_test::{Expect, expect};
use kelson_yaml::{Dialect, Reading, first_document};
use serde_json::json;

use super::*;

/// Fills a manifest from a state and shows it as JSON, or what is wrong.
#[track_caller]
fn check(manifest: &str, state: &serde_json::Value, expected: Expect) {
    expected.assert_eq(&filled(manifest, state));
}

fn filled(manifest: &str, state: &serde_json::Value) -> String {
    let mut sources = Sources::default();
    let head = "{apiVersion: v1, kind: ConfigMap, metadata: {name: x},\nspec: ";
    let text = format!("{head}{manifest}}}");
    let source = sources.add("all.yaml", text.as_str());
    let reading = Reading { dialect: Dialect::V3, places: true };
    let span = kelson_yaml::Span { source, start: 0 };
    let node = first_document(&text, span, reading).unwrap().unwrap();
    let mut values = Values::default();
    values.add_state(state).unwrap();
    values.set("own", "a value").unwrap();
    match fill(vec![Object::new(node).unwrap()], &values, &sources) {
        Ok((objects, filling)) => {
            let mut text = String::new();
            kelson_yaml::json::write(objects[0].node.get("spec").unwrap(), &mut text).unwrap();
            // What is written down is read as the same again.
            let mut yaml = String::new();
            kelson_yaml::emit::canonical(objects[0].node.get("spec").unwrap(), &mut yaml).unwrap();
            let again = first_document(&yaml, kelson_yaml::Span::NONE, Dialect::V3).unwrap();
            let mut twice = String::new();
            kelson_yaml::json::write(&again.unwrap(), &mut twice).unwrap();
            assert_eq!(twice, text);
            text.push('\n');
            filling.warnings.iter().for_each(|warning| text.push_str(&format!("{warning}\n")));
            text
        }
        Err(error) => format!("{error}\n"),
    }
}

fn state() -> serde_json::Value {
    json!({
        "install": {"id": "inl1", "name": "Acme Corp"},
        "inputs": {
            "replicas": 3, "text": "3", "on": true, "half": 0.5, "nothing": null, "empty": "",
            "hostile": "a: b\n- c: [d", "quote": "\"x\"", "nested": "{{.nuon.install.id}}",
            "list": [1], "word-with-dash": "yes", "yes": "yes", "comment": "a # b"
        }
    })
}

#[test]
fn a_place_without_quotes_is_read_as_if_the_value_stood_there() {
    check(
        "[{{.nuon.inputs.replicas}}, {{ .nuon.inputs.text }}, {{.nuon.inputs.on}}, {{.nuon.inputs.half}}, {{.nuon.install.name}}, {{.nuon.inputs.yes}}, {{.nuon.inputs.empty}}]",
        &state(),
        expect![[r#"
            [3,3,true,0.5,"Acme Corp","yes",""]
        "#]],
    );
    check(
        "{image: {{.nuon.install.id}}-{{.nuon.inputs.replicas}}, cpu: {{.nuon.inputs.replicas}}00m}",
        &state(),
        expect![[r#"
            {"cpu":"300m","image":"inl1-3"}
        "#]],
    );
}

#[test]
fn a_place_in_quotes_becomes_text() {
    check(
        "['{{.nuon.inputs.replicas}}', \"{{.nuon.inputs.on}}\", 'a-{{.nuon.install.id}}-b {{- .nuon.inputs.text -}} c']",
        &state(),
        expect![[r#"
            ["3","true","a-inl1-b3c"]
        "#]],
    );
}

#[test]
fn no_value_becomes_structure_and_no_place_in_one_is_filled() {
    check(
        "[{{.nuon.inputs.hostile}}, '{{.nuon.inputs.hostile}}', {{.nuon.inputs.quote}}, {{.nuon.inputs.comment}}, '{{.nuon.inputs.nested}}']",
        &state(),
        expect![[r#"
            ["a: b\n- c: [d","a: b\n- c: [d","\"x\"","a # b","{{.nuon.install.id}}"]
            ConfigMap/x: `spec[4]` was filled with a text that has a place itself; that one is not filled
        "#]],
    );
}

#[test]
fn what_is_not_meant_for_us_stays_in_a_text() {
    check(
        "['on {{ $labels.instance }} at {{ .Values.x }} of {{.nuon.install.id}}', 'open {{', '{{.own}}']",
        &state(),
        expect![[r#"
            ["on {{ $labels.instance }} at {{ .Values.x }} of inl1","open {{","a value"]
        "#]],
    );
}

#[test]
fn keys_are_filled_too() {
    check(
        "{'{{.nuon.inputs.replicas}}': a}",
        &state(),
        expect![[r#"
            {"3":"a"}
        "#]],
    );
    check(
        "{'{{.nuon.install.id}}': a, inl1: b}",
        &state(),
        expect![[r#"
            ConfigMap/x: `spec` (all.yaml:2): two of its keys are the same once they are filled
        "#]],
    );
}

#[test]
fn what_cannot_be_filled_is_named() {
    for (place, expected) in [
        (
            "{{.nuon.other.x}}",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): nobody has filled the place {{.nuon.other.x}}: give it with --var nuon.other.x=VALUE, or in the state
            "#]],
        ),
        (
            "'at {{ .nuon.inputs.nothing }}'",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): nobody has filled the place {{ .nuon.inputs.nothing }}: give it with --var nuon.inputs.nothing=VALUE, or in the state
            "#]],
        ),
        (
            "{{.nuon.inputs}}",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): the place {{.nuon.inputs}} stands for an object, and a single value is expected
            "#]],
        ),
        (
            "'{{.nuon.inputs.list}}'",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): the place {{.nuon.inputs.list}} stands for a list, and a single value is expected
            "#]],
        ),
        (
            "'{{ .nuon.install.id | quote }}'",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): the place {{ .nuon.install.id | quote }} is more than the way to a value, such as {{.nuon.install.id}}; only that can be filled
            "#]],
        ),
        (
            "'{{ index .nuon.inputs \"a\" }}'",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): the place {{ index .nuon.inputs "a" }} is more than the way to a value, such as {{.nuon.install.id}}; only that can be filled
            "#]],
        ),
        (
            "'{{.nuon.install.id'",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): a place is opened by `{{` and never closed
            "#]],
        ),
        (
            "{{.unknown}}",
            expect![[r#"
                ConfigMap/x: `spec.a[0]` (all.yaml:2): nobody has filled the place {{.unknown}}: give it with --var unknown=VALUE, or in the state
            "#]],
        ),
    ] {
        check(&format!("{{a: [{place}]}}"), &state(), expected);
    }
}

#[test]
fn a_value_of_its_own_wins_over_the_state() {
    let mut values = Values::default();
    values.add_state(&json!({"nuon": {"install": {"id": "one", "name": "n"}}})).unwrap();
    values.set(".nuon.install.id", "two").unwrap();
    let text =
        |text: &str| fill_text("namespace", text, &values).map_err(|error| error.to_string());
    assert_eq!(text("{{.nuon.install.id}}-{{.nuon.install.name}}").as_deref(), Ok("two-n"));
    assert_eq!(text("plain").as_deref(), Ok("plain"));
    assert!(
        text("{{.nuon.install.idd}}").unwrap_err().starts_with("`namespace`: nobody has filled")
    );
    assert_eq!(
        values.set("nuon.install.id.x", "y"),
        Err(BadValue::Below("nuon.install.id.x".to_owned()))
    );
    assert_eq!(values.set("a..b", "y"), Err(BadValue::Path("a..b".to_owned())));
    assert_eq!(values.add_state(&json!([1])), Err(BadValue::State("a list")));
}

#[test]
fn values_that_multiply_are_refused() {
    let state = json!({"big": "x".repeat(1 << 20)});
    let manifest = format!("[{}]", vec!["'{{.nuon.big}}'"; 100].join(", "));
    assert!(filled(&manifest, &state).contains("more than 64 MiB"));
}
