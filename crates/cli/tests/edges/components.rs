//! Where components come from and go to.

use kelson_testkit::registry::{PASSWORD, USER};
use kelson_testkit::{FaultProxy, Registry, registry};

use crate::program::Folder;
use crate::{SHOP, done, private_registry};

const FILES: &str = "#- inline.toml
name = \"inline\"
type = \"kubernetes_manifest\"
namespace = \"x\"
manifest = \"\"\"
apiVersion: v1
kind: ConfigMap
metadata: {name: inline}
data: {id: {{.nuon.install.id}}}
\"\"\"
#- shop.toml
name = \"shop\"
type = \"kubernetes_manifest\"
namespace = \"x\"
[kustomize]
path = \"shop\"
";

#[test]
fn components_are_built_into_a_registry_and_nothing_is_sent_twice() {
    let registry = private_registry();
    let front = FaultProxy::start(registry.address()).unwrap();
    let folder = Folder::new(&format!("{SHOP}{FILES}"));
    let to = format!("oci://{}/components", front.address());
    let creds = format!("{USER}:{PASSWORD}");
    let build = || {
        front.forget();
        let arguments =
            ["component", "build", "inline.toml", "shop.toml", "--to", &to, "--creds", &creds];
        let ran = folder.run(&arguments);
        done(&ran).to_owned()
    };
    let first = build();
    let sent = |method| front.seen_at(method, "/blobs/uploads/").len();
    assert_eq!(sent("PUT"), 4, "two blobs for each");
    for tag in ["inline", "shop"] {
        assert!(first.contains(&format!("{tag}: {to}:{tag}@sha256:")), "{first}");
        let artifact = format!("{to}:{tag}");
        let pulled = folder.run(&["pull", &artifact, "--creds", &creds]);
        assert!(done(&pulled).contains("kind: "), "{}", pulled.shown());
    }
    assert_eq!(build(), first);
    assert_eq!((sent("POST"), sent("PATCH"), sent("PUT")), (0, 0, 0));
}

#[test]
fn a_plan_carries_the_credentials_of_its_registry() {
    let registry = private_registry();
    let folder = Folder::new(&format!("{SHOP}{FILES}"));
    let place = format!("oci://{}/components", registry.address());
    let to = format!("{place}:v1");
    done(&folder.run(&["component", "build", "shop.toml", "--to", &to, "--emit-plan=plan.json"]));
    let build = ["component", "build", "--plan=plan.json", "--result=result.json"];
    let refused = folder.run(&build);
    assert_eq!(refused.code, 1, "{}", refused.shown());
    let result = || std::fs::read_to_string(folder.path("result.json")).unwrap();
    assert!(result().contains("\"status\": \"failed\""), "{}", result());

    let plan = std::fs::read_to_string(folder.path("plan.json")).unwrap();
    let mut plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    plan["dst_registry"]["username"] = USER.into();
    plan["dst_registry"]["password"] = PASSWORD.into();
    std::fs::write(folder.path("plan.json"), plan.to_string()).unwrap();
    let built = folder.run(&build);
    done(&built);
    assert!(result().contains("\"status\": \"finished\""), "{}", result());
    for text in [refused.shown(), built.shown(), result()] {
        assert!(!text.contains(PASSWORD), "{text}");
    }
}

#[test]
fn one_component_that_fails_does_not_take_the_others_with_it() {
    let registry = Registry::start(registry::Options::default()).unwrap();
    let folder =
        Folder::new(&format!("{SHOP}{FILES}").replace("path = \"shop\"", "path = \"nowhere\""));
    let to = format!("oci://{}/components", registry.address());
    let arguments = ["component", "build", "shop.toml", "inline.toml", "--json", "--to", &to];
    let ran = folder.run(&arguments);
    assert_eq!(ran.code, 1, "{}", ran.shown());
    let is_end = |line: &&str| line.contains("\"step\":null") && !line.contains("pending");
    let ends: Vec<&str> = ran.out.lines().filter(is_end).collect();
    assert_eq!(ends.len(), 2, "{}", ran.out);
    let end = |name: &str, status: &str| {
        let line = format!("{{\"name\":\"{name}\",\"step\":null,\"status\":\"{status}\"}}");
        assert!(ends.contains(&line.as_str()), "{ends:?}");
    };
    end("shop", "failed");
    end("inline", "finished");
    let listed = folder.run(&["list", &to]);
    assert!(done(&listed).contains(":inline") && !listed.out.contains(":shop"), "{}", listed.out);
}
