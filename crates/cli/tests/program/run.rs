//! Runs the real program in a folder of its own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder with files, gone when the test is done.
pub(crate) struct Folder(PathBuf);

/// What a run printed.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Folder {
    /// Writes many files from one text, each opened by a line `#- path`.
    pub(crate) fn new(files: &str) -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("program-{}-{number}", std::process::id());
        // Outside of this repository, of which git would tell otherwise.
        let root = std::env::temp_dir().join(format!("kelson-{name}"));
        std::fs::create_dir_all(&root).unwrap();
        let root = root.canonicalize().unwrap();
        for file in files.split("#- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            let path = root.join(path.trim());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(root)
    }

    /// The path of a file in it.
    #[allow(dead_code, reason = "not every test of the program needs it")]
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program, to be run here in a way of one's own.
    #[allow(dead_code, reason = "not every test of the program needs it")]
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command(&self.0, arguments)
    }

    /// Runs the program here with further variables of the environment.
    #[allow(dead_code, reason = "not every test of the program needs it")]
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        finish(&self.0, self.command(arguments).envs(variables.iter().copied()))
    }

    /// Runs the program here. Its folder reads as `/here`.
    #[allow(dead_code, reason = "not every test of the program needs it")]
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        run(&self.0, arguments)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Runs the program in a directory.
pub(crate) fn run(directory: &Path, arguments: &[&str]) -> Ran {
    finish(directory, &mut command(directory, arguments))
}

/// The program, to be run in a directory that is also its user's home.
pub(crate) fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kelson"));
    for variable in [
        "KUSTOMIZE_ENABLE_MANAGEDBY_LABEL",
        "SOURCE_DATE_EPOCH",
        "KELSON_CREDS",
        "KUBECONFIG",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
    ] {
        command.env_remove(variable);
    }
    command
        .args(arguments)
        .current_dir(directory)
        .env("HOME", directory.join("home"))
        .env("DOCKER_CONFIG", directory)
        .env("KUSTOMIZE_PLUGIN_HOME", directory.join("plugins"));
    command
}

fn finish(directory: &Path, command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran::new(directory, &output)
}

impl Ran {
    /// What a finished run printed. The directory reads as `/here`.
    pub(crate) fn new(directory: &Path, output: &Output) -> Self {
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes).replace(&*directory.to_string_lossy(), "/here")
        };
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// All that a person sees.
    #[allow(dead_code, reason = "not every test of the program needs it")]
    pub(crate) fn shown(&self) -> String {
        let mut text = self.out.clone();
        text.push_str(&self.err);
        if self.code != 0 {
            let _ = writeln!(text, "exit code {}", self.code);
        }
        text
    }
}
