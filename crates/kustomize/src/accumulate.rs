//! The recursion: a kustomization gathers its resources and bases, generates, takes in components, transforms.

mod absorb; // generated objects meet those that exist
mod directory; // bases and components
mod instances; // the transformers and generators that a kustomization asks for
mod vars; // variables and the objects they read

use std::rc::Rc;
use std::sync::Arc;

use kelson_yaml::{Dialect, Span};

use crate::config::{self, TransformerConfig};
use crate::context::{Context, PENDING};
use crate::decode::Str;
use crate::fault::{Fault, Result};
use crate::giturl;
use crate::inline::Inline;
use crate::kustomization::{self, Kustomization};
use crate::loader::{Entry, Loader};
use crate::metadata::{self, Origin};
use crate::plugins;
use crate::read;
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::transform::patches;
use crate::transformer::Instance;

pub(crate) use instances::inline_replacement;
pub(crate) use vars::Vars;

/// What was gathered, and the rules that came with it.
pub(crate) struct Accumulator {
    pub(crate) resources: ResMap,
    pub(crate) config: TransformerConfig,
    pub(crate) vars: Vars,
}

/// One kustomization at work.
pub(crate) struct Target {
    pub(crate) loader: Rc<Loader>,
    /// What people call its file.
    pub(crate) file: Arc<str>,
    pub(crate) file_name: &'static str,
    pub(crate) kustomization: Box<Kustomization>,
    pub(crate) at: Span,
    /// Where it is, if anybody asked for origins.
    pub(crate) origin: Option<Origin>,
    /// The namespace that kustomizations above give to charts.
    pub(crate) helm_namespace: String,
}

impl Accumulator {
    /// Nothing gathered yet.
    pub(crate) fn new(context: &Context<'_>) -> Self {
        Self {
            resources: ResMap::new(&context.schema),
            config: TransformerConfig::default(),
            vars: Vars::default(),
        }
    }

    /// Takes over what another gathered.
    pub(crate) fn merge(&mut self, other: Self) -> Result<()> {
        self.resources.append_all(other.resources)?;
        self.config.merge(&other.config)?;
        self.vars.merge(other.vars)
    }
}

impl Target {
    /// Reads the kustomization of a directory.
    pub(crate) fn load(context: &mut Context<'_>, loader: Rc<Loader>) -> Result<Self> {
        context.visit()?;
        let (file, file_name) = loader.load_kustomization(context)?;
        let text = file.yaml().map_err(|fault| fault.wrap("invalid Kustomization"))?;
        let loaded =
            kustomization::read(text, file.at, &loader.root, context.reading(Dialect::V2))?;
        context.warnings.extend(loaded.warnings);
        if context.options.strict {
            for fault in kustomization::repeated_keys(text, file.at, context.reading(Dialect::V3)) {
                context.note_strict(|| fault);
            }
            for (key, _) in &loaded.kustomization.openapi.pairs {
                if !matches!(&**key, "path" | "version") {
                    context.note_strict(|| {
                        Fault::new("unknown-field", format!("`openapi` has no field `{}`", &**key))
                            .at(key.span, "not a known field")
                            .help("`openapi` has the fields `path` and `version`")
                    });
                }
            }
        }
        let name = loader.name_of(&crate::loader::join(&loader.root, file_name));
        Ok(Self {
            loader,
            file: name.into(),
            file_name,
            kustomization: loaded.kustomization,
            at: file.at,
            origin: None,
            helm_namespace: String::new(),
        })
    }

    /// Does everything this kustomization says, on top of what was gathered before.
    pub(crate) fn accumulate(
        &mut self,
        context: &mut Context<'_>,
        mut accumulator: Accumulator,
    ) -> Result<Accumulator> {
        self.note_repeated(context);
        let resources = std::mem::take(&mut self.kustomization.resources);
        self.accumulate_resources(context, &mut accumulator, &resources)
            .map_err(|fault| fault.wrap("accumulating resources"))?;
        self.merge_config(context, &mut accumulator)?;
        self.generate(context, &mut accumulator)?;
        accumulator = self
            .accumulate_components(context, accumulator)
            .map_err(|fault| fault.wrap("accumulating components"))?;
        self.transform(context, &mut accumulator)?;
        self.validate(context, &mut accumulator)?;
        accumulator.read_vars(&self.kustomization.vars)?;
        Ok(accumulator)
    }

    /// Gathers files, bases and repositories, in order.
    pub(crate) fn accumulate_resources(
        &mut self,
        context: &mut Context<'_>,
        accumulator: &mut Accumulator,
        paths: &[Str],
    ) -> Result<()> {
        for path in paths {
            match self.accumulate_resource(context, accumulator, path) {
                // Other entries may have needs of their own, which are better asked for together.
                Err(fault) if fault.diagnostic.code == PENDING => {}
                result => result?,
            }
        }
        Ok(())
    }

    /// Gathers one entry: as a file if it is one, else as a base.
    fn accumulate_resource(
        &mut self,
        context: &mut Context<'_>,
        accumulator: &mut Accumulator,
        path: &Str,
    ) -> Result<()> {
        let file_fault = match self.accumulate_file(context, accumulator, path) {
            Ok(None) => return Ok(()),
            Ok(Some(loader)) => return self.accumulate_base(context, accumulator, path, loader),
            Err(fault) if fault.diagnostic.code == PENDING => return Err(fault),
            Err(fault) if giturl::is_http(path) => return Err(fault),
            Err(fault) => fault,
        };
        let loader = match self.loader.new_root(context, path, path.span) {
            Ok(loader) => loader,
            Err(fault) if fault.diagnostic.code == PENDING => return Err(fault),
            Err(_) if file_fault.text.contains("MalformedYAMLError") => return Err(file_fault),
            Err(fault) => {
                let outer = format!("accumulation err='{}'", file_fault.text);
                let mut fault = fault.wrap(outer);
                if fault.diagnostic.code != "cycle" && fault.diagnostic.code != "too-deep" {
                    fault.diagnostic = file_fault.diagnostic;
                }
                return Err(fault);
            }
        };
        self.accumulate_base(context, accumulator, path, loader)
            .map_err(|fault| fault.wrap(format!("accumulation err='{}'", file_fault.text)))
    }

    /// Gathers the objects of a file. What turns out to be a repository is returned.
    fn accumulate_file(
        &self,
        context: &mut Context<'_>,
        accumulator: &mut Accumulator,
        path: &Str,
    ) -> Result<Option<Rc<Loader>>> {
        let from =
            |fault: Box<Fault>| fault.wrap(format!("accumulating resources from '{}'", &**path));
        let file = if giturl::is_http(path) {
            match self.loader.fetch(context, path, path.span).map_err(from)? {
                Entry::File(file) => file,
                Entry::Directory(loader) => return Ok(Some(loader)),
            }
        } else {
            self.loader.load(context, path, path.span).map_err(from)?
        };
        let mut resources = read::file(&file, context.options.places)
            .map_err(|fault| from(patches::in_file(fault, path)))?;
        if let Some(origin) = &self.origin {
            resources.iter().try_for_each(metadata::check_annotations).map_err(|fault| {
                fault.wrap(format!("cannot add path annotation for '{}'", &**path))
            })?;
            let origin = Arc::new(origin.append(path));
            resources.iter_mut().for_each(|it| it.origin = Some(Arc::clone(&origin)));
        }
        let map = self.map_of(context, resources).map_err(from)?;
        accumulator
            .resources
            .append_all(map)
            .map_err(|fault| fault.wrap(format!("merging resources from '{}'", &**path)))?;
        Ok(None)
    }

    /// Objects as a map of their own; unknown kinds are noted while the schema can still change.
    fn map_of(&self, context: &mut Context<'_>, resources: Vec<Resource>) -> Result<ResMap> {
        if !context.schema_is_set && !context.met_unknown {
            let schema = &context.schema;
            let unknown = |it: &Resource| schema.is_namespaced(&it.gvk()).is_none();
            context.met_unknown = resources.iter().any(unknown);
        }
        ResMap::from_list(resources, &context.schema)
    }

    /// Merges the built-in tables, `configurations` and `crds` into the rules.
    fn merge_config(&self, context: &mut Context<'_>, accumulator: &mut Accumulator) -> Result<()> {
        let mut config = context.tables.clone();
        let mut custom = TransformerConfig::default();
        for path in &self.kustomization.configurations {
            let file = self.loader.load(context, path, path.span)?;
            let text = file.yaml().map_err(|fault| fault.wrap("error converting YAML to JSON"))?;
            custom.merge(&TransformerConfig::from_text(text, file.at)?)?;
        }
        config.merge(&custom)?;
        accumulator.config.merge(&config)?;
        let paths = &self.kustomization.crds;
        if paths.is_empty() {
            return Ok(());
        }
        let names = crate::gotext::list(paths.iter().map(|path| &**path));
        let mut crds = TransformerConfig::default();
        for path in paths {
            let loaded = self
                .loader
                .load(context, path, path.span)
                .and_then(|file| crds.merge(&config::from_crds(&file, path)?));
            loaded.map_err(|fault| fault.wrap(format!("loading CRDs {names}")))?;
        }
        accumulator.config.merge(&crds)
    }

    /// Runs the generators.
    fn generate(&mut self, context: &mut Context<'_>, accumulator: &mut Accumulator) -> Result<()> {
        let mut generators = self.builtin_generators(context)?;
        let entries = std::mem::take(&mut self.kustomization.generators);
        let configs = self
            .plugin_configs(context, &entries)
            .map_err(|fault| fault.wrap("loading generator plugins"))?;
        generators.extend(
            plugins::generators(context, self, configs)
                .map_err(|fault| fault.wrap("loading generator plugins"))?,
        );
        for generator in generators {
            let mut generated = match generator.run(context, &self.loader) {
                Err(fault) if fault.diagnostic.code == PENDING => continue,
                generated => generated?,
            };
            if let Some(origin) = &generator.origin {
                for resource in generated.iter_mut().filter(|it| it.origin.is_none()) {
                    resource.origin = Some(Arc::clone(origin));
                }
            }
            for resource in generated {
                accumulator
                    .resources
                    .absorb(resource)
                    .map_err(|fault| fault.wrap("merging from generator &{0x0 <nil>}"))?;
            }
        }
        Ok(())
    }

    /// Runs the transformers. All are set up before the first one runs.
    fn transform(
        &mut self,
        context: &mut Context<'_>,
        accumulator: &mut Accumulator,
    ) -> Result<()> {
        let mut instances = self.builtin_transformers(context, &accumulator.config)?;
        let entries = std::mem::take(&mut self.kustomization.transformers);
        let configs = self.plugin_configs(context, &entries)?;
        instances.extend(plugins::transformers(context, self, configs)?);
        run(context, &mut accumulator.resources, &instances)
    }

    /// Runs the validators, which may change nothing.
    fn validate(&mut self, context: &mut Context<'_>, accumulator: &mut Accumulator) -> Result<()> {
        let entries = std::mem::take(&mut self.kustomization.validators);
        let configs = self.plugin_configs(context, &entries)?;
        for instance in plugins::transformers(context, self, configs)? {
            let before = accumulator.resources.clone();
            instance.apply(context, &mut accumulator.resources)?;
            plugins::refuse_changes(&before, &accumulator.resources)?;
        }
        Ok(())
    }

    /// The objects that configure plugins: written inline, or in files and directories.
    fn plugin_configs(
        &mut self,
        context: &mut Context<'_>,
        entries: &[Str],
    ) -> Result<Vec<Resource>> {
        let mut accumulator = Accumulator::new(context);
        let mut paths = Vec::new();
        for entry in entries {
            let inline = Inline::new(entry, &context.sources);
            let found = read::resources(entry, inline.start(), context.options.places)
                .and_then(|list| self.map_of(context, list));
            let Ok(map) = found else {
                paths.push(entry.clone());
                continue;
            };
            let mut list = map.into_list();
            for resource in &mut list {
                inline.settle(&mut resource.node);
                let origin = self.origin.as_ref();
                resource.origin = origin.map(|origin| Arc::new(origin.append(self.file_name)));
            }
            for resource in list {
                accumulator
                    .resources
                    .append(resource)
                    .map_err(|fault| fault.wrap("configuring external transformer"))?;
            }
        }
        self.accumulate_resources(context, &mut accumulator, &paths)?;
        Ok(accumulator.resources.into_list())
    }

    /// Under strictness nothing may be listed twice.
    fn note_repeated(&self, context: &mut Context<'_>) {
        let it = &self.kustomization;
        for list in [&it.resources, &it.components] {
            let mut seen = hashbrown::HashMap::new();
            for path in list {
                if let Some(first) = seen.insert(&path.text, path.span) {
                    context.note_strict(|| {
                        let text = format!("`{}` is listed twice", &**path);
                        Fault::new("listed-twice", text)
                            .at(path.span, "here again")
                            .at(first, "it was here first")
                            .help("take one of the two out")
                    });
                }
            }
        }
    }
}

/// Runs transformers in order.
pub(crate) fn run(
    context: &mut Context<'_>,
    resources: &mut ResMap,
    instances: &[Instance],
) -> Result<()> {
    for instance in instances {
        instance.apply(context, resources)?;
        if let Some(origin) = &instance.origin {
            metadata::note(resources.contents_mut(), origin);
        }
    }
    resources.drop_empty();
    Ok(())
}
