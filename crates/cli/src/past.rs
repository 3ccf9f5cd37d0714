//! What was delivered before: which apply is meant, what is said of it, and its objects.

mod select; // which one is meant

use anyhow::{Context, bail};
use kelson_artifact::{Digest, Layout, Limits, Place, Reference, Store};
use kelson_cluster::{Cluster, Held, Kept};
use kelson_pipeline::deliver::Keep;
use kelson_plan::inventory::{Applied, Content};
use kelson_yaml::Node;

pub(crate) use self::select::{find, plain, previous, short};
use crate::source::{self, Keys, Source};
use crate::{gather, json, local, registry};

/// How artifacts of the past are had again.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Flags {
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    pub(crate) store: local::Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

/// An artifact of the past.
pub(crate) struct Past {
    /// Its content.
    pub(crate) source: Source,
    /// Its name in a registry, by digest, where it came from one.
    pub(crate) reference: Option<String>,
    /// How it can be had again the next time.
    pub(crate) keep: Keep,
    /// Where it is, unless that is a registry or this machine.
    pub(crate) elsewhere: Option<(Store, Reference)>,
}

/// What came of looking for an artifact somewhere: it, or what is to be said.
type Found = Result<Past, String>;

impl Flags {
    /// Gets the artifact of an apply again: from its registry, from the cluster, or from this machine.
    pub(crate) async fn open(
        &self,
        cluster: &Cluster,
        held: &Held,
        of: &Applied,
    ) -> anyhow::Result<Past> {
        if of.digest.is_empty() {
            bail!("number {} of {} applied no artifact", of.number, held.delivery);
        }
        let digest: Digest = of.digest.parse().with_context(|| {
            format!("number {} of the history of {} cannot be had again", of.number, held.delivery)
        })?;
        let of = best(&held.inventory.history, of);
        let mut tried = Vec::new();
        for name in names(held, of, digest)? {
            match self.pulled(&name).await? {
                Ok(past) => return Ok(past),
                Err(why) => tried.push(why),
            }
        }
        let found = match &of.content {
            Content::Registry(_) => None,
            Content::Nowhere(why) => Some(Err(format!("it was not kept, since {}", plain(why)))),
            Content::Cluster { .. } | Content::Unknown => {
                Some(self.kept(cluster, held, of, digest).await?)
            }
        };
        match found {
            Some(Ok(past)) => return Ok(past),
            Some(Err(why)) => tried.push(why),
            None => {}
        }
        match self.stored(digest).await {
            Ok(past) => Ok(past),
            Err(error) => {
                tried.push(format!("on this machine: {error:#}"));
                bail!("the artifact {digest} cannot be had again: {}", tried.join("; "))
            }
        }
    }

    async fn pulled(&self, name: &str) -> anyhow::Result<Found> {
        let client = source::client(&self.registry, &[name])?;
        match Source::open(name, &client, &self.keys).await {
            Ok(source) => Ok(Ok(Past {
                source,
                reference: Some(name.to_owned()),
                keep: gather::of_name(name).await?,
                elsewhere: None,
            })),
            // It is there, and whoever has the key can read it.
            Err(error) if is_locked(&error) => Err(error),
            Err(error) => Ok(Err(format!("{}: {error:#}", plain(name)))),
        }
    }

    async fn kept(
        &self,
        cluster: &Cluster,
        held: &Held,
        of: &Applied,
        digest: Digest,
    ) -> anyhow::Result<Found> {
        let Some(archive) = Kept::load(cluster, &held.delivery, &of.digest).await? else {
            return Ok(Err("the cluster does not have it (any more)".to_owned()));
        };
        let name = Kept::name(&held.delivery, &of.digest).unwrap_or_default();
        let directory = match &of.content {
            Content::Cluster { directory } => directory.clone(),
            _ => String::new(),
        };
        let read = async {
            let store = Store::Layout(Layout::enclosed(&name, &archive, &Limits::default())?);
            let reference = Reference { place: store.place(), tag: None, digest: Some(digest) };
            let source = Source::read(&store, &reference, &directory, &self.keys).await?;
            anyhow::Ok((source, store, reference))
        };
        let (source, store, reference) = read.await.with_context(|| {
            format!("cannot read the artifact {digest}, which the Secret `{name}` keeps")
        })?;
        let keep = Keep::Archive { archive: archive.into(), directory };
        let elsewhere = Some((store, reference));
        Ok(Ok(Past { source, reference: None, keep, elsewhere }))
    }

    /// From where artifacts are kept that plans were made from.
    async fn stored(&self, digest: Digest) -> anyhow::Result<Past> {
        let reference = self.store.reference(&digest.to_string())?;
        let client = self.registry.client(&[])?;
        let source = Source::pull(&reference, "", &client, &self.keys).await?;
        let keep = gather::of_reference(&reference, "").await?;
        Ok(Past { source, reference: None, keep, elsewhere: None })
    }
}

/// Of all applies of one artifact the one that says where it can be had again: the one that was asked for, if it does.
fn best<'h>(history: &'h [Applied], of: &'h Applied) -> &'h Applied {
    let knows = |one: &&Applied| {
        one.digest == of.digest
            && matches!(one.content, Content::Registry(_) | Content::Cluster { .. })
    };
    std::iter::once(of).chain(history.iter().rev()).find(knows).unwrap_or(of)
}

/// Whether an artifact is there but cannot be decrypted.
fn is_locked(error: &anyhow::Error) -> bool {
    use kelson_artifact::Error;
    matches!(error.downcast_ref(), Some(Error::Refused { .. } | Error::Seal(_)))
}

/// The names under which a registry may have an artifact. Where an earlier version of Kelson has dropped the name from the
/// record, the source of the delivery may have it.
fn names(held: &Held, of: &Applied, digest: Digest) -> anyhow::Result<Vec<String>> {
    match &of.content {
        Content::Registry(name) => {
            let reference: Reference = source::split(name).0.parse()?;
            let is_here = !matches!(reference.place, Place::Repository { .. });
            if is_here || reference.digest != Some(digest) {
                bail!(
                    "number {} of the history of {} names `{}`, which is not the artifact {digest} of a registry",
                    of.number,
                    held.delivery,
                    plain(name)
                );
            }
            Ok(vec![name.clone()])
        }
        Content::Unknown => {
            let sources = held.inventory.source.iter().flat_map(|origins| &origins.sources);
            let sources: Vec<&String> = sources.collect();
            let [source] = sources.as_slice() else { return Ok(Vec::new()) };
            let (place, directory) = source::split(source);
            let is_registry = place.starts_with("oci://");
            let directory = if directory.is_empty() { "" } else { &source[place.len()..] };
            Ok(is_registry.then(|| format!("{place}@{digest}{directory}")).into_iter().collect())
        }
        Content::Cluster { .. } | Content::Nowhere(_) => Ok(Vec::new()),
    }
}

/// What the newest apply of a history is to the cluster; nothing for those before it.
pub(crate) fn standing(history: &[Applied], of: &Applied) -> &'static str {
    let is_newest = history.last().is_some_and(|last| last.number == of.number);
    match (is_newest, of.is_applied()) {
        (false, _) => "",
        (true, true) if of.digest.is_empty() => "",
        (true, true) => "deployed",
        (true, false) => "partly",
    }
}

/// Where the content of an apply is, for people.
pub(crate) fn whereabouts(of: &Applied) -> String {
    match &of.content {
        Content::Unknown if of.digest.is_empty() => "-".to_owned(),
        Content::Unknown => "not known".to_owned(),
        // The digest stands in a column of its own.
        Content::Registry(name) => plain(&name.replace(&format!("@{}", of.digest), "")),
        Content::Cluster { .. } => "kept".to_owned(),
        Content::Nowhere(why) => format!("not kept: {}", plain(why)),
    }
}

/// An apply for the machine.
pub(crate) fn report(history: &[Applied], of: &Applied) -> Node {
    let (reference, kept, directory, not_kept) = match &of.content {
        Content::Unknown => (None, None, None, None),
        Content::Registry(name) => (Some(json::string(name)), None, None, None),
        Content::Cluster { directory } => {
            let directory = (!directory.is_empty()).then(|| json::string(directory));
            (None, Some(json::boolean(true)), directory, None)
        }
        Content::Nowhere(why) => (None, Some(json::boolean(false)), None, Some(json::string(why))),
    };
    let standing = standing(history, of);
    json::object([
        ("number", Some(number(of.number))),
        ("digest", Some(json::string(&of.digest))),
        ("revision", Some(json::string(&of.revision))),
        ("at", Some(json::string(&of.at))),
        ("by", Some(json::string(&of.by))),
        ("result", Some(json::string(&of.result))),
        ("rollbackTo", of.rollback.map(number)),
        ("reference", reference),
        ("kept", kept),
        ("directory", directory),
        ("notKept", not_kept),
        ("standing", (!standing.is_empty()).then(|| Node::string(standing))),
    ])
}

fn number(number: u64) -> Node {
    json::number(usize::try_from(number).unwrap_or(usize::MAX))
}
