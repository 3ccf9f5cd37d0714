//! A plan that somebody has seen, in a file.

use std::path::Path;

use anyhow::{Context, bail};
use kelson_pipeline::plan::{KubernetesManifestPlanContents, PlanOp, compress};
use kelson_plan::file;

use super::super::read_text;

/// A plan that somebody has seen.
pub(in crate::commands::component) struct Approved {
    path: String,
    text: String,
    approved: file::Approved,
}

impl Approved {
    /// Reads the file that `component plan --output` wrote.
    pub(in crate::commands::component) fn read(path: &Path) -> anyhow::Result<Self> {
        let (text, path) = (read_text(path)?, path.display().to_string());
        if !file::is_meant(&text) {
            bail!("`{path}` is no plan file");
        }
        let approved = file::read(&text).with_context(|| format!("in `{path}`"))?;
        Ok(Self { path, text, approved })
    }

    pub(in crate::commands::component) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it deletes.
    pub(in crate::commands::component) fn deletes(&self) -> bool {
        self.approved.plan.artifact.is_empty()
    }

    /// The artifact that it was made from.
    pub(in crate::commands::component) fn reference(&self) -> Option<&str> {
        self.approved.request.reference.as_deref()
    }

    /// The same as runners are given it.
    pub(in crate::commands::component) fn contents(&self) -> String {
        let contents = KubernetesManifestPlanContents {
            plan: self.text.clone(),
            op: if self.deletes() { PlanOp::Delete } else { PlanOp::Apply },
            ..KubernetesManifestPlanContents::default()
        };
        let text = serde_json::to_string(&contents);
        compress(&text.expect("because texts have a form in JSON"))
    }
}
