//! What is there.

mod kind; // all that is wanted of one kind

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use kelson_model::ObjectId;
use kelson_plan::{Delivery, Listener, Live, Refusal, Wanted};

use self::kind::Sought;
use crate::{Cluster, Error};

impl Cluster {
    /// Reads what is wanted. With a delivery that has applied before (`labelled`), one LIST per kind by owner labels,
    /// namespaced where all are in one namespace, in pages; then GETs for what that did not bring, or, where many of one kind
    /// and namespace are missing, one LIST of metadata to learn which exist. Refused lists fall back to narrower ones, then
    /// to GETs; what cannot be read is [`Live::Unreadable`], never absent. What is as recorded is dropped while reading, so
    /// that memory does not grow with it.
    ///
    /// # Errors
    ///
    /// Fails where the cluster cannot be reached at all.
    pub async fn read(
        &self,
        wanted: &[Wanted],
        delivery: Option<&Delivery>,
        labelled: bool,
        field_manager: &str,
        listener: &dyn Listener,
    ) -> Result<HashMap<ObjectId, Live>, Error> {
        let selector = delivery.filter(|_| labelled).map(Delivery::selector);
        let selector = selector.as_deref();
        let kinds = by_kind(wanted, field_manager).into_iter();
        let reads = kinds.map(|sought| self.read_kind(Arc::new(sought), selector, listener));
        let mut reads = pin!(stream::iter(reads).buffer_unordered(self.parallel()));
        let mut live = HashMap::with_capacity(wanted.len());
        while let Some(part) = reads.try_next().await.map_err(unreachable)? {
            live.extend(part);
        }
        Ok(live)
    }
}

fn by_kind(wanted: &[Wanted], manager: &str) -> Vec<Sought> {
    let mut kinds: HashMap<(&str, &str, &str), Sought> = HashMap::new();
    for wanted in wanted {
        let kind = &wanted.kind;
        let key = (kind.group.as_str(), kind.version.as_str(), kind.plural.as_str());
        let sought = kinds.entry(key).or_insert_with(|| Sought::new(kind.clone(), manager));
        sought.names.insert(wanted.id.clone(), wanted.recorded.clone());
    }
    kinds.into_values().collect()
}

/// Whether a refusal is about the cluster and not about what was asked for: nothing else would fare better.
pub(crate) fn is_final(refusal: &Refusal) -> bool {
    refusal.code == 401 || refusal.code == 0 && refusal.reason.is_empty()
}

fn unreachable(refusal: Refusal) -> Error {
    Error::Refused { what: "read what is in the cluster".to_owned(), refusal }
}
