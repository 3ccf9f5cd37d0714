//! Finding a place in a document by a JSON pointer.

use kelson_yaml::{Data, Node, Span, Text, Touch};

use super::{Step, is_null};

/// A place: what holds it, and the key or index in that. There may be nothing at it yet.
pub(super) struct Place<'d> {
    holder: &'d mut Node,
    pub(super) key: String,
}

impl<'d> Place<'d> {
    /// Follows a pointer to the last but one of its steps. What stands before the first slash is not looked at.
    pub(super) fn find(document: &'d mut Node, path: &str) -> Option<Self> {
        let (_, path) = path.split_once('/')?;
        let (parents, last) =
            path.rsplit_once('/').map_or((None, path), |(parents, last)| (Some(parents), last));
        let mut holder = document;
        for step in parents.into_iter().flat_map(|parents| parents.split('/')) {
            holder = child(holder, &unescape(step))?;
            if matches!(holder.data, Data::Scalar(_)) {
                return None;
            }
        }
        Some(Self { holder, key: unescape(last) })
    }

    /// What is there. A key that is missing is no error; an index that is out of range is one.
    pub(super) fn get(self) -> Step<Option<&'d Node>> {
        let Self { holder, key } = self;
        match &holder.data {
            Data::Sequence(sequence) => {
                Ok(sequence.items.get(existing(&key, sequence.items.len())?))
            }
            _ => Ok(holder.get(&key)),
        }
    }

    /// Whether something can stand there: any key, or the index of an element.
    pub(super) fn is_valid(&self) -> bool {
        match &self.holder.data {
            Data::Sequence(sequence) => existing(&self.key, sequence.items.len()).is_ok(),
            _ => true,
        }
    }

    /// Puts a value there: at a key, or before an element; `-` is the end.
    pub(super) fn add(self, value: Node, at: (Span, Touch)) -> Step {
        let Data::Sequence(sequence) = &mut self.holder.data else { return self.set(value, at) };
        let length = sequence.items.len();
        if self.key == "-" {
            sequence.items.push(value);
            return Ok(());
        }
        let index = index(&self.key)
            .map_err(|why| format!("value was not a proper array index: '{}': {why}", self.key))?;
        sequence.items.insert(within(index, length + 1)?, value);
        Ok(())
    }

    /// Puts a value in the place of what is there.
    pub(super) fn set(self, value: Node, (span, touch): (Span, Touch)) -> Step {
        match &mut self.holder.data {
            Data::Sequence(sequence) => {
                let index = existing(&self.key, sequence.items.len())?;
                sequence.items[index] = value;
            }
            Data::Mapping(mapping) => {
                mapping.insert(Node::string(Text::from(self.key)).at(span, touch), value);
            }
            Data::Scalar(_) => {}
        }
        Ok(())
    }

    /// Takes out what is there.
    pub(super) fn take(self) -> Step<Node> {
        match &mut self.holder.data {
            Data::Sequence(sequence) => {
                let index = existing(&self.key, sequence.items.len())?;
                Ok(sequence.items.remove(index))
            }
            Data::Mapping(mapping) => match mapping.remove(&self.key) {
                Some(entry) => Ok(entry.value),
                None => {
                    Err(format!("Unable to remove nonexistent key: {}: missing value", self.key))
                }
            },
            Data::Scalar(_) => Err("missing value".into()),
        }
    }
}

fn child<'d>(holder: &'d mut Node, key: &str) -> Option<&'d mut Node> {
    let child = match &mut holder.data {
        Data::Sequence(sequence) => {
            let index = existing(key, sequence.items.len()).ok()?;
            sequence.items.get_mut(index)
        }
        Data::Mapping(mapping) => mapping.get_mut(key),
        Data::Scalar(_) => None,
    };
    child.filter(|child| !is_null(child))
}

/// The index of an element that exists.
fn existing(key: &str, length: usize) -> Step<usize> {
    within(index(key)?, length)
}

/// Counts a negative index from the end, where the last place is -1.
fn within(index: i64, length: usize) -> Step<usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let counted = if index < 0 { index + length } else { index };
    match usize::try_from(counted) {
        Ok(place) if counted < length => Ok(place),
        _ => Err(format!("Unable to access invalid index: {index}: invalid index referenced")),
    }
}

/// Reads a number as Go's `strconv.Atoi` does.
fn index(key: &str) -> Step<i64> {
    let digits = key.strip_prefix(['+', '-']).unwrap_or(key);
    let fail = |why| format!("strconv.Atoi: parsing {key:?}: {why}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(fail("invalid syntax"));
    }
    key.parse().map_err(|_| fail("value out of range"))
}

fn unescape(step: &str) -> String {
    let mut out = String::with_capacity(step.len());
    let mut rest = step;
    while let Some((before, after)) = rest.split_once('~') {
        out.push_str(before);
        let (decoded, skip) = match after.as_bytes().first() {
            Some(b'1') => ('/', 1),
            Some(b'0') => ('~', 1),
            _ => ('~', 0),
        };
        out.push(decoded);
        rest = &after[skip..];
    }
    out.push_str(rest);
    out
}
