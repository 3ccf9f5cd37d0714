//! Records what upstream's `kustomize build` prints for our own cases.
//!
//! A case is a folder with `in/` (the root of a small file system), an optional `case.txt` that says how
//! to build it, and what upstream answered: `out.yaml`, or `error.txt` when the build fails, and
//! `warnings.txt` when it had something to say besides. [`record`] rewrites the answers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often upstream builds a case before its answer counts as deterministic.
const RUNS: usize = 5;

/// What one recording did.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// How many cases were built.
    pub(crate) recorded: usize,
    /// Cases whose files now differ from what was there before.
    pub(crate) changed: Vec<String>,
    /// Cases for which upstream gave different answers to the same input; their files were left alone.
    pub(crate) unstable: Vec<String>,
}

/// Builds the cases in `cases` with the program `kustomize` and rewrites their expected answers.
///
/// An empty `only` means every case. Each build runs on a copy below the system's temporary
/// directory, so that the answers name no path of this checkout.
pub(crate) fn record(kustomize: &Path, cases: &Path, only: &[String]) -> Result<Summary, String> {
    let names = case_names(cases, only)?;
    let scratch = Scratch::new()?;
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = record_case(kustomize, &cases.join(name), &scratch.0.join(name));
                    let mut results = results.lock().expect("because no holder of the lock panics");
                    results.push((name.clone(), outcome));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("because no holder of the lock panics");
    results.sort_by(|left, right| left.0.cmp(&right.0));
    summarise(results)
}

/// What recording one case came to.
enum Outcome {
    Same,
    Changed,
    Unstable,
}

fn summarise(results: Vec<(String, Result<Outcome, String>)>) -> Result<Summary, String> {
    let mut summary = Summary::default();
    for (name, outcome) in results {
        summary.recorded += 1;
        match outcome.map_err(|error| format!("case `{name}`: {error}"))? {
            Outcome::Same => {}
            Outcome::Changed => summary.changed.push(name),
            Outcome::Unstable => summary.unstable.push(name),
        }
    }
    Ok(summary)
}

fn case_names(cases: &Path, only: &[String]) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let entries = fs::read_dir(cases).map_err(|error| describe("list", cases, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| describe("list", cases, &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let wanted = only.is_empty() || only.contains(&name);
        if wanted && entry.path().join("in").is_dir() {
            names.push(name);
        }
    }
    names.sort();
    match only.iter().find(|name| names.binary_search(name).is_err()) {
        Some(missing) => Err(format!("there is no case `{missing}` in `{}`", cases.display())),
        None => Ok(names),
    }
}

fn record_case(kustomize: &Path, case: &Path, scratch: &Path) -> Result<Outcome, String> {
    let settings = Settings::read(&case.join("case.txt"))?;
    copy_tree(&case.join("in"), scratch).map_err(|error| describe("copy", case, &error))?;
    let first = build(kustomize, &settings, scratch)?;
    for _ in 1..RUNS {
        if build(kustomize, &settings, scratch)? != first {
            return Ok(Outcome::Unstable);
        }
    }
    first.write(case).map_err(|error| describe("write to", case, &error))
}

/// The lines of `case.txt`.
struct Settings {
    root: String,
    flags: Vec<String>,
}

impl Settings {
    fn read(path: &Path) -> Result<Self, String> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(describe("read", path, &error)),
        };
        let mut settings = Self { root: ".".to_owned(), flags: Vec::new() };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (key, value) =
                line.split_once(':').ok_or_else(|| format!("`{line}` is not `key: value`"))?;
            settings.set(key.trim(), value.trim())?;
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "note" => {}
            "root" => value.clone_into(&mut self.root),
            "reorder" => self.flags.push(format!("--reorder={value}")),
            "load-restrictor" => self.flags.push(format!("--load-restrictor={value}")),
            "managed-by" if value == "true" => {
                self.flags.push("--enable-managedby-label".to_owned());
            }
            _ => return Err(format!("`case.txt` has an unknown line `{key}: {value}`")),
        }
        Ok(())
    }
}

/// What upstream said to one build.
#[derive(PartialEq, Eq)]
struct Answer {
    /// The bytes on standard output, or the text after `Error: `.
    result: Result<Vec<u8>, String>,
    warnings: String,
}

impl Answer {
    fn new(output: Output, root: &str) -> Self {
        let said = tidy(&String::from_utf8_lossy(&output.stderr), root);
        if output.status.success() {
            return Self { result: Ok(output.stdout), warnings: said };
        }
        let (warnings, error) = split_error(&said);
        // Of a panic only the first line is about the input, the rest about the program.
        let first_line = error.split_inclusive('\n').next().unwrap_or(error);
        let error = if error.starts_with("panic: ") { first_line } else { error };
        Self { result: Err(error.to_owned()), warnings: warnings.to_owned() }
    }

    fn write(&self, case: &Path) -> io::Result<Outcome> {
        let (out, error) = match &self.result {
            Ok(bytes) => (Some(bytes.as_slice()), None),
            Err(text) => (None, Some(text.as_bytes())),
        };
        let warnings = Some(self.warnings.as_bytes()).filter(|text| !text.is_empty());
        let changed = [
            put(&case.join("out.yaml"), out)?,
            put(&case.join("error.txt"), error)?,
            put(&case.join("warnings.txt"), warnings)?,
        ];
        Ok(if changed.contains(&true) { Outcome::Changed } else { Outcome::Same })
    }
}

fn build(kustomize: &Path, settings: &Settings, root: &Path) -> Result<Answer, String> {
    let output = Command::new(kustomize)
        .arg("build")
        .args(&settings.flags)
        .arg(root.join(&settings.root))
        .env_remove("KUSTOMIZE_ENABLE_MANAGEDBY_LABEL")
        .env_remove("KUSTOMIZE_PLUGIN_HOME")
        .output()
        .map_err(|error| describe("run", kustomize, &error))?;
    Ok(Answer::new(output, &root.to_string_lossy()))
}

/// Splits what was said before the line that begins with `Error: `, or with `panic: `.
fn split_error(said: &str) -> (&str, &str) {
    let mut start = 0;
    for line in said.split_inclusive('\n') {
        if line.starts_with("Error: ") || line.starts_with("panic: ") {
            break;
        }
        start += line.len();
    }
    let (warnings, error) = said.split_at(start);
    (warnings, error.strip_prefix("Error: ").unwrap_or(error))
}

/// Removes from a message what differs from run to run: our scratch directory (a path then reads
/// as if `in/` were the root), the time before a log line, and the addresses Go prints for pointers.
/// Remarks about flags go too: they are the command's, and cases are about the engine.
fn tidy(said: &str, root: &str) -> String {
    let said = said.replace(&format!("{root}/"), "/").replace(root, "/");
    let lines = said.split_inclusive('\n').filter(|line| !line.starts_with("Flag --"));
    lines.map(|line| without_addresses(without_time(line))).collect()
}

/// Drops a leading `2006/01/02 15:04:05 `.
fn without_time(line: &str) -> &str {
    const SHAPE: &[u8] = b"0000/00/00 00:00:00 ";
    let bytes = line.as_bytes();
    let fits = bytes.len() >= SHAPE.len()
        && bytes.iter().zip(SHAPE).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            _ => byte == shape,
        });
    if fits { &line[SHAPE.len()..] } else { line }
}

/// Writes the addresses in pointers that Go prints, `{0x33b78a70d930` or `(0x33b78a70d930`, as `0x0`.
fn without_addresses(line: &str) -> String {
    let mut tidied = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("{0x").into_iter().chain(rest.find("(0x")).min() {
        let (before, after) = rest.split_at(at + "{0x".len());
        tidied.push_str(before);
        tidied.push('0');
        rest = after.trim_start_matches(|character: char| character.is_ascii_hexdigit());
    }
    tidied + rest
}

/// Makes the file hold `bytes`, or not exist, and says whether that changed anything.
fn put(path: &Path, bytes: Option<&[u8]>) -> io::Result<bool> {
    let before = match fs::read(path) {
        Ok(before) => Some(before),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if before.as_deref() == bytes {
        return Ok(false);
    }
    match bytes {
        Some(bytes) => fs::write(path, bytes)?,
        None => fs::remove_file(path)?,
    }
    Ok(true)
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// A directory of our own that goes away with the recording.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        let parent = std::env::temp_dir();
        // Upstream resolves links before it names a path, so the path we look for must be resolved too.
        let parent = parent.canonicalize().map_err(|error| describe("resolve", &parent, &error))?;
        let own = parent.join(format!("kelson-baseline-{}", std::process::id()));
        fs::create_dir_all(&own).map_err(|error| describe("create", &own, &error))?;
        Ok(Self(own))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A scratch directory that cannot be removed is the system's to sweep.
        fs::remove_dir_all(&self.0).ok();
    }
}

fn describe(verb: &str, path: &Path, error: &io::Error) -> String {
    format!("cannot {verb} `{}`: {error}", path.display())
}
