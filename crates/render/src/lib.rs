//! From a tree of files to objects: chooses between an overlay and plain manifests.
//!
//! A directory with a kustomization file is an overlay. A directory without one stands for the manifests in and below
//! it, in the order of their paths; a file for its own objects. Either way one engine reads them, so plain manifests
//! are held to the same rules: each object has a kind and a name, none is there twice, lists stand for their items.

mod choose; // what a path stands for
mod lay; // fields laid over what is rendered already
mod order; // the order in which objects can be applied
mod sealed; // objects that are encrypted

use kelson_model::{Answers, Tree};

use choose::Kind;
pub use choose::{implicit, is_overlay};
pub use kelson_kustomize::{Build, Failure, Object, Outcome};
pub use lay::{Laid, lay};
pub use order::{in_apply_order, to_apply_yaml};
pub use sealed::is_sealed;

/// What a caller can choose about a rendering.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the engine is told.
    pub kustomize: kelson_kustomize::Options,
    /// Whether places that a template fills later, such as `{{.nuon.install.id}}`, may stand without quotes. They come
    /// out as they went in. What kustomize itself refuses is then accepted, so this is nobody's default.
    pub places: bool,
}

/// Renders a directory or a file of a tree.
///
/// What the tree does not have comes back as [`Outcome::Needs`]; with `answers` the rendering goes on.
///
/// # Errors
///
/// Fails where kustomize fails, and where there is nothing to render.
pub fn render(
    tree: &dyn Tree,
    root: &str,
    options: &Options,
    answers: &Answers,
) -> Result<Outcome, Failure> {
    let mut engine = options.kustomize.clone();
    engine.places = options.places;
    let chosen = choose::choose(tree, root)?;
    if chosen.kind == Kind::Plain && engine.reorder == kelson_kustomize::Reorder::Unspecified {
        engine.reorder = kelson_kustomize::Reorder::None;
    }
    kelson_kustomize::build(&chosen, &chosen.root, &engine, answers)
}

#[cfg(test)]
mod tests;
