//! What the fuzzers start from, and the tests replay: the cases of the engine, archives and manifests that others made,
//! and what was found before.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An input with a name.
pub struct Seed {
    /// The name of a case, or of a finding's file.
    pub name: String,
    /// What the fuzzer's function gets.
    pub input: Vec<u8>,
}

/// The seeds of a fuzzer. `repository` is the folder of the repository.
///
/// # Errors
///
/// Fails if a folder or a file cannot be read.
pub fn seeds(repository: &Path, target: &str) -> io::Result<Vec<Seed>> {
    let mut seeds = match target {
        "archive" | "manifest" => files(&repository.join("fuzz/seeds").join(target))?,
        _ => cases(repository, target)?,
    };
    seeds.extend(files(&repository.join("fuzz/findings").join(target))?);
    Ok(seeds)
}

/// The files of a folder, as they are.
fn files(folder: &Path) -> io::Result<Vec<Seed>> {
    let paths = entries(folder)?.into_iter().filter(|path| name(path) != ".gitkeep");
    paths.map(|path| Ok(Seed { name: name(&path), input: fs::read(&path)? })).collect()
}

/// The cases of the engine.
fn cases(repository: &Path, target: &str) -> io::Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    for case in entries(&repository.join("crates/kustomize/tests/cases"))? {
        let input = case.join("in");
        if input.is_dir() {
            let mut files = Vec::new();
            read_tree(&input, "", &mut files)?;
            seeds.push(Seed { name: name(&case), input: from_files(target, &files) });
        }
    }
    Ok(seeds)
}

/// One input of the files of a case, in the form that the fuzzer takes apart again.
fn from_files(target: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let is_object = |path: &str| !path.ends_with("kustomization.yaml");
    match target {
        "render" => files
            .iter()
            .flat_map(|(path, text)| [b"#- ", path.as_bytes(), b"\n", text].concat())
            .collect(),
        "merge" => {
            let objects = files.iter().filter(|(path, _)| is_object(path));
            let texts: Vec<&[u8]> = objects.take(2).map(|(_, text)| text.as_slice()).collect();
            texts.join(&b"\n#-\n"[..])
        }
        _ => files.iter().flat_map(|(_, text)| text.clone()).collect(),
    }
}

fn read_tree(folder: &Path, below: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for path in entries(folder)? {
        let name = format!("{below}{}", name(&path));
        if path.is_dir() {
            read_tree(&path, &format!("{name}/"), files)?;
        } else {
            files.push((name, fs::read(&path)?));
        }
    }
    Ok(())
}

/// What a folder holds, sorted.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let list = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let explain = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot list `{}`: {error}", folder.display()))
    };
    let mut paths: Vec<PathBuf> =
        list.map_err(explain)?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
