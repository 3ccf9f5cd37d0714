//! Builds random overlays with upstream and with Kelson and compares the bytes.

use crate::overlays;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often upstream builds again before a difference counts as ours.
const RERUNS: usize = 6;

/// How many builds lie between two lines of progress.
const PROGRESS: usize = 250;

/// What a differential run found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// How many trees were built.
    pub(crate) built: usize,
    /// For how many of them upstream printed something.
    pub(crate) succeeded: usize,
    /// Seeds with the same answer from both.
    pub(crate) same: usize,
    /// Seeds to which upstream answered differently from run to run; Kelson may follow any of the answers.
    pub(crate) unstable: Vec<u64>,
    /// Seeds to which Kelson answered otherwise than upstream, and how.
    pub(crate) different: Vec<(u64, Difference)>,
}

/// How the two answers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Both built, and the bytes are not the same.
    Bytes,
    /// Only upstream failed.
    UpstreamFailed,
    /// Only Kelson failed.
    KelsonFailed,
}

/// Builds the trees of `seeds` with both programs and compares what they print and whether they fail.
///
/// The trees of differing seeds stay in `keep`, each with what the two printed.
pub(crate) fn compare(
    kustomize: &Path,
    kelson: &Path,
    seeds: Range<u64>,
    keep: &Path,
) -> Result<Report, String> {
    let next = AtomicU64::new(seeds.start);
    let report = Mutex::new(Ok(Report::default()));
    let scratch = std::env::temp_dir().join(format!("kelson-differential-{}", std::process::id()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let pair =
                        Pair { kustomize, kelson, seed, dir: scratch.join(seed.to_string()) };
                    let outcome = pair.run(keep);
                    let mut report = report.lock().expect("because no holder of the lock panics");
                    if !count(&mut report, seed, outcome) {
                        break;
                    }
                }
            });
        }
    });
    // A scratch directory that cannot be removed is the system's to sweep.
    fs::remove_dir_all(&scratch).ok();
    let mut report = report.into_inner().expect("because no holder of the lock panics")?;
    report.unstable.sort_unstable();
    report.different.sort_unstable_by_key(|(seed, _)| *seed);
    Ok(report)
}

/// Adds one outcome to the report and says whether to go on.
fn count(report: &mut Result<Report, String>, seed: u64, outcome: Result<Outcome, String>) -> bool {
    let Ok(counted) = report else { return false };
    match outcome {
        Ok(outcome) => {
            counted.built += 1;
            counted.succeeded += usize::from(outcome.succeeded);
            match outcome.verdict {
                Verdict::Same => counted.same += 1,
                Verdict::Unstable => counted.unstable.push(seed),
                Verdict::Different(difference) => counted.different.push((seed, difference)),
            }
            if counted.built.is_multiple_of(PROGRESS) {
                progress(counted);
            }
            true
        }
        Err(error) => {
            *report = Err(format!("seed {seed}: {error}"));
            false
        }
    }
}

#[expect(clippy::print_stderr, reason = "a run takes minutes, and its reader wants to see it move")]
fn progress(report: &Report) {
    eprintln!(
        "{} built, {} of them with success, {} differ, {} unstable upstream",
        report.built,
        report.succeeded,
        report.different.len(),
        report.unstable.len()
    );
}

/// What came of one seed.
struct Outcome {
    /// Whether upstream built it.
    succeeded: bool,
    verdict: Verdict,
}

enum Verdict {
    Same,
    Unstable,
    Different(Difference),
}

/// The two programs and the tree they are to build.
struct Pair<'a> {
    kustomize: &'a Path,
    kelson: &'a Path,
    seed: u64,
    dir: PathBuf,
}

impl Pair<'_> {
    fn run(&self, keep: &Path) -> Result<Outcome, String> {
        let root = overlays::random(self.seed, &self.dir)
            .map_err(|error| describe("write", &self.dir, &error))?;
        let expected = build(self.kustomize, &root)?;
        let actual = build(self.kelson, &root)?;
        let verdict = self.judge(&root, &expected, &actual)?;
        if let Verdict::Different(_) = verdict {
            self.keep(keep, &expected, &actual)
                .map_err(|error| describe("keep", &self.dir, &error))?;
        } else {
            fs::remove_dir_all(&self.dir).map_err(|error| describe("remove", &self.dir, &error))?;
        }
        Ok(Outcome { succeeded: expected.bytes.is_some(), verdict })
    }

    fn judge(&self, root: &Path, expected: &Answer, actual: &Answer) -> Result<Verdict, String> {
        let difference = match (&expected.bytes, &actual.bytes) {
            (Some(expected), Some(actual)) if expected == actual => return Ok(Verdict::Same),
            (None, None) => return Ok(Verdict::Same),
            (Some(_), Some(_)) => Difference::Bytes,
            (None, Some(_)) => Difference::UpstreamFailed,
            (Some(_), None) => Difference::KelsonFailed,
        };
        for _ in 0..RERUNS {
            if build(self.kustomize, root)?.bytes != expected.bytes {
                return Ok(Verdict::Unstable);
            }
        }
        Ok(Verdict::Different(difference))
    }

    /// Moves the tree to `keep` and lays both answers beside it.
    fn keep(&self, keep: &Path, expected: &Answer, actual: &Answer) -> io::Result<()> {
        let kept = keep.join(self.seed.to_string());
        if kept.exists() {
            fs::remove_dir_all(&kept)?;
        }
        fs::create_dir_all(&kept)?;
        overlays::random(self.seed, &kept.join("tree"))?;
        for (name, answer) in [("kustomize", expected), ("kelson", actual)] {
            fs::write(
                kept.join(format!("{name}.yaml")),
                answer.bytes.as_deref().unwrap_or_default(),
            )?;
            fs::write(kept.join(format!("{name}.err")), &answer.said)?;
        }
        fs::remove_dir_all(&self.dir)
    }
}

/// What one program answered.
struct Answer {
    /// Standard output, if the build succeeded.
    bytes: Option<Vec<u8>>,
    /// Standard error.
    said: Vec<u8>,
}

fn build(program: &Path, root: &Path) -> Result<Answer, String> {
    let output = Command::new(program)
        .arg("build")
        .arg(root)
        .output()
        .map_err(|error| describe("run", program, &error))?;
    Ok(Answer { bytes: output.status.success().then_some(output.stdout), said: output.stderr })
}

fn describe(verb: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot {verb} `{}`: {error}", path.display())
}
