//! `kelson mirror`: copies artifacts between registries and layouts.

use kelson_artifact::registry::{Client, Options};
use kelson_artifact::{CopyOptions, Reference, Store, copy};
use kelson_model::Secret;

use crate::exit::Code;
use crate::progress::{Progress, bytes, count};
use crate::{json, policy, registry, runtime};

/// Copy an artifact, or any image, to another registry or layout.
///
/// Bytes are copied as they are, so that digests and signatures stay good; signatures and other referrers go along.
/// What is there already is not sent again.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to copy.
    #[arg(value_name = "FROM", value_parser = registry::reference)]
    from: Reference,
    /// Where to; without a tag it gets the one it has.
    #[arg(value_name = "TO", value_parser = registry::reference)]
    to: Reference,
    /// Credentials for the registry of TO, where --creds are for another one.
    #[arg(
        long,
        value_name = "USER:PASSWORD",
        env = "KELSON_TO_CREDS",
        hide_env_values = true,
        value_parser = registry::secret
    )]
    to_creds: Option<Secret>,
    /// Leave signatures and other referrers behind.
    #[arg(long)]
    no_referrers: bool,
    /// Copy only what is signed as the signature options say.
    #[arg(long)]
    verify: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: policy::Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

impl Arguments {
    /// The client for what is written: another one where other credentials are for it.
    fn target(&self, client: Client) -> anyhow::Result<Client> {
        match (registry::host(&self.to), &self.to_creds) {
            (Some(host), Some(creds)) => Ok(Client::new(Options {
                credentials: vec![registry::given(host, creds)?],
                ..self.registry.options()?
            })?),
            _ => Ok(client),
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    runtime::run(async {
        let client = arguments.registry.client(&[&arguments.from, &arguments.to])?;
        let from = registry::store(&arguments.from, &client)?;
        let reference = match arguments.verify || arguments.policy.is_given() {
            true => super::verify::pin(&from, &arguments.from, &arguments.policy).await?,
            false => arguments.from.clone(),
        };
        let to = Store::open(&arguments.to.place, &arguments.target(client)?);
        let tags: Vec<String> =
            arguments.to.tag.iter().chain(&arguments.from.tag).take(1).cloned().collect();
        let progress = Progress::new();
        let options = CopyOptions { referrers: !arguments.no_referrers, watch: progress.watch() };
        let copied = copy(&from, &reference, &to, &tags, &options).await?;
        drop(progress);
        let target = Reference {
            place: arguments.to.place.clone(),
            tag: tags.first().cloned(),
            digest: Some(copied.descriptor.digest),
        };
        let text = match arguments.json {
            true => json::text(&json::object([
                ("artifact", Some(json::string(&target))),
                ("digest", Some(json::string(&copied.descriptor.digest))),
                ("sent", Some(json::number(copied.sent))),
                ("skipped", Some(json::number(copied.skipped))),
                ("bytes", Some(json::number(copied.bytes as usize))),
                ("referrers", Some(json::number(copied.referrers))),
            ]))?,
            false => format!(
                "{target}\n{} sent ({}), {} there already, {}\n",
                copied.sent,
                bytes(copied.bytes),
                copied.skipped,
                count(copied.referrers, "referrer"),
            ),
        };
        super::print(&text)?;
        Ok(Code::Done)
    })
}
