//! Records are written while somebody looks at them.

use std::time::Duration;

use kelson_plan::Silent;

use super::envelope::{HEAD, LABEL};
use super::{collection, unreadable};
use crate::request::Request;
use crate::{Cluster, Error};

/// How long a watch may go on without a word.
const SILENCE: Duration = Duration::from_secs(300);
/// How long we wait where nothing can be watched, before the records are read again.
const PAUSE: Duration = Duration::from_secs(5);
/// A server that ends every watch at once is not asked without a pause.
const BREATH: Duration = Duration::from_secs(1);
/// Only that something was written is wanted, not what.
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// The inventories of a namespace, or of all, at a moment.
pub struct Stirs<'a> {
    cluster: &'a Cluster,
    collection: String,
    version: String,
}

impl<'a> Stirs<'a> {
    /// Remembers this moment. What is read afterwards is as new, or newer.
    ///
    /// # Errors
    ///
    /// Fails where inventories cannot be listed.
    pub async fn begin(cluster: &'a Cluster, namespace: Option<&str>) -> Result<Self, Error> {
        let collection = collection(namespace);
        let request = Self::of(&collection).with("limit", "1").accepting(LIST);
        let refused = |refusal| Error::Refused { what: "list inventories".to_owned(), refusal };
        let answer = cluster.send(&request, &Silent).await;
        let answer = answer.map_err(|answer| refused(answer.refusal))?;
        let version = answer.text_at("/metadata/resourceVersion");
        let version = version.ok_or_else(|| refused(unreadable()))?;
        Ok(Self { cluster, collection, version })
    }

    /// Waits until an inventory is written or removed, or until it is time to look all the same, since nothing can be
    /// watched.
    pub async fn next(&self) {
        loop {
            let request = Self::of(&self.collection)
                .with("watch", "1")
                .with("resourceVersion", self.version.as_str())
                .with("timeoutSeconds", SILENCE.as_secs().to_string())
                .accepting(METADATA);
            let Ok(mut lines) = self.cluster.stream(&request).await else {
                return tokio::time::sleep(PAUSE).await;
            };
            match tokio::time::timeout(SILENCE * 2, lines.next()).await {
                // That nothing happened for so long is no news; also where the connection is dead and nobody noticed.
                Ok(Ok(None)) | Err(_) => tokio::time::sleep(BREATH).await,
                Ok(Ok(Some(_))) => return,
                Ok(Err(_)) => return tokio::time::sleep(PAUSE).await,
            }
        }
    }

    fn of(collection: &str) -> Request {
        Request::get(collection)
            .with("labelSelector", LABEL)
            .with("fieldSelector", format!("type={}", HEAD.of_type))
    }
}
