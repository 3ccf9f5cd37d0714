//! Where objects were written that may turn out to be one and the same: of a namesake without a namespace only the cluster
//! knows whether it is another.

use std::collections::{HashMap, HashSet};

use kelson_kustomize::{Build, Object};

use crate::path;

/// The places of such objects, by their number. `joined` are the names of the sources, where those were joined into one.
pub(super) fn places(build: &Build, joined: &[&str]) -> HashMap<usize, String> {
    let mut namesakes: HashMap<(&str, &str, &str), Vec<usize>> = HashMap::new();
    for (number, object) in build.objects.iter().enumerate() {
        namesakes.entry((object.group(), object.kind(), object.name())).or_default().push(number);
    }
    let may_be_one = |numbers: &&Vec<usize>| {
        let mut seen = HashSet::new();
        let is_open = |object: &Object| object.namespace().is_empty();
        let mut objects = numbers.iter().map(|&number| &build.objects[number]);
        numbers.len() > 1
            && objects.any(|object| is_open(object) || !seen.insert(object.namespace()))
    };
    let numbers = namesakes.values().filter(may_be_one).flatten();
    numbers.filter_map(|&number| Some((number, place(build, number, joined)?))).collect()
}

fn place(build: &Build, number: usize, joined: &[&str]) -> Option<String> {
    let place = build.sources.place(build.objects[number].node.span)?;
    match joined {
        [] => Some(format!("{}:{}", path::shown(place.name), place.line)),
        joined => {
            let number = place.name.trim_start_matches('/').strip_suffix(".yaml")?;
            joined.get(number.parse::<usize>().ok()?).map(|name| (*name).to_owned())
        }
    }
}
