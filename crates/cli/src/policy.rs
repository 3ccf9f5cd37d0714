//! Whose signatures count, as flags.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kelson_artifact::{Pattern, Policy, PublicKey, SignerIdentity, TrustRoot};

use crate::commands::annotation;

/// Whose signatures count; as cosign names these flags.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Signature options")]
#[group(skip)]
pub(crate) struct Flags {
    /// A file with the public key of somebody who may sign, as PEM; may be repeated.
    #[arg(long = "key", visible_alias = "cosign-key", value_name = "FILE")]
    keys: Vec<PathBuf>,
    /// Whom the certificate of a keyless signature must name.
    #[arg(long, value_name = "IDENTITY", conflicts_with = "certificate_identity_regexp")]
    certificate_identity: Option<String>,
    /// The same as a regular expression, which must match all of it.
    #[arg(long, value_name = "REGEX")]
    certificate_identity_regexp: Option<String>,
    /// Who must have vouched for that identity.
    #[arg(long, value_name = "URL", conflicts_with = "certificate_oidc_issuer_regexp")]
    certificate_oidc_issuer: Option<String>,
    /// The same as a regular expression, which must match all of it.
    #[arg(long, value_name = "REGEX")]
    certificate_oidc_issuer_regexp: Option<String>,
    /// A file trusted_root.json that says whom to believe about certificates and logs.
    #[arg(long, value_name = "FILE")]
    trusted_root: Option<PathBuf>,
    /// Ask of signatures by keys, too, that a log has taken them in.
    #[arg(long)]
    require_tlog: bool,
    /// What must be said beside the signature, KEY=VALUE; may be repeated.
    #[arg(long = "signature-annotation", value_name = "KEY=VALUE", value_parser = annotation)]
    annotations: Vec<(String, String)>,
}

impl Flags {
    /// Whether anything is asked, were it not enough: who says something about signatures wants them verified.
    pub(crate) fn is_given(&self) -> bool {
        let about =
            self.trusted_root.is_some() || self.require_tlog || !self.annotations.is_empty();
        about || self.names_somebody()
    }

    fn names_somebody(&self) -> bool {
        !self.keys.is_empty() || self.identity().is_some() || self.issuer().is_some()
    }

    /// What is asked. Somebody must be named: a signature by just anybody proves nothing.
    pub(crate) fn policy(&self) -> anyhow::Result<Policy> {
        if !self.names_somebody() {
            bail!(
                "say whose signature counts: --key FILE, or --certificate-identity with \
                 --certificate-oidc-issuer and --trusted-root"
            );
        }
        let keys = self.keys.iter().map(|path| public_key(path)).collect::<Result<_, _>>()?;
        let keyless = match (self.identity(), self.issuer()) {
            (Some(identity), Some(issuer)) => {
                vec![SignerIdentity { identity: identity?, issuer: issuer? }]
            }
            (None, None) => Vec::new(),
            _ => bail!(
                "--certificate-identity and --certificate-oidc-issuer are given together or not at all"
            ),
        };
        if !keyless.is_empty() && self.trusted_root.is_none() {
            bail!("a keyless signature needs --trusted-root FILE to say whom to believe");
        }
        let trust_root = self.trusted_root.as_deref().map(trust_root).transpose()?;
        Ok(Policy {
            keys,
            keyless,
            trust_root,
            transparency_log: self.require_tlog,
            annotations: self.annotations.iter().cloned().collect(),
        })
    }

    fn identity(&self) -> Option<anyhow::Result<Pattern>> {
        pattern(&self.certificate_identity, &self.certificate_identity_regexp)
    }

    fn issuer(&self) -> Option<anyhow::Result<Pattern>> {
        pattern(&self.certificate_oidc_issuer, &self.certificate_oidc_issuer_regexp)
    }
}

fn pattern(exact: &Option<String>, regex: &Option<String>) -> Option<anyhow::Result<Pattern>> {
    match (exact, regex) {
        (Some(text), _) => Some(Ok(Pattern::Exact(text.clone()))),
        (None, Some(regex)) => Some(Pattern::regex(regex).map_err(Into::into)),
        (None, None) => None,
    }
}

fn public_key(path: &Path) -> anyhow::Result<PublicKey> {
    let shown = path.display();
    let text = std::fs::read(path).with_context(|| format!("cannot read `{shown}`"))?;
    PublicKey::read(&text).with_context(|| format!("in `{shown}`"))
}

fn trust_root(path: &Path) -> anyhow::Result<TrustRoot> {
    let shown = path.display();
    let text = std::fs::read(path).with_context(|| format!("cannot read `{shown}`"))?;
    TrustRoot::read(&text).with_context(|| format!("in `{shown}`"))
}
