//! The namespace that holds an inventory, made before it.

use kelson_model::{Object, ObjectId};
use kelson_plan::{Found, Ground, Kind, Refusal, Silent, managers};
use kelson_yaml::{Span, json};

use crate::apply::{Pin, pinned};
use crate::request::{Request, path, unreadable};
use crate::{Cluster, Error, wait};

impl Cluster {
    /// Makes a namespace with labels, by server-side apply. One that is there with these labels and our manager was made by
    /// us, in a run that came no further, and is given back too; nothing where it is somebody else's.
    ///
    /// It comes before the Lease and the inventory, which are in it. Until the inventory lists it, its labels tell whose it
    /// is.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be made.
    pub async fn create_namespace(
        &self,
        name: &str,
        labels: &[(&str, &str)],
        field_manager: &str,
    ) -> Result<Option<Ground>, Error> {
        let made = self.make_namespace(name, labels, field_manager).await;
        made.map_err(|refusal| Error::Refused { what: format!("create namespace {name}"), refusal })
    }

    async fn make_namespace(
        &self,
        name: &str,
        labels: &[(&str, &str)],
        field_manager: &str,
    ) -> Result<Option<Ground>, Refusal> {
        let (kind, id) = (Kind::namespaces(), ObjectId::of_namespace(name));
        let labels: serde_json::Map<_, _> =
            labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
        let body = serde_json::json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": labels},
        });
        let node = json::read(&body.to_string(), Span::NONE).map_err(|_| unreadable())?;
        let text = pinned(&node, Pin::Absent).map_err(|_| unreadable())?;
        let request = Request::apply(path(&kind, "", name)?, text)
            .with("fieldManager", field_manager)
            .with("force", "true");
        let node = match self.send(&request, &Silent).await {
            Ok(answer) => answer.node()?,
            Err(refused) => match wait::read(self, &kind, &id, &Silent).await? {
                Some(node) => node,
                None => return Err(refused.refusal),
            },
        };
        let found = Found::new(Object::new(node).map_err(|_| unreadable())?, field_manager);
        let bears =
            |(key, value): (&String, &serde_json::Value)| found.label(key) == value.as_str();
        let is_ours = labels.iter().all(bears)
            && managers(&found.object.node)
                .iter()
                .any(|known| known.applies && known.name == field_manager);
        let ground = Ground {
            uid: Some(found.uid),
            hash: Some(found.hash),
            resource_version: Some(found.resource_version),
            owned: Some(found.owned),
        };
        Ok(is_ours.then_some(ground))
    }
}
