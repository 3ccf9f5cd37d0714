//! A delivery with all its objects and what they have brought about, down to the Pods.

use std::collections::BTreeSet;

use kelson_cluster::{Branch, ObservedObject};
use kelson_model::ObjectId;
use kelson_plan::{Blame, Health};
use kelson_yaml::Node;

use super::row::Row;
use crate::table::table;
use crate::{health, json};

/// For people.
pub(super) fn text(row: &Row<'_>) -> String {
    let mut rows = Vec::new();
    row.family.iter().for_each(|branch| Trunk::of(branch).draw(branch, "", "", &mut rows));
    row.record.targets.missing.iter().for_each(|missing| rows.push(line("", missing)));
    format!("{}\n{}", row.header(), table(["OBJECT", "HEALTH", "WHY"], &rows))
}

/// For the machine.
pub(super) fn node(row: &Row<'_>) -> Node {
    let missing = row.record.targets.missing.iter().map(|missing| object(missing, &[]));
    let tree = row.family.iter().map(branch).chain(missing).collect();
    let [a, b, c, d, e, f, g, h, i, j, k, l, m] = row.fields();
    json::object([a, b, c, d, e, f, g, h, i, j, k, l, m, ("tree", Some(Node::sequence(tree)))])
}

fn branch(branch: &Branch) -> Node {
    object(&branch.object, &branch.children)
}

fn object(object: &ObservedObject, children: &[Branch]) -> Node {
    let [id, how, reason, message, because] =
        health::fields(&object.id, &object.verdict, &object.because);
    let below = Node::sequence(children.iter().map(branch).collect());
    let below = Some(below).filter(|_| !children.is_empty());
    json::object([id, how, reason, message, because, ("children", below)])
}

/// What is known of an object of the delivery and of all below it.
struct Trunk<'a> {
    blames: Vec<&'a Blame>,
    /// All that has a line of its own.
    shown: BTreeSet<&'a ObjectId>,
}

impl<'a> Trunk<'a> {
    fn of(branch: &'a Branch) -> Self {
        let mut trunk = Self { blames: Vec::new(), shown: BTreeSet::new() };
        trunk.collect(branch);
        trunk
    }

    /// What a Pod is blamed for is said of it and of all that it is part of; once is enough.
    fn collect(&mut self, branch: &'a Branch) {
        self.shown.insert(&branch.object.id);
        for blame in &branch.object.because {
            let same =
                |known: &&Blame| known.object == blame.object && known.reason == blame.reason;
            if !self.blames.iter().any(same) {
                self.blames.push(blame);
            }
        }
        branch.children.iter().for_each(|child| self.collect(child));
    }

    /// A line for an object and those below it. What is behind something stands with the object that is to blame, or at
    /// the top where that is not shown.
    fn draw(&self, branch: &Branch, lead: &str, below: &str, rows: &mut Vec<[String; 3]>) {
        let id = &branch.object.id;
        rows.push(line(lead, &branch.object));
        let rail = if branch.children.is_empty() { "" } else { "│" };
        let is_here = |blame: &&&Blame| match self.shown.contains(&blame.object) {
            true => blame.object == *id,
            false => lead.is_empty(),
        };
        for blame in self.blames.iter().filter(is_here) {
            for text in health::behind(std::slice::from_ref(*blame)) {
                // The object is named on the line above.
                let text = text.strip_prefix(&format!("{id}: ")).unwrap_or(&text).to_owned();
                rows.push([format!("{below}{rail}"), String::new(), text]);
            }
        }
        let last = branch.children.len().saturating_sub(1);
        for (number, child) in branch.children.iter().enumerate() {
            let (here, next) =
                if number == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            self.draw(child, &format!("{below}{here}"), &format!("{below}{next}"), rows);
        }
    }
}

fn line(lead: &str, object: &ObservedObject) -> [String; 3] {
    let health = object.verdict.health;
    // That all is well needs no reason.
    let why = (health != Health::Current).then(|| health::why(&object.verdict));
    let health = health::word(health).to_owned();
    [format!("{lead}{}", object.id), health, why.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use kelson_plan::Verdict;

    use super::*;

    fn id(kind: &str, name: &str) -> ObjectId {
        let (group, namespace) = (String::new(), "shop".to_owned());
        ObjectId { group, kind: kind.to_owned(), namespace, name: name.to_owned() }
    }

    fn blamed(kind: &str, name: &str, reason: &'static str) -> Blame {
        Blame {
            object: id(kind, name),
            reason,
            message: "so it is".to_owned(),
            container: None,
            log: vec!["panic".to_owned()],
            is_final: false,
        }
    }

    fn grown(id: ObjectId, because: Vec<Blame>, children: Vec<Branch>) -> Branch {
        let verdict = Verdict {
            health: Health::InProgress,
            reason: "Less".to_owned(),
            message: String::new(),
        };
        Branch { object: ObservedObject { id, verdict, because }, children }
    }

    #[test]
    fn a_blame_stands_once_with_the_object_that_is_to_blame() {
        let because = || vec![blamed("Pod", "web-1-a", "CrashLoop"), blamed("Quota", "q", "Quota")];
        let pod = grown(id("Pod", "web-1-a"), because(), Vec::new());
        let other = grown(id("Pod", "web-1-b"), Vec::new(), Vec::new());
        let set = grown(id("ReplicaSet", "web-1"), because(), vec![pod, other]);
        let branch = grown(id("Deployment", "web"), because(), vec![set]);
        let mut rows = Vec::new();
        Trunk::of(&branch).draw(&branch, "", "", &mut rows);
        let expected = "\
OBJECT                   HEALTH   WHY
Deployment/shop/web      waiting  Less
│                                 Quota/shop/q: Quota: so it is
│                                   | panic
└─ ReplicaSet/shop/web-1 waiting  Less
   ├─ Pod/shop/web-1-a   waiting  Less
   │                              CrashLoop: so it is
   │                                | panic
   └─ Pod/shop/web-1-b   waiting  Less
";
        let drawn = table(["OBJECT", "HEALTH", "WHY"], &rows);
        let squeeze = |text: &str| {
            text.lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
        };
        assert_eq!(squeeze(&drawn), squeeze(expected), "{drawn}");
    }
}
