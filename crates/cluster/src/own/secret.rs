//! Secrets beside an inventory: what they have in common, and how they are found and removed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kelson_plan::{Delivery, Refusal, Silent};
use serde_json::{Value, json};

use crate::Cluster;
use crate::request::{Request, unreadable};

/// How much one Secret holds: it may have 1 MiB, and what it is sent in somewhat more.
pub(crate) const PIECE: usize = 700 << 10;

/// One sort of Secrets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sort {
    /// Their type.
    pub(crate) of_type: &'static str,
    /// The label with the name of the delivery.
    pub(crate) label: &'static str,
}

impl Sort {
    /// A Secret of the sort.
    pub(crate) fn object(self, delivery: &Delivery, name: &str, data: &Value) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": name,
                "namespace": delivery.namespace(),
                "labels": {"app.kubernetes.io/managed-by": "kelson", (self.label): delivery.name()},
            },
            "type": self.of_type,
            "data": data,
        })
    }

    /// The names of those that a delivery has.
    pub(crate) async fn names(
        self,
        cluster: &Cluster,
        delivery: &Delivery,
    ) -> Result<Vec<String>, Refusal> {
        // Only names are wanted, not the megabytes that they hold.
        let request = Request::get(path(delivery, "").trim_end_matches('/'))
            .with("labelSelector", format!("{}={}", self.label, delivery.name()))
            .with("fieldSelector", format!("type={}", self.of_type))
            .accepting("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
        let answer = cluster.send(&request, &Silent).await.map_err(|refused| refused.refusal)?;
        let list: Value = serde_json::from_str(&answer.text).map_err(|_| unreadable())?;
        let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names = items.iter().filter_map(|item| item["metadata"]["name"].as_str());
        Ok(names.map(str::to_owned).collect())
    }
}

/// Removes one; one that is gone is as good.
pub(crate) async fn remove(
    cluster: &Cluster,
    delivery: &Delivery,
    name: &str,
) -> Result<(), Refusal> {
    let request = Request::delete(path(delivery, name), "");
    match cluster.send(&request, &Silent).await {
        Err(refused) if refused.refusal.code != 404 => Err(refused.refusal),
        _ => Ok(()),
    }
}

/// The address of a Secret, or with no name that of all.
pub(crate) fn path(delivery: &Delivery, name: &str) -> String {
    format!("/api/v1/namespaces/{}/secrets/{name}", delivery.namespace())
}

/// What a Secret has under a key.
pub(crate) fn bytes(secret: &Value, key: &str) -> Option<Vec<u8>> {
    STANDARD.decode(secret["data"][key].as_str()?).ok()
}

/// A text that a Secret has under a key.
pub(crate) fn text(secret: &Value, key: &str) -> Option<String> {
    String::from_utf8(bytes(secret, key)?).ok()
}
