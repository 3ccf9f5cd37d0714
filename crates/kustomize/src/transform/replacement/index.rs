//! Objects by kind and by name, so that a selector with plain words need not look at all of them.

use hashbrown::HashMap;
use kelson_yaml::Text;

use crate::kustomization::ReplacementInFile;
use crate::resource::Resource;

/// Objects by the kinds and names they have or had. It may know more than is true, never less.
#[derive(Debug, Default)]
pub(super) struct Index {
    is_built: bool,
    by_kind: HashMap<Text, Vec<u32>>,
    by_name: HashMap<Text, Vec<u32>>,
}

/// Objects to look at, in order.
pub(super) enum Candidates {
    All(usize),
    Some(Vec<u32>),
}

/// With fewer look-ups than this it is cheaper to look at every object.
const WORTH_IT: usize = 4;

impl Index {
    /// An index, if there are enough look-ups to pay for it.
    pub(super) fn for_lookups(resources: &[Resource], replacements: &[ReplacementInFile]) -> Self {
        let lookups: usize = replacements.iter().map(|it| 1 + it.targets.len()).sum();
        let mut index = Self { is_built: lookups >= WORTH_IT, ..Self::default() };
        if index.is_built {
            resources.iter().enumerate().for_each(|(at, resource)| index.update(at, resource));
        }
        index
    }

    /// Learns the ids of an object, which may have changed.
    pub(super) fn update(&mut self, at: usize, resource: &Resource) {
        if !self.is_built {
            return;
        }
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        add(&mut self.by_kind, resource.gvk().kind, at);
        add(&mut self.by_name, resource.name().into(), at);
        for previous in &resource.history {
            add(&mut self.by_kind, previous.kind.clone(), at);
            add(&mut self.by_name, previous.name.clone(), at);
        }
    }

    /// The objects that may have a kind and a name.
    pub(super) fn candidates(
        &self,
        kind: Option<&str>,
        name: Option<&str>,
        count: usize,
    ) -> Candidates {
        if !self.is_built {
            return Candidates::All(count);
        }
        let kinds = kind.map(|kind| self.by_kind.get(kind).map_or(&[][..], Vec::as_slice));
        let names = name.map(|name| self.by_name.get(name).map_or(&[][..], Vec::as_slice));
        match (kinds, names) {
            (Some(kinds), Some(names)) if kinds.len() < names.len() => {
                Candidates::Some(kinds.to_vec())
            }
            (_, Some(names)) => Candidates::Some(names.to_vec()),
            (Some(kinds), None) => Candidates::Some(kinds.to_vec()),
            (None, None) => Candidates::All(count),
        }
    }
}

impl Candidates {
    /// Their numbers.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Self::All(count) => Box::new(0..*count),
            Self::Some(list) => Box::new(list.iter().map(|at| *at as usize)),
        }
    }
}

fn add(map: &mut HashMap<Text, Vec<u32>>, key: Text, at: u32) {
    let list = map.entry(key).or_default();
    if let Err(place) = list.binary_search(&at) {
        list.insert(place, at);
    }
}
