//! One value into the fields of one object.

use kelson_yaml::{Data, Node, Touch};

use super::live::Live;
use super::retyped::Before;
use super::{DEFAULT_PATH, Ledger, Options, not_scalar, structured};
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::gotext;
use crate::growth::check_depth;
use crate::kustomization::{FieldOptions, ReplacementTarget};
use crate::path::{Kind, Select, split_dotted};
use crate::write::{Writer, give_place, is_null};

/// The fields of a target, compiled once for all objects it selects.
pub(super) struct Fields<'a> {
    list: Vec<Field>,
    options: Option<&'a FieldOptions>,
    make: Option<Kind>,
    whole_values: bool,
}

struct Field {
    text: Str,
    path: Vec<String>,
    select: Select,
}

impl<'a> Fields<'a> {
    /// The fields that a target names.
    pub(super) fn new(target: &'a ReplacementTarget, value: &Node, options: Options<'_>) -> Self {
        let is_made = target.options.as_ref().is_some_and(|options| options.create);
        let make = is_made.then(|| Kind::of(value));
        let whole_values = options.whole_values;
        let field = |text: &Str| {
            let path = split_dotted(text);
            let select = Select::new(&path, make, whole_values);
            Field { text: text.clone(), path, select }
        };
        let list = if target.field_paths.is_empty() {
            vec![field(&Str { text: DEFAULT_PATH.into(), span: target.span })]
        } else {
            target.field_paths.iter().map(field).collect()
        };
        Self { list, options: target.options.as_ref(), make, whole_values }
    }

    /// Puts the value into every field.
    pub(super) fn put(
        &self,
        (at, object): (usize, &mut Node),
        value: &mut Live,
        ledger: &mut Ledger,
        touch: Touch,
    ) -> Result<()> {
        let mut writer = Writer::new(touch);
        for field in &self.list {
            check_depth(field.path.len(), value.node())
                .map_err(|why| Fault::new("too-deep", why).at(field.text.span, "this field"))?;
            let tools = structured::Tools { make: self.make, whole_values: self.whole_values };
            let path = (&field.path[..], &field.text);
            if let Some(retyped) = tools.put(object, path, value.node(), &mut writer) {
                ledger.allowance.spend(value.node(), field.path.len())?;
                ledger.retyped.extend(retyped);
                value.reread(at, object);
            } else {
                let copy = Copy { value, ledger, writer: &mut writer, at };
                self.put_plainly(field, object, copy)?;
            }
            writer.settle(object);
            if self.make.is_some() {
                // What was made on the way was asked for by the path.
                give_place(object, field.text.span, touch);
            }
        }
        Ok(())
    }

    fn put_plainly(&self, field: &Field, object: &mut Node, mut copy: Copy<'_>) -> Result<()> {
        if self.make.is_some() && copy.value.is_from(copy.at) {
            // Everything that is missing is made before anything is copied. An error shows again below.
            if field.select.each(object, &mut |_, _| {}).is_ok() {
                copy.value.reread(copy.at, object);
            }
        }
        let mut failed = None;
        let missing = || {
            let verb = if self.make.is_some() { "find or create" } else { "find" };
            format!("unable to {verb} field {} in replacement target", gotext::quote(&field.text))
        };
        let count = field
            .select
            .each(object, &mut |node, place| {
                if failed.is_none() {
                    failed = copy.put(node, place, self.options, &field.text).err();
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

/// A value on its way into one object.
struct Copy<'a> {
    value: &'a mut Live,
    ledger: &'a mut Ledger,
    writer: &'a mut Writer,
    /// Which object.
    at: usize,
}

impl Copy<'_> {
    fn put(
        &mut self,
        node: &mut Node,
        place: &[usize],
        options: Option<&FieldOptions>,
        field: &Str,
    ) -> Result<()> {
        self.ledger.allowance.spend(self.value.node(), place.len())?;
        let before = Before::new(node, self.value.node());
        set(node, self.value.node(), options, self.writer)?;
        self.ledger.retyped.extend(before.compare(node, self.value.node(), field));
        self.value.wrote(self.at, place, node);
        Ok(())
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
            writer.wrote(node, Some(value.span));
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
    let delimiter = &*options.delimiter;
    let Ok(index) = usize::try_from(options.index) else {
        return [part, delimiter, text].concat();
    };
    let start = match index.checked_sub(1) {
        None => Some(0),
        Some(before) => text.match_indices(delimiter).nth(before).map(|(at, it)| at + it.len()),
    };
    match start {
        None => [text, delimiter, part].concat(),
        Some(start) => {
            let end = text[start..].find(delimiter).map_or(text.len(), |length| start + length);
            [&text[..start], part, &text[end..]].concat()
        }
    }
}
