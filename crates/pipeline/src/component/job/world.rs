//! What a job needs from outside.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use kelson_artifact::registry::Client;
use kelson_artifact::{Descriptor, Reference, Store};
use kelson_model::Secret;
use kelson_source::git;
use tokio::sync::{OnceCell, Semaphore};

use super::{Error, Events};
use crate::plan::OciRegistryRepository;

/// Makes a client that proves who it is by a user and a password.
pub type Connect =
    Arc<dyn Fn(&str, &Secret) -> Result<Client, kelson_artifact::Error> + Send + Sync>;

/// Accepts or refuses somebody else's artifact, before anything of it is read.
pub type Verify = Arc<
    dyn for<'a> Fn(&'a Store, &'a Descriptor) -> BoxFuture<'a, Result<(), kelson_artifact::Error>>
        + Send
        + Sync,
>;

/// What jobs need from outside. Cheap to clone.
#[derive(Clone)]
pub struct World {
    /// How registries are reached.
    pub client: Client,
    /// How they are reached with credentials of a plan's own.
    pub connect: Connect,
    /// Who judges somebody else's artifacts.
    pub verify: Option<Verify>,
    /// Who is told of what happens.
    pub events: Events,
    /// Users and passwords for repositories, by host.
    pub git: Arc<BTreeMap<String, (String, Secret)>>,
    /// Certificates, as PEM, of authorities that the servers of repositories are believed by besides the system's.
    pub authorities: Arc<Vec<Vec<u8>>>,
    /// Users and passwords that components name by `credentials_ref`.
    pub credentials: Arc<BTreeMap<String, (String, Secret)>>,
    /// Repositories that were fetched in this run.
    pub repositories: Repositories,
    /// Who may render: as many at once as there are processors.
    pub(in crate::component) rendering: Arc<Semaphore>,
}

impl World {
    /// A world where nobody is told anything and no credentials are known but the client's own.
    pub fn new(client: Client, connect: Connect) -> Self {
        Self {
            client,
            connect,
            verify: None,
            events: Arc::new(|_| {}),
            git: Arc::default(),
            authorities: Arc::default(),
            credentials: Arc::default(),
            repositories: Repositories::default(),
            rendering: Arc::new(Semaphore::new(
                std::thread::available_parallelism().map_or(1, usize::from),
            )),
        }
    }

    /// Opens the place that a plan names, with the plan's own credentials where it has any.
    pub(in crate::component) fn store(
        &self,
        registry: &OciRegistryRepository,
        reference: &Reference,
    ) -> Result<Store, Error> {
        match registry.username.is_empty() && registry.password.is_empty() {
            true => Ok(Store::open(&reference.place, &self.client)),
            false => {
                let password = Secret::new(registry.password.clone());
                let client = (self.connect)(&registry.username, &password)?;
                Ok(Store::open(&reference.place, &client))
            }
        }
    }

    /// Opens somebody else's place.
    pub(in crate::component) fn foreign(
        &self,
        reference: &Reference,
        credentials: &str,
    ) -> Result<Store, Error> {
        if credentials.is_empty() {
            return Ok(Store::open(&reference.place, &self.client));
        }
        let (user, password) = self.credentials.get(credentials).ok_or_else(|| {
            Error::Plan(format!("no credentials named `{credentials}` were given"))
        })?;
        let client = (self.connect)(user, password)?;
        Ok(Store::open(&reference.place, &client))
    }
}

impl World {
    /// Has an artifact judged, where somebody does.
    pub(in crate::component) async fn verified(
        &self,
        store: &Store,
        reference: &Reference,
        found: &Descriptor,
    ) -> Result<(), Error> {
        let Some(verify) = &self.verify else { return Ok(()) };
        verify(store, found).await.map_err(|source| Error::Unverified {
            reference: reference.to_string(),
            source: Box::new(source),
        })
    }
}

/// A commit that several components come from is fetched once in a run.
#[derive(Clone, Default)]
pub struct Repositories(Arc<Mutex<HashMap<Key, Slot>>>);

type Slot = Arc<OnceCell<Arc<git::Fetched>>>;

#[derive(PartialEq, Eq, Hash)]
struct Key {
    url: String,
    reference: String,
    submodules: bool,
}

impl Repositories {
    pub(in crate::component) async fn fetch(
        &self,
        url: &str,
        reference: &str,
        options: &git::Options,
    ) -> Result<Arc<git::Fetched>, git::Error> {
        let key = Key {
            url: url.to_owned(),
            reference: reference.to_owned(),
            submodules: options.submodules,
        };
        let slot = {
            let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            Arc::clone(known.entry(key).or_default())
        };
        let wanted = match reference {
            "" => git::Ref::Default,
            name => git::Ref::Any(name.to_owned()),
        };
        let fetch = || async { git::fetch(url, &wanted, options).await.map(Arc::new) };
        slot.get_or_try_init(fetch).await.cloned()
    }
}
