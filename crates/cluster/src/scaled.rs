//! Whom autoscalers scale.

use futures_util::{StreamExt, stream};
use kelson_model::{Object, ObjectId};
use kelson_plan::{Kind, Silent};
use kelson_yaml::Node;

use crate::Cluster;
use crate::list::Pages;

/// From how many namespaces on all are listed at once.
const MANY: usize = 4;

impl Cluster {
    /// The workloads that HorizontalPodAutoscalers of these namespaces target; none where they cannot be read.
    pub async fn scaled(&self, namespaces: &[String]) -> Vec<ObjectId> {
        if namespaces.len() > MANY
            && let Some(mut targets) = self.targets("").await
        {
            targets.retain(|target| namespaces.contains(&target.namespace));
            return targets;
        }
        let lists = namespaces.iter().map(|namespace| self.targets(namespace));
        let lists: Vec<_> = stream::iter(lists).buffer_unordered(self.parallel()).collect().await;
        lists.into_iter().flatten().flatten().collect()
    }

    async fn targets(&self, namespace: &str) -> Option<Vec<ObjectId>> {
        let kind = autoscalers();
        let mut pages = Pages::of(&kind, namespace).ok()?;
        let mut targets = Vec::new();
        while let Some(page) = pages.next(self, &Silent).await.ok()? {
            if page.is_first {
                targets.clear();
            }
            targets.extend(page.objects(&kind).flatten().filter_map(|object| target(&object)));
        }
        Some(targets)
    }
}

fn autoscalers() -> Kind {
    Kind {
        group: "autoscaling".to_owned(),
        version: "v2".to_owned(),
        kind: "HorizontalPodAutoscaler".to_owned(),
        plural: "horizontalpodautoscalers".to_owned(),
        namespaced: true,
        to_come: false,
    }
}

fn target(autoscaler: &Object) -> Option<ObjectId> {
    let target = autoscaler.node.lookup(&["spec", "scaleTargetRef"])?;
    let text = |key: &str| target.get(key).and_then(Node::as_str).map(str::to_owned);
    let version = text("apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group).to_owned();
    let namespace = autoscaler.id.namespace.clone();
    Some(ObjectId { group, kind: text("kind")?, namespace, name: text("name")? })
}
