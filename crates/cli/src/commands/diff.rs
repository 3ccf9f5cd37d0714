//! `kelson diff`: what differs between two sources.

use kelson_plan::{Changed, Difference, FieldChange, Value, difference};
use kelson_yaml::Node;

use super::build::Flags;
use crate::exit::Code;
use crate::source::{self, Keys, Source};
use crate::{json, registry, runtime};

/// Show what differs between the objects of two sources.
///
/// Each is a directory, a file, - for standard input, or an artifact (a directory of its tree is named after //).
/// An object whose name ends in a hash of its content is compared with its predecessor. Values of Secrets are not
/// shown. Ends with 0 where nothing differs, 2 where something does, 1 where that cannot be found out.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What there was.
    #[arg(value_name = "BEFORE")]
    before: String,
    /// What there is.
    #[arg(value_name = "AFTER")]
    after: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    kustomize: Flags,
    #[command(flatten)]
    registry: registry::Flags,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Code> {
    let (before, after) = runtime::run(async {
        let client = source::client(&arguments.registry, &[&arguments.before, &arguments.after])?;
        let open = |text| Source::open(text, &client, &arguments.keys);
        Ok((open(&arguments.before).await?, open(&arguments.after).await?))
    })?;
    let options = arguments.kustomize.render(false);
    let difference = difference(&before.objects(&options)?, &after.objects(&options)?);
    let text = match arguments.json {
        true => json::text(&report(&difference))?,
        false => text(&difference),
    };
    super::print(&text)?;
    Ok(if difference.is_empty() { Code::Done } else { Code::Differs })
}

fn text(difference: &Difference) -> String {
    let mut text = String::new();
    for id in &difference.removed {
        text.push_str(&format!("- {id}\n"));
    }
    for id in &difference.added {
        text.push_str(&format!("+ {id}\n"));
    }
    for changed in &difference.changed {
        let was = match changed.before == changed.after {
            true => String::new(),
            false => format!(" (was {})", changed.before),
        };
        text.push_str(&format!("~ {}{was}\n", changed.after));
        changed.fields.iter().for_each(|field| write_field(field, &mut text));
    }
    let (added, removed) = (difference.added.len(), difference.removed.len());
    let (changed, unchanged) = (difference.changed.len(), difference.unchanged);
    text + &format!("{added} added, {removed} removed, {changed} changed, {unchanged} unchanged\n")
}

/// A short value stands on the line of its field; a long text shows the lines that differ.
fn write_field(field: &FieldChange, text: &mut String) {
    let (before, after) = (shown(field.before.as_ref()), shown(field.after.as_ref()));
    match (&field.before, &field.after) {
        (Some(Value::Masked), Some(Value::Masked)) => {
            text.push_str(&format!("    {}: *** (changed)\n", field.path));
        }
        (Some(_), Some(_)) if before.contains("\\n") || after.contains("\\n") => {
            text.push_str(&format!("    {}:\n", field.path));
            write_lines(&before, &after, text);
        }
        (Some(_), Some(_)) => {
            text.push_str(&format!("    {}: {} → {}\n", field.path, crop(&before), crop(&after)));
        }
        (None, _) => text.push_str(&format!("  + {}: {}\n", field.path, crop(&after))),
        (_, None) => text.push_str(&format!("  - {}: {}\n", field.path, crop(&before))),
    }
}

/// The lines between those that both begin and both end with.
fn write_lines(before: &str, after: &str, text: &mut String) {
    let lines = |text: &str| -> Vec<String> {
        text.trim_matches('"').split("\\n").map(str::to_owned).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let ends = before[start..].iter().rev().zip(after[start..].iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    for (mark, lines) in [("-", &before), ("+", &after)] {
        for line in &lines[start..lines.len() - end] {
            text.push_str(&format!("      {mark} {}\n", crop(line)));
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        Some(Value::Shown(text)) => text.clone(),
        Some(Value::Masked) => "***".to_owned(),
        None => String::new(),
    }
}

/// As much of a value as a line can bear.
fn crop(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}

fn report(difference: &Difference) -> Node {
    let ids =
        |list: &[kelson_model::ObjectId]| Node::sequence(list.iter().map(super::id).collect());
    let value = |value: &Option<Value>| match value {
        Some(Value::Shown(text)) => Some(json::string(text)),
        Some(Value::Masked) => Some(Node::string("***")),
        None => None,
    };
    let field = |field: &FieldChange| {
        json::object([
            ("path", Some(json::string(&field.path))),
            ("before", value(&field.before)),
            ("after", value(&field.after)),
        ])
    };
    let changed = |changed: &Changed| {
        json::object([
            ("before", Some(super::id(&changed.before))),
            ("after", Some(super::id(&changed.after))),
            ("fields", Some(Node::sequence(changed.fields.iter().map(field).collect()))),
        ])
    };
    json::object([
        ("added", Some(ids(&difference.added))),
        ("removed", Some(ids(&difference.removed))),
        ("changed", Some(Node::sequence(difference.changed.iter().map(changed).collect()))),
        ("unchanged", Some(json::number(difference.unchanged))),
    ])
}
