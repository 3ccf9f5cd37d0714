//! What is done with an object that exists.

use kelson_yaml::Node;

use super::decide::Decision;
use super::{Action, Checked, Failure, Step};
use crate::compare::{Comparison, Scope, without_taken};
use crate::marks::RECREATE;
use crate::mask::Mask;
use crate::standing::{Standing, standing};
use crate::{
    Conflict, Desired, DryRun, Found, Ground, Origin, Refusal, Take, adopt, ignore, immutable,
    managed, normal,
};

impl Decision<'_> {
    pub(super) fn existing(
        &self,
        step: &mut Step,
        desired: Desired,
        found: Found,
        dry_run: Option<DryRun>,
    ) {
        step.ground = Ground {
            uid: Some(found.uid.clone()),
            hash: Some(found.hash.clone()),
            resource_version: Some(found.resource_version.clone()),
            owned: Some(found.owned.clone()),
        };
        let standing = standing(&found, self.delivery, self.inventory, self.options);
        step.origin = match standing {
            Standing::Open(origin) => origin,
            Standing::Adopted(_) => Origin::Adopted,
            Standing::Theirs(tool) => {
                step.action = Action::Fail(Failure::Managed(tool.to_string()));
                return;
            }
        };
        if found.is_terminating() {
            step.fail("it is being deleted; try again when it is gone".to_owned());
            return;
        }
        // What was adopted once is not adopted again whenever somebody has edited it with another tool.
        let claim = match standing {
            Standing::Adopted(_) => Origin::Adopted,
            _ => Origin::Created,
        };
        if self.delivery.is_some() {
            step.takeover = adopt::takeover(&found, &self.options.field_manager, claim);
        }
        let scope = match (self.delivery, &step.takeover) {
            (None, _) => Scope::Values,
            (Some(_), None) => Scope::Owners,
            (Some(_), Some(_)) => Scope::Takeover(claim),
        };
        if let Standing::Adopted(tool) = &standing {
            step.notes.extend(tool.as_ref().map(|tool| format!("taken over from {tool}")));
        }
        step.force = self.options.take == Take::All
            || matches!(standing, Standing::Adopted(_))
            || self.forced.contains(&step.id);
        match dry_run {
            Some(DryRun::Would(would)) => self.compare(step, desired, found, *would, scope),
            Some(DryRun::Refused(refusal)) => self.refused(step, desired, found, refusal),
            None if self.pending.contains(&step.id) => self.unasked(step, &desired, &found),
            None => {
                let why = "the server was not asked what would become of it".to_owned();
                step.action = Action::Fail(Failure::Unreadable(why));
            }
        }
    }

    /// Live against dry run decides.
    fn compare(
        &self,
        step: &mut Step,
        desired: Desired,
        mut found: Found,
        mut would: Node,
        scope: Scope,
    ) {
        let manager = self.options.field_manager.as_str();
        let managers = managed::managers(&found.object.node);
        let body = ignore::body(&desired, Some(&found), manager);
        if let Scope::Takeover(claim) = scope {
            let taken = adopt::fields(&found, manager, claim);
            let left: Vec<_> =
                managers.iter().filter(|owner| !adopt::is_taken(owner, manager, claim)).collect();
            without_taken(&mut would, &found.object.node, &taken, &left, &body);
        }
        for side in [&mut found.object.node, &mut would] {
            desired.ignored.iter().for_each(|(path, _)| path.remove(side));
            normal::normalize_dry_run(side);
        }
        let comparison = Comparison {
            live: Some(&found.object.node),
            body: &body,
            managers: &managers,
            manager,
            scope,
            mask: Mask::new(&desired.object, &self.options.key),
        };
        step.changes = comparison.with(&would);
        step.checked = Checked::ByServer;
        if !step.changes.is_empty() || step.takeover.is_some() {
            step.action = Action::Change;
            step.body = Some(body);
        }
    }

    fn refused(&self, step: &mut Step, desired: Desired, found: Found, refusal: Refusal) {
        let conflicts = Conflict::left(&refusal, &found, self.options);
        let fields = immutable::fields(&refusal);
        step.takeover = None;
        step.checked = Checked::ByServer;
        step.action = if !conflicts.is_empty() {
            Action::Fail(Failure::Conflicts(conflicts))
        } else if fields.is_empty() {
            Action::Fail(Failure::Refused(refusal))
        } else if !self.options.recreate {
            Action::Fail(Failure::Immutable(fields))
        } else if let Some(why) = why_not_anew(step.origin, &desired, &found) {
            let fields = fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>();
            Action::Fail(Failure::Problem(format!(
                "{} cannot be changed, and {why}",
                fields.join(", ")
            )))
        } else {
            let body = ignore::anew(&desired, &found);
            step.changes = self.manifest(&desired, &found, &body);
            step.checked = Checked::OnApply;
            step.origin = Origin::Created;
            step.body = Some(body);
            Action::Recreate(fields)
        };
    }

    /// An object of a version that its definition is only about to have.
    fn unasked(&self, step: &mut Step, desired: &Desired, found: &Found) {
        let body = ignore::body(desired, Some(found), &self.options.field_manager);
        step.changes = self.manifest(desired, found, &body);
        step.checked = Checked::Here;
        step.action = Action::Change;
        step.body = Some(body);
    }

    fn manifest(&self, desired: &Desired, found: &Found, body: &Node) -> Vec<crate::Change> {
        let comparison = Comparison {
            live: Some(&found.object.node),
            body,
            managers: &managed::managers(&found.object.node),
            manager: &self.options.field_manager,
            scope: Scope::Owners,
            mask: Mask::new(&desired.object, &self.options.key),
        };
        comparison.with_manifest()
    }
}

/// Why an object must not be deleted and made anew.
fn why_not_anew(origin: Origin, desired: &Desired, found: &Found) -> Option<String> {
    if origin == Origin::Found {
        return Some("it was there before this delivery, so it is not deleted".to_owned());
    }
    let said = desired.object.node.lookup(&["metadata", "annotations", RECREATE]);
    if said.and_then(Node::text) == Some("allowed") {
        return None;
    }
    let what = data(found)?;
    Some(format!(
        "{what} would be lost; `{RECREATE}: allowed` on the object lets it be made anew all the same"
    ))
}

/// What is lost with an object, where that cannot be made anew.
fn data(found: &Found) -> Option<&'static str> {
    let id = &found.object.id;
    match (id.group.as_str(), id.kind.as_str()) {
        ("", "PersistentVolumeClaim" | "PersistentVolume") => Some("its data"),
        ("", "Namespace") => Some("all that is in it"),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => Some("all objects of its kind"),
        ("apps", "StatefulSet") => {
            let templates = found.object.node.lookup(&["spec", "volumeClaimTemplates"]);
            templates
                .is_some_and(|templates| !templates.is_null())
                .then_some("the claims that it holds")
        }
        _ => None,
    }
}
