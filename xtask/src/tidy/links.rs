//! Markdown links inside the repository lead somewhere.

use std::path::Path;

use super::Repository;

pub(super) fn check(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for file in repository.with_ending(".md") {
        let text = repository.text(file).unwrap_or_default();
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        for (line, target) in links(&text) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !repository.root.join(folder).join(path).exists() {
                findings.push(format!("{file}:{line}: the link `{target}` leads nowhere"));
            }
        }
    }
    findings
}

/// The targets of links that are neither addresses nor in a code block, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for part in line.split("](").skip(1) {
            let Some((target, _)) = part.split_once(')') else { continue };
            if !target.contains("://") && !target.starts_with("mailto:") {
                found.push((index + 1, target.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "[a](b.md) and [c](https://example.com)\n```\n[d](e)\n```\n[f](g#h)\n";
        assert_eq!(links(text), [(1, "b.md".to_owned()), (5, "g#h".to_owned())]);
    }
}
