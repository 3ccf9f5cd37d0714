//! Places in manifests get their values: `{{.nuon.install.id}}` becomes what a state says.
//!
//! A value is put in as one scalar, whatever is in it: nothing that it holds becomes structure, and a place inside of it
//! stays as it is. Without quotes it is read as if it had been written there, so that `3` is a number; in quotes it is
//! text.

mod text; // places in one text
mod values; // what they are filled with

use std::collections::HashSet;

use kelson_model::{Object, Sources};
use kelson_yaml::{Data, Mapping, Node, Scalar, Style, Tag};

pub use values::{BadValue, Values};

use text::{Filled, Why};

/// All texts that were filled may have so many bytes together.
const MOST: usize = 64 << 20;

/// So many texts are named that have a place in a place.
const WARNINGS: usize = 20;

/// Why a place was not filled. No value is quoted.
#[derive(Debug, thiserror::Error)]
#[error("{of}: {why}")]
pub struct Unfilled {
    /// The object and the field, with the line where it is known.
    pub of: String,
    /// What is wrong.
    pub why: String,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Filling {
    /// How many places were filled.
    pub places: usize,
    /// What is worth saying.
    pub warnings: Vec<String>,
}

/// Fills the places of a text that is no manifest, such as a namespace.
///
/// # Errors
///
/// Fails where a place cannot be filled.
pub fn fill_text(name: &str, text: &str, values: &Values) -> Result<String, Unfilled> {
    let mut budget = MOST;
    let wrong = |why: Why| Unfilled { of: format!("`{name}`"), why: why.to_string() };
    let filled = text::fill(text, true, values, &mut budget).map_err(wrong)?;
    Ok(filled.map_or_else(|| text.to_owned(), |filled| filled.text))
}

/// Fills the places of objects. What they are known by may have some, so that it is found out anew.
///
/// # Errors
///
/// Fails at the first place that cannot be filled, and where what was filled is no object any more.
pub fn fill(
    objects: Vec<Object>,
    values: &Values,
    sources: &Sources,
) -> Result<(Vec<Object>, Filling), Unfilled> {
    let mut filling = Filling::default();
    let mut budget = MOST;
    let mut filled = Vec::with_capacity(objects.len());
    for mut object in objects {
        let of = object.id.to_string();
        let mut walk = Walk {
            values,
            sources,
            of,
            path: String::new(),
            budget: &mut budget,
            filling: &mut filling,
        };
        let before = walk.filling.places;
        walk.node(&mut object.node)?;
        if walk.filling.places > before {
            object = Object::new(object.node).map_err(|error| Unfilled {
                of: walk.of,
                why: format!("it is no object once its places are filled: {error}"),
            })?;
        }
        filled.push(object);
    }
    Ok((filled, filling))
}

/// One object on its way.
struct Walk<'a> {
    values: &'a Values,
    sources: &'a Sources,
    /// The object, for people.
    of: String,
    path: String,
    budget: &'a mut usize,
    filling: &'a mut Filling,
}

impl Walk<'_> {
    fn node(&mut self, node: &mut Node) -> Result<(), Unfilled> {
        let mark = self.path.len();
        match &mut node.data {
            Data::Scalar(scalar) => {
                let filled = self.scalar(scalar);
                let span = node.span;
                return filled.map_err(|why| self.wrong(span, &why.to_string()));
            }
            Data::Mapping(mapping) => self.mapping(mapping, mark)?,
            Data::Sequence(sequence) => {
                for (index, item) in sequence.items.iter_mut().enumerate() {
                    self.path.truncate(mark);
                    self.path.push_str(&format!("[{index}]"));
                    self.node(item)?;
                }
            }
        }
        self.path.truncate(mark);
        Ok(())
    }

    fn mapping(&mut self, mapping: &mut Mapping, mark: usize) -> Result<(), Unfilled> {
        let before = self.filling.places;
        for entry in &mut mapping.entries {
            self.path.truncate(mark);
            if mark > 0 {
                self.path.push('.');
            }
            self.path.push_str(entry.key.text().unwrap_or_default());
            let span = entry.key.span;
            if let Data::Scalar(scalar) = &mut entry.key.data {
                let was = scalar.clone();
                self.scalar(scalar).map_err(|why| self.wrong(span, &why.to_string()))?;
                if *scalar != was {
                    // The keys of objects are texts, whatever they look like.
                    (scalar.tag, scalar.style) = (Tag::Str, Style::DoubleQuoted);
                }
            }
            self.node(&mut entry.value)?;
        }
        self.path.truncate(mark);
        if self.filling.places > before {
            let mut seen = HashSet::new();
            let keys = mapping
                .entries
                .iter()
                .filter_map(|entry| Some((entry.key.text()?, entry.key.span)));
            for (key, span) in keys {
                if !seen.insert(key) {
                    return Err(
                        self.wrong(span, "two of its keys are the same once they are filled")
                    );
                }
            }
        }
        Ok(())
    }

    fn scalar(&mut self, scalar: &mut Scalar) -> Result<(), Why> {
        let is_place = scalar.style == Style::Place;
        let Some(filled) = text::fill(&scalar.text, is_place, self.values, self.budget)? else {
            return Ok(());
        };
        let Filled { text, places, nested } = filled;
        self.filling.places += places;
        if nested && self.filling.warnings.len() < WARNINGS {
            self.filling.warnings.push(format!(
                "{}: `{}` was filled with a text that has a place itself; that one is not filled",
                self.of, self.path
            ));
        }
        scalar.text = text.into();
        if is_place {
            (scalar.tag, scalar.style) = (Tag::Unresolved, Style::Plain);
        }
        Ok(())
    }

    fn wrong(&self, span: kelson_yaml::Span, why: &str) -> Unfilled {
        let place = self.sources.place(span);
        let place = place
            .map(|it| format!(" ({}:{})", it.name.trim_start_matches('/'), it.line))
            .unwrap_or_default();
        Unfilled { of: format!("{}: `{}`{place}", self.of, self.path), why: why.to_owned() }
    }
}

#[cfg(test)]
mod tests;
