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
const PATIENCE: Duration = Duration::from_secs(300);

/// The memory that a run may take, in bytes: so much in any case, and so much for each byte of its input.
const MEMORY: (usize, usize) = (1 << 30, 16);

/// A user who owns nothing.
const NOBODY: &str = "65534";

/// A kustomization of resources.
pub(crate) fn kustomization(resources: &[&str]) -> String {
    format!("resources: [{}]\n", resources.join(", "))
}

/// Files in a directory, gone afterwards, and a command to run there.
pub(crate) struct Case {
    directory: PathBuf,
    root: String,
    program: Vec<String>,
    arguments: Vec<String>,
    /// How many bytes of input there are.
    size: usize,
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
        let program = vec![env!("CARGO_BIN_EXE_kelson").to_owned()];
        let arguments = vec!["build".to_owned()];
        Self { directory, root: String::new(), program, arguments, size: 0 }
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
    pub(crate) fn with(mut self, path: &str, text: &(impl AsRef<[u8]> + ?Sized)) -> Self {
        self.size += text.as_ref().len();
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

    /// Takes away the right to read a file. The superuser reads it all the same, and so hands over to another.
    pub(crate) fn forbid(mut self, path: &str) -> Self {
        let path = self.directory.join(path);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read(&path).is_ok() {
            // Where the program was built may be closed to others.
            let copy = self.directory.join("program");
            fs::copy(env!("CARGO_BIN_EXE_kelson"), &copy).unwrap();
            let become_nobody = ["setpriv", "--reuid", NOBODY, "--clear-groups", "--"];
            self.program = become_nobody.map(str::to_owned).to_vec();
            self.program.push(copy.to_string_lossy().into_owned());
        }
        self
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

    /// Runs it: it succeeds and prints this.
    #[track_caller]
    pub(crate) fn builds_alone(&self, expected: &str) {
        let run = self.run();
        assert_eq!(run.code, Some(0), "{}", run.errors);
        assert_eq!(run.output, expected);
    }

    /// Runs it: it succeeds and prints nothing.
    #[track_caller]
    pub(crate) fn builds_nothing(&self) {
        self.builds_alone("");
    }

    /// Runs it: it fails, and does not say this.
    #[track_caller]
    pub(crate) fn fails_without(&self, hidden: &str) {
        let run = self.run();
        assert_eq!(run.code, Some(1), "{}{}", head(&run.output), run.errors);
        assert!(!run.errors.contains(hidden), "{}", run.errors);
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

    #[track_caller]
    fn run(&self) -> Run {
        let limit = (MEMORY.0 + MEMORY.1 * self.size) >> 10;
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &limit.to_string()])
            .args(&self.program)
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
        // A message has a text of ours and one of upstream's, each cropped.
        assert!(run.errors.len() < 16 << 10, "{} bytes is no message", run.errors.len());
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
