//! Objects and what they have brought about, as a tree.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kelson_plan::{Blame, Listener, blame};
use tokio::sync::watch;

use super::behind::Child;
use super::scene::{Depth, Manner, Scene, unix_now};
use super::{Branch, GRACE, ObserveOptions, ObservedObject, Target};
use crate::wait::stopped;
use crate::{Cluster, Error};

/// How deep a tree may be: what owns what is for anybody to write.
const DEEPEST: usize = 16;
/// The shortest time between two trees.
const MOMENT: Duration = Duration::from_millis(250);

/// Looks at objects and what they own, once. Costs a list per kind and namespace, not a request per object.
///
/// # Errors
///
/// Fails where the cluster cannot be reached at all; what may not be read is [`kelson_plan::Health::Unknown`].
pub async fn family(
    cluster: &Cluster,
    targets: &[Target],
    options: &ObserveOptions,
    listener: &dyn Listener,
) -> Result<Vec<Branch>, Error> {
    let mut scene = Scene::begin(cluster, targets, options, listener, manner(options, true));
    scene.hear_all().await?;
    scene.want_reasons();
    scene.hear_all().await?;
    scene.renew_all();
    scene.explain().await?;
    Ok(tree(&scene))
}

/// Follows objects and what they own: `changed` is called with the tree once it is complete, and then whenever it is otherwise,
/// though not many times a second. Ends when `stop` becomes true.
///
/// # Errors
///
/// As [`family`].
pub async fn follow_family(
    cluster: &Cluster,
    targets: &[Target],
    options: &ObserveOptions,
    stop: &watch::Receiver<bool>,
    listener: &dyn Listener,
    changed: &mut (dyn FnMut(&[Branch]) + Send),
) -> Result<(), Error> {
    let mut scene = Scene::begin(cluster, targets, options, listener, manner(options, false));
    let mut shown: Option<Vec<Branch>> = None;
    let mut next = Instant::now();
    loop {
        let now = Instant::now();
        scene.tick(now);
        scene.want_reasons();
        if scene.is_stirred && scene.is_complete() && now >= next {
            (scene.is_stirred, next) = (false, now + MOMENT);
            let tree = tree(&scene);
            if shown.as_ref() != Some(&tree) {
                changed(&tree);
                shown = Some(tree);
            }
        }
        let wake = if scene.is_stirred { Some(next.max(now)) } else { None };
        let wake =
            wake.into_iter().chain(scene.due()).min().unwrap_or(now + Duration::from_secs(1));
        tokio::select! {
            stirred = scene.stir() => stirred?,
            () = tokio::time::sleep_until(wake.into()) => {}
            () = stopped(stop.clone()) => return Ok(()),
        }
    }
}

fn manner(options: &ObserveOptions, once: bool) -> Manner {
    let labels = options.delivery.as_ref().map(kelson_plan::Delivery::selector);
    Manner { once, depth: Depth::Tree, labels }
}

impl Scene<'_> {
    /// Takes in all that a single look brings.
    pub(super) async fn hear_all(&mut self) -> Result<(), Error> {
        while !self.is_silent() {
            self.stir().await?;
        }
        Ok(())
    }

    /// Waits for reasons that are still to come, but not for long.
    pub(super) async fn explain(&mut self) -> Result<(), Error> {
        let end = tokio::time::Instant::now() + GRACE;
        self.want_reasons();
        loop {
            self.renew_all();
            if self.is_explained() {
                return Ok(());
            }
            match tokio::time::timeout_at(end, self.stir()).await {
                Ok(stirred) => stirred?,
                Err(_) => return Ok(()),
            }
        }
    }
}

fn tree(scene: &Scene<'_>) -> Vec<Branch> {
    let places = scene.board.places.iter().enumerate();
    let branches = places.map(|(index, place)| {
        let tree = Tree { scene, children: scene.behind.children(index), now: unix_now() };
        let children = place.uid.as_deref().map(|uid| tree.below(uid, DEEPEST));
        Branch { object: place.object(), children: children.unwrap_or_default() }
    });
    branches.collect()
}

struct Tree<'s, 'a> {
    scene: &'s Scene<'a>,
    children: BTreeMap<&'s str, Vec<(&'s str, &'s Child)>>,
    now: i64,
}

impl Tree<'_, '_> {
    fn below(&self, uid: &str, depth: usize) -> Vec<Branch> {
        if depth == 0 {
            return Vec::new();
        }
        let children = self.children.get(uid).into_iter().flatten();
        let branch = |(uid, child): &(&str, &Child)| {
            let children = self.below(uid, depth - 1);
            let is_idle = child.is_idle && children.is_empty();
            (!is_idle).then(|| Branch { object: self.object(uid, child), children })
        };
        let mut branches: Vec<_> = children.filter_map(branch).collect();
        branches.sort_by(|one, other| one.object.id.cmp(&other.object.id));
        branches
    }

    fn object(&self, uid: &str, child: &Child) -> ObservedObject {
        let warnings = self.scene.behind.warnings(uid);
        let because = child.node.as_ref().map(|node| blame(node, &[], &warnings));
        let with_log = |mut blame: Blame| {
            let container = blame.container.as_deref();
            blame.log = container.map(|name| self.scene.logs.known(uid, name)).unwrap_or_default();
            blame
        };
        ObservedObject {
            id: child.id.clone(),
            verdict: self.scene.behind.verdict(child, self.now),
            because: because.into_iter().flatten().map(with_log).collect(),
        }
    }
}
