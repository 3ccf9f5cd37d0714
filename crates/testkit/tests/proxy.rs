//! The fault proxy before a real API server: what passes, what goes wrong, and what is known of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::io::BufRead;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kelson_testkit::{Detour, Error, Fault, Gate, Programs, Shared, shared};

/// Far longer than anything here takes, since a loaded machine must not fail a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A namespace of a shared control plane, reached through a proxy.
struct Ground {
    plane: &'static Shared,
    detour: Detour,
    namespace: String,
}

impl Ground {
    fn new() -> Self {
        let plane = shared().unwrap();
        let namespace = plane.namespace().unwrap();
        Self { plane, detour: plane.behind_proxy().unwrap(), namespace }
    }

    /// Runs kubectl on the way that leads through the proxy.
    fn kubectl(&self, line: &str) -> Result<String, Error> {
        let mut arguments = vec!["--kubeconfig", self.detour.kubeconfig().to_str().unwrap()];
        arguments.extend(["--namespace", &self.namespace]);
        arguments.extend(line.split(' '));
        self.plane.kubectl(&arguments)
    }

    /// Starts kubectl on that way.
    fn start(&self, line: &str) -> Child {
        Command::new(Programs::get().unwrap().path("kubectl"))
            .arg("--kubeconfig")
            .arg(self.detour.kubeconfig())
            .args(["--namespace", &self.namespace])
            .args(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Whether a ConfigMap is there, asked without the proxy.
    fn has(&self, name: &str) -> bool {
        let arguments = ["get", "configmap", name, "--namespace", &self.namespace];
        self.plane.kubectl(&arguments).is_ok()
    }
}

/// Announces a fault for the creation of a ConfigMap; `done` is whether the server has done it, and the text what
/// kubectl says.
#[track_caller]
fn check(fault: Fault, done: bool, says: &str) {
    let ground = Ground::new();
    ground.detour.fault("POST", "/configmaps", 1, fault);
    let said = match ground.kubectl("create configmap a") {
        Ok(text) => text,
        Err(error) => error.to_string(),
    };
    assert!(said.contains(says), "{said}");
    assert_eq!(ground.has("a"), done);
}

#[test]
fn what_passes_is_recorded() {
    let ground = Ground::new();
    ground.kubectl("create configmap a").unwrap();
    let seen = ground.detour.seen_at("POST", "");
    assert_eq!(seen.len(), 1);
    let wanted = format!("POST /api/v1/namespaces/{}/configmaps", ground.namespace);
    assert!(seen[0].to_string().starts_with(&wanted), "{}", seen[0]);
    assert!(seen[0].is_authorized());
    assert!(ground.has("a"));
}

#[test]
fn a_closed_connection_did_nothing() {
    check(Fault::Close, false, "EOF");
}

#[test]
fn an_unanswered_request_is_done() {
    check(Fault::Unanswered, true, "EOF");
}

#[test]
fn a_refusal_is_in_the_servers_words() {
    let refusal = Fault::refusal(422, "Invalid", "this is wrong");
    check(refusal, false, "this is wrong");
    check(Fault::refusal(500, "InternalError", "all is lost"), false, "all is lost");
}

#[test]
fn who_is_told_to_come_again_comes_again() {
    let busy = Fault::refusal(429, "TooManyRequests", "not now").with_header("retry-after", "1");
    check(busy, true, "created");
}

#[test]
fn a_fault_happens_at_the_number_that_was_said() {
    let ground = Ground::new();
    let missing = Fault::refusal(404, "NotFound", "never heard of it");
    ground.detour.fault_at(2, "POST", "/configmaps", missing);
    for (name, made) in [("a", true), ("b", false), ("c", true)] {
        assert_eq!(ground.kubectl(&format!("create configmap {name}")).is_ok(), made, "{name}");
    }
}

#[test]
fn a_request_is_held_until_its_fate_is_told() {
    for (fate, done) in [(None, true), (Some(Fault::Close), false), (Some(Fault::Unanswered), true)]
    {
        let ground = Ground::new();
        let gate = Gate::new();
        ground.detour.fault("POST", "/configmaps", 1, Fault::Hold(gate.clone()));
        let mut kubectl = ground.start("create configmap a");
        assert_eq!(gate.wait(PATIENCE).unwrap().method, "POST");
        assert!(!ground.has("a"));
        let told = fate.is_none();
        gate.release(fate);
        assert_eq!(kubectl.wait().unwrap().success(), told);
        assert_eq!(ground.has("a"), done);
    }
}

#[test]
fn an_answer_is_held_when_all_is_done() {
    let ground = Ground::new();
    let gate = Gate::new();
    ground.detour.fault("POST", "/configmaps", 1, Fault::HoldAnswer(gate.clone()));
    let mut kubectl = ground.start("create configmap a");
    gate.wait(PATIENCE).unwrap();
    assert!(ground.has("a"));
    kubectl.kill().unwrap();
    kubectl.wait().unwrap();
    gate.release(Some(Fault::Close));
}

#[test]
fn a_watch_passes_event_by_event() {
    let ground = Ground::new();
    let mut watch = ground.start("get configmaps --watch-only --output name");
    let mut lines = std::io::BufReader::new(watch.stdout.take().unwrap()).lines();
    // The watch begins when its list has been asked for; what is made before that is not told again.
    let started = std::time::Instant::now();
    while ground.detour.seen_at("GET", "watch=true").is_empty() {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(20));
    }
    for name in ["a", "b"] {
        let arguments = ["create", "configmap", name, "--namespace", &ground.namespace];
        ground.plane.kubectl(&arguments).unwrap();
        let told = lines.by_ref().map_while(Result::ok).find(|line| !line.contains("kube-root-ca"));
        assert_eq!(told.unwrap(), format!("configmap/{name}"));
    }
    watch.kill().unwrap();
    watch.wait().unwrap();
}

#[test]
fn everybody_stays_who_they_are() {
    let ground = Ground::new();
    let own = ["--namespace", &ground.namespace];
    let run = |words: &[&str]| ground.plane.kubectl(&[words, &own].concat()).unwrap();
    run(&["create", "serviceaccount", "robot"]);
    let token = run(&["create", "token", "robot"]);
    let robot = ground.kubectl(&format!("auth whoami --token {}", token.trim())).unwrap();
    assert!(robot.contains("system:serviceaccount:"), "{robot}");
    let admin = ground.kubectl("auth whoami").unwrap();
    assert!(admin.contains("system:masters"), "{admin}");
}
