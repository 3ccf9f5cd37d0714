//! From the moment that the last object is ready to the end of a wait, against kubectl; and what waiting costs the server.

mod node; // what a node would say of Pods

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use kelson_testkit::{Bare, ControlPlane, Programs, Seen};
use serde_json::{Value, json};

use super::apply::objects::{manifests, objects};
use super::apply::replay::namespace;
use super::kelson;
use crate::run::{Scratch, run as run_command};
use node::{pods, ready, rolled_out};

/// How often everything is waited for.
const ROUNDS: usize = 7;
/// How many objects are waited for at once.
const MANY: usize = 1_000;
/// How long a program has to come to the point where it only waits.
const HEAD_START: Duration = Duration::from_secs(3);
/// How long a program waits at most.
const TIMEOUT: &str = "120s";

pub(super) fn run() -> anyhow::Result<()> {
    let plane = ControlPlane::start_with_workers()?;
    let bench = Bench {
        kelson: kelson()?,
        kubectl: Programs::get()?.path("kubectl"),
        kubeconfig: plane.kubeconfig().to_owned(),
        bare: plane.bare()?,
        scratch: Scratch::new("bench-observe")?,
    };
    println!("\nfrom the moment that the last object is ready to the end, {ROUNDS} times each");
    bench.compare(
        &single_pod(),
        [("kelson wait, a Pod", Bench::wait), ("kubectl wait, a Pod", Bench::kubectl_wait)],
        ready,
    )?;
    bench.compare(
        &four(),
        [
            ("kelson wait, a Deployment", Bench::wait),
            ("kubectl rollout status", Bench::kubectl_rollout),
        ],
        rolled_out,
    )?;
    bench.many(&plane)
}

struct Bench {
    kelson: PathBuf,
    kubectl: PathBuf,
    kubeconfig: PathBuf,
    bare: Bare,
    scratch: Scratch,
}

/// What was waited each time.
struct Lags(Vec<Duration>);

/// A program that waits for what is in a namespace.
type Waiter = fn(&Bench, &str) -> Command;
/// Makes a Pod ready, and says when what is waited for was so.
type Moment = fn(&mut Bare, &str, &str) -> anyhow::Result<Instant>;

impl Bench {
    /// Lets two programs wait in turn, each in a namespace of its own, and prints what they took.
    fn compare(
        &self,
        objects: &[Value],
        waiters: [(&str, Waiter); 2],
        moment: Moment,
    ) -> anyhow::Result<()> {
        let mut lags = [const { Lags(Vec::new()) }; 2];
        let namespaces = waiters.map(|(name, _)| name.replace([' ', ','], "-").to_lowercase());
        for namespace in &namespaces {
            self.apply(namespace, objects)?;
        }
        for _ in 0..ROUNDS {
            for ((namespace, (name, waiter)), lags) in namespaces.iter().zip(waiters).zip(&mut lags)
            {
                let pod = pods(&self.bare, namespace, 1)?.remove(0);
                let command = waiter(self, namespace);
                let took = lag(command, || moment(&mut self.bare.clone(), namespace, &pod));
                lags.0.push(took.with_context(|| name.to_owned())?);
                self.renew(namespace, objects, &pod)?;
            }
        }
        for ((name, _), lags) in waiters.iter().zip(&lags) {
            lags.print(name);
        }
        println!("{:<28} {:>8.2}", "kubectl / kelson, median", lags[1].median() / lags[0].median());
        Ok(())
    }

    /// Applies objects in a namespace, as a delivery of that name.
    fn apply(&self, name: &str, objects: &[Value]) -> anyhow::Result<()> {
        namespace(&mut self.bare.clone(), name)?;
        let file = self.scratch.path().join(format!("{name}.yaml"));
        std::fs::write(&file, manifests(objects))?;
        let mut command = self.command(&self.kelson, &self.kubeconfig);
        command.arg("apply").arg(&file).args(["--namespace", name, "--name", name]);
        run_command(
            command.args(["--yes", "--no-wait"]).stdout(Stdio::null()).stderr(Stdio::null()),
        )
    }

    /// Has the Pod made anew, by us or by its controller.
    fn renew(&self, name: &str, objects: &[Value], pod: &str) -> anyhow::Result<()> {
        let path = format!("/api/v1/namespaces/{name}/pods/{pod}?gracePeriodSeconds=0");
        self.bare.clone().send("DELETE", &path, "", "")?;
        if objects.iter().any(|object| object["kind"] == "Pod") {
            self.apply(name, objects)?;
        }
        let started = Instant::now();
        while pods(&self.bare, name, 1)?[0] == pod && started.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn wait(&self, name: &str) -> Command {
        self.wait_by(name, &self.kubeconfig)
    }

    fn wait_by(&self, name: &str, kubeconfig: &Path) -> Command {
        let mut command = self.command(&self.kelson, kubeconfig);
        command.args(["wait", "--name", name, "--namespace", name, "--timeout", TIMEOUT]);
        command
    }

    fn kubectl_wait(&self, namespace: &str) -> Command {
        self.kubectl(namespace, &["wait", "--for=condition=Ready", "pod/web"])
    }

    fn kubectl_rollout(&self, namespace: &str) -> Command {
        self.kubectl(namespace, &["rollout", "status", "deployment/app-00000"])
    }

    fn kubectl(&self, namespace: &str, words: &[&str]) -> Command {
        let mut command = self.command(&self.kubectl, &self.kubeconfig);
        command.args(words).args(["--timeout", TIMEOUT, "--namespace", namespace]);
        command
    }

    /// Waits for many objects, by way of a proxy that counts.
    fn many(&self, plane: &ControlPlane) -> anyhow::Result<()> {
        const NAME: &str = "many";
        self.apply(NAME, &objects(MANY, false))?;
        let mut pods = pods(&self.bare, NAME, MANY / 4)?;
        let last = pods.pop().context("there are Pods")?;
        let mut bare = self.bare.clone();
        for pod in &pods {
            ready(&mut bare, NAME, pod)?;
        }
        let detour = plane.behind_proxy()?;
        let command = self.wait_by(NAME, detour.kubeconfig());
        let took = lag(command, || rolled_out(&mut bare, NAME, &last))?;
        println!("\n{MANY} objects of four kinds, with {} Pods below them", pods.len() + 1);
        println!("{:<28} {:>8.1} ms", "kelson wait", milliseconds(took));
        print_requests(&detour.seen());
        Ok(())
    }

    /// A program with a home of its own.
    fn command(&self, program: &Path, kubeconfig: &Path) -> Command {
        let mut command = Command::new(program);
        for (variable, folder) in [("HOME", "home"), ("XDG_CACHE_HOME", "cache")] {
            command.env(variable, self.scratch.path().join(folder));
        }
        command.env("KUBECONFIG", kubeconfig);
        command
    }
}

/// What went through the proxy, by what was asked for.
fn print_requests(seen: &[Seen]) {
    let is_watch =
        |seen: &&Seen| seen.target.contains("watch=true") || seen.target.contains("watch=1");
    let resource = |seen: &Seen| {
        let path = seen.target.split('?').next().unwrap_or_default().to_owned();
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let mut watched: Vec<String> = seen.iter().filter(is_watch).map(resource).collect();
    watched.sort();
    println!("{:<28} {:>8}", "requests in all", seen.len());
    println!("{:<28} {:>8}  {}", "watches", watched.len(), watched.join(" "));
    let about_one = seen.iter().filter(|seen| resource(seen).starts_with("app-")).count();
    println!("{:<28} {about_one:>8}  at most 0", "requests about one object");
    for other in seen.iter().filter(|seen| !is_watch(seen)) {
        println!("  {other}");
    }
}

/// How long a program that waits still takes from a moment on; it must end well, and not before.
fn lag(
    mut command: Command,
    moment: impl FnOnce() -> anyhow::Result<Instant>,
) -> anyhow::Result<Duration> {
    let name = PathBuf::from(command.get_program());
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.with_context(|| format!("cannot run `{}`", name.display()))?;
    let end = std::thread::spawn(move || (child.wait(), Instant::now()));
    std::thread::sleep(HEAD_START);
    let has_waited = !end.is_finished();
    let moment = moment()?;
    let (status, ended) = end.join().map_err(|_| anyhow!("nobody has waited for the program"))?;
    let status = status?;
    if !has_waited || !status.success() {
        bail!("it ended with {status}{}", if has_waited { "" } else { " before it should" });
    }
    Ok(ended.saturating_duration_since(moment))
}

/// One Pod without a controller.
fn single_pod() -> Vec<Value> {
    let container = json!({ "name": "web", "image": "registry.example/web:v1" });
    vec![json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web" },
        "spec": { "containers": [container] },
    })]
}

/// A Deployment of one Pod with what belongs to it.
fn four() -> Vec<Value> {
    objects(4, false)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

impl Lags {
    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort();
        sorted.get(sorted.len() / 2).copied().map_or(f64::NAN, milliseconds)
    }

    fn print(&self, name: &str) {
        let worst = self.0.iter().max().copied().map_or(f64::NAN, milliseconds);
        println!("{name:<28} {:>8.1} ms {worst:>8.1} ms at worst", self.median());
    }
}
