//! What one build knows while it runs: its inputs, what it has read, and what it has to say.

use std::sync::Arc;

use hashbrown::HashMap;
use kelson_model::{
    Answer, Answers, Diagnostic, FileKind, Need, Request, Sources, Tree, TreeError,
};
use kelson_yaml::{Dialect, Reading, Span, Touch};

use crate::config::TransformerConfig;
use crate::fault::{Fault, Result};
use crate::options::Options;
use crate::schema::Schema;

/// How many kustomizations one build may visit. Bases that list each other twice grow with the power of their
/// depth; nobody has this many.
const VISITS: usize = 100_000;

/// The code of a problem that is none: something is needed first.
pub(crate) const PENDING: &str = "pending";

/// What one build knows while it runs.
pub(crate) struct Context<'a> {
    pub(crate) tree: &'a dyn Tree,
    pub(crate) options: &'a Options,
    answers: &'a Answers,
    pub(crate) sources: Sources,
    files: HashMap<(usize, String), File>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// What is an error because strictness was asked for.
    pub(crate) strict: Vec<Diagnostic>,
    pub(crate) needs: Vec<Need>,
    pub(crate) steps: Vec<Step>,
    /// The schema that decides how lists merge.
    pub(crate) schema: Arc<Schema>,
    pub(crate) schema_is_set: bool,
    /// Whether a kind was met that the built-in tables do not know.
    pub(crate) met_unknown: bool,
    /// Whether a patch was merged, for which upstream reads its schema.
    pub(crate) merged: bool,
    /// The built-in tables, made once.
    pub(crate) tables: TransformerConfig,
    visits: usize,
    clones: usize,
}

/// A transformer or generator that ran: what a node's `touch` stands for.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it is, such as `PatchTransformer`.
    pub name: String,
    /// The kustomization file that asked for it.
    pub file: Arc<str>,
    /// The field, or the entry of a list, that configured it; none for what happens in every build.
    pub span: Span,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Its content as text, if it is.
    pub(crate) text: Option<Arc<str>>,
    /// Its content, if it is no text.
    other: Option<Arc<[u8]>>,
    /// Where it begins.
    pub(crate) at: Span,
}

impl File {
    /// Its content, byte for byte.
    pub(crate) fn bytes(&self) -> &[u8] {
        match (&self.other, &self.text) {
            (Some(bytes), _) => bytes,
            (None, Some(text)) => text.as_bytes(),
            (None, None) => &[],
        }
    }

    /// Whether its text is its content, which UTF-16 is to a reader of YAML alone.
    pub(crate) fn is_plain_text(&self) -> bool {
        self.other.is_none()
    }

    /// Its text for a reader of YAML; go-yaml's words where it is none.
    pub(crate) fn yaml(&self) -> Result<&str> {
        self.text.as_deref().ok_or_else(|| {
            let error = kelson_yaml::decode(self.bytes()).err();
            let message = error.map(|error| error.message).unwrap_or_default();
            Fault::new("bad-yaml", format!("yaml: {message}")).at(self.at, message)
        })
    }
}

impl<'a> Context<'a> {
    /// A build that has read nothing yet.
    pub(crate) fn new(tree: &'a dyn Tree, options: &'a Options, answers: &'a Answers) -> Self {
        Self {
            tree,
            options,
            answers,
            sources: Sources::default(),
            files: HashMap::new(),
            warnings: Vec::new(),
            strict: Vec::new(),
            needs: Vec::new(),
            steps: Vec::new(),
            schema: Arc::default(),
            schema_is_set: false,
            met_unknown: false,
            merged: false,
            tables: TransformerConfig::builtin(),
            visits: 0,
            clones: 0,
        }
    }

    /// How texts are read in this build.
    pub(crate) fn reading(&self, dialect: Dialect) -> Reading {
        Reading { dialect, places: self.options.places }
    }

    /// Reads a file, once. `place` tells trees apart and `name` is what people call the file.
    pub(crate) fn read(
        &mut self,
        tree: &dyn Tree,
        place: usize,
        path: &str,
        name: impl FnOnce() -> String,
    ) -> std::result::Result<File, TreeError> {
        if let Some(file) = self.files.get(&(place, path.to_owned())) {
            return Ok(file.clone());
        }
        let bytes = tree.read(path)?;
        let file = self.keep(name(), bytes);
        self.files.insert((place, path.to_owned()), file.clone());
        Ok(file)
    }

    /// Takes a text into the table of sources.
    pub(crate) fn keep(&mut self, name: String, bytes: Arc<[u8]>) -> File {
        let text: Option<Arc<str>> = kelson_yaml::decode(&bytes).ok().map(Arc::from);
        let shown = text.clone().unwrap_or_else(|| Arc::from(""));
        let id = self.sources.add(name, shown);
        let is_plain = text.as_deref().is_some_and(|text| text.as_bytes() == &*bytes);
        let other = (!is_plain).then_some(bytes);
        File { text, other, at: Span { source: id, start: 0 } }
    }

    /// The answer to a request, or the need for one.
    pub(crate) fn answer(&mut self, request: Request, asked: Span) -> Result<Answer> {
        if let Some(answer) = self.answers.get(&request) {
            return Ok(answer.clone());
        }
        let place = self.sources.place(asked);
        let need = Need {
            request,
            file: place.map(|place| place.name.to_owned()).unwrap_or_default(),
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
        };
        if !self.needs.iter().any(|known| known.request == need.request) {
            self.needs.push(need);
        }
        Err(Fault::new(PENDING, "something is needed first").at(asked, ""))
    }

    /// Notes a transformer or generator and returns its number.
    pub(crate) fn step(&mut self, name: &str, file: &Arc<str>, span: Span) -> Touch {
        self.steps.push(Step { name: name.to_owned(), file: Arc::clone(file), span });
        Touch(u32::try_from(self.steps.len()).unwrap_or(u32::MAX))
    }

    /// Notes a problem that counts only where strictness was asked for.
    pub(crate) fn note_strict(&mut self, fault: impl FnOnce() -> Box<Fault>) {
        if self.options.strict {
            self.strict.push(fault().into_diagnostic());
        }
    }

    /// Counts a visit to a kustomization.
    pub(crate) fn visit(&mut self) -> Result<()> {
        self.visits += 1;
        if self.visits > VISITS {
            let text = format!("more than {VISITS} kustomizations in one build");
            return Err(Fault::new("too-many-kustomizations", text));
        }
        Ok(())
    }

    /// A number for a tree that was fetched.
    pub(crate) fn next_clone(&mut self) -> usize {
        self.clones += 1;
        self.clones
    }
}

/// What a path of a tree leads to, in upstream's words where it leads nowhere.
pub(crate) fn resolve(
    tree: &dyn Tree,
    path: &str,
) -> std::result::Result<(String, FileKind), String> {
    match tree.resolve(path) {
        Ok(entry) => Ok((entry.path, entry.kind)),
        Err(error) => Err(format!("evalsymlink failure on '{path}' : {}", why(tree, path, &error))),
    }
}

/// The first part of a path that is not there, as `lstat` would say it.
fn why(tree: &dyn Tree, path: &str, error: &TreeError) -> String {
    let mut end = 0;
    while end < path.len() {
        end = path[end + 1..].find('/').map_or(path.len(), |at| end + 1 + at);
        match tree.resolve(&path[..end]) {
            Ok(entry) if entry.kind == FileKind::File && end < path.len() => {
                let next = path[end + 1..].find('/').map_or(path.len(), |at| end + 1 + at);
                return format!("lstat {}: not a directory", &path[..next]);
            }
            Ok(_) => {}
            Err(error) => return format!("lstat {}: {error}", &path[..end]),
        }
    }
    format!("lstat {path}: {error}")
}
