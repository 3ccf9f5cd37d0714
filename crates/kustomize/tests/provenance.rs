//! Provenance is honest: what a leaf of the output names as its origin is where its value can be changed.
//!
//! Every case that builds is built again for every place that a leaf names, with the value there changed. The leaf
//! must then be another, and so may be only what has its origin on the same line. Two things cannot keep to that:
//! what names a thing (a kind, a name, the key of a list's element) decides what else finds it, and a value made of
//! several parts can name only one place of several. Both are counted apart.

#![expect(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "provenance/case.rs"]
mod case; // the cases, with their options
#[path = "provenance/edit.rs"]
mod edit; // another value for the token at a place
#[path = "provenance/leaf.rs"]
mod leaf; // the leaves of a build, with their places
#[path = "shared/leaves.rs"]
mod leaves; // the scalars of an object
#[path = "shared/load.rs"]
mod load; // a folder's files

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Add as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::Case;
use leaf::{Leaf, Place};

/// What became of the leaves.
#[derive(Default)]
struct Tally {
    leaves: usize,
    /// Nothing there to change, or the change breaks the build.
    untestable: usize,
    naming: usize,
    composed: usize,
    honest: usize,
    wrong: usize,
    report: String,
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            leaves: self.leaves + other.leaves,
            untestable: self.untestable + other.untestable,
            naming: self.naming + other.naming,
            composed: self.composed + other.composed,
            honest: self.honest + other.honest,
            wrong: self.wrong + other.wrong,
            report: self.report + &other.report,
        }
    }
}

enum Verdict {
    /// The leaf changes, alone.
    Honest,
    /// The leaf changes, and so does what is found by its name.
    Naming,
    /// The leaf changes, and so does what is made of it and something else.
    Composed,
    Wrong(String),
}

#[test]
fn a_leaf_changes_with_the_place_it_names_and_no_other_does() {
    let cases = case::all();
    let tally = examine_all(&cases);
    print!("{}", tally.report);
    let share = |count: usize| 100.0 * count as f64 / tally.leaves.max(1) as f64;
    println!(
        "{} leaves of {} cases: {:.1} % change with their place and alone, {:.1} % name something, \
         {:.1} % are parts of other values, {:.1} % cannot be tested, {:.2} % are wrong",
        tally.leaves,
        cases.len(),
        share(tally.honest),
        share(tally.naming),
        share(tally.composed),
        share(tally.untestable),
        share(tally.wrong)
    );
    assert_eq!(tally.wrong, 0, "some leaves name a place that does not give their value");
    assert!(share(tally.honest) >= 70.0, "too few leaves are shown to be honest");
    assert!(share(tally.naming) <= 15.0, "too many leaves change others with them");
    assert!(share(tally.composed) <= 2.0, "too many leaves are parts of others");
}

/// Looks at all cases, as many at once as there are processors.
fn examine_all(cases: &[Case]) -> Tally {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            examine(case, &mut tally);
        }
        tally
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(|worker| worker.join().unwrap()).fold(Tally::default(), Tally::add)
    })
}

fn examine(case: &Case, tally: &mut Tally) {
    let Some(before) = leaf::of(case, &case.tree) else { return };
    tally.leaves += before.len();
    let mut places: BTreeMap<&Place, Vec<usize>> = BTreeMap::new();
    for (number, leaf) in before.iter().enumerate() {
        match &leaf.place {
            Some(place) => places.entry(place).or_default().push(number),
            // Only a flag asked for it.
            None if leaf.name().ends_with(".app.kubernetes.io/managed-by") => tally.untestable += 1,
            None => {
                tally.wrong += 1;
                let _ = writeln!(tally.report, "{}: {} has no origin", case.name, leaf.name());
            }
        }
    }
    for (place, numbers) in places {
        let verdict = edit::edits(case, place).into_iter().find_map(|edit| {
            let mut tree = case.tree.clone();
            tree.insert(&place.file, edit);
            leaf::of(case, &tree).map(|after| judge(&before, &after, place, &numbers))
        });
        let count = match verdict {
            None => &mut tally.untestable,
            Some(Verdict::Honest) => &mut tally.honest,
            Some(Verdict::Naming) => &mut tally.naming,
            Some(Verdict::Composed) => &mut tally.composed,
            Some(Verdict::Wrong(text)) => {
                let place = format!("{}:{}:{}", place.file, place.line, place.column);
                let _ = writeln!(tally.report, "{} {place} {text}", case.name);
                &mut tally.wrong
            }
        };
        *count += numbers.len();
    }
}

/// Compares the leaves before and after the value at a place was changed. `numbers` are those that name the place.
fn judge(before: &[Leaf], after: &[Leaf], place: &Place, numbers: &[usize]) -> Verdict {
    let keys = |leaves: &[Leaf]| -> HashSet<String> {
        leaves.iter().map(|leaf| leaf.key.clone()).collect()
    };
    if keys(before) != keys(after) {
        return judge_other_shape(before, after, place, numbers);
    }
    let after: HashMap<&str, &Leaf> = after.iter().map(|leaf| (leaf.key.as_str(), leaf)).collect();
    if let Some(leaf) = numbers
        .iter()
        .map(|number| &before[*number])
        .find(|leaf| after[leaf.key.as_str()].value == leaf.value)
    {
        return Verdict::Wrong(format!("{} stays {:?}", leaf.name(), leaf.value));
    }
    let others: Vec<&Leaf> = before
        .iter()
        .filter(|leaf| after[leaf.key.as_str()].plain() != leaf.plain() && !leaf.is_on_line(place))
        .collect();
    let own: Vec<&Leaf> = numbers.iter().map(|number| &before[*number]).collect();
    match others.first() {
        None => Verdict::Honest,
        Some(_) if own.iter().any(|leaf| leaf.is_naming()) => Verdict::Naming,
        Some(_) if others.iter().all(|other| other.follows) => Verdict::Naming,
        Some(_) if others.iter().all(|other| other.is_composed) => Verdict::Composed,
        Some(other) => {
            let now = &after[other.key.as_str()].value;
            let (own, name) = (own[0].name(), other.name());
            Verdict::Wrong(format!("{own}: {name} changes too, {:?} to {now:?}", other.value))
        }
    }
}

/// Another key or element: a leaf of this place must have a value that none had, or be gone.
fn judge_other_shape(before: &[Leaf], after: &[Leaf], place: &Place, numbers: &[usize]) -> Verdict {
    let pairs: HashSet<(&str, &str)> =
        after.iter().map(|leaf| (leaf.key.as_str(), leaf.value.as_str())).collect();
    let old: HashSet<&str> = numbers.iter().map(|number| before[*number].value.as_str()).collect();
    let is_new = |leaf: &Leaf| leaf.is_on_line(place) && !old.contains(leaf.value.as_str());
    let stays = |number: &usize| {
        let leaf = &before[*number];
        pairs.contains(&(leaf.key.as_str(), leaf.value.as_str()))
    };
    if after.iter().any(is_new) || !numbers.iter().all(stays) {
        return Verdict::Naming;
    }
    Verdict::Wrong(format!("{} becomes no other", before[numbers[0]].name()))
}
