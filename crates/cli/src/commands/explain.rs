//! `kelson explain`: which file and line gave a value, and what touched it last.

mod field; // the names of fields: `spec.containers[0].image`
mod find; // which object is meant

use anyhow::bail;
use kelson_kustomize::{Build, Object};
use kelson_yaml::{Data, Node};

use crate::commands::build;
use crate::exit::Code;
use crate::{answer, draw, json, path};

/// Show where the values of a rendered object come from.
///
/// For each field: its value, the file and line that gave it, and the transformer that touched it last.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The directory to build.
    overlay: String,
    /// The object: NAME or KIND/NAME, with the name before or after the build changed it.
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
    let options = arguments.kustomize.options(false);
    let root = path::absolute(&arguments.overlay)?;
    let build = match answer::build(&root, &options) {
        Ok(build) => build,
        Err(failure) => {
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
    if arguments.json {
        let list = leaves.iter().map(|(name, node)| report(name, node, object, &build)).collect();
        print!("{}", json::text(&Node::sequence(list))?);
    } else {
        print(&leaves, object, &build);
    }
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

/// The value as shown: on one line, and nothing of a Secret.
fn value(name: &str, node: &Node, object: &Object) -> String {
    let secret = object.kind() == "Secret"
        && ["data.", "stringData.", "data[", "stringData["]
            .iter()
            .any(|start| name.starts_with(start));
    if secret {
        return "***".to_owned();
    }
    let text = match &node.data {
        Data::Scalar(scalar) => scalar.text.as_str(),
        Data::Sequence(_) => "[]",
        Data::Mapping(_) => "{}",
    };
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
}

fn report(name: &str, node: &Node, object: &Object, build: &Build) -> Node {
    let touched = build.step(node.touch).map(|step| {
        json::object([
            ("transformer", Some(Node::string(&*step.name))),
            ("place", json::place(step.span, &build.sources)),
        ])
    });
    json::object([
        ("field", Some(Node::string(name))),
        ("value", Some(Node::string(value(name, node, object)))),
        ("from", json::place(node.span, &build.sources)),
        ("touchedBy", touched),
    ])
}

fn print(leaves: &[(String, &Node)], object: &Object, build: &Build) {
    println!("{}", find::describe(object));
    for (name, node) in leaves {
        println!("\n{name}: {}", value(name, node, object));
        match build.sources.place(node.span) {
            Some(place) => println!("  from        {}:{}", path::shown(place.name), place.line),
            None => println!("  from        the build itself"),
        }
        if let Some(step) = build.step(node.touch) {
            let at = build.sources.place(step.span).map_or_else(String::new, |place| {
                format!(", {}:{}", path::shown(place.name), place.line)
            });
            println!("  touched by  {}{at}", step.name);
        }
    }
}
