use std::time::Duration;

use kelson_cluster::{End, Target};
use kelson_plan::HealthRules;

use crate::stage::{Heard, Stage};

/// Defines a kind `Thing` of a group of one's own, and makes one.
async fn thing(stage: &Stage) -> (String, Target) {
    let group = format!("{}.example.com", stage.namespace);
    let definition = format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: things.{group}}}, \
         spec: {{group: {group}, scope: Namespaced, names: {{plural: things, singular: thing, kind: Thing, listKind: ThingList}}, \
         versions: [{{name: v1, served: true, storage: true, subresources: {{status: {{}}}}, \
         schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}}}]}}}}"
    );
    let definition = stage.apply(&definition);
    stage
        .check(std::slice::from_ref(&definition), End::Ready, &["CustomResourceDefinition/things"])
        .await;
    let thing =
        format!("{{apiVersion: {group}/v1, kind: Thing, metadata: {{name: one}}, spec: {{a: 1}}}}");
    let target = stage.target(&thing);
    // It is established somewhat before it is served.
    for _ in 0..1200 {
        if stage.plane.bare().unwrap().get(&format!("/apis/{group}/v1")).is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    stage.apply(&thing);
    (group, target)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_custom_resource_is_well_when_its_conditions_say_so() {
    let stage = Stage::new().await;
    let (_, target) = thing(&stage).await;
    let condition = |status: &str| {
        format!(
            r#"{{"conditions":[{{"type":"Ready","status":"{status}","reason":"Why","message":"so"}}]}}"#
        )
    };
    stage.status(&target, &condition("False"));
    let targets = [target];
    let heard = Heard::default();
    let ready = async {
        heard.has("Thing/one InProgress").await;
        stage.status(&targets[0], &condition("True"));
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), ready);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_decides_for_kinds_of_ones_own() {
    let mut stage = Stage::new().await;
    let (group, target) = thing(&stage).await;
    let rules = format!(
        "- apiVersion: {group}/v1\n  kind: Thing\n  current: status.phase == 'Done'\n  failed: status.phase == 'Broken'\n"
    );
    stage.options.rules = HealthRules::read("health.yaml", &rules).unwrap();
    stage.status(&target, r#"{"phase":"Working"}"#);
    let targets = [target];
    let heard = Heard::default();
    let done = async {
        heard.has("Thing/one InProgress").await;
        stage.status(&targets[0], r#"{"phase":"Done"}"#);
    };
    let (observed, ()) = tokio::join!(stage.observe_with(&targets, &heard), done);
    assert_eq!(observed.end, End::Ready, "{}", heard.told());
    stage.status(&targets[0], r#"{"phase":"Broken"}"#);
    stage.check(&targets, End::Failed, &["Thing/one Failed"]).await;
}
