//! What a component must and must not say. The messages are those that people know from the system it was written for.

use kelson_yaml::Span;

use super::toml::{Reader, Table};
use super::{Cron, Repository};
use crate::plan::OciArtifactSource;

/// What this kind of component is called.
const KIND: &str = "kubernetes_manifest";

/// The three sources.
const SOURCES: [&str; 3] = ["manifest", "kustomize", "oci_artifact"];

/// The kind, where it is said, is ours; and the file itself is the configuration.
pub(super) fn kind(reader: &mut Reader, root: Table<'_>) {
    if let Some(other) = reader.text(root, "type").filter(|kind| kind != KIND) {
        let at = root.key(reader, "type");
        reader.problem("wrong-kind", format!("the type must be `{KIND}`, not `{other}`"), at);
    }
    if root.has("source") {
        let at = root.key(reader, "source");
        let message = "`source` is not followed: name the file that it leads to instead";
        reader.problem("source", message.to_owned(), at);
    }
}

/// A text that has to be there.
pub(super) fn required(reader: &mut Reader, root: Table<'_>, key: &str) -> Option<String> {
    let text = reader.text(root, key).filter(|text| !text.trim().is_empty());
    let wrong_type = root.get(key).is_some_and(|item| item.as_str().is_none());
    if text.is_none() && !wrong_type {
        let at = root.key(reader, key);
        reader.problem("missing-field", format!("{key} is required"), at);
    }
    text
}

/// A schedule as cron writes it; a place for a template is left for later.
pub(super) fn schedule(reader: &mut Reader, root: Table<'_>, schedule: Option<&str>) {
    let Some(text) = schedule.filter(|text| !text.is_empty() && !text.contains("{{")) else {
        return;
    };
    if let Err(error) = Cron::parse(text) {
        let at = root.key(reader, "drift_schedule");
        reader.problem("wrong-value", format!("`drift_schedule` is no schedule: {error}"), at);
    }
}

/// Which of the sources there is.
pub(super) fn one_source(reader: &mut Reader, root: Table<'_>) -> Option<&'static str> {
    let is_there = |key: &&str| match root.get(key) {
        Some(item) => item.as_str().is_none_or(|text| !text.trim().is_empty()),
        None => false,
    };
    let there: Vec<&'static str> = SOURCES.into_iter().filter(is_there).collect();
    match there.as_slice() {
        [one] => Some(*one),
        [] => {
            let message = "one of 'manifest', 'kustomize', or 'oci_artifact' must be specified";
            reader.problem("no-source", message.to_owned(), root.at);
            None
        }
        [first, second, ..] => {
            let message = "only one of 'manifest', 'kustomize', or 'oci_artifact' can be specified";
            let (first, second) = (root.key(reader, first), root.key(reader, second));
            let later = if first.start > second.start { first } else { second };
            reader.problem("two-sources", message.to_owned(), later);
            None
        }
    }
}

/// At most one repository.
pub(super) fn repository(
    reader: &mut Reader,
    root: Table<'_>,
    public: Option<(Repository, Span)>,
    connected: Option<(Repository, Span)>,
) -> Option<Repository> {
    if root.has("public_repo") && root.has("connected_repo") {
        let message = "only one of 'public_repo' or 'connected_repo' can be specified";
        let at = root.key(reader, "connected_repo");
        reader.problem("two-repositories", message.to_owned(), at);
    }
    public.or(connected).map(|(repository, _)| repository)
}

/// A commit is named by its whole hash: a shorter one may come to mean another.
pub(super) fn commit(reader: &mut Reader, table: Table<'_>, key: &str, commit: Option<&str>) {
    let is_hash = |text: &str| text.len() == 40 && text.bytes().all(|it| it.is_ascii_hexdigit());
    if let Some(other) = commit.filter(|text| !is_hash(text)) {
        let message = format!("`{key}.commit` is 40 hexadecimal digits, not `{other}`");
        let at = table.key(reader, "commit");
        reader.problem("wrong-value", message, at);
    }
}

/// A repository is for overlays.
pub(super) fn no_repository(reader: &mut Reader, root: Table<'_>) {
    let message = match root.has("oci_artifact") {
        true => "'public_repo' and 'connected_repo' are only valid with kustomize, not artifacts",
        false => {
            "'public_repo' and 'connected_repo' are only valid with kustomize, not inline manifests"
        }
    };
    for key in ["public_repo", "connected_repo"] {
        if root.has(key) {
            let at = root.key(reader, key);
            reader.problem("needless-repository", message.to_owned(), at);
        }
    }
}

/// An artifact is named so that it can be found, and pinned.
pub(super) fn artifact(reader: &mut Reader, table: Table<'_>, it: &OciArtifactSource) {
    if it.url.is_empty() {
        reader.problem("missing-field", "oci_artifact.url is required".to_owned(), table.at);
    }
    if it.tag.is_empty() && it.digest.is_empty() {
        let message = "oci_artifact requires either tag or digest".to_owned();
        reader.problem("missing-field", message, table.at);
    }
    if !it.url.is_empty()
        && let Err(error) = it.reference()
    {
        let alone = |tag: &str| OciArtifactSource {
            url: it.url.clone(),
            tag: tag.to_owned(),
            ..OciArtifactSource::default()
        };
        let key = match (alone("").reference(), alone(&it.tag).reference()) {
            (Err(_), _) => "url",
            (_, Err(_)) => "tag",
            _ => "digest",
        };
        let at = table.key(reader, key);
        reader.problem("bad-reference", error.to_string(), at);
    }
}
