//! The tree: one owned value, free of lifetimes, that every stage reads and rewrites.

use compact_str::CompactString;

/// The text of a scalar: up to 24 bytes are kept in place, longer ones on the heap.
pub type Text = CompactString;

/// One value of a document, with the place it was written at.
#[derive(Clone, Debug)]
pub struct Node {
    /// What the node is.
    pub data: Data,
    /// Where its value was written.
    pub span: Span,
    /// What changed it last, if anything did.
    pub touch: Touch,
    /// Which other nodes of the document are the same value, if any are.
    pub bond: Bond,
    extra: Option<Box<Extra>>,
}

/// What few nodes have, kept out of the way of the many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Extra {
    tag: Option<Text>,
    /// Whether the tag was written, rather than found from the text.
    tagged: bool,
    /// While a document is being read: the number of the anchor it has, or of the one it stands for.
    anchor: Option<u32>,
    alias: Option<u32>,
}

/// What the tags of YAML's own begin with when written out.
pub(crate) const CORE_TAGS: &str = "tag:yaml.org,2002:";

/// The three shapes of a node. Aliases are resolved when a document is read.
#[derive(Clone, Debug)]
pub enum Data {
    /// A single value.
    Scalar(Scalar),
    /// A list.
    Sequence(Sequence),
    /// Keys with values, in the order written.
    Mapping(Mapping),
}

/// A single value, kept as its text; what it means follows from tag and style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text without quotes and escapes.
    pub text: Text,
    /// Its type, where known.
    pub tag: Tag,
    /// How it was written.
    pub style: Style,
}

/// A list of nodes.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The elements.
    pub items: Vec<Node>,
    /// Written as `[a, b]`.
    pub flow: bool,
}

/// Keys with values, in the order written. Keys may repeat: whoever reads a document decides
/// whether that is an error.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// The pairs.
    pub entries: Vec<Entry>,
    /// Written as `{a: b}`.
    pub flow: bool,
}

/// One key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key, nearly always a scalar.
    pub key: Node,
    /// The value.
    pub value: Node,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Not decided: a plain text is resolved when it is asked for or written.
    #[default]
    Unresolved,
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number with a fraction or an exponent.
    Float,
    /// Text.
    Str,
    /// A date or a point in time.
    Timestamp,
    /// Bytes in base64, `!!binary`.
    Binary,
    /// The key `<<`.
    Merge,
    /// A tag of the document's own; [`Node::custom_tag`] has its name.
    Other,
}

impl Tag {
    /// Its short name, such as `!!int`; nothing where there is none to name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool => "!!bool",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Str => "!!str",
            Self::Timestamp => "!!timestamp",
            Self::Binary => "!!binary",
            Self::Merge => "!!merge",
            Self::Unresolved | Self::Other => "",
        }
    }
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes.
    #[default]
    Plain,
    /// In single quotes.
    SingleQuoted,
    /// In double quotes.
    DoubleQuoted,
    /// A `|` block.
    Literal,
    /// A `>` block.
    Folded,
    /// Text that begins with a place for a template to fill, such as `{{.x}}`, written without quotes.
    Place,
}

/// A text that was read, by its number in the reader's table of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

impl SourceId {
    /// The source of nodes that no text gave.
    pub const NONE: Self = Self(u32::MAX);
}

/// A place in a source: its number and a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Which text.
    pub source: SourceId,
    /// The offset of the first byte.
    pub start: u32,
}

impl Span {
    /// The place of a node that no text gave.
    pub const NONE: Self = Self { source: SourceId::NONE, start: 0 };
}

/// What changed a node last: an index that the stage which changes nodes gives out, 0 for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Touch(pub u32);

impl Touch {
    /// Nothing changed the node since it was read.
    pub const NONE: Self = Self(0);
}

/// Nodes of one document with the same bond are one value written at several places: whoever
/// changes one in place changes all. 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bond(pub u32);

impl Bond {
    /// A value of its own.
    pub const NONE: Self = Self(0);
}

impl Node {
    /// Makes a node from its data, without a place.
    pub fn new(data: Data) -> Self {
        Self { data, span: Span::NONE, touch: Touch::NONE, bond: Bond::NONE, extra: None }
    }

    /// Makes a scalar.
    pub fn scalar(text: impl Into<Text>, tag: Tag, style: Style) -> Self {
        Self::new(Data::Scalar(Scalar { text: text.into(), tag, style }))
    }

    /// Makes a plain scalar that is text, whatever it looks like.
    pub fn string(text: impl Into<Text>) -> Self {
        Self::scalar(text, Tag::Str, Style::Plain)
    }

    /// Makes an explicit `null`.
    pub fn null() -> Self {
        Self::scalar("null", Tag::Null, Style::Plain)
    }

    /// Makes a list.
    pub fn sequence(items: Vec<Self>) -> Self {
        Self::new(Data::Sequence(Sequence { items, flow: false }))
    }

    /// Makes a mapping.
    pub fn mapping(entries: Vec<Entry>) -> Self {
        Self::new(Data::Mapping(Mapping { entries, flow: false }))
    }

    /// Gives the node a place and what set it.
    #[must_use]
    pub fn at(mut self, span: Span, touch: Touch) -> Self {
        self.span = span;
        self.touch = touch;
        self
    }

    /// The scalar in it, if it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.data {
            Data::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The scalar in it, to be changed.
    pub fn as_scalar_mut(&mut self) -> Option<&mut Scalar> {
        match &mut self.data {
            Data::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text of a scalar, whatever its type.
    pub fn text(&self) -> Option<&str> {
        self.as_scalar().map(|scalar| scalar.text.as_str())
    }

    /// The mapping in it, if it is one.
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match &self.data {
            Data::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The mapping in it, to be changed.
    pub fn as_mapping_mut(&mut self) -> Option<&mut Mapping> {
        match &mut self.data {
            Data::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The elements, if it is a list.
    pub fn as_sequence(&self) -> Option<&[Self]> {
        match &self.data {
            Data::Sequence(sequence) => Some(&sequence.items),
            _ => None,
        }
    }

    /// The elements, to be changed.
    pub fn as_sequence_mut(&mut self) -> Option<&mut Vec<Self>> {
        match &mut self.data {
            Data::Sequence(sequence) => Some(&mut sequence.items),
            _ => None,
        }
    }

    /// The value of a key, if the node is a mapping and has it. The first wins where a key repeats.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_mapping()?.get(key)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        self.as_mapping_mut()?.get_mut(key)
    }

    /// Follows keys downwards.
    pub fn lookup(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The tag written in the document where it is none of YAML's own.
    pub fn custom_tag(&self) -> Option<&str> {
        self.extra.as_ref()?.tag.as_deref()
    }

    /// Records a tag that is none of YAML's own.
    pub fn set_custom_tag(&mut self, tag: impl Into<Text>) {
        let extra = self.extra.get_or_insert_default();
        extra.tag = Some(tag.into());
        extra.tagged = true;
    }

    /// Whether the document spelled its tag out, as in `!!str 12`. Such a tag is written again, whatever
    /// the text looks like, where another is only a conclusion from text and style.
    pub fn is_tagged(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.tagged)
    }

    /// Records whether its tag is to be spelled out.
    pub fn set_tagged(&mut self, tagged: bool) {
        if tagged || self.extra.is_some() {
            self.extra.get_or_insert_default().tagged = tagged;
        }
    }

    /// Whether it is null, explicitly or because nothing was written.
    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(|scalar| scalar.resolved() == Tag::Null)
    }

    /// Its text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        let scalar = self.as_scalar()?;
        (scalar.resolved() == Tag::Str).then_some(scalar.text.as_str())
    }

    pub(crate) fn anchor(&self) -> Option<u32> {
        self.extra.as_ref()?.anchor
    }

    pub(crate) fn set_anchor(&mut self, anchor: Option<u32>) {
        if anchor.is_some() || self.extra.is_some() {
            self.extra.get_or_insert_default().anchor = anchor;
        }
    }

    pub(crate) fn alias(&self) -> Option<u32> {
        self.extra.as_ref()?.alias
    }

    pub(crate) fn set_alias(&mut self, alias: u32) {
        self.extra.get_or_insert_default().alias = Some(alias);
    }
}

impl Mapping {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|entry| entry.key.text() == Some(key)).map(|entry| &entry.value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find(|entry| entry.key.text() == Some(key))
            .map(|entry| &mut entry.value)
    }

    /// Sets a key: in its place where it exists, else at the end. Returns what was there.
    pub fn insert(&mut self, key: Node, value: Node) -> Option<Node> {
        let place = key.text().and_then(|text| self.get_mut(text));
        match place {
            Some(place) => Some(std::mem::replace(place, value)),
            None => {
                self.push(key, value);
                None
            }
        }
    }

    /// Puts a pair at the end. Mappings have few pairs and seldom get many more, so room is made for hardly more than
    /// this one: a large build has as many of them as anything.
    pub fn push(&mut self, key: Node, value: Node) {
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(1 + self.entries.len() / 4);
        }
        self.entries.push(Entry { key, value });
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &str) -> Option<Entry> {
        let index = self.entries.iter().position(|entry| entry.key.text() == Some(key))?;
        Some(self.entries.remove(index))
    }

    /// Whether a key is there.
    pub fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The pairs in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }
}

impl<'a> IntoIterator for &'a Mapping {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
