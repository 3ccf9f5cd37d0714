//! `kelson sign`: signs an artifact with a key.

use std::path::PathBuf;

use anyhow::Context;
use kelson_artifact::{PrivateKey, Reference, SignatureForm, sign};
use kelson_model::Secret;

use crate::exit::Code;
use crate::{json, registry, runtime};

/// Sign an artifact with a key, as cosign does.
///
/// What is signed is the digest that the tag means now. Signatures of others are kept.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The artifact.
    #[arg(value_name = "ARTIFACT", value_parser = registry::reference)]
    artifact: Reference,
    /// A file with the private key, as PEM: one of cosign's, or one that is not encrypted.
    #[arg(long, visible_alias = "cosign-key", value_name = "FILE")]
    key: PathBuf,
    /// How the signature is kept: as a bundle that refers to the artifact, or under a tag of its own, which older
    /// programs understand.
    #[arg(long, value_enum, value_name = "FORM", default_value = "bundle")]
    form: Form,
    /// What to say beside the signature, KEY=VALUE; may be repeated.
    #[arg(short, long = "annotation", value_name = "KEY=VALUE", value_parser = super::annotation)]
    annotations: Vec<(String, String)>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    registry: registry::Flags,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    /// A bundle that refers to the artifact.
    Bundle,
    /// Under a tag of its own.
    Tag,
}

/// Where cosign looks for the password of a key.
const PASSWORD: &str = "COSIGN_PASSWORD";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    runtime::run(async {
        let shown = arguments.key.display();
        let text =
            std::fs::read(&arguments.key).with_context(|| format!("cannot read `{shown}`"))?;
        let password = std::env::var(PASSWORD).ok().map(Secret::new);
        let key = PrivateKey::read(&text, password.as_ref()).with_context(|| match password {
            Some(_) => format!("in `{shown}`"),
            None => format!("in `{shown}` (its password is taken from {PASSWORD})"),
        })?;
        let store = registry::store(
            &arguments.artifact,
            &arguments.registry.client(&[&arguments.artifact])?,
        )?;
        let found = store.find(&arguments.artifact).await?;
        let form = match arguments.form {
            Form::Bundle => SignatureForm::Bundle,
            Form::Tag => SignatureForm::Legacy,
        };
        let place = store.place().to_string();
        let name = place.strip_prefix("oci://").unwrap_or(&place);
        let annotations = arguments.annotations.iter().cloned().collect();
        let signed = sign(&store, &found.digest, name, &key, form, &annotations).await?;
        let artifact = Reference { digest: Some(found.digest), ..arguments.artifact.clone() };
        let text = match arguments.json {
            true => json::text(&json::object([
                ("artifact", Some(json::string(&artifact))),
                ("key", Some(json::string(&key.public().id()))),
                ("form", Some(json::string(&super::verify::form(form)))),
                ("manifest", Some(json::string(&signed.manifest))),
                ("already", Some(json::boolean(signed.already))),
            ]))?,
            false => {
                let done = if signed.already { "was signed already" } else { "signed" };
                format!("{artifact}\n{done} with key {}\n", key.public().id())
            }
        };
        super::print(&text)?;
        Ok(Code::Done)
    })
}
