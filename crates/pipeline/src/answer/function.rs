//! Programs that a build names.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use kelson_model::{Function, Run};

/// Runs a function and returns what it prints.
pub(super) fn call(function: &Function) -> Result<Vec<u8>, String> {
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
