//! `kelson explain`: which file and line gave a value, and what touched it last.

mod field; // the names of fields: `spec.containers[0].image`
mod find; // which object is meant
mod show; // how it is told

use anyhow::bail;
use kelson_yaml::{Data, Node};

use crate::commands::build;
use crate::exit::Code;
use crate::{answer, draw, path};

/// Show where the values of a rendered object come from.
///
/// For each field: its value, the file and line that gave it, and the transformer that touched it last.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The directory to build.
    overlay: String,
    /// The object: NAME, KIND/NAME or KIND.GROUP/NAME, with the name before or after the build changed it.
    object: String,
    /// Only this field and what is below it, such as spec.template.spec.containers[0].image.
    field: Option<String>,
    /// The namespace of the object, where the name alone does not tell.
    #[arg(short, long)]
    namespace: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    kustomize: build::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    arguments.kustomize.warn();
    let options = arguments.kustomize.options(false);
    let root = path::absolute(&arguments.overlay)?;
    let build = match answer::build(&root, &options) {
        Ok(build) => build,
        Err(failure) => {
            draw::diagnostics(&failure.warnings, &failure.sources);
            draw::diagnostics(&failure.diagnostics, &failure.sources);
            return Ok(Code::Failed);
        }
    };
    let object = find::object(&build, &arguments.object, arguments.namespace.as_deref())?;
    let mut leaves = Vec::new();
    collect(&object.node, String::new(), &mut leaves);
    if let Some(wanted) = &arguments.field {
        let wanted = field::normalise(wanted);
        let names: Vec<String> = leaves.iter().map(|(name, _)| name.clone()).collect();
        leaves.retain(|(name, _)| field::is_below(name, &wanted));
        if leaves.is_empty() {
            let near = field::nearest(&wanted, &names);
            bail!("{} has no field `{wanted}`{near}", find::describe(object));
        }
    }
    let text = match arguments.json {
        true => show::json(&leaves, object, &build)?,
        false => show::text(&leaves, object, &build),
    };
    build::print(&text)?;
    Ok(Code::Done)
}

/// Lists the leaves below a node with their names: scalars, and collections that are empty.
fn collect<'a>(node: &'a Node, name: String, leaves: &mut Vec<(String, &'a Node)>) {
    match &node.data {
        Data::Mapping(mapping) if !mapping.is_empty() => {
            for entry in mapping {
                let key = entry.key.text().unwrap_or_default();
                collect(&entry.value, field::child(&name, key), leaves);
            }
        }
        Data::Sequence(sequence) if !sequence.items.is_empty() => {
            for (index, item) in sequence.items.iter().enumerate() {
                collect(item, format!("{name}[{index}]"), leaves);
            }
        }
        _ => leaves.push((name, node)),
    }
}
