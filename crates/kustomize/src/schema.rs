//! What is known of the fields of a kind: which lists are merged by key, and where a kind lives.
//!
//! A [`Schema`] is a value that the build hands down. It starts from the tables of [`builtin`]; an `openapi.path`
//! document takes their place, or stands beside them.

mod builtin;

use kelson_yaml::Node;

use crate::id::Gvk;
use crate::openapi::Document;

/// All that a build knows of kinds.
#[derive(Debug)]
pub(crate) struct Schema {
    custom: Option<(Document, Tables)>,
}

/// Where the built-in tables stand once a document of the user's own is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// They give way: what the document does not define has no schema.
    Dropped,
    /// They answer where the document does not: they were in use before it was read.
    Below,
    /// They answer first: they were asked for before the document was, and read after it.
    Above,
}

/// What is known of one node. It is cheap to copy and walks down along with the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaRef<'s> {
    schema: &'s Schema,
    view: View<'s>,
}

/// The three ways to know something.
#[derive(Clone, Copy, Debug)]
enum View<'s> {
    /// A type of the tables.
    Type(&'static Type),
    /// A list of the tables that is merged by key.
    List(&'static [&'static str], Option<&'static Type>),
    /// Part of a document of the user's own.
    Custom(&'s Node),
    /// Known to exist, and nothing more.
    Plain,
}

/// A type of the tables.
#[derive(Debug)]
struct Type {
    /// The fields through which a list with keys is reached.
    fields: &'static [(&'static str, Shape)],
    /// All other fields, separated by spaces.
    plain: &'static str,
}

/// What a field of a [`Type`] holds.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// One value of a type.
    Is(&'static Type),
    /// A list merged by these keys; without keys, a list of scalars merged by value. The type of the
    /// elements is given where more such lists lie below.
    Each(&'static [&'static str], Option<&'static Type>),
}

impl Schema {
    /// The built-in tables alone.
    pub(crate) fn builtin() -> Self {
        Self { custom: None }
    }

    /// A document of the user's own, with or without the tables.
    pub(crate) fn custom(document: Document, tables: Tables) -> Self {
        Self { custom: Some((document, tables)) }
    }

    /// What is known of the objects of a kind, by `apiVersion` and `kind` as an object has them.
    pub(crate) fn kind(&self, api_version: &str, kind: &str) -> Option<SchemaRef<'_>> {
        let custom = || self.document()?.kind(api_version, kind).map(View::Custom);
        let table = || self.table(api_version, kind).map(View::Type);
        let view = match self.tables() {
            Some(Tables::Above) => table().or_else(custom),
            _ => custom().or_else(table),
        };
        view.map(|view| SchemaRef { schema: self, view })
    }

    /// Whether objects of a kind live in a namespace; nothing if the kind is unknown.
    pub(crate) fn is_namespaced(&self, gvk: &Gvk) -> Option<bool> {
        let key = (gvk.kind.as_str(), gvk.group.as_str(), gvk.version.as_str());
        let row = builtin::NAMESPACED.binary_search_by_key(&key, |row| (row.0, row.1, row.2));
        match row {
            Ok(index) => Some(builtin::NAMESPACED[index].3),
            Err(_) => self.document()?.is_namespaced(gvk),
        }
    }

    /// Whether objects of a kind certainly live outside of namespaces. Unknown kinds count as namespaced.
    pub(crate) fn is_cluster_scoped(&self, gvk: &Gvk) -> bool {
        self.is_namespaced(gvk) == Some(false)
    }

    fn document(&self) -> Option<&Document> {
        self.custom.as_ref().map(|(document, _)| document)
    }

    fn tables(&self) -> Option<Tables> {
        self.custom.as_ref().map(|(_, tables)| *tables)
    }

    fn table(&self, api_version: &str, kind: &str) -> Option<&'static Type> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        // Kustomize's own kinds come from a second document, which no `openapi.path` replaces.
        if self.tables() == Some(Tables::Dropped) && group != "kustomize.config.k8s.io" {
            return None;
        }
        let key = (kind, group, version);
        let index = builtin::KINDS.binary_search_by_key(&key, |row| (row.0, row.1, row.2)).ok()?;
        Some(builtin::KINDS[index].3)
    }

    /// A definition of the tables that a document of the user's own refers to.
    fn definition(&self, name: &str) -> Option<&'static Type> {
        if self.tables() == Some(Tables::Dropped) {
            return None;
        }
        let name = name.strip_prefix("io.k8s.")?;
        let index = builtin::DEFINITIONS.binary_search_by_key(&name, |row| row.0).ok()?;
        Some(builtin::DEFINITIONS[index].1)
    }
}

impl Default for Schema {
    fn default() -> Self {
        Self::builtin()
    }
}

impl<'s> SchemaRef<'s> {
    /// What is known of a field, or of the value at a key where all keys hold the same.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        let view = match self.view {
            View::Type(known) => known.field(name)?,
            View::Custom(node) => self.resolve(Document::field(node, name)?)?,
            View::List(..) | View::Plain => return None,
        };
        Some(Self { view, ..self })
    }

    /// What is known of the elements of a list.
    pub(crate) fn elements(self) -> Option<Self> {
        let view = match self.view {
            View::List(_, element) => element.map_or(View::Plain, View::Type),
            View::Custom(node) => self.resolve(Document::elements(node)?)?,
            View::Type(_) | View::Plain => return None,
        };
        Some(Self { view, ..self })
    }

    /// The keys by which a list is merged, none for a list of scalars merged by value; nothing if the list
    /// is replaced as a whole.
    pub(crate) fn merge_keys(self) -> Option<Vec<&'s str>> {
        match self.view {
            View::List(keys, _) => Some(keys.to_vec()),
            View::Custom(node) => Document::merge_keys(node),
            View::Type(_) | View::Plain => None,
        }
    }

    /// Follows references, which may lead from a document into the tables.
    fn resolve(self, node: &'s Node) -> Option<View<'s>> {
        let document = self.schema.document()?;
        let mut node = node;
        // A chain of references longer than this can only be a circle.
        for _ in 0..64 {
            let Some(name) = Document::reference(node) else { return Some(View::Custom(node)) };
            match document.resolve(name) {
                Some(next) => node = next,
                None => return self.schema.definition(name.rsplit('/').next()?).map(View::Type),
            }
        }
        None
    }
}

impl Type {
    fn field(&self, name: &str) -> Option<View<'static>> {
        if let Some((_, shape)) = self.fields.iter().find(|(field, _)| *field == name) {
            return Some(shape.view());
        }
        has_word(self.plain, name).then_some(View::Plain)
    }
}

/// Whether a word is one of those that spaces separate.
fn has_word(words: &str, word: &str) -> bool {
    words.as_bytes().split(|byte| *byte == b' ').any(|field| field == word.as_bytes())
}

impl Shape {
    fn view(self) -> View<'static> {
        match self {
            Self::Is(known) => View::Type(known),
            Self::Each(keys, element) => View::List(keys, element),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(builtin::KINDS.is_sorted_by_key(|row| (row.0, row.1, row.2)));
        assert!(builtin::DEFINITIONS.is_sorted_by_key(|row| row.0));
        assert!(builtin::NAMESPACED.is_sorted_by_key(|row| (row.0, row.1, row.2)));
    }

    #[test]
    fn scope_is_that_of_the_tables_and_then_of_the_document() {
        let paths = r#"{"paths": {
            "/apis/e.com/v1/zones": {"get": {"x-kubernetes-group-version-kind": {"group": "e.com", "version": "v1", "kind": "Zone"}}},
            "/apis/e.com/v1/foos": {"get": {"x-kubernetes-group-version-kind": {"group": "e.com", "version": "v1", "kind": "Foo"}}},
            "/apis/e.com/v1/namespaces/{namespace}/foos": {"get": {"x-kubernetes-group-version-kind": {"group": "e.com", "version": "v1", "kind": "Foo"}}},
            "/api/v1/pods": {"get": {"x-kubernetes-group-version-kind": {"version": "v1", "kind": "Pod"}}}}}"#;
        let root = kelson_yaml::json::read(paths, kelson_yaml::Span::NONE).expect("it is JSON");
        let custom = Schema::custom(Document::new(root), Tables::Dropped);
        let check = |api_version, kind, tables, document| {
            let gvk = Gvk::new(api_version, kind);
            assert_eq!(Schema::builtin().is_namespaced(&gvk), tables, "{kind}");
            assert_eq!(custom.is_namespaced(&gvk), document, "{kind}");
            assert_eq!(custom.is_cluster_scoped(&gvk), document == Some(false), "{kind}");
        };
        check("v1", "Pod", Some(true), Some(true));
        check("v1", "Namespace", Some(false), Some(false));
        check("rbac.authorization.k8s.io/v1", "ClusterRole", Some(false), Some(false));
        check("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", None, None);
        check("e.com/v1", "Foo", None, Some(true));
        check("e.com/v1", "Zone", None, Some(false));
    }

    #[test]
    fn fields_lead_down_to_merge_keys() {
        let keys = |api_version, kind, path: &[&str]| {
            let schema = Schema::builtin();
            let mut known = schema.kind(api_version, kind);
            for step in path {
                known = known.and_then(|known| match *step {
                    "[]" => known.elements(),
                    field => known.field(field),
                });
            }
            known.map(|known| known.merge_keys().map(|keys| keys.join("+")))
        };
        let pod = ["spec", "template", "spec"];
        let path = |rest: &[&'static str]| [&pod[..], rest].concat();
        let some = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(keys("apps/v1", "Deployment", &path(&["containers"])), some("name"));
        let ports = path(&["containers", "[]", "ports"]);
        assert_eq!(keys("apps/v1", "Deployment", &ports), some("containerPort+protocol"));
        assert_eq!(keys("apps/v1", "Deployment", &["metadata", "finalizers"]), some(""));
        assert_eq!(keys("apps/v1", "Deployment", &["spec", "replicas"]), Some(None));
        assert_eq!(keys("apps/v1", "Deployment", &["spec", "unknown"]), None);
        assert_eq!(keys("apps/v2", "Deployment", &[]), None);
    }
}
