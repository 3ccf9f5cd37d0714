//! What was applied before, and the way back to it.

use expect_test::expect;
use kelson_artifact::{Limits, read_archive};
use kelson_testkit::{Fault, Gate, Registry, registry};
use serde_json::{Value, json};

use crate::stage::{PATIENCE, has_secret};
use crate::{Stage, check};

/// Each version has an object that no other has, and a Secret with another value.
const FILES: &str = "#- v1/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: slow}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: first}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter2}
#- v2/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter3}
#- v3/objects.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: faster}
#- more.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: more}
#- key
AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX
";
const RECIPIENT: &str = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";

/// The Secrets that keep artifacts.
#[track_caller]
fn kept(stage: &Stage) -> Vec<Value> {
    let path = "/api/v1/namespaces/the-namespace/secrets?fieldSelector=type=kelson.dev/artifact";
    stage.get(path)["items"].as_array().unwrap().clone()
}

/// Whether a Secret of the tests can be read in what is kept, however it is packed.
fn is_open(kept: &[Value]) -> bool {
    let part = |secret: &Value| stage_bytes(secret["data"]["part"].as_str().unwrap());
    kept.iter().any(|secret| unpacked(&part(secret), 0).iter().any(|text| has_secret(text)))
}

fn stage_bytes(base64: &str) -> Vec<u8> {
    // Decoded by the table itself: the program's own decoder is under test.
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for digit in base64.bytes().filter(|byte| *byte != b'=') {
        let value = DIGITS.iter().position(|known| *known == digit).unwrap();
        bits = bits << 6 | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 255) as u8);
        }
    }
    bytes
}

/// All files in archives in archives, as text.
fn unpacked(content: &[u8], depth: usize) -> Vec<String> {
    let files = read_archive(content, &Limits::default()).ok().filter(|_| depth < 4);
    let Some(files) = files else { return vec![String::from_utf8_lossy(content).into_owned()] };
    files.files().flat_map(|(_, content)| unpacked(content, depth + 1)).collect()
}

/// Applies versions one after the other.
#[track_caller]
fn applied(versions: &[&str]) -> Stage {
    let stage = Stage::new(FILES);
    for version in versions {
        stage.step(&format!("use {version}"));
        let ran = stage.run("kelson apply app --name app --yes");
        assert_eq!(ran.code, 0, "{}", ran.shown());
    }
    stage
}

#[test]
fn what_was_applied_is_shown_compared_and_gone_back_to() {
    check(
        FILES,
        &[
            "kelson history app",
            "use v1",
            "kelson apply app --name app --yes",
            "use v2",
            "kelson apply app --name app --yes",
            "use v3",
            "kelson apply app --name app --yes",
            "kelson history app",
            "kelson history app --diff 1 2",
            "kelson history app --diff 2",
            "kelson history app --diff 3",
            "kelson rollback app",
            "kelson rollback app --yes",
            "kubectl get configmaps,secrets -l kelson.dev/name=app -o name",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kelson history app",
            "kelson apply app --name app --yes",
            "kelson rollback app --to 1 --yes",
            "kelson history app",
        ],
        expect![[r#"
            $ kelson history app
            error: nothing was delivered as the-namespace/app
            exit code 1
            $ use v1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/first
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            3 created
            $ use v2
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/first
            1 created, 2 changed, 1 deleted
            $ use v3
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/settings
            deleted   ConfigMap/the-namespace/second
            deleted   Secret/the-namespace/password
            1 changed, 2 deleted
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            3       sha256:<short...>  -         <time>  admin  applied  deployed  kept
            2       sha256:<short...>  -         <time>  admin  applied            kept
            1       sha256:<short...>  -         <time>  admin  applied            kept
            $ kelson history app --diff 1 2
            - ConfigMap/first
            + ConfigMap/second
            ~ ConfigMap/settings
                data.mode: slow → fast
            ~ Secret/password
                stringData.password: *** (changed)
            1 added, 1 removed, 2 changed, 0 unchanged
            exit code 2
            $ kelson history app --diff 2
            - ConfigMap/second
            - Secret/password
            ~ ConfigMap/settings
                data.mode: fast → faster
            0 added, 2 removed, 1 changed, 0 unchanged
            exit code 2
            $ kelson history app --diff 3
            0 added, 0 removed, 0 changed, 1 unchanged
            $ kelson rollback app
            error: this asks before it changes anything, and nobody can answer here; say --yes where the answer is yes
            exit code 64
            $ kelson rollback app --yes
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            2 created, 1 changed
            $ kubectl get configmaps,secrets -l kelson.dev/name=app -o name
            configmap/second
            configmap/settings
            secret/password
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT              NOW       CONTENT
            4       sha256:<short...>  -         <time>  admin  applied, back to 2  deployed  kept
            3       sha256:<short...>  -         <time>  admin  applied                       kept
            2       sha256:<short...>  -         <time>  admin  applied                       kept
            1       sha256:<short...>  -         <time>  admin  applied                       kept
            $ kelson apply app --name app --yes
            changed   ConfigMap/the-namespace/settings
            deleted   ConfigMap/the-namespace/second
            deleted   Secret/the-namespace/password
            1 changed, 2 deleted
            $ kelson rollback app --to 1 --yes
            created   ConfigMap/the-namespace/first
            changed   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            2 created, 1 changed
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT              NOW       CONTENT
            6       sha256:<short...>  -         <time>  admin  applied, back to 1  deployed  kept
            5       sha256:<short...>  -         <time>  admin  applied                       kept
            4       sha256:<short...>  -         <time>  admin  applied, back to 2            kept
            3       sha256:<short...>  -         <time>  admin  applied                       kept
            2       sha256:<short...>  -         <time>  admin  applied                       kept
            1       sha256:<short...>  -         <time>  admin  applied                       kept
        "#]],
    );
}

#[test]
fn one_goes_back_to_what_became_ready() {
    // Nothing plays the node of this Deployment.
    let never = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:v1}]}
";
    let stage = Stage::new(&format!("{FILES}#- never/objects.yaml\n{never}"));
    let results = |stage: &Stage| -> Vec<String> {
        let history: Value =
            serde_json::from_str(&stage.run("kelson history app --json").out).unwrap();
        let result = |entry: &Value| {
            let standing = entry["standing"].as_str().unwrap_or("past");
            format!("{} {} {standing}", entry["number"], entry["result"].as_str().unwrap())
        };
        history["history"].as_array().unwrap().iter().map(result).collect()
    };
    let apply = |folder: &str, timeout: &str| {
        stage.step(&format!("use {folder}"));
        stage.run(&format!("kelson apply app --name app --yes --timeout {timeout}"))
    };
    assert_eq!(apply("v3", "60s").code, 0);
    assert_eq!(results(&stage), ["1 ready deployed"]);
    // The result is noted after a plan was made, and does not make that a thing of the past.
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    stage.step("use v2");
    assert_eq!(stage.run("kelson plan app --name app -o next.json").code, 2);
    stage.step("use v1");
    assert_eq!(stage.run("kelson apply app --name app --yes --timeout 60s").code, 0);
    assert_eq!(results(&stage), ["2 ready deployed", "1 ready past"]);
    assert_eq!(stage.run("kelson apply next.json").code, 0);
    assert_eq!(results(&stage), ["3 applied deployed", "2 ready past", "1 ready past"]);
    assert_eq!(apply("never", "1s").code, 3);
    assert_eq!(apply("v3", "60s").code, 0);
    assert_eq!(results(&stage)[..3], ["5 ready deployed", "4 not-ready past", "3 applied past"]);
    let back = stage.run("kelson rollback app --yes --timeout 60s");
    assert_eq!(back.code, 0, "{}", back.shown());
    let mode = stage.kubectl("get configmap settings -o jsonpath={.data.mode}").unwrap();
    assert_eq!(mode, "fast", "back to number 3, past the one that did not become ready");
    assert_eq!(results(&stage)[0], "6 ready deployed");
    let back = stage.run("kelson rollback app --yes --to 4 --timeout 1s");
    assert_eq!(back.code, 3, "{}", back.shown());
}

#[test]
fn the_same_again_adds_nothing() {
    let stage = applied(&["v1", "v2", "v2"]);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    assert_eq!(stage.run("kelson apply app --name app --yes").code, 0);
    let writes =
        ["POST", "PUT", "PATCH", "DELETE"].map(|method| detour.seen_at(method, "/secrets").len());
    assert_eq!(writes, [0; 4]);
    let stage = stage.directly();
    // What somebody else has changed is put right: that is another apply of the same.
    stage.kubectl("delete configmap second").unwrap();
    stage.check(
        &["kelson apply app --name app --yes", "kelson history app"],
        expect![[r#"
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/second
            1 created, 2 unchanged
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            2       sha256:<short...>  -         <time>  admin  applied  deployed  kept
            1       sha256:<short...>  -         <time>  admin  applied            kept
        "#]],
    );
}

#[test]
fn what_came_from_a_registry_is_pulled_again_by_digest() {
    let stage = Stage::new(FILES);
    let registry = Registry::start(registry::Options::default()).unwrap();
    let at = format!("oci://{}/shop", registry.address());
    for version in ["v1", "v2"] {
        let pushed = stage.run(&format!("kelson push {version} {at}:main --revision {version}"));
        assert_eq!(pushed.code, 0, "{}", pushed.shown());
        let ran = stage.run(&format!("kelson apply {at}:main --name app --yes"));
        assert_eq!(ran.code, 0, "{}", ran.shown());
    }
    assert!(kept(&stage).is_empty());
    stage.check(
        &[
            "kelson history app",
            "kelson history app --diff v1 v2",
            "kelson rollback app --to v1 --yes",
            "kelson history app",
        ],
        expect![[r#"
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            2       sha256:<short...>  v2        <time>  admin  applied  deployed  oci://<server>/shop
            1       sha256:<short...>  v1        <time>  admin  applied            oci://<server>/shop
            $ kelson history app --diff v1 v2
            - ConfigMap/first
            + ConfigMap/second
            ~ ConfigMap/settings
                data.mode: slow → fast
            ~ Secret/password
                stringData.password: *** (changed)
            1 added, 1 removed, 2 changed, 0 unchanged
            exit code 2
            $ kelson rollback app --to v1 --yes
            created   ConfigMap/the-namespace/first
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/second
            1 created, 2 changed, 1 deleted
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT              NOW       CONTENT
            3       sha256:<short...>  v1        <time>  admin  applied, back to 1  deployed  oci://<server>/shop
            2       sha256:<short...>  v2        <time>  admin  applied                       oci://<server>/shop
            1       sha256:<short...>  v1        <time>  admin  applied                       oci://<server>/shop
        "#]],
    );
    // The source is what it was: the same tag goes forward again.
    let forward = stage.run(&format!("kelson apply {at}:main --name app --yes"));
    assert_eq!(forward.code, 0, "{}", forward.shown());
    drop(registry);
    stage.check(
        &["kelson rollback app --to v1 --yes --retries 0", "kubectl get configmap settings -o jsonpath={.data}"],
        expect![[r#"
            $ kelson rollback app --to v1 --yes --retries 0
            error: the artifact sha256:<digest> cannot be had again: oci://<server>/shop@sha256:<digest>: cannot read manifest sha256:<digest> in `oci://<server>/shop`: no connection to <server> that holds: error sending request: client error (Connect): tcp connect error: Connection refused (os error 111); on this machine: there is no store `/here/home/.local/share/kelson/store` that could hold the artifact sha256:<digest>; --store names another
            exit code 1
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"fast"}
        "#]],
    );
}

#[test]
fn what_came_from_anywhere_else_is_kept() {
    check(
        FILES,
        &[
            "kelson push v1 oci-layout:out:v1",
            "kelson apply oci-layout:out:v1 --name layout --yes",
            "cat more.yaml | kelson apply - --name input --yes",
            "cat more.yaml | kelson apply v3 - --name several --yes --adopt",
            "kelson history layout",
            "kelson history input",
            "kelson history several",
            "kubectl get secrets -o jsonpath={.items[*].type}",
            "kelson inventory show",
        ],
        expect![[r#"
            $ kelson push v1 oci-layout:out:v1
            oci-layout:out:v1@sha256:<digest>
            3 objects; 2 blobs sent (436 B), 0 there already
            $ kelson apply oci-layout:out:v1 --name layout --yes
            created   ConfigMap/the-namespace/first
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            3 created
            $ cat more.yaml | kelson apply - --name input --yes
            created   ConfigMap/the-namespace/more
            1 created
            $ cat more.yaml | kelson apply v3 - --name several --yes --adopt
            changed   ConfigMap/the-namespace/more
            changed   ConfigMap/the-namespace/settings
            2 changed
            $ kelson history layout
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            1       sha256:<short...>  -         <time>  admin  applied  deployed  kept
            $ kelson history input
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            1       sha256:<short...>  -         <time>  admin  applied  deployed  kept
            $ kelson history several
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            1       sha256:<short...>  -         <time>  admin  applied  deployed  kept
            $ kubectl get secrets -o jsonpath={.items[*].type}
            kelson.dev/inventory kelson.dev/artifact kelson.dev/inventory kelson.dev/artifact kelson.dev/inventory kelson.dev/artifact Opaque
            $ kelson inventory show
            NAMESPACE      NAME     OBJECTS  RESULT   AT                    SOURCE
            the-namespace  input    1        applied  <time>  -
            the-namespace  layout   3        applied  <time>  oci-layout:/here/out
            the-namespace  several  2        applied  <time>  /here/v3, -
        "#]],
    );
}

#[test]
fn a_directory_of_a_tree_is_gone_back_to() {
    check(
        FILES,
        &[
            "kelson push --raw . oci-layout:out:tree",
            "kelson apply oci-layout:out:tree//v1 --name app --yes",
            "kelson apply v2 --name app --yes --change-source",
            "kelson rollback app --yes",
            "kubectl get configmap settings -o jsonpath={.data}",
            "kelson apply v2 --name app --yes",
        ],
        expect![[r#"
            $ kelson push --raw . oci-layout:out:tree
            oci-layout:out:tree@sha256:<digest>
            files as they are; 2 blobs sent (635 B), 0 there already
            $ kelson apply oci-layout:out:tree//v1 --name app --yes
            created   ConfigMap/the-namespace/first
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            3 created
            $ kelson apply v2 --name app --yes --change-source
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/first
            1 created, 2 changed, 1 deleted
            $ kelson rollback app --yes
            created   ConfigMap/the-namespace/first
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/second
            1 created, 2 changed, 1 deleted
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"slow"}
            $ kelson apply v2 --name app --yes
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/first
            1 created, 2 changed, 1 deleted
        "#]],
    );
}

#[test]
fn what_is_encrypted_is_kept_encrypted() {
    let stage = Stage::new(FILES);
    let apply = "kelson apply oci-layout:out --name app --yes --age-identity key";
    for version in ["v1", "v2"] {
        let push =
            format!("kelson push {version} oci-layout:out:latest --age-recipient {RECIPIENT}");
        assert_eq!(stage.run(&push).code, 0);
        let ran = stage.run(apply);
        assert_eq!(ran.code, 0, "{}", ran.shown());
    }
    assert_eq!(kept(&stage).len(), 2);
    assert!(!is_open(&kept(&stage)), "a secret value is kept open");
    stage.check(
        &[
            "kelson rollback app --yes",
            "kelson history app --diff 1 2 --age-identity key",
            "kelson rollback app --yes --age-identity key",
            "kubectl get configmap settings -o jsonpath={.data}",
            // Several sources become one in the clear, which is kept nowhere.
            "kelson apply oci-layout:out more.yaml --name app --yes --change-source --age-identity key",
            "kelson history app",
            "kelson rollback app --yes --age-identity key",
            "kelson rollback app --yes --age-identity key",
        ],
        expect![[r#"
            $ kelson rollback app --yes
            error: cannot read the artifact sha256:<digest>, which the Secret `kelson.app.kept.<digest>.0` keeps
            caused by: this is an encrypted artifact: an age identity is needed to read it
            exit code 1
            $ kelson history app --diff 1 2 --age-identity key
            - ConfigMap/first
            + ConfigMap/second
            ~ ConfigMap/settings
                data.mode: slow → fast
            ~ Secret/password
                stringData.password: *** (changed)
            1 added, 1 removed, 2 changed, 0 unchanged
            exit code 2
            $ kelson rollback app --yes --age-identity key
            created   ConfigMap/the-namespace/first
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/second
            1 created, 2 changed, 1 deleted
            $ kubectl get configmap settings -o jsonpath={.data}
            {"mode":"slow"}
            $ kelson apply oci-layout:out more.yaml --name app --yes --change-source --age-identity key
            created   ConfigMap/the-namespace/more
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/first
            2 created, 2 changed, 1 deleted
            warning: what is applied is not kept: it was decrypted on the way, and would lie open in the cluster (one encrypted artifact, applied as it is, is kept as it is); going back to it will need its source
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT              NOW       CONTENT
            4       sha256:<short...>  -         <time>  admin  applied             deployed  not kept: it was decrypted on the way, and would lie open in the cluster (one encrypted artifact, applied as it is, is kept as it is)
            3       sha256:<short...>  -         <time>  admin  applied, back to 1            kept
            2       sha256:<short...>  -         <time>  admin  applied                       kept
            1       sha256:<short...>  -         <time>  admin  applied                       kept
            $ kelson rollback app --yes --age-identity key
            created   ConfigMap/the-namespace/first
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/more
            deleted   ConfigMap/the-namespace/second
            1 created, 2 changed, 2 deleted
            $ kelson rollback app --yes --age-identity key
            error: the artifact sha256:<digest> cannot be had again: it was not kept, since it was decrypted on the way, and would lie open in the cluster (one encrypted artifact, applied as it is, is kept as it is); on this machine: there is no store `/here/home/.local/share/kelson/store` that could hold the artifact sha256:<digest>; --store names another
            exit code 1
        "#]],
    );
    assert!(!is_open(&kept(&stage)), "a secret value is kept open");
    // The search would find one: what nobody has encrypted is as open as any Secret.
    assert_eq!(stage.run("kelson apply v1 --name app --yes --change-source").code, 0);
    assert!(is_open(&kept(&stage)));
}

#[test]
fn ten_are_kept_and_none_outlives_the_delivery() {
    let stage = Stage::new(FILES);
    stage.step("use v3");
    let litter = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kelson.dev/artifact",
        "metadata": {
            "name": format!("kelson.app.kept.{}.0", "0".repeat(64)),
            "labels": {"kelson.dev/artifact": "app"},
        },
    });
    stage.post("/api/v1/namespaces/the-namespace/secrets", &litter);
    let other = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kelson.dev/artifact",
        "metadata": {"name": "other", "labels": {"kelson.dev/artifact": "other"}},
    });
    stage.post("/api/v1/namespaces/the-namespace/secrets", &other);
    for number in 0..12 {
        let text = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{mode: '{number}'}}\n"
        );
        std::fs::write(stage.folder.path("app/objects.yaml"), text).unwrap();
        let ran = stage.run("kelson apply app --name app --yes");
        assert_eq!(ran.code, 0, "{}", ran.shown());
    }
    let numbers = |history: &Value| -> Vec<u64> {
        let entries = history["history"].as_array().unwrap();
        entries.iter().map(|entry| entry["number"].as_u64().unwrap()).collect()
    };
    let history: Value = serde_json::from_str(&stage.run("kelson history app --json").out).unwrap();
    assert_eq!(numbers(&history), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    let names = |stage: &Stage| -> Vec<String> {
        let name = |secret: &Value| secret["metadata"]["name"].as_str().unwrap().to_owned();
        kept(stage).iter().map(name).collect()
    };
    let mut wanted: Vec<String> = history["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            entry["digest"].as_str().unwrap().replace("sha256:", "kelson.app.kept.") + ".0"
        })
        .collect();
    wanted.push("other".to_owned());
    wanted.sort();
    assert_eq!(names(&stage), wanted);
    assert_eq!(stage.run("kelson rollback app --to 3 --yes").code, 0);
    assert_eq!(names(&stage).len(), 11, "the one that was gone back to is kept once");
    assert_eq!(stage.run("kelson delete app --yes").code, 0);
    assert_eq!(names(&stage), ["other"]);
}

#[test]
fn a_damaged_artifact_is_named_and_not_applied() {
    let stage = applied(&["v1", "v2"]);
    let history: Value = serde_json::from_str(&stage.run("kelson history app --json").out).unwrap();
    let digest = |at: usize| {
        let digest = history["history"][at]["digest"].as_str().unwrap();
        digest.trim_start_matches("sha256:").to_owned()
    };
    let name = format!("kelson.app.kept.{}.0", digest(1));
    let path = format!("/api/v1/namespaces/the-namespace/secrets/{name}");
    let (good, other) = (stage.get(&path)["data"].clone(), {
        let path = path.replace(&digest(1), &digest(0));
        stage.get(&path)["data"].clone()
    });
    let spoil = |data: &Value| {
        let patch = json!({ "data": data }).to_string();
        stage.kubectl(&format!("patch secret {name} --type=merge -p {patch}")).unwrap();
        let shown = stage.step("kelson rollback app --yes");
        let mode = stage.kubectl("get configmap settings -o jsonpath={.data.mode}").unwrap();
        assert_eq!(mode, "fast", "{shown}");
        let patch = json!({ "data": good }).to_string();
        stage.kubectl(&format!("patch secret {name} --type=merge -p {patch}")).unwrap();
        shown.replace(&digest(1), "<digits>").replace(&digest(0), "<other>")
    };
    let mut shown = String::new();
    let part = good["part"].as_str().unwrap();
    let half = &part[..part.len() / 2 / 4 * 4];
    // The content of another artifact, with everything that was said of the one that it stands for but its own digest.
    let disguised = json!({"part": other["part"], "digest": other["digest"]});
    for data in [
        other.clone(),
        json!({"part": "AAAA"}),
        json!({"part": half}),
        json!({"part": null}),
        json!({"schema": "a2Vsc29uLmRldi9hcnRpZmFjdC92OQ=="}),
        json!({"parts": "Mg=="}),
        json!({"parts": "OTk5OTk5"}),
        disguised,
    ] {
        shown.push_str(&spoil(&data));
    }
    expect![[r#"
        error: the Secret `kelson.app.kept.<digest>.0`, which keeps what was applied, is damaged: it holds another artifact; nothing was done with it, apply that version from its source
        exit code 1
        error: the Secret `kelson.app.kept.<digest>.0`, which keeps what was applied, is damaged: its content is not what its digest says; nothing was done with it, apply that version from its source
        exit code 1
        error: the Secret `kelson.app.kept.<digest>.0`, which keeps what was applied, is damaged: its content is not what its digest says; nothing was done with it, apply that version from its source
        exit code 1
        error: the Secret `kelson.app.kept.<digest>.0`, which keeps what was applied, is damaged: it holds nothing; nothing was done with it, apply that version from its source
        exit code 1
        error: the Secret `kelson.app.kept.<digest>.0` was written by a later version of kelson (its schema is `kelson.dev/artifact/v9`); use that one
        exit code 1
        error: the Secret `kelson.app.kept.<digest>.0`, which keeps what was applied, is damaged: `kelson.app.kept.<digest>.1`, which goes with it, is gone; nothing was done with it, apply that version from its source
        exit code 1
        error: the Secret `kelson.app.kept.<digest>.0`, which keeps what was applied, is damaged: it does not say how many parts there are, or their digest; nothing was done with it, apply that version from its source
        exit code 1
        error: cannot read the artifact sha256:<digest>, which the Secret `kelson.app.kept.<digest>.0` keeps
        caused by: manifest sha256:<digest> is not in `oci-layout:kelson.app.kept.<digest>.0`
        exit code 1
    "#]].assert_eq(&shown);
    assert_eq!(stage.run("kelson rollback app --yes").code, 0, "the spoiling is undone");
}

#[test]
fn what_cannot_be_gone_back_to_is_said() {
    let stage = applied(&["v1"]);
    stage.check(
        &[
            "kelson rollback nobody --yes",
            "kelson rollback app --yes -n no-such-namespace",
            "kelson rollback app --yes",
            "kelson rollback app --yes --to v7",
            "kelson history app --diff 1 2",
            "kelson rollback app --yes --to 1",
            "use v2",
            "kelson apply app --name app --yes",
            "kubectl delete secrets --field-selector=type=kelson.dev/artifact",
            "kelson rollback app --yes",
        ],
        expect![[r#"
            $ kelson rollback nobody --yes
            error: nothing was delivered as the-namespace/nobody
            exit code 1
            $ kelson rollback app --yes -n no-such-namespace
            error: nothing was delivered as no-such-namespace/app
            exit code 1
            $ kelson rollback app --yes
            error: no other version that went well was applied before the last one; there is 1 (sha256:<short...>); say which one is meant with --to
            exit code 1
            $ kelson rollback app --yes --to v7
            error: `v7` is none of what was applied; there is 1 (sha256:<short...>)
            exit code 1
            $ kelson history app --diff 1 2
            error: `2` is none of what was applied; there is 1 (sha256:<short...>)
            exit code 1
            $ kelson rollback app --yes --to 1
            3 unchanged
            $ use v2
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/first
            1 created, 2 changed, 1 deleted
            $ kubectl delete secrets --field-selector=type=kelson.dev/artifact
            secret "kelson.app.kept.<digest>.0" deleted from the-namespace namespace
            secret "kelson.app.kept.<digest>.0" deleted from the-namespace namespace
            $ kelson rollback app --yes
            error: the artifact sha256:<digest> cannot be had again: the cluster does not have it (any more); on this machine: there is no store `/here/home/.local/share/kelson/store` that could hold the artifact sha256:<digest>; --store names another
            exit code 1
        "#]],
    );
}

#[test]
fn a_rollback_is_planned_first_and_applied_as_it_was_shown() {
    let stage = applied(&["v1", "v2"]);
    stage.check(
        &[
            "kelson rollback app -o back.json",
            "kelson apply back.json",
            "kelson history app",
            "kelson apply back.json",
        ],
        expect![[r#"
            $ kelson rollback app -o back.json
            + ConfigMap/the-namespace/first
            ~ ConfigMap/the-namespace/settings
                data.mode: fast → slow  (owner: kelson)
            ~ Secret/the-namespace/password
                data.password: *** (changed)  (owner: kelson)
            - ConfigMap/the-namespace/second
            1 to create, 2 to change, 1 to delete
            exit code 2
            $ kelson apply back.json
            created   ConfigMap/the-namespace/first
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/second
            1 created, 2 changed, 1 deleted
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT              NOW       CONTENT
            3       sha256:<short...>  -         <time>  admin  applied, back to 1  deployed  kept
            2       sha256:<short...>  -         <time>  admin  applied                       kept
            1       sha256:<short...>  -         <time>  admin  applied                       kept
            $ kelson apply back.json
            error: the ground has moved since this was planned; nothing was done
              the inventory of the-namespace/app has changed: something was applied since
              ConfigMap/the-namespace/first exists now, and did not when the plan was made
              ConfigMap/the-namespace/settings has changed since the plan was made
              Secret/the-namespace/password has changed since the plan was made
              ConfigMap/the-namespace/second is no longer part of the plan
            exit code 4
        "#]],
    );
}

#[test]
fn a_large_artifact_is_kept_in_parts_and_one_that_is_too_large_is_not() {
    let stage = Stage::new(FILES);
    // Nothing makes this smaller.
    let noise = |size: usize| -> Vec<u8> {
        let mut seed = 0x6b65_6c73_u64;
        let next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 24) as u8
        };
        std::iter::repeat_with(next).take(size).collect()
    };
    for (version, size) in [("v1", 9 << 20), ("v2", 2 << 20), ("v3", 10)] {
        std::fs::write(stage.folder.path(&format!("{version}/noise")), noise(size)).unwrap();
        let push = stage.run(&format!("kelson push --raw {version} oci-layout:out:{version}"));
        assert_eq!(push.code, 0, "{}", push.shown());
    }
    stage.check(
        &[
            "kelson apply oci-layout:out:v1 --name app --yes",
            "kelson apply oci-layout:out:v2 --name app --yes",
            "kubectl get secrets --field-selector=type=kelson.dev/artifact -o jsonpath={.items[*].type}",
            "kelson apply oci-layout:out:v3 --name app --yes",
            "kelson rollback app --yes",
            "kelson history app",
            "kelson rollback app --yes --to 1",
        ],
        expect![[r#"
            $ kelson apply oci-layout:out:v1 --name app --yes
            created   ConfigMap/the-namespace/first
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            3 created
            warning: what is applied is not kept: it has more than 8 MiB; going back to it will need its source
            $ kelson apply oci-layout:out:v2 --name app --yes
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/first
            1 created, 2 changed, 1 deleted
            $ kubectl get secrets --field-selector=type=kelson.dev/artifact -o jsonpath={.items[*].type}
            kelson.dev/artifact kelson.dev/artifact kelson.dev/artifact
            $ kelson apply oci-layout:out:v3 --name app --yes
            changed   ConfigMap/the-namespace/settings
            deleted   ConfigMap/the-namespace/second
            deleted   Secret/the-namespace/password
            1 changed, 2 deleted
            $ kelson rollback app --yes
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            2 created, 1 changed
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT              NOW       CONTENT
            4       sha256:<short...>  -         <time>  admin  applied, back to 2  deployed  kept
            3       sha256:<short...>  -         <time>  admin  applied                       kept
            2       sha256:<short...>  -         <time>  admin  applied                       kept
            1       sha256:<short...>  -         <time>  admin  applied                       not kept: it has more than 8 MiB
            $ kelson rollback app --yes --to 1
            error: the artifact sha256:<digest> cannot be had again: it was not kept, since it has more than 8 MiB; on this machine: there is no store `/here/home/.local/share/kelson/store` that could hold the artifact sha256:<digest>; --store names another
            exit code 1
        "#]],
    );
}

#[test]
fn nobody_goes_back_while_somebody_goes_forward() {
    let stage = applied(&["v1", "v2"]);
    stage.step("use v3");
    let detour = stage.plane.behind_proxy().unwrap();
    let gate = Gate::new();
    detour.fault("DELETE", "/configmaps/second", 1, Fault::Hold(gate.clone()));
    let stage = stage.through(&detour);
    let mut forward = stage.start("kelson apply app --name app --yes --lease-duration 30s");
    gate.wait(PATIENCE).unwrap();
    let stage = stage.directly();
    let back = stage.run("kelson rollback app --yes --lease-timeout 1s");
    gate.release(None);
    assert!(forward.wait().unwrap().success());
    assert_eq!(back.code, 1, "{}", back.shown());
    assert!(back.err.contains("is applying"), "{}", back.shown());
    let mode = stage.kubectl("get configmap settings -o jsonpath={.data.mode}").unwrap();
    assert_eq!(mode, "faster");
    assert_eq!(kept(&stage).len(), 3);
}

#[test]
fn what_cannot_be_kept_is_applied_all_the_same() {
    let stage = Stage::new(FILES);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    let refused = || Fault::refusal(403, "Forbidden", "not yours");
    detour.fault("PATCH", ".kept.", 1, refused());
    stage.check(
        &["use v1", "kelson apply app --name app --yes", "kelson history app"],
        expect![[r#"
            $ use v1
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/first
            created   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            3 created
            warning: what is applied is not kept: cannot write the artifacts that are kept of the-namespace/app: not yours (403 Forbidden); going back to it will need its source
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            1       sha256:<short...>  -         <time>  admin  applied  deployed  not kept: cannot write the artifacts that are kept of the-namespace/app: not yours (403 Forbidden)
        "#]],
    );
    detour.fault("GET", "artifact", 1, refused());
    stage.check(
        &["use v2", "kelson apply app --name app --yes", "kelson history app"],
        expect![[r#"
            $ use v2
            $ kelson apply app --name app --yes
            created   ConfigMap/the-namespace/second
            changed   ConfigMap/the-namespace/settings
            changed   Secret/the-namespace/password
            deleted   ConfigMap/the-namespace/first
            1 created, 2 changed, 1 deleted
            $ kelson history app
            NUMBER  ARTIFACT             REVISION  AT                    BY     RESULT   NOW       CONTENT
            2       sha256:<short...>  -         <time>  admin  applied  deployed  kept
            1       sha256:<short...>  -         <time>  admin  applied            not kept: cannot write the artifacts that are kept of the-namespace/app: not yours (403 Forbidden)
        "#]],
    );
    assert_eq!(kept(&stage).len(), 1);
}

#[test]
fn what_is_kept_is_gone_before_the_record_of_it() {
    let stage = applied(&["v1", "v3"]);
    let detour = stage.plane.behind_proxy().unwrap();
    let stage = stage.through(&detour);
    detour.fault("DELETE", ".kept.", 1, Fault::refusal(403, "Forbidden", "not yours"));
    stage.check(&["kelson delete app --yes"], expect![[r#"
        $ kelson delete app --yes
        deleted   ConfigMap/the-namespace/settings
        error: cannot remove the artifacts that are kept of the-namespace/app: not yours (403 Forbidden)
        exit code 1
    "#]]);
    assert_eq!(kept(&stage).len(), 2);
    stage.check(
        &["kelson delete app --yes", "kubectl get secrets,leases -o name"],
        expect![[r#"
        $ kelson delete app --yes
        0 unchanged
        $ kubectl get secrets,leases -o name
    "#]],
    );
}
