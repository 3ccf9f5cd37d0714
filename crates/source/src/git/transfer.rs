//! The conversation with the other side: one commit, without its history, into a directory of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gix::bstr::BString;
use gix::protocol::handshake::Ref as RemoteRef;
use gix::protocol::transport::client::blocking_io::http;
use kelson_model::Secret;
use tokio::sync::oneshot;

use super::files::{Failed, Files, Module};
use super::scratch::Scratch;
use super::{Address, Error, Fetched, HEADS, Options, TAGS, web};

/// How often the size of what has come is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// A commit, and the submodules it names.
pub(super) struct Transferred {
    pub(super) fetched: Fetched,
    pub(super) modules: Vec<Module>,
}

/// Stops the transfer when nobody waits for it any more.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Fetches what a name means on the other side; `reference` is what people call it.
pub(super) async fn run(
    address: &Address,
    name: &str,
    reference: &str,
    options: &Options,
) -> Result<Transferred, Error> {
    let scratch = Scratch::new(options.workspace.as_deref()).map_err(Error::Scratch)?;
    let stop = Stop(Arc::default());
    let (sender, mut receiver) = oneshot::channel();
    let job = Job {
        address: address.clone(),
        name: name.to_owned(),
        reference: reference.to_owned(),
        credentials: address.credentials(options),
        authorities: web::authorities(&options.authorities)?,
        options: options.clone(),
        directory: scratch.path().join("repository"),
        stop: Arc::clone(&stop.0),
    };
    // A thread of its own, not one of the runtime's: where the other side stalls, the runtime could not end before it.
    std::thread::Builder::new()
        .name("git".to_owned())
        .spawn(move || sender.send(job.work()).ok())
        .map_err(Error::Scratch)?;
    loop {
        tokio::select! {
            done = &mut receiver => {
                return done.unwrap_or_else(|_| {
                    let (url, name) = (address.shown(), name.to_owned());
                    Err(Error::Transfer { url, name, reason: "the transfer broke down".to_owned() })
                });
            }
            () = tokio::time::sleep(LOOK) => {
                if size(scratch.path(), 6) > options.limits.pack {
                    let limit = format!("{} bytes to send", options.limits.pack);
                    return Err(Error::TooLarge { url: address.shown(), limit });
                }
            }
        }
    }
}

/// How many bytes are in a directory.
fn size(directory: &Path, depth: usize) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(it) if it.is_dir() && depth > 0 => size(&entry.path(), depth - 1),
        Ok(it) => it.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

/// One transfer, on a thread of its own.
struct Job {
    address: Address,
    name: String,
    reference: String,
    credentials: Option<(String, Secret)>,
    authorities: Vec<reqwest::Certificate>,
    options: Options,
    directory: PathBuf,
    stop: Arc<AtomicBool>,
}

impl Job {
    fn work(&self) -> Result<Transferred, Error> {
        let (repository, outcome) = self.fetch()?;
        let commit = repository.head_commit().map_err(|error| self.failed(&error))?;
        let committed_at = commit.time().map_err(|error| self.failed(&error))?.seconds;
        let files = Files::read(&commit, self.options.limits).map_err(|failed| match failed {
            Failed::TooLarge(limit) => Error::TooLarge { url: self.address.shown(), limit },
            Failed::Broken(reason) => self.broken(reason),
        })?;
        let reference = match self.name.as_str() {
            "HEAD" => default_branch(&outcome.ref_map.remote_refs),
            _ => self.reference.clone(),
        };
        let commit = commit.id().to_string();
        let fetched = Fetched { tree: files.tree, commit, committed_at, reference };
        Ok(Transferred { fetched, modules: files.modules })
    }

    fn fetch(&self) -> Result<(gix::Repository, gix::remote::fetch::Outcome), Error> {
        let failed = |error: gix::Error| self.failed(&error);
        let options = gix::open::Options::isolated();
        let kind = gix::create::Kind::Bare;
        let url = self.address.url();
        let one = std::num::NonZeroU32::MIN;
        let (identity, web) = (self.identity(), self.web());
        let mut clone =
            gix::clone::PrepareFetch::new(url, &self.directory, kind, Default::default(), options)
                .map_err(failed)?
                .with_shallow(gix::remote::fetch::Shallow::DepthAtRemote(one))
                .with_in_memory_config_overrides(self.settings())
                .with_revision(Some(self.name.as_str()))
                .map_err(failed)?
                .configure_connection(move |connection| {
                    let mut identity = identity.clone();
                    if let Some(web) = web.clone() {
                        connection.set_transport_options(Box::new(web));
                    }
                    // Never a prompt, never a helper: who asks is decided by the caller alone.
                    connection.set_credentials(move |action| match action {
                        gix::credentials::helper::Action::Get(context) => {
                            // A second question means that the first answer was refused.
                            Ok(identity.take().map(|identity| {
                                gix::credentials::protocol::Outcome {
                                    identity,
                                    next: context.into(),
                                }
                            }))
                        }
                        _ => Ok(None),
                    });
                    Ok(())
                });
        clone.fetch_only(gix::progress::Discard, &self.stop).map_err(failed)
    }

    /// Who asks, for the connections that carry it safely.
    fn identity(&self) -> Option<gix::sec::identity::Account> {
        let (user, password) = self.credentials.as_ref()?;
        let (username, password) = (user.clone(), password.expose().to_owned());
        (!self.address.is_plain_http()).then_some(gix::sec::identity::Account {
            username,
            password,
            oauth_refresh_token: None,
        })
    }

    /// What the transfer is told beside the address.
    fn settings(&self) -> Vec<BString> {
        // Keys are used where an agent or a file has them; nobody is there to type a password.
        let ssh =
            std::env::var("GIT_SSH_COMMAND").unwrap_or_else(|_| "ssh -oBatchMode=yes".to_owned());
        vec![BString::from(format!("core.sshCommand={ssh}"))]
    }

    /// What a web server is asked with; nothing for others.
    fn web(&self) -> Option<http::Options> {
        let basic = self.credentials.as_ref().filter(|_| self.address.is_plain_http());
        self.address.is_web().then(|| web::options(self.authorities.clone(), basic))
    }

    fn failed(&self, error: &gix::Error) -> Error {
        let reason = reason(error);
        let url = self.address.shown();
        let lower = reason.to_lowercase();
        let denied: &[&str] = match self.address.is_web() {
            true => &["401", "credential", "authentication"],
            false => &["permission denied", "no credentials"],
        };
        if denied.iter().any(|word| lower.contains(word)) {
            let given = match (self.address.is_web(), self.credentials.is_some()) {
                (true, true) => "those given were not accepted",
                (true, false) => "none were given",
                (false, _) => {
                    "`ssh` has no key that it accepts: add one to its agent or configuration"
                }
            };
            return Error::Denied { url, given };
        }
        let missing = [
            "didn't have the requested revision",
            "no mapping",
            "did not match",
            "not our ref",
            "couldn't find",
            "no such ref",
        ];
        if missing.iter().any(|word| lower.contains(word)) {
            let name = self.name.trim_start_matches(HEADS).trim_start_matches(TAGS);
            return Error::NoSuchRef { url, name: name.to_owned() };
        }
        if !self.address.is_web() && lower.contains("fill whole buffer") {
            let reason =
                "the program `ssh` ended without an answer, and says why on standard error";
            return self.broken(reason.to_owned());
        }
        let remedy = match lower.contains("invalid peer certificate") {
            true => {
                "; if the certificate is right, give the authority that signed it with `--ca-file`"
            }
            false => "",
        };
        self.broken(reason + remedy)
    }

    fn broken(&self, reason: String) -> Error {
        let secret = self.credentials.as_ref().map(|(_, password)| password.expose());
        let reason = match secret.filter(|secret| !secret.is_empty()) {
            Some(secret) => reason.replace(secret, "***"),
            None => reason,
        };
        Error::Transfer { url: self.address.shown(), name: self.name.clone(), reason }
    }
}

/// All that an error has to say, in one line.
pub(super) fn reason(error: &gix::Error) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        let text = error.to_string().replace('\n', " ");
        if !texts.iter().any(|known| known.contains(&text)) {
            texts.push(text);
        }
        next = error.source();
    }
    texts.join(": ")
}

/// The branch that `HEAD` is, if the server said.
fn default_branch(refs: &[RemoteRef]) -> String {
    let target = refs.iter().find_map(|it| match it {
        RemoteRef::Symbolic { full_ref_name, target, .. } if full_ref_name == "HEAD" => {
            Some(target.to_string())
        }
        _ => None,
    });
    let target = target.unwrap_or_default();
    target.strip_prefix(HEADS).unwrap_or(&target).to_owned()
}
