//! `$patch`: what a patch asks for besides merging.

use kelson_yaml::{Data, Mapping, Node};

use super::value::{is_void, name_of, text_of};
use super::{Fault, Result};

const KEY: &str = "$patch";

/// What a patch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Merge,
    Replace,
    Delete,
}

impl Directive {
    /// Takes the directive out of a mapping or a list of the patch.
    ///
    /// In a list it is an element that holds nothing else; with it go all elements that ask for the same, and
    /// those that are empty.
    pub(super) fn take(patch: &mut Node) -> Result<Self> {
        match &mut patch.data {
            Data::Mapping(mapping) => Self::take_from_mapping(mapping),
            Data::Sequence(sequence) => Self::take_from_list(&mut sequence.items),
            Data::Scalar(_) => Ok(Self::Merge),
        }
    }

    /// As [`Directive::take`], but what cannot be understood stays a field like others.
    pub(super) fn take_leniently(patch: &mut Node) -> Self {
        Self::take(patch).unwrap_or(Self::Merge)
    }

    fn take_from_mapping(mapping: &mut Mapping) -> Result<Self> {
        let Some(value) = directive_in(mapping) else { return Ok(Self::Merge) };
        let directive = Self::read(value)?;
        mapping.remove(KEY);
        Ok(directive)
    }

    fn take_from_list(items: &mut Vec<Node>) -> Result<Self> {
        let found = items.iter().find_map(|item| {
            let mapping = item.as_mapping()?;
            Some((mapping, directive_in(mapping)?))
        });
        let Some((mapping, value)) = found else { return Ok(Self::Merge) };
        if mapping.len() > 1 {
            return Ok(Self::Merge);
        }
        let directive = Self::read(value)?;
        let text = text_of(value).to_owned();
        let asks =
            |mapping: &Mapping| directive_in(mapping).is_some_and(|value| text_of(value) == text);
        items.retain(|item| !is_void(item) && !item.as_mapping().is_some_and(asks));
        Ok(directive)
    }

    fn read(value: &Node) -> Result<Self> {
        match text_of(value) {
            "delete" => Ok(Self::Delete),
            "replace" => Ok(Self::Replace),
            "merge" => Ok(Self::Merge),
            other => {
                Err(Fault::new("patch-directive", format!("unknown patch strategy '{other}'"))
                    .at(value.span, "one of delete, replace, merge is understood here"))
            }
        }
    }
}

fn directive_in(mapping: &Mapping) -> Option<&Node> {
    mapping.iter().find(|entry| name_of(&entry.key) == KEY).map(|entry| &entry.value)
}
