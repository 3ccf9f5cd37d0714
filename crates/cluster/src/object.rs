//! One object: is it there, and away with it.

use kelson_model::{Object, ObjectId};
use kelson_plan::{Found, Ground, Kind, Listener, Refusal, Silent};

use crate::request::{Request, path, unreadable};
use crate::{Cluster, Error};

impl Cluster {
    /// An object, or nothing where it does not exist.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read.
    pub async fn get(&self, kind: &Kind, id: &ObjectId) -> Result<Option<Object>, Error> {
        self.find(kind, id, &Silent).await.map_err(|refusal| cannot("read", id, refusal))
    }

    /// Deletes an object, whatever it has become; one that does not exist is gone already.
    ///
    /// # Errors
    ///
    /// Fails where it is refused.
    pub async fn remove(&self, kind: &Kind, id: &ObjectId) -> Result<(), Error> {
        let sent = async {
            let request = Request::delete(path(kind, &id.namespace, &id.name)?, "");
            Ok(self.send(&request, &Silent).await?)
        };
        match sent.await {
            Ok(_) => Ok(()),
            Err(Refusal { code: 404, .. }) => Ok(()),
            Err(refusal) => Err(cannot("delete", id, refusal)),
        }
    }

    /// What a namespace is now, or nothing where it does not exist. One that may not be read counts as there: who may work
    /// in one namespace only may often not look at it, and what is written into it will tell.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read for another reason.
    pub async fn namespace(&self, name: &str) -> Result<Option<Ground>, Error> {
        let id = ObjectId::of_namespace(name);
        let object = match self.find(&Kind::namespaces(), &id, &Silent).await {
            Ok(object) => object,
            Err(refusal) if refusal.code == 403 => return Ok(Some(Ground::default())),
            Err(refusal) => return Err(cannot("read", &id, refusal)),
        };
        let found = object.map(|object| Found::new(object, ""));
        Ok(found.map(|found| Ground {
            uid: Some(found.uid),
            hash: Some(found.hash),
            resource_version: Some(found.resource_version),
            ..Ground::default()
        }))
    }

    /// An object, or nothing where it does not exist.
    pub(crate) async fn find(
        &self,
        kind: &Kind,
        id: &ObjectId,
        listener: &dyn Listener,
    ) -> Result<Option<Object>, Refusal> {
        let request = Request::get(path(kind, &id.namespace, &id.name)?);
        match self.send(&request, listener).await {
            Ok(answer) => Object::new(answer.node()?).map(Some).map_err(|_| unreadable()),
            Err(refused) if refused.refusal.code == 404 => Ok(None),
            Err(refused) => Err(refused.refusal),
        }
    }
}

fn cannot(what: &str, id: &ObjectId, refusal: Refusal) -> Error {
    Error::Refused { what: format!("{what} {id}"), refusal }
}
