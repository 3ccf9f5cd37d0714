//! The kinds that a cluster has: aggregated discovery, two requests; the older form where a server lacks that.

mod aggregated; // all groups in one document
mod legacy; // a document for each group and version

use kelson_plan::{Catalog, Kind, Listener, Refusal, Silent};
use serde_json::Value;

use crate::request::{Request, unreadable};
use crate::{Cluster, Error};

/// All groups in one document, or where a server does not know that, a list of them.
const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

impl Cluster {
    /// The kinds it has. Groups that cannot be read (an aggregated server that is down) are noted in
    /// [`Catalog::unreadable`]; the rest is there.
    ///
    /// # Errors
    ///
    /// Fails where nothing can be read.
    pub async fn catalog(&self) -> Result<Catalog, Error> {
        self.discover(&Silent).await.map_err(|refusal| {
            let what = "find out which kinds the cluster has".to_owned();
            Error::Refused { what, refusal }
        })
    }

    async fn discover(&self, listener: &dyn Listener) -> Result<Catalog, Refusal> {
        let (core, groups) = tokio::try_join!(
            self.document("/api", AGGREGATED, listener),
            self.document("/apis", AGGREGATED, listener),
        )?;
        let mut catalog = Catalog::default();
        for document in [core, groups] {
            match document["kind"].as_str() {
                Some("APIGroupDiscoveryList") => aggregated::read(&document, &mut catalog),
                Some("APIVersions" | "APIGroupList") => {
                    legacy::read(self, &document, &mut catalog, listener).await?;
                }
                _ => return Err(unreadable()),
            }
        }
        Ok(catalog)
    }

    async fn document(
        &self,
        path: &str,
        accept: &'static str,
        listener: &dyn Listener,
    ) -> Result<Value, Refusal> {
        let answer = self.send(&Request::get(path).accepting(accept), listener).await?;
        serde_json::from_str(&answer.text).map_err(|_| unreadable())
    }
}

/// Adds a kind, unless its objects cannot be read: those are no objects but questions, such as a TokenReview.
fn add(
    catalog: &mut Catalog,
    (group, version): (&str, &str),
    (kind, plural): (&Value, &Value),
    namespaced: bool,
    verbs: &Value,
) {
    let can_be_read = items(verbs).iter().any(|verb| verb == "get");
    let (Some(kind), Some(plural)) = (kind.as_str(), plural.as_str()) else { return };
    // A name with a slash is a part of another resource.
    if !can_be_read || kind.is_empty() || plural.contains('/') {
        return;
    }
    catalog.add(Kind {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
        namespaced,
        to_come: false,
    });
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
