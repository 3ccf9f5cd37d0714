//! A transformer that is set up and ready to run over all objects.

use std::sync::Arc;

use hashbrown::HashMap;
use kelson_model::nearest;
use kelson_yaml::{Touch, json};

use crate::context::Context;
use crate::decode::Str;
use crate::decode::value::Map;
use crate::fault::{Fault, Result};
use crate::fieldspec::Specs;
use crate::hash;
use crate::id::Gvk;
use crate::kustomization::{ReplacementInFile, Replica};
use crate::metadata::Origin;
use crate::plugins::function::FunctionPlugin;
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::retype;
use crate::selector::Selector;
use crate::transform::namespace::{Namespace, Subjects};
use crate::transform::patches::{self, Patch, Strategic};
use crate::transform::{
    affix, annotations, images, labels, namespace, replacement, replicas, value_add,
};

/// A transformer with its place in the kustomization.
pub(crate) struct Instance {
    pub(crate) work: Work,
    pub(crate) touch: Touch,
    /// What `buildMetadata` says of it.
    pub(crate) origin: Option<Arc<Origin>>,
}

/// What a transformer does.
pub(crate) enum Work {
    Strategic(Strategic),
    Patch(Box<Patch>),
    Namespace {
        name: Str,
        specs: Arc<Specs>,
        unset_only: bool,
        subjects: Subjects,
    },
    Affix {
        side: affix::Side,
        text: Str,
        specs: Arc<Specs>,
    },
    Labels {
        map: Map,
        specs: Arc<Specs>,
    },
    Annotations {
        map: Map,
        specs: Arc<Specs>,
    },
    Images {
        entries: Vec<images::Entry>,
        places: Vec<Str>,
        specs: Arc<Specs>,
    },
    Replicas {
        replica: Replica,
        specs: Arc<Specs>,
    },
    Replacements(Vec<ReplacementInFile>),
    ValueAdd {
        value: Str,
        targets: Vec<ValueTarget>,
    },
    Hash,
    Function(Box<FunctionPlugin>),
    /// Only counted: another instance has done its work already.
    Nothing,
    Several(Vec<Instance>),
}

/// Where a `ValueAddTransformer` puts its value.
pub(crate) struct ValueTarget {
    /// Which objects; all of them where there is none.
    pub(crate) selector: Option<Selector>,
    pub(crate) path: Str,
    pub(crate) position: i64,
}

impl Instance {
    /// Runs over all objects.
    pub(crate) fn apply(&self, context: &mut Context<'_>, resources: &mut ResMap) -> Result<()> {
        let touch = self.touch;
        match &self.work {
            Work::Strategic(patches) => patches.apply(context, resources, touch),
            Work::Patch(patch) => patch.apply(context, resources, touch),
            Work::Namespace { name, specs, unset_only, subjects } => {
                let namespace =
                    Namespace { name, specs, unset_only: *unset_only, subjects: *subjects };
                set_namespace(resources, namespace, touch)
            }
            Work::Affix { side, text, specs } => for_each(resources, true, |resource, scope| {
                affix::apply(resource, *side, text, specs, scope, touch).map(drop)
            }),
            Work::Labels { map, specs } => for_each(resources, false, |resource, _| {
                labels::apply(resource, map, specs, touch).map(drop)
            }),
            Work::Annotations { map, specs } => for_each(resources, false, |resource, _| {
                annotations::apply(resource, map, specs, touch).map(drop)
            }),
            Work::Images { entries, places, specs } => {
                edit_images(context, resources, entries, places, specs)
            }
            Work::Replicas { replica, specs } => set_replicas(resources, replica, specs, touch),
            Work::Replacements(list) => replace(context, resources, list, touch),
            Work::ValueAdd { value, targets } => {
                add_value(context, resources, value, targets, touch)
            }
            Work::Hash => hash::add_suffixes(resources, |_| touch),
            Work::Function(function) => function.transform(context, resources),
            Work::Nothing => Ok(()),
            Work::Several(list) => list.iter().try_for_each(|it| it.apply(context, resources)),
        }
    }
}

/// Lets something change every object; `renames` says that ids may change.
fn for_each(
    resources: &mut ResMap,
    renames: bool,
    mut change: impl FnMut(&mut Resource, bool) -> Result<()>,
) -> Result<()> {
    let schema = Arc::clone(&resources.scopes);
    let list = if renames { resources.list_mut().as_mut_slice() } else { resources.contents_mut() };
    for resource in list.iter_mut().filter(|resource| !resource.is_empty()) {
        let is_cluster_scoped = renames && schema.is_cluster_scoped(&resource.gvk());
        change(resource, is_cluster_scoped)?;
    }
    Ok(())
}

/// An id that can be counted.
type Counted = (Gvk, String, String);

/// Sets the namespace everywhere. After each object its id must be the only one of its kind.
fn set_namespace(resources: &mut ResMap, namespace: Namespace<'_>, touch: Touch) -> Result<()> {
    if namespace.name.is_empty() {
        return Ok(());
    }
    let schema = Arc::clone(&resources.scopes);
    let key = |resource: &Resource| -> Counted {
        let gvk = resource.gvk();
        let effective = resource.effective_namespace(schema.is_cluster_scoped(&gvk)).to_owned();
        (gvk, resource.name().to_owned(), effective)
    };
    let mut counts: HashMap<Counted, usize> = HashMap::new();
    for resource in resources.list() {
        *counts.entry(key(resource)).or_default() += 1;
    }
    let mut conflict = None;
    for resource in resources.list_mut() {
        if resource.is_empty() || resource.is_helm {
            continue;
        }
        let before = key(resource);
        let is_cluster_scoped = schema.is_cluster_scoped(&before.0);
        namespace::apply(resource, namespace, is_cluster_scoped, touch)?;
        let after = key(resource);
        if let Some(count) = counts.get_mut(&before) {
            *count -= 1;
        }
        let count = counts.entry(after.clone()).or_default();
        *count += 1;
        if *count != 1 {
            conflict = Some(after);
            break;
        }
    }
    match conflict {
        Some(id) => {
            let list = resources.list();
            Err(id_conflict(list.iter().filter(|resource| key(resource) == id), namespace.name))
        }
        None => Ok(()),
    }
}

/// The error of objects that the namespace makes one.
fn id_conflict<'a>(matches: impl Iterator<Item = &'a Resource>, name: &Str) -> Box<Fault> {
    let matches: Vec<&Resource> = matches.collect();
    let shown = matches.iter().map(|resource| {
        let mut text = String::new();
        let _ = json::write(&crate::metadata::with_books(resource), &mut text);
        text
    });
    let text =
        format!("namespace transformation produces ID conflict: {}", crate::gotext::list(shown));
    let what = matches.first().map(|it| format!("{} `{}`", it.kind(), it.name()));
    let mut fault = Fault::new("id-conflict", text)
        .saying(format!("in one namespace there would be two of the {}", what.unwrap_or_default()))
        .at(name.span, "this namespace");
    for resource in matches.iter().take(5) {
        fault = fault.at(resource.node.span, "");
    }
    fault
}

/// Edits the images of all objects; under strictness each entry must find one.
fn edit_images(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    entries: &[images::Entry],
    places: &[Str],
    specs: &Specs,
) -> Result<()> {
    let options = images::Options { once: context.options.strict };
    let mut hits = vec![false; entries.len()];
    for_each(resources, false, |resource, _| {
        let found = images::apply(resource, entries, specs, options)?;
        hits.iter_mut().zip(found).for_each(|(hit, found)| *hit |= found);
        Ok(())
    })?;
    let used = match context.options.strict && hits.contains(&false) {
        true => resources.list().iter().flat_map(|it| images::names(&it.node)).collect(),
        false => Vec::new(),
    };
    for (place, _) in places.iter().zip(hits).filter(|(_, hit)| !hit) {
        context.note_strict(|| {
            let text = format!("no container uses the image `{}`", &**place);
            let fault = Fault::new("image-matches-nothing", text).at(place.span, "used nowhere");
            match nearest(place, used.iter().map(String::as_str)) {
                Some(near) => fault.help(format!("there is the image `{near}`")),
                None => fault.help("take the entry out, or give the name that a container uses"),
            }
        });
    }
    Ok(())
}

/// Sets the replicas of the objects that have or had a name.
fn set_replicas(
    resources: &mut ResMap,
    replica: &Replica,
    specs: &Specs,
    touch: Touch,
) -> Result<()> {
    let mut found = false;
    for at in resources.named(&replica.name) {
        found |= replicas::apply(&mut resources.contents_mut()[at], replica, specs, touch)?;
    }
    if found {
        return Ok(());
    }
    let fault = replicas::no_match(replica, specs);
    let kinds: Vec<&str> = specs.list().iter().map(|spec| spec.gvk.kind.as_str()).collect();
    let alike = resources.list().iter().filter(|it| kinds.contains(&it.kind()));
    Err(match nearest(&replica.name, alike.map(Resource::name)) {
        Some(near) => fault.help(format!("there is `{near}`")),
        None => fault,
    })
}

/// Does the replacements; under strictness each target must select something.
fn replace(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    list: &[ReplacementInFile],
    touch: Touch,
) -> Result<()> {
    let sources = Some(&context.sources);
    let options = replacement::Options { whole_values: context.options.strict, sources };
    resources.drop_empty();
    let done = replacement::apply(resources.list_mut(), list, options, touch)?;
    for retyped in done.retyped {
        context.note_strict(|| retyped.fault());
    }
    for (replacement, hits) in list.iter().zip(done.hits) {
        for (target, _) in replacement.targets.iter().zip(hits).filter(|(_, hit)| !hit) {
            let span = target.as_ref().map_or(replacement.span, |target| target.span);
            let select = target.as_ref().and_then(|target| target.select.as_ref());
            let near = select.and_then(|it| resources.near_miss(&it.kind, &it.name));
            context.note_strict(|| {
                let help = || "take the target out, or make it select an object".to_owned();
                let text = "the target of the replacement selects nothing";
                Fault::new("replacement-matches-nothing", text)
                    .at(span, "selects no object")
                    .help(near.unwrap_or_else(help))
            });
        }
    }
    Ok(())
}

/// Puts a value into fields of the selected objects.
fn add_value(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    value: &Str,
    targets: &[ValueTarget],
    touch: Touch,
) -> Result<()> {
    for target in targets {
        let selected = match &target.selector {
            Some(selector) => patches::select(selector, resources)?,
            None => (0..resources.len()).collect(),
        };
        for at in selected {
            let is_cluster_scoped = resources.is_cluster_scoped(at);
            retype::watched(context, resources, at, |resource| {
                let (path, position) = (&target.path, target.position);
                value_add::apply(resource, value, path, position, is_cluster_scoped, touch)
            })?;
        }
    }
    Ok(())
}
