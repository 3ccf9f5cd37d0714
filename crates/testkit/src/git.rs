//! A real git server: `git http-backend` behind a small web server on loopback.

mod cgi; // one request, answered by git
mod http; // requests as they come over the wire

use std::ffi::OsStr;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crate::Error;

/// When everything in test repositories was committed: 2024-01-02T03:04:05Z.
pub const COMMITTED_AT: i64 = 1_704_164_645;

/// Repositories that can be fetched by HTTP, gone when dropped.
#[derive(Debug)]
pub struct GitServer {
    shared: Arc<Shared>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    /// What `Authorization` must say, where anything is asked for.
    authorization: Option<String>,
    stopped: AtomicBool,
    requests: AtomicUsize,
}

/// A repository of a server, with a work tree to commit in.
#[derive(Debug)]
pub struct GitRepository {
    /// Where it is fetched from.
    pub url: String,
    work: PathBuf,
    bare: PathBuf,
}

impl GitServer {
    /// Starts a server for everybody.
    ///
    /// # Errors
    ///
    /// Fails where git is not there: a test that needs it cannot run.
    pub fn start() -> Result<Self, Error> {
        Self::start_with(None)
    }

    /// Starts a server that asks for a user and a password.
    ///
    /// # Errors
    ///
    /// As [`GitServer::start`].
    pub fn start_private(user: &str, password: &str) -> Result<Self, Error> {
        use base64::Engine as _;
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        Self::start_with(Some(format!("Basic {pair}")))
    }

    fn start_with(authorization: Option<String>) -> Result<Self, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        git(Path::new("/"), ["--version"])?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kelson-git-server-{}-{number}", std::process::id());
        let root = std::env::temp_dir().join(name);
        fs::create_dir_all(&root).map_err(Error::at(&root))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .map_err(Error::at(Path::new("127.0.0.1")))?;
        let port = listener.local_addr().map_err(Error::at(Path::new("127.0.0.1")))?.port();
        let (stopped, requests) = (AtomicBool::new(false), AtomicUsize::new(0));
        let shared = Arc::new(Shared { root, authorization, stopped, requests });
        let inner = Arc::clone(&shared);
        let thread = std::thread::spawn(move || serve(&listener, &inner));
        Ok(Self { shared, port, thread: Some(thread) })
    }

    /// Makes a repository whose branch `main` has one commit with these files.
    pub fn repository(&self, name: &str, files: &[(&str, &str)]) -> Result<GitRepository, Error> {
        let work = self.shared.root.join(format!("{name}.work"));
        let bare = self.shared.root.join(format!("{name}.git"));
        for directory in [&work, &bare] {
            fs::create_dir_all(directory).map_err(Error::at(directory))?;
        }
        git(&bare, ["init", "--quiet", "--bare", "--initial-branch=main"])?;
        git(&work, ["init", "--quiet", "--initial-branch=main"])?;
        git(&work, [OsStr::new("remote"), "add".as_ref(), "origin".as_ref(), bare.as_os_str()])?;
        let url = format!("http://127.0.0.1:{}/{name}.git", self.port);
        let repository = GitRepository { url, work, bare };
        repository.commit(files)?;
        Ok(repository)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))
    }

    /// How many requests came so far.
    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::Relaxed)
    }
}

impl GitRepository {
    /// Commits files to the current branch and returns the commit's hash.
    pub fn commit(&self, files: &[(&str, &str)]) -> Result<String, Error> {
        for (path, content) in files {
            let path = self.work.join(path);
            let parent = path.parent().unwrap_or(&self.work);
            fs::create_dir_all(parent).map_err(Error::at(parent))?;
            fs::write(&path, content).map_err(Error::at(&path))?;
        }
        self.commit_all()
    }

    /// Commits whatever is in the work tree.
    pub fn commit_all(&self) -> Result<String, Error> {
        git(&self.work, ["add", "--all"])?;
        git(&self.work, ["commit", "--quiet", "--allow-empty", "--message=a commit"])?;
        git(&self.work, ["push", "--quiet", "--force", "origin", "HEAD"])?;
        self.run(&["rev-parse", "HEAD"])
    }

    /// Runs git in the work tree and returns what it prints.
    pub fn run(&self, arguments: &[&str]) -> Result<String, Error> {
        git(&self.work, arguments.iter().copied())
    }

    /// The work tree.
    pub fn work_tree(&self) -> &Path {
        &self.work
    }

    /// The repository that is served.
    pub fn path(&self) -> &Path {
        &self.bare
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread, which waits for a connection.
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
        fs::remove_dir_all(&self.shared.root).ok();
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.stopped.load(Ordering::Relaxed) {
            return;
        }
        let Ok(connection) = connection else { continue };
        shared.requests.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(shared);
        std::thread::spawn(move || cgi::answer(connection, &shared).ok());
    }
}

/// Runs git, apart from the settings of whoever runs the tests.
fn git(
    directory: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<String, Error> {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments).stdin(Stdio::null());
    apart(&mut command);
    let output = command.output().map_err(Error::at(Path::new("git")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Error::Command { command: "git".to_owned(), output: text })
}

/// Takes the user's own settings away from git, and makes its commits the same everywhere.
fn apart(command: &mut Command) {
    let date = format!("{COMMITTED_AT} +0000");
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_"))
    {
        command.env_remove(name);
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "Test")
        .env("GIT_AUTHOR_EMAIL", "test@example.org")
        .env("GIT_COMMITTER_NAME", "Test")
        .env("GIT_COMMITTER_EMAIL", "test@example.org")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date);
}
