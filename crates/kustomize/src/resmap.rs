//! The objects of a build in order, found by hash: by the id they have, and by those they had.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::HashTable;

use crate::fault::{Fault, Result};
use crate::id::{Gvk, ResId};
use crate::resource::Resource;
use crate::schema::Schema;

/// Objects in the order they came.
#[derive(Clone, Default)]
pub(crate) struct ResMap {
    list: Vec<Resource>,
    index: Option<Index>,
    pub(crate) scopes: Arc<Schema>,
}

/// Where ids and names are. Entries may be out of date, so whoever finds one looks at the object itself;
/// but no id that an object has or had is missing.
#[derive(Clone, Default)]
struct Index {
    current: HashTable<(u64, u32)>,
    previous: HashTable<(u64, u32)>,
    names: HashTable<(u64, u32)>,
}

/// An id with the namespace that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) name: &'a str,
    pub(crate) namespace: &'a str,
}

impl Key<'_> {
    fn hash(&self) -> u64 {
        hash_of(&(self.group, self.version, self.kind, self.name, self.namespace))
    }
}

/// A hash that is the same in every run.
fn hash_of(value: &impl Hash) -> u64 {
    foldhash::fast::FixedState::with_seed(0x6b65_6c73).hash_one(value)
}

impl ResMap {
    /// Says which object was probably meant by a kind and a name that nothing has; the kind may be empty.
    pub(crate) fn near_miss(&self, kind: &str, name: &str) -> Option<String> {
        let alike = self.list().iter().filter(|it| kind.is_empty() || it.kind() == kind);
        let near = kelson_model::nearest(name, alike.map(Resource::name))?;
        let what = if kind.is_empty() { "object" } else { kind };
        Some(format!("no {what} named `{name}`; there is `{near}`"))
    }

    /// No objects.
    pub(crate) fn new(scopes: &Arc<Schema>) -> Self {
        Self { list: Vec::new(), index: None, scopes: Arc::clone(scopes) }
    }

    /// Objects whose ids must differ.
    pub(crate) fn from_list(list: Vec<Resource>, scopes: &Arc<Schema>) -> Result<Self> {
        let mut map = Self::new(scopes);
        for resource in list {
            map.append(resource)?;
        }
        Ok(map)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The objects.
    pub(crate) fn list(&self) -> &[Resource] {
        &self.list
    }

    /// The objects, to be changed; ids may change.
    pub(crate) fn list_mut(&mut self) -> &mut Vec<Resource> {
        self.index = None;
        &mut self.list
    }

    /// The objects, to be changed in anything but their ids.
    pub(crate) fn contents_mut(&mut self) -> &mut [Resource] {
        &mut self.list
    }

    /// All of them, out of the map.
    pub(crate) fn into_list(self) -> Vec<Resource> {
        self.list
    }

    /// One object.
    pub(crate) fn get(&self, at: usize) -> &Resource {
        &self.list[at]
    }

    /// Whether an object belongs to no namespace.
    pub(crate) fn is_cluster_scoped(&self, at: usize) -> bool {
        self.scopes.is_cluster_scoped(&self.list[at].gvk())
    }

    /// Changes one object, whose ids may change with it.
    pub(crate) fn update<T>(&mut self, at: usize, change: impl FnOnce(&mut Resource) -> T) -> T {
        let result = change(&mut self.list[at]);
        if let Some(index) = &mut self.index {
            index.insert(&self.list[at], at, &self.scopes);
        }
        result
    }

    /// Adds an object at the end; its id must be new.
    pub(crate) fn append(&mut self, resource: Resource) -> Result<()> {
        self.index();
        let (matches, id) = {
            let gvk = resource.gvk();
            let key = current_key(&resource, &gvk, &self.scopes);
            (self.with_current(&key), resource.id())
        };
        if let Some(first) = matches.first() {
            return Err(already_there(&id, &self.list[*first], &resource));
        }
        if let Some(index) = &mut self.index {
            index.insert(&resource, self.list.len(), &self.scopes);
        }
        self.list.push(resource);
        Ok(())
    }

    /// Adds the objects of another map at the end.
    pub(crate) fn append_all(&mut self, other: Self) -> Result<()> {
        if self.list.is_empty() {
            self.list = other.list;
            self.index = other.index;
            return Ok(());
        }
        other.list.into_iter().try_for_each(|resource| self.append(resource))
    }

    /// The objects that have this id now.
    pub(crate) fn with_current(&mut self, key: &Key<'_>) -> Vec<usize> {
        let (list, scopes) = (&self.list, &self.scopes);
        let found = find(&index_of(&mut self.index, list, scopes).current, key.hash());
        found.into_iter().filter(|at| has_current(&list[*at], key, scopes)).collect()
    }

    /// The objects that have or had this id.
    pub(crate) fn with_any(&mut self, key: &Key<'_>) -> Vec<usize> {
        let (list, scopes) = (&self.list, &self.scopes);
        let index = index_of(&mut self.index, list, scopes);
        let mut found = find(&index.current, key.hash());
        found.extend(find(&index.previous, key.hash()));
        found.sort_unstable();
        found.dedup();
        found.retain(|at| {
            let resource = &list[*at];
            !resource.is_empty()
                && (has_current(resource, key, scopes) || has_previous(resource, key))
        });
        found
    }

    /// The objects that have or had this name, whatever they are.
    pub(crate) fn named(&mut self, name: &str) -> Vec<usize> {
        let list = &self.list;
        let found = find(&index_of(&mut self.index, list, &self.scopes).names, hash_of(&name));
        found
            .into_iter()
            .filter(|at| {
                let resource = &list[*at];
                !resource.is_empty()
                    && (resource.name() == name
                        || resource.history.iter().any(|previous| previous.name == name))
            })
            .collect()
    }

    /// The id of a resource outside of the map, ready for a search.
    pub(crate) fn key_of<'a>(&self, resource: &'a Resource, gvk: &'a Gvk) -> Key<'a> {
        current_key(resource, gvk, &self.scopes)
    }

    /// Takes out what has become empty.
    pub(crate) fn drop_empty(&mut self) {
        if self.list.iter().any(Resource::is_empty) {
            self.list_mut().retain(|resource| !resource.is_empty());
        }
    }

    /// Keeps what the question approves of.
    pub(crate) fn retain(&mut self, keep: impl FnMut(&Resource) -> bool) {
        self.list_mut().retain(keep);
    }

    fn index(&mut self) {
        index_of(&mut self.index, &self.list, &self.scopes);
    }
}

/// The index, made where it is missing.
fn index_of<'a>(index: &'a mut Option<Index>, list: &[Resource], scopes: &Schema) -> &'a mut Index {
    index.get_or_insert_with(|| {
        let mut index = Index::default();
        for (at, resource) in list.iter().enumerate() {
            index.insert(resource, at, scopes);
        }
        index
    })
}

impl Index {
    fn insert(&mut self, resource: &Resource, at: usize, scopes: &Schema) {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let gvk = resource.gvk();
        insert(&mut self.current, current_key(resource, &gvk, scopes).hash(), at);
        insert(&mut self.names, hash_of(&resource.name()), at);
        for previous in &resource.history {
            let key = Key {
                group: &gvk.group,
                version: &gvk.version,
                kind: &previous.kind,
                name: &previous.name,
                namespace: effective(&previous.namespace),
            };
            insert(&mut self.previous, key.hash(), at);
            insert(&mut self.names, hash_of(&previous.name.as_str()), at);
        }
    }
}

/// Notes where a hash is, once.
fn insert(table: &mut HashTable<(u64, u32)>, hash: u64, at: u32) {
    if table.find(hash, |entry| *entry == (hash, at)).is_none() {
        table.insert_unique(hash, (hash, at), |entry| entry.0);
    }
}

/// Where a hash is, in order.
fn find(table: &HashTable<(u64, u32)>, hash: u64) -> Vec<usize> {
    let mut found: Vec<usize> = table
        .iter_hash(hash)
        .filter(|entry| entry.0 == hash)
        .map(|entry| entry.1 as usize)
        .collect();
    found.sort_unstable();
    found
}

fn current_key<'a>(resource: &'a Resource, gvk: &'a Gvk, scopes: &Schema) -> Key<'a> {
    Key {
        group: &gvk.group,
        version: &gvk.version,
        kind: &gvk.kind,
        name: resource.name(),
        namespace: resource.effective_namespace(scopes.is_cluster_scoped(gvk)),
    }
}

fn has_current(resource: &Resource, key: &Key<'_>, scopes: &Schema) -> bool {
    resource.name() == key.name && current_key(resource, &resource.gvk(), scopes) == *key
}

fn has_previous(resource: &Resource, key: &Key<'_>) -> bool {
    let gvk = resource.gvk();
    gvk.group == key.group
        && gvk.version == key.version
        && resource.history.iter().any(|previous| {
            previous.name == key.name
                && previous.kind == key.kind
                && effective(&previous.namespace) == key.namespace
        })
}

/// The namespace that decides, from one that was written.
pub(crate) fn effective(namespace: &str) -> &str {
    if namespace.is_empty() { "default" } else { namespace }
}

/// The error of two objects with one id.
fn already_there(id: &ResId, first: &Resource, second: &Resource) -> Box<Fault> {
    let text = format!("may not add resource with an already registered id: {id}");
    let what = format!("the {} `{}`", id.gvk.kind, id.name);
    Fault::new("duplicate-object", text)
        .saying(format!("{what} is there twice"))
        .at(second.node.span, "here it is again")
        .at(first.node.span, "it was here first")
}
