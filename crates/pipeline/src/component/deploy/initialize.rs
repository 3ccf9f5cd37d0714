//! Gets what is deployed: the artifact by its digest, with its places filled.

use std::sync::Arc;

use kelson_artifact::{Content, Digest, Pulled, Reference, Store, annotation};
use kelson_cluster::Cluster;
use kelson_model::{MemoryTree, Object, Sources, Tree};
use kelson_plan::file::Asked;
use kelson_plan::{Delivery, Event};

use super::result::Course;
use super::validate::{Artifact, Valid};
use super::{Job, kept, labels, naming};
use crate::component::Error;
use crate::component::fill::{Values, fill, fill_text};
use crate::component::job::{on_thread, refuse};
use crate::deliver::{Keep, Request};
use crate::plan::OciArtifactRef;
use crate::{PackageError, component};

/// What is ready to be deployed.
pub(super) struct Prepared {
    pub(super) cluster: Cluster,
    pub(super) objects: Vec<Object>,
    pub(super) request: Request,
    pub(super) asked: Asked,
}

/// What an artifact comes to.
#[derive(Default)]
struct Brought {
    objects: Vec<Object>,
    /// The digest of what holds these objects just so.
    digest: String,
    revision: String,
    /// The artifact by its digest.
    reference: Option<String>,
    keep: Keep,
}

pub(super) async fn prepare(
    job: &Job<'_>,
    valid: &Valid<'_>,
    course: &mut Course,
) -> Result<Prepared, Error> {
    let values = values(job, valid)?;
    let namespace = fill_text("kubernetes_manifest.namespace", &valid.deploy.namespace, &values)?;
    let delivery = naming::delivery(job.plan, job.options.name.as_deref(), &namespace)?;
    course.delivery = Some(delivery.clone());
    let cluster = Cluster::connect(&valid.connection).await?;
    let mut brought = Brought::default();
    if let Some(artifact) = &valid.artifact {
        brought = bring(job, valid, artifact, values, course).await?;
        let source = brought.reference.clone().unwrap_or_default();
        job.listener.hear(&Event::Read { source, objects: brought.objects.len() });
    }
    let (request, asked) = requested(job, valid, delivery, &brought);
    Ok(Prepared { cluster, objects: brought.objects, request, asked })
}

/// The state of the plan, those of the caller over it, and single values over all.
fn values(job: &Job<'_>, valid: &Valid<'_>) -> Result<Values, Error> {
    let mut values = Values::default();
    let wrong = |error: component::fill::BadValue| Error::Plan(error.to_string());
    let state = valid.deploy.state.iter().filter(|state| !state.is_null());
    for state in state.chain(&job.options.states) {
        values.add_state(state).map_err(wrong)?;
    }
    for (path, text) in &job.options.values {
        values.set(path, text).map_err(wrong)?;
    }
    Ok(values)
}

/// Pulls the artifact, renders it and fills its places.
async fn bring(
    job: &Job<'_>,
    valid: &Valid<'_>,
    artifact: &Artifact<'_>,
    values: Values,
    course: &mut Course,
) -> Result<Brought, Error> {
    let reference = pinned(valid, artifact)?;
    let store = match artifact.registry {
        Some(registry) => job.world.store(registry, &reference)?,
        None => job.world.foreign(&reference, artifact.credentials)?,
    };
    let pulled = pull(job, &store, &reference).await?;
    let digest = pulled.descriptor.digest;
    course.artifact = Some(OciArtifactRef {
        url: reference.place.to_string(),
        tag: reference.tag.clone().unwrap_or_default(),
        digest: digest.to_string(),
    });
    let revision = pulled.manifest.annotations.get(annotation::OCI_REVISION).cloned();
    let labels: Vec<_> =
        labels::of(job.plan)?.into_iter().map(|(key, id)| (key, id.to_owned())).collect();
    let (exact, was_sealed) = (kept::exact(&reference, digest), kept::was_sealed(&pulled));
    let reference = exact.to_string();
    let work = move || {
        let (objects, sources) = objects(&pulled)?;
        let (mut objects, filling) = fill(objects, &values, &sources)?;
        labels::add(&mut objects, &labels)?;
        let is_as_it_was = filling.places == 0 && labels.is_empty();
        let filled = (!is_as_it_was).then(|| kept::pack(&objects)).transpose()?;
        Ok::<_, Error>((objects, filling, filled))
    };
    let (objects, filling, filled) = on_thread(&job.world.rendering, work).await?;
    course.warnings.extend(filling.warnings);
    let (tag, reference) = (artifact.reference.tag.as_deref(), Some(reference));
    Ok(match filled {
        Some(packed) => Brought {
            objects,
            digest: packed.manifest.descriptor.digest.to_string(),
            revision: kept::revision(tag, digest),
            reference,
            keep: kept::keep(&packed, was_sealed),
        },
        None => Brought {
            objects,
            digest: digest.to_string(),
            revision: revision.unwrap_or_default(),
            reference,
            keep: kept::keep_as_it_is(&store, &exact).await,
        },
    })
}

/// Which artifact is pulled: an approved plan knows it by its digest, whatever a tag says today.
fn pinned(valid: &Valid<'_>, artifact: &Artifact<'_>) -> Result<Reference, Error> {
    let reference = artifact.reference.clone();
    let (None, Some(approval)) = (&reference.digest, &valid.approval) else {
        return match reference.tag.is_some() || reference.digest.is_some() {
            true => Ok(reference),
            false => refuse("kubernetes_manifest.oci_artifact requires either tag or digest"),
        };
    };
    let named = approval.approved.request.reference.as_deref().unwrap_or_default();
    let digest = named.rsplit_once('@').and_then(|(_, digest)| digest.parse::<Digest>().ok());
    match digest {
        Some(digest) => Ok(Reference { digest: Some(digest), ..reference }),
        None => refuse("apply_plan_contents: its plan names no artifact by digest"),
    }
}

/// Has the artifact judged before anything of it is read.
async fn pull(job: &Job<'_>, store: &Store, reference: &Reference) -> Result<Pulled, Error> {
    let found = store.find(reference).await?;
    job.world.verified(store, reference, &found).await?;
    let exact = Reference { digest: Some(found.digest), ..reference.clone() };
    Ok(kelson_artifact::pull(store, &exact, &job.options.pull).await?)
}

/// The objects of an artifact, and the texts that they were in.
fn objects(pulled: &Pulled) -> Result<(Vec<Object>, Sources), Error> {
    let (tree, root): (Arc<dyn Tree>, &str) = match &pulled.content {
        Content::Objects(text) => {
            let mut tree = MemoryTree::default();
            tree.insert("/all.yaml", text.as_bytes());
            (Arc::new(tree), "/all.yaml")
        }
        Content::Tree => (Arc::new(pulled.tree.clone()), "/"),
    };
    // A stranger's files do not reach out of themselves.
    let mut options = kelson_render::Options { places: true, ..kelson_render::Options::default() };
    options.kustomize.root_only = true;
    let build = crate::render(&*tree, root, &options).map_err(PackageError::Render)?;
    let objects = build.objects.into_iter().map(|object| {
        let id = format!("{}/{}", object.kind(), object.name());
        if kelson_render::is_sealed(&object.node) {
            let why = "it is encrypted with SOPS, and cannot be decrypted here yet";
            return Err(Error::Objects(vec![format!("{id}: {why}")]));
        }
        Object::new(object.node).map_err(|error| Error::Objects(vec![format!("{id}: {error}")]))
    });
    let objects = objects.collect::<Result<Vec<_>, _>>()?;
    match objects.is_empty() {
        true => Err(PackageError::Empty.into()),
        false => Ok((objects, build.sources)),
    }
}

/// What the cluster is asked for, and what of it a plan file remembers.
fn requested(
    job: &Job<'_>,
    valid: &Valid<'_>,
    delivery: Delivery,
    brought: &Brought,
) -> (Request, Asked) {
    let options = match &valid.approval {
        // What was approved was made with its own options; only the key of its masks is not in it.
        Some(approval) => {
            let key = job.options.plan.key.clone();
            kelson_plan::Options { key, ..approval.approved.options.clone() }
        }
        None => job.options.plan.clone(),
    };
    let component = naming::component(job.plan).unwrap_or_else(|| delivery.name());
    // Where an artifact is copied to does not matter; which component it is does.
    let sources = match valid.artifact.is_some() {
        true => vec![format!("component:{component}")],
        false => Vec::new(),
    };
    let asked = Asked {
        reference: brought.reference.clone(),
        sources,
        revision: brought.revision.clone(),
        change_source: job.options.change_source,
        create_namespace: valid.artifact.is_some(),
        default_namespace: delivery.namespace().to_owned(),
        ignore: Vec::new(),
        rollback: None,
    };
    let request = Request {
        delivery: Some(delivery),
        artifact: brought.digest.clone(),
        revision: asked.revision.clone(),
        sources: asked.sources.clone(),
        change_source: asked.change_source,
        create_namespace: asked.create_namespace,
        default_namespace: asked.default_namespace.clone(),
        ignore: Vec::new(),
        options,
        keep: brought.keep.clone(),
        rollback: None,
    };
    (request, asked)
}
