//! Where a transformer looks: a path in objects of certain kinds.

mod walk; // from the root of an object to the fields a path leads to

use hashbrown::HashMap;
use kelson_yaml::Text;

pub(crate) use walk::{Make, id_of, visit};

use crate::fault::{Fault, Result};
use crate::id::Gvk;
use crate::kustomization::FieldSpecField;

/// A field of objects of certain kinds, as configurations name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    /// Which objects; empty parts select any.
    pub(crate) gvk: Gvk,
    /// The way there, as written.
    pub(crate) path: Text,
    /// Whether what is missing on the way is made.
    pub(crate) create: bool,
    steps: Vec<Step>,
}

/// One element of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// As written, without the mark `[]`.
    name: Text,
    /// Whether it is marked as leading to a list.
    is_list: bool,
}

impl FieldSpec {
    /// A field from its path: elements are separated by `/`, and `\/` stands for a slash in a name.
    pub(crate) fn new(gvk: Gvk, path: &str, create: bool) -> Self {
        let mut steps = Vec::with_capacity(1 + memchr::memchr_iter(b'/', path.as_bytes()).count());
        match path.contains('\\') {
            true => steps.extend(split(path, '/').iter().map(|part| Step::new(part))),
            false => {
                steps.extend(path.strip_prefix('/').unwrap_or(path).split('/').map(Step::new));
            }
        }
        Self { gvk, path: path.into(), create, steps }
    }

    /// Whether `other` names the same field of the same or of more kinds.
    fn is_covered_by(&self, other: &Self) -> bool {
        self.path == other.path && other.gvk.selects(&self.gvk)
    }
}

impl From<&FieldSpecField> for FieldSpec {
    fn from(field: &FieldSpecField) -> Self {
        let gvk = Gvk {
            group: field.group.text.clone(),
            version: field.version.text.clone(),
            kind: field.kind.text.clone(),
        };
        Self::new(gvk, &field.path, field.create)
    }
}

impl Step {
    fn new(part: &str) -> Self {
        match part.strip_suffix("[]") {
            Some(name) => Self { name: name.into(), is_list: true },
            None => Self { name: part.into(), is_list: false },
        }
    }
}

/// Splits a path at a delimiter that a backslash protects. A leading delimiter is dropped.
pub(crate) fn split(path: &str, delimiter: char) -> Vec<String> {
    let path = path.strip_prefix(delimiter).unwrap_or(path);
    let mut parts: Vec<String> = Vec::new();
    for part in path.split(delimiter) {
        match parts.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(delimiter);
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

/// A list of fields, in order, with an index by kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Specs {
    list: Vec<FieldSpec>,
    /// For each kind that some spec names: the specs for it and those for any kind, in order.
    by_kind: HashMap<Text, Vec<u32>>,
    /// The specs for any kind.
    any: Vec<u32>,
}

impl Specs {
    /// The fields in the order given, repeated ones included.
    pub(crate) fn new(list: Vec<FieldSpec>) -> Self {
        let mut specs = Self::default();
        list.into_iter().for_each(|spec| specs.push(spec));
        specs
    }

    /// The fields in the order of their kinds, repeated ones included.
    pub(crate) fn sorted(mut list: Vec<FieldSpec>) -> Self {
        list.sort_by_cached_key(|spec| crate::config::order(&spec.gvk));
        Self::new(list)
    }

    /// The fields, in order.
    pub(crate) fn list(&self) -> &[FieldSpec] {
        &self.list
    }

    /// The fields that objects of this kind have, in order.
    pub(crate) fn of<'a>(&'a self, gvk: &'a Gvk) -> impl Iterator<Item = &'a FieldSpec> {
        let candidates = self.by_kind.get(gvk.kind.as_str()).unwrap_or(&self.any);
        let specs = candidates.iter().map(|index| &self.list[*index as usize]);
        specs.filter(|spec| spec.gvk.selects(gvk))
    }

    /// Adds the fields of `other` that are not there yet.
    pub(crate) fn merge(&mut self, other: &[FieldSpec]) -> Result<()> {
        let mut by_path: HashMap<Text, Vec<usize>> = HashMap::new();
        for (index, spec) in self.list.iter().enumerate() {
            by_path.entry(spec.path.clone()).or_default().push(index);
        }
        for spec in other {
            let places = by_path.entry(spec.path.clone()).or_default();
            match places.iter().find(|place| self.list[**place].is_covered_by(spec)) {
                Some(place) if self.list[*place].create != spec.create => {
                    return Err(Fault::new("conflicting-fieldspecs", "conflicting fieldspecs"));
                }
                Some(_) => {}
                None => {
                    places.push(self.list.len());
                    self.push(spec.clone());
                }
            }
        }
        Ok(())
    }

    /// Puts the fields in the order of their kinds.
    pub(crate) fn sort(&mut self) {
        *self = Self::sorted(std::mem::take(&mut self.list));
    }

    fn push(&mut self, spec: FieldSpec) {
        let index = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        if spec.gvk.kind.is_empty() {
            self.any.push(index);
            self.by_kind.values_mut().for_each(|specs| specs.push(index));
        } else if let Some(specs) = self.by_kind.get_mut(&spec.gvk.kind) {
            specs.push(index);
        } else {
            let mut specs = self.any.clone();
            specs.push(index);
            self.by_kind.insert(spec.gvk.kind.clone(), specs);
        }
        self.list.push(spec);
    }
}
