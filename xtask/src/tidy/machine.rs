//! No path of one machine stands in the repository.

use super::Repository;

const FOLDERS: [&str; 5] = ["root", "home", "work", "farm", "Users"];

pub(super) fn check(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for file in &repository.files {
        let text = repository.text(file).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if let Some(path) = path_in(line) {
                findings.push(format!("{file}:{}: `{path}` is a path of one machine", index + 1));
            }
        }
    }
    findings
}

/// The first path of one machine in a line: a top folder of people's own, at the start of a path, and a name below it.
fn path_in(line: &str) -> Option<String> {
    for folder in FOLDERS {
        let wanted = format!("/{folder}/");
        for (at, _) in line.match_indices(&wanted) {
            let before = line[..at].chars().next_back();
            let after = line[at + wanted.len()..].chars().next();
            let starts = before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '.');
            if starts && after.is_some_and(|letter| letter.is_ascii_lowercase()) {
                let end =
                    line[at..].find([' ', '"', '\'', '`', ')']).map_or(line.len(), |end| at + end);
                return Some(line[at..end].to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_machine_are_told_from_others() {
        let slash = "/";
        assert!(path_in(&format!("see {slash}home/eve/notes")).is_some());
        assert_eq!(path_in("see example.com/home/page and crates/work/src"), None);
        assert_eq!(path_in("the folder /home/ itself"), None);
    }
}
