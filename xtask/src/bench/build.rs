//! Rendering, against kustomize: ratios, growth and memory.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use kelson_testkit::tools;

use super::measure::{Cost, best};
use super::{kelson, yaml};
use crate::overlays::{Shape, bench};
use crate::run::Scratch;

/// Sizes built by both; the last takes kustomize minutes.
const BOTH: [usize; 3] = [100, 1_000, 4_000];
/// Sizes between which growth is measured.
const GROWTH: [usize; 2] = [4_000, 40_000];

pub(super) fn run(quick: bool) -> anyhow::Result<()> {
    let kelson = kelson()?;
    let kustomize = tools::get("kustomize")?;
    let scratch = Scratch::new("bench")?;
    let bench = Bench { kelson, kustomize, scratch };
    bench.against_kustomize(quick)?;
    bench.growth()?;
    bench.against_parsing()?;
    bench.side_by_side()?;
    bench.start_up()
}

struct Bench {
    kelson: PathBuf,
    kustomize: PathBuf,
    scratch: Scratch,
}

impl Bench {
    fn tree(&self, shape: Shape, size: usize) -> anyhow::Result<PathBuf> {
        let folder = self.scratch.path().join(format!("{}-{size}", shape.name()));
        if folder.is_dir() {
            std::fs::remove_dir_all(&folder)?;
        }
        bench(shape, size, &folder)
            .with_context(|| format!("cannot write a tree of {size} resources"))
    }

    fn build(&self, program: &Path, tree: &Path, rounds: usize) -> anyhow::Result<Cost> {
        best(rounds, || {
            let mut command = Command::new(program);
            command.arg("build").arg(tree);
            command
        })
    }

    /// Both in turn: how fast a machine is changes from minute to minute, and neither is to be measured in its best ones
    /// alone. Kelson is run more often, since its runs are short and one interruption spoils them.
    fn in_turn(&self, tree: &Path, rounds: usize) -> anyhow::Result<(Cost, Cost)> {
        let mut ours = self.build(&self.kelson, tree, 10)?;
        let mut theirs = self.build(&self.kustomize, tree, 1)?;
        for _ in 1..rounds {
            ours = ours.least(&self.build(&self.kelson, tree, 10)?);
            theirs = theirs.least(&self.build(&self.kustomize, tree, 1)?);
        }
        Ok((theirs, ours.least(&self.build(&self.kelson, tree, 10)?)))
    }

    /// A small tree and a large one in turn, the small one as often as it goes into the large one: both are under way for as
    /// long, and meet as much of whatever else the machine does. The cost of the small one is that of one build.
    fn in_step(&self, small: &Path, large: &Path, times: usize) -> anyhow::Result<(Cost, Cost)> {
        let round = || -> anyhow::Result<(Cost, Cost)> {
            let many = self.build(&self.kelson, large, 1)?;
            let few = (0..times).map(|_| self.build(&self.kelson, small, 1));
            let few = few.collect::<anyhow::Result<Vec<Cost>>>()?;
            Ok((Cost::mean(&few), many))
        };
        let (mut few, mut many) = round()?;
        for _ in 0..4 {
            let (small, large) = round()?;
            (few, many) = (few.least(&small), many.least(&large));
        }
        Ok((few, many))
    }

    fn against_kustomize(&self, quick: bool) -> anyhow::Result<()> {
        println!("\nkustomize v5.8.1 and Kelson on the same trees (processor time, peak memory)");
        println!(
            "{:<14} {:>9} {:>11} {:>10} {:>8} {:>10} {:>8} {:>7}",
            "shape", "resources", "kustomize", "kelson", "ratio", "kustomize", "kelson", "ratio"
        );
        for shape in Shape::ALL {
            for size in BOTH {
                // The largest is measured in full for the main shape only; kustomize needs minutes for each.
                if size > 1_000 && (quick || shape != Shape::Overlay) {
                    continue;
                }
                let tree = self.tree(shape, size)?;
                let rounds = if size > 1_000 { 1 } else { 3 };
                let (theirs, ours) = self.in_turn(&tree, rounds)?;
                println!(
                    "{:<14} {size:>9} {:>9.2} s {:>7.1} ms {:>7.0}x {:>7.1} MB {:>5.1} MB {:>6.1}x",
                    shape.name(),
                    theirs.processor.as_secs_f64(),
                    milliseconds(&ours),
                    theirs.processor.as_secs_f64() / ours.processor.as_secs_f64(),
                    megabytes(&theirs),
                    megabytes(&ours),
                    megabytes(&theirs) / megabytes(&ours),
                );
            }
        }
        Ok(())
    }

    fn growth(&self) -> anyhow::Result<()> {
        let [small, large] = GROWTH;
        println!("\ngrowth from {small} to {large} resources (1.0 is linear)");
        println!("{:<14} {:>10} {:>10} {:>6} {:>10}", "shape", "small", "large", "time", "memory");
        for shape in Shape::ALL {
            let (few, many) =
                self.in_step(&self.tree(shape, small)?, &self.tree(shape, large)?, large / small)?;
            let steps = (large as f64 / small as f64).log10();
            let time = (milliseconds(&many) / milliseconds(&few)).log10() / steps;
            let memory = (megabytes(&many) / megabytes(&few)).log10() / steps;
            println!(
                "{:<14} {:>7.1} ms {:>7.1} ms {time:>6.2} {memory:>10.2}",
                shape.name(),
                milliseconds(&few),
                milliseconds(&many),
            );
        }
        Ok(())
    }

    fn against_parsing(&self) -> anyhow::Result<()> {
        let tree = self.tree(Shape::Overlay, 4_000)?;
        let file = self.scratch.path().join("output.yaml");
        crate::run::run(
            Command::new(&self.kelson).arg("build").arg(&tree).arg("--output").arg(&file),
        )?;
        let program = yaml::speed_program()?;
        let pass = best(10, || {
            let mut command = Command::new(&program);
            command.arg("pass").arg(&file);
            command
        })?;
        let ours = self.build(&self.kelson, &tree, 10)?;
        println!(
            "\n4,000 resources, against reading and writing the same text with our own YAML crate"
        );
        println!(
            "build {:.1} ms, reading and writing {:.1} ms: {:.1}x",
            milliseconds(&ours),
            milliseconds(&pass),
            milliseconds(&ours) / milliseconds(&pass)
        );
        let (theirs, ours) = (yaml::go_yaml(&file)?, yaml::kelson(&file)?);
        println!("\nour YAML crate against go-yaml (MB/s of processor time)");
        for (name, theirs, ours) in
            [("read", theirs.read, ours.read), ("write", theirs.write, ours.write)]
        {
            println!(
                "{name:<6} go-yaml {:>6.1}, kelson-yaml {:>6.1}: {:.1}x",
                theirs / 1e6,
                ours / 1e6,
                ours / theirs
            );
        }
        Ok(())
    }

    /// A thousand small overlays in one process with two threads, and in two processes with one each.
    fn side_by_side(&self) -> anyhow::Result<()> {
        let trees = (0..1_000)
            .map(|number| {
                let folder = self.scratch.path().join(format!("small/{number}"));
                bench(Shape::Overlay, 8, &folder).context("cannot write small trees")
            })
            .collect::<anyhow::Result<Vec<_>>>()?;
        let command = |jobs: &str, name: &str, trees: &[PathBuf]| {
            let mut command = Command::new(&self.kelson);
            command.arg("build").args(["--jobs", jobs]).args(trees);
            command.arg("--output").arg(self.scratch.path().join(name));
            command
        };
        let together = best(5, || command("2", "together", &trees))?;
        let (first, second) = trees.split_at(trees.len() / 2);
        let mut apart = f64::MAX;
        for _ in 0..5 {
            let started = std::time::Instant::now();
            let results = std::thread::scope(|scope| {
                let one = scope.spawn(|| best(1, || command("1", "first", first)));
                let other = scope.spawn(|| best(1, || command("1", "second", second)));
                [one.join(), other.join()]
            });
            for result in results {
                result.map_err(|_| anyhow::anyhow!("a measurement broke off"))??;
            }
            apart = apart.min(started.elapsed().as_secs_f64());
        }
        let together = together.wall.as_secs_f64();
        println!("\n1,000 small overlays: one process with two threads against two processes");
        println!(
            "{:.0} ms against {:.0} ms: {:.2} of the throughput",
            together * 1e3,
            apart * 1e3,
            apart / together
        );
        Ok(())
    }

    fn start_up(&self) -> anyhow::Result<()> {
        let tree = self.tree(Shape::Overlay, 4)?;
        let cost = self.build(&self.kelson, &tree, 200)?;
        println!(
            "\nthe smallest build, start included: {:.1} ms of processor time",
            milliseconds(&cost)
        );
        Ok(())
    }
}

fn milliseconds(cost: &Cost) -> f64 {
    cost.processor.as_secs_f64() * 1e3
}

fn megabytes(cost: &Cost) -> f64 {
    cost.memory as f64 / 1e6
}
