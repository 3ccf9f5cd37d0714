//! Files become an artifact: rendered, sorted, packed.

mod raw; // files as they are

use kelson_artifact::{Form, Metadata, Packed, Recipient};
use kelson_model::{Diagnostic, Sources, Tree};
use kelson_render::{Failure, Options};

pub use raw::package_files;

/// What is packed.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// A directory or a file of a tree: of the file system, of a repository, of another artifact.
    Tree {
        /// The tree.
        tree: &'a dyn Tree,
        /// The directory or file.
        root: &'a str,
    },
    /// A text that is in no file.
    Text {
        /// What it is called in messages.
        name: &'a str,
        /// The text.
        text: &'a str,
    },
}

/// What a caller can choose about a package.
#[derive(Clone, Default)]
pub struct PackageOptions {
    /// How the input is rendered.
    pub render: Options,
    /// Whose form the artifact has.
    pub form: Form,
    /// What is said of it.
    pub metadata: Metadata,
    /// Whom it is encrypted for; nobody for an artifact that everybody can read.
    pub recipients: Vec<Recipient>,
    /// Whether anything in the input was encrypted and no longer is.
    pub decrypted: bool,
}

/// An artifact, and how it came about.
#[derive(Clone, Debug)]
pub struct Package {
    /// The artifact.
    pub packed: Packed,
    /// How many objects it has.
    pub objects: usize,
    /// How many of them are encrypted.
    pub sealed: usize,
    /// What is worth saying about the rendering.
    pub warnings: Vec<Diagnostic>,
    /// The texts that were read.
    pub sources: Sources,
}

/// Why there is no package.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The input could not be rendered.
    #[error("{}", summary(.0))]
    Render(Failure),
    /// The result could not be packed.
    #[error("the objects could not be packed")]
    Pack(#[source] kelson_artifact::Error),
    /// A file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// Which one.
        path: String,
        /// Why not.
        source: kelson_model::TreeError,
    },
    /// There is more than an artifact is made of.
    #[error("there are more than {files} files or {bytes} bytes to pack")]
    TooLarge {
        /// How many files may be.
        files: usize,
        /// How many bytes may be.
        bytes: usize,
    },
    /// There was nothing to pack.
    #[error("there is nothing to pack")]
    Empty,
    /// What was encrypted would be readable for everybody.
    #[error(
        "this content was decrypted on the way, so that anybody could read it in the artifact; encrypt the artifact for its readers with --age-recipient, or leave the content encrypted"
    )]
    Decrypted,
}

/// Renders the input and packs the objects in the order of their application.
///
/// # Errors
///
/// Fails where the input cannot be rendered or packed, and refuses to give away what was encrypted.
pub fn package(input: Input<'_>, options: &PackageOptions) -> Result<Package, PackageError> {
    if options.decrypted && options.recipients.is_empty() {
        return Err(PackageError::Decrypted);
    }
    let render = &options.render;
    let mut build = match input {
        Input::Tree { tree, root } => crate::render(tree, root, render),
        Input::Text { name, text } => {
            crate::render(&kelson_render::implicit(name, text), "/", render)
        }
    }
    .map_err(PackageError::Render)?;
    if build.objects.is_empty() {
        return Err(PackageError::Empty);
    }
    let yaml = kelson_render::to_apply_yaml(&mut build).map_err(PackageError::Render)?;
    let packed =
        kelson_artifact::pack_objects(&yaml, options.form, &options.metadata, &options.recipients)
            .map_err(PackageError::Pack)?;
    let sealed =
        build.objects.iter().filter(|object| kelson_render::is_sealed(&object.node)).count();
    let objects = build.objects.len();
    Ok(Package { packed, objects, sealed, warnings: build.warnings, sources: build.sources })
}

/// What a failure says first, with its place.
pub(crate) fn summary(failure: &Failure) -> String {
    let Some(first) = failure.diagnostics.first() else { return "the rendering failed".to_owned() };
    let place = first.labels.first().and_then(|label| failure.sources.place(label.span));
    match place {
        Some(place) => {
            format!("{}:{}:{}: {}", place.name, place.line, place.column, first.message)
        }
        None => first.message.clone(),
    }
}
