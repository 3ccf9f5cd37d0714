//! Renders, packs and pushes; or copies what somebody else has packed.

use kelson_artifact::{CopyOptions, Descriptor, Metadata, Packed, Store};
use kelson_render::Options;

use super::initialize::{Overlay, Prepared};
use super::validate::Valid;
use super::{BuildOptions, Error, World};
use crate::component::job::on_thread;
use crate::component::patched::Patched;
use crate::{Input, Package, PackageError, PackageOptions, package};

/// What was made.
pub(super) struct Made {
    pub(super) descriptor: Descriptor,
    pub(super) objects: usize,
    pub(super) warnings: Vec<String>,
}

pub(super) async fn exec(
    prepared: Prepared,
    valid: &Valid<'_>,
    world: &World,
    options: &BuildOptions,
) -> Result<Made, Error> {
    let to = world.store(valid.registry, &valid.destination)?;
    let tags: Vec<String> = valid.destination.tag.iter().cloned().collect();
    match prepared {
        Prepared::Artifact { store, pinned } => {
            let copy = CopyOptions { watch: options.watch.clone(), ..CopyOptions::default() };
            let copied = kelson_artifact::copy(&store, &pinned, &to, &tags, &copy).await?;
            Ok(Made { descriptor: copied.descriptor, objects: 0, warnings: Vec::new() })
        }
        Prepared::Inline { manifest, metadata } => {
            let package_options = package_options(metadata, options);
            let packed = on_thread(&world.rendering, move || {
                let input = Input::Text { name: "manifest.yaml", text: &manifest };
                package(input, &package_options).map(Ready::from)
            });
            push(packed.await?, &to, &tags, options).await
        }
        Prepared::Overlay(overlay) => {
            let mut package_options = package_options(overlay.metadata.clone(), options);
            let engine = &mut package_options.render.kustomize;
            engine.root_only = overlay.root_only;
            engine.enable_helm = overlay.enable_helm;
            let packed = on_thread(&world.rendering, move || {
                build_overlay(&overlay, &package_options).map(Ready::from)
            });
            push(packed.await?, &to, &tags, options).await
        }
    }
}

fn build_overlay(overlay: &Overlay, options: &PackageOptions) -> Result<Package, PackageError> {
    if overlay.patches.is_empty() {
        let tree = &*overlay.tree;
        return package(Input::Tree { tree, root: &overlay.root }, options);
    }
    let tree = Patched::new(&*overlay.tree, &overlay.root, &overlay.patches);
    package(Input::Tree { tree: &tree, root: tree.root() }, options)
}

fn package_options(metadata: Metadata, options: &BuildOptions) -> PackageOptions {
    PackageOptions {
        render: Options { places: true, ..Options::default() },
        form: options.form,
        metadata,
        recipients: options.recipients.clone(),
        decrypted: false,
    }
}

/// What is pushed, without the texts that it was made of: many builds may wait here for a registry.
struct Ready {
    packed: Packed,
    objects: usize,
    warnings: Vec<String>,
}

impl From<Package> for Ready {
    fn from(package: Package) -> Self {
        let warnings = package.warnings.into_iter().map(|warning| warning.message).collect();
        Self { packed: package.packed, objects: package.objects, warnings }
    }
}

async fn push(
    ready: Ready,
    to: &Store,
    tags: &[String],
    options: &BuildOptions,
) -> Result<Made, Error> {
    let pushed = ready.packed.push(to, tags, &options.watch).await?;
    let Ready { objects, warnings, .. } = ready;
    Ok(Made { descriptor: pushed.descriptor, objects, warnings })
}
