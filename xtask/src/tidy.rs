//! The house is in order: what the pages say exists, what exists is named, and no arrow points upwards.

mod architecture; // crates and paths named in ARCHITECTURE.md
mod layers; // which crate may name which
mod links; // Markdown links inside the repository
mod machine; // paths of one machine
mod orphans; // Rust files that no `mod` names

use std::path::PathBuf;
use std::process::Command;

use anyhow::bail;

use crate::run::{output, root};

/// Runs every check and lists all findings.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    if let Some(argument) = arguments.first() {
        bail!("unknown argument `{argument}`; `tidy` takes none");
    }
    let repository = Repository::read()?;
    let findings: Vec<String> = [
        architecture::check(&repository),
        layers::check(&repository)?,
        links::check(&repository),
        machine::check(&repository),
        orphans::check(&repository),
    ]
    .concat();
    if findings.is_empty() {
        println!("tidy: {} files in order", repository.files.len());
        return Ok(());
    }
    for finding in &findings {
        println!("tidy: {finding}");
    }
    bail!("{} things are not in order", findings.len())
}

/// The files that git knows or would add.
struct Repository {
    root: PathBuf,
    /// Relative to the root.
    files: Vec<String>,
}

impl Repository {
    fn read() -> anyhow::Result<Self> {
        let root = root();
        let list = output(Command::new("git").current_dir(&root).args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
        ]))?;
        let files =
            list.lines().filter(|file| root.join(file).is_file()).map(str::to_owned).collect();
        Ok(Self { root, files })
    }

    /// The text of a file, if it is text.
    fn text(&self, file: &str) -> Option<String> {
        String::from_utf8(std::fs::read(self.root.join(file)).ok()?).ok()
    }

    fn with_ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = &'a str> {
        self.files.iter().map(String::as_str).filter(move |file| file.ends_with(ending))
    }

    /// The folders of the crates, such as `crates/yaml`.
    fn crates(&self) -> Vec<&str> {
        self.with_ending("/Cargo.toml")
            .filter_map(|file| file.strip_suffix("/Cargo.toml"))
            .collect()
    }
}
