//! Programs that never outlive whoever started them.
//!
//! Each runs under a small shell that waits for its standard input to close. A pipe closes however its
//! owner ends: by returning, by a panic, by `kill -9`. A destructor alone would not run in the last case.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::Error;

const SCRIPT: &str = include_str!("supervise.sh");

/// A running program with its log.
#[derive(Debug)]
pub(crate) struct Supervised {
    name: &'static str,
    shell: Child,
    log: PathBuf,
}

impl Supervised {
    /// Starts `program` below `directory`, where its log is written. The directory is removed when
    /// the starter is gone without a word.
    pub(crate) fn start(
        name: &'static str,
        directory: &Path,
        program: &Path,
        arguments: &[String],
    ) -> Result<Self, Error> {
        let log = directory.join(format!("{name}.log"));
        let output = File::create(&log).map_err(Error::at(&log))?;
        let errors = output.try_clone().map_err(Error::at(&log))?;
        let shell = Command::new("sh")
            .arg("-c")
            .arg(SCRIPT)
            .arg("supervise")
            .arg(directory)
            .arg(program)
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(errors)
            // A group of its own: Ctrl-C on the terminal is for us, not for our children.
            .process_group(0)
            .spawn()
            .map_err(Error::at(program))?;
        Ok(Self { name, shell, log })
    }

    /// The program's name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Where it writes.
    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    /// Fails if the program is gone, with the last lines it wrote.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        match self.shell.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(Error::Died {
                process: self.name,
                status: status.to_string(),
                log: tail(&self.log, 20),
            }),
            Err(source) => Err(Error::at(Path::new(self.name))(source)),
        }
    }

    /// Kills the program itself, so that a test can see what follows.
    pub(crate) fn kill(&mut self) -> Result<(), Error> {
        let group = format!("-{}", self.shell.id());
        Command::new("kill")
            .args(["-KILL", "--", &group])
            .status()
            .map_err(Error::at(Path::new("kill")))?;
        self.shell.wait().map_err(Error::at(Path::new(self.name)))?;
        Ok(())
    }

    /// Ends the program and waits until it is gone; the directory stays.
    pub(crate) fn stop_keeping(&mut self) {
        if let Some(pipe) = &mut self.shell.stdin {
            // A broken pipe means that it is gone already.
            pipe.write_all(b"keep\n").ok();
        }
        self.stop();
    }

    /// Ends the program and waits until it and its directory are gone.
    pub(crate) fn stop(&mut self) {
        drop(self.shell.stdin.take());
        self.shell.wait().ok();
    }
}

/// The last lines of a log, with the cause above them where a stack trace has pushed it out of sight.
pub(crate) fn tail(log: &Path, lines: usize) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let all: Vec<&str> = text.lines().collect();
    let (before, last) = all.split_at(all.len().saturating_sub(lines));
    let is_cause =
        |line: &&&str| line.starts_with("panic: ") || line.contains(r#""level":"fatal""#);
    let cause = before.iter().rfind(is_cause);
    cause.into_iter().chain(last).copied().collect::<Vec<_>>().join("\n")
}
