//! Whether the cluster is as it was left.

use std::io::{BufRead, BufReader};

use expect_test::expect;
use serde_json::Value;

use super::{SHOP, deployed};
use crate::stage::signal;

#[test]
fn drift_is_found_in_the_digest_and_in_what_is_live() {
    let stage = deployed();
    stage.check(
        &[
            "kelson component drift shop.toml --from oci-layout:out --state state.json",
            "kubectl patch configmap settings --type merge -p {\"data\":{\"mode\":\"other\"}}",
            "kubectl delete secret password",
            "kelson component drift shop.toml --from oci-layout:out --state state.json",
            "kelson component drift shop.toml --from oci-layout:out --state state.json --json",
            "kelson component deploy shop.toml --from oci-layout:out --state state.json --yes",
            "kelson component drift shop.toml --from oci-layout:out --state state.json",
            "kelson component build v2.toml --to oci-layout:out",
            "kelson component drift shop.toml --from oci-layout:out --state state.json",
            "kelson component drift shop.toml --from oci-layout:out:none --state state.json",
            "kelson component drift v2.toml --from oci-layout:out --state state.json --scheduled",
            "kelson component drift shop.toml --from oci-layout:out --state state.json --schedule daily",
        ],
        expect![[r#"
            $ kelson component drift shop.toml --from oci-layout:out --state state.json
            <time> Shop: no drift from sha256:<digest>
            $ kubectl patch configmap settings --type merge -p {"data":{"mode":"other"}}
            configmap/settings patched
            $ kubectl delete secret password
            secret "password" deleted from the-namespace namespace
            $ kelson component drift shop.toml --from oci-layout:out --state state.json
            <time> Shop: drifted, 2 objects
              change ConfigMap/the-namespace/settings: data.mode
              create Secret/the-namespace/password
            exit code 2
            $ kelson component drift shop.toml --from oci-layout:out --state state.json --json
            {"event":"drift","component":"Shop","status":"drifted","time":"<time>","digest":"sha256:<digest>","deployed":"sha256:<digest>","changes":[{"group":"","kind":"ConfigMap","namespace":"the-namespace","name":"settings","action":"change","fields":["data.mode"]},{"group":"","kind":"Secret","namespace":"the-namespace","name":"password","action":"create"}]}
            exit code 2
            $ kelson component deploy shop.toml --from oci-layout:out --state state.json --yes
            changed   ConfigMap/the-namespace/settings
            created   Secret/the-namespace/password
            Shop of oci-layout:/here/out@sha256:<digest>: 1 created, 1 changed, 1 unchanged
            warning: Shop: ConfigMap/the-namespace/settings: `data.mode` is taken from kubectl-patch
            $ kelson component drift shop.toml --from oci-layout:out --state state.json
            <time> Shop: no drift from sha256:<digest>
            $ kelson component build v2.toml --to oci-layout:out
            Shop: oci-layout:out:Shop@sha256:<digest> (2 objects)
            $ kelson component drift shop.toml --from oci-layout:out --state state.json
            <time> Shop: drifted, 3 objects
              deployed is sha256:<digest>, the artifact is sha256:<digest>
              change ConfigMap/the-namespace/settings: data.mode, data.owner, data.replicas
              change Secret/the-namespace/password: data.password
              delete Deployment/the-namespace/web
            exit code 2
            $ kelson component drift shop.toml --from oci-layout:out:none --state state.json
            <time> Shop: nobody can tell: tag `none` is not in `oci-layout:/here/out`
            exit code 1
            $ kelson component drift v2.toml --from oci-layout:out --state state.json --scheduled
            error: the component has no drift_schedule; give one with --schedule
            exit code 64
            $ kelson component drift shop.toml --from oci-layout:out --state state.json --schedule daily
            error: invalid value 'daily' for '--schedule <CRON>': `daily` does not read like `0 2 * * *`

            For more information, try '--help'.
            exit code 64
        "#]],
    );
}

#[test]
fn a_schedule_is_followed_until_somebody_has_had_enough() {
    let stage = deployed();
    let mut child = stage.start(&format!("kelson component drift {SHOP} --scheduled --json"));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let first = next();
    assert_eq!((&first["event"], &first["status"]), (&"drift".into(), &"no-drift".into()));
    assert_eq!(first["digest"], first["deployed"]);
    stage.kubectl("delete configmap settings").unwrap();
    // The look that was under way may still have seen it.
    let drifted = std::iter::repeat_with(&mut next).find(|event| event["status"] == "drifted");
    assert_eq!(drifted.unwrap()["changes"][0]["action"], "create");
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
