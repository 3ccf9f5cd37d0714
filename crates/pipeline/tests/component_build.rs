//! Components become artifacts, in a layout and from a real git server.

#[path = "component_build/bench.rs"]
mod bench;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bench::{Bench, INLINE};
use kelson_model::Secret;
use kelson_pipeline::component::{self, BuildResult, Job, Status};
use kelson_pipeline::plan::{self, OciRegistryRepository, SyncOciPlan};
use kelson_testkit::{GitServer, cannot_run};

#[tokio::test]
async fn an_inline_manifest_is_an_implicit_kustomization() {
    let bench = Bench::new("inline");
    let result = bench.build("settings", INLINE, "v1").await.unwrap();
    assert_eq!(result.status, Status::Finished);
    assert_eq!(result.objects, 2);
    assert_eq!(
        bench.content("v1").await,
        "apiVersion: v1\ndata:\n  mode: fast\nkind: ConfigMap\nmetadata:\n  name: settings\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: '{{.nuon.install.id}}'\n\
         spec:\n  replicas: {{.nuon.inputs.replicas}}\n---\n"
    );
    let steps = bench.steps();
    assert_eq!(
        steps,
        "pending, reset initializing, fetch initializing, validate initializing, initialize initializing, \
         exec in-progress, outputs in-progress, cleanup cleaning-up, finished"
    );
}

#[tokio::test]
async fn the_same_input_has_the_same_digest_each_time() {
    let digest = |result: BuildResult| result.oci_artifact.unwrap().digest;
    let (one, two) = (Bench::new("same-1"), Bench::new("same-2"));
    let first = digest(one.build("settings", INLINE, "v1").await.unwrap());
    let second = digest(two.build("settings", INLINE, "other").await.unwrap());
    assert_eq!(first, second);
}

#[tokio::test]
async fn a_local_overlay_is_built_with_its_patches() {
    let bench = Bench::new("local");
    bench.write(
        "base/kustomization.yaml",
        "resources: [a.yaml]\nconfigMapGenerator:\n- name: c\n  literals: [a=b]\n",
    );
    bench.write(
        "base/a.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n",
    );
    bench.write("overlays/prod/kustomization.yaml", "namePrefix: prod-\nresources: [../../base]\n");
    let patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: prod-web}\nspec: {replicas: {{.replicas}}}\n";
    bench.write("patches/limits.yaml", patch);
    let file = "name = \"shop\"\nnamespace = \"x\"\n[kustomize]\npath = \"overlays/prod\"\npatches = [\"patches/limits.yaml\"]\n";
    bench.build("shop", file, "v1").await.unwrap();
    let content = bench.content("v1").await;
    assert!(content.contains("  replicas: {{.replicas}}\n"), "{content}");
    assert!(content.contains("  name: prod-c-"), "{content}");

    let outside = "name = \"shop\"\nnamespace = \"x\"\n[kustomize]\npath = \"../../../etc\"\n";
    let error = bench.build("shop", outside, "v2").await.unwrap_err().to_string();
    assert!(error.contains("/etc"), "{error}");
    let helm = file.replacen("patches", "enable_helm = true\npatches", 1);
    bench.write(
        "base/kustomization.yaml",
        "helmCharts:\n- {name: nginx, repo: 'https://charts.example.org'}\n",
    );
    let error = bench.build("shop", &helm, "v3").await.unwrap_err().to_string();
    assert!(error.contains("charts are not built in yet"), "{error}");
    assert_eq!(bench.tags().await, ["v1"]);
}

#[tokio::test]
async fn an_overlay_of_a_repository_carries_its_revision() {
    let test = "an_overlay_of_a_repository_carries_its_revision";
    let server = match GitServer::start_private("ann", "hunter2") {
        Ok(server) => server,
        Err(error) => return cannot_run(test, &error.to_string()),
    };
    let files = [
        ("deploy/overlay/kustomization.yaml", "namespace: shop\nresources: [a.yaml]\n"),
        ("deploy/overlay/a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"),
        (
            "deploy/patch.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: web, labels: {a: b}}\n",
        ),
    ];
    let repository = server.repository("shop", &files).unwrap();
    let commit = repository.run(&["rev-parse", "HEAD"]).unwrap();
    let file = format!(
        "name = \"shop\"\nnamespace = \"x\"\n[connected_repo]\nrepo = \"{}\"\ndirectory = \"deploy\"\nbranch = \"main\"\n\
         [kustomize]\npath = \"overlay\"\npatches = [\"patch.yaml\"]\n",
        repository.url
    );
    let mut bench = Bench::new("repository");
    let error = bench.build("shop", &file, "v0").await.unwrap_err();
    assert!(error.to_string().ends_with("asks for credentials, and none were given"), "{error}");
    let credentials = ("ann".to_owned(), Secret::new("hunter2"));
    bench.world.git = Arc::new(BTreeMap::from([("127.0.0.1".to_owned(), credentials)]));
    let result = bench.build("shop", &file, "v1").await.unwrap();
    assert_eq!(
        bench.content("v1").await,
        "apiVersion: v1\nkind: Service\nmetadata:\n  labels:\n    a: b\n  name: web\n  namespace: shop\n---\n"
    );
    let annotations = bench.annotations("v1").await;
    assert_eq!(annotations["org.opencontainers.image.revision"], format!("main@sha1:{commit}"));
    assert_eq!(annotations["org.opencontainers.image.created"], "2024-01-02T03:04:05Z");
    assert_eq!(annotations["org.opencontainers.image.source"], repository.url);
    let digest = result.oci_artifact.unwrap().digest;

    let by_commit = file.replace("branch = \"main\"", &format!("commit = \"{commit}\""));
    let other = bench.build("shop", &by_commit, "v2").await.unwrap();
    assert_ne!(other.oci_artifact.unwrap().digest, digest, "the revision names no branch");
    assert!(!bench.steps().contains("hunter2"));
}

#[tokio::test]
async fn somebody_elses_artifact_is_pinned_and_copied_byte_for_byte() {
    let vendor = Bench::new("vendor");
    let built = vendor.build("vendor", INLINE, "v2.3.1").await.unwrap();
    let digest = built.oci_artifact.unwrap().digest;
    let url = vendor.place();
    let mut bench = Bench::new("byoa");
    let file = format!(
        "name = \"v\"\nnamespace = \"v\"\n[oci_artifact]\nurl = \"{url}\"\ntag = \"v2.3.1\"\n"
    );
    let result = bench.build("v", &file, "build-1").await.unwrap();
    assert_eq!(result.oci_artifact.unwrap().digest, digest);
    assert_eq!(bench.content("build-1").await, vendor.content("v2.3.1").await);

    let by_digest = file.replace("tag = \"v2.3.1\"", &format!("digest = \"{digest}\""));
    let result = bench.build("v", &by_digest, "build-2").await.unwrap();
    assert_eq!(result.oci_artifact.unwrap().digest, digest);

    let named = format!("{file}credentials_ref = \"vendor-pull\"\n");
    let error = bench.build("v", &named, "build-3").await.unwrap_err().to_string();
    assert_eq!(error, "no credentials named `vendor-pull` were given");
    bench.world.verify = Some(Arc::new(|store, found| {
        let (what, place) = (found.digest.to_string(), store.place().to_string());
        Box::pin(async { Err(kelson_artifact::Error::NotFound { what, place }) })
    }));
    let error = bench.build("v", &file, "build-4").await.unwrap_err().to_string();
    assert_eq!(error, format!("the artifact `{url}:v2.3.1` is not accepted"));
    assert_eq!(bench.tags().await, ["build-1", "build-2"]);
}

#[tokio::test]
async fn a_plan_is_written_read_and_built_to_the_same_digest() {
    let bench = Bench::new("plan");
    let built = bench.build("settings", INLINE, "v1").await.unwrap();
    let written = serde_json::to_string_pretty(&bench.plan(INLINE, "v2")).unwrap();
    let read = plan::read(&format!("{{\"build_plan\": {written}}}")).unwrap().build_plan.unwrap();
    let result = component::build("x", &read, &bench.world, &bench.options).await.unwrap();
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!(json["status"], "finished");
    assert_eq!(json["oci_artifact"]["tag"], "v2");
    assert_eq!(json["oci_artifact"]["url"], bench.place());
    assert_eq!(json["oci_artifact"]["digest"], built.oci_artifact.unwrap().digest);
    assert_eq!(json["descriptor"]["media_type"], "application/vnd.oci.image.manifest.v1+json");
}

#[tokio::test]
async fn a_plan_that_cannot_be_built_says_why() {
    let bench = Bench::new("bad-plan");
    let to =
        format!("\"dst_registry\": {{\"repository\": \"{}\"}}, \"dst_tag\": \"v\"", bench.place());
    for (plan, expected) in [
        (format!("{{{to}}}"), "kubernetes_manifest_build_plan is required"),
        (
            format!("{{{to}, \"helm_build_plan\": {{}}}}"),
            "a `helm_build_plan` is not built here, only a `kubernetes_manifest_build_plan`",
        ),
        (
            format!("{{{to}, \"kubernetes_manifest_build_plan\": {{\"source_type\": \"jsonnet\"}}}}"),
            "source_type is `inline`, `kustomize` or `oci_artifact`, not `jsonnet`",
        ),
        (
            format!("{{{to}, \"kubernetes_manifest_build_plan\": {{\"source_type\": \"kustomize\"}}}}"),
            "kustomize.path is required",
        ),
        (
            "{\"kubernetes_manifest_build_plan\": {\"source_type\": \"inline\", \"inline_manifest\": \"a: 1\"}}".to_owned(),
            "dst_registry is required",
        ),
        (
            format!("{{{to}, \"kubernetes_manifest_build_plan\": {{\"source_type\": \"inline\", \"inline_manifest\": \"a: 1\"}}}}"),
            "/manifest.yaml:1:1: this is no Kubernetes object: it has neither kind nor metadata",
        ),
    ] {
        let plan = plan::read(&plan).unwrap().build_plan.unwrap();
        let error = component::build("x", &plan, &bench.world, &bench.options).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(BuildResult::failed(&error).status, Status::Failed);
        assert!(bench.steps().ends_with("cleanup cleaning-up, failed"), "{}", bench.steps());
    }
    let unknown = bench.plan(INLINE, "v1");
    let mut json = serde_json::to_value(unknown).unwrap();
    json["retries"] = 3.into();
    let plan = plan::read(&json.to_string()).unwrap().build_plan.unwrap();
    let result = component::build("x", &plan, &bench.world, &bench.options).await.unwrap();
    assert_eq!(result.warnings, ["the plan's field `retries` is not known here"]);
}

#[tokio::test]
async fn a_build_that_is_dropped_or_late_is_cleaned_up() {
    // A server that accepts and never answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}/a.git", listener.local_addr().unwrap().port());
    let file = format!(
        "name = \"a\"\nnamespace = \"x\"\n[public_repo]\nrepo = \"{url}\"\n[kustomize]\npath = \"x\"\n"
    );
    let mut bench = Bench::new("stalled");
    let wait = bench.build("a", &file, "v1");
    assert!(tokio::time::timeout(Duration::from_millis(300), wait).await.is_err());
    let steps = bench.steps();
    assert!(steps.ends_with("initialize initializing, cleanup cleaning-up, cancelled"), "{steps}");

    bench.options.timeout = Some(Duration::from_millis(300));
    let error = bench.build("a", &file, "v1").await.unwrap_err();
    assert_eq!(BuildResult::failed(&error).status, Status::TimedOut);
    assert!(bench.steps().ends_with("cleanup cleaning-up, timed-out"), "{}", bench.steps());
    assert_eq!(bench.left_behind(), 0);
    drop(listener);
}

#[tokio::test]
async fn a_build_that_panics_fails_alone_and_is_cleaned_up() {
    let mut bench = Bench::new("panic");
    bench.build("vendor", INLINE, "theirs").await.unwrap();
    // Whoever judges artifacts is the caller's own, and may break down as anything may.
    bench.world.verify = Some(Arc::new(|_, _| Box::pin(async { panic!("a defect") })));
    let url = bench.place();
    let file = format!(
        "name = \"v\"\nnamespace = \"v\"\n[oci_artifact]\nurl = \"{url}\"\ntag = \"theirs\"\n"
    );
    let error = bench.build("v", &file, "broken").await.unwrap_err();
    assert_eq!(error.to_string(), "the job broke down; this is a defect of kelson");
    assert_eq!(BuildResult::failed(&error).status, Status::Failed);
    let steps = bench.steps();
    assert!(steps.ends_with("initialize initializing, cleanup cleaning-up, failed"), "{steps}");

    let job = |name: &str, file: &str| {
        let plan = bench.plan(file, name);
        Job { name: name.to_owned(), plan, options: bench.options.clone() }
    };
    let jobs = [job("one", INLINE), job("broken", &file), job("other", INLINE)];
    let results = component::build_all(&jobs, &bench.world).await;
    let fine: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(fine, [true, false, true], "{results:?}");
    assert_eq!(bench.tags().await, ["one", "other", "theirs"]);
}

#[tokio::test]
async fn many_components_are_built_in_one_run() {
    let bench = Bench::new("many");
    let jobs: Vec<Job> = (0..100)
        .map(|number| {
            let file = INLINE.replace("mode: fast", &format!("mode: n{number}"));
            let plan = bench.plan(&file, &format!("v{number}"));
            Job { name: format!("c{number}"), plan, options: bench.options.clone() }
        })
        .collect();
    let results = component::build_all(&jobs, &bench.world).await;
    assert!(results.iter().all(Result::is_ok), "{:?}", results.iter().find(|it| it.is_err()));
    assert_eq!(bench.tags().await.len(), 100);
    assert!(bench.content("v42").await.contains("mode: n42"));
}

#[tokio::test]
async fn what_was_built_is_copied_to_another_place() {
    let bench = Bench::new("sync-from");
    let built = bench.build("settings", INLINE, "v1").await.unwrap().descriptor.unwrap();
    let target = Bench::new("sync-to");
    let plan = SyncOciPlan {
        src_registry: Some(OciRegistryRepository::at(&bench.place())),
        src_tag: "v1".to_owned(),
        dst_registry: Some(OciRegistryRepository::at(&target.place())),
        dst_tag: "deploy-1".to_owned(),
        ..SyncOciPlan::default()
    };
    let copied = component::sync(&plan, &bench.world, &Default::default()).await.unwrap();
    assert_eq!((copied.digest, copied.size), (built.digest, built.size));
    assert_eq!((copied.repository, copied.tag), (target.place(), "deploy-1".to_owned()));
    assert_eq!(target.content("deploy-1").await, bench.content("v1").await);
    let incomplete = SyncOciPlan { src_tag: String::new(), ..plan };
    let error = component::sync(&incomplete, &bench.world, &Default::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "src_tag is required");
}

#[tokio::test]
async fn what_is_encrypted_stays_encrypted() {
    let sealed = "name = \"s\"\nnamespace = \"x\"\nmanifest = '''\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n\
        stringData: {a: \"ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\"}\nsops: {mac: \"ENC[AES256_GCM,data:m]\", version: 3.9.0}\n'''\n";
    let bench = Bench::new("sealed");
    bench.build("s", sealed, "v1").await.unwrap();
    let content = bench.content("v1").await;
    assert!(content.contains("a: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]"), "{content}");
    assert!(content.contains("mac: ENC[AES256_GCM,data:m]"), "{content}");
}
