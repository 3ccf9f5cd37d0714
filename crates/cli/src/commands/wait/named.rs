//! Names of deliveries and sources of objects, told apart. Nothing is guessed: what could be either is refused.

use std::path::Path;

use anyhow::bail;
use kelson_artifact::Reference;
use kelson_cluster::{Cluster, Held};
use kelson_plan::Delivery;

use crate::delivery;

/// What a person has named.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Deliveries, by their names.
    Deliveries(Vec<String>),
    /// Sources of objects.
    Sources(Vec<String>),
}

/// Tells what words mean: all of them the same.
pub(super) fn tell(words: &[String]) -> Result<Named, String> {
    let (sources, names): (Vec<String>, Vec<String>) =
        words.iter().cloned().partition(|word| is_source(word));
    if let (Some(source), Some(name)) = (sources.first(), names.first()) {
        return Err(format!(
            "`{source}` is a source and `{name}` is not: wait for deliveries or for sources, not for both"
        ));
    }
    for name in &names {
        delivery::name(name).map_err(|why| format!("there is no file `{name}`, and {why}"))?;
    }
    Ok(if names.is_empty() { Named::Sources(sources) } else { Named::Deliveries(names) })
}

/// Whether a word means a source: an artifact, standard input, or a path that exists or can be nothing but a path.
fn is_source(word: &str) -> bool {
    word == "-" || Reference::is_meant(word) || is_clearly_a_path(word) || Path::new(word).exists()
}

/// No name has a slash in it.
fn is_clearly_a_path(word: &str) -> bool {
    word.contains('/')
}

/// Refuses what is the name of a path and of a delivery at once.
pub(super) async fn refuse_twins(
    cluster: &Cluster,
    sources: &[String],
    namespace: &str,
) -> anyhow::Result<()> {
    for word in sources.iter().filter(|word| !is_clearly_a_path(word)) {
        let Ok(delivery) = Delivery::new(word, namespace) else { continue };
        // Who may not look has not meant it.
        if Held::load(cluster, &delivery).await.is_ok_and(|held| held.exists()) {
            bail!(
                "`{word}` is a path and the name of a delivery; write `./{word}` for the path, `--name {word}` for \
                 the delivery"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_names_unless_they_can_only_be_sources() {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let names = |list: &[&str]| Ok(Named::Deliveries(words(list)));
        let sources = |list: &[&str]| Ok(Named::Sources(words(list)));
        assert_eq!(tell(&words(&["shop"])), names(&["shop"]));
        assert_eq!(tell(&words(&["shop", "other"])), names(&["shop", "other"]));
        for source in
            ["-", "./shop", "overlays/shop", "oci://r.example/shop", "oci-layout:out", "src", "."]
        {
            assert_eq!(tell(&words(&[source])), sources(&[source]), "{source}");
        }
        for (list, why) in [
            (&["shop", "-"][..], "not for both"),
            (&["Shop.yaml"], "there is no file `Shop.yaml`, and "),
        ] {
            let said = tell(&words(list)).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
