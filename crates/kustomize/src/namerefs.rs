//! Name references: fields that name an object follow when the object is renamed.
//!
//! Objects are found by a name they had, in a namespace, by hash; a build of many objects takes time in
//! proportion to its references, not to the square of its objects.

mod facts; // what is known of each object, and where names lead

use std::sync::Arc;

use hashbrown::HashMap;
use kelson_yaml::{Bond, Data, Node, Tag, Touch, emit};

use crate::config::NameReference;
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::fieldspec::{FieldSpec, Make, visit};
use crate::gotext;
use crate::id::Gvk;
use crate::resmap::ResMap;
use crate::write::Writer;
use facts::{Facts, Known};

/// A field that may name an object of a kind.
type Rule<'a> = (&'a Gvk, &'a FieldSpec);

/// Updates every field that names an object which was renamed.
pub(crate) fn update(resources: &mut ResMap, rules: &[NameReference], touch: Touch) -> Result<()> {
    let known = Known::take(resources);
    let result = follow_all(&known, resources, rules, touch);
    known.give_back(resources);
    result
}

fn follow_all(
    known: &Known,
    resources: &mut ResMap,
    rules: &[NameReference],
    touch: Touch,
) -> Result<()> {
    let mut cache: HashMap<Gvk, Arc<[Rule<'_>]>> = HashMap::new();
    for at in 0..known.facts.len() {
        let gvk = &known.facts[at].original;
        if !cache.contains_key(gvk) {
            cache.insert(gvk.clone(), rules_of(gvk, rules));
        }
        let rules = &cache[gvk];
        if rules.is_empty() {
            continue;
        }
        let mut object = std::mem::replace(&mut resources.contents_mut()[at].node, Node::null());
        let referrer = Referrer::new(known, at, &object)?;
        let result =
            rules.iter().try_for_each(|rule| referrer.follow(&mut object, rule, touch, resources));
        resources.contents_mut()[at].node = object;
        result?;
    }
    Ok(())
}

/// The rules for objects of one kind, in order.
fn rules_of<'a>(gvk: &Gvk, rules: &'a [NameReference]) -> Arc<[Rule<'a>]> {
    rules
        .iter()
        .flat_map(|rule| {
            let fields = rule.referrers.list().iter();
            fields.filter(|spec| spec.gvk.selects(gvk)).map(|spec| (&rule.target, spec))
        })
        .collect()
}

/// An object whose references are followed.
struct Referrer<'a> {
    known: &'a Known,
    at: usize,
    /// Namespaces of service accounts that a role binding names.
    namespaces: Vec<String>,
    /// Group and kind that `roleRef` names.
    role: Option<Gvk>,
}

/// Stands in a message for the object that refers, which is being changed when the message is made.
const REFERRER: &str = "\0referrer\0";

/// Whether two candidates would be written the same.
type Same = fn(&Facts, &Facts) -> bool;

impl<'a> Referrer<'a> {
    fn new(known: &'a Known, at: usize, object: &Node) -> Result<Self> {
        let namespaces = match known.facts[at].gvk.kind.as_str() {
            "RoleBinding" => account_namespaces(object, &known.facts[at])?,
            _ => Vec::new(),
        };
        Ok(Self { known, at, namespaces, role: role_of(object) })
    }

    fn facts(&self) -> &'a Facts {
        &self.known.facts[self.at]
    }

    /// Updates the fields of one rule.
    fn follow(
        &self,
        object: &mut Node,
        rule: &Rule<'_>,
        touch: Touch,
        resources: &ResMap,
    ) -> Result<()> {
        let mut writer = Writer::new(touch);
        let mut set =
            |writer: &mut Writer, node: &mut Node| self.set(writer, node, rule, resources);
        visit(object, rule.1, Make::Nothing, &mut writer, &mut set).map_err(|mut fault| {
            if fault.text.contains(REFERRER) {
                let mut shown = String::new();
                let _ = emit::canonical(object, &mut shown);
                fault.text = fault.text.replace(REFERRER, &shown);
            }
            let place = format!("'{}' field of '{}'", rule.1.path, self.facts().id());
            fault.wrap(format!("updating name reference in {place}"))
        })
    }

    fn set(
        &self,
        writer: &mut Writer,
        node: &mut Node,
        rule: &Rule<'_>,
        resources: &ResMap,
    ) -> Result<()> {
        if node.is_null() {
            return Ok(());
        }
        match &mut node.data {
            Data::Scalar(_) => self.set_scalar(writer, node, rule, resources),
            Data::Mapping(_) => self.set_mapping(writer, node, rule, resources),
            Data::Sequence(sequence) => {
                for item in sequence.items.iter_mut().filter(|item| !item.is_null()) {
                    match &item.data {
                        Data::Scalar(_) => self.set_scalar(writer, item, rule, resources)?,
                        Data::Mapping(_) => self.set_mapping(writer, item, rule, resources)?,
                        Data::Sequence(_) => {
                            let text = "is expected to be either a string or a map of string";
                            return Err(Fault::new("bad-reference", text).at(item.span, ""));
                        }
                    }
                }
                Ok(())
            }
        }
    }

    fn set_scalar(
        &self,
        writer: &mut Writer,
        node: &mut Node,
        rule: &Rule<'_>,
        resources: &ResMap,
    ) -> Result<()> {
        if self.known.is_unchanged() {
            return Ok(());
        }
        let name = node.text().unwrap_or_default();
        let candidates = self.reachable(name);
        let same: Same = |left, right| left.name == right.name;
        match self.select(candidates, name, rule, same, node, resources)? {
            Some(found) if found.name != name => {
                writer.scalar(node, &found.name, Tag::Unresolved, Some(found.name_span))
            }
            _ => Ok(()),
        }
    }

    fn set_mapping(
        &self,
        writer: &mut Writer,
        node: &mut Node,
        rule: &Rule<'_>,
        resources: &ResMap,
    ) -> Result<()> {
        let Some(name) = node.get("name").map(|name| name.text().unwrap_or_default()) else {
            let text = "path config error; no 'name' field in node";
            return Err(Fault::new("bad-reference", text).at(node.span, "no `name` here"));
        };
        let candidates = match node.get("namespace") {
            None => self.reachable(name),
            Some(namespace) => self.reachable_in(name, namespace.text().unwrap_or_default()),
        };
        let same: Same = |left, right| left.name == right.name && left.namespace == right.namespace;
        let Some(found) = self.select(candidates, name, rule, same, node, resources)? else {
            return Ok(());
        };
        if found.name == name && found.namespace.is_empty() {
            return Ok(());
        }
        let span = (found.name != name).then_some(found.name_span);
        if let Some(place) = node.get_mut("name") {
            writer.scalar(place, &found.name, Tag::Unresolved, span)?;
        }
        if found.namespace.is_empty() {
            return Ok(());
        }
        match node.get_mut("namespace") {
            Some(place) if place.text() == Some(&found.namespace) => Ok(()),
            Some(place) if place.as_scalar().is_some() => {
                let span = Some(found.namespace_span);
                writer.scalar(place, &found.namespace, Tag::Unresolved, span)
            }
            _ => {
                let value = Str { text: found.namespace.clone(), span: found.namespace_span };
                writer.entry(node, "namespace", &value, Bond::NONE)
            }
        }
    }

    /// The objects that had a name and that this one could refer to, in order.
    fn reachable(&self, name: &str) -> Vec<usize> {
        let referrer = self.facts();
        if referrer.is_cluster_scoped {
            return self.known.named(name);
        }
        let mut found = self.known.named_in(name, &referrer.effective);
        found.extend(self.known.named_in(name, crate::resource::NO_NAMESPACE));
        for namespace in &self.namespaces {
            let more = self.known.named_in(name, crate::resmap::effective(namespace));
            found.extend(
                more.into_iter().filter(|at| self.known.facts[*at].namespace == *namespace),
            );
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Those that were in a namespace, or, where nothing was, those that are there now.
    fn reachable_in(&self, name: &str, namespace: &str) -> Vec<usize> {
        let facts = &self.known.facts;
        let mut found = self.reachable(name);
        if self.anything_was_in(namespace) {
            found.retain(|at| facts[*at].original_namespace == namespace);
        } else {
            found.retain(|at| !facts[*at].is_cluster_scoped && facts[*at].effective == namespace);
        }
        found
    }

    /// Whether anything this object could refer to came from a namespace.
    fn anything_was_in(&self, namespace: &str) -> bool {
        let referrer = self.facts();
        if namespace == crate::resource::NO_NAMESPACE {
            return false;
        }
        if referrer.is_cluster_scoped {
            return self.known.any_was_in(namespace);
        }
        let own = [referrer.effective.as_str(), crate::resource::NO_NAMESPACE];
        let accounts = self.namespaces.iter().map(|namespace| crate::resmap::effective(namespace));
        own.into_iter().chain(accounts).any(|current| self.known.was_in(current, namespace))
    }

    /// The object meant, if one of the candidates is.
    fn select(
        &self,
        mut candidates: Vec<usize>,
        name: &str,
        rule: &Rule<'_>,
        same: Same,
        node: &Node,
        resources: &ResMap,
    ) -> Result<Option<&'a Facts>> {
        let (facts, referrer) = (&self.known.facts, self.facts());
        let role = self.role.as_ref().filter(|_| rule.1.path.ends_with("roleRef/name"));
        candidates.retain(|at| {
            let candidate = &facts[*at];
            candidate.had_name(name)
                && candidate.was_selected_by(rule.0)
                && role.is_none_or(|role| candidate.was_selected_by(role))
                && referrer.may_refer_to(candidate)
        });
        if candidates.len() > 1 {
            candidates.retain(|at| referrer.is_renamed_like(&facts[*at], true));
        }
        if candidates.len() > 1 {
            candidates.retain(|at| referrer.is_renamed_like(&facts[*at], false));
        }
        let Some(first) = candidates.first().map(|at| &facts[*at]) else { return Ok(None) };
        if candidates.iter().all(|at| same(first, &facts[*at])) {
            return Ok(Some(first));
        }
        Err(self.ambiguous(&candidates, name, node, resources))
    }

    /// The error of a name that could mean several objects.
    fn ambiguous(
        &self,
        candidates: &[usize],
        name: &str,
        node: &Node,
        resources: &ResMap,
    ) -> Box<Fault> {
        let facts = &self.known.facts;
        let ids: Vec<String> = candidates.iter().map(|at| facts[*at].id().to_string()).collect();
        let mut text = format!("found multiple possible referrals: {}\n", ids.join(", "));
        text.push_str("\n**** Too many possible referral targets to referrer:\n");
        text.push_str(REFERRER);
        text.push('\n');
        let mut fault_text = text;
        for (number, at) in candidates.iter().enumerate() {
            fault_text.push_str(&format!("--- possible referral {number}:\n"));
            let node = crate::metadata::with_books(resources.get(*at));
            let _ = emit::canonical(&node, &mut fault_text);
            fault_text.push('\n');
        }
        let mut fault = Fault::new("ambiguous-reference", fault_text)
            .saying(format!("`{name}` could mean several objects"))
            .at(node.span, "this reference");
        for at in candidates.iter().take(5) {
            fault = fault.at(resources.get(*at).node.span, format!("`{}`", facts[*at].name));
        }
        fault
    }
}

/// The namespaces of the service accounts that a role binding names.
fn account_namespaces(object: &Node, facts: &Facts) -> Result<Vec<String>> {
    let subjects = object.get("subjects").and_then(Node::as_sequence).unwrap_or_default();
    let mut found = Vec::new();
    for subject in subjects {
        let Some(namespace) = subject.get("namespace") else { continue };
        if subject.get("kind").and_then(Node::text) != Some("ServiceAccount") {
            continue;
        }
        match namespace.as_str() {
            Some(namespace) => found.push(namespace.to_owned()),
            None => {
                let id = gotext::quote(&facts.id().to_string());
                let text = format!("Invalid Input: namespace is blank for resource {id}\n");
                return Err(Fault::new("blank-namespace", text).at(namespace.span, "no text here"));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Group and kind of the role that a binding names.
fn role_of(object: &Node) -> Option<Gvk> {
    let role = object.get("roleRef")?;
    let group = role.get("apiGroup")?.text()?;
    let kind = role.get("kind")?.text()?;
    Some(Gvk { group: group.into(), version: Default::default(), kind: kind.into() })
}
