//! What a set of objects is known by in a cluster.

use std::fmt;

use crate::marks::{OWNER_NAME, OWNER_NAMESPACE};

/// The name of a delivery and the namespace that holds its inventory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Delivery {
    name: String,
    namespace: String,
}

/// Why a delivery cannot have a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` cannot be the {what} of a delivery: it has 1 to {most} lower-case letters, digits and dashes, with a letter or digit at both ends"
)]
pub struct BadName {
    what: &'static str,
    text: String,
    most: usize,
}

impl Delivery {
    /// A delivery. Both texts are also values of labels and parts of names of objects, and are held to that.
    ///
    /// # Errors
    ///
    /// Fails for texts that cannot be that.
    pub fn new(name: &str, namespace: &str) -> Result<Self, BadName> {
        check("name", name, 50)?;
        check("namespace", namespace, 63)?;
        Ok(Self { name: name.to_owned(), namespace: namespace.to_owned() })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The namespace that holds its inventory.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The labels that all its objects have.
    pub fn labels(&self) -> [(&'static str, &str); 2] {
        [(OWNER_NAME, &self.name), (OWNER_NAMESPACE, &self.namespace)]
    }

    /// The selector that finds its objects.
    pub fn selector(&self) -> String {
        self.labels().map(|(key, value)| format!("{key}={value}")).join(",")
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

fn check(what: &'static str, text: &str, most: usize) -> Result<(), BadName> {
    let ends = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let is_good = (1..=most).contains(&bytes.len())
        && bytes.iter().all(|&byte| ends(byte) || byte == b'-')
        && ends(bytes[0])
        && ends(bytes[bytes.len() - 1]);
    is_good.then_some(()).ok_or_else(|| BadName { what, text: text.to_owned(), most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_label_of_a_domain() {
        for good in ["a", "shop", "shop-2", "2"] {
            assert!(Delivery::new(good, "default").is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a.b", "a_b", "a/b", "ä", &"a".repeat(51)] {
            assert!(Delivery::new(bad, "default").is_err(), "{bad}");
        }
    }
}
