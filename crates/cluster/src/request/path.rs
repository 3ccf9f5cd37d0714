//! Where an object is.

use std::fmt::Write;

use kelson_plan::{Kind, Refusal};

/// The address of an object, or without a name that of a collection: in a namespace, or with none in all.
///
/// Fails for names that no object can have, since they would be the address of something else.
pub(crate) fn path(kind: &Kind, namespace: &str, name: &str) -> Result<String, Refusal> {
    let mut path = match kind.group.as_str() {
        "" => String::from("/api"),
        group => {
            let mut path = String::from("/apis");
            push(group, &mut path)?;
            path
        }
    };
    push(&kind.version, &mut path)?;
    // A collection can be that of all namespaces; an object cannot.
    if kind.namespaced && !(namespace.is_empty() && name.is_empty()) {
        path.push_str("/namespaces");
        push(namespace, &mut path)?;
    }
    push(&kind.plural, &mut path)?;
    if !name.is_empty() {
        push(name, &mut path)?;
    }
    Ok(path)
}

fn push(segment: &str, path: &mut String) -> Result<(), Refusal> {
    if segment.is_empty() || segment == "." || segment == ".." || segment.contains(['/', '%']) {
        let message = format!("`{segment}` cannot be a part of an object's address");
        return Err(Refusal { reason: "Invalid".to_owned(), message, ..Refusal::default() });
    }
    path.push('/');
    encode(segment, path);
    Ok(())
}

/// Adds a text to a URL, with all that could mean something there encoded.
pub(super) fn encode(text: &str, url: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                url.push(char::from(byte));
            }
            other => {
                write!(url, "%{other:02X}").expect("because a String takes all that is written")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(group: &str, plural: &str, namespaced: bool, id: (&str, &str), expected: &str) {
        let kind = Kind {
            group: group.to_owned(),
            version: "v1".to_owned(),
            kind: "Any".to_owned(),
            plural: plural.to_owned(),
            namespaced,
            to_come: false,
        };
        let actual = path(&kind, id.0, id.1).unwrap_or_else(|refusal| refusal.to_string());
        assert_eq!(actual, expected);
    }

    #[test]
    fn an_object_has_an_address() {
        check("", "configmaps", true, ("a", "b"), "/api/v1/namespaces/a/configmaps/b");
        check("apps", "deployments", true, ("a", ""), "/apis/apps/v1/namespaces/a/deployments");
        check("apps", "deployments", true, ("", ""), "/apis/apps/v1/deployments");
        check("", "namespaces", false, ("", "a"), "/api/v1/namespaces/a");
        check(
            "rbac.authorization.k8s.io",
            "clusterroles",
            false,
            ("", "system:a b?"),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%20b%3F",
        );
    }

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        for name in ["a/status", "..", ".", "a%2Fstatus"] {
            let expected = format!("`{name}` cannot be a part of an object's address");
            check("", "configmaps", true, ("a", name), &expected);
            check("", "configmaps", true, (name, "a"), &expected);
        }
        check("", "configmaps", true, ("", "a"), "`` cannot be a part of an object's address");
        check("", "", false, ("", ""), "`` cannot be a part of an object's address");
    }
}
