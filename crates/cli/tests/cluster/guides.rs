//! The guides in `docs/guides`: every step in them is run, and shows what they say it shows.
//!
//! A block opened by a language and a path is a file. A block `console` has commands, each after `$ `, with what it prints:
//! a line `…` stands for any lines, and times, digests and the like may differ. A comment `# ends with N` is the exit code.
//! `UPDATE_EXPECT=1` writes down what is printed where it is something else.

use std::path::{Path, PathBuf};
use std::process::Command;

use kelson_testkit::{Fate, Kubelet, Programs, shared};
use regex::Regex;

use crate::program::Folder;

/// What stands for any lines.
const ANY: &str = "…";

#[test]
fn the_guide_for_developers_is_true() {
    check("developer", "webshop");
}

#[test]
fn the_guide_for_pipelines_is_true() {
    check("pipeline", "webshop-ci");
}

#[test]
fn the_guide_for_vendors_is_true() {
    check("vendor", "acme-shop");
}

/// Runs a guide whose Pods are in a namespace.
fn check(name: &str, namespace: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/guides/{name}.md"));
    let text = std::fs::read_to_string(&path).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _kubelet = runtime.block_on(kubelet(name, namespace));
    let guide = Guide { folder: Folder::new("") };
    let actual: String = blocks(&text).into_iter().map(|block| guide.run(block)).collect();
    match std::env::var_os("UPDATE_EXPECT") {
        Some(_) => std::fs::write(&path, actual).unwrap(),
        None => assert!(text == actual, "{name}.md: a step shows something else:\n{actual}"),
    }
}

/// Plays the node: what is called broken crashes.
async fn kubelet(name: &str, namespace: &str) -> Kubelet {
    let client = Kubelet::client(shared().unwrap().kubeconfig()).await.unwrap();
    let node = format!("guide-{name}-{}", std::process::id());
    let kubelet = Kubelet::start(client, &node, namespace, |pod| {
        let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
        let mut images = containers.filter_map(|container| container.image.as_deref());
        match images.any(|image| image.ends_with("broken")) {
            true => Fate::CrashLoop { log: "no such file: /etc/shop.conf\n".to_owned() },
            false => Fate::Ready,
        }
    });
    kubelet.await.unwrap()
}

/// A piece of a guide.
enum Block<'a> {
    Prose(&'a str),
    File { path: &'a str, fenced: &'a str },
    Console(&'a str),
}

/// The pieces of a guide; together they are all of it.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let fence = Regex::new(r"(?m)^```(\w+)(?: (\S+))?\n(?s:.*?)^```\n").unwrap();
    let (mut blocks, mut end) = (Vec::new(), 0);
    for found in fence.captures_iter(text) {
        let whole = found.get(0).unwrap();
        blocks.push(Block::Prose(&text[end..whole.start()]));
        blocks.push(match (&found[1], found.get(2)) {
            ("console", _) => Block::Console(whole.as_str()),
            (_, Some(path)) => Block::File { path: path.as_str(), fenced: whole.as_str() },
            _ => Block::Prose(whole.as_str()),
        });
        end = whole.end();
    }
    blocks.push(Block::Prose(&text[end..]));
    blocks
}

/// What is between the fences.
fn content(fenced: &str) -> &str {
    let start = fenced.find('\n').unwrap() + 1;
    fenced[start..].strip_suffix("```\n").unwrap()
}

struct Guide {
    folder: Folder,
}

impl Guide {
    /// Does what a piece says; what comes back is the piece as it should be.
    fn run(&self, block: Block<'_>) -> String {
        match block {
            Block::Prose(text) => text.to_owned(),
            Block::File { path, fenced } => {
                let file = self.folder.path(path);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, content(fenced)).unwrap();
                fenced.to_owned()
            }
            Block::Console(fenced) => {
                let steps = content(fenced).split("$ ").skip(1).map(|step| self.step(step));
                format!("```console\n{}```\n", steps.collect::<String>())
            }
        }
    }

    fn step(&self, step: &str) -> String {
        let (line, expected) = step.split_once('\n').unwrap();
        let (actual, code) = self.shell(line);
        let ends = line.rsplit_once("# ends with ").map_or(0, |(_, code)| code.parse().unwrap());
        assert_eq!(code, ends, "$ {line}\n{actual}");
        let shown = if is_alike(expected, &actual) { expected } else { &actual };
        format!("$ {line}\n{shown}")
    }

    fn shell(&self, line: &str) -> (String, i32) {
        let programs = [directory(env!("CARGO_BIN_EXE_kelson").as_ref()), kubectl()];
        let mut path = std::env::join_paths(programs).unwrap();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        // The environment is that of every test of the program.
        let surroundings = self.folder.command(&[]);
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .current_dir(self.folder.path(""))
            .envs(surroundings.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("PATH", path)
            .env("KUBECONFIG", shared().unwrap().kubeconfig())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (self.plain(&text), output.status.code().unwrap())
    }

    /// Without the folder's own path, which is another one each time.
    fn plain(&self, text: &str) -> String {
        let root = self.folder.path("");
        let root = root.to_string_lossy();
        text.replace(root.trim_end_matches('/'), "/shop")
    }
}

fn directory(program: &Path) -> PathBuf {
    program.parent().unwrap().to_owned()
}

fn kubectl() -> PathBuf {
    directory(&Programs::get().unwrap().path("kubectl"))
}

/// Whether a text shows what another says, but for what differs from run to run. In which order several objects are done is
/// their affair, so lines are compared as a set between lines that stand for any.
fn is_alike(expected: &str, actual: &str) -> bool {
    let actual: Vec<String> = actual.lines().map(usual).collect();
    if !expected.lines().any(|line| line == ANY) {
        let mut expected: Vec<String> = expected.lines().map(usual).collect();
        let mut actual = actual;
        expected.sort_unstable();
        actual.sort_unstable();
        return expected == actual;
    }
    let mut said = expected.lines().filter(|line| *line != ANY).map(usual);
    said.all(|line| actual.contains(&line))
}

/// A line without what differs from run to run, nor how wide the columns are for it.
fn usual(line: &str) -> String {
    let mut line = line.to_owned();
    for (pattern, stand_in) in [
        (r"sha256:[0-9a-f]{7,64}", "<digest>"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z| UTC)?", "<time>"),
        (r"\b\d+(\.\d+)?(ms|s|m|h)\b( ago)?", "<duration>"),
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>"),
        (r"https://127\.0\.0\.1:\d+", "<server>"),
        (r"\*\*\*\([0-9a-f]{8}\)", "***(<hash>)"),
        (r"-[0-9a-f]{8,10}-[0-9a-z]{5}\b", "-<pod>"),
        (r"-[0-9a-f]{8,10}\b", "-<set>"),
        (r" +", " "),
    ] {
        line = Regex::new(pattern).unwrap().replace_all(&line, stand_in).into_owned();
    }
    line.trim_end().to_owned()
}
