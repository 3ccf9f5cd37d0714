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

/// A hint at the field that was probably meant: one that shares the most with the wanted one.
pub(super) fn nearest(wanted: &str, names: &[String]) -> String {
    let shared = |name: &String| {
        name.bytes().zip(wanted.bytes()).take_while(|(one, other)| one == other).count()
    };
    match names.iter().max_by_key(|name| shared(name)) {
        Some(name) if shared(name) > 0 => format!("; there is `{name}`"),
        _ => String::new(),
    }
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
