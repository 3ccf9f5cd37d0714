//! Somebody is asked.

use std::sync::Arc;

use kelson_cluster::Cluster;
use kelson_pipeline::component::Approve;
use kelson_plan::Plan;

use super::super::super::{apply, plan, print};
use crate::progress::count;
use crate::{confirm, steps};

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands::component) enum About {
    Deploy,
    Teardown,
}

/// Shows a plan and asks about it, unless it comes to nothing.
pub(in crate::commands::component) fn shown(about: About, all: bool) -> Approve {
    Arc::new(move |cluster, planned, request| {
        Box::pin(async move {
            let ask = async {
                print(&plan::text(planned, request, all))?;
                if planned.plan.is_empty() {
                    return Ok(true);
                }
                confirm::ask(&about.question(&planned.plan, cluster)).await
            };
            ask.await.map_err(std::io::Error::other)
        })
    })
}

impl About {
    fn question(self, plan: &Plan, cluster: &Cluster) -> String {
        let (writes, cluster) = (steps::writes(&plan.summary()), apply::named(cluster));
        match self {
            Self::Deploy => format!("Make {} in {cluster}?", count(writes, "change")),
            Self::Teardown => format!("Delete {} from {cluster}?", count(writes, "object")),
        }
    }
}
