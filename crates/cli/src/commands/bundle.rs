//! `kelson bundle`: an artifact and its images for a place without a network.

use anyhow::{Context, bail};
use kelson_artifact::registry::Client;
use kelson_artifact::{CopyOptions, Layout, Mapping, Place, Reference, bundle, restore};
use kelson_model::{ImagePath, Object, images, visit_images};
use kelson_yaml::{Dialect, Node, Reading, Span, Text};

use crate::exit::Code;
use crate::progress::{Progress, bytes, count};
use crate::source::{Keys, Source};
use crate::{json, policy, registry, runtime};

/// Put an artifact, its signatures and with --images all images that it names into one layout; --restore brings them out
/// again.
///
/// The layout, a directory or a .tar file, can be carried where there is no network. Restoring pushes the images below
/// the repository that --images-to names, and the artifact to TO; with --rewrite its objects name the images in their
/// new places.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The artifact; with --restore the artifact in the layout.
    #[arg(value_name = "FROM", value_parser = registry::reference)]
    from: Reference,
    /// The layout to write, oci-layout:DIR or oci-layout:FILE.tar; with --restore the artifact to push.
    #[arg(value_name = "TO", value_parser = registry::reference)]
    to: Reference,
    /// Take the images along that the objects name.
    #[arg(long, conflicts_with = "restore")]
    images: bool,
    /// Where a kind names an image, as KIND:spec.agents[].image; may be repeated.
    #[arg(long = "image-path", value_name = "KIND:PATH", value_parser = super::inspect::image_path)]
    image_paths: Vec<ImagePath>,
    /// Restore from a layout.
    #[arg(long)]
    restore: bool,
    /// Push the images below this registry and path; by default below the repository of TO.
    #[arg(long, value_name = "REPOSITORY", requires = "restore")]
    images_to: Option<String>,
    /// Have the objects name the images in their new places; the artifact's digest changes with them.
    #[arg(long, requires = "restore")]
    rewrite: bool,
    /// Bundle only what is signed as the signature options say.
    #[arg(long, conflicts_with = "restore")]
    verify: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    policy: policy::Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let text = runtime::run(async {
        let client = arguments.registry.client(&[&arguments.from, &arguments.to])?;
        match arguments.restore {
            true => unpack(arguments, &client).await,
            false => pack(arguments, &client).await,
        }
    })?;
    super::print(&text)?;
    Ok(Code::Done)
}

/// The layout that a reference names.
fn layout(reference: &Reference) -> anyhow::Result<Layout> {
    match &reference.place {
        Place::Directory(path) => Ok(Layout::directory(path)),
        Place::Tar(path) => Ok(Layout::tar(path)),
        Place::Repository { .. } => {
            bail!("`{reference}` is no layout: oci-layout:DIR or oci-layout:FILE.tar is expected")
        }
    }
}

async fn pack(arguments: &Arguments, client: &Client) -> anyhow::Result<String> {
    let to = layout(&arguments.to)?;
    let store = registry::store(&arguments.from, client)?;
    let mut from = match arguments.verify || arguments.policy.is_given() {
        true => super::verify::pin(&store, &arguments.from, &arguments.policy).await?,
        false => arguments.from.clone(),
    };
    // What is looked into for images is what is bundled, whatever happens to the tag meanwhile.
    from.digest = Some(store.find(&from).await?.digest);
    let images = match arguments.images {
        true => named_images(arguments, &from, client).await?,
        false => Vec::new(),
    };
    let tag = arguments.to.tag.as_ref().or(arguments.from.tag.as_ref());
    let tag = tag.map_or(Reference::LATEST, String::as_str).to_owned();
    let progress = Progress::new();
    let options = CopyOptions { watch: progress.watch(), ..CopyOptions::default() };
    let bundled = bundle(&store, &from, &images, client, &to, &[tag], &options).await?;
    drop(progress);
    let all = || std::iter::once(&bundled.artifact).chain(bundled.images.values());
    let (sent, moved) = (all().map(|it| it.sent).sum::<usize>(), all().map(|it| it.bytes).sum());
    let target = Reference {
        place: arguments.to.place.clone(),
        tag: None,
        digest: Some(bundled.artifact.descriptor.digest),
    };
    if arguments.json {
        let images = bundled.images.iter().map(|(name, copied)| {
            json::object([
                ("image", Some(json::string(name))),
                ("digest", Some(json::string(&copied.descriptor.digest))),
            ])
        });
        return json::text(&json::object([
            ("artifact", Some(json::string(&target))),
            ("images", Some(Node::sequence(images.collect()))),
            ("sent", Some(json::number(sent))),
            ("bytes", Some(json::number(moved as usize))),
        ]));
    }
    let images = count(bundled.images.len(), "image");
    Ok(format!("{target}\n{images}, {sent} blobs and manifests written ({})\n", bytes(moved)))
}

/// The images that the objects of an artifact name.
async fn named_images(
    arguments: &Arguments,
    from: &Reference,
    client: &Client,
) -> anyhow::Result<Vec<Reference>> {
    let source = Source::open(&from.to_string(), client, &arguments.keys).await?;
    let objects = source.objects(&kelson_render::Options::default())?;
    let names = images(&objects, &arguments.image_paths);
    names
        .iter()
        .map(|name| {
            Reference::image(name).with_context(|| format!("the image `{name}` cannot be bundled"))
        })
        .collect()
}

async fn unpack(arguments: &Arguments, client: &Client) -> anyhow::Result<String> {
    registry::store(&arguments.from, client)?;
    let from = layout(&arguments.from)?;
    let prefix = match (&arguments.images_to, &arguments.to.place) {
        (Some(prefix), _) => prefix.trim_start_matches("oci://").to_owned(),
        (None, Place::Repository { host, name }) => format!("{host}/{name}"),
        (None, _) => bail!("say where the images go: --images-to REGISTRY/PATH"),
    };
    let progress = Progress::new();
    let options = CopyOptions { watch: progress.watch(), ..CopyOptions::default() };
    let rewrite = |text: &str, mapping: &Mapping| rewritten(text, mapping, &arguments.image_paths);
    let rewrite = arguments.rewrite.then_some(&rewrite as kelson_artifact::Rewrite<'_>);
    let restored =
        restore(&from, &arguments.from, &arguments.to, &prefix, rewrite, client, &options).await?;
    drop(progress);
    let target = Reference { digest: Some(restored.artifact.digest), ..arguments.to.clone() };
    if arguments.json {
        let images = restored.images.0.iter().map(|(was, is)| {
            json::object([("from", Some(json::string(was))), ("to", Some(json::string(is)))])
        });
        return json::text(&json::object([
            ("artifact", Some(json::string(&target))),
            ("images", Some(Node::sequence(images.collect()))),
            ("sent", Some(json::number(restored.sent))),
            ("skipped", Some(json::number(restored.skipped))),
            ("bytes", Some(json::number(restored.bytes as usize))),
        ]));
    }
    let mut text = format!("{target}\n");
    for (was, is) in &restored.images.0 {
        text.push_str(&format!("{was} → {is}\n"));
    }
    let (sent, moved, skipped) = (restored.sent, bytes(restored.bytes), restored.skipped);
    Ok(text + &format!("{sent} sent ({moved}), {skipped} there already\n"))
}

/// A text of objects with every image in its new place.
fn rewritten(text: &str, mapping: &Mapping, paths: &[ImagePath]) -> Result<String, String> {
    let reading = Reading { dialect: Dialect::V3, places: true };
    let documents =
        kelson_yaml::documents(text, Span::NONE, reading).map_err(|error| error.message.clone())?;
    let mut out = String::new();
    // The separator behind the last object opens a document with nothing in it.
    for node in documents.into_iter().filter(|node| !node.is_null()) {
        let mut object = Object::new(node).map_err(|error| error.to_string())?;
        visit_images(&mut object, paths, &mut |image| {
            let new = image.as_str().and_then(|name| mapping.find(name)).map(Text::from);
            if let (Some(new), Some(scalar)) = (new, image.as_scalar_mut()) {
                scalar.text = new;
            }
        });
        kelson_yaml::emit::canonical(&object.node, &mut out)
            .map_err(|error| error.message.clone())?;
        out.push_str("---\n");
    }
    Ok(out)
}
