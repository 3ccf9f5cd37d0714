//! Files and directories that are whole or not there at all.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::Context;

/// Has something made under a name of its own beside `path`, and gives it its final name when all of it is there.
pub(crate) fn make(
    path: &Path,
    make: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let shown = path.display();
    let name = path.file_name().with_context(|| format!("`{shown}` has no name to write under"))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}", std::process::id()));
    let aside = path.with_file_name(hidden);
    let made = make(&aside)
        .and_then(|()| fs::rename(&aside, path).with_context(|| format!("cannot write `{shown}`")));
    if made.is_err() {
        fs::remove_dir_all(&aside).or_else(|_| fs::remove_file(&aside)).ok();
    }
    made
}

/// Writes a file.
pub(crate) fn write(path: &Path, content: &str) -> anyhow::Result<()> {
    make(path, |aside| {
        fs::write(aside, content).with_context(|| format!("cannot write `{}`", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_off_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("kelson-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a");
        write(&file, "old").unwrap();
        let broken = make(&file, |aside| {
            fs::write(aside, "half")?;
            anyhow::bail!("the disk is full")
        });
        assert_eq!(broken.unwrap_err().to_string(), "the disk is full");
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
