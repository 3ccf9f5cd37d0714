//! Records what cosign signs with keys of all kinds, as image layouts beside the keys.
//!
//! Each folder of `crates/artifact/tests/data/cosign` holds a key of one kind in `plain.pem`. Its `cosign.key` and
//! `cosign.pub` are what cosign makes of that, and `layout` is an artifact that cosign signed in both forms.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use kelson_testkit::{Registry, registry, tools};
use serde_json::{Value, json};

use crate::run::{Scratch, output};

/// The password of the recorded keys.
const PASSWORD: &str = "correct horse";

/// Records all kinds of keys and returns their names.
pub(crate) fn record(folder: &Path) -> anyhow::Result<Vec<String>> {
    let scratch = Scratch::new("cosign")?;
    let recorder = Recorder {
        registry: Registry::start(registry::Options::default())?,
        crane: tools::get("crane")?,
        cosign: tools::get("cosign")?,
        home: scratch.path().to_owned(),
    };
    let mut names = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?
    {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        recorder.record(&entry.path(), &name).with_context(|| format!("cannot record `{name}`"))?;
        names.push(name);
    }
    names.sort();
    Ok(names)
}

struct Recorder {
    registry: Registry,
    crane: PathBuf,
    cosign: PathBuf,
    home: PathBuf,
}

impl Recorder {
    fn record(&self, folder: &Path, name: &str) -> anyhow::Result<()> {
        let prefix = self.home.join(name);
        let plain = folder.join("plain.pem");
        self.cosign(&[
            "import-key-pair",
            "--key",
            text(&plain)?,
            "--output-key-prefix",
            text(&prefix)?,
        ])?;
        for (made, kept) in [("key", "cosign.key"), ("pub", "cosign.pub")] {
            fs::rename(prefix.with_extension(made), folder.join(kept))?;
        }
        let repository = format!("{}/{name}", self.registry.address());
        let digest = self.push(&repository)?;
        let key = folder.join("cosign.key");
        for (form, annotations) in
            [("false", &[][..]), ("false", &["-a", "build=7"]), ("true", &["-a", "build=7"])]
        {
            let form = format!("--new-bundle-format={form}");
            let image = format!("{repository}@{digest}");
            let offline = ["--use-signing-config=false", "--tlog-upload=false", "--yes"];
            let mut arguments = vec!["sign", "--key", text(&key)?, &form];
            arguments.extend(offline.iter().chain(annotations));
            arguments.push(&image);
            self.cosign(&arguments)?;
        }
        let layout = folder.join("layout");
        fs::remove_dir_all(&layout).ok();
        Export { recorder: self, repository, layout }.write(&digest)
    }

    /// Pushes a small artifact and returns its digest.
    fn push(&self, repository: &str) -> anyhow::Result<String> {
        let layer = self.home.join("layer.tar");
        // Two blocks of zeros are the archive of nothing.
        fs::write(&layer, [0; 1024])?;
        let tag = format!("{repository}:v1");
        self.crane(&[
            "append",
            "--oci-empty-base",
            "--new_layer",
            text(&layer)?,
            "--new_tag",
            &tag,
        ])?;
        Ok(self.crane(&["digest", &tag])?.trim().to_owned())
    }

    fn cosign(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(&self.cosign);
        output(command.args(arguments).env("HOME", &self.home).env("COSIGN_PASSWORD", PASSWORD))
    }

    fn crane(&self, arguments: &[&str]) -> anyhow::Result<String> {
        output(Command::new(&self.crane).args(arguments).env("HOME", &self.home))
    }
}

/// A repository on its way into a layout.
struct Export<'a> {
    recorder: &'a Recorder,
    repository: String,
    layout: PathBuf,
}

impl Export<'_> {
    fn write(&self, digest: &str) -> anyhow::Result<()> {
        let hex = digest.trim_start_matches("sha256:");
        let mut listed = Vec::new();
        for tag in ["v1".to_owned(), format!("sha256-{hex}.sig"), format!("sha256-{hex}")] {
            let (mut entry, manifest) = self.manifest(&format!(":{tag}"))?;
            entry["annotations"] = json!({ "org.opencontainers.image.ref.name": tag });
            listed.push(entry);
            for child in manifest["manifests"].as_array().into_iter().flatten() {
                let digest = child["digest"].as_str().context("a manifest without digest")?;
                listed.push(self.manifest(&format!("@{digest}"))?.0);
            }
        }
        let index = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": listed,
        });
        fs::write(self.layout.join("index.json"), index.to_string())?;
        fs::write(self.layout.join("oci-layout"), r#"{"imageLayoutVersion":"1.0.0"}"#)?;
        Ok(())
    }

    /// Stores a manifest and the blobs that it names, and describes it.
    fn manifest(&self, selector: &str) -> anyhow::Result<(Value, Value)> {
        let name = format!("{}{selector}", self.repository);
        let raw = self.recorder.crane(&["manifest", &name])?;
        let digest = self.recorder.crane(&["digest", &name])?.trim().to_owned();
        self.blob(&digest, &raw)?;
        let manifest: Value = serde_json::from_str(&raw)?;
        let layers = manifest["layers"].as_array().into_iter().flatten();
        for blob in layers.chain(manifest.get("config")) {
            let digest = blob["digest"].as_str().context("a blob without digest")?;
            let name = format!("{}@{digest}", self.repository);
            // The artifact's own layer is no text, and nobody reads it.
            if blob["mediaType"].as_str().is_some_and(|kind| kind.ends_with("json")) {
                self.blob(digest, &self.recorder.crane(&["blob", &name])?)?;
            }
        }
        let described =
            json!({ "mediaType": manifest["mediaType"], "size": raw.len(), "digest": digest });
        Ok((described, manifest))
    }

    fn blob(&self, digest: &str, content: &str) -> anyhow::Result<()> {
        let folder = self.layout.join("blobs/sha256");
        fs::create_dir_all(&folder)?;
        Ok(fs::write(folder.join(digest.trim_start_matches("sha256:")), content)?)
    }
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().with_context(|| format!("`{}` is not text", path.display()))
}
