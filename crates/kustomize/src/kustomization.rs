//! One kustomization file: found, read, brought into today's form, and checked.

mod fields; // every field, typed

use kelson_model::Diagnostic;
use kelson_yaml::{Data, Node, Span};

use crate::decode::{self, Reading, Str};
use crate::fault::{Fault, Result};

pub(crate) use fields::*;

/// The names a kustomization file may have.
pub(crate) const FILE_NAMES: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

const COMPONENT: &str = "Component";

/// A kustomization with what was noticed while reading it.
pub(crate) struct Loaded {
    pub(crate) kustomization: Box<Kustomization>,
    /// Warnings in upstream's order.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Reads a kustomization file's text. `root` is its directory, for messages.
pub(crate) fn read(
    text: &str,
    at: Span,
    root: &str,
    reading: kelson_yaml::Reading,
) -> Result<Loaded> {
    let node = kelson_yaml::first_document(text, at, reading).map_err(|error| {
        Fault::new("bad-yaml", format!("invalid Kustomization: yaml: {}", error.message))
            .at(error.span, error.message)
    })?;
    let empty = Node::null().at(at, kelson_yaml::Touch::NONE);
    let node = node.unwrap_or(empty);
    let (kustomization, reader) =
        decode::decode_all::<Box<Kustomization>>(&node, Reading::Kustomization);
    if let Some(fault) = reader.faults.into_iter().next() {
        return Err(fault.wrap("invalid Kustomization"));
    }
    let warnings = deprecated(&node);
    let kustomization = fixed(kustomization);
    if is_empty(&node) {
        let fault = Fault::new("empty-kustomization", "kustomization.yaml is empty");
        return Err(fault.at(at, "no field says what to build"));
    }
    check_type(&kustomization, root)?;
    Ok(Loaded { kustomization, warnings })
}

impl Kustomization {
    /// Whether it is a component.
    pub(crate) fn is_component(&self) -> bool {
        &*self.kind == COMPONENT
    }

    /// Whether `buildMetadata` names an option.
    pub(crate) fn wants(&self, option: &str) -> bool {
        self.build_metadata.iter().any(|name| &**name == option)
    }
}

/// Brings older forms into today's: `bases`, `imageTags`, `env`, `helmChartInflationGenerator`.
fn fixed(mut it: Box<Kustomization>) -> Box<Kustomization> {
    if it.kind.is_empty() {
        it.kind = Str::new("Kustomization");
    }
    if it.api_version.is_empty() {
        it.api_version = Str::new(required_version(&it.kind));
    }
    it.resources.append(&mut it.bases);
    it.images.append(&mut it.image_tags);
    for args in &mut it.config_maps {
        take_env(&mut args.envs, &mut args.env);
    }
    for args in &mut it.secrets {
        take_env(&mut args.envs, &mut args.env);
    }
    let old = std::mem::take(&mut it.old_charts);
    let globals = old_globals(&old);
    if it.helm_globals.is_none()
        && !(globals.chart_home.is_empty() && globals.config_home.is_empty())
    {
        it.helm_globals = Some(globals);
    }
    it.helm_charts.extend(old.into_iter().map(chart_of));
    it
}

/// Appends the older `env` to `envs`.
fn take_env(envs: &mut Vec<Str>, env: &mut Str) {
    if !env.is_empty() {
        envs.push(std::mem::take(env));
    }
}

/// What the older charts say for all: the last word counts.
fn old_globals(old: &[OldChart]) -> HelmGlobals {
    let last = |pick: fn(&OldChart) -> &Str| {
        old.iter().map(pick).rfind(|text| !text.is_empty()).cloned().unwrap_or_default()
    };
    HelmGlobals {
        chart_home: last(|chart| &chart.chart_home),
        config_home: last(|chart| &chart.helm_home),
        ..HelmGlobals::default()
    }
}

/// A chart in today's form.
fn chart_of(old: OldChart) -> HelmChart {
    HelmChart {
        span: old.span,
        name: old.chart_name,
        version: old.chart_version,
        repo: old.chart_repo_url,
        values_file: old.values,
        values_inline: old.values_local,
        values_merge: old.values_merge,
        release_name: old.release_name,
        ..HelmChart::default()
    }
}

/// The `apiVersion` that goes with a kind.
fn required_version(kind: &str) -> &'static str {
    if kind == COMPONENT {
        "kustomize.config.k8s.io/v1alpha1"
    } else {
        "kustomize.config.k8s.io/v1beta1"
    }
}

/// Refuses kinds and versions that are not ours.
fn check_type(it: &Kustomization, root: &str) -> Result<()> {
    let mut errors = Vec::new();
    let mut place = it.kind.span;
    if !matches!(&*it.kind, "Kustomization" | COMPONENT) {
        errors.push("kind should be Kustomization or Component".to_owned());
    }
    let required = required_version(&it.kind);
    if &*it.api_version != required {
        if errors.is_empty() {
            place = it.api_version.span;
        }
        errors.push(format!("apiVersion for {} should be {required}", &*it.kind));
    }
    if errors.is_empty() {
        return Ok(());
    }
    let text = format!("Failed to read kustomization file under {root}:\n{}", errors.join("\n"));
    Err(Fault::new("wrong-kind", text).saying(errors.join("; ")).at(place, ""))
}

/// Keys that are written more than once in a mapping, anywhere in a kustomization. Upstream takes the last.
#[expect(clippy::vec_box, reason = "a fault travels in its box")]
pub(crate) fn repeated_keys(
    text: &str,
    at: Span,
    reading: kelson_yaml::Reading,
) -> Vec<Box<Fault>> {
    let mut faults = Vec::new();
    // The newer dialect keeps every key, and differs in nothing that matters here.
    if let Ok(Some(node)) = kelson_yaml::first_document(text, at, reading) {
        find_repeated(&node, &mut faults);
    }
    faults
}

#[expect(clippy::vec_box, reason = "a fault travels in its box")]
fn find_repeated(node: &Node, faults: &mut Vec<Box<Fault>>) {
    for item in node.as_sequence().unwrap_or_default() {
        find_repeated(item, faults);
    }
    let mut seen = hashbrown::HashMap::new();
    for entry in node.as_mapping().into_iter().flatten() {
        let key = entry.key.text().unwrap_or_default();
        if let Some(first) = seen.insert(key, entry.key.span) {
            let message = format!("the key `{key}` is here more than once; the last one counts");
            let fault = Fault::new("repeated-key", message).at(entry.key.span, "here again");
            let fault = fault.at(first, "it was here first");
            faults.push(fault.help("take one of the two out, or put their values together"));
        }
        find_repeated(&entry.value, faults);
    }
}

/// The value of a top-level field, the last one where it repeats, unless it is nothing.
fn written<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let entries = &node.as_mapping()?.entries;
    let entry = entries
        .iter()
        .rfind(|entry| entry.key.text().is_some_and(|key| key.eq_ignore_ascii_case(name)))?;
    (!is_nothing(&entry.value)).then_some(&entry.value)
}

/// Whether every field but `kind` and `apiVersion` is what it would be had it not been written.
fn is_empty(node: &Node) -> bool {
    let Some(mapping) = node.as_mapping() else { return true };
    mapping.iter().all(|entry| {
        let key = entry.key.text().unwrap_or_default().to_ascii_lowercase();
        match (key.as_str(), &entry.value.data) {
            ("kind" | "apiversion", _) => true,
            ("bases" | "imagetags" | "helmchartinflationgenerator", Data::Sequence(list)) => {
                list.items.is_empty()
            }
            (_, Data::Scalar(scalar)) => scalar.text.is_empty() || is_nothing(&entry.value),
            _ => false,
        }
    })
}

/// Whether the node is nothing in YAML 1.1.
fn is_nothing(node: &Node) -> bool {
    node.is_null()
}

/// Warnings about fields that have a successor, in upstream's order and words.
fn deprecated(node: &Node) -> Vec<Diagnostic> {
    const FIELDS: [(&str, &str, &str); 6] = [
        ("bases", "resources", ""),
        ("commonLabels", "labels", ""),
        ("imageTags", "images", ""),
        ("patchesJson6902", "patches", ""),
        ("patchesStrategicMerge", "patches", ""),
        ("vars", "replacements", "[EXPERIMENTAL] "),
    ];
    let warn = |(old, new, mark): (&str, &str, &str)| {
        let value = written(node, old)?;
        let text = format!(
            "# Warning: '{old}' is deprecated. Please use '{new}' instead. {mark}Run 'kustomize edit fix' to update your Kustomization automatically."
        );
        let message = format!("`{old}` is deprecated");
        Some(
            Diagnostic::warning("deprecated-field", message)
                .upstream(text)
                .at(value.span, "")
                .help(format!("use `{new}` instead")),
        )
    };
    FIELDS.into_iter().filter_map(warn).collect()
}
