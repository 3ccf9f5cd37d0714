//! Running programs, with errors that name them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A directory of one run, gone afterwards.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> anyhow::Result<Self> {
        let name = format!("kelson-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)
            .with_context(|| format!("cannot make `{}`", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// How a command reads on a command line.
fn describe(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let arguments = command.get_args().map(|word| word.to_string_lossy().into_owned());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Runs a command on our own terminal.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let text = describe(command);
    let status = command.status().with_context(|| format!("cannot run `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and returns what it prints.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let text = describe(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot run `{text}`"))?;
    if !output.status.success() {
        bail!("`{text}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
