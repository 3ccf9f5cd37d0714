//! Bases and components.

use std::rc::Rc;
use std::sync::Arc;

use kelson_yaml::{Dialect, Node};

use super::{Accumulator, Target};
use crate::context::{Context, File, PENDING};
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::gotext;
use crate::loader::Loader;
use crate::openapi::Document;
use crate::schema::{Schema, Tables};

/// The version of the built-in schema.
const BUILTIN_SCHEMA: &str = "v1.21.2";

impl Target {
    /// Gathers a base, which is built for itself and then added.
    pub(super) fn accumulate_base(
        &mut self,
        context: &mut Context<'_>,
        accumulator: &mut Accumulator,
        path: &Str,
        loader: Rc<Loader>,
    ) -> Result<()> {
        let root = loader.root.clone();
        let mut base = self.child(context, path, loader)?;
        if base.kustomization.is_component() {
            let text = format!("expected kind != 'Component' for path '{root}'");
            return Err(Fault::new("component-as-resource", text)
                .saying(format!("`{}` is a component", &**path))
                .at(path.span, "listed under `resources`")
                .help("list it under `components`"));
        }
        let start = Accumulator::new(context);
        let built = base
            .accumulate(context, start)
            .map_err(|fault| fault.wrap(format!("recursed accumulation of path '{root}'")))?;
        accumulator
            .merge(built)
            .map_err(|fault| fault.wrap(format!("recursed merging from path '{root}'")))
    }

    /// Takes in the components, which act on what was gathered so far.
    pub(super) fn accumulate_components(
        &mut self,
        context: &mut Context<'_>,
        mut accumulator: Accumulator,
    ) -> Result<Accumulator> {
        let paths = std::mem::take(&mut self.kustomization.components);
        for path in &paths {
            let loader = match self.loader.new_root(context, path, path.span) {
                Err(fault) if fault.diagnostic.code == PENDING => continue,
                Err(fault) => return Err(requoted(fault, "loader.New")),
                Ok(loader) => loader,
            };
            accumulator = self
                .accumulate_component(context, accumulator, path, loader)
                .map_err(|fault| requoted(fault, "accumulateDirectory:"))?;
        }
        Ok(accumulator)
    }

    fn accumulate_component(
        &mut self,
        context: &mut Context<'_>,
        accumulator: Accumulator,
        path: &Str,
        loader: Rc<Loader>,
    ) -> Result<Accumulator> {
        let root = loader.root.clone();
        let mut component = self.child(context, path, loader)?;
        if !component.kustomization.is_component() {
            let kind = &*component.kustomization.kind;
            let text = format!("expected kind 'Component' for path '{root}' but got '{kind}'");
            return Err(Fault::new("not-a-component", text)
                .saying(format!("`{}` is no component", &**path))
                .at(path.span, "listed under `components`")
                .help("list it under `resources`, or make it `kind: Component`"));
        }
        component
            .accumulate(context, accumulator)
            .map_err(|fault| fault.wrap(format!("recursed accumulation of path '{root}'")))
    }

    /// The kustomization of a base or component.
    fn child(&mut self, context: &mut Context<'_>, path: &Str, loader: Rc<Loader>) -> Result<Self> {
        let root = loader.root.clone();
        let mut child = Self::load(context, loader).map_err(|fault| {
            let fault = match fault.diagnostic.labels.is_empty() {
                true => fault.at(path.span, "listed here"),
                false => fault,
            };
            fault.wrap(format!("couldn't make target for path '{root}'"))
        })?;
        child.kustomization.build_metadata = self.kustomization.build_metadata.clone();
        child.origin = self.origin.as_ref().map(|origin| origin.append(path));
        child.helm_namespace = match self.kustomization.namespace.is_empty() {
            true => self.helm_namespace.clone(),
            false => self.kustomization.namespace.to_string(),
        };
        child.set_schema(context, false)?;
        Ok(child)
    }

    /// Takes the schema that `openapi` names into use; only the root may change one that is set.
    pub(crate) fn set_schema(&self, context: &mut Context<'_>, is_root: bool) -> Result<()> {
        let openapi = &self.kustomization.openapi;
        let file = match openapi.get("path") {
            Some(path) => Some(self.loader.load(context, path, path.span)?),
            None => None,
        };
        if context.schema_is_set && !is_root {
            return Ok(());
        }
        let version = openapi.get("version");
        if let Some(file) = file {
            if let Some(version) = version {
                let text = "builtin version and custom schema provided, cannot use both";
                return Err(Fault::new("two-schemas", text).at(version.span, ""));
            }
            let tables = match (context.merged, context.met_unknown) {
                (true, _) => Tables::Below,
                (false, true) => Tables::Above,
                (false, false) => Tables::Dropped,
            };
            context.schema = Arc::new(Schema::custom(document(&file)?, tables));
            context.schema_is_set = true;
            return Ok(());
        }
        match version {
            Some(version) if !version.is_empty() && &**version != BUILTIN_SCHEMA => {
                let text = "the specified OpenAPI version is not built in";
                Err(Fault::new("unknown-schema", text)
                    .at(version.span, "")
                    .help(format!("`{BUILTIN_SCHEMA}` is built in")))
            }
            version => {
                context.schema_is_set = version.is_some_and(|version| !version.is_empty());
                Ok(())
            }
        }
    }
}

/// An OpenAPI document from its file: JSON if the first byte says so, else YAML, in UTF-16 too.
fn document(file: &File) -> Result<Document> {
    let bytes = file.bytes();
    let node = match (&file.text, bytes.first()) {
        (_, None) => return Err(bad_schema("EOF").at(file.at, "the file is empty")),
        (Some(text), Some(b'{')) => kelson_yaml::json::read(text, file.at).map(Some),
        _ => kelson_yaml::first_document_of(bytes, file.at, Dialect::V2),
    };
    let node = node.map_err(|error| bad_schema(&error.upstream()).at(error.span, error.message))?;
    let node = node.unwrap_or_else(Node::null);
    for part in std::iter::once(&node)
        .chain(["definitions", "paths"].iter().filter_map(|key| node.get(key)))
    {
        if part.as_mapping().is_none() && !part.is_null() {
            let text = "json: cannot unmarshal Go value of type spec.Swagger";
            return Err(bad_schema(text).at(part.span, "a mapping is needed here"));
        }
    }
    Ok(Document::new(node))
}

fn bad_schema(why: &str) -> Box<Fault> {
    Fault::new("bad-schema", format!("invalid schema file: {why}"))
}

/// Puts upstream's words into quotes, as it does for components.
fn requoted(mut fault: Box<Fault>, prefix: &str) -> Box<Fault> {
    fault.text = format!("{prefix} {}", gotext::quote(&fault.text));
    fault
}
