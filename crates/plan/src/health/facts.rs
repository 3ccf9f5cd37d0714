//! What an object says of itself, field by field.

use kelson_model::ObjectId;
use kelson_yaml::{Node, Tag, number};

use super::words;

/// An object as the rules look at it.
pub(super) struct Facts<'a> {
    pub(super) node: &'a Node,
    pub(super) group: &'a str,
    pub(super) kind: &'a str,
}

/// A condition of an object's status.
pub(super) struct Condition<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

impl<'a> Facts<'a> {
    pub(super) fn of(node: &'a Node) -> Self {
        let api_version = text(node, &["apiVersion"]).unwrap_or_default();
        Self {
            node,
            group: api_version.split_once('/').map_or("", |(group, _)| group),
            kind: text(node, &["kind"]).unwrap_or_default(),
        }
    }

    pub(super) fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    pub(super) fn id(&self) -> ObjectId {
        ObjectId {
            group: self.group.to_owned(),
            kind: self.kind.to_owned(),
            namespace: self.text(&["metadata", "namespace"]).to_owned(),
            name: self.name().to_owned(),
        }
    }

    pub(super) fn name(&self) -> &'a str {
        self.text(&["metadata", "name"])
    }

    /// A text, empty where there is none.
    pub(super) fn text(&self, path: &[&str]) -> &'a str {
        text(self.node, path).unwrap_or_default()
    }

    /// A whole number; nothing where there is none, or something else.
    pub(super) fn whole(&self, path: &[&str]) -> Option<i64> {
        whole(self.node.lookup(path)?)
    }

    /// A whole number that an object may lack but not have as anything else.
    pub(super) fn number(&self, path: &[&str]) -> Result<Option<i64>, String> {
        match self.node.lookup(path).filter(|node| !node.is_null()) {
            None => Ok(None),
            Some(node) => match whole(node) {
                Some(number) => Ok(Some(number)),
                None => Err(format!("`{}` is no whole number", path.join("."))),
            },
        }
    }

    /// Whether it is on its way out.
    pub(super) fn is_terminating(&self) -> bool {
        !self.text(&["metadata", "deletionTimestamp"]).is_empty()
    }

    /// The conditions in their order.
    pub(super) fn conditions(&self) -> Result<Vec<Condition<'a>>, String> {
        const PATH: [&str; 2] = ["status", "conditions"];
        let Some(list) = self.node.lookup(&PATH).filter(|list| !list.is_null()) else {
            return Ok(Vec::new());
        };
        let items = list.as_sequence().ok_or("`status.conditions` is no list")?;
        items.iter().map(Condition::of).collect()
    }

    /// The first condition of a kind; nothing, too, where the conditions cannot be read.
    pub(super) fn condition(&self, kind: &str) -> Option<Condition<'a>> {
        self.conditions().ok()?.into_iter().find(|condition| condition.kind == kind)
    }
}

impl<'a> Condition<'a> {
    fn of(node: &'a Node) -> Result<Self, String> {
        let field = |key: &str| match node.get(key).filter(|value| !value.is_null()) {
            None => Ok(""),
            Some(value) => {
                string(value).ok_or_else(|| format!("`{key}` of a condition is no text"))
            }
        };
        if node.as_mapping().is_none() {
            return Err("a condition is no object".to_owned());
        }
        Ok(Self {
            kind: field("type")?,
            status: field("status")?,
            reason: field("reason")?,
            message: field("message")?,
        })
    }

    /// Whether it is of a kind and holds.
    pub(super) fn holds(&self, kind: &str) -> bool {
        self.kind == kind && self.status == "True"
    }

    /// Whether it is of a kind and does not hold, which is not the same as that nobody knows.
    pub(super) fn fails(&self, kind: &str) -> bool {
        self.kind == kind && self.status == "False"
    }

    /// Its reason, as it may be shown.
    pub(super) fn word(&self) -> String {
        words::shown(self.reason)
    }

    /// Its message, as it may be shown.
    pub(super) fn shown(&self) -> String {
        words::shown(self.message)
    }
}

/// The text at a path.
pub(super) fn text<'a>(node: &'a Node, path: &[&str]) -> Option<&'a str> {
    string(node.lookup(path)?)
}

/// The text of a scalar. A time is text, too: only a manifest that was read as YAML has another idea of it.
fn string(node: &Node) -> Option<&str> {
    let scalar = node.as_scalar()?;
    matches!(scalar.resolved(), Tag::Str | Tag::Timestamp).then_some(scalar.text.as_str())
}

/// The elements at a path, none where there is no list.
pub(super) fn list<'a>(node: &'a Node, path: &[&str]) -> &'a [Node] {
    node.lookup(path).and_then(Node::as_sequence).unwrap_or_default()
}

/// Whether there is a `true` at a path.
pub(super) fn is_true(node: &Node, path: &[&str]) -> bool {
    let scalar = node.lookup(path).and_then(Node::as_scalar);
    scalar.is_some_and(|scalar| scalar.resolved() == Tag::Bool && scalar.text == "true")
}

/// The value of a whole number.
pub(super) fn whole(node: &Node) -> Option<i64> {
    let scalar = node.as_scalar().filter(|scalar| scalar.resolved() == Tag::Int)?;
    i64::try_from(number::parse_int(&scalar.text)?).ok()
}
