//! `kelson push`: renders a source and pushes it as an artifact.

use std::path::Path;

use anyhow::{Context, bail};
use kelson_artifact::{Form, Ignore, Metadata, Pushed, Recipient, Reference, Store};
use kelson_pipeline::{Package, PackageError, PackageOptions};

use super::build::Flags;
use crate::exit::Code;
use crate::progress::{Progress, bytes, count};
use crate::source::{self, Keys, Source};
use crate::{draw, json, registry, runtime};

/// Render a source and push the objects as an OCI artifact.
///
/// The same source gives the same digest, whoever pushes it, from where and when: the time that an artifact states is
/// SOURCE_DATE_EPOCH, else that of the commit, else 1970. Flux, kustomizer and crane read what is pushed. What is
/// there already is not sent again.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A directory, a file, - for standard input, or another artifact.
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Where to: oci://REGISTRY/REPOSITORY:TAG or oci-layout:DIR:TAG.
    #[arg(value_name = "ARTIFACT", value_parser = registry::reference)]
    artifact: Reference,
    /// A further tag; may be repeated.
    #[arg(short, long = "tag", value_name = "TAG", value_parser = super::tag::tag)]
    tags: Vec<String>,
    /// Push the files as they are, as `flux push artifact` does, without rendering.
    #[arg(long, conflicts_with_all = ["age_recipient", "format"])]
    raw: bool,
    /// Leave out what this pattern of gitignore matches, with --raw; may be repeated.
    #[arg(long, value_name = "PATTERN", requires = "raw", value_delimiter = ',')]
    ignore_paths: Vec<String>,
    /// The form of the artifact.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "flux")]
    format: Format,
    /// Encrypt for this age recipient, age1…, or those in a file; may be repeated.
    #[arg(long, visible_alias = "age-recipients", value_name = "RECIPIENT|FILE")]
    age_recipient: Vec<String>,
    /// The URL that the content comes from; by default that of the git repository.
    #[arg(long, value_name = "URL")]
    source_url: Option<String>,
    /// Its revision; by default the branch and commit of the git repository.
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// What else to say in the manifest, KEY=VALUE; may be repeated.
    #[arg(short, long = "annotation", value_name = "KEY=VALUE", value_parser = super::annotation)]
    annotations: Vec<(String, String)>,
    /// Make errors of what is otherwise passed over while rendering.
    #[arg(long)]
    strict: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    kustomize: Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// OCI types as Flux has them; kustomizer reads it too.
    Flux,
    /// Docker types as kustomizer writes them.
    Kustomizer,
}

impl From<Format> for Form {
    fn from(format: Format) -> Self {
        match format {
            Format::Flux => Self::Flux,
            Format::Kustomizer => Self::Kustomizer,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let pushed = runtime::run(async {
        let client = arguments.registry.client(&[&arguments.artifact])?;
        let source = Source::open(&arguments.source, &client, &arguments.keys).await?;
        let package = match arguments.package(&source) {
            Ok(package) => package,
            Err(error) => return refuse(error),
        };
        draw::diagnostics(&package.warnings, &package.sources);
        let store = Store::open(&arguments.artifact.place, &client);
        let progress = Progress::new();
        let tags = arguments.all_tags()?;
        let pushed = package.packed.push(&store, &tags, &progress.watch()).await?;
        Ok(Some((package, pushed)))
    })?;
    let Some((package, pushed)) = pushed else { return Ok(Code::Failed) };
    super::print(&arguments.text(&package, &pushed)?)?;
    Ok(Code::Done)
}

/// What is wrong with the user's files is drawn; everything else is an error in words.
fn refuse<T>(error: anyhow::Error) -> anyhow::Result<Option<T>> {
    match error.downcast::<PackageError>() {
        Ok(PackageError::Render(failure)) => {
            draw::diagnostics(&failure.warnings, &failure.sources);
            draw::diagnostics(&failure.diagnostics, &failure.sources);
            Ok(None)
        }
        Ok(error) => Err(error.into()),
        Err(error) => Err(error),
    }
}

impl Arguments {
    fn package(&self, source: &Source) -> anyhow::Result<Package> {
        let metadata = self.metadata()?;
        if self.raw {
            let mut ignore = Ignore::usual();
            for pattern in &self.ignore_paths {
                ignore.insist(pattern);
            }
            return Ok(source.package_files(&ignore, &metadata)?);
        }
        let mut render = self.kustomize.render(self.strict);
        // What a deploy fills in later survives, quoted or not.
        render.places = true;
        let options = PackageOptions {
            render,
            form: self.format.into(),
            metadata,
            recipients: recipients(&self.age_recipient)?,
            // An artifact that was encrypted is in the clear here.
            decrypted: source.was_sealed(),
        };
        Ok(source.package(&options)?)
    }

    fn metadata(&self) -> anyhow::Result<Metadata> {
        let local = !Reference::is_meant(&self.source) && self.source != "-";
        let found = match local {
            true => described(Path::new(&self.source)),
            false => Metadata::default(),
        };
        Ok(Metadata {
            source: self.source_url.clone().or(found.source),
            revision: self.revision.clone().or(found.revision),
            created: epoch()?.or(found.created),
            annotations: self.annotations.iter().cloned().collect(),
        })
    }

    fn all_tags(&self) -> anyhow::Result<Vec<String>> {
        if self.artifact.digest.is_some() {
            bail!("`{}` has a digest: what is pushed gets its own", self.artifact);
        }
        let first = self.artifact.tag.clone().unwrap_or_else(|| Reference::LATEST.to_owned());
        Ok(std::iter::once(first).chain(self.tags.iter().cloned()).collect())
    }

    fn text(&self, package: &Package, pushed: &Pushed) -> anyhow::Result<String> {
        let digest = pushed.descriptor.digest;
        let tags = self.all_tags()?;
        let artifact = Reference {
            place: self.artifact.place.clone(),
            tag: tags.first().cloned(),
            digest: Some(digest),
        };
        if self.json {
            let tag = tags.first().cloned().unwrap_or_default();
            let tags = tags.iter().map(json::string).collect();
            return json::text(&json::object([
                ("url", Some(json::string(&artifact))),
                ("repository", Some(json::string(&self.artifact.place))),
                ("tag", Some(json::string(&tag))),
                ("tags", Some(kelson_yaml::Node::sequence(tags))),
                ("digest", Some(json::string(&digest))),
                ("objects", Some(json::number(package.objects))),
                ("sent", Some(json::number(pushed.sent))),
                ("skipped", Some(json::number(pushed.skipped))),
                ("bytes", Some(json::number(pushed.bytes as usize))),
            ]));
        }
        let what = match self.raw {
            true => "files as they are".to_owned(),
            false => count(package.objects, "object"),
        };
        let sent = count(pushed.sent, "blob");
        let (moved, there) = (bytes(pushed.bytes), pushed.skipped);
        Ok(format!("{artifact}\n{what}; {sent} sent ({moved}), {there} there already\n"))
    }
}

/// What git knows of a directory, or of a file's directory.
pub(super) fn described(path: &Path) -> Metadata {
    match source::repository(path) {
        None => Metadata::default(),
        Some(found) => Metadata {
            revision: Some(found.revision()),
            created: Some(found.committed_at),
            source: Some(found.url).filter(|url| !url.is_empty()),
            ..Metadata::default()
        },
    }
}

/// The time that whoever builds wants things to be made at.
pub(super) fn epoch() -> anyhow::Result<Option<i64>> {
    match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) if !text.is_empty() => {
            let seconds = text.parse().with_context(|| {
                format!("SOURCE_DATE_EPOCH is `{text}`, not a number of seconds since 1970")
            })?;
            Ok(Some(seconds))
        }
        _ => Ok(None),
    }
}

/// Reads recipients, each as it is or from a file.
pub(super) fn recipients(list: &[String]) -> anyhow::Result<Vec<Recipient>> {
    let mut recipients = Vec::new();
    for text in list {
        let found = match text.starts_with("age1") {
            true => Recipient::parse_all(text)?,
            false => {
                let content = std::fs::read_to_string(text)
                    .with_context(|| format!("cannot read the recipients in `{text}`"))?;
                Recipient::parse_all(&content).with_context(|| format!("in `{text}`"))?
            }
        };
        recipients.extend(found);
    }
    Ok(recipients)
}
