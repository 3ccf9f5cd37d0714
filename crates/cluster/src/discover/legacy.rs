//! A document for each group and version, as servers without aggregated discovery have them.

use futures_util::{StreamExt, stream};
use kelson_plan::{Catalog, Listener, Refusal};
use serde_json::Value;

use super::{add, items};
use crate::Cluster;

/// A group in a version, in the order of preference.
struct Version {
    group: String,
    version: String,
}

/// Takes the kinds of all groups that a document lists. One that cannot be read is noted.
pub(super) async fn read(
    cluster: &Cluster,
    document: &Value,
    catalog: &mut Catalog,
    listener: &dyn Listener,
) -> Result<(), Refusal> {
    let versions = versions(document);
    let asked = versions.iter().map(|version| version.resources(cluster, listener));
    // In order, since the preferred version comes first.
    let answers: Vec<_> = stream::iter(asked).buffered(cluster.parallel()).collect().await;
    for (version, answer) in versions.iter().zip(answers) {
        match answer {
            Ok(resources) => version.add(&resources, catalog),
            Err(refusal) if refusal.code == 0 => return Err(refusal),
            Err(refusal) => catalog.unreadable.push((version.group.clone(), refusal.to_string())),
        }
    }
    Ok(())
}

fn versions(document: &Value) -> Vec<Version> {
    let version = |group: &str, version: &Value| {
        let (group, version) = (group.to_owned(), version.as_str()?.to_owned());
        Some(Version { group, version })
    };
    let core = items(&document["versions"]).iter().filter_map(|name| version("", name));
    let groups = items(&document["groups"]).iter().flat_map(|group| {
        let name = group["name"].as_str().unwrap_or_default();
        let preferred = &group["preferredVersion"]["version"];
        let known = items(&group["versions"]).iter().map(|known| &known["version"]);
        let others = known.filter(move |known| *known != preferred);
        std::iter::once(preferred).chain(others).filter_map(move |known| version(name, known))
    });
    core.chain(groups).collect()
}

impl Version {
    async fn resources(
        &self,
        cluster: &Cluster,
        listener: &dyn Listener,
    ) -> Result<Value, Refusal> {
        let path = match self.group.as_str() {
            "" => format!("/api/{}", self.version),
            group => format!("/apis/{group}/{}", self.version),
        };
        cluster.document(&path, "application/json", listener).await
    }

    fn add(&self, resources: &Value, catalog: &mut Catalog) {
        for resource in items(&resources["resources"]) {
            let place = (self.group.as_str(), self.version.as_str());
            let namespaced = resource["namespaced"] == true;
            let names = (&resource["kind"], &resource["name"]);
            add(catalog, place, names, namespaced, &resource["verbs"]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preferred_version_comes_first() {
        let document = serde_json::json!({"kind": "APIGroupList", "groups": [{
            "name": "a.example",
            "versions": [{"version": "v1beta1"}, {"version": "v1"}, {}],
            "preferredVersion": {"version": "v1"},
        }, {}]});
        let versions = versions(&document);
        let names = versions.iter().map(|known| format!("{}/{}", known.group, known.version));
        assert_eq!(names.collect::<Vec<_>>(), ["a.example/v1", "a.example/v1beta1"]);
    }
}
