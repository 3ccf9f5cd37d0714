//! Variables: which objects they read, and that no two have one name.

use hashbrown::HashMap;
use kelson_yaml::Text;

use super::Accumulator;
use crate::fault::{Fault, Result};
use crate::id::{Gvk, ResId};
use crate::kustomization::Var;
use crate::resmap::{ResMap, effective};
use crate::resource::Resource;

/// The variables of a build, by name.
#[derive(Default)]
pub(crate) struct Vars {
    pub(crate) list: Vec<Var>,
    names: HashMap<Text, usize>,
}

impl Vars {
    /// Adds a variable, whose name must be new.
    fn add(&mut self, var: Var) -> Result<()> {
        let name = var.name.text.clone();
        if let Some(first) = self.names.get(&name) {
            let text = format!("var '{name}' already encountered");
            return Err(Fault::new("repeated-var", text)
                .at(var.name.span, "here again")
                .at(self.list[*first].name.span, "it was here first"));
        }
        self.names.insert(name, self.list.len());
        self.list.push(var);
        Ok(())
    }

    /// Takes over the variables of another kustomization.
    pub(super) fn merge(&mut self, other: Self) -> Result<()> {
        other.list.into_iter().try_for_each(|var| self.add(var))
    }
}

impl Accumulator {
    /// Takes in the variables of a kustomization and marks the objects they read.
    pub(super) fn read_vars(&mut self, vars: &[Var]) -> Result<()> {
        let all = crate::gotext::list(vars.iter().map(as_written));
        for var in vars {
            let found = matching(&mut self.resources, var);
            match found.as_slice() {
                [] => {}
                [at] => self.resources.contents_mut()[*at].vars.push(var.name.text.clone()),
                several => {
                    let text = format!(
                        "found {} resId matches for var {} (unable to disambiguate)",
                        several.len(),
                        shown(var)
                    );
                    let mut fault = Fault::new("var-is-ambiguous", text).at(var.name.span, "");
                    for at in several.iter().take(5) {
                        let place = self.resources.get(*at).node.span;
                        fault = fault.at(place, "it could be this");
                    }
                    return Err(fault.wrap(format!("merging vars {all}")));
                }
            }
        }
        vars.iter()
            .try_for_each(|var| self.vars.add(defaulted(var)))
            .map_err(|fault| fault.wrap(format!("merging vars {all}")))
    }
}

/// A variable with what upstream fills in.
fn defaulted(var: &Var) -> Var {
    let mut var = var.clone();
    if var.field.path.is_empty() {
        var.field.path = crate::decode::Str::new("metadata.name");
    }
    var
}

/// Group, version and kind of the object that a variable reads.
pub(crate) fn gvk_of(var: &Var) -> Gvk {
    let object = &var.object;
    let mut gvk = Gvk {
        group: object.group.text.clone(),
        version: object.version.text.clone(),
        kind: object.kind.text.clone(),
    };
    match object.api_version.split('/').collect::<Vec<_>>().as_slice() {
        [version] if !version.is_empty() => gvk.version = (*version).into(),
        [group, version] => {
            gvk.group = (*group).into();
            gvk.version = (*version).into();
        }
        _ => {}
    }
    gvk
}

/// A variable as Go prints the struct.
pub(crate) fn shown(var: &Var) -> String {
    let path = &*var.field.path;
    format!("{{{} {} {{{path}}}}}", &*var.name, gvk_of(var))
}

/// A variable as Go prints the struct before `apiVersion` is looked at.
fn as_written(var: &Var) -> String {
    let object = &var.object;
    let gvk = Gvk {
        group: object.group.text.clone(),
        version: object.version.text.clone(),
        kind: object.kind.text.clone(),
    };
    format!("{{{} {gvk} {{{}}}}}", &*var.name, &*var.field.path)
}

/// The objects that a variable could mean, by any id they have or had.
fn matching(resources: &mut ResMap, var: &Var) -> Vec<usize> {
    let gvk = gvk_of(var);
    let name = &*var.object.name;
    let namespace = &*var.object.namespace;
    let mut found = resources.named(name);
    found.retain(|at| {
        let is_cluster_scoped = resources.is_cluster_scoped(*at);
        ids(resources.get(*at), is_cluster_scoped).any(|id| {
            id.name == name
                && id.gvk == gvk
                && (namespace.is_empty() || id.namespace == effective(namespace))
        })
    });
    found
}

/// All ids of an object, with the namespaces that decide.
fn ids(resource: &Resource, is_cluster_scoped: bool) -> impl Iterator<Item = ResId> + '_ {
    let gvk = resource.gvk();
    let current = ResId {
        gvk: gvk.clone(),
        name: resource.name().into(),
        namespace: resource.effective_namespace(is_cluster_scoped).into(),
    };
    let previous = resource.history.iter().map(move |previous| ResId {
        gvk: Gvk { kind: previous.kind.clone(), ..gvk.clone() },
        name: previous.name.clone(),
        namespace: effective(&previous.namespace).into(),
    });
    std::iter::once(current).chain(previous)
}
