//! Which names entries may have: those that mean the same file wherever they are unpacked.

use std::collections::HashMap;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::limits::Limits;

/// Reads a name as a path inside the archive, without `./` and the `/` at the end of directories. The root is empty.
pub(crate) fn clean(name: &[u8], limits: &Limits) -> Result<String, String> {
    let name = std::str::from_utf8(name).map_err(|_| "its name is not UTF-8".to_owned())?;
    let refused = [
        (name.is_empty(), "its name is empty"),
        (name.starts_with('/'), "its name is absolute"),
        (name.contains('\\'), "its name contains `\\`"),
        (name.contains('\0'), "its name contains NUL"),
        (name.chars().any(char::is_control), "its name contains a control character"),
        (has_drive(name), "its name begins with a drive letter"),
    ];
    if let Some((_, rule)) = refused.iter().find(|(found, _)| *found) {
        return Err((*rule).to_owned());
    }
    if name.len() > limits.path {
        return Err(format!("its name is longer than {} bytes", limits.path));
    }
    join(name, limits)
}

fn join(name: &str, limits: &Limits) -> Result<String, String> {
    let mut parts = Vec::new();
    for part in name.strip_suffix('/').unwrap_or(name).split('/') {
        match part {
            "." => {}
            "" => return Err("its name has an empty part".to_owned()),
            ".." => return Err("its name leads out of the archive by `..`".to_owned()),
            part => parts.push(part),
        }
    }
    match parts.len() > limits.depth + 1 {
        true => Err(format!("it is below more than {} directories", limits.depth)),
        false => Ok(parts.join("/")),
    }
}

fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// The names that an archive has used, in the form in which careless file systems compare them.
#[derive(Default)]
pub(crate) struct Names(HashMap<String, Used>);

struct Used {
    path: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    File,
    Directory,
    /// A directory that is known only because something is in it.
    Implied,
}

impl Names {
    /// Takes a path that no other entry has, in no spelling.
    pub(crate) fn claim(
        &mut self,
        path: &str,
        directory: bool,
        limits: &Limits,
    ) -> Result<(), String> {
        for (at, _) in path.match_indices('/') {
            self.take(&path[..at], Kind::Implied)?;
        }
        self.take(path, if directory { Kind::Directory } else { Kind::File })?;
        // Directories count as well: one long path could name a thousand of them.
        match self.0.len() > limits.entries {
            true => Err(format!("it is one of more than {} files and directories", limits.entries)),
            false => Ok(()),
        }
    }

    fn take(&mut self, path: &str, kind: Kind) -> Result<(), String> {
        let used = match self.0.entry(fold(path)) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(Used { path: path.to_owned(), kind });
                return Ok(());
            }
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
        };
        if used.path != path {
            let other = &used.path;
            return Err(format!(
                "`{path}` and `{other}` are one name where case or Unicode form does not count"
            ));
        }
        match (used.kind, kind) {
            (Kind::Directory | Kind::Implied, Kind::Implied) => Ok(()),
            (Kind::Implied, Kind::Directory) => {
                used.kind = kind;
                Ok(())
            }
            (Kind::File, Kind::Implied) => Err(format!("`{path}` above it is a file")),
            _ => Err("its name is used twice".to_owned()),
        }
    }
}

/// The form in which names are compared: composed, then in one case.
fn fold(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    let normalizer = const { ComposingNormalizerBorrowed::new_nfc() };
    let folded = normalizer.normalize(path).to_uppercase().to_lowercase();
    normalizer.normalize(&folded).into_owned()
}
