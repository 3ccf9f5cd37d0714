//! The file of a component.

use std::time::Duration;

use kelson_model::Diagnostic;
use kelson_render::Failure;
use kelson_yaml::Span;

use super::schema;
use super::toml::{Reader, Table};
use super::{Component, Health, Kustomize, Probe, Repository, Source, check, references};
use crate::plan::{KustomizeConfig, OciArtifactSource};

/// No step of a component may take longer.
const HOUR: Duration = Duration::from_secs(3600);

/// How often a failed deployment is tried again at most.
const RETRIES: u32 = 100;

/// A larger file is no component.
const LARGEST: usize = 16 << 20;

/// Reads a component. `name` is what the file is called in messages.
///
/// # Errors
///
/// Lists everything that is wrong, each with its place.
pub fn read(name: &str, text: &str) -> Result<Component, Failure> {
    let mut reader = Reader::new(name, text);
    if text.len() > LARGEST {
        let at = reader.span(None);
        reader.problem("too-large", format!("`{name}` has more than {LARGEST} bytes"), at);
        return Err(failure(reader));
    }
    let document = match toml_edit::Document::parse(text.to_owned()) {
        Ok(document) => document,
        Err(error) => {
            let at = reader.span(error.span());
            let message = format!("this is not TOML: {}", error.message().trim());
            reader.problem("bad-toml", message, at);
            return Err(failure(reader));
        }
    };
    let component = component(&mut reader, &document);
    match reader.problems.is_empty() {
        true => component.ok_or_else(|| failure(reader)),
        false => Err(failure(reader)),
    }
}

fn failure(reader: Reader) -> Failure {
    let mut diagnostics = reader.problems;
    let place = |it: &Diagnostic| it.labels.first().map_or(0, |label| label.span.start);
    diagnostics.sort_by_key(place);
    if diagnostics.is_empty() {
        diagnostics.push(Diagnostic::error("no-component", "the file describes no component"));
    }
    Failure { diagnostics, warnings: Vec::new(), sources: reader.sources }
}

fn component(reader: &mut Reader, document: &toml_edit::Document<String>) -> Option<Component> {
    let root = reader.root(document);
    reader.only(root, &schema::COMPONENT);
    check::kind(reader, root);
    let name = check::required(reader, root, "name");
    let namespace = check::required(reader, root, "namespace");
    let drift_schedule = reader.text(root, "drift_schedule");
    check::schedule(reader, root, drift_schedule.as_deref());
    let source = source(reader, root);
    let dependencies = dependencies(reader, root, &source, namespace.as_deref());
    let minutes = |count: u64| Duration::from_secs(60 * count);
    Some(Component {
        var_name: reader.text(root, "var_name").or_else(|| name.clone()).unwrap_or_default(),
        dependencies,
        drift_schedule,
        health: health(reader, root),
        build_timeout: reader.time(root, "build_timeout", HOUR).unwrap_or_else(|| minutes(5)),
        deploy_timeout: reader.time(root, "deploy_timeout", HOUR).unwrap_or_else(|| minutes(15)),
        max_auto_retries: reader.number(root, "max_auto_retries", RETRIES).unwrap_or(0),
        skip_noops: reader.flag(root, "skip_noops").unwrap_or(false),
        auto_approve_on_policies_passing: reader
            .flag(root, "auto_approve_on_policies_passing")
            .unwrap_or(false),
        name: name?,
        namespace: namespace?,
        source: source?,
    })
}

/// What the file says, and the components that its places name.
fn dependencies(
    reader: &mut Reader,
    root: Table<'_>,
    source: &Option<Source>,
    namespace: Option<&str>,
) -> Vec<String> {
    let mut names = reader.texts(root, "dependencies");
    let manifest = match source {
        Some(Source::Manifest(text)) => text.as_str(),
        _ => "",
    };
    for text in [namespace.unwrap_or_default(), manifest] {
        for name in references::named(text) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Exactly one of three sources, and a repository only where it makes sense.
fn source(reader: &mut Reader, root: Table<'_>) -> Option<Source> {
    let public = repository(reader, root, "public_repo", "public_repo.", false);
    let connected = repository(reader, root, "connected_repo", "connected_repo.", true);
    let manifest = reader.text(root, "manifest").filter(|text| !text.trim().is_empty());
    let kustomize = kustomize(reader, root);
    let artifact = artifact(reader, root);
    let repository = check::repository(reader, root, public, connected);
    match check::one_source(reader, root)? {
        "manifest" => {
            check::no_repository(reader, root);
            manifest.map(|text| inline_or_file(reader, root, text))
        }
        "kustomize" => Some(Source::Kustomize(Kustomize { repository, ..kustomize? })),
        _ => {
            check::no_repository(reader, root);
            artifact.map(Source::Artifact)
        }
    }
}

/// A manifest is YAML, or names the file that has it.
fn inline_or_file(reader: &mut Reader, root: Table<'_>, text: String) -> Source {
    let line = text.trim();
    let at = root.key(reader, "manifest");
    if line.contains('\n') {
        return Source::Manifest(text);
    }
    if line.starts_with("http://") || line.starts_with("https://") {
        let message = "`manifest` names an address, and addresses are not fetched".to_owned();
        reader.problems.push(
            Diagnostic::error("remote-manifest", message)
                .at(at, "")
                .help("put the file beside the component and name it by its path"),
        );
        return Source::Manifest(text);
    }
    let path = line.strip_prefix("file://").unwrap_or(line);
    let looks_like_a_path =
        path.starts_with("./") || path.starts_with("../") || path.len() < line.len();
    let is_manifest = [".yaml", ".yml", ".json"].iter().any(|ending| path.ends_with(ending));
    match looks_like_a_path || is_manifest && !path.contains(": ") {
        true => Source::File(path.to_owned()),
        false => Source::Manifest(text),
    }
}

fn kustomize(reader: &mut Reader, root: Table<'_>) -> Option<Kustomize> {
    let table = reader.table(root, "kustomize", "kustomize.")?;
    reader.only(table, &schema::KUSTOMIZE);
    let path = reader.text(table, "path").filter(|path| !path.is_empty());
    if path.is_none() && !table.has("path") || table.get("path").is_some_and(is_empty) {
        reader.problem("missing-field", "kustomize.path is required".to_owned(), table.at);
    }
    let load_restrictor = reader.text(table, "load_restrictor");
    if let Some(other) = load_restrictor.as_deref().filter(|it| !["none", "rootOnly"].contains(it))
    {
        let message = format!("`kustomize.load_restrictor` is `none` or `rootOnly`, not `{other}`");
        let at = table.key(reader, "load_restrictor");
        reader.problem("wrong-value", message, at);
    }
    let config = KustomizeConfig {
        patches: reader.texts(table, "patches"),
        enable_helm: reader.flag(table, "enable_helm").unwrap_or(false),
        load_restrictor: load_restrictor.unwrap_or_else(|| "rootOnly".to_owned()),
        ..KustomizeConfig::default()
    };
    Some(Kustomize { path: path?, config, repository: None })
}

fn is_empty(item: &toml_edit::Item) -> bool {
    item.as_str() == Some("")
}

fn artifact(reader: &mut Reader, root: Table<'_>) -> Option<OciArtifactSource> {
    let table = reader.table(root, "oci_artifact", "oci_artifact.")?;
    reader.only(table, &schema::ARTIFACT);
    let mut text = |key| reader.text(table, key).unwrap_or_default();
    let it = OciArtifactSource {
        url: text("url"),
        tag: text("tag"),
        digest: text("digest"),
        credentials_ref: text("credentials_ref"),
        ..OciArtifactSource::default()
    };
    check::artifact(reader, table, &it);
    Some(it)
}

fn repository<'a>(
    reader: &mut Reader,
    root: Table<'a>,
    key: &'a str,
    prefix: &'a str,
    connected: bool,
) -> Option<(Repository, Span)> {
    let table = reader.table(root, key, prefix)?;
    reader.only(table, &schema::REPOSITORY);
    let repo = reader.text(table, "repo").filter(|repo| !repo.is_empty());
    if repo.is_none() {
        reader.problem("missing-field", format!("{key}.repo is required"), table.at);
    }
    let mut text = |name| reader.text(table, name).filter(|text| !text.is_empty());
    // In full, so that no branch of the same name is taken for the tag.
    let tag = text("tag").map(|tag| format!("refs/tags/{tag}"));
    let (branch, commit) = (text("branch"), text("commit"));
    check::commit(reader, table, key, commit.as_deref());
    let names: Vec<String> = [branch, tag, commit].into_iter().flatten().collect();
    if names.len() > 1 {
        let message = format!("only one of branch, tag and commit can be in `{key}`");
        reader.problem("two-references", message, table.at);
    }
    let repository = Repository {
        repo: repo?,
        directory: reader.text(table, "directory").unwrap_or_default(),
        reference: names.into_iter().next().unwrap_or_default(),
        connected,
    };
    Some((repository, table.at))
}

fn health(reader: &mut Reader, root: Table<'_>) -> Health {
    let usual = Health::default();
    let Some(table) = reader.table(root, "health", "health.") else { return usual };
    reader.only(table, &schema::HEALTH);
    let probes = reader.tables(table, "probes", "health.probes.");
    Health {
        enabled: reader.flag(table, "enabled").unwrap_or(usual.enabled),
        stabilization_window: reader
            .time(table, "stabilization_window", HOUR)
            .unwrap_or(usual.stabilization_window),
        block_deploy: reader.flag(table, "block_deploy").unwrap_or(usual.block_deploy),
        probes: probes.into_iter().map(|probe| read_probe(reader, probe)).collect(),
    }
}

fn read_probe(reader: &mut Reader, table: Table<'_>) -> Probe {
    reader.only(table, &schema::PROBE);
    let probe = Probe {
        kind: reader.text(table, "type").unwrap_or_default(),
        name: reader.text(table, "name").unwrap_or_default(),
        url: reader.text(table, "url").unwrap_or_default(),
        command: reader.texts(table, "command"),
    };
    if !["http", "tcp", "exec"].contains(&probe.kind.as_str()) {
        let message = format!("a probe's type is `http`, `tcp` or `exec`, not `{}`", probe.kind);
        let at = table.key(reader, "type");
        reader.problem("wrong-value", message, at);
    }
    probe
}
