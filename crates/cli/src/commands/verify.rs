//! `kelson verify`: who signed an artifact.

use std::time::SystemTime;

use kelson_artifact::{Reference, SignatureForm, Signer, Store, Verified, verify};
use kelson_yaml::Node;

use crate::exit::Code;
use crate::{json, policy, registry, runtime};

/// Verify that an artifact is signed by whom the options name.
///
/// Signatures of cosign are understood in both of its forms: under a tag of their own, and as a bundle that refers to the
/// artifact. The tag is resolved once, and the digest that it means is what is verified and printed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The artifact.
    #[arg(value_name = "ARTIFACT", value_parser = registry::reference)]
    artifact: Reference,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: policy::Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    runtime::run(async {
        let policy = arguments.policy.policy()?;
        let store = registry::store(
            &arguments.artifact,
            &arguments.registry.client(&[&arguments.artifact])?,
        )?;
        let found = store.find(&arguments.artifact).await?;
        let verified = verify(&store, &found.digest, &policy, SystemTime::now()).await?;
        let artifact = Reference { digest: Some(found.digest), ..arguments.artifact.clone() };
        super::print(&text(&artifact, &verified, arguments.json)?)?;
        Ok(Code::Done)
    })
}

/// Verifies what a reference means now, and gives it the digest: what is read next is what was verified.
pub(super) async fn pin(
    store: &Store,
    reference: &Reference,
    policy: &policy::Flags,
) -> anyhow::Result<Reference> {
    let policy = policy.policy()?;
    let found =
        kelson_artifact::verify_before(store, reference, &policy, SystemTime::now()).await?;
    Ok(Reference { digest: Some(found.digest), ..reference.clone() })
}

fn text(artifact: &Reference, verified: &[Verified], as_json: bool) -> anyhow::Result<String> {
    if as_json {
        let list = verified.iter().map(|it| {
            let (key, identity, issuer) = match &it.signer {
                Signer::Key { id } => (Some(id), None, None),
                Signer::Identity { identity, issuer } => (None, Some(identity), Some(issuer)),
            };
            json::object([
                ("form", Some(json::string(&form(it.form)))),
                ("manifest", Some(json::string(&it.manifest))),
                ("key", key.map(json::string)),
                ("identity", identity.map(json::string)),
                ("issuer", issuer.map(json::string)),
            ])
        });
        return json::text(&json::object([
            ("artifact", Some(json::string(artifact))),
            ("signatures", Some(Node::sequence(list.collect()))),
        ]));
    }
    let mut text = format!("{artifact}\n");
    for it in verified {
        let signer = match &it.signer {
            Signer::Key { id } => format!("key {id}"),
            Signer::Identity { identity, issuer } => format!("{identity}, says {issuer}"),
        };
        text.push_str(&format!("signed by {signer} ({})\n", form(it.form)));
    }
    Ok(text)
}

/// What people call the form.
pub(super) fn form(form: SignatureForm) -> &'static str {
    match form {
        SignatureForm::Legacy => "tag",
        SignatureForm::Bundle => "bundle",
    }
}
