//! `kelson inspect`: what an artifact is and what is in it.

use kelson_artifact::{Description, Reference, describe};
use kelson_model::{ImagePath, Object, images};
use kelson_yaml::{Entry, Node};

use crate::exit::Code;
use crate::source::{Keys, Source, objects};
use crate::{json, registry, runtime};

/// Show an artifact's metadata, its objects and the images that they name.
///
/// What cannot be read as objects, a Helm chart for instance, is described as far as its manifest goes.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The artifact; a directory of its tree is named after //.
    #[arg(value_name = "ARTIFACT")]
    artifact: String,
    /// Print the images alone, a line each.
    #[arg(long, visible_alias = "container-images")]
    images: bool,
    /// Where a kind names an image, as KIND:spec.agents[].image; may be repeated.
    #[arg(long = "image-path", value_name = "KIND:PATH", value_parser = image_path)]
    image_paths: Vec<ImagePath>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    registry: registry::Flags,
}

/// Reads where a kind names an image.
pub(super) fn image_path(text: &str) -> Result<ImagePath, String> {
    ImagePath::parse(text)
        .ok_or_else(|| "KIND:PATH or PATH is expected, as in `P:spec.image`".to_owned())
}

/// What was found out.
struct Inspected {
    description: Description,
    objects: Option<Vec<Object>>,
    images: Vec<String>,
    /// Why there are no objects.
    note: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let (description, source) = runtime::run(async {
        let (name, _) = crate::source::split(&arguments.artifact);
        let reference: Reference = name.parse()?;
        let client = arguments.registry.client(&[&reference])?;
        let store = registry::store(&reference, &client)?;
        let description = describe(&store, &reference).await?;
        let source = match &description.producer {
            Ok(_) => Some(Source::open(&arguments.artifact, &client, &arguments.keys).await),
            Err(_) => None,
        };
        Ok((description, source))
    })?;
    let (objects, note) = match (&description.producer, source) {
        (Err(refusal), _) => (None, Some(refusal.to_string())),
        (Ok(_), Some(Err(error))) => (None, Some(format!("{error:#}"))),
        // A tree need not have anything to render at its root.
        (Ok(_), Some(Ok(source))) => match source.render(&kelson_render::Options::default()) {
            Ok(build) => (Some(objects(build)?), None),
            Err(failure) => (None, failure.diagnostics.first().map(|it| it.message.clone())),
        },
        (Ok(_), None) => (None, None),
    };
    let images = images(objects.as_deref().unwrap_or_default(), &arguments.image_paths);
    let inspected = Inspected { description, objects, images, note };
    let text = match (arguments.json, arguments.images) {
        (true, _) => json::text(&inspected.report())?,
        (false, true) => inspected.images.iter().map(|image| format!("{image}\n")).collect(),
        (false, false) => inspected.text(&arguments.artifact),
    };
    super::print(&text)?;
    Ok(Code::Done)
}

impl Inspected {
    fn text(&self, name: &str) -> String {
        let it = &self.description;
        let mut text = String::new();
        let mut line = |label: &str, value: &str| {
            text.push_str(&format!("{:<12}{value}\n", format!("{label}:")));
        };
        line("Artifact", name);
        line("Digest", &it.descriptor.digest.to_string());
        match &it.producer {
            Ok(producer) => line("Made by", &producer.to_string()),
            Err(_) => line("Type", &it.descriptor.media_type),
        }
        let optional = [
            ("Created", &it.created),
            ("Source", &it.source),
            ("Revision", &it.revision),
            ("Checksum", &it.checksum),
            ("Encrypted", &it.encrypted),
        ];
        for (label, value) in optional {
            if let Some(value) = value {
                line(label, value);
            }
        }
        if let Some(note) = &self.note {
            line("Objects", note);
        }
        if let Some(objects) = &self.objects {
            text.push_str(&format!("Objects ({}):\n", objects.len()));
            for object in objects {
                text.push_str(&format!("  {}\n", object.id));
            }
        }
        if !self.images.is_empty() {
            text.push_str(&format!("Images ({}):\n", self.images.len()));
            for image in &self.images {
                text.push_str(&format!("  {image}\n"));
            }
        }
        text
    }

    fn report(&self) -> Node {
        let it = &self.description;
        let annotations = it.annotations.iter().map(|(key, value)| Entry {
            key: Node::string(key.as_str()),
            value: Node::string(value.as_str()),
        });
        let list = |objects: &Vec<Object>| {
            Node::sequence(objects.iter().map(|object| super::id(&object.id)).collect())
        };
        json::object([
            ("digest", Some(json::string(&it.descriptor.digest))),
            ("mediaType", Some(json::string(&it.descriptor.media_type))),
            ("size", Some(json::number(it.descriptor.size as usize))),
            ("producer", it.producer.as_ref().ok().map(json::string)),
            ("created", it.created.as_ref().map(json::string)),
            ("source", it.source.as_ref().map(json::string)),
            ("revision", it.revision.as_ref().map(json::string)),
            ("checksum", it.checksum.as_ref().map(json::string)),
            ("encrypted", it.encrypted.as_ref().map(json::string)),
            ("annotations", Some(Node::mapping(annotations.collect()))),
            ("note", self.note.as_ref().map(json::string)),
            ("objects", self.objects.as_ref().map(list)),
            ("images", Some(Node::sequence(self.images.iter().map(json::string).collect()))),
        ])
    }
}
