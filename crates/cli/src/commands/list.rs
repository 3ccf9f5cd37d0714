//! `kelson list`: the artifacts of a repository.

use anyhow::Context;
use futures_util::{StreamExt, TryStreamExt, stream};
use kelson_artifact::{Description, Error, Place, Reference, Store, describe};
use kelson_model::{Range, Version};
use kelson_yaml::Node;
use regex::Regex;

use crate::exit::Code;
use crate::table::table;
use crate::{json, registry, runtime};

/// List the artifacts of a repository or layout.
///
/// Tags under which signatures, attestations and the like are kept are left out. With --semver the newest come first.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The repository, without a tag, or the layout.
    #[arg(value_name = "REPOSITORY", value_parser = registry::reference)]
    repository: Reference,
    /// Only tags that are versions in this range, such as `>=1.2 <2`.
    #[arg(long, visible_alias = "filter-semver", value_name = "RANGE")]
    semver: Option<Range>,
    /// Only tags that this regular expression finds something in.
    #[arg(long, visible_alias = "filter-regex", value_name = "REGEX")]
    regex: Option<Regex>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    registry: registry::Flags,
}

/// How many artifacts are looked at side by side.
const PARALLEL: usize = 8;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    runtime::run(async {
        let store = registry::store(
            &arguments.repository,
            &arguments.registry.client(&[&arguments.repository])?,
        )?;
        let tags = arguments.choose(store.tags().await?);
        let looks = tags.into_iter().map(|tag| look(&store, tag));
        let found: Vec<(String, Description)> = stream::iter(looks)
            .buffered(PARALLEL)
            .try_filter_map(|found| async { Ok(found) })
            .try_collect()
            .await?;
        super::print(&arguments.text(&store.place(), &found)?)?;
        Ok(Code::Done)
    })
}

/// Looks at an artifact; a tag that was taken away meanwhile is passed over.
async fn look(store: &Store, tag: String) -> anyhow::Result<Option<(String, Description)>> {
    let reference = Reference { place: store.place(), tag: Some(tag.clone()), digest: None };
    match describe(store, &reference).await {
        Ok(description) => Ok(Some((tag, description))),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot look at the tag `{tag}`")),
    }
}

impl Arguments {
    fn choose(&self, tags: Vec<String>) -> Vec<String> {
        let own = tags.into_iter().filter(|tag| !is_saying(tag));
        let own = own.filter(|tag| self.regex.as_ref().is_none_or(|regex| regex.is_match(tag)));
        let Some(range) = &self.semver else { return own.collect() };
        let versions = own.filter_map(|tag| Some((tag.parse::<Version>().ok()?, tag)));
        let mut chosen: Vec<_> = versions.filter(|(version, _)| range.contains(version)).collect();
        chosen.sort_by(|(one, _), (other, _)| other.cmp(one));
        chosen.into_iter().map(|(_, tag)| tag).collect()
    }

    fn text(&self, place: &Place, found: &[(String, Description)]) -> anyhow::Result<String> {
        if self.json {
            let one = |(tag, it): &(String, Description)| {
                json::object([
                    ("artifact", Some(json::string(&format!("{place}:{tag}")))),
                    ("tag", Some(json::string(tag))),
                    ("digest", Some(json::string(&it.descriptor.digest))),
                    ("created", it.created.as_ref().map(json::string)),
                    ("source", it.source.as_ref().map(json::string)),
                    ("revision", it.revision.as_ref().map(json::string)),
                ])
            };
            return json::text(&Node::sequence(found.iter().map(one).collect()));
        }
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let row = |(tag, it): &(String, Description)| {
            let artifact = format!("{place}:{tag}");
            let digest = it.descriptor.digest.to_string();
            [artifact, digest, or_none(&it.source), or_none(&it.revision)]
        };
        let rows: Vec<_> = found.iter().map(row).collect();
        Ok(table(["ARTIFACT", "DIGEST", "SOURCE", "REVISION"], &rows))
    }
}

/// Whether something is kept under the tag that only speaks of another manifest.
fn is_saying(tag: &str) -> bool {
    let Some(rest) = tag.strip_prefix("sha256-") else { return false };
    let (hex, suffix) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    hex.len() == 64 && matches!(suffix, "" | ".sig" | ".att" | ".sbom")
}
