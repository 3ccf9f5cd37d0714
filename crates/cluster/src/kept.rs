//! Artifacts that were applied, kept in Secrets beside the inventory, so that a rollback has them again.
//!
//! An artifact is enclosed in bytes, and those are cut into Secrets `kelson.<name>.kept.<digest>.<number>`. They are written
//! before the inventory that names their digest in its history, and removed after one that no longer does: what a
//! crash leaves lying in between, the next apply removes.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kelson_plan::inventory::{Applied, Content};
use kelson_plan::{Delivery, Hash, Inventory, Refusal, Silent};
use serde_json::{Value, json};

use crate::own::secret::{self, PIECE, Sort};
use crate::{Cluster, Error, own};

/// What these Secrets are known by.
const SORT: Sort = Sort { of_type: "kelson.dev/artifact", label: "kelson.dev/artifact" };
/// What each of them says that it is.
const SCHEMA: &str = "kelson.dev/artifact/v1";
/// What the schemas of all versions begin with.
const FAMILY: &str = "kelson.dev/artifact/";
/// The most Secrets that one artifact is read from.
const MOST: usize = 64;

/// The artifacts that are kept for a delivery, as they were found.
#[derive(Clone, Debug)]
pub struct Kept {
    delivery: Delivery,
    names: BTreeSet<String>,
}

impl Kept {
    /// Finds out which Secrets there are.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be listed.
    pub async fn find(cluster: &Cluster, delivery: &Delivery) -> Result<Self, Error> {
        let names = SORT.names(cluster, delivery).await;
        let names = names.map_err(|refusal| refused("look for", delivery, refusal))?;
        Ok(Self { delivery: delivery.clone(), names: names.into_iter().collect() })
    }

    /// Where nobody can tell which there are: all can still be written, and nothing is swept.
    pub fn unlisted(delivery: &Delivery) -> Self {
        Self { delivery: delivery.clone(), names: BTreeSet::new() }
    }

    /// Keeps an artifact, unless it is kept already. Nothing is kept under what is no digest.
    ///
    /// # Errors
    ///
    /// Fails where a Secret cannot be written.
    pub async fn put(&self, cluster: &Cluster, digest: &str, archive: &[u8]) -> Result<(), Error> {
        let Some(hex) = hex(digest) else { return Ok(()) };
        let pieces: Vec<&[u8]> = archive.chunks(PIECE).collect();
        let name = |number| part_name(&self.delivery, hex, number);
        if (0..pieces.len()).all(|number| self.names.contains(&name(number))) {
            return Ok(());
        }
        let hash = Hash::of_bytes(archive);
        for (number, piece) in pieces.iter().enumerate() {
            let (name, data) = (name(number), data(digest, &hash, pieces.len(), piece));
            let object = SORT.object(&self.delivery, &name, &data);
            let place = secret::path(&self.delivery, &name);
            let written = own::write_anyway(cluster, &place, &object, &Silent).await;
            written.map_err(|error| refused("write", &self.delivery, error.refusal))?;
        }
        Ok(())
    }

    /// Removes those that were found and that the history does not look for here. What cannot be removed now is found
    /// again by the next apply.
    pub async fn sweep(self, cluster: &Cluster, inventory: &Inventory) {
        // An earlier version of Kelson drops from the record where content is.
        let is_here = |applied: &&Applied| {
            matches!(applied.content, Content::Cluster { .. } | Content::Unknown)
        };
        let here = inventory.history.iter().filter(is_here);
        let wanted: BTreeSet<&str> = here.filter_map(|applied| hex(&applied.digest)).collect();
        let prefix = prefix(&self.delivery);
        for name in &self.names {
            let digest = name.strip_prefix(&prefix).and_then(|rest| rest.split('.').next());
            if digest.is_some_and(|digest| !wanted.contains(digest)) {
                secret::remove(cluster, &self.delivery, name).await.ok();
            }
        }
    }

    /// Removes all of them.
    ///
    /// # Errors
    ///
    /// Fails where one cannot be removed: when the inventory is gone nobody looks for it again.
    pub(crate) async fn remove(self, cluster: &Cluster) -> Result<(), Error> {
        for name in &self.names {
            let gone = secret::remove(cluster, &self.delivery, name).await;
            gone.map_err(|refusal| refused("remove", &self.delivery, refusal))?;
        }
        Ok(())
    }

    /// The name of the first Secret of an artifact, whether there is one or not; nothing for what is no digest.
    pub fn name(delivery: &Delivery, digest: &str) -> Option<String> {
        hex(digest).map(|hex| part_name(delivery, hex, 0))
    }

    /// Reads an artifact that is kept; nothing where it is not.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read, and where a Secret is not what was written.
    pub async fn load(
        cluster: &Cluster,
        delivery: &Delivery,
        digest: &str,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some(hex) = hex(digest) else { return Ok(None) };
        let first = part_name(delivery, hex, 0);
        let Some(secret) = read(cluster, delivery, &first).await? else { return Ok(None) };
        let head = Head::of(&first, &secret, digest)?;
        let mut archive = part(&first, &secret)?;
        for number in 1..head.parts {
            let name = part_name(delivery, hex, number);
            let missing = || damaged(&first, &format!("`{name}`, which goes with it, is gone"));
            let secret = read(cluster, delivery, &name).await?.ok_or_else(missing)?;
            archive.extend(part(&name, &secret)?);
        }
        match Hash::of_bytes(&archive) == head.hash {
            true => Ok(Some(archive)),
            false => Err(damaged(&first, "its content is not what its digest says")),
        }
    }
}

/// What the first Secret of an artifact says of all.
struct Head {
    parts: usize,
    hash: Hash,
}

impl Head {
    fn of(name: &str, secret: &Value, digest: &str) -> Result<Self, Error> {
        let damaged = |why: &str| damaged(name, why);
        if secret["type"] != SORT.of_type {
            return Err(damaged("it is not of our type"));
        }
        let schema = secret::text(secret, "schema").unwrap_or_default();
        let is_version = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match schema.strip_prefix(FAMILY) {
            _ if schema == SCHEMA => {}
            Some(version) if is_version(version) => {
                return Err(Error::KeptLater { secret: name.to_owned(), schema });
            }
            _ => return Err(damaged("its schema is none of ours")),
        }
        if secret::text(secret, "artifact").as_deref() != Some(digest) {
            return Err(damaged("it holds another artifact"));
        }
        let parts = secret::text(secret, "parts").and_then(|text| text.parse().ok());
        let parts = parts.filter(|parts| (1..=MOST).contains(parts));
        let hash = secret::text(secret, "digest").and_then(|text| Hash::parse(&text));
        match parts.zip(hash) {
            Some((parts, hash)) => Ok(Self { parts, hash }),
            None => Err(damaged("it does not say how many parts there are, or their digest")),
        }
    }
}

fn data(digest: &str, hash: &Hash, parts: usize, piece: &[u8]) -> Value {
    json!({
        "schema": STANDARD.encode(SCHEMA),
        "artifact": STANDARD.encode(digest),
        "digest": STANDARD.encode(hash.as_str()),
        "parts": STANDARD.encode(parts.to_string()),
        "part": STANDARD.encode(piece),
    })
}

async fn read(cluster: &Cluster, delivery: &Delivery, name: &str) -> Result<Option<Value>, Error> {
    let found = own::read(cluster, &secret::path(delivery, name), &Silent).await;
    let found = found.map_err(|refusal| refused("read", delivery, refusal))?;
    Ok(found.map(|(secret, _)| secret))
}

fn part(name: &str, secret: &Value) -> Result<Vec<u8>, Error> {
    secret::bytes(secret, "part").ok_or_else(|| damaged(name, "it holds nothing"))
}

/// The digits of a digest, of which names are made; nothing for what is none.
fn hex(digest: &str) -> Option<&str> {
    let hex = digest.strip_prefix("sha256:")?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (hex.len() == 64 && hex.bytes().all(is_digit)).then_some(hex)
}

fn prefix(delivery: &Delivery) -> String {
    format!("kelson.{}.kept.", delivery.name())
}

fn part_name(delivery: &Delivery, hex: &str, number: usize) -> String {
    format!("{}{hex}.{number}", prefix(delivery))
}

fn damaged(name: &str, why: &str) -> Error {
    Error::KeptDamaged { secret: name.to_owned(), why: why.to_owned() }
}

fn refused(what: &str, delivery: &Delivery, refusal: Refusal) -> Error {
    Error::Refused { what: format!("{what} the artifacts that are kept of {delivery}"), refusal }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

    /// A Secret as it is written, after a change.
    fn secret(change: impl FnOnce(&mut Value)) -> Value {
        let delivery = Delivery::new("shop", "default").unwrap();
        let data = data(DIGEST, &Hash::of_bytes(b"content"), 1, b"content");
        let mut secret = SORT.object(&delivery, "first", &data);
        change(&mut secret);
        secret
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Value), expected: &str) {
        let secret = secret(change);
        let actual = Head::of("first", &secret, DIGEST).and_then(|_| part("first", &secret));
        let actual = actual.map_or_else(
            |error| error.to_string(),
            |part| String::from_utf8_lossy(&part).into_owned(),
        );
        assert!(actual.contains(expected), "{actual}");
    }

    #[test]
    fn a_secret_is_what_was_written_or_is_named() {
        let set = |key: &'static str, text: &'static str| {
            move |secret: &mut Value| secret["data"][key] = STANDARD.encode(text).into()
        };
        check(|_| {}, "content");
        check(|secret| secret["type"] = "Opaque".into(), "it is not of our type");
        check(set("schema", "x"), "the Secret `first`, which keeps what was applied, is damaged");
        check(set("schema", "kelson.dev/artifact/v2"), "was written by a later version");
        check(set("schema", "kelson.dev/artifact/\n"), "its schema is none of ours");
        check(set("artifact", "sha256:00"), "it holds another artifact");
        for parts in ["0", "65", "-1", "18446744073709551616", ""] {
            check(set("parts", parts), "it does not say how many parts there are");
        }
        check(set("digest", "zz"), "it does not say how many parts there are");
        check(|secret| secret["data"]["part"] = "!".into(), "it holds nothing");
        check(|secret| secret["data"] = Value::Null, "its schema is none of ours");
    }

    #[test]
    fn only_digests_become_names() {
        assert!(hex(DIGEST).is_some());
        for wrong in ["", "sha256:", "../x", &DIGEST.to_uppercase(), &DIGEST[..70]] {
            assert_eq!(hex(wrong), None, "{wrong}");
        }
    }
}
