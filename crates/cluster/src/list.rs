//! One list, page by page.

mod split; // a page becomes its items

use std::ops::Range;

use kelson_model::Object;
use kelson_plan::{Kind, Listener, Refusal};
use kelson_yaml::{Node, Span};

use crate::Cluster;
use crate::request::{Request, path, unreadable};

/// How many objects a page has.
const LIMIT: usize = 500;
/// How often a list is begun again when a server has forgotten where we were; then all of it is asked for at once.
const RESTARTS: usize = 3;
/// How many pages are read at most, so that no server keeps us for ever.
const MOST: usize = 20_000;
/// Only names, labels and the like.
const METADATA: &str =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// A list that is being read.
pub(crate) struct Pages {
    request: Request,
    limit: usize,
    next: Next,
    restarts: usize,
    read: usize,
}

enum Next {
    Beginning,
    Page(String),
    End,
}

/// A page as it came.
pub(crate) struct Page {
    /// Whether the list begins with it. A list may begin more than once: what came before no longer counts.
    pub(crate) is_first: bool,
    /// The version of the list: whoever watches from here on misses nothing.
    pub(crate) version: String,
    text: String,
    items: Vec<Range<usize>>,
}

impl Pages {
    /// The objects of a kind in a namespace, or with none in all.
    pub(crate) fn of(kind: &Kind, namespace: &str) -> Result<Self, Refusal> {
        let request = Request::get(path(kind, namespace, "")?);
        Ok(Self { request, limit: LIMIT, next: Next::Beginning, restarts: 0, read: 0 })
    }

    /// Only those that a label selector selects.
    pub(crate) fn selected(mut self, selector: &str) -> Self {
        self.request = self.request.with("labelSelector", selector);
        self
    }

    /// Only those that a field selector selects.
    pub(crate) fn with_fields(mut self, selector: &str) -> Self {
        self.request = self.request.with("fieldSelector", selector);
        self
    }

    /// Only their metadata.
    pub(crate) fn metadata(mut self) -> Self {
        self.request = self.request.accepting(METADATA);
        self
    }

    /// In smaller pages.
    pub(crate) fn at_once(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The next page; nothing at the end.
    pub(crate) async fn next(
        &mut self,
        cluster: &Cluster,
        listener: &dyn Listener,
    ) -> Result<Option<Page>, Refusal> {
        loop {
            let (request, is_first) = match &self.next {
                Next::End => return Ok(None),
                Next::Beginning => (self.limited(), true),
                Next::Page(token) => (self.limited().with("continue", token.as_str()), false),
            };
            match cluster.send(&request, listener).await {
                Ok(answer) => return self.take(answer.text, is_first).map(Some),
                Err(refused) if refused.refusal.code == 410 && !is_first => {
                    self.restarts += 1;
                    self.next = Next::Beginning;
                }
                Err(refused) => return Err(refused.refusal),
            }
        }
    }

    fn limited(&self) -> Request {
        match self.restarts < RESTARTS {
            true => self.request.clone().with("limit", self.limit.to_string()),
            false => self.request.clone(),
        }
    }

    fn take(&mut self, text: String, is_first: bool) -> Result<Page, Refusal> {
        let (head, items) = split::split(&text).ok_or_else(unreadable)?;
        let token = head.lookup(&["metadata", "continue"]).and_then(Node::as_str);
        self.read += 1;
        self.next = match token.filter(|token| !token.is_empty()) {
            Some(_) if self.read >= MOST => return Err(unreadable()),
            Some(token) => Next::Page(token.to_owned()),
            None => Next::End,
        };
        let version = head.lookup(&["metadata", "resourceVersion"]).and_then(Node::as_str);
        let version = version.unwrap_or_default().to_owned();
        Ok(Page { is_first, version, text, items })
    }
}

impl Page {
    /// Its objects, read one after the other: all of them as trees would take many times the room of the text.
    pub(crate) fn objects<'a>(
        &'a self,
        kind: &'a Kind,
    ) -> impl Iterator<Item = Result<Object, Refusal>> + 'a {
        self.texts(kind).map(|item| item.map(|(object, _)| object))
    }

    /// Its objects, each with its text.
    pub(crate) fn texts<'a>(
        &'a self,
        kind: &'a Kind,
    ) -> impl Iterator<Item = Result<(Object, &'a str), Refusal>> + 'a {
        let items = self.items.iter().map(|range| &self.text[range.clone()]);
        items.map(|item| Ok((object(item, kind).ok_or_else(unreadable)?, item)))
    }
}

/// An item of a list.
fn object(item: &str, kind: &Kind) -> Option<Object> {
    named(kelson_yaml::json::read(item, Span::NONE).ok()?, kind)
}

/// An object with the name of its kind.
pub(crate) fn named(node: Node, kind: &Kind) -> Option<Object> {
    Object::named(node, &kind.api_version(), &kind.kind)
}
