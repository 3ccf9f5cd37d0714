//! The names of fields: keys joined by dots, elements by number, keys with dots in quotes.

/// The name of a key below a field.
pub(super) fn child(parent: &str, key: &str) -> String {
    let plain = !key.is_empty() && !key.contains(['.', '[', ']', '"', '/']);
    match (parent.is_empty(), plain) {
        (true, true) => key.to_owned(),
        (false, true) => format!("{parent}.{key}"),
        (_, false) => format!("{parent}[{key:?}]"),
    }
}

/// What a person wrote, in the form of [`child`]: `.spec/a` and `spec['a.b']` are understood too.
pub(super) fn normalise(text: &str) -> String {
    let text = text.trim_start_matches(['.', '/']).replace('\'', "\"");
    // Slashes outside of brackets part keys, as in a JSON pointer.
    let mut depth = 0usize;
    let mut parts = vec![String::new()];
    for letter in text.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == '/' && depth == 0 && !text.contains('.') {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    let mut name = String::new();
    for part in parts {
        if !name.is_empty() && part.parse::<usize>().is_ok() {
            name = format!("{name}[{part}]");
        } else if name.is_empty() {
            name = part;
        } else {
            name = format!("{name}.{part}");
        }
    }
    name
}

/// Whether a field is the wanted one or below it.
pub(super) fn is_below(name: &str, wanted: &str) -> bool {
    name.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// A hint at the field that was probably meant, or at what there is where the path leaves the object.
pub(super) fn nearest(wanted: &str, names: &[String]) -> String {
    let mut paths: Vec<&str> = names.iter().flat_map(|name| prefixes(name)).collect();
    paths.sort_unstable();
    paths.dedup();
    if let Some(near) = kelson_model::nearest(wanted, paths.iter().copied()) {
        return format!("; there is `{near}`");
    }
    let known = prefixes(wanted).filter(|prefix| paths.binary_search(prefix).is_ok()).last();
    let below = |path: &&&str| match known {
        Some(known) => is_below(path, known) && **path != known && !is_deep(&path[known.len()..]),
        None => !is_deep(path),
    };
    let some: Vec<String> =
        paths.iter().filter(below).take(12).map(|path| format!("`{path}`")).collect();
    match some.is_empty() {
        true => String::new(),
        false => format!("; there is {}", some.join(", ")),
    }
}

/// The path itself and all above it, the shortest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends =
        path.char_indices().filter(|(_, letter)| matches!(letter, '.' | '[')).map(|(at, _)| at);
    ends.filter(|end| *end > 0).chain([path.len()]).map(|end| &path[..end])
}

/// Whether a path has more than one element.
fn is_deep(path: &str) -> bool {
    path.get(1..).is_some_and(|rest| rest.contains(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_and_understood() {
        assert_eq!(child("metadata.labels", "a.b/c"), r#"metadata.labels["a.b/c"]"#);
        assert_eq!(normalise(".spec.replicas"), "spec.replicas");
        assert_eq!(normalise("/spec/containers/0/image"), "spec.containers[0].image");
        assert_eq!(normalise("metadata.labels['a.b/c']"), r#"metadata.labels["a.b/c"]"#);
        assert!(is_below("spec.replicas", "spec") && !is_below("specific", "spec"));
    }
}
