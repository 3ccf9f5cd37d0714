//! Objects that we keep for ourselves: Leases, and the Secrets of inventories. Each is written whole, by server-side apply,
//! and only over the version that is known. Nothing of it waits for a turn: a Lease whose renewal stands behind slow requests
//! would be lost.

pub(crate) mod secret; // Secrets beside an inventory

use kelson_plan::{Listener, Refusal};
use serde_json::{Value, json};

use crate::Cluster;
use crate::apply::NEVER;
use crate::request::{Refused, Request, unreadable};

/// The manager of the fields of our own objects.
const MANAGER: &str = "kelson";

/// Which object, in which version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) uid: String,
    pub(crate) resource_version: String,
}

impl Version {
    pub(crate) fn of(object: &Value) -> Option<Self> {
        let text = |field: &str| Some(object["metadata"][field].as_str()?.to_owned());
        Some(Self { uid: text("uid")?, resource_version: text("resourceVersion")? })
    }
}

/// Reads one; nothing where there is none.
pub(crate) async fn read(
    cluster: &Cluster,
    path: &str,
    listener: &dyn Listener,
) -> Result<Option<(Value, Version)>, Refusal> {
    match cluster.send_at_once(&Request::get(path), listener).await {
        Ok(answer) => {
            let object: Value = serde_json::from_str(&answer.text).map_err(|_| unreadable())?;
            let version = Version::of(&object).ok_or_else(unreadable)?;
            Ok(Some((object, version)))
        }
        Err(refused) if refused.refusal.code == 404 => Ok(None),
        Err(refused) => Err(refused.refusal),
    }
}

/// Writes one over a version, or where none may exist yet. Refused with 409 where that is not so.
pub(crate) async fn write(
    cluster: &Cluster,
    path: &str,
    mut object: Value,
    over: Option<&Version>,
    listener: &dyn Listener,
) -> Result<Version, Refused> {
    match over {
        None => object["metadata"]["resourceVersion"] = NEVER.into(),
        Some(version) => {
            object["metadata"]["resourceVersion"] = version.resource_version.as_str().into();
            object["metadata"]["uid"] = version.uid.as_str().into();
        }
    }
    write_anyway(cluster, path, &object, listener).await
}

/// Writes one, whatever is there.
pub(crate) async fn write_anyway(
    cluster: &Cluster,
    path: &str,
    object: &Value,
    listener: &dyn Listener,
) -> Result<Version, Refused> {
    let request = Request::apply(path, object.to_string())
        .with("fieldManager", MANAGER)
        .with("force", "true");
    let answer = cluster.send_at_once(&request, listener).await?;
    let written = serde_json::from_str(&answer.text).ok();
    let version = written.as_ref().and_then(Version::of);
    version.ok_or_else(|| Refused { refusal: unreadable(), unsure: true })
}

/// Deletes one in a version. Refused with 409 where it has another, and with 404 where it is gone.
pub(crate) async fn delete(
    cluster: &Cluster,
    path: &str,
    version: &Version,
    listener: &dyn Listener,
) -> Result<(), Refused> {
    let request = Request::delete(path, deletion(&version.uid, Some(&version.resource_version)));
    cluster.send_at_once(&request, listener).await.map(|_| ())
}

/// The options of a delete that is meant for one object, and where given for one version of it. What it owns goes with it,
/// after it.
pub(crate) fn deletion(uid: &str, resource_version: Option<&str>) -> String {
    delete_options(uid, resource_version).to_string()
}

/// The same, only tried. It is said in the body: what an address says is passed over where there is one.
pub(crate) fn tried_deletion(uid: &str) -> String {
    let mut options = delete_options(uid, None);
    options["dryRun"] = json!(["All"]);
    options.to_string()
}

fn delete_options(uid: &str, resource_version: Option<&str>) -> Value {
    let mut preconditions = json!({"uid": uid});
    if let Some(version) = resource_version {
        preconditions["resourceVersion"] = version.into();
    }
    json!({
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": "Background",
        "preconditions": preconditions,
    })
}
