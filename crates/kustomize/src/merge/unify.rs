//! Which elements mean the same although one of them leaves a key out.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use kelson_yaml::Text;

use super::tuple::Tuple;

/// Makes tuples equal that agree in one part, be it an empty one, and contradict each other in none.
///
/// Each is compared, as it was when its turn came, with all others as they are by now; this order decides what
/// becomes of one that fits several others.
pub(super) fn unify(tuples: &mut [Tuple]) {
    if !tuples.iter().any(|tuple| tuple.iter().any(|part| part.is_empty())) {
        return;
    }
    match tuples.first().map_or(0, Vec::len) {
        2 => Pairs::new(tuples).unify(),
        _ => unify_each_with_all(tuples),
    }
}

fn unify_each_with_all(tuples: &mut [Tuple]) {
    for index in 0..tuples.len() {
        let tuple = tuples[index].clone();
        for other in 0..tuples.len() {
            if let Some(common) = common(&tuple, &tuples[other]) {
                tuples[index].clone_from(&common);
                tuples[other] = common;
            }
        }
    }
}

fn common(a: &Tuple, b: &Tuple) -> Option<Tuple> {
    let fits = |(a, b): (&Text, &Text)| a == b || a.is_empty() || b.is_empty();
    let agrees = a.iter().zip(b).any(|(a, b)| a == b);
    if !agrees || !a.iter().zip(b).all(fits) {
        return None;
    }
    Some(a.iter().zip(b).map(|(a, b)| if a.is_empty() { b.clone() } else { a.clone() }).collect())
}

/// Tuples of two parts, which is what Kubernetes has: the partners of each are found by its parts.
struct Pairs<'t> {
    tuples: &'t mut [Tuple],
    /// The tuples by what they have at a position.
    having: [Places; 2],
    /// The tuples that have something only there.
    only: [HashMap<Text, Vec<usize>, foldhash::fast::FixedState>; 2],
    /// The tuples that have nothing at all.
    empty: BTreeSet<usize>,
    /// The tuples that lack something.
    lacking: BTreeSet<usize>,
}

type Places = HashMap<Text, BTreeSet<usize>, foldhash::fast::FixedState>;

impl<'t> Pairs<'t> {
    fn new(tuples: &'t mut [Tuple]) -> Self {
        let (having, only) = Default::default();
        let (empty, lacking) = Default::default();
        let mut pairs = Self { tuples, having, only, empty, lacking };
        for index in 0..pairs.tuples.len() {
            pairs.enter(index);
        }
        pairs
    }

    fn unify(mut self) {
        for index in 0..self.tuples.len() {
            let tuple = self.tuples[index].clone();
            match (tuple[0].is_empty(), tuple[1].is_empty()) {
                (false, false) => self.complete_others(&tuple),
                (false, true) => self.complete_half(index, &tuple, 0),
                (true, false) => self.complete_half(index, &tuple, 1),
                (true, true) => self.complete_empty(index),
            }
        }
    }

    /// All that have only one part of a whole tuple become that tuple.
    fn complete_others(&mut self, tuple: &Tuple) {
        for position in 0..2 {
            for other in self.only[position].remove(&tuple[position]).unwrap_or_default() {
                if self.lacking.contains(&other) {
                    self.assign(other, tuple.clone());
                }
            }
        }
    }

    /// A tuple with one part becomes the last one that has this part; those that have none become like it.
    fn complete_half(&mut self, index: usize, tuple: &Tuple, position: usize) {
        let having = self.having[position].get(&tuple[position]);
        let last = [having, Some(&self.empty)].into_iter().flatten();
        let last = last.filter_map(|places| last_partner(places, index)).max();
        for other in std::mem::take(&mut self.empty) {
            self.assign(other, tuple.clone());
        }
        if let Some(partner) = last {
            self.assign(index, self.tuples[partner].clone());
        }
    }

    /// An empty tuple becomes the last one that lacks something too.
    fn complete_empty(&mut self, index: usize) {
        if let Some(partner) = last_partner(&self.lacking, index) {
            self.empty.remove(&index);
            self.assign(index, self.tuples[partner].clone());
        }
    }

    fn assign(&mut self, index: usize, tuple: Tuple) {
        self.lacking.remove(&index);
        self.tuples[index] = tuple;
        self.enter(index);
    }

    fn enter(&mut self, index: usize) {
        let tuple = &self.tuples[index];
        for position in 0..2 {
            if !tuple[position].is_empty() {
                self.having[position].entry(tuple[position].clone()).or_default().insert(index);
                if tuple[1 - position].is_empty() {
                    self.only[position].entry(tuple[position].clone()).or_default().push(index);
                }
            }
        }
        if tuple.iter().any(|part| part.is_empty()) {
            self.lacking.insert(index);
        }
        if tuple.iter().all(|part| part.is_empty()) {
            self.empty.insert(index);
        }
    }
}

/// Whom a tuple meets last at some places; if it is the last there itself, the one before it.
fn last_partner(places: &BTreeSet<usize>, index: usize) -> Option<usize> {
    match *places.last()? {
        last if last == index => places.range(..index).next_back().copied(),
        last => Some(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_unified_as_each_with_all() {
        let mut state = 7_u32;
        let mut random = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % limit
        };
        for _ in 0..20_000 {
            let parts = ["", "a", "b", "c", ""];
            let mut tuple =
                || vec![Text::new(parts[random(5) as usize]), Text::new(parts[random(5) as usize])];
            let mut tuples: Vec<Tuple> = (0..9).map(|_| tuple()).collect();
            tuples.dedup();
            let before = tuples.clone();
            let mut expected = tuples.clone();
            unify_each_with_all(&mut expected);
            unify(&mut tuples);
            assert_eq!(tuples, expected, "{before:?}");
        }
    }
}
