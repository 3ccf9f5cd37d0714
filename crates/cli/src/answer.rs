//! Gets what a pure stage asks for, and runs it again until it asks for nothing more.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use kelson_kustomize::{Build, Failure, Options, Outcome};
use kelson_model::{Answer, Answers, Diagnostic, Function, Need, Request, Run, Sources};
use kelson_source::DirectoryTree;
use kelson_yaml::Span;

use crate::path;

/// How often a build may ask before it is taken to go in circles.
const ROUNDS: usize = 1000;

/// Builds a directory, running the functions it asks for where the options allow.
pub(crate) fn build(root: &str, options: &Options) -> Result<Build, Failure> {
    let tree = DirectoryTree::whole();
    let mut answers = Answers::default();
    for _ in 0..ROUNDS {
        match kelson_kustomize::build(&tree, root, options, &answers)? {
            Outcome::Built(build) => return Ok(build),
            Outcome::Needs(needs) => {
                let mut sources = Sources::default();
                let refused: Vec<Diagnostic> = needs
                    .iter()
                    .filter_map(|need| answer(need, &mut answers, &mut sources))
                    .collect();
                if !refused.is_empty() {
                    return Err(Failure { diagnostics: refused, warnings: Vec::new(), sources });
                }
            }
        }
    }
    let message = format!("the build asked for something {ROUNDS} times and is still not done");
    let diagnostics = vec![Diagnostic::error("asks-for-ever", message)];
    Err(Failure { diagnostics, warnings: Vec::new(), sources: Sources::default() })
}

/// Answers one need, or says why it cannot be met.
fn answer(need: &Need, answers: &mut Answers, sources: &mut Sources) -> Option<Diagnostic> {
    let mut refuse = |code, message: String| match place(need, sources) {
        Some(span) => Some(Diagnostic::error(code, message).at(span, "asked for here")),
        None => {
            let place = format!("{}:{}:{}", path::shown(&need.file), need.line, need.column);
            Some(Diagnostic::error(code, format!("{place}: {message}")))
        }
    };
    match &need.request {
        Request::Remote(remote) => {
            let message =
                format!("`{}` is remote, and remote sources are not fetched yet", remote.url);
            refuse("remote-source", message)
                .map(|diagnostic| diagnostic.help("copy it into the tree and name it by its path"))
        }
        Request::Chart(chart) => {
            let message =
                format!("the chart `{}` is not rendered: charts are not built in yet", chart.name);
            refuse("chart", message).map(|diagnostic| {
                diagnostic.help("render it with `helm template` and list the result")
            })
        }
        Request::Function(function) => match call(function) {
            Ok(output) => {
                answers.insert(need.request.clone(), Answer::Bytes(output.into()));
                None
            }
            Err(message) => refuse("function", message),
        },
    }
}

/// The place of a need in its file, which is read once more for it.
fn place(need: &Need, sources: &mut Sources) -> Option<Span> {
    let text = std::fs::read_to_string(&need.file).ok()?;
    let lines = text.split_inclusive('\n').take(need.line.checked_sub(1)?);
    let line: usize = lines.map(str::len).sum();
    let column = text[line..].char_indices().nth(need.column.checked_sub(1)?)?.0;
    let start = u32::try_from(line + column).ok()?;
    Some(Span { source: sources.add(need.file.as_str(), text), start })
}

/// Runs a function and returns what it prints.
fn call(function: &Function) -> Result<Vec<u8>, String> {
    match &function.run {
        Run::Container { image, .. } => {
            Err(format!("the function `{image}` is a container, and containers are not run yet"))
        }
        Run::Exec { path, args, env } => {
            let mut command = Command::new(Path::new(&function.directory).join(path));
            command.args(args).envs(env.iter().filter_map(|pair| pair.split_once('=')));
            pipe(command, function)
        }
        Run::Plugin { path, args } => {
            let scratch = Scratch::new()?;
            let config = scratch.0.join("config.yaml");
            std::fs::write(&config, &function.config).map_err(|error| error.to_string())?;
            let mut command = Command::new(plugin_home()?.join(path));
            command.arg(&config).args(args);
            command.env("KUSTOMIZE_PLUGIN_CONFIG_STRING", &function.config);
            command.env("KUSTOMIZE_PLUGIN_CONFIG_ROOT", &function.directory);
            pipe(command, function)
        }
    }
}

/// Gives a program its input and returns its output.
fn pipe(mut command: Command, function: &Function) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .current_dir(&function.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run `{name}`: {error}"))?;
    let input: Arc<str> = function.input.as_str().into();
    let pipe = child.stdin.take();
    // Written from another thread: a program that prints before it has read all would block both.
    let writer = std::thread::spawn(move || {
        // A program need not read its input.
        pipe.map(|mut pipe| pipe.write_all(input.as_bytes()).ok())
    });
    let output = child.wait_with_output().map_err(|error| format!("`{name}`: {error}"))?;
    writer.join().ok();
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("`{name}` failed ({})", output.status))
}

/// Where plugins of the older kind are.
fn plugin_home() -> Result<PathBuf, String> {
    let set =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("KUSTOMIZE_PLUGIN_HOME")
        .or_else(|| set("XDG_CONFIG_HOME").map(|home| home.join("kustomize/plugin")))
        .or_else(|| set("HOME").map(|home| home.join(".config/kustomize/plugin")))
        .ok_or_else(|| "set KUSTOMIZE_PLUGIN_HOME to the directory of plugins".to_owned())
}

/// A directory of our own, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("kelson-plugin-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).map_err(|error| format!("cannot make a directory: {error}"))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
