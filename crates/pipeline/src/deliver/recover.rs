//! A record that was lost is rebuilt from what the objects in the cluster say.

use kelson_cluster::{Cluster, Held, Lease};
use kelson_plan::{Delivery, Listener};

use super::{DeliverError, Execution, Request};

/// Looks for the objects of a delivery and enters those that the record lacks. Nothing is written yet.
///
/// # Errors
///
/// Fails where nothing can be listed.
pub async fn recover(
    cluster: &Cluster,
    delivery: &Delivery,
    request: &Request,
    listener: &dyn Listener,
) -> Result<Held, DeliverError> {
    let (catalog, held) =
        tokio::try_join!(cluster.catalog(), Held::load_anyway(cluster, delivery))?;
    let mut held = held;
    let manager = &request.options.field_manager;
    let found = kelson_cluster::recover(cluster, delivery, &catalog, manager, listener).await?;
    for entry in found.entries {
        if held.inventory.entry(&entry.id).is_none() {
            held.inventory.put(entry);
        }
    }
    if held.inventory.field_manager.is_empty() {
        held.inventory.field_manager.clone_from(manager);
    }
    if held.inventory.key.is_empty() {
        held.inventory.key = request.options.key.bytes().to_vec();
    }
    Ok(held)
}

/// Writes a record that was rebuilt.
///
/// # Errors
///
/// Fails where somebody is applying, or has written the record since.
pub async fn save(
    cluster: &Cluster,
    held: &mut Held,
    execution: &Execution,
    listener: &dyn Listener,
) -> Result<(), DeliverError> {
    let lease = Lease::take(cluster, &held.delivery, &execution.lease, listener).await?;
    let saved = held.save(cluster).await;
    lease.release().await;
    Ok(saved?)
}
