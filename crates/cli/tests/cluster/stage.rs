//! A namespace of the tests' control plane, a folder with files, and the program.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use expect_test::Expect;
use kelson_testkit::{Bare, Detour, Shared, shared};
use regex::Regex;
use serde_json::Value;

use crate::program::{Folder, Ran, command};

/// What stands for the test's own namespace in files, steps and expectations; it has as many letters, so that tables are
/// as wide.
const STAND_IN: &str = "the-namespace";
/// The commands that speak to a cluster.
const CLUSTER: [&str; 9] =
    ["plan", "apply", "delete", "diff", "inventory", "wait", "status", "history", "rollback"];
/// The commands that wait for health, which costs requests and, where nothing plays the node, never ends well.
const WAITING: [&str; 2] = ["apply", "rollback"];
/// Far longer than anything takes, since a loaded machine must not fail a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Runs steps and compares what they show.
///
/// Files are opened by lines `#- path`. A step is a line: `kelson …` (its cluster and namespace are added, and `--no-wait`
/// where it says no `--timeout`), also with `cat FILE |` before it, `kubectl …` (likewise), or `use FOLDER`, which makes `app` a copy of another folder.
#[track_caller]
pub(crate) fn check(files: &str, steps: &[&str], expected: Expect) {
    let stage = Stage::new(files);
    stage.check(steps, expected);
}

/// Where a test takes place.
pub(crate) struct Stage {
    pub(crate) plane: &'static Shared,
    pub(crate) namespace: String,
    pub(crate) folder: Folder,
    kubeconfig: PathBuf,
}

impl Stage {
    /// A new namespace and a folder with files.
    pub(crate) fn new(files: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let plane = shared().unwrap();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let namespace = format!("n-{:07}-{number:03}", std::process::id());
        assert_eq!(namespace.len(), STAND_IN.len());
        let made = serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
        let kubeconfig = plane.kubeconfig().to_owned();
        let folder = Folder::new(&files.replace(STAND_IN, &namespace));
        let stage = Self { plane, namespace, folder, kubeconfig };
        stage.post("/api/v1/namespaces", &made);
        stage
    }

    /// The same with the program's requests going through a proxy from now on.
    pub(crate) fn through(mut self, detour: &Detour) -> Self {
        self.kubeconfig = detour.kubeconfig().to_owned();
        self
    }

    /// Without a proxy again.
    pub(crate) fn directly(mut self) -> Self {
        self.kubeconfig = self.plane.kubeconfig().to_owned();
        self
    }

    /// Runs steps and compares what they show.
    #[track_caller]
    pub(crate) fn check(&self, steps: &[&str], expected: Expect) {
        let mut text = String::new();
        for step in steps {
            text.push_str(&self.normal(&format!("$ {step}\n")));
            text.push_str(&self.step(step));
        }
        expected.assert_eq(&text);
    }

    /// Runs a step and says what it shows.
    #[track_caller]
    pub(crate) fn step(&self, step: &str) -> String {
        match step.split_once(' ') {
            Some(("use", folder)) => {
                self.adapt(folder);
                String::new()
            }
            Some(("kubectl", line)) => match self.kubectl(line) {
                Ok(text) if text.is_empty() || text.ends_with('\n') => self.normal(&text),
                Ok(text) => self.normal(&text) + "\n",
                Err(text) => self.normal(&text) + "\n",
            },
            Some(("kelson" | "cat", _)) => sorted(&self.normal(&self.run(step).shown())),
            _ => panic!("`{step}` is no step"),
        }
    }

    /// Runs the program; fails where a secret value is shown.
    #[track_caller]
    pub(crate) fn run(&self, step: &str) -> Ran {
        let output = self.start(step).wait_with_output().unwrap();
        let ran = Ran::new(&self.root(), &output);
        for text in [&ran.out, &ran.err] {
            assert!(!has_secret(text), "a secret value is shown:\n{text}");
        }
        ran
    }

    /// Starts the program.
    pub(crate) fn start(&self, step: &str) -> Child {
        let (input, line) = match step.split_once(" | ") {
            Some((cat, line)) => (Some(cat.strip_prefix("cat ").unwrap()), line),
            None => (None, step),
        };
        let mut child = self
            .command(line.strip_prefix("kelson ").unwrap())
            .stdin(input.map_or_else(Stdio::null, |_| Stdio::piped()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if let (Some(file), Some(mut pipe)) = (input, child.stdin.take()) {
            pipe.write_all(&std::fs::read(self.folder.path(file)).unwrap()).unwrap();
        }
        child
    }

    /// The program with a line of arguments, and those for the cluster.
    pub(crate) fn command(&self, line: &str) -> Command {
        let line = self.real(line);
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = command(&self.root(), &words);
        if CLUSTER.contains(&words[0]) {
            if !words.contains(&"--kubeconfig") {
                command.arg("--kubeconfig").arg(&self.kubeconfig);
            }
            // A plan file says the namespace itself.
            let is_plan = words.get(1).is_some_and(|word| word.ends_with(".json"));
            if !words.contains(&"-n") && !words.contains(&"-A") && !is_plan {
                command.args(["-n", &self.namespace]);
            }
            let says_so = ["--timeout", "--no-wait"].iter().any(|flag| words.contains(flag));
            if WAITING.contains(&words[0]) && !says_so {
                command.arg("--no-wait");
            }
            // One after the other, so that the order of what is told is known.
            if !words.contains(&"--parallel") {
                command.args(["--parallel", "1"]);
            }
        }
        if words[0] == "component" && !["build", "sync"].contains(&words[1]) {
            // A runner's plan says which cluster it is.
            if !words.contains(&"--plan") && !words.contains(&"--kubeconfig") {
                command.arg("--kubeconfig").arg(&self.kubeconfig);
            }
            if words[1] == "deploy"
                && !words.contains(&"--timeout")
                && !words.contains(&"--no-wait")
            {
                command.arg("--no-wait");
            }
            command.args(["--parallel", "1"]);
        }
        command
    }

    /// Runs kubectl in the namespace.
    pub(crate) fn kubectl(&self, line: &str) -> Result<String, String> {
        let line = self.real(line);
        let mut words = vec!["--namespace", &self.namespace];
        words.extend(line.split(' '));
        self.plane.kubectl(&words).map_err(|error| match error {
            kelson_testkit::Error::Command { output, .. } => output,
            other => other.to_string(),
        })
    }

    /// Runs kubectl until it prints what is wanted.
    #[track_caller]
    pub(crate) fn until(&self, line: &str, wanted: impl Fn(&str) -> bool) {
        let started = Instant::now();
        loop {
            let printed = self.kubectl(line).unwrap_or_else(|error| error);
            if wanted(&printed) {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "kubectl {line}: {printed}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Makes `app` a copy of another folder.
    fn adapt(&self, folder: &str) {
        let app = self.folder.path("app");
        std::fs::remove_dir_all(&app).ok();
        std::fs::create_dir_all(&app).unwrap();
        for entry in std::fs::read_dir(self.folder.path(folder)).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), app.join(entry.file_name())).unwrap();
        }
    }

    /// The folder, without a slash at its end.
    fn root(&self) -> PathBuf {
        self.folder.path("app").parent().unwrap().to_owned()
    }

    /// Looks at the cluster.
    pub(crate) fn bare(&self) -> Bare {
        self.plane.bare().unwrap()
    }

    /// Reads an object or a list of the cluster.
    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        self.bare().get(&self.real(path)).unwrap()
    }

    /// Makes an object.
    #[track_caller]
    pub(crate) fn post(&self, path: &str, object: &Value) {
        let body = self.real(&object.to_string());
        let answer = self.bare().send("POST", &self.real(path), "application/json", &body).unwrap();
        assert!([200, 201].contains(&answer.status), "{}", answer.body);
    }

    /// The uid of an object, read by kubectl.
    #[track_caller]
    pub(crate) fn uid(&self, what: &str) -> String {
        self.kubectl(&format!("get {what} -o jsonpath={{.metadata.uid}}")).unwrap()
    }

    /// A text for this namespace and folder.
    pub(crate) fn real(&self, text: &str) -> String {
        text.replace(STAND_IN, &self.namespace).replace("/here", &self.root().to_string_lossy())
    }

    /// A text without what differs from run to run.
    pub(crate) fn normal(&self, text: &str) -> String {
        let text = text.replace(&self.namespace, STAND_IN);
        let text = text.replace(&*self.kubeconfig.to_string_lossy(), "/kubeconfig");
        let mut text = text.replace(&*self.root().to_string_lossy(), "/here");
        for (pattern, stand_in) in [
            (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>"),
            (r"sha256:[0-9a-f]{64}", "sha256:<digest>"),
            (r"sha256:[0-9a-f]{12}\b", "sha256:<short...>"),
            (r"\.kept\.[0-9a-f]{64}\.", ".kept.<digest>."),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
            (r"127\.0\.0\.1:\d+", "<server>"),
            (r"\*\*\*\([0-9a-f]{8}\)", "***(<hash>)"),
        ] {
            text = Regex::new(pattern).unwrap().replace_all(&text, stand_in).into_owned();
        }
        text
    }
}

/// The text with neighbouring lines about deletions or health sorted: which of several objects is gone or seen first is the
/// cluster's affair.
fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let word = |line: &&str| {
        let words = ["deleted ", "missing ", "waiting ", "gone "];
        words.into_iter().find(|word| line.starts_with(word))
    };
    let groups = lines.chunk_by_mut(|one, other| word(one).is_some() && word(one) == word(other));
    groups.for_each(<[&str]>::sort_unstable);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Whether a text has the value that all Secrets of these tests have, in one form or another.
pub(crate) fn has_secret(text: &str) -> bool {
    ["hunter2", "aHVudGVyMg", "hunter3", "aHVudGVyMw"].iter().any(|value| text.contains(value))
}

/// Sends a signal to a process that we started.
pub(crate) fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}
