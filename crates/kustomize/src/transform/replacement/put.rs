//! One value into the fields of one object.

use kelson_yaml::{Data, Node, Span, Touch};

use super::{DEFAULT_PATH, Options, not_scalar, structured};
use crate::fault::{Fault, Result};
use crate::gotext;
use crate::kustomization::{FieldOptions, ReplacementTarget};
use crate::path::{Kind, Select, split_dotted};
use crate::write::{Writer, is_null};

/// The fields of a target, compiled once for all objects it selects.
pub(super) struct Fields<'a> {
    list: Vec<Field>,
    options: Option<&'a FieldOptions>,
    make: Option<Kind>,
    whole_values: bool,
}

struct Field {
    text: String,
    path: Vec<String>,
    select: Select,
}

impl<'a> Fields<'a> {
    /// The fields that a target names.
    pub(super) fn new(target: &'a ReplacementTarget, value: &Node, options: Options) -> Self {
        let is_made = target.options.as_ref().is_some_and(|options| options.create);
        let make = is_made.then(|| Kind::of(value));
        let whole_values = options.whole_values;
        let field = |text: &str| {
            let path = split_dotted(text);
            let select = Select::new(&path, make, whole_values);
            Field { text: text.to_owned(), path, select }
        };
        let list = if target.field_paths.is_empty() {
            vec![field(DEFAULT_PATH)]
        } else {
            target.field_paths.iter().map(|text| field(text)).collect()
        };
        Self { list, options: target.options.as_ref(), make, whole_values }
    }

    /// Puts the value into every field.
    pub(super) fn put(&self, object: &mut Node, value: &Node, touch: Touch) -> Result<()> {
        let mut writer = Writer::new(touch);
        for field in &self.list {
            let tools = structured::Tools { make: self.make, whole_values: self.whole_values };
            if tools.put(object, &field.path, value, &mut writer).is_none() {
                self.put_plainly(field, object, value, &mut writer)?;
            }
            writer.settle(object);
        }
        Ok(())
    }

    fn put_plainly(
        &self,
        field: &Field,
        object: &mut Node,
        value: &Node,
        writer: &mut Writer,
    ) -> Result<()> {
        let mut failed = None;
        let missing = || {
            let verb = if self.make.is_some() { "find or create" } else { "find" };
            format!("unable to {verb} field {} in replacement target", gotext::quote(&field.text))
        };
        let count = field
            .select
            .each(object, &mut |node| {
                if let Err(fault) = set(node, value, self.options, writer) {
                    failed.get_or_insert(fault);
                }
            })
            .map_err(|fault| fault.wrap(missing()))?;
        match failed {
            _ if count == 0 => {
                let fault = Fault::new("missing-target-field", missing());
                Err(fault.at(object.span, "in this object"))
            }
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

/// Puts the value into one place: of a scalar only the text changes, anything else is replaced.
fn set(
    node: &mut Node,
    value: &Node,
    options: Option<&FieldOptions>,
    writer: &mut Writer,
) -> Result<()> {
    let options = options.filter(|options| !options.delimiter.is_empty());
    match (&mut node.data, options) {
        (Data::Scalar(scalar), Some(options)) => {
            let text = if is_null(value) { "" } else { value.text().unwrap_or_default() };
            scalar.text = spliced(&scalar.text, text, options).into();
            // A field that was made for this has no other place than the value's.
            let is_new = node.span == Span::NONE;
            writer.wrote(node, is_new.then_some(value.span));
        }
        (_, Some(options)) => return Err(not_scalar(options)),
        (Data::Scalar(scalar), None) => {
            scalar.text = value.text().unwrap_or_default().into();
            writer.wrote(node, Some(value.span));
        }
        (_, None) => {
            node.clone_from(value);
            writer.wrote(node, None);
        }
    }
    Ok(())
}

/// Replaces one part of a text, or puts it before or after all.
fn spliced(text: &str, part: &str, options: &FieldOptions) -> String {
    let mut parts: Vec<&str> = text.split(&*options.delimiter).collect();
    match usize::try_from(options.index) {
        Err(_) => parts.insert(0, part),
        Ok(index) => match parts.get_mut(index) {
            Some(place) => *place = part,
            None => parts.push(part),
        },
    }
    parts.join(&options.delimiter)
}
