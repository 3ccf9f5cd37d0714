//! The ground itself, on the real programs: what starts, what is separate, what is said when something dies.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kelson_testkit::{ControlPlane, Error, Fate, Kubelet, Options, shared};

const WEB: &str = r#"{
  "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
  "spec": {
    "replicas": 2,
    "selector": {"matchLabels": {"app": "web"}},
    "template": {
      "metadata": {"labels": {"app": "web"}},
      "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]}
    }
  }
}"#;

/// Writes a manifest where kubectl can read it.
fn manifest(text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "{}-{:?}.json",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::write(&path, text).unwrap();
    path
}

/// Asks again until the answer is as wanted.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: not so after a minute");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn is_alive(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

/// The processes whose command line names a directory.
fn processes_of(directory: &Path) -> Vec<u32> {
    let wanted = directory.display().to_string();
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|process: &u32| *process != std::process::id())
        .filter(|process| {
            let read = |file| std::fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
            let link = std::fs::read_link(format!("/proc/{process}/cwd")).unwrap_or_default();
            String::from_utf8_lossy(&read("cmdline")).contains(&wanted) || link.starts_with(&wanted)
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollout_completes_when_its_pods_are_marked_ready() {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    let file = manifest(WEB);
    let file = file.to_str().unwrap();
    plane.kubectl(&["apply", "--namespace", &namespace, "--filename", file]).unwrap();
    let get = |what: &str, path: &str| {
        plane.kubectl(&["get", what, "--namespace", &namespace, "--output", path]).unwrap()
    };
    eventually("a ReplicaSet and two Pods", || {
        get("replicasets,pods", "name").lines().count() == 3
    });
    assert_eq!(get("deployment/web", "jsonpath={.status.readyReplicas}"), "");

    let client = Kubelet::client(plane.kubeconfig()).await.unwrap();
    let node = format!("node-{namespace}");
    let kubelet = Kubelet::start(client, &node, &namespace, |_| Fate::Ready).await.unwrap();
    plane
        .kubectl(&[
            "rollout",
            "status",
            "deployment/web",
            "--namespace",
            &namespace,
            "--timeout=60s",
        ])
        .unwrap();
    let nodes = get("pods", "jsonpath={.items[*].spec.nodeName}");
    assert_eq!(nodes, format!("{node} {node}"));

    let pod = get("pods", "jsonpath={.items[0].metadata.name}");
    kubelet.set_log(&namespace, &pod, "one\ntwo\nthree\n");
    let log = plane.kubectl(&["logs", &pod, "--namespace", &namespace, "--tail=2"]).unwrap();
    assert_eq!(log, "two\nthree\n");

    plane.kubectl(&["delete", "deployment/web", "--namespace", &namespace]).unwrap();
    eventually("the Pods are gone", || get("pods", "name").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollout_fails_on_purpose_and_says_why() {
    let plane = shared().unwrap();
    let namespace = plane.namespace().unwrap();
    let client = Kubelet::client(plane.kubeconfig()).await.unwrap();
    let node = format!("node-{namespace}");
    let fate = Arc::new(Mutex::new(Fate::CrashLoop { log: "no database\n".to_owned() }));
    let decided = fate.clone();
    let decide = move |_: &_| decided.lock().unwrap().clone();
    let kubelet = Kubelet::start(client, &node, &namespace, decide).await.unwrap();
    let file = manifest(WEB);
    let file = file.to_str().unwrap();
    plane.kubectl(&["apply", "--namespace", &namespace, "--filename", file]).unwrap();
    let reason = "jsonpath={.items[*].status.containerStatuses[0].state.waiting.reason}";
    eventually("the Pods crash", || {
        let reasons = plane.kubectl(&["get", "pods", "-n", &namespace, "-o", reason]).unwrap();
        reasons == "CrashLoopBackOff CrashLoopBackOff"
    });
    let log = plane.kubectl(&["logs", "--namespace", &namespace, "deployment/web"]).unwrap();
    assert_eq!(log, "no database\n");
    let get = |what: &str, path: &str| {
        plane.kubectl(&["get", what, "-n", &namespace, "-o", path]).unwrap()
    };
    let warnings = get("events", "jsonpath={.items[?(@.type==\"Warning\")].reason}");
    assert_eq!(warnings, "BackOff BackOff");

    let pod = get("pods", "jsonpath={.items[0].metadata.name}");
    let previous = || plane.kubectl(&["logs", "--previous", &pod, "-n", &namespace]);
    assert!(previous().unwrap_err().to_string().contains("previous terminated container"));
    kubelet.set_previous_log(&namespace, &pod, "before\n");
    assert_eq!(previous().unwrap(), "before\n");

    *fate.lock().unwrap() = Fate::Ready;
    kubelet.look_again();
    eventually("the Pods are ready", || {
        get("deployment/web", "jsonpath={.status.readyReplicas}") == "2"
    });
}

#[test]
fn two_control_planes_are_separate() {
    let first = ControlPlane::start().unwrap();
    let second = ControlPlane::start().unwrap();
    first.kubectl(&["create", "namespace", "only-here"]).unwrap();
    assert!(first.kubectl(&["get", "namespace", "only-here"]).is_ok());
    let missing = second.kubectl(&["get", "namespace", "only-here"]).unwrap_err().to_string();
    assert!(missing.contains("not found"), "{missing}");
    let uid = |plane: &ControlPlane| {
        plane.kubectl(&["get", "ns/kube-system", "-o", "jsonpath={.metadata.uid}"]).unwrap()
    };
    assert_ne!(uid(&first), uid(&second));
    // The certificates of one mean nothing to the other.
    let stranger = first.user("admin", "system:masters").unwrap();
    let text = std::fs::read_to_string(stranger).unwrap();
    let port = |plane: &ControlPlane| format!("127.0.0.1:{}", plane.port());
    let crossed = second.directory().join("crossed.kubeconfig");
    std::fs::write(&crossed, text.replace(&port(&first), &port(&second))).unwrap();
    let crossed = crossed.to_str().unwrap();
    let refused = second.kubectl(&["--kubeconfig", crossed, "get", "ns"]).unwrap_err().to_string();
    assert!(refused.contains("certificate"), "{refused}");
}

#[test]
fn users_and_service_accounts_may_do_what_is_granted() {
    let plane = ControlPlane::start().unwrap();
    let eve = plane.user("eve", "readers").unwrap();
    let as_eve = |arguments: &[&str]| {
        plane.kubectl(&[&["--kubeconfig", eve.to_str().unwrap()], arguments].concat())
    };
    let refused = as_eve(&["get", "configmaps"]).unwrap_err().to_string();
    assert!(refused.contains(r#"User "eve" cannot list"#), "{refused}");
    plane.kubectl(&["create", "role", "reader", "--verb=list", "--resource=configmaps"]).unwrap();
    plane.kubectl(&["create", "rolebinding", "eve", "--role=reader", "--group=readers"]).unwrap();
    eventually("the grant works", || as_eve(&["get", "configmaps"]).is_ok());

    plane.kubectl(&["create", "serviceaccount", "robot"]).unwrap();
    let token = plane.service_account_token("default", "robot").unwrap();
    let robot = plane.kubeconfig_for_token("robot", &token).unwrap();
    let who = plane.kubectl(&["--kubeconfig", robot.to_str().unwrap(), "auth", "whoami"]).unwrap();
    assert!(who.contains("system:serviceaccount:default:robot"), "{who}");
}

#[test]
fn a_dead_etcd_is_named_with_its_log() {
    let plane = ControlPlane::start().unwrap();
    plane.check().unwrap();
    plane.kill("etcd").unwrap();
    let error = plane.check().unwrap_err();
    assert!(matches!(&error, Error::Died { process: "etcd", .. }), "{error}");
    assert!(error.to_string().contains("the last lines of its log"), "{error}");
    let directory = plane.directory().to_owned();
    drop(plane);
    assert!(!directory.exists(), "{} is left", directory.display());
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = ControlPlane::start_with(Options { port: Some(port), ..Options::default() });
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("kube-apiserver ended"), "{error}");
    assert!(error.contains(&format!("127.0.0.1:{port}: bind: address already in use")), "{error}");
}

#[test]
fn nothing_is_left_of_a_dropped_control_plane() {
    let plane = ControlPlane::start().unwrap();
    let directory = plane.directory().to_owned();
    assert!(processes_of(&directory).len() >= 2);
    drop(plane);
    assert_eq!(processes_of(&directory), [] as [u32; 0]);
    assert!(!directory.exists());
}

/// The test starts itself again as the victim that it kills.
#[test]
fn nothing_is_left_when_the_owner_is_killed() {
    if std::env::var_os("KELSON_TEST_VICTIM").is_some() {
        let plane = ControlPlane::start().unwrap();
        println!("directory={}", plane.directory().display());
        std::thread::sleep(Duration::from_secs(600));
    }
    let program = std::env::current_exe().unwrap();
    let mut victim = Command::new(program)
        .args(["--exact", "nothing_is_left_when_the_owner_is_killed", "--nocapture"])
        .env("KELSON_TEST_VICTIM", "1")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = std::io::BufReader::new(victim.stdout.take().unwrap());
    let directory = std::io::BufRead::lines(output)
        .map_while(Result::ok)
        .find_map(|line| line.split_once("directory=").map(|(_, path)| PathBuf::from(path)))
        .unwrap();
    let processes = processes_of(&directory);
    assert!(processes.len() >= 2, "{processes:?}");
    victim.kill().unwrap();
    victim.wait().unwrap();
    eventually("processes and data are gone", || {
        !processes.iter().any(|process| is_alive(*process)) && !directory.exists()
    });
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: a hundred starts and stops"]
fn a_hundred_starts_and_stops_leave_nothing_behind() {
    let count = |what: &str| {
        let output = Command::new("sh").args(["-c", what]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    for _ in 0..100 {
        let plane = ControlPlane::start().unwrap();
        let (directory, port) = (plane.directory().to_owned(), plane.port());
        drop(plane);
        assert_eq!(processes_of(&directory), [] as [u32; 0]);
        assert!(!directory.exists());
        assert!(std::net::TcpListener::bind(("127.0.0.1", port)).is_ok(), "port {port} is taken");
    }
    let mine =
        format!("ls -d {}/kelson-plane-{}-*", std::env::temp_dir().display(), std::process::id());
    assert_eq!(count(&mine), "");
}
