//! An inventory as Secrets: compressed, with a digest, and in parts where it is larger than one Secret can be.
//!
//! The head `kelson.<name>` holds `schema`, `digest` (of the compressed record) and either `inventory` (that record) or
//! `parts` (the names of further Secrets that hold it, one on each line). Parts are named for the digest, so that no writer
//! ever writes over the parts of another: `kelson.<name>.<digest>.<number>`.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kelson_plan::inventory::SCHEMA;
use kelson_plan::{Delivery, Hash};
use serde_json::{Value, json};

use crate::own::secret::{PIECE, Sort, bytes, text};

/// What a head is known by.
pub(super) const HEAD: Sort = Sort { of_type: "kelson.dev/inventory", label: LABEL };
/// What a part is known by.
pub(super) const PART: Sort = Sort { of_type: "kelson.dev/inventory-part", label: LABEL };
/// What the schemas of all inventories begin with.
const FAMILY: &str = "kelson.dev/inventory/";
/// The label with the name of the delivery.
pub(super) const LABEL: &str = "kelson.dev/inventory";
/// The largest record: some hundred thousand objects.
const LARGEST: usize = 128 << 20;
/// The most parts that are read.
const MOST_PARTS: usize = 256;

/// A record in the form in which it is stored.
pub(super) struct Envelope {
    pub(super) digest: Hash,
    packed: Vec<u8>,
}

/// What a head says.
pub(super) enum Content {
    /// The record itself.
    Whole(Envelope),
    /// The Secrets that hold it, and the digest of what they hold.
    Parts(Vec<String>, Hash),
}

/// What cannot be read.
pub(super) enum Unreadable {
    /// A later version of Kelson wrote it.
    Later(String),
    /// It is not what was written.
    Damaged(String),
}

impl Envelope {
    /// Compresses a record; nothing where it is larger than what would be read again.
    pub(super) fn new(record: &str) -> Option<Self> {
        if record.len() > LARGEST {
            return None;
        }
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(record.as_bytes()).ok()?;
        Some(Self::of(encoder.finish().ok()?))
    }

    /// Puts parts together again.
    pub(super) fn join(parts: Vec<Vec<u8>>, digest: &Hash) -> Result<Self, Unreadable> {
        let envelope = Self::of(parts.concat());
        match envelope.digest == *digest {
            true => Ok(envelope),
            false => Err(Unreadable::Damaged("its digest is another".to_owned())),
        }
    }

    fn of(packed: Vec<u8>) -> Self {
        Self { digest: Hash::of_bytes(&packed), packed }
    }

    /// The record.
    pub(super) fn record(&self) -> Result<String, Unreadable> {
        let mut text = String::new();
        let decoder = flate2::bufread::GzDecoder::new(&self.packed[..]);
        let read = decoder.take(LARGEST as u64 + 1).read_to_string(&mut text);
        match read {
            Ok(length) if length <= LARGEST => Ok(text),
            Ok(_) => Err(Unreadable::Damaged("it is larger than any inventory".to_owned())),
            Err(_) => Err(Unreadable::Damaged("it cannot be decompressed".to_owned())),
        }
    }

    /// The parts, by name; none where the head holds it.
    pub(super) fn parts(&self, delivery: &Delivery) -> Vec<(String, Value)> {
        if self.packed.len() <= PIECE {
            return Vec::new();
        }
        let name =
            |number| format!("{}.{}.{number}", head_name(delivery), &self.digest.as_str()[..16]);
        let pieces = self.packed.chunks(PIECE).enumerate();
        pieces
            .map(|(number, piece)| {
                let name = name(number);
                let data = json!({"part": STANDARD.encode(piece)});
                let object = PART.object(delivery, &name, &data);
                (name, object)
            })
            .collect()
    }

    /// The head, which names the parts where there are any.
    pub(super) fn head(&self, delivery: &Delivery, parts: &[String]) -> Value {
        let mut data = json!({
            "schema": STANDARD.encode(SCHEMA),
            "digest": STANDARD.encode(self.digest.as_str()),
        });
        match parts {
            [] => data["inventory"] = STANDARD.encode(&self.packed).into(),
            parts => data["parts"] = STANDARD.encode(parts.join("\n")).into(),
        }
        HEAD.object(delivery, &head_name(delivery), &data)
    }
}

/// Reads a head.
pub(super) fn content(delivery: &Delivery, head: &Value) -> Result<Content, Unreadable> {
    let damaged = |why: &str| Unreadable::Damaged(why.to_owned());
    if head["type"] != HEAD.of_type {
        return Err(damaged("the Secret is not of our type"));
    }
    let text = |key: &str| text(head, key);
    let schema = text("schema").ok_or_else(|| damaged("it does not say its schema"))?;
    match schema.strip_prefix(FAMILY) {
        _ if schema == SCHEMA => {}
        Some(version) if version.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            return Err(Unreadable::Later(schema));
        }
        _ => return Err(damaged("its schema is none of ours")),
    }
    let digest = text("digest").and_then(|digest| Hash::parse(&digest));
    let digest = digest.ok_or_else(|| damaged("it has no digest"))?;
    if let Some(packed) = bytes(head, "inventory") {
        return Envelope::join(vec![packed], &digest).map(Content::Whole);
    }
    let parts = text("parts").ok_or_else(|| damaged("it holds nothing"))?;
    let parts: Vec<String> = parts.lines().map(str::to_owned).collect();
    let prefix = format!("{}.", head_name(delivery));
    let is_part = |name: &String| {
        let rest = name.strip_prefix(&prefix);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte == b'.' || byte.is_ascii_hexdigit()))
    };
    match parts.len() <= MOST_PARTS && parts.iter().all(is_part) {
        true => Ok(Content::Parts(parts, digest)),
        false => Err(damaged("it names parts that it cannot have")),
    }
}

/// What a part holds.
pub(super) fn piece(part: &Value) -> Option<Vec<u8>> {
    bytes(part, "part")
}

/// The name of the head.
pub(super) fn head_name(delivery: &Delivery) -> String {
    format!("kelson.{}", delivery.name())
}
