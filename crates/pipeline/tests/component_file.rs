//! Component files: what they may say, and what is said of those that are wrong.

use expect_test::{Expect, expect};
use kelson_pipeline::component::{self, Source};

#[track_caller]
fn check(text: &str, expected: Expect) {
    let actual = match component::read("shop.toml", text) {
        Ok(component) => format!("{component:#?}"),
        Err(failure) => failure
            .diagnostics
            .iter()
            .map(|diagnostic| {
                let label = diagnostic.labels.first();
                let place = label.and_then(|label| failure.sources.place(label.span));
                let place = place.map(|it| format!("{}:{}:{}: ", it.name, it.line, it.column));
                let help = diagnostic.help.as_ref().map(|help| format!(" ({help})"));
                let (place, help) = (place.unwrap_or_default(), help.unwrap_or_default());
                format!("{place}{}{help}\n", diagnostic.message)
            })
            .collect(),
    };
    expected.assert_eq(&actual);
}

const HEAD: &str = "name = \"shop\"\ntype = \"kubernetes_manifest\"\nnamespace = \"default\"\n";

#[track_caller]
fn check_rest(rest: &str, expected: Expect) {
    check(&format!("{HEAD}{rest}"), expected);
}

#[test]
fn a_component_says_everything_it_can() {
    check(
        r#"name = "shop"
type = "kubernetes_manifest"
var_name = "the_shop"
namespace = "{{.nuon.install.id}}"
dependencies = ["database"]
drift_schedule = "0 2 * * *"
build_timeout = "90s"
deploy_timeout = "1h"
max_auto_retries = 3
skip_noops = true
auto_approve_on_policies_passing = true

[public_repo]
repo = "acme/shop"
directory = "deploy"
branch = "main"

[kustomize]
path = "overlays/production"
patches = ["patches/limits.yaml"]
enable_helm = false
load_restrictor = "none"

[health]
enabled = true
stabilization_window = "2m30s"
block_deploy = true

[[health.probes]]
type = "http"
name = "front"
url = "http://shop/healthz"
"#,
        expect![[r#"
            Component {
                name: "shop",
                var_name: "the_shop",
                namespace: "{{.nuon.install.id}}",
                dependencies: [
                    "database",
                ],
                drift_schedule: Some(
                    "0 2 * * *",
                ),
                source: Kustomize(
                    Kustomize {
                        path: "overlays/production",
                        config: KustomizeConfig {
                            patches: [
                                "patches/limits.yaml",
                            ],
                            enable_helm: false,
                            load_restrictor: "none",
                            extra: {},
                        },
                        repository: Some(
                            Repository {
                                repo: "acme/shop",
                                directory: "deploy",
                                reference: "main",
                                connected: false,
                            },
                        ),
                    },
                ),
                health: Health {
                    enabled: true,
                    stabilization_window: 150s,
                    block_deploy: true,
                    probes: [
                        Probe {
                            kind: "http",
                            name: "front",
                            url: "http://shop/healthz",
                            command: [],
                        },
                    ],
                },
                build_timeout: 90s,
                deploy_timeout: 3600s,
                max_auto_retries: 3,
                skip_noops: true,
                auto_approve_on_policies_passing: true,
            }"#]],
    );
}

#[test]
fn exactly_one_source_is_named() {
    check_rest(
        "",
        expect![[r#"
        shop.toml:1:1: one of 'manifest', 'kustomize', or 'oci_artifact' must be specified
    "#]],
    );
    check_rest(
        "manifest = \"\"\n",
        expect![[r#"
        shop.toml:1:1: one of 'manifest', 'kustomize', or 'oci_artifact' must be specified
    "#]],
    );
    check_rest(
        "manifest = \"\"\"\na: 1\n\"\"\"\n[kustomize]\npath = \"x\"\n",
        expect![[r#"
        shop.toml:7:2: only one of 'manifest', 'kustomize', or 'oci_artifact' can be specified
    "#]],
    );
    check_rest(
        "[oci_artifact]\nurl = \"oci://r.example/a\"\ntag = \"v1\"\n[kustomize]\npath = \"x\"\n",
        expect![[r#"
            shop.toml:7:2: only one of 'manifest', 'kustomize', or 'oci_artifact' can be specified
        "#]],
    );
}

#[test]
fn each_source_has_what_it_needs() {
    check_rest(
        "[kustomize]\n",
        expect![[r#"
        shop.toml:4:2: kustomize.path is required
    "#]],
    );
    check_rest(
        "[kustomize]\npath = \"\"\n",
        expect![[r#"
        shop.toml:4:2: kustomize.path is required
    "#]],
    );
    check_rest(
        "[oci_artifact]\n",
        expect![[r#"
        shop.toml:4:2: oci_artifact.url is required
        shop.toml:4:2: oci_artifact requires either tag or digest
    "#]],
    );
    check_rest(
        "[oci_artifact]\nurl = \"oci://r.example/a\"\n",
        expect![[r#"
        shop.toml:4:2: oci_artifact requires either tag or digest
    "#]],
    );
    check_rest(
        "[oci_artifact]\nurl = \"oci://r.example/A\"\ndigest = \"sha256:12\"\n",
        expect![[r#"
            shop.toml:5:1: `oci://r.example/A` does not name an artifact: `A` is not the name of a repository
        "#]],
    );
}

#[test]
fn a_repository_is_for_overlays_and_there_is_one() {
    let repositories = "[public_repo]\nrepo = \"a/b\"\n[connected_repo]\nrepo = \"a/b\"\n";
    check_rest(
        &format!("[kustomize]\npath = \"x\"\n{repositories}"),
        expect![[r#"
        shop.toml:8:2: only one of 'public_repo' or 'connected_repo' can be specified
    "#]],
    );
    check_rest(
        "manifest = \"\"\"\na: 1\n\"\"\"\n[public_repo]\nrepo = \"a/b\"\n",
        expect![[r#"
            shop.toml:7:2: 'public_repo' and 'connected_repo' are only valid with kustomize, not inline manifests
        "#]],
    );
    check_rest(
        "[kustomize]\npath = \"x\"\n[public_repo]\nrepo = \"acme/shop\"\ncommit = \"0123abc\"\n",
        expect![[r#"
            shop.toml:8:1: `public_repo.commit` is 40 hexadecimal digits, not `0123abc`
        "#]],
    );
    check_rest(
        "[kustomize]\npath = \"x\"\n[public_repo]\nbranch = \"x\"\ntag = \"y\"\n",
        expect![[r#"
            shop.toml:6:2: public_repo.repo is required
            shop.toml:6:2: only one of branch, tag and commit can be in `public_repo`
        "#]],
    );
}

#[test]
fn unknown_keys_and_wrong_types_are_named_with_their_place() {
    check_rest(
        "manifets = \"\"\"\na: 1\n\"\"\"\n",
        expect![[r#"
        shop.toml:1:1: one of 'manifest', 'kustomize', or 'oci_artifact' must be specified
        shop.toml:4:1: `manifets` is not a field of a component (did you mean `manifest`?)
    "#]],
    );
    check_rest(
        "[kustomize]\npath = \"x\"\nenable_hlem = true\npatches = \"a.yaml\"\n",
        expect![[r#"
            shop.toml:6:1: `kustomize.enable_hlem` is not a field of a component (did you mean `enable_helm`?)
            shop.toml:7:11: `kustomize.patches` must be a list of texts, not a text
        "#]],
    );
    check_rest(
        "manifest = \"a.yaml\"\nskip_noops = \"yes\"\nbuild_timeout = \"2h\"\nmax_auto_retries = -1\n",
        expect![[r#"
            shop.toml:5:14: `skip_noops` must be `true` or `false`, not a text
            shop.toml:6:17: `build_timeout` must be a time such as `5m`, of at most 60 minutes
            shop.toml:7:20: `max_auto_retries` must be a whole number from 0 to 100
        "#]],
    );
    check_rest(
        "manifest = \"a.yaml\"\ndrift_schedule = \"daily\"\nhealth = 3\n",
        expect![[r#"
        shop.toml:5:1: `drift_schedule` is no schedule: `daily` does not read like `0 2 * * *`
        shop.toml:6:10: `health` must be a table, not a whole number
    "#]],
    );
    check(
        "manifest = \"a.yaml\"\nname = 3\n",
        expect![[r#"
        shop.toml:1:1: namespace is required
        shop.toml:2:8: `name` must be a text, not a whole number
    "#]],
    );
    check(
        "name = \"a\nnamespace = 1",
        expect![[r#"
        shop.toml:1:10: this is not TOML: invalid basic string, expected `"`
    "#]],
    );
    check(
        "name = \"a\"\nnamespace = \"b\"\nmanifest = \"a.yaml\"\ntype = \"helm_chart\"\n",
        expect![[r#"
        shop.toml:4:1: the type must be `kubernetes_manifest`, not `helm_chart`
    "#]],
    );
    check_rest(
        "manifest = \"https://example.org/a.yaml\"\n",
        expect![[r#"
        shop.toml:4:1: `manifest` names an address, and addresses are not fetched (put the file beside the component and name it by its path)
    "#]],
    );
}

#[test]
fn a_manifest_is_yaml_or_names_its_file() {
    #[track_caller]
    fn check(manifest: &str, expected: &Source) {
        let text = format!("{HEAD}manifest = '''{manifest}'''\n");
        assert_eq!(component::read("a.toml", &text).unwrap().source, *expected);
    }
    for path in ["./a.yaml", "a.yaml", "deploy/a.yml", "../b/a.json"] {
        check(path, &Source::File(path.to_owned()));
    }
    check("file://a/b.txt", &Source::File("a/b.txt".to_owned()));
    for inline in ["\nkind: ConfigMap\n", "{kind: a.yaml}", "kind: a.yaml"] {
        check(inline, &Source::Manifest(inline.trim_start_matches('\n').to_owned()));
    }
}
