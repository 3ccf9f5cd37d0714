//! `kelson tag`: gives an artifact further tags.

use kelson_artifact::{Reference, is_tag};

use crate::exit::Code;
use crate::{json, registry, runtime};

/// Give an artifact further tags.
///
/// Nothing is transferred: the same manifest is known by more names.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The artifact.
    #[arg(value_name = "ARTIFACT", value_parser = registry::reference)]
    artifact: Reference,
    /// The tags to add.
    #[arg(value_name = "TAG", required = true, value_parser = tag)]
    tags: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    registry: registry::Flags,
}

/// Reads a tag.
pub(super) fn tag(text: &str) -> Result<String, String> {
    match is_tag(text) {
        true => Ok(text.to_owned()),
        false => Err("a tag has at most 128 letters, digits, `_`, `.` and `-`".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    runtime::run(async {
        let store = registry::store(
            &arguments.artifact,
            &arguments.registry.client(&[&arguments.artifact])?,
        )?;
        let found = store.find(&arguments.artifact).await?;
        let raw = store.manifest(&found.digest).await?;
        for tag in &arguments.tags {
            store.put_manifest(&raw, Some(tag)).await?;
        }
        let (place, digest) = (store.place(), found.digest);
        let text = match arguments.json {
            true => {
                let tags = arguments.tags.iter().map(|tag| kelson_yaml::Node::string(tag.as_str()));
                json::text(&json::object([
                    ("repository", Some(json::string(&place))),
                    ("digest", Some(json::string(&digest))),
                    ("tags", Some(kelson_yaml::Node::sequence(tags.collect()))),
                ]))?
            }
            false => arguments.tags.iter().map(|tag| format!("{place}:{tag}@{digest}\n")).collect(),
        };
        super::print(&text)?;
        Ok(Code::Done)
    })
}
