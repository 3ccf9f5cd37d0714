//! Fields that are left to others: neither sent nor compared.

mod body; // what is sent all the same

use std::fmt;

use kelson_yaml::{Data, Node};

pub(crate) use body::{anew, body};

/// A field: a JSON pointer, where `*` stands for every element or key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldPath {
    segments: Vec<String>,
}

/// A rule of a caller: fields of objects of a kind, `Deployment:/spec/replicas`; `*` stands for all kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The kind.
    pub kind: String,
    /// The field.
    pub path: FieldPath,
}

/// How many steps a path may have. Nothing that a server takes is nested that deep.
const DEEPEST: usize = 100;

/// What tells objects apart: to leave it to others would be to send no object at all.
const IDENTITY: [&[&str]; 4] =
    [&["apiVersion"], &["kind"], &["metadata", "name"], &["metadata", "namespace"]];

impl FieldPath {
    /// Reads a JSON pointer.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err(format!(
                "`{text}` is no JSON pointer: it begins with a slash, as in `/spec/replicas`"
            ));
        };
        let segments = rest.split('/').map(unescape).collect::<Option<Vec<_>>>();
        let segments = segments.ok_or_else(|| {
            format!("`{text}` is no JSON pointer: after `~` comes 0 (for `~`) or 1 (for `/`)")
        })?;
        if segments.len() > DEEPEST {
            return Err(format!("`{text}` has more than {DEEPEST} steps"));
        }
        if segments.iter().any(String::is_empty) {
            return Err(format!("`{text}` has an empty step"));
        }
        let matches = |path: &[&str]| {
            segments.len() <= path.len()
                && segments.iter().zip(path).all(|(one, other)| one == "*" || one == other)
        };
        match IDENTITY.iter().find(|path| matches(path)) {
            Some(path) => Err(format!(
                "`{text}` includes `/{}`, which tells what the object is",
                path.join("/")
            )),
            None => Ok(Self { segments }),
        }
    }

    /// Its steps.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// Takes the field out of a value, wherever it is.
    pub(crate) fn remove(&self, node: &mut Node) {
        remove(node, &self.segments);
    }

    /// Whether a value has the field.
    pub(crate) fn is_in(&self, node: &Node) -> bool {
        is_in(node, &self.segments)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut segments = self.segments.iter();
        segments
            .try_for_each(|it| write!(formatter, "/{}", it.replace('~', "~0").replace('/', "~1")))
    }
}

impl Ignore {
    /// Reads `KIND:/path`.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, path) = text
            .split_once(':')
            .filter(|(kind, _)| !kind.is_empty() && !kind.contains('/'))
            .ok_or_else(|| {
                format!(
                    "`{text}` is not of the form KIND:/path, such as `Deployment:/spec/replicas`"
                )
            })?;
        Ok(Self { kind: kind.to_owned(), path: FieldPath::parse(path)? })
    }

    /// Whether it is about objects of a kind.
    pub(crate) fn is_about(&self, kind: &str) -> bool {
        self.kind == "*" || self.kind == kind
    }
}

fn unescape(segment: &str) -> Option<String> {
    let mut text = String::with_capacity(segment.len());
    let mut letters = segment.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '~' => match letters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(text)
}

fn remove(node: &mut Node, path: &[String]) {
    let Some((segment, rest)) = path.split_first() else { return };
    let last = rest.is_empty();
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Mapping(mapping) => {
            let matches = |key: &Node| segment == "*" || key.text() == Some(segment);
            if last {
                mapping.entries.retain(|entry| !matches(&entry.key));
            } else {
                let entries = mapping.entries.iter_mut().filter(|entry| matches(&entry.key));
                entries.for_each(|entry| remove(&mut entry.value, rest));
            }
        }
        Data::Sequence(sequence) => {
            let wanted = segment.parse::<usize>().ok();
            let matches = |index: usize| segment == "*" || Some(index) == wanted;
            if last {
                let mut index = 0..;
                sequence.items.retain(|_| !index.next().is_some_and(matches));
            } else {
                let items = sequence.items.iter_mut().enumerate();
                items.filter(|(index, _)| matches(*index)).for_each(|(_, item)| remove(item, rest));
            }
        }
    }
}

fn is_in(node: &Node, path: &[String]) -> bool {
    let Some((segment, rest)) = path.split_first() else { return true };
    match &node.data {
        Data::Scalar(_) => false,
        Data::Mapping(mapping) if segment == "*" => {
            mapping.iter().any(|entry| is_in(&entry.value, rest))
        }
        Data::Mapping(mapping) => mapping.get(segment).is_some_and(|node| is_in(node, rest)),
        Data::Sequence(sequence) if segment == "*" => {
            sequence.items.iter().any(|item| is_in(item, rest))
        }
        Data::Sequence(sequence) => {
            let item = segment.parse::<usize>().ok().and_then(|index| sequence.items.get(index));
            item.is_some_and(|item| is_in(item, rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use kelson_yaml::{Dialect, Span, emit, first_document};

    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let text = "{spec: {replicas: 1, c: [{image: a, tty: b}, {image: c}], 'a/b': 1, '~': 2}}";
        let mut node = first_document(text, Span::NONE, Dialect::V3).unwrap().unwrap();
        let path = FieldPath::parse(path).unwrap();
        let before = path.is_in(&node);
        path.remove(&mut node);
        let mut actual = String::new();
        emit::styled(&node, &mut actual).unwrap();
        assert_eq!(actual.trim_end(), expected);
        assert_eq!(before, expected != text, "{path}");
    }

    #[test]
    fn a_pointer_takes_out_what_it_points_at() {
        check("/spec/replicas", "{spec: {c: [{image: a, tty: b}, {image: c}], 'a/b': 1, '~': 2}}");
        check("/spec/c/*/image", "{spec: {replicas: 1, c: [{tty: b}, {}], 'a/b': 1, '~': 2}}");
        check("/spec/c/0", "{spec: {replicas: 1, c: [{image: c}], 'a/b': 1, '~': 2}}");
        check("/spec/a~1b", "{spec: {replicas: 1, c: [{image: a, tty: b}, {image: c}], '~': 2}}");
        check("/spec/~0", "{spec: {replicas: 1, c: [{image: a, tty: b}, {image: c}], 'a/b': 1}}");
        check("/spec/*", "{spec: {}}");
        check(
            "/spec/c/7",
            "{spec: {replicas: 1, c: [{image: a, tty: b}, {image: c}], 'a/b': 1, '~': 2}}",
        );
    }

    #[test]
    fn a_path_that_cannot_be_meant_is_refused() {
        for (text, why) in [
            ("spec", "begins with a slash"),
            ("", "begins with a slash"),
            ("/a~2", "after `~`"),
            ("/a~", "after `~`"),
            ("/", "empty step"),
            ("/a//b", "empty step"),
            ("/kind", "tells what the object is"),
            ("/metadata", "tells what the object is"),
            ("/*", "tells what the object is"),
            ("/metadata/*", "tells what the object is"),
        ] {
            let error = FieldPath::parse(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(FieldPath::parse(&"/a".repeat(101)).is_err());
        assert_eq!(FieldPath::parse("/a~1b/~0").unwrap().to_string(), "/a~1b/~0");
        assert!(Ignore::parse("/spec").is_err());
        assert!(Ignore::parse("Deployment:spec").is_err());
        assert!(Ignore::parse("*:/spec/replicas").unwrap().is_about("Anything"));
    }
}
