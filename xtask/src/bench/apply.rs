//! Applying and planning, against kubectl and against what the server itself takes.

pub(super) mod objects; // what is applied
pub(super) mod replay; // one request for each object, by a bare client

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kelson_testkit::{Bare, ControlPlane, Programs};
use serde_json::Value;

use super::kelson;
use super::measure::{Cost, once};
use crate::run::Scratch;
use objects::{manifests, objects};
use replay::{namespace, replay, settle, while_status_is_written};

/// How many objects are applied by all.
const SIZE: usize = 1_000;
/// How many are applied for the growth.
const LARGE: usize = 10_000;
/// How often everything is done; the best counts.
const ROUNDS: usize = 3;

pub(super) fn run(quick: bool) -> anyhow::Result<()> {
    let kelson = kelson()?;
    println!(
        "\n{SIZE} objects, each figure the best of {ROUNDS} (time on the wall, processor time, peak memory)"
    );
    let best = rounds(|number| Bench::new(&kelson)?.round(number))?;
    best.print();
    best.ratios();
    if !quick {
        println!("\n{LARGE} objects, each on a control plane of its own, the best of {ROUNDS}");
        let large = rounds(|_| {
            let mut figures = Figures(Vec::new());
            let programs: [Program; 2] = [Bench::raw, Bench::kelson];
            for program in programs {
                let bench = Bench::new(&kelson)?;
                let set = Set::write(bench.scratch.path(), LARGE)?;
                program(&bench, &set, "large", &mut figures)?;
            }
            Ok(figures)
        })?;
        large.print();
        large.growth(&best);
    }
    Ok(())
}

/// A busy machine makes one figure in three half as large again, so the best of several counts.
fn rounds(round: impl Fn(usize) -> anyhow::Result<Figures>) -> anyhow::Result<Figures> {
    (1..ROUNDS).try_fold(round(0)?, |best, number| Ok(best.least(&round(number)?)))
}

struct Bench {
    kelson: PathBuf,
    kubectl: PathBuf,
    plane: ControlPlane,
    bare: Bare,
    scratch: Scratch,
}

/// Applies a set in a namespace, and notes what it took.
type Program = fn(&Bench, &Set, &str, &mut Figures) -> anyhow::Result<()>;

/// What everything took.
struct Figures(Vec<(&'static str, Cost)>);

impl Bench {
    /// A new control plane, with nothing in it.
    fn new(kelson: &Path) -> anyhow::Result<Self> {
        let plane = ControlPlane::start_with_workers()?;
        Ok(Self {
            kelson: kelson.to_owned(),
            kubectl: Programs::get()?.path("kubectl"),
            bare: plane.bare()?,
            plane,
            scratch: Scratch::new("bench-apply")?,
        })
    }

    /// Does everything once, each program in a namespace of its own. A server that has much is slower, so each is the first in
    /// one of the rounds.
    fn round(&self, number: usize) -> anyhow::Result<Figures> {
        let set = Set::write(self.scratch.path(), SIZE)?;
        let mut figures = Figures(Vec::new());
        let mut programs: [(&str, Program); 3] =
            [("raw", Self::raw), ("kubectl", Self::kubectl), ("kelson", Self::kelson)];
        programs.rotate_left(number % 3);
        for (name, program) in programs {
            program(self, &set, name, &mut figures)?;
        }
        Ok(figures)
    }

    fn prepare(&self, name: &str) -> anyhow::Result<()> {
        namespace(&mut self.bare.clone(), name)
    }

    fn settle(&self, name: &str, set: &Set) -> anyhow::Result<()> {
        settle(&mut self.bare.clone(), name, set.objects.len() / 4)
    }

    fn raw(&self, set: &Set, name: &str, figures: &mut Figures) -> anyhow::Result<()> {
        self.prepare(name)?;
        let run = |query| replay(&self.bare, name, &set.objects, query).map(Cost::wall);
        figures.add("raw replay", run("")?);
        self.settle(name, set)?;
        figures.add("raw dry runs", run("&dryRun=All")?);
        Ok(())
    }

    fn kubectl(&self, set: &Set, name: &str, figures: &mut Figures) -> anyhow::Result<()> {
        self.prepare(name)?;
        let run = |verb: &str, folder: &Path, code: i32| {
            let mut command = self.command(&self.kubectl);
            command.args([verb, "--server-side", "--namespace", name, "--filename"]).arg(folder);
            once(&command, code)
        };
        figures.add("kubectl first", run("apply", &set.first, 0)?);
        self.settle(name, set)?;
        figures.add("kubectl unchanged", run("apply", &set.first, 0)?);
        figures.add("kubectl diff, nothing", run("diff", &set.first, 0)?);
        figures.add("kubectl diff, half", run("diff", &set.half, 1)?);
        Ok(())
    }

    fn kelson(&self, set: &Set, name: &str, figures: &mut Figures) -> anyhow::Result<()> {
        self.prepare(name)?;
        let run = |verb: &str, folder: &Path, code: i32| {
            let mut command = self.command(&self.kelson);
            command.arg(verb).arg(folder).args(["--namespace", name, "--name", "bench"]);
            command.arg("--change-source");
            // As kubectl, which does not wait either.
            command.args(if verb == "apply" { &["--yes", "--no-wait"][..] } else { &[] });
            once(&command, code)
        };
        figures.add("kelson plan, new", run("plan", &set.first, 2)?);
        figures.add("kelson first", run("apply", &set.first, 0)?);
        self.settle(name, set)?;
        figures.add("kelson unchanged", run("apply", &set.first, 0)?);
        figures.add("kelson plan, nothing", run("plan", &set.first, 0)?);
        figures.add("kelson plan, half", run("plan", &set.half, 2)?);
        figures.add("kelson one changed", run("apply", &set.one, 0)?);
        // At the end, since it leaves work to the controllers.
        let busy =
            while_status_is_written(&self.bare, name, &set.objects, || run("apply", &set.one, 0));
        figures.add("kelson unchanged, busy", busy?);
        Ok(())
    }

    /// A program with a home of its own.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (variable, folder) in
            [("HOME", "home"), ("XDG_CACHE_HOME", "cache"), ("XDG_DATA_HOME", "data")]
        {
            command.env(variable, self.scratch.path().join(folder));
        }
        command.env("KUBECONFIG", self.plane.kubeconfig());
        command
    }
}

/// The objects, and folders with their manifests: as they are first, with one of them changed, with half of them.
struct Set {
    objects: Vec<Value>,
    first: PathBuf,
    one: PathBuf,
    half: PathBuf,
}

impl Set {
    fn write(scratch: &Path, size: usize) -> anyhow::Result<Self> {
        let folder = |name: &str, objects: &[Value]| -> anyhow::Result<PathBuf> {
            let folder = scratch.join(format!("{name}-{size}"));
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join("objects.yaml"), manifests(objects))?;
            Ok(folder)
        };
        let first = objects(size, false);
        Ok(Self {
            first: folder("first", &first)?,
            one: folder("one", &one_changed(&first))?,
            half: folder("half", &objects(size, true))?,
            objects: first,
        })
    }
}

fn one_changed(objects: &[Value]) -> Vec<Value> {
    let mut objects = objects.to_vec();
    if let Some(map) = objects.iter_mut().find(|object| object["kind"] == "ConfigMap") {
        map["data"]["mark"] = "new".into();
    }
    objects
}

impl Figures {
    fn add(&mut self, name: &'static str, cost: Cost) {
        // All this takes minutes, and whoever waits wants to see it move.
        eprintln!("  {name}: {:.2} s", cost.wall.as_secs_f64());
        self.0.push((name, cost));
    }

    fn least(&self, other: &Self) -> Self {
        let least = |(name, cost): &(&'static str, Cost)| {
            let same = other.0.iter().find(|(known, _)| known == name);
            (*name, same.map_or(*cost, |(_, other)| cost.least(other)))
        };
        Self(self.0.iter().map(least).collect())
    }

    fn seconds(&self, name: &str) -> f64 {
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(f64::NAN, |(_, cost)| cost.wall.as_secs_f64())
    }

    fn print(&self) {
        for (name, cost) in &self.0 {
            let account = match cost.memory {
                0 => String::new(),
                memory => format!(
                    "{:>8.2} s {:>7.1} MB",
                    cost.processor.as_secs_f64(),
                    memory as f64 / 1e6
                ),
            };
            println!("{name:<24} {:>8.2} s {account}", cost.wall.as_secs_f64());
        }
    }

    fn ratios(&self) {
        println!("\nratios (time on the wall)");
        for (name, one, other, limit) in [
            ("first apply / raw replay", "kelson first", "raw replay", "at most 1.5"),
            ("kubectl first / first apply", "kubectl first", "kelson first", "at least 2"),
            (
                "kubectl unchanged / unchanged",
                "kubectl unchanged",
                "kelson unchanged",
                "at least 10",
            ),
            (
                "the same while status is written",
                "kubectl unchanged",
                "kelson unchanged, busy",
                "at least 10",
            ),
            (
                "kubectl diff / plan, nothing",
                "kubectl diff, nothing",
                "kelson plan, nothing",
                "at least 3",
            ),
            ("kubectl diff / plan, half", "kubectl diff, half", "kelson plan, half", "at least 3"),
            ("plan of new objects / raw dry runs", "kelson plan, new", "raw dry runs", ""),
        ] {
            println!("{name:<36} {:>6.2}  {limit}", self.seconds(one) / self.seconds(other));
        }
    }

    /// How time grows from a smaller set to this one; 1.0 is linear.
    fn growth(&self, smaller: &Self) {
        println!(
            "\ngrowth from {SIZE} to {LARGE} objects (1.0 is linear; at most 1.1, under 150 MB)"
        );
        let steps = (LARGE as f64 / SIZE as f64).log10();
        // What the server itself takes grows, too: the raw requests show how much of the time on the wall is its own.
        println!("{:<24} {:>6} {:>9} {:>11}", "", "wall", "processor", "memory");
        for ((name, cost), (_, small)) in self
            .0
            .iter()
            .filter_map(|it| Some((it, smaller.0.iter().find(|other| other.0 == it.0)?)))
        {
            let exponent = |of: fn(&Cost) -> Duration| {
                (of(cost).as_secs_f64() / of(small).as_secs_f64()).log10() / steps
            };
            let ours = match cost.memory {
                0 => String::new(),
                memory => {
                    let growth = exponent(|cost| cost.processor);
                    format!("{growth:>9.2} {:>8.1} MB", memory as f64 / 1e6)
                }
            };
            println!("{name:<24} {:>6.2} {ours}", exponent(|cost| cost.wall));
        }
        let raw = self.seconds("kelson first") / self.seconds("raw replay");
        println!("first apply / raw replay {raw:>6.2}");
    }
}
