//! How what was delivered is.

use std::io::{BufRead, BufReader, Read};

use expect_test::expect;
use regex::Regex;
use serde_json::Value;

use crate::node::{Node, deployment};
use crate::stage::signal;
use crate::{Stage, check};

const FILES: &str = "#- app/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
#- other/maps.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
";

#[test]
fn every_delivery_is_a_line() {
    let stage = Stage::new(&format!(
        "{FILES}#- web/web.yaml\n{}",
        deployment("web", "pending").replace("Seconds: 1", "Seconds: 600")
    ));
    let mut text = String::new();
    // Columns are as wide as the path of the folder, which differs from run to run.
    let wide = Regex::new(" {3,}").unwrap();
    for step in [
        "kelson status",
        "kelson status app",
        "kelson apply app --name app --yes",
        "kelson apply other --name other --yes",
        "kelson status",
        "kelson status app",
    ] {
        let shown = stage.step(step);
        text.push_str(&format!("$ {step}\n{}", wide.replace_all(&shown, "  ")));
    }
    expect![[r#"
        $ kelson status
        nothing is delivered in the namespace `the-namespace`
        $ kelson status app
        error: nothing was delivered as the-namespace/app
        exit code 1
        $ kelson apply app --name app --yes
        created  ConfigMap/the-namespace/one
        1 created
        $ kelson apply other --name other --yes
        created  ConfigMap/the-namespace/two
        1 created
        $ kelson status
        NAMESPACE  NAME  READY  OBJECTS  AT  BY  REVISION  DIGEST  SOURCE  WHY
        the-namespace  app  yes  1  <time>  admin  84009571477f  /here/app
        the-namespace  other  yes  1  <time>  admin  7c59731f5f8d  /here/other
        $ kelson status app
        Delivery: the-namespace/app
        Source:  /here/app
        Digest:  sha256:<digest>
        Applied:  <time> by admin (applied)
        Objects:  1 object
        Ready:  yes

        OBJECT  HEALTH  WHY
        ConfigMap/the-namespace/one  ready
    "#]]
    .assert_eq(&text);
    assert_eq!(stage.run("kelson apply web --name web --yes").code, 0);
    stage.kubectl("delete configmap one").unwrap();
    let ran = stage.run("kelson status --json");
    assert_eq!(ran.code, 3, "{}", ran.shown());
    let all: Value = serde_json::from_str(&ran.out).unwrap();
    let of = |name: &str| {
        all.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert_eq!(of("other")["ready"], true, "{all:#}");
    assert_eq!(of("other")["summary"]["current"], 1, "{all:#}");
    assert!(of("other")["digest"].as_str().unwrap().starts_with("sha256:"), "{all:#}");
    for (name, kind, health) in
        [("app", "ConfigMap", "NotFound"), ("web", "Deployment", "InProgress")]
    {
        let row = of(name);
        assert_eq!(row["ready"], false, "{row:#}");
        assert_eq!(row["why"]["object"]["kind"], kind, "{row:#}");
        assert_eq!(row["why"]["health"], health, "{row:#}");
    }
    // Others are at work in other namespaces.
    let ran = stage.run("kelson status -A");
    assert!(
        ran.out.lines().filter(|line| line.starts_with(&stage.namespace)).count() == 3,
        "{}",
        ran.shown()
    );
}

#[test]
fn a_damaged_inventory_is_a_line_with_its_error() {
    let stage = Stage::new(FILES);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    assert_eq!(stage.run("kelson apply other --name other --yes").code, 0);
    let patch = r#"{"data":{"inventory":"bm9uc2Vuc2U="}}"#;
    stage.kubectl(&format!("patch secret kelson.other --type=merge -p {patch}")).unwrap();
    let ran = stage.run("kelson status");
    let shown = stage.normal(&ran.shown());
    assert_eq!(ran.code, 1, "{shown}");
    let rows: Vec<&str> = shown.lines().filter(|line| line.starts_with("the-namespace")).collect();
    assert_eq!(rows.len(), 2, "{shown}");
    assert!(rows[0].contains(" app ") && rows[0].contains(" yes "), "{shown}");
    assert!(rows[1].contains(" other ") && rows[1].contains(" unknown "), "{shown}");
    assert!(rows[1].contains("the inventory of the-namespace/other is damaged"), "{shown}");
    let ran = stage.run("kelson status --json");
    let all: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(all[1]["ready"], false, "{all:#}");
    assert!(all[1]["error"].as_str().unwrap().contains("is damaged"), "{all:#}");
}

#[test]
fn a_delivery_is_shown_down_to_its_pods() {
    let stage = Stage::new(&format!(
        "{FILES}#- app/web.yaml\n{}{}",
        deployment("good", "ready"),
        deployment("bad", "crash")
    ));
    let _node = Node::of(&stage);
    assert_eq!(stage.run("kelson apply app --name app --yes --timeout 10m --no-fail-fast").code, 3);
    let ran = stage.run("kelson status app");
    let shown = stage.normal(&ran.shown());
    assert_eq!(ran.code, 3, "{shown}");
    for part in [
        "Delivery: the-namespace/app\n",
        "Source:   /here/app\n",
        "Objects:  3 objects\n",
        "Ready:    no: Deployment/the-namespace/bad: ",
        "\nConfigMap/the-namespace/one ",
        "\nDeployment/the-namespace/bad ",
        "\n└─ ReplicaSet/the-namespace/bad-",
        "\n   └─ Pod/the-namespace/bad-",
        "CrashLoop: ",
        "  | no database at ",
        "\nDeployment/the-namespace/good ",
        "\n   └─ Pod/the-namespace/good-",
    ] {
        assert!(shown.contains(part), "no `{part}` in:\n{shown}");
    }
    let ran = stage.run("kelson status app --json");
    let tree: Value = serde_json::from_str(&ran.out).unwrap();
    let bad =
        tree["tree"].as_array().unwrap().iter().find(|it| it["object"]["name"] == "bad").unwrap();
    let pod = &bad["children"][0]["children"][0];
    assert_eq!(pod["object"]["kind"], "Pod", "{tree:#}");
    assert_eq!(tree["ready"], false, "{tree:#}");
}

/// Reads until a line has all parts.
fn until(lines: &mut impl Iterator<Item = std::io::Result<String>>, parts: &[&str]) {
    let found = lines.map(Result::unwrap).find(|line| parts.iter().all(|part| line.contains(part)));
    assert!(found.is_some(), "no line with {parts:?}");
}

#[test]
fn whoever_watches_sees_what_changes() {
    let stage = Stage::new(FILES);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let mut child = stage.start("kelson status --watch");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    until(&mut lines, &[" app ", " yes "]);
    // An object goes, and comes back.
    stage.kubectl("delete configmap one").unwrap();
    until(&mut lines, &[" app ", " no ", "ConfigMap/"]);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    until(&mut lines, &[" app ", " yes "]);
    // Another delivery comes.
    assert_eq!(stage.run("kelson apply other --name other --yes").code, 0);
    until(&mut lines, &[" other ", " yes "]);
    signal(&child, "-INT");
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    assert_eq!(said, "");
}

#[test]
fn a_delivery_is_watched_down_to_its_pods() {
    let stage = Stage::new(&format!("#- app/web.yaml\n{}", deployment("web", "ready")));
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let mut child = stage.start("kelson status app --watch --json");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    until(&mut lines, &["\"ready\":false"]);
    let _node = Node::of(&stage);
    until(&mut lines, &["\"ready\":true", "\"kind\":\"Pod\""]);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn many_deliveries_cost_no_more_than_one() {
    let stage = Stage::new(FILES);
    for number in 0..6 {
        let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: map-{number}}}\n");
        std::fs::write(stage.folder.path("app/maps.yaml"), text).unwrap();
        assert_eq!(stage.run(&format!("kelson apply app --name app-{number} --yes")).code, 0);
    }
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let ran = stage.run("kelson status");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(ran.out.lines().count(), 7, "{}", ran.out);
    let seen: Vec<String> =
        detour.seen_at("GET", "/configmaps").iter().map(ToString::to_string).collect();
    assert_eq!(seen.len(), 1, "{seen:#?}");
}

#[test]
fn what_is_asked_for_wrongly_is_said() {
    check(
        FILES,
        &["kelson status Not_A_Name", "kelson status app -A", "kelson status app"],
        expect![[r#"
            $ kelson status Not_A_Name
            error: invalid value 'Not_A_Name' for '[NAME]': `Not_A_Name` cannot be the name of a delivery: it has 1 to 50 lower-case letters, digits and dashes, with a letter or digit at both ends

            For more information, try '--help'.
            exit code 64
            $ kelson status app -A
            error: the argument '[NAME]' cannot be used with '--all-namespaces'

            Usage: kelson status --kubeconfig <FILE> --parallel <NUMBER> <NAME>

            For more information, try '--help'.
            exit code 64
            $ kelson status app
            error: nothing was delivered as the-namespace/app
            exit code 1
        "#]],
    );
}
