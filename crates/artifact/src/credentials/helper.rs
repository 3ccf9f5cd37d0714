//! Programs that keep credentials: `docker-credential-…`.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kelson_model::Secret;
use serde::Deserialize;
use tokio::sync::OnceCell;

use super::{Credential, Login};
use crate::Error;
use crate::error::shown;

/// How long a helper may take; some ask a person.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest answer that is read.
const LONGEST: u64 = 64 << 10;
/// What helpers say, word for word, where they know nothing.
const NOT_FOUND: &str = "credentials not found in native keychain";

/// The helpers on a search path, with what they answered: a helper may be slow, and many repositories ask the same.
#[derive(Default)]
pub(super) struct Helpers {
    folders: Vec<PathBuf>,
    answers: Mutex<HashMap<(String, String), Answer>>,
}

type Answer = Arc<OnceCell<Option<Credential>>>;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Reply {
    #[serde(default)]
    username: String,
    secret: String,
}

impl Helpers {
    pub(super) fn on(path: &OsStr) -> Self {
        // A relative folder would depend on where we were started.
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
        Self { folders, answers: Mutex::default() }
    }

    /// Asks a helper for what it knows of a server; `named_in` is the file that names it.
    pub(super) async fn ask(
        &self,
        name: &str,
        server: &str,
        named_in: &Path,
    ) -> Result<Option<Credential>, Error> {
        let key = (name.to_owned(), server.to_owned());
        let answer = {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.entry(key).or_default().clone()
        };
        let asking = || self.run(name, server, named_in);
        answer.get_or_try_init(asking).await.cloned()
    }

    async fn run(
        &self,
        name: &str,
        server: &str,
        named_in: &Path,
    ) -> Result<Option<Credential>, Error> {
        let place = format!("`{}`", named_in.display());
        let refuse = |reason: String| Error::Credentials { place: place.clone(), reason };
        if !is_bare_word(name) {
            return Err(refuse("the name of a helper must be a bare word".to_owned()));
        }
        let program = format!("docker-credential-{name}");
        let found = self.folders.iter().map(|folder| folder.join(&program)).find(|at| at.is_file());
        let found = found.ok_or_else(|| {
            refuse(format!("it names the helper `{program}`, which is not on the path: install it, or log in again"))
        })?;
        let talk = tokio::time::timeout(PATIENCE, talk(&found, server)).await;
        let (done, said) = talk
            .map_err(|_| refuse(format!("`{program}` did not answer in {} s", PATIENCE.as_secs())))?
            .map_err(|error| refuse(format!("`{program}` cannot be run: {error}")))?;
        if !done {
            return match String::from_utf8_lossy(&said) {
                text if text.contains(NOT_FOUND) => Ok(None),
                text => Err(refuse(format!("`{program}` failed{}", complaint(&text)))),
            };
        }
        let reply: Reply = serde_json::from_slice(&said)
            .map_err(|_| refuse(format!("`{program}` did not answer as helpers do")))?;
        Ok(reply.credential(program))
    }
}

impl Reply {
    fn credential(self, program: String) -> Option<Credential> {
        let login = match self.username.as_str() {
            "" if self.secret.is_empty() => return None,
            "<token>" => Login::Identity(self.secret.into()),
            _ => Login::Password { user: self.username, password: Secret::new(self.secret) },
        };
        Some(Credential { login, origin: format!("`{program}`") })
    }
}

/// Whether a name is no path and no option.
fn is_bare_word(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 100 && name.bytes().all(allowed) && !name.contains("..")
}

/// Runs the helper; it ends with us if nobody waits for it any longer.
async fn talk(program: &Path, server: &str) -> io::Result<(bool, Vec<u8>)> {
    let child = Command::new(program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut running = Running(child);
    if let Some(mut input) = running.0.stdin.take() {
        // It fits into the pipe, so that nobody waits; one that needs no input may be gone already.
        input.write_all(server.as_bytes()).ok();
    }
    let output = running.0.stdout.take();
    let reading = tokio::task::spawn_blocking(move || {
        let mut said = Vec::new();
        output.map_or(Ok(0), |output| output.take(LONGEST).read_to_end(&mut said)).map(|_| said)
    });
    let said = reading.await.map_err(io::Error::other)??;
    loop {
        match running.0.try_wait()? {
            Some(status) => return Ok((status.success(), said)),
            None => tokio::time::sleep(Duration::from_millis(2)).await,
        }
    }
}

/// A helper that is ended when nobody waits for it.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already cannot be killed, and has been waited for.
        if self.0.kill().is_ok() {
            self.0.wait().ok();
        }
    }
}

/// What a failed helper says, unless it looks like an answer.
fn complaint(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() || text.contains('{') { String::new() } else { format!(": {}", shown(line)) }
}
