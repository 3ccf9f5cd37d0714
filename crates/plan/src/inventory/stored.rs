//! The record as it is stored: JSON, versioned, read by every later version. `docs/inventory.md` describes it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::{Applied, Content, Entry, Inventory, Origins, State};
use crate::Hash;
use crate::stored::{self, StoredId, StoredOrigin};

/// The schema that is written.
pub const SCHEMA: &str = "kelson.dev/inventory/v1";

/// The largest text that is read: some hundred thousand entries. The edge writes none that is larger.
const MOST_BYTES: usize = 128 << 20;

/// The largest key that is read.
const MOST_KEY: usize = 64;

/// Why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this inventory cannot be read: {0}")]
pub struct Malformed(pub String);

#[derive(Serialize, Deserialize)]
struct Stored {
    schema: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    manager: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sources: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    history: Vec<StoredApplied>,
    #[serde(default)]
    entries: Vec<StoredEntry>,
}

#[derive(Serialize, Deserialize)]
struct StoredApplied {
    #[serde(default, skip_serializing_if = "is_usual")]
    number: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    digest: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    revision: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    at: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    by: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    result: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(default, skip_serializing_if = "is_usual")]
    kept: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    directory: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_kept: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rollback: Option<u64>,
}

// What nearly all entries have in common is left out: a group of the core, an object we made, one that is applied.
#[derive(Serialize, Deserialize)]
struct StoredEntry {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    group: String,
    kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    version: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    namespace: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uid: Option<String>,
    #[serde(default, skip_serializing_if = "is_usual")]
    origin: StoredOrigin,
    #[serde(default, skip_serializing_if = "is_usual")]
    state: StoredState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owned: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredState {
    #[default]
    Applied,
    Pending,
    Deleting,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Writes an inventory as JSON.
pub fn write(inventory: &Inventory) -> String {
    let oldest = inventory.history.len().saturating_sub(Inventory::REMEMBERED);
    let stored = Stored {
        schema: SCHEMA.to_owned(),
        manager: inventory.field_manager.clone(),
        key: STANDARD.encode(&inventory.key),
        sources: inventory.source.as_ref().map(|origins| origins.sources.clone()),
        history: inventory.history[oldest..].iter().map(StoredApplied::from).collect(),
        entries: inventory.entries.iter().map(StoredEntry::from).collect(),
    };
    serde_json::to_string(&stored).expect("because texts and lists have a form in JSON")
}

/// Reads an inventory.
///
/// # Errors
///
/// Fails for what is no inventory, and for one of a later schema, saying so.
pub fn read(text: &str) -> Result<Inventory, Malformed> {
    if text.len() > MOST_BYTES {
        return Err(Malformed(format!("it is larger than {} MiB", MOST_BYTES >> 20)));
    }
    stored::check_schema(text, SCHEMA).map_err(Malformed)?;
    let stored: Stored =
        serde_json::from_str(text).map_err(|error| Malformed(stored::brief(&error)))?;
    let entries = stored.entries.into_iter().map(StoredEntry::entry).collect::<Result<_, _>>()?;
    let mut history = stored.history;
    history.drain(..history.len().saturating_sub(Inventory::REMEMBERED));
    Ok(Inventory {
        source: stored.sources.map(|sources| Origins { sources }),
        field_manager: stored.manager,
        history: numbered(history.into_iter().map(StoredApplied::applied).collect()),
        key: key(&stored.key)?,
        entries: sorted(entries)?,
    })
}

/// The applies, each with a number above the one before: an earlier version of Kelson numbers none.
fn numbered(mut history: Vec<Applied>) -> Vec<Applied> {
    let mut last = 0_u64;
    for applied in &mut history {
        applied.number = applied.number.max(last.saturating_add(1));
        last = applied.number;
    }
    history
}

/// The key, of which no message says more than its length.
fn key(text: &str) -> Result<Vec<u8>, Malformed> {
    let key = STANDARD.decode(text).ok().filter(|key| key.len() <= MOST_KEY);
    key.ok_or_else(|| {
        Malformed(format!("its `key` of {} characters is no key in base64", text.len()))
    })
}

/// The entries in their order, in which each is found by its id; no two have the same.
fn sorted(mut entries: Vec<Entry>) -> Result<Vec<Entry>, Malformed> {
    entries.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    let twice = entries.windows(2).find(|pair| pair[0].id == pair[1].id);
    match twice {
        Some(pair) => {
            let id = stored::cropped(&pair[0].id.to_string());
            Err(Malformed(format!("it lists `{id}` twice")))
        }
        None => Ok(entries),
    }
}

impl From<&Applied> for StoredApplied {
    fn from(applied: &Applied) -> Self {
        let Applied { number, digest, revision, at, by, result, content, rollback } =
            applied.clone();
        let mut stored = Self {
            number,
            digest,
            revision,
            at,
            by,
            result,
            reference: None,
            kept: false,
            directory: String::new(),
            not_kept: None,
            rollback,
        };
        match content {
            Content::Unknown => {}
            Content::Registry(reference) => stored.reference = Some(reference),
            Content::Cluster { directory } => (stored.kept, stored.directory) = (true, directory),
            Content::Nowhere(why) => stored.not_kept = Some(why),
        }
        stored
    }
}

impl StoredApplied {
    fn applied(self) -> Applied {
        let content = match (self.reference, self.not_kept) {
            (Some(reference), _) => Content::Registry(reference),
            (None, _) if self.kept => Content::Cluster { directory: self.directory },
            (None, Some(why)) => Content::Nowhere(why),
            (None, None) => Content::Unknown,
        };
        let Self { number, digest, revision, at, by, result, rollback, .. } = self;
        Applied { number, digest, revision, at, by, result, content, rollback }
    }
}

impl From<&Entry> for StoredEntry {
    fn from(entry: &Entry) -> Self {
        let StoredId { group, kind, namespace, name } = StoredId::from(&entry.id);
        Self {
            group,
            kind,
            version: entry.version.clone(),
            namespace,
            name,
            uid: entry.uid.clone(),
            origin: entry.origin.into(),
            state: entry.state.into(),
            sent: entry.desired.as_ref().map(Hash::to_string),
            owned: entry.owned.as_ref().map(Hash::to_string),
        }
    }
}

impl StoredEntry {
    fn entry(self) -> Result<Entry, Malformed> {
        let Self { group, kind, version, namespace, name, .. } = self;
        let id = kelson_model::ObjectId { group, kind, namespace, name };
        if id.kind.is_empty() || id.name.is_empty() {
            return Err(Malformed("an entry has no kind or no name".to_owned()));
        }
        let hash = |text: Option<String>| match text {
            None => Ok(None),
            Some(text) => Hash::parse(&text).map(Some).ok_or_else(|| {
                let id = stored::cropped(&id.to_string());
                Malformed(format!("a hash of `{id}` does not have 64 hexadecimal digits"))
            }),
        };
        let (desired, owned) = (hash(self.sent)?, hash(self.owned)?);
        let (origin, state) = (self.origin.into(), self.state.into());
        Ok(Entry { id, version, uid: self.uid, origin, state, desired, owned })
    }
}

impl From<State> for StoredState {
    fn from(state: State) -> Self {
        match state {
            State::Applied => Self::Applied,
            State::Pending => Self::Pending,
            State::Deleting => Self::Deleting,
        }
    }
}

impl From<StoredState> for State {
    fn from(stored: StoredState) -> Self {
        match stored {
            StoredState::Applied => Self::Applied,
            StoredState::Pending => Self::Pending,
            StoredState::Deleting => Self::Deleting,
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use kelson_model::ObjectId;

    use super::*;
    use crate::Origin;

    fn entry(kind: &str, name: &str) -> Entry {
        Entry {
            id: ObjectId {
                group: "apps".to_owned(),
                kind: kind.to_owned(),
                namespace: "shop".to_owned(),
                name: name.to_owned(),
            },
            version: "v1".to_owned(),
            uid: Some("6f1c".to_owned()),
            origin: Origin::Created,
            state: State::Applied,
            desired: Hash::parse(&"a".repeat(64)),
            owned: Hash::parse(&"b".repeat(64)),
        }
    }

    fn inventory() -> Inventory {
        let adopted = Entry {
            uid: None,
            origin: Origin::Adopted,
            state: State::Pending,
            desired: None,
            owned: None,
            ..entry("Deployment", "a/b \"c\"")
        };
        Inventory {
            source: Some(Origins { sources: vec!["oci://registry.example.com/shop".to_owned()] }),
            field_manager: "kelson".to_owned(),
            history: vec![Applied {
                number: 1,
                digest: "sha256:00".to_owned(),
                at: "2026-01-01T00:00:00Z".to_owned(),
                result: "applied".to_owned(),
                ..Applied::default()
            }],
            key: vec![7; 32],
            entries: vec![adopted, entry("Deployment", "web")],
        }
    }

    #[test]
    fn an_inventory_comes_back_as_it_was() {
        let deleting = Entry { origin: Origin::Found, state: State::Deleting, ..entry("Z", "z") };
        let mut full = inventory();
        full.entries.push(deleting);
        for content in [
            Content::Registry("oci://registry.example.com/shop@sha256:00//base".to_owned()),
            Content::Cluster { directory: String::new() },
            Content::Cluster { directory: "base".to_owned() },
            Content::Nowhere("it is too large".to_owned()),
        ] {
            let digest = format!("{content:?}");
            full.enter(Applied { digest, content, rollback: Some(1), ..Applied::default() });
        }
        for inventory in [Inventory::default(), full] {
            assert_eq!(read(&write(&inventory)), Ok(inventory));
        }
    }

    #[test]
    fn the_stored_form_is_short_and_can_be_read() {
        let expected = expect![[
            r#"{"schema":"kelson.dev/inventory/v1","manager":"kelson","key":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=","sources":["oci://registry.example.com/shop"],"history":[{"number":1,"digest":"sha256:00","at":"2026-01-01T00:00:00Z","result":"applied"}],"entries":[{"group":"apps","kind":"Deployment","version":"v1","namespace":"shop","name":"a/b \"c\"","origin":"adopted","state":"pending"},{"group":"apps","kind":"Deployment","version":"v1","namespace":"shop","name":"web","uid":"6f1c","sent":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","owned":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}]}"#
        ]];
        expected.assert_eq(&write(&inventory()));
    }

    #[test]
    fn the_documented_record_can_be_read() {
        let text = include_str!("../../../../docs/inventory.md");
        let (_, text) = text.split_once("```json\n").unwrap();
        let (text, _) = text.split_once("```").unwrap();
        let inventory = read(text).unwrap();
        assert_eq!(
            read(&write(&inventory)).unwrap().entries[0].id.to_string(),
            "Deployment/shop/web"
        );
    }

    #[test]
    fn ten_applies_are_remembered() {
        let mut inventory = inventory();
        inventory.history = (0..25)
            .map(|number| Applied { revision: number.to_string(), ..Applied::default() })
            .collect();
        let history = read(&write(&inventory)).unwrap().history;
        let revisions: Vec<&str> = history.iter().map(|one| one.revision.as_str()).collect();
        assert_eq!(revisions, ["15", "16", "17", "18", "19", "20", "21", "22", "23", "24"]);
    }

    #[test]
    fn applies_of_an_earlier_version_are_numbered_and_their_content_is_not_known() {
        let text = r#"{"schema":"kelson.dev/inventory/v1","history":[{"digest":"sha256:00","result":"applied"},{"result":"failed"},{"number":2,"kept":true},{"number":9,"not_kept":"why"}]}"#;
        let history = read(text).unwrap().history;
        let numbers: Vec<u64> = history.iter().map(|one| one.number).collect();
        assert_eq!(numbers, [1, 2, 3, 9]);
        assert_eq!((&history[0].content, history[0].is_good()), (&Content::Unknown, true));
        assert_eq!(history[2].content, Content::Cluster { directory: String::new() });
        assert_eq!(history[3].content, Content::Nowhere("why".to_owned()));
        let text = text.replace(r#""number":9"#, &format!(r#""number":{}"#, u64::MAX));
        let mut inventory = read(&text).unwrap();
        inventory.enter(Applied::default());
        assert_eq!(inventory.history.last().map(|last| last.number), Some(u64::MAX));
    }

    #[test]
    fn the_same_artifact_again_pushes_nothing_out() {
        let mut inventory = Inventory::default();
        let apply = |digest: &str, at: u64| Applied {
            digest: digest.to_owned(),
            at: at.to_string(),
            ..Applied::default()
        };
        inventory.enter(apply("a", 0));
        for at in 1..20 {
            inventory.enter(apply("b", at));
        }
        inventory.enter(apply("a", 20));
        let shown: Vec<String> = inventory
            .history
            .iter()
            .map(|one| format!("{} {} {}", one.number, one.digest, one.at))
            .collect();
        assert_eq!(shown, ["1 a 0", "2 b 19", "3 a 20"]);
    }

    #[test]
    fn what_a_later_version_adds_is_passed_over_and_order_does_not_matter() {
        let text = r#"{"entries":[{"name":"b","kind":"B","later":{"x":[1]}},{"name":"a","kind":"A"}],
                       "later":true,"schema":"kelson.dev/inventory/v1"}"#;
        let names: Vec<String> =
            read(text).unwrap().entries.iter().map(|entry| entry.id.to_string()).collect();
        assert_eq!(names, ["A/a", "B/b"]);
    }

    #[track_caller]
    fn refused(text: &str, expected: Expect) {
        expected.assert_eq(&read(text).unwrap_err().0);
    }

    #[test]
    fn what_is_no_inventory_is_refused_with_the_reason() {
        refused("", expect!["EOF while parsing a value at line 1 column 0"]);
        refused("{}", expect!["missing field `schema` at line 1 column 2"]);
        refused(
            r#"{"schema":"kelson.dev/inventory/v2","entries":7}"#,
            expect![
                "its schema is `kelson.dev/inventory/v2`, and this version of kelson knows `kelson.dev/inventory/v1`: a later version wrote it, use that one"
            ],
        );
        refused(
            r#"{"schema":"kelson.dev/plan/v1"}"#,
            expect!["its schema is `kelson.dev/plan/v1`, not `kelson.dev/inventory/v1`"],
        );
        refused(
            r#"{"schema":"\u0000\u001b[31m"}"#,
            expect!["its schema is `\u{fffd}\u{fffd}[31m`, not `kelson.dev/inventory/v1`"],
        );
        let of = |rest: &str| format!(r#"{{"schema":"{SCHEMA}",{rest}}}"#);
        refused(
            &of(r#""entries":[{"kind":"A","name":"a"},{"kind":"A","name":"a"}]"#),
            expect!["it lists `A/a` twice"],
        );
        refused(
            &of(r#""entries":[{"kind":"A","name":"a","sent":"zz"}]"#),
            expect!["a hash of `A/a` does not have 64 hexadecimal digits"],
        );
        refused(
            &of(r#""entries":[{"kind":"A","name":"a","state":"gone"}]"#),
            expect![
                "unknown variant `gone`, expected one of `applied`, `pending`, `deleting` at line 1 column 84"
            ],
        );
        refused(
            &of(r#""entries":[{"kind":"","name":"a"}]"#),
            expect!["an entry has no kind or no name"],
        );
        refused(
            &of(r#""key":"geheim!""#),
            expect!["its `key` of 7 characters is no key in base64"],
        );
    }

    #[test]
    fn a_message_stays_short_however_large_the_text_is() {
        let text = format!(r#"{{"schema":"{}"}}"#, "x".repeat(1 << 20));
        assert!(read(&text).unwrap_err().0.len() < 400);
        let text = format!(r#"{{"schema":"{SCHEMA}","history":"{}"}}"#, "x".repeat(1 << 20));
        assert!(read(&text).unwrap_err().0.len() < 400);
    }

    #[test]
    fn a_text_cut_off_or_changed_anywhere_is_read_or_refused() {
        let text = write(&inventory());
        for at in 0..text.len() {
            let _ = text.get(..at).map(read);
            let mut bytes = text.clone().into_bytes();
            bytes[at] = bytes[at].wrapping_add(1);
            let _ = String::from_utf8(bytes).map(|text| read(&text));
        }
        let _ = read(&"[".repeat(1 << 20));
        let _ = read(&format!(r#"{{"schema":"{SCHEMA}","later":{}"#, "[".repeat(1 << 20)));
    }
}
