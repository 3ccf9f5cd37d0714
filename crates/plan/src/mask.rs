//! What must not be shown.

use kelson_model::{Object, ObjectId};
use kelson_yaml::Node;
use sha2::{Digest, Sha256};

use crate::fields::Value;
use crate::fields::walk::{self, Segment};
use crate::hash::{canonical, hexadecimal};

/// What Secrets are masked with: a change is visible, a value is not.
#[derive(Clone, Default)]
pub struct Key(Vec<u8>);

impl Key {
    /// A key of some random bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, to be kept with the inventory.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A message, in a few digits that say nothing without the key (HMAC-SHA-256).
    fn sign(&self, message: &[u8]) -> String {
        const BLOCK: usize = 64;
        const SHOWN: usize = 4;
        let mut key = [0_u8; BLOCK];
        if self.0.len() > BLOCK {
            key[..32].copy_from_slice(&Sha256::digest(&self.0));
        } else {
            key[..self.0.len()].copy_from_slice(&self.0);
        }
        let inner = Sha256::new().chain_update(key.map(|byte| byte ^ 0x36)).chain_update(message);
        let outer = Sha256::new().chain_update(key.map(|byte| byte ^ 0x5c));
        hexadecimal(&outer.chain_update(inner.finalize()).finalize()[..SHOWN])
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("***")
    }
}

/// The annotation in which kubectl keeps the whole object once more.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What may be shown of an object's values.
pub(crate) struct Mask<'a> {
    id: &'a ObjectId,
    is_secret: bool,
    key: &'a Key,
}

impl<'a> Mask<'a> {
    pub(crate) fn new(object: &'a Object, key: &'a Key) -> Self {
        Self { id: &object.id, is_secret: object.is_secret(), key }
    }

    /// A value on its way to a person.
    pub(crate) fn value(&self, path: &[Segment<'_>], node: &Node) -> Value {
        use Segment::Key;
        if !self.is_secret {
            return Value::of(node);
        }
        match path {
            [Key("data" | "stringData"), ..]
            | [Key("metadata"), Key("annotations"), Key(LAST_APPLIED)] => {
                Value::Masked(self.sign(path, node))
            }
            // A whole that has such a part in it, with all else that nobody needs to see.
            [] | [Key("metadata")] | [Key("metadata"), Key("annotations")] => {
                Value::of(&self.redacted(path, node))
            }
            _ => Value::of(node),
        }
    }

    /// Where a value stands is part of what is signed, so that nobody learns that two fields have the same.
    fn sign(&self, path: &[Segment<'_>], node: &Node) -> String {
        if self.key.0.is_empty() {
            return String::new();
        }
        let mut message = format!("{}\0{}\0", self.id, walk::text(path));
        canonical(node, &mut message).ok();
        self.key.sign(message.as_bytes())
    }

    fn redacted(&self, path: &[Segment<'_>], node: &Node) -> Node {
        let mut node = node.clone();
        let masked = || Node::string("***");
        let hidden = ["metadata", "annotations", LAST_APPLIED];
        let rest = hidden.get(path.len()..).unwrap_or_default();
        if let Some(value) = rest.iter().try_fold(&mut node, |node, key| node.get_mut(key)) {
            *value = masked();
        }
        for key in ["data", "stringData"].iter().filter(|_| path.is_empty()) {
            if let Some(value) = node.get_mut(key) {
                *value = masked();
            }
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_known_one() {
        // RFC 4231, cases 1 and 6.
        assert_eq!(Key::new(vec![0x0b; 20]).sign(b"Hi There"), "b0344c61");
        let message = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(Key::new(vec![0xaa; 131]).sign(message), "60e43159");
    }

    #[test]
    fn a_changed_secret_is_seen_and_its_value_is_not() {
        let object = |data: &str| {
            let text = format!(
                "{{apiVersion: v1, kind: Secret, metadata: {{name: s, annotations: {{{LAST_APPLIED}: hunter}}}}, \
                 data: {{a: {data}, b: {data}}}}}"
            );
            let node = kelson_yaml::first_document(
                &text,
                kelson_yaml::Span::NONE,
                kelson_yaml::Dialect::V3,
            );
            Object::new(node.unwrap().unwrap()).unwrap()
        };
        let (one, key) = (object("aHVudGVy"), Key::new(vec![7; 32]));
        let shown = |object: &Object, path: &[&'static str]| {
            let segments: Vec<Segment<'_>> = path.iter().map(|key| Segment::Key(key)).collect();
            let node = walk::at(&object.node, &segments).unwrap();
            Mask::new(object, &key).value(&segments, node).to_string()
        };
        assert_eq!(shown(&one, &["data", "a"]), shown(&object("aHVudGVy"), &["data", "a"]));
        assert_ne!(shown(&one, &["data", "a"]), shown(&object("aHVudGVyMg=="), &["data", "a"]));
        assert_ne!(shown(&one, &["data", "a"]), shown(&one, &["data", "b"]));
        for path in [&["data"] as &[_], &[], &["metadata"], &["metadata", "annotations"]] {
            let text = shown(&one, path);
            assert!(!text.contains("hunter") && !text.contains("aHVudGVy"), "{text}");
        }
    }
}
