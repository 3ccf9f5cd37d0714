//! `vars`: `$(NAME)` in certain fields stands for a value taken from an object.

mod expand; // the syntax of references

use hashbrown::{HashMap, HashSet};
use kelson_yaml::{Data, Node, Scalar, Span, Style, Tag, Text, Touch};

pub(crate) use expand::Value;
use expand::expand;

use crate::fault::{Fault, Result};
use crate::fieldspec::{Make, Specs, visit};
use crate::id::Gvk;
use crate::kustomization::Var;
use crate::path::{lookup, split_dotted};
use crate::resource::Resource;
use crate::write::{Writer, is_null};

/// The values of variables by name.
#[derive(Debug, Default)]
pub(crate) struct Vars {
    values: HashMap<Text, Known>,
    used: HashSet<Text>,
}

/// What is known of a variable.
#[derive(Debug)]
struct Known {
    value: Value,
    /// Where the value was written.
    span: Span,
    /// The entry of `vars`, as a transformer.
    touch: Touch,
}

impl Vars {
    /// Adds a variable with the value of a field of an object.
    pub(crate) fn define(&mut self, var: &Var, resource: &Resource, touch: Touch) -> Result<()> {
        let path = if var.field.path.is_empty() { "metadata.name" } else { &var.field.path };
        let (value, span) = read(&resource.node, path).ok_or_else(|| {
            let text = format!(
                "field specified in var '{}' not found in corresponding resource",
                describe(var)
            );
            Fault::new("var-without-field", text).at(var.span, "this variable")
        })?;
        self.values.insert(var.name.text.clone(), Known { value, span, touch });
        Ok(())
    }

    /// The names that no field has referred to, sorted.
    pub(crate) fn unused(&self) -> Vec<&str> {
        let names = self.values.keys().filter(|name| !self.used.contains(name.as_str()));
        let mut names: Vec<&str> = names.map(Text::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Replaces the references in the fields of `specs`.
    pub(crate) fn apply(
        &mut self,
        resource: &mut Resource,
        specs: &Specs,
        touch: Touch,
    ) -> Result<()> {
        let gvk = resource.gvk();
        let mut writer = Writer::new(touch);
        for spec in specs.of(&gvk) {
            let node = &mut resource.node;
            visit(node, spec, Make::Nothing, &mut writer, &mut |writer, node| {
                self.field(node, writer)
            })?;
        }
        Ok(())
    }

    fn field(&mut self, node: &mut Node, writer: &mut Writer) -> Result<()> {
        if is_null(node) {
            return Ok(());
        }
        match &mut node.data {
            Data::Scalar(_) => self.text(node, writer),
            Data::Mapping(mapping) => {
                for entry in &mut mapping.entries {
                    if !is_text(&entry.key) {
                        return Err(bad_key(&entry.key));
                    }
                    self.text(&mut entry.value, writer);
                }
            }
            Data::Sequence(sequence) => {
                for item in &mut sequence.items {
                    if !is_text(item) {
                        let text = "invalid value type expect a string";
                        return Err(Fault::new("var-in-non-text", text).at(item.span, "not text"));
                    }
                    self.text(item, writer);
                }
            }
        }
        Ok(())
    }

    /// Replaces the references in a text. Whatever comes of it is plain and has a type.
    fn text(&mut self, node: &mut Node, writer: &mut Writer) {
        if !is_text(node) {
            return;
        }
        let Some(scalar) = node.as_scalar_mut() else { return };
        let expanded = expand(&scalar.text, &self.values, &mut self.used);
        let is_new = expanded.text != scalar.text.as_str() || expanded.tag != scalar.resolved();
        *scalar = Scalar { text: expanded.text.into(), tag: expanded.tag, style: Style::Plain };
        if is_new {
            writer.wrote(node, expanded.span);
            node.touch = expanded.touch.unwrap_or(node.touch);
        }
    }
}

/// A variable as errors show it.
pub(crate) fn describe(var: &Var) -> String {
    let path = if var.field.path.is_empty() { "metadata.name" } else { &var.field.path };
    format!("{{{} {} {{{path}}}}}", &*var.name, gvk_of(var))
}

/// The kind of the object that a variable reads.
pub(crate) fn gvk_of(var: &Var) -> Gvk {
    let object = &var.object;
    let mut gvk = Gvk {
        group: object.group.text.clone(),
        version: object.version.text.clone(),
        kind: object.kind.text.clone(),
    };
    match object.api_version.split('/').collect::<Vec<_>>().as_slice() {
        [""] => {}
        [version] => gvk.version = (*version).into(),
        [group, version] => {
            gvk.group = (*group).into();
            gvk.version = (*version).into();
        }
        _ => {}
    }
    gvk
}

/// The error when no object gives a variable its value.
pub(crate) fn no_object(var: &Var) -> Box<Fault> {
    let text = format!(
        "var '{}' cannot be mapped to a field in the set of known resources",
        describe(var)
    );
    Fault::new("var-without-object", text).at(var.span, "this variable")
}

/// Reads the value of a field; indices may stand in brackets.
fn read(object: &Node, path: &str) -> Option<(Value, Span)> {
    let path: Vec<String> = split_dotted(path).iter().flat_map(|part| split_index(part)).collect();
    let node = lookup(object, &path).ok()??;
    let value = match node.as_scalar() {
        None => Value::Other,
        Some(scalar) => Value::read(scalar)?,
    };
    Some((value, node.span))
}

/// `ports[0]` is `ports` and `0`.
fn split_index(part: &str) -> Vec<String> {
    let split = part.strip_suffix(']').and_then(|part| part.rsplit_once('['));
    match split {
        Some((name, index)) if !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit()) => {
            let name = (!name.is_empty()).then(|| name.to_owned());
            name.into_iter().chain([index.to_owned()]).collect()
        }
        _ => vec![part.to_owned()],
    }
}

/// Whether a node is text, or has no type yet.
fn is_text(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| matches!(scalar.tag, Tag::Str | Tag::Unresolved))
}

fn bad_key(key: &Node) -> Box<Fault> {
    let tag = match key.as_scalar().map(|scalar| scalar.tag) {
        Some(Tag::Null) => "!!null",
        Some(Tag::Bool) => "!!bool",
        Some(Tag::Int) => "!!int",
        Some(Tag::Float) => "!!float",
        Some(Tag::Timestamp) => "!!timestamp",
        Some(Tag::Binary) => "!!binary",
        Some(Tag::Merge) => "!!merge",
        None if key.as_sequence().is_some() => "!!seq",
        None => "!!map",
        Some(_) => key.custom_tag().unwrap_or_default(),
    };
    let value = key.text().unwrap_or_default();
    let text = format!("invalid map key: value='{value}', tag='{tag}'");
    Fault::new("var-in-non-text", text).at(key.span, "not text")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::config::TransformerConfig;
    use crate::decode::Str;
    use crate::transform::tests::{parse, print, shown};

    const OBJECTS: &str = r#"apiVersion: v1
kind: ConfigMap
metadata:
  name: src
  labels: {n: $(NAME), m: "a$(PORT)b", k: 1, e: $$(NAME), u: $(NOPE), t: $(TRUE)}
data: {num: 80, flt: 1.5e10, "yes": true, txt: "on", list: [a, b]}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {p: $(PORT), f: "$(FLT)", g: "x$(FLT)", l: $(LIST), i: $(ITEM)}
spec:
  template:
    spec:
      containers:
      - name: c
        args: [$(PORT), "--n=$(NAME)"]
        env: [{name: A, value: $(TXT)}]
"#;

    fn var(name: &str, path: &str) -> Var {
        let mut var = Var { name: Str::new(name), ..Var::default() };
        var.object.api_version = Str::new("v1");
        var.object.kind = Str::new("ConfigMap");
        var.field.path = Str::new(path);
        var
    }

    #[track_caller]
    fn check(objects: &str, list: &[(&str, &str)], expected: Expect) {
        let mut resources = parse(objects);
        let mut vars = Vars::default();
        let specs = TransformerConfig::builtin().var_reference;
        let built = list
            .iter()
            .try_for_each(|(name, path)| vars.define(&var(name, path), &resources[0], Touch(1)))
            .and_then(|()| resources.iter_mut().try_for_each(|it| vars.apply(it, &specs, Touch(1))))
            .and_then(|()| print(&mut resources));
        expected.assert_eq(&built.unwrap_or_else(shown));
    }

    #[test]
    fn variables_are_replaced_in_their_fields_and_keep_their_type_alone() {
        check(
            OBJECTS,
            &[
                ("NAME", ""),
                ("PORT", "data.num"),
                ("FLT", "data.flt"),
                ("TRUE", "data.yes"),
                ("TXT", "data.txt"),
                ("LIST", "data.list"),
                ("ITEM", "data.list[1]"),
            ],
            expect![[r#"
                apiVersion: v1
                data:
                  flt: 15000000000
                  list:
                  - a
                  - b
                  num: 80
                  txt: "on"
                  "yes": true
                kind: ConfigMap
                metadata:
                  labels:
                    e: $(NAME)
                    k: 1
                    m: a80b
                    "n": src
                    t: true
                    u: $(NOPE)
                  name: src
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  annotations:
                    f: "15000000000"
                    g: x1.5e+10
                    i: b
                    l: $(LIST)
                    p: "80"
                  name: web
                spec:
                  template:
                    spec:
                      containers:
                      - args:
                        - 80
                        - --n=src
                        env:
                        - name: A
                          value: "on"
                        name: c
            "#]],
        );
    }

    #[test]
    fn variables_need_text_around_them() {
        check(
            &OBJECTS.replace("[$(PORT),", "[1,"),
            &[("A", "")],
            expect![[r#"
                Error: considering field 'spec/template/spec/containers/args' of object Deployment.v1.apps/web.[noNs]: visit traversal on path: [args]: invalid value type expect a string
            "#]],
        );
        check(
            &OBJECTS.replace("{n: ", "{1: "),
            &[("A", "")],
            expect![[r#"
                Error: considering field 'metadata/labels' of object ConfigMap.v1.[noGrp]/src.[noNs]: invalid map key: value='1', tag='!!int'
            "#]],
        );
        check(
            OBJECTS,
            &[("A", "data.nope")],
            expect![[r#"
                Error: field specified in var '{A ConfigMap.v1.[noGrp] {data.nope}}' not found in corresponding resource
            "#]],
        );
    }
}
