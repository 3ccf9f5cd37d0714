//! What depends on what: groups of places that depend on each other, those first on which others depend.

/// Where a place stands while the groups are found.
#[derive(Clone, Copy)]
struct Seen {
    /// When it was come upon.
    number: usize,
    /// The earliest that can be reached from it.
    lowest: usize,
    is_open: bool,
}

/// The strongly connected groups, by Tarjan's way: a group comes after all that it depends on. `edges` has, for each
/// place, those it depends on. Nothing recurses: a chain may be as long as the set.
pub(super) fn groups(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search { edges, seen: vec![None; edges.len()], open: vec![], groups: vec![] };
    let mut next = 0;
    for start in 0..edges.len() {
        if search.seen[start].is_none() {
            search.walk(start, &mut next);
        }
    }
    search.groups
}

struct Search<'e> {
    edges: &'e [Vec<usize>],
    seen: Vec<Option<Seen>>,
    open: Vec<usize>,
    groups: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn walk(&mut self, start: usize, next: &mut usize) {
        // Each place on the way with how many of its edges were followed.
        let mut way = vec![(start, 0)];
        while let Some((at, followed)) = way.last_mut() {
            let at = *at;
            if self.seen[at].is_none() {
                self.seen[at] = Some(Seen { number: *next, lowest: *next, is_open: true });
                self.open.push(at);
                *next += 1;
            }
            let edge = self.edges[at].get(*followed).copied();
            *followed += 1;
            match edge.map(|to| (to, self.seen[to])) {
                Some((to, None)) => way.push((to, 0)),
                Some((_, Some(seen))) if seen.is_open => self.lower(at, seen.number),
                Some(_) => {}
                None => {
                    way.pop();
                    let lowest = self.close(at);
                    if let Some(&(above, _)) = way.last() {
                        self.lower(above, lowest);
                    }
                }
            }
        }
    }

    fn lower(&mut self, at: usize, lowest: usize) {
        if let Some(seen) = &mut self.seen[at] {
            seen.lowest = seen.lowest.min(lowest);
        }
    }

    /// Leaves a place behind; a group is complete where nothing earlier can be reached.
    fn close(&mut self, at: usize) -> usize {
        let Some(seen) = self.seen[at] else { return usize::MAX };
        if seen.lowest == seen.number {
            let begin = self.open.iter().rposition(|&place| place == at).unwrap_or_default();
            let group = self.open.split_off(begin);
            for &place in &group {
                if let Some(seen) = &mut self.seen[place] {
                    seen.is_open = false;
                }
            }
            self.groups.push(group);
        }
        seen.lowest
    }
}

/// Whether a group is a circle: more than one place, or one that depends on itself.
pub(super) fn is_circle(group: &[usize], edges: &[Vec<usize>]) -> bool {
    match group {
        [one] => edges[*one].contains(one),
        _ => true,
    }
}
