//! Strategic merge: a patch is laid over an object, lists with merge keys element by element.
//!
//! The walk is that of kustomize, whose habits reach further than the patched fields: the whole object is
//! visited. Fields that are null without saying so vanish, lists with keys lose duplicates, and a value keeps
//! the style of the one it replaces, which can make a number text.

mod directive; // `$patch`
mod keyed; // a list whose elements are found by their keys
mod list; // merging two lists with keys
#[cfg(test)]
mod tests;
mod tuple; // the keys of elements
mod unify; // which keys mean the same
mod value; // small questions about one node

use kelson_yaml::{Data, Entry, Mapping, Node, Touch};

use crate::fault::{Fault, Result};
use crate::schema::{Schema, SchemaRef};
use directive::Directive;
use list::Side;
use value::{is_null, name_of};

/// What became of the object a patch was laid over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merged {
    /// It is there still, changed or not.
    Kept,
    /// The patch asked for it to be deleted.
    Deleted,
}

/// Lays a patch over an object. New elements come first in lists with keys.
///
/// A patch that asks to replace the whole object leaves it as it is: so does kustomize, which computes the
/// replacement and drops it.
pub(crate) fn merge(
    dest: &mut Node,
    patch: &Node,
    schema: &Schema,
    touch: Touch,
) -> Result<Merged> {
    let walk = Walk { schema, touch, growth: Growth::Front };
    match walk.both(dest, &mut patch.clone(), None)? {
        Outcome::Dest | Outcome::Origin => Ok(Merged::Kept),
        Outcome::Nothing => Ok(Merged::Deleted),
    }
}

/// Lays one set of Helm values over another and returns the result, if any is left.
///
/// Values have no schema: mappings merge, lists are replaced. A value that looks like an object, with
/// `apiVersion` and `kind`, is merged as one, and new elements come last.
#[cfg_attr(not(test), expect(dead_code, reason = "charts are rendered elsewhere so far"))]
pub(crate) fn merge_values(
    mut dest: Node,
    patch: &Node,
    schema: &Schema,
    touch: Touch,
) -> Result<Option<Node>> {
    let walk = Walk { schema, touch, growth: Growth::Back };
    let mut patch = patch.clone();
    Ok(match walk.both(&mut dest, &mut patch, None)? {
        Outcome::Dest => Some(dest),
        Outcome::Origin => Some(walk.stamped(&patch)),
        Outcome::Nothing => None,
    })
}

/// One merge.
#[derive(Clone, Copy)]
struct Walk<'s> {
    schema: &'s Schema,
    touch: Touch,
    growth: Growth,
}

/// Where the new elements of a list with keys go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Growth {
    Front,
    Back,
}

/// Which node is the result of laying one over another; both were changed in place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Dest,
    Origin,
    Nothing,
}

/// What a node without a counterpart is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Part of the object that the patch does not name.
    Unpatched,
    /// The top of what the patch adds.
    Added,
    /// Something further down in what the patch adds.
    Inside,
}

impl Role {
    /// The role of what lies in such a node.
    fn below(self) -> Self {
        if self == Self::Unpatched { self } else { Self::Inside }
    }
}

type Known<'s> = Option<SchemaRef<'s>>;

impl<'s> Walk<'s> {
    /// Lays `origin`, the patch, over `dest`.
    fn both(self, dest: &mut Node, origin: &mut Node, known: Known<'s>) -> Result<Outcome> {
        if is_null(dest) {
            let kept = self.alone(origin, Role::Added, known)?;
            return Ok(if kept { Outcome::Origin } else { Outcome::Nothing });
        }
        if is_null(origin) {
            return Ok(Outcome::Nothing);
        }
        value::take_over_flow(dest, origin);
        match (&mut dest.data, &mut origin.data) {
            (Data::Mapping(_), Data::Mapping(_)) => self.mappings(dest, origin, known),
            (Data::Scalar(_), Data::Scalar(_)) => Ok(Outcome::Origin),
            (Data::Sequence(_), Data::Sequence(_)) => self.sequences(dest, origin, known),
            (data, _) => Err(value::wrong_kind(value::kind_of(data), origin)),
        }
    }

    /// Visits a node that has no counterpart; tells whether it stays.
    fn alone(self, node: &mut Node, role: Role, known: Known<'s>) -> Result<bool> {
        match &node.data {
            // A null that is spelled out stays where nobody patches it; one that is not goes.
            Data::Scalar(scalar) if is_null(node) => {
                Ok(role == Role::Unpatched && !scalar.text.is_empty())
            }
            Data::Scalar(_) => Ok(true),
            Data::Mapping(_) => self.lone_mapping(node, role, known),
            Data::Sequence(_) => self.lone_sequence(node, role, known),
        }
    }

    fn lone_mapping(self, node: &mut Node, role: Role, known: Known<'s>) -> Result<bool> {
        let directive = match role {
            Role::Unpatched => Directive::Merge,
            Role::Added => Directive::take_leniently(node),
            Role::Inside => Directive::take(node)?,
        };
        if directive == Directive::Delete {
            return Ok(false);
        }
        refuse_unnamed(node, node)?;
        let known = known.or_else(|| self.kind_of(node));
        if let Data::Mapping(mapping) = &mut node.data {
            self.fields(mapping, role.below(), known)?;
        }
        Ok(true)
    }

    fn lone_sequence(self, node: &mut Node, role: Role, known: Known<'s>) -> Result<bool> {
        let Some((keys, elements)) = list::keys_and_elements(known) else { return Ok(true) };
        if role == Role::Inside && Directive::take(node)? == Directive::Delete {
            return Ok(false);
        }
        let side = if role == Role::Unpatched { Side::Missing } else { Side::Same };
        if let Data::Sequence(sequence) = &mut node.data {
            self.elements(&mut sequence.items, side, &keys, elements)?;
        }
        Ok(true)
    }

    fn mappings(self, dest: &mut Node, origin: &mut Node, known: Known<'s>) -> Result<Outcome> {
        let known = known.or_else(|| self.kind_of(dest)).or_else(|| self.kind_of(origin));
        match Directive::take(origin)? {
            Directive::Delete => return Ok(Outcome::Nothing),
            Directive::Replace => {
                refuse_unnamed(origin, origin)?;
                if let Data::Mapping(mapping) = &mut origin.data {
                    self.fields(mapping, Role::Inside, known)?;
                }
                return Ok(Outcome::Origin);
            }
            Directive::Merge => {}
        }
        refuse_unnamed(dest, dest)?;
        refuse_unnamed(origin, dest)?;
        if let (Data::Mapping(dest), Data::Mapping(origin)) = (&mut dest.data, &mut origin.data) {
            self.fields_of_both(dest, origin, known)?;
        }
        Ok(Outcome::Dest)
    }

    fn sequences(self, dest: &mut Node, origin: &mut Node, known: Known<'s>) -> Result<Outcome> {
        let Some((keys, elements)) = list::keys_and_elements(known) else {
            return Ok(Outcome::Origin);
        };
        let directive = Directive::take(origin)?;
        let (Data::Sequence(dest), Data::Sequence(origin)) = (&mut dest.data, &mut origin.data)
        else {
            return Ok(Outcome::Origin);
        };
        match directive {
            Directive::Delete => Ok(Outcome::Nothing),
            Directive::Replace => {
                self.elements(&mut origin.items, Side::Same, &keys, elements)?;
                Ok(Outcome::Origin)
            }
            Directive::Merge => {
                let side = Side::Patch(&mut origin.items);
                self.elements(&mut dest.items, side, &keys, elements)?;
                Ok(Outcome::Dest)
            }
        }
    }

    /// Visits the fields of a mapping that has no counterpart.
    fn fields(self, mapping: &mut Mapping, role: Role, known: Known<'s>) -> Result<()> {
        let mut gone = Vec::new();
        for index in in_order(mapping) {
            let Entry { key, value } = &mut mapping.entries[index];
            let known = field_of(known, key, value);
            if self.alone(value, role, known)? {
                self.quote(value);
            } else {
                gone.push(index);
            }
        }
        drop_entries(mapping, gone);
        Ok(())
    }

    /// Lays the fields of one mapping over those of another, in the order of their names.
    fn fields_of_both(
        self,
        dest: &mut Mapping,
        origin: &mut Mapping,
        known: Known<'s>,
    ) -> Result<()> {
        let mut gone = Vec::new();
        let mut new = Vec::new();
        for (at_dest, at_origin) in paired(dest, origin) {
            let at_origin = at_origin.map(|index| &mut origin.entries[index]);
            match (at_dest, at_origin) {
                (Some(index), Some(Entry { key, value: patch })) => {
                    let value = &mut dest.entries[index].value;
                    let known = field_of(known, key, patch);
                    match self.both(value, patch, known)? {
                        Outcome::Dest => self.quote(value),
                        Outcome::Origin => self.put(value, patch),
                        Outcome::Nothing => gone.push(index),
                    }
                }
                (Some(index), None) => {
                    let Entry { key, value } = &mut dest.entries[index];
                    let known = field_of(known, key, value);
                    if self.alone(value, Role::Unpatched, known)? {
                        self.quote(value);
                    } else {
                        gone.push(index);
                    }
                }
                (None, Some(Entry { key, value: patch })) => {
                    let known = field_of(known, key, patch);
                    if self.alone(patch, Role::Added, known)? {
                        let mut value = self.stamped(patch);
                        self.quote(&mut value);
                        new.push(Entry { key: self.new_key(key), value });
                    }
                }
                (None, None) => {}
            }
        }
        drop_entries(dest, gone);
        dest.entries.reserve_exact(new.len());
        dest.entries.extend(new);
        Ok(())
    }

    /// What is known of a mapping that says itself what it is, wherever it stands.
    fn kind_of(self, node: &Node) -> Known<'s> {
        let text = |name| node.get(name).filter(|value| !is_null(value)).and_then(Node::text);
        let (api_version, kind) = (text("apiVersion")?, text("kind")?);
        self.schema.kind(api_version, kind)
    }
}

/// What is known of a field. Of a scalar nobody asks.
fn field_of<'s>(known: Known<'s>, key: &Node, value: &Node) -> Known<'s> {
    match value.data {
        Data::Scalar(_) => None,
        _ => known?.field(name_of(key)),
    }
}

/// Kustomize fails on a field whose name is empty, wherever it walks; it shows what it was about to change.
fn refuse_unnamed(node: &Node, shown: &Node) -> Result<()> {
    match node.as_mapping() {
        Some(mapping) if mapping.iter().any(|entry| name_of(&entry.key).is_empty()) => {
            Err(value::wrong_kind("ScalarNode", shown))
        }
        _ => Ok(()),
    }
}

/// The places of the fields of a mapping, by name; the first where a name repeats.
fn in_order(mapping: &Mapping) -> Vec<usize> {
    let name = |index: &usize| name_of(&mapping.entries[*index].key);
    let mut order: Vec<usize> = (0..mapping.len()).collect();
    order.sort_by(|a, b| name(a).cmp(name(b)));
    order.dedup_by(|b, a| name(a) == name(b));
    order
}

/// The fields of two mappings by name, each with its places.
fn paired(dest: &Mapping, origin: &Mapping) -> Vec<(Option<usize>, Option<usize>)> {
    let mut origins = in_order(origin).into_iter().peekable();
    let name_at = |index: usize| name_of(&origin.entries[index].key);
    let mut pairs = Vec::with_capacity(dest.len() + origin.len());
    for index in in_order(dest) {
        let name = name_of(&dest.entries[index].key);
        while let Some(before) = origins.next_if(|origin| name_at(*origin) < name) {
            pairs.push((None, Some(before)));
        }
        pairs.push((Some(index), origins.next_if(|origin| name_at(*origin) == name)));
    }
    pairs.extend(origins.map(|index| (None, Some(index))));
    pairs
}

fn drop_entries(mapping: &mut Mapping, mut gone: Vec<usize>) {
    if gone.is_empty() {
        return;
    }
    gone.sort_unstable();
    let mut gone = gone.into_iter().peekable();
    let mut index = 0;
    mapping.entries.retain(|_| {
        let stays = gone.next_if_eq(&index).is_none();
        index += 1;
        stays
    });
}
