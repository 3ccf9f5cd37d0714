//! One run of the command on files of its own.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A small object.
pub(crate) const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

/// Longer than anything may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// A kustomization of resources.
pub(crate) fn kustomization(resources: &[&str]) -> String {
    format!("resources: [{}]\n", resources.join(", "))
}

/// Files in a directory, gone afterwards, and a command to run there.
pub(crate) struct Case {
    directory: PathBuf,
    root: String,
    arguments: Vec<String>,
}

/// What a run came to.
struct Run {
    code: Option<i32>,
    output: String,
    errors: String,
}

impl Case {
    /// No files at all.
    pub(crate) fn empty() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kelson-hostile-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).unwrap();
        Self { directory, root: String::new(), arguments: vec!["build".to_owned()] }
    }

    /// A kustomization.
    pub(crate) fn overlay(text: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        Self::empty().with("kustomization.yaml", text)
    }

    /// A kustomization of one file, `a.yaml`.
    pub(crate) fn resource(text: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        Self::overlay(&kustomization(&["a.yaml"])).with("a.yaml", text)
    }

    /// Moves the kustomization into a directory, which is then the one to build.
    pub(crate) fn at(mut self, root: &str) -> Self {
        fs::create_dir(self.directory.join(root)).unwrap();
        let file = "kustomization.yaml";
        fs::rename(self.directory.join(file), self.directory.join(root).join(file)).unwrap();
        self.root = root.to_owned();
        self
    }

    /// Adds a file.
    pub(crate) fn with(self, path: &str, text: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        let path = self.directory.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Adds a link.
    pub(crate) fn link(self, path: &str, target: &str) -> Self {
        symlink(target, self.directory.join(path)).unwrap();
        self
    }

    /// Adds a pipe that nobody writes to.
    pub(crate) fn pipe(self, path: &str) -> Self {
        let made = Command::new("mkfifo").arg(self.directory.join(path)).status().unwrap();
        assert!(made.success());
        self
    }

    /// Takes away the right to read a file.
    pub(crate) fn forbid(self, path: &str) -> Self {
        fs::set_permissions(self.directory.join(path), fs::Permissions::from_mode(0o000)).unwrap();
        self
    }

    /// Whether we can read a file.
    pub(crate) fn can_read(&self, path: &str) -> bool {
        fs::read(self.directory.join(path)).is_ok()
    }

    /// Runs another command than `build`.
    pub(crate) fn command(mut self, arguments: &[&str]) -> Self {
        self.arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        self
    }

    /// Runs it: it succeeds and prints all of these.
    #[track_caller]
    pub(crate) fn builds(&self, expected: &[&str]) {
        let run = self.run();
        assert_eq!(run.code, Some(0), "{}", run.errors);
        for words in expected {
            assert!(run.output.contains(words), "no `{words}` in:\n{}", head(&run.output));
        }
    }

    /// Runs it: it fails, and says all of these.
    #[track_caller]
    pub(crate) fn fails_with(&self, expected: &[&str]) {
        let run = self.run();
        assert_eq!(run.code, Some(1), "{}{}", head(&run.output), run.errors);
        assert_eq!(run.output, "", "nothing is printed by what fails");
        for words in expected {
            assert!(run.errors.contains(words), "no `{words}` in:\n{}", run.errors);
        }
    }

    /// Runs it: it fails.
    #[track_caller]
    pub(crate) fn fails(&self) {
        self.fails_with(&[]);
    }

    /// Runs it: it succeeds or fails.
    #[track_caller]
    pub(crate) fn ends(&self) {
        let run = self.run();
        assert!(matches!(run.code, Some(0 | 1)), "{}", run.errors);
    }

    #[track_caller]
    fn run(&self) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kelson"))
            .args(&self.arguments)
            .current_dir(self.directory.join(&self.root))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (output, errors) = (drain(child.stdout.take()), drain(child.stderr.take()));
        let end = Instant::now() + PATIENCE;
        let code = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status.code();
            }
            if Instant::now() > end {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("still not done after {PATIENCE:?}");
            }
            thread::sleep(Duration::from_millis(2));
        };
        let run = Run { code, output: output.join().unwrap(), errors: errors.join().unwrap() };
        assert!(run.code.is_some() && !run.errors.contains("panicked at"), "{}", head(&run.errors));
        assert!(run.errors.len() < 256 << 10, "{} bytes is no message", run.errors.len());
        run
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.directory).ok();
    }
}

/// Reads to the end, beside the program: a full pipe would make it wait.
fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.unwrap().read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// As much of a text as is worth showing.
fn head(text: &str) -> &str {
    let end = (0..=2000.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}
