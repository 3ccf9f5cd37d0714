//! A list whose elements are found by their keys, in constant time.

use hashbrown::HashMap;
use kelson_yaml::{Data, Node, Text};

use super::tuple::{Tuple, field};
use super::value::{is_void, text_of};

/// A list of elements that live elsewhere.
pub(super) struct Keyed<'k> {
    keys: &'k [&'k str],
    rows: Vec<Row>,
    /// Elements with nothing in them: any change of the list drops them.
    voids: Vec<usize>,
    /// Elements that are not of the shape that has these keys.
    odd: Vec<usize>,
    /// Rows by their texts at some positions, for each set of positions that was asked for. A row that changed
    /// since is found to have done so.
    index: HashMap<Vec<usize>, Rows, foldhash::fast::FixedState>,
}

type Rows = HashMap<Tuple, Vec<usize>, foldhash::fast::FixedState>;

/// Where an element lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Dest(usize),
    Patch(usize),
}

/// An element that stands where no such element can be.
#[derive(Debug)]
pub(super) struct Odd(pub(super) Item);

struct Row {
    item: Item,
    parts: Vec<Option<Text>>,
    fits: bool,
    live: bool,
}

impl<'k> Keyed<'k> {
    /// An empty list. The only key of a list of scalars is the empty text.
    pub(super) fn new(keys: &'k [&'k str]) -> Self {
        let (rows, voids, odd) = (Vec::new(), Vec::new(), Vec::new());
        Self { keys, rows, voids, odd, index: HashMap::default() }
    }

    /// The elements in order.
    pub(super) fn items(&self) -> Vec<Item> {
        self.rows.iter().filter(|row| row.live).map(|row| row.item).collect()
    }

    /// Appends an element.
    pub(super) fn push(&mut self, item: Item, node: &Node) {
        let slot = self.rows.len();
        let row = self.row(item, node);
        for (positions, rows) in &mut self.index {
            if let Some(key) = row.at(positions) {
                rows.entry(key).or_default().push(slot);
            }
        }
        self.rows.push(row);
        self.classify(slot, node);
    }

    /// The first element that has the texts of a tuple; an empty text asks for nothing unless all are empty.
    pub(super) fn find(&mut self, tuple: &Tuple) -> Option<Item> {
        let mut positions: Vec<usize> = given(tuple);
        if positions.is_empty() {
            positions = (0..tuple.len()).collect();
        }
        let slot = self.at(positions, tuple).into_iter().next()?;
        Some(self.rows[slot].item)
    }

    /// Puts an element in the place of all that match, or at the end if there is none.
    pub(super) fn set(&mut self, values: &[Text], item: Item, node: &Node) -> Result<(), Odd> {
        let hits = self.matching(values)?;
        if hits.is_empty() {
            // A null never becomes a new element, though it may replace one.
            if !super::value::is_null(node) {
                self.push(item, node);
            }
            return Ok(());
        }
        for slot in hits {
            self.replace(slot, item, node);
        }
        Ok(())
    }

    /// Takes all elements out that match.
    pub(super) fn remove(&mut self, values: &[Text]) -> Result<(), Odd> {
        for slot in self.matching(values)? {
            self.rows[slot].live = false;
        }
        Ok(())
    }

    /// The rows that have the given texts; an empty text asks only for the key to be there. There may be fewer
    /// texts than keys; if there is none, the list loses all its elements.
    fn matching(&mut self, values: &[Text]) -> Result<Vec<usize>, Odd> {
        for slot in std::mem::take(&mut self.voids) {
            self.rows[slot].live = false;
        }
        let Some(first) = values.first() else {
            *self = Self::new(self.keys);
            return Ok(Vec::new());
        };
        if self.is_primitive() || first.is_empty() {
            self.refuse_odd()?;
        }
        if self.is_primitive() {
            return Ok(self.at(vec![0], values));
        }
        let mut hits = self.at(given(values), values);
        let present = |row: &Row| row.parts[..values.len()].iter().all(Option::is_some);
        hits.retain(|slot| self.rows[*slot].fits && present(&self.rows[*slot]));
        Ok(hits)
    }

    /// The live rows that have exactly these texts at these positions.
    fn at(&mut self, positions: Vec<usize>, values: &[Text]) -> Vec<usize> {
        let key: Tuple = positions.iter().map(|position| values[*position].clone()).collect();
        let holds = |slot: &usize| {
            let row = &self.rows[*slot];
            row.live && row.has(&positions, &key)
        };
        if positions.is_empty() {
            return (0..self.rows.len()).filter(holds).collect();
        }
        if !self.index.contains_key(&positions) {
            let rows = index(&self.rows, &positions);
            self.index.insert(positions.clone(), rows);
        }
        let rows = self.index.get(&positions).and_then(|rows| rows.get(&key));
        let mut slots: Vec<usize> = rows.into_iter().flatten().copied().filter(holds).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// Puts an element into a row, or looks again at one that has changed.
    pub(super) fn replace(&mut self, slot: usize, item: Item, node: &Node) {
        let row = self.row(item, node);
        for (positions, rows) in &mut self.index {
            match row.at(positions) {
                Some(key) if !self.rows[slot].has(positions, &key) => {
                    rows.entry(key).or_default().push(slot);
                }
                _ => {}
            }
        }
        self.rows[slot] = row;
        self.classify(slot, node);
    }

    fn classify(&mut self, slot: usize, node: &Node) {
        if is_void(node) {
            self.voids.push(slot);
        } else if !self.rows[slot].fits {
            self.odd.push(slot);
        }
    }

    fn refuse_odd(&self) -> Result<(), Odd> {
        let odd =
            self.odd.iter().copied().filter(|slot| self.rows[*slot].live && !self.rows[*slot].fits);
        match odd.min() {
            Some(slot) => Err(Odd(self.rows[slot].item)),
            None => Ok(()),
        }
    }

    fn row(&self, item: Item, node: &Node) -> Row {
        let parts = self.keys.iter().map(|key| {
            if key.is_empty() {
                return Some(text_of(node).into());
            }
            field(node, key).map(|value| text_of(value).into())
        });
        let fits = match node.data {
            Data::Scalar(_) => self.is_primitive(),
            Data::Mapping(_) => !self.is_primitive(),
            Data::Sequence(_) => false,
        };
        Row { item, parts: parts.collect(), fits, live: true }
    }

    fn is_primitive(&self) -> bool {
        self.keys.first().is_some_and(|key| key.is_empty())
    }
}

impl Row {
    fn at(&self, positions: &[usize]) -> Option<Tuple> {
        positions.iter().map(|position| self.parts[*position].clone()).collect()
    }

    fn has(&self, positions: &[usize], key: &[Text]) -> bool {
        positions
            .iter()
            .zip(key)
            .all(|(position, text)| self.parts[*position].as_ref() == Some(text))
    }
}

/// The positions that hold text.
fn given(values: &[Text]) -> Vec<usize> {
    (0..values.len()).filter(|position| !values[*position].is_empty()).collect()
}

fn index(rows: &[Row], positions: &[usize]) -> Rows {
    let mut index = Rows::default();
    for (slot, row) in rows.iter().enumerate() {
        if let Some(key) = row.at(positions) {
            index.entry(key).or_default().push(slot);
        }
    }
    index
}
