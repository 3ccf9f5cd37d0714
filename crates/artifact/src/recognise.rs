//! Who made an artifact, and so what is in it.

use std::fmt;

use crate::error::crop;
use crate::manifest::media;
use crate::{Error, Index, Manifest};

/// The annotations of kustomizer's artifacts, which ours carry too.
pub mod annotation {
    /// The version of the format.
    pub const VERSION: &str = "kustomizer.dev/version";
    /// The SHA-256 of the plain text, in hexadecimal digits.
    pub const CHECKSUM: &str = "kustomizer.dev/checksum";
    /// When it was made.
    pub const CREATED: &str = "kustomizer.dev/created";
    /// How the content is encrypted.
    pub const ENCRYPTED: &str = "kustomizer.dev/encrypted";
    /// When it was made, as OCI says it.
    pub const OCI_CREATED: &str = "org.opencontainers.image.created";
    /// Where it comes from.
    pub const OCI_SOURCE: &str = "org.opencontainers.image.source";
    /// Which revision of that.
    pub const OCI_REVISION: &str = "org.opencontainers.image.revision";
    /// The name of a file.
    pub const OCI_TITLE: &str = "org.opencontainers.image.title";
    /// The name of a manifest in a layout.
    pub const OCI_REF_NAME: &str = "org.opencontainers.image.ref.name";
    /// A layer is the archive of a directory.
    pub(crate) const ORAS_UNPACK: &str = "io.deis.oras.content.unpack";
    /// What a layer of Timoni's is.
    pub(crate) const TIMONI_CONTENT: &str = "sh.timoni.content.type";
}

/// What can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Producer {
    /// Ours: Flux's form with kustomizer's annotations, one text of objects.
    Kelson,
    /// `kustomizer push artifact`: one text of objects.
    Kustomizer,
    /// `flux push artifact`: a tree of files.
    Flux,
    /// Flux's other form: a layer that is the file itself.
    FluxStatic,
    /// Nuon's builds: `manifest.yaml` as it is.
    Nuon,
    /// `oras push`: files by their titles.
    Oras,
    /// `timoni artifact push`: a tree of files.
    Timoni,
    /// An image whose layers hold manifests.
    Image,
    /// `imgpkg push`: an image with a list of the images it needs.
    Imgpkg,
}

impl fmt::Display for Producer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Kelson => "kelson",
            Self::Kustomizer => "kustomizer",
            Self::Flux | Self::FluxStatic => "flux",
            Self::Nuon => "nuon",
            Self::Oras => "oras",
            Self::Timoni => "timoni",
            Self::Image => "image",
            Self::Imgpkg => "imgpkg",
        })
    }
}

const OCI_CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const OCI_LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const FLUX_STATIC: &str = "application/vnd.cncf.flux.content.v1";
const TIMONI_CONFIG: &str = "application/vnd.timoni.config.v1+json";

/// What is known by its type, and why it cannot be read.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "application/vnd.cncf.helm.",
        "a Helm chart",
        "it has templates that Helm renders; push what `helm template` prints instead",
    ),
    (
        "application/vnd.zarf.",
        "a Zarf package",
        "only Zarf unpacks it; push the manifests in it instead",
    ),
    ("application/vnd.dev.cosign.", "a cosign signature", SIGNATURE),
    ("application/vnd.dev.sigstore.bundle", "a Sigstore bundle", SIGNATURE),
    ("application/vnd.cncf.notary.signature", "a Notary signature", SIGNATURE),
    ("application/vnd.in-toto", "an attestation", SIGNATURE),
    ("application/vnd.dsse.envelope", "an attestation", SIGNATURE),
    ("application/spdx", "a bill of materials", SIGNATURE),
    ("text/spdx", "a bill of materials", SIGNATURE),
    ("application/vnd.cyclonedx", "a bill of materials", SIGNATURE),
    (
        "application/vnd.cnab.",
        "a CNAB bundle",
        "only its own program installs it; push the manifests in it instead",
    ),
    ("application/vnd.wasm.", "a WebAssembly module", "it is a program and contains no manifests"),
];

const SIGNATURE: &str = "it says something about another artifact; name that one";

/// Says who made an artifact, by its types and annotations; what cannot be read is refused by its name.
pub fn recognise(manifest: &Manifest) -> Result<Producer, Error> {
    let artifact = manifest.artifact_type.iter().map(String::as_str);
    let layers = manifest.layers.iter().map(|layer| layer.media_type.as_str());
    let config = manifest.config.media_type.as_str();
    for media_type in artifact.chain([config]).chain(layers) {
        let refused = REFUSED.iter().find(|(prefix, ..)| media_type.starts_with(prefix));
        if let Some((_, what, needed)) = refused {
            return Err(refuse(what, needed));
        }
    }
    let layer = manifest.layers.first();
    let layer = layer.ok_or_else(|| refuse("an artifact without layers", "nothing is in it"))?;
    let packed = manifest.annotations.contains_key(annotation::VERSION);
    let titled = manifest.layers.iter().any(|l| l.annotations.contains_key(annotation::OCI_TITLE));
    match (config, layer.media_type.as_str()) {
        (TIMONI_CONFIG, _) => timoni(manifest),
        (_, media::FLUX_CONTENT) if packed => Ok(Producer::Kelson),
        (_, media::FLUX_CONTENT) => Ok(Producer::Flux),
        (_, kind) if kind.starts_with(FLUX_STATIC) => Ok(Producer::FluxStatic),
        ("artifact/nuon", _) => Ok(Producer::Nuon),
        (media::DOCKER_CONFIG | OCI_CONFIG, kind) if packed && is_image_layer(kind) => {
            Ok(Producer::Kustomizer)
        }
        (media::DOCKER_CONFIG | OCI_CONFIG, kind) if is_image_layer(kind) => Ok(Producer::Image),
        _ if titled => Ok(Producer::Oras),
        (_, kind) if is_image_layer(kind) => Ok(Producer::Image),
        (config, kind) => Err(refuse(
            &format!("an artifact of the types `{}` and `{}`", crop(config), crop(kind)),
            "nobody has said how manifests are kept in such a one",
        )),
    }
}

/// Refuses an index of which no single manifest can be chosen, and names them all.
pub(crate) fn refuse_index(index: &Index) -> Error {
    let name = |child: &crate::Descriptor| match &child.platform {
        Some(platform) => format!("{} ({})", child.digest, describe(platform)),
        None => child.digest.to_string(),
    };
    let children: Vec<String> = index.manifests.iter().take(20).map(name).collect();
    let what = format!("an index of {} manifests", index.manifests.len());
    let needed = match children.is_empty() {
        true => "nothing is in it".to_owned(),
        false => format!("name one of them by its digest: {}", children.join(", ")),
    };
    Error::Refused { what, needed }
}

/// Refuses a tree that only kluctl can render.
pub(crate) fn refuse_kluctl(file: &str) -> Error {
    let needed = format!(
        "it has `{file}`, whose templates kluctl renders; push what `kluctl render` prints instead"
    );
    Error::Refused { what: "a kluctl project".to_owned(), needed }
}

pub(crate) fn is_image_layer(kind: &str) -> bool {
    kind.starts_with("application/vnd.docker.image.rootfs.") || kind.starts_with(OCI_LAYER)
}

fn timoni(manifest: &Manifest) -> Result<Producer, Error> {
    let module = |kind: &String| kind.starts_with("module") || kind.starts_with("cue.mod");
    let kinds =
        manifest.layers.iter().filter_map(|l| l.annotations.get(annotation::TIMONI_CONTENT));
    match kinds.into_iter().any(module) {
        true => Err(refuse(
            "a Timoni module",
            "it is written in CUE, which Timoni evaluates; push what `timoni build` prints instead",
        )),
        false => Ok(Producer::Timoni),
    }
}

fn refuse(what: &str, needed: &str) -> Error {
    Error::Refused { what: what.to_owned(), needed: needed.to_owned() }
}

fn describe(platform: &serde_json::Value) -> String {
    let field = |name: &str| crop(platform[name].as_str().unwrap_or("unknown"));
    format!("{}/{}", field("os"), field("architecture"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Descriptor;

    /// `artifact type|config type|layer type`, the layers' annotations, the manifest's annotations.
    #[track_caller]
    fn check(types: [&str; 3], layer: &[(&str, &str)], manifest: &[(&str, &str)], expected: &str) {
        let [artifact, config, kind] = types;
        let owned = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
        };
        let mut content = Descriptor::of(kind, b"");
        content.annotations = owned(layer);
        let manifest = Manifest {
            schema_version: 2,
            media_type: None,
            artifact_type: Some(artifact.to_owned()).filter(|kind| !kind.is_empty()),
            config: Descriptor::of(config, b"{}"),
            layers: if kind.is_empty() { vec![] } else { vec![content] },
            subject: None,
            annotations: owned(manifest),
        };
        let actual = match recognise(&manifest) {
            Ok(producer) => format!("{producer:?}"),
            Err(error) => error.to_string(),
        };
        assert!(actual.starts_with(expected), "{actual}");
    }

    const DOCKER: [&str; 3] = ["", media::DOCKER_CONFIG, media::DOCKER_LAYER];
    const OCI: [&str; 3] = ["", OCI_CONFIG, "application/vnd.oci.image.layer.v1.tar+zstd"];
    const FLUX: [&str; 3] = ["", media::FLUX_CONFIG, media::FLUX_CONTENT];

    #[test]
    fn producers_are_known_by_their_types() {
        check(DOCKER, &[], &[(annotation::VERSION, "2.0.0")], "Kustomizer");
        check(DOCKER, &[], &[], "Image");
        check(OCI, &[], &[], "Image");
        check(FLUX, &[], &[], "Flux");
        check(FLUX, &[], &[(annotation::VERSION, "1.0.0")], "Kelson");
        check(
            ["", media::FLUX_CONFIG, "application/vnd.cncf.flux.content.v1.yaml"],
            &[],
            &[],
            "FluxStatic",
        );
        check(["", "artifact/nuon", "application/x-yaml"], &[], &[], "Nuon");
        let title = &[(annotation::OCI_TITLE, "a.yaml")][..];
        check(["application/x", media::EMPTY, "text/yaml"], title, &[], "Oras");
        check(["", "application/vnd.unknown.config.v1+json", "text/yaml"], title, &[], "Oras");
        check(["", TIMONI_CONFIG, "x"], &[(annotation::TIMONI_CONTENT, "generic")], &[], "Timoni");
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        let helm = "application/vnd.cncf.helm.config.v1+json";
        check(
            ["", helm, "application/tar+gzip"],
            &[],
            &[],
            "this is a Helm chart: it has templates",
        );
        let module = &[(annotation::TIMONI_CONTENT, "module/vendor")][..];
        check(
            ["", TIMONI_CONFIG, "x"],
            module,
            &[],
            "this is a Timoni module: it is written in CUE",
        );
        check(["", "application/vnd.zarf.config.v1+json", "x"], &[], &[], "this is a Zarf package");
        let cosign = "application/vnd.dev.cosign.simplesigning.v1+json";
        check(["", OCI_CONFIG, cosign], &[], &[], "this is a cosign signature: it says something");
        let bundle = "application/vnd.dev.sigstore.bundle.v0.3+json";
        check([bundle, media::EMPTY, bundle], &[], &[], "this is a Sigstore bundle");
        check(
            ["", media::EMPTY, "a/b"],
            &[],
            &[],
            "this is an artifact of the types `application/vnd.oci.empty.v1+json` and `a/b`",
        );
        check(["", OCI_CONFIG, ""], &[], &[], "this is an artifact without layers");
    }
}
