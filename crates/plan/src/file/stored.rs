//! The whole as it is stored.

use serde::{Deserialize, Serialize};

use super::step::StoredStep;
use super::{Approved, Asked, SCHEMA};
use crate::stored::is_false;
use crate::{Delivery, Hash, Options, Plan, PruneOptions, Take};

#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    schema: String,
    #[serde(default)]
    pub(super) digest: String,
    cluster: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    delivery: Option<StoredDelivery>,
    artifact: String,
    field_manager: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inventory: Option<String>,
    #[serde(default)]
    request: StoredRequest,
    #[serde(default)]
    options: StoredOptions,
    #[serde(default)]
    steps: Vec<StoredStep>,
}

#[derive(Serialize, Deserialize)]
struct StoredDelivery {
    name: String,
    namespace: String,
}

#[derive(Default, Serialize, Deserialize)]
struct StoredRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    revision: String,
    #[serde(default, skip_serializing_if = "is_false")]
    change_source: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    create_namespace: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    default_namespace: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignore: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rollback: Option<u64>,
}

#[derive(Default, Serialize, Deserialize)]
struct StoredOptions {
    #[serde(default)]
    take: StoredTake,
    #[serde(default)]
    adopt: bool,
    #[serde(default)]
    recreate: bool,
    #[serde(default)]
    check_creates: bool,
    #[serde(default)]
    prune: StoredPrune,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoredTake {
    #[default]
    Nothing,
    Fields(Vec<String>),
    All,
}

// A plan without these was made by nobody; it must not delete anything.
#[derive(Default, Serialize, Deserialize)]
struct StoredPrune {
    #[serde(default)]
    enabled: bool,
    #[serde(default)]
    data: bool,
    #[serde(default)]
    most: usize,
}

impl From<&Approved> for Stored {
    fn from(approved: &Approved) -> Self {
        let Approved { plan, options, inventory, request } = approved;
        Self {
            schema: SCHEMA.to_owned(),
            digest: String::new(),
            cluster: plan.cluster.clone(),
            delivery: plan.delivery.as_ref().map(|delivery| StoredDelivery {
                name: delivery.name().to_owned(),
                namespace: delivery.namespace().to_owned(),
            }),
            artifact: plan.artifact.clone(),
            field_manager: plan.field_manager.clone(),
            inventory: inventory.as_ref().map(Hash::to_string),
            request: request.into(),
            options: options.into(),
            steps: plan.steps.iter().map(StoredStep::from).collect(),
        }
    }
}

impl Stored {
    /// The plan again; the error says what is wrong with it.
    pub(super) fn approved(self) -> Result<Approved, String> {
        let delivery = self.delivery.map(|stored| Delivery::new(&stored.name, &stored.namespace));
        let delivery = delivery.transpose().map_err(|error| error.to_string())?;
        let inventory = self.inventory.as_deref().map(hash).transpose()?;
        let steps = self.steps.into_iter().map(StoredStep::step).collect::<Result<_, _>>()?;
        Ok(Approved {
            options: self.options.options(&self.field_manager),
            plan: Plan {
                delivery,
                cluster: self.cluster,
                artifact: self.artifact,
                field_manager: self.field_manager,
                steps,
            },
            inventory,
            request: self.request.into(),
        })
    }
}

/// Takes back a hash.
pub(super) fn hash(text: &str) -> Result<Hash, String> {
    let shown = || crate::stored::cropped(text);
    Hash::parse(text).ok_or_else(|| format!("`{}` is no hash of 64 hexadecimal digits", shown()))
}

impl From<&Asked> for StoredRequest {
    fn from(asked: &Asked) -> Self {
        let Asked { reference, sources, revision, .. } = asked.clone();
        let Asked { change_source, create_namespace, default_namespace, ignore, rollback, .. } =
            asked.clone();
        Self {
            reference,
            sources,
            revision,
            change_source,
            create_namespace,
            default_namespace,
            ignore,
            rollback,
        }
    }
}

impl From<StoredRequest> for Asked {
    fn from(stored: StoredRequest) -> Self {
        let StoredRequest { reference, sources, revision, change_source, .. } = stored;
        let StoredRequest { create_namespace, default_namespace, ignore, rollback, .. } = stored;
        Self {
            reference,
            sources,
            revision,
            change_source,
            create_namespace,
            default_namespace,
            ignore,
            rollback,
        }
    }
}

impl From<&Options> for StoredOptions {
    fn from(options: &Options) -> Self {
        Self {
            take: match &options.take {
                Take::Nothing => StoredTake::Nothing,
                Take::Fields(fields) => StoredTake::Fields(fields.clone()),
                Take::All => StoredTake::All,
            },
            adopt: options.adopt,
            recreate: options.recreate,
            check_creates: options.check_creates,
            prune: StoredPrune {
                enabled: options.prune.enabled,
                data: options.prune.data,
                most: options.prune.most,
            },
        }
    }
}

impl StoredOptions {
    fn options(self, field_manager: &str) -> Options {
        Options {
            field_manager: field_manager.to_owned(),
            take: match self.take {
                StoredTake::Nothing => Take::Nothing,
                StoredTake::Fields(fields) => Take::Fields(fields),
                StoredTake::All => Take::All,
            },
            adopt: self.adopt,
            recreate: self.recreate,
            check_creates: self.check_creates,
            prune: PruneOptions {
                enabled: self.prune.enabled,
                data: self.prune.data,
                most: self.prune.most,
                ..PruneOptions::default()
            },
            ..Options::default()
        }
    }
}
