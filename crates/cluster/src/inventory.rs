//! The record of a delivery, in Secrets: `kelson.<name>` and, where it is larger than one can be, further ones.
//!
//! Parts are written before the head that names them, and those that no head names any more are deleted after it. Every
//! write of the head carries the version it was read at, so that of two writers one is refused. A crash in between leaves
//! the former head with its parts; what was left lying is swept by the next write.

mod envelope; // the record as Secrets
mod recover; // the record, from labels
mod stirs; // records are written while somebody looks

use kelson_plan::inventory::{read, write};
use kelson_plan::{Delivery, Hash, Inventory, Refusal, Silent};
use serde_json::Value;

use self::envelope::{Content, Envelope, HEAD, LABEL, PART, Unreadable};
use crate::kept::Kept;
use crate::own::secret::{self, path};
use crate::own::{self, Version};
use crate::request::{Request, unreadable};
use crate::{Cluster, Error};
pub use recover::recover;
pub use stirs::Stirs;

/// How often a record is read again that somebody writes at the same time.
const TRIES: usize = 5;

/// An inventory, and the version it was read at.
#[derive(Clone, Debug)]
pub struct Held {
    /// Whose.
    pub delivery: Delivery,
    /// What it says; empty where there was none.
    pub inventory: Inventory,
    stored: Option<Stored>,
}

/// An inventory as the cluster has it.
#[derive(Clone, Debug)]
struct Stored {
    version: Version,
    /// Of the record; nothing where it could not be read.
    hash: Option<Hash>,
    /// Of what a plan is bound to in it.
    ground: Option<Hash>,
    parts: Vec<String>,
}

/// Why an inventory was not read.
enum Unread {
    Refused(Refusal),
    /// It is there, in this version, but is of no use.
    Unreadable(Version, Unreadable),
}

impl Held {
    /// Reads the inventory of a delivery; an empty one where there is none.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read or is damaged.
    pub async fn load(cluster: &Cluster, delivery: &Delivery) -> Result<Self, Error> {
        Self::find(cluster, delivery).await.map_err(|unread| unread.error(delivery))
    }

    /// As [`Held::load`], but one that is damaged comes back empty: it exists, and is overwritten when this one is saved.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read.
    pub async fn load_anyway(cluster: &Cluster, delivery: &Delivery) -> Result<Self, Error> {
        match Self::find(cluster, delivery).await {
            Err(Unread::Unreadable(version, Unreadable::Damaged(_))) => {
                let stored = Stored { version, hash: None, ground: None, parts: Vec::new() };
                Ok(Self { stored: Some(stored), ..Self::none(delivery) })
            }
            found => found.map_err(|unread| unread.error(delivery)),
        }
    }

    async fn find(cluster: &Cluster, delivery: &Delivery) -> Result<Self, Unread> {
        let head = path(delivery, &envelope::head_name(delivery));
        let mut former = None;
        for _ in 0..TRIES {
            let found = own::read(cluster, &head, &Silent).await.map_err(Unread::Refused)?;
            let Some((secret, version)) = found else { return Ok(Self::none(delivery)) };
            match Self::open(cluster, delivery, &secret, &version).await {
                // Parts go when a new head is there: then that one is read. One that stays the same is damaged.
                Err(Unread::Unreadable(..)) if former.as_ref() != Some(&version) => {
                    former = Some(version);
                }
                opened => return opened,
            }
        }
        let message = "it is written all the time".to_owned();
        Err(Unread::Refused(Refusal { message, ..Refusal::default() }))
    }

    async fn open(
        cluster: &Cluster,
        delivery: &Delivery,
        secret: &Value,
        version: &Version,
    ) -> Result<Self, Unread> {
        let useless = |why| Unread::Unreadable(version.clone(), why);
        let (envelope, parts) = match envelope::content(delivery, secret).map_err(useless)? {
            Content::Whole(envelope) => (envelope, Vec::new()),
            Content::Parts(names, digest) => {
                let pieces = pieces(cluster, delivery, &names).await;
                let pieces = pieces.map_err(Unread::Refused)?;
                (Envelope::join(pieces, &digest).map_err(useless)?, names)
            }
        };
        let record = envelope.record().map_err(useless)?;
        let mut inventory = read(&record).map_err(|why| useless(Unreadable::Damaged(why.0)))?;
        let hash = Hash::of_bytes(record.as_bytes());
        let ground = Some(ground(&mut inventory, &hash));
        let stored = Stored { version: version.clone(), hash: Some(hash), ground, parts };
        Ok(Self { delivery: delivery.clone(), inventory, stored: Some(stored) })
    }

    fn none(delivery: &Delivery) -> Self {
        Self { delivery: delivery.clone(), inventory: Inventory::default(), stored: None }
    }

    /// Whether there was one.
    pub fn exists(&self) -> bool {
        self.stored.is_some()
    }

    /// Of its stored form: what a plan is bound to; nothing where there was none. Whether what was applied has become
    /// ready is no part of it: that is noted later, and moves no ground.
    pub fn hash(&self) -> Option<Hash> {
        self.stored.as_ref()?.ground.clone()
    }

    /// Writes it, unless it is stored just so already.
    ///
    /// # Errors
    ///
    /// Fails where somebody else has written it since.
    pub async fn save(&mut self, cluster: &Cluster) -> Result<(), Error> {
        let record = write(&self.inventory);
        let hash = Hash::of_bytes(record.as_bytes());
        if self.stored.as_ref().is_some_and(|stored| stored.hash.as_ref() == Some(&hash)) {
            return Ok(());
        }
        let envelope = Envelope::new(&record).ok_or_else(|| {
            self.refused(Refusal { message: "it is too large".to_owned(), ..Refusal::default() })
        })?;
        drop(record);
        let parts = envelope.parts(&self.delivery);
        // What is there before our head is written, and not named by it, is of no use afterwards: its writer
        // crashed, or will be refused. What comes later may be of one who has read our head.
        let had_parts = self.stored.as_ref().is_some_and(|stored| !stored.parts.is_empty());
        let litter = match had_parts || !parts.is_empty() {
            true => self.part_names(cluster).await?,
            false => Vec::new(),
        };
        let mut names = Vec::with_capacity(parts.len());
        for (name, part) in parts {
            let place = path(&self.delivery, &name);
            let written = own::write_anyway(cluster, &place, &part, &Silent).await;
            written.map_err(|refused| self.refused(refused.refusal))?;
            names.push(name);
        }
        let version = self.write_head(cluster, &envelope, &names).await?;
        self.sweep(cluster, litter.into_iter().filter(|name| !names.contains(name))).await;
        let ground = Some(ground(&mut self.inventory, &hash));
        self.stored = Some(Stored { version, hash: Some(hash), ground, parts: names });
        Ok(())
    }

    async fn write_head(
        &self,
        cluster: &Cluster,
        envelope: &Envelope,
        parts: &[String],
    ) -> Result<Version, Error> {
        let head = path(&self.delivery, &envelope::head_name(&self.delivery));
        let object = envelope.head(&self.delivery, parts);
        let over = self.stored.as_ref().map(|stored| &stored.version);
        let refused = match own::write(cluster, &head, object.clone(), over, &Silent).await {
            Ok(version) => return Ok(version),
            Err(refused) => refused,
        };
        if refused.refusal.code == 404 {
            return Err(Error::NoNamespace(self.delivery.namespace().to_owned()));
        }
        if refused.refusal.code != 409 && !refused.unsure {
            return Err(self.refused(refused.refusal));
        }
        // It may be ours: written by a try that went without an answer.
        match own::read(cluster, &head, &Silent).await {
            Ok(Some((found, version))) if found["data"] == object["data"] => Ok(version),
            Ok(_) if refused.refusal.code == 409 => {
                Err(Error::InventoryMoved(self.delivery.to_string()))
            }
            _ => Err(self.refused(refused.refusal)),
        }
    }

    /// Removes it, when nothing is left in it.
    ///
    /// # Errors
    ///
    /// Fails where somebody else has written it since.
    pub async fn remove(mut self, cluster: &Cluster) -> Result<(), Error> {
        if !self.inventory.entries.is_empty() {
            let message = format!("it still lists {} objects", self.inventory.entries.len());
            return Err(self.refused(Refusal { message, ..Refusal::default() }));
        }
        if self.stored.is_none() {
            return Ok(());
        }
        // An empty record has no parts, so that none are left lying when the head is gone.
        self.save(cluster).await?;
        let litter = self.part_names(cluster).await?;
        self.sweep(cluster, litter).await;
        Kept::find(cluster, &self.delivery).await?.remove(cluster).await?;
        let Some(stored) = &self.stored else { return Ok(()) };
        let head = path(&self.delivery, &envelope::head_name(&self.delivery));
        match own::delete(cluster, &head, &stored.version, &Silent).await {
            Ok(()) => Ok(()),
            Err(refused) if refused.refusal.code == 404 => Ok(()),
            Err(refused) if refused.refusal.code == 409 => {
                Err(Error::InventoryMoved(self.delivery.to_string()))
            }
            Err(refused) => Err(self.refused(refused.refusal)),
        }
    }

    /// Notes that it went with its namespace.
    pub(crate) fn went(&mut self) {
        self.stored = None;
    }

    /// All deliveries of a namespace, or of all. One that cannot be read does not hide the others.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be listed.
    pub async fn list(
        cluster: &Cluster,
        namespace: Option<&str>,
    ) -> Result<Vec<(Delivery, Result<Self, Error>)>, Error> {
        let secrets = secrets(cluster, &collection(namespace), HEAD.of_type, LABEL).await;
        let secrets = secrets
            .map_err(|refusal| Error::Refused { what: "list inventories".to_owned(), refusal })?;
        let mut all = Vec::with_capacity(secrets.len());
        for secret in &secrets {
            let text = |field: &str| secret["metadata"][field].as_str().unwrap_or_default();
            let label = secret["metadata"]["labels"][LABEL].as_str().unwrap_or_default();
            let Ok(delivery) = Delivery::new(label, text("namespace")) else { continue };
            let Some(version) = Version::of(secret) else { continue };
            if text("name") != envelope::head_name(&delivery) {
                continue;
            }
            let opened = Self::open(cluster, &delivery, secret, &version).await;
            let opened = opened.map_err(|unread| unread.error(&delivery));
            all.push((delivery, opened));
        }
        Ok(all)
    }

    /// The parts that are there, named by a head or not.
    async fn part_names(&self, cluster: &Cluster) -> Result<Vec<String>, Error> {
        let names = PART.names(cluster, &self.delivery).await;
        names.map_err(|refusal| self.refused(refusal))
    }

    /// Deletes parts that nobody needs. What cannot be deleted now is found again by the next write.
    async fn sweep(&self, cluster: &Cluster, names: impl IntoIterator<Item = String>) {
        for name in names {
            secret::remove(cluster, &self.delivery, &name).await.ok();
        }
    }

    fn refused(&self, refusal: Refusal) -> Error {
        Error::Refused { what: format!("write the inventory of {}", self.delivery), refusal }
    }
}

impl Unread {
    fn error(self, delivery: &Delivery) -> Error {
        let name = delivery.to_string();
        match self {
            Self::Refused(refusal) => {
                Error::Refused { what: format!("read the inventory of {name}"), refusal }
            }
            Self::Unreadable(_, Unreadable::Later(schema)) => {
                Error::InventoryLater { delivery: name, schema }
            }
            Self::Unreadable(_, Unreadable::Damaged(why)) => {
                Error::InventoryDamaged { delivery: name, why }
            }
        }
    }
}

/// What the parts hold; what is missing holds nothing, which the digest tells.
async fn pieces(
    cluster: &Cluster,
    delivery: &Delivery,
    names: &[String],
) -> Result<Vec<Vec<u8>>, Refusal> {
    let mut pieces = Vec::with_capacity(names.len());
    for name in names {
        let part = own::read(cluster, &path(delivery, name), &Silent).await?;
        pieces.push(part.and_then(|(part, _)| envelope::piece(&part)).unwrap_or_default());
    }
    Ok(pieces)
}

/// Secrets of one of our types, page by page.
async fn secrets(
    cluster: &Cluster,
    collection: &str,
    of_type: &str,
    selector: &str,
) -> Result<Vec<Value>, Refusal> {
    let mut secrets = Vec::new();
    let mut next = String::new();
    loop {
        let request = Request::get(collection)
            .with("labelSelector", selector)
            .with("fieldSelector", format!("type={of_type}"))
            .with("limit", "100")
            .with("continue", next.as_str());
        let answer = cluster.send(&request, &Silent).await?;
        let mut page: Value = serde_json::from_str(&answer.text).map_err(|_| unreadable())?;
        if let Some(items) = page["items"].as_array_mut() {
            secrets.append(items);
        }
        match page["metadata"]["continue"].as_str() {
            Some(token) if !token.is_empty() => next = token.to_owned(),
            _ => return Ok(secrets),
        }
    }
}

/// The address of the Secrets of a namespace, or of all.
fn collection(namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) => format!("/api/v1/namespaces/{namespace}/secrets"),
        None => "/api/v1/secrets".to_owned(),
    }
}

/// The hash of a record with the result of its last apply as it was when that ended, whatever was seen since.
fn ground(inventory: &mut Inventory, hash: &Hash) -> Hash {
    let Some(last) = inventory.history.last_mut().filter(|last| last.is_applied()) else {
        return hash.clone();
    };
    let seen = std::mem::replace(&mut last.result, "applied".to_owned());
    if seen == "applied" {
        return hash.clone();
    }
    let ground = Hash::of_bytes(write(inventory).as_bytes());
    if let Some(last) = inventory.history.last_mut() {
        last.result = seen;
    }
    ground
}
