//! Layers, components and what each of them holds.

use super::dice::Dice;
use super::features;
use super::manifests::{Object, manifest};
use super::value::{Value, list, map, text};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes the random tree of `seed` below `dir` and says which directory to build.
///
/// Most trees build, some do not: a build that must fail is a test too. Trees hold nothing that
/// upstream prints in an order of its own choosing.
pub(crate) fn random(seed: u64, dir: &Path) -> io::Result<PathBuf> {
    let mut dice = Dice::new(seed);
    let is_diamond = dice.chance(8);
    let mut forest = Forest { dice, dir: dir.to_owned(), named: 0, vars: 0, is_diamond };
    let top = forest.grow()?;
    Ok(dir.join(top))
}

/// A tree while it grows.
pub(super) struct Forest {
    pub(super) dice: Dice,
    dir: PathBuf,
    named: usize,
    vars: usize,
    /// Whether two layers stand on the same base.
    pub(super) is_diamond: bool,
}

/// A kustomization that others can build upon.
pub(super) struct Layer {
    /// Its directory, below the root of the tree.
    pub(super) dir: String,
    pub(super) objects: Vec<Object>,
}

/// Where a kustomization stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    Base,
    Component,
    Overlay,
    Top,
}

impl Forest {
    fn grow(&mut self) -> io::Result<String> {
        let height = if self.is_diamond { 2 } else { [1, 2, 2, 2, 3, 3, 4][self.dice.below(7)] };
        let bases = if self.dice.chance(25) && height > 1 { 2 } else { 1 };
        let mut lower = Vec::new();
        for index in 0..bases {
            let rank = if height == 1 { Rank::Top } else { Rank::Base };
            lower.push(self.layer(format!("base{index}"), Vec::new(), rank)?);
        }
        if self.is_diamond {
            lower = self.diamond(lower)?;
        }
        for level in 1..height {
            let rank = if level + 1 == height { Rank::Top } else { Rank::Overlay };
            lower = vec![self.layer(format!("over{level}"), lower, rank)?];
        }
        Ok(lower.swap_remove(0).dir)
    }

    /// Two layers that stand on the same base and differ in their prefix.
    fn diamond(&mut self, lower: Vec<Layer>) -> io::Result<Vec<Layer>> {
        let mut sides = Vec::new();
        for side in ["left", "right"] {
            let resources = lower.iter().map(|layer| text(format!("../{}", layer.dir)));
            let kustomization =
                map([("namePrefix", text(format!("{side}-"))), ("resources", list(resources))]);
            self.document(&format!("{side}/kustomization.yaml"), &kustomization)?;
            let mut objects: Vec<Object> =
                lower.iter().flat_map(|layer| layer.objects.clone()).collect();
            objects.iter_mut().for_each(|object| object.ambiguous = true);
            sides.push(Layer { dir: side.to_owned(), objects });
        }
        Ok(sides)
    }

    fn layer(&mut self, dir: String, lower: Vec<Layer>, rank: Rank) -> io::Result<Layer> {
        let mut resources: Vec<Value> =
            lower.iter().map(|layer| text(format!("../{}", layer.dir))).collect();
        let mut layer =
            Layer { dir, objects: lower.into_iter().flat_map(|layer| layer.objects).collect() };
        let count = match rank {
            _ if layer.objects.is_empty() => self.dice.between(2, 8),
            Rank::Component => self.dice.below(2),
            _ if self.dice.chance(40) => self.dice.between(1, 3),
            _ => 0,
        };
        for file in self.write_objects(&mut layer, count)? {
            resources.push(text(file));
        }
        let mut entries = features::fields(self, &mut layer, rank)?;
        if !resources.is_empty() {
            let resources = Value::List(resources);
            let old = self.dice.chance(4) && rank == Rank::Overlay;
            entries.push((if old { "bases" } else { "resources" }.to_owned(), resources));
        }
        self.dice.shuffle(&mut entries);
        self.kustomization(&layer.dir, rank, entries)?;
        Ok(layer)
    }

    /// A component beside `parent`, which may change what the parent has.
    pub(super) fn component(&mut self, parent: &mut Layer) -> io::Result<String> {
        self.named += 1;
        let dir = format!("part{}", self.named);
        let mut layer = Layer { dir: dir.clone(), objects: parent.objects.clone() };
        let mut resources = Vec::new();
        let count = self.dice.below(2);
        for file in self.write_objects(&mut layer, count)? {
            resources.push(text(file));
        }
        let mut entries = features::fields(self, &mut layer, Rank::Component)?;
        if !resources.is_empty() || self.dice.chance(50) {
            entries.push(("resources".to_owned(), Value::List(resources)));
        }
        self.kustomization(&dir, Rank::Component, entries)?;
        parent.objects = layer.objects;
        Ok(dir)
    }

    fn kustomization(
        &mut self,
        dir: &str,
        rank: Rank,
        mut entries: Vec<(String, Value)>,
    ) -> io::Result<()> {
        if rank == Rank::Component {
            entries.insert(0, ("apiVersion".to_owned(), text("kustomize.config.k8s.io/v1alpha1")));
            entries.insert(1, ("kind".to_owned(), text("Component")));
        } else if self.dice.chance(50) {
            entries.insert(0, ("apiVersion".to_owned(), text("kustomize.config.k8s.io/v1beta1")));
            entries.insert(1, ("kind".to_owned(), text("Kustomization")));
        }
        let name = match self.dice.below(12) {
            0 => "kustomization.yml",
            1 => "Kustomization",
            _ => "kustomization.yaml",
        };
        self.document(&format!("{dir}/{name}"), &Value::Map(entries))
    }

    /// Writes `count` new objects into files, several to a file at times, and names the files.
    fn write_objects(&mut self, layer: &mut Layer, count: usize) -> io::Result<Vec<String>> {
        let mut fresh = Vec::new();
        for _ in 0..count {
            let name = self.fresh_name();
            let object = Object::random(&mut self.dice, name);
            // What takes no prefix would collide with itself at the top of a diamond.
            let unique =
                self.is_diamond && matches!(object.kind, "Namespace" | "CustomResourceDefinition");
            fresh.push(if unique { Object::new("v1", "ConfigMap", object.name) } else { object });
        }
        layer.objects.extend(fresh.iter().cloned());
        let mut files = Vec::new();
        while !fresh.is_empty() {
            let together = self.dice.between(1, 4).min(fresh.len());
            let documents: Vec<Value> = fresh
                .drain(..together)
                .map(|object| manifest(&mut self.dice, &object, &layer.objects))
                .collect();
            self.named += 1;
            let name =
                format!("{}{}.yaml", self.dice.pick(&["res", "sub/res", "manifest"]), self.named);
            let content = self.file_of(documents);
            self.file(&format!("{}/{name}", layer.dir), &content)?;
            files.push(name);
        }
        Ok(files)
    }

    fn file_of(&mut self, mut documents: Vec<Value>) -> String {
        if documents.len() == 1 && self.dice.chance(5) {
            return documents.swap_remove(0).json();
        }
        if self.dice.chance(10) {
            let kind = self.dice.pick(&["List", "List", "ThingList"]);
            let head = map([("apiVersion", text("v1")), ("kind", text(kind))]);
            documents = vec![head.with("items", Value::List(documents))];
        }
        let mut content = self.dice.pick(&["", "", "", "---\n", "# head\n", "\n"]).to_owned();
        for (position, document) in documents.iter().enumerate() {
            if position > 0 {
                let separators = ["---\n", "--- # next\n", "---\n# empty\n---\n", "---\n\n"];
                content.push_str(self.dice.pick(&separators));
            }
            content.push_str(&document.document(&mut self.dice));
        }
        match self.dice.below(40) {
            0 => content.replace('\n', "\r\n"),
            1 if !content.starts_with('-') => format!("\u{feff}{content}"),
            _ => content,
        }
    }

    /// A name that no other object of the tree has; odd ones turn into numbers when prefixed.
    pub(super) fn fresh_name(&mut self) -> String {
        self.named += 1;
        let number = self.named;
        let stem = self.dice.pick(&["web", "api", "db", "cache", "job.nightly", "x-y", "Upper"]);
        match self.dice.below(40) {
            0 => format!("e{number}"),
            1 => format!("{number}"),
            2 => format!("1e{number}"),
            _ => format!("{stem}-{number}"),
        }
    }

    /// Names a variable; the manifests use the first.
    pub(super) fn fresh_var(&mut self) -> String {
        self.vars += 1;
        if self.vars == 1 { "VAR".to_owned() } else { format!("VAR_{}", self.vars) }
    }

    /// Names a new file, unlike all others of the tree.
    pub(super) fn fresh_file(&mut self, stem: &str, extension: &str) -> String {
        self.named += 1;
        format!("{stem}{}.{extension}", self.named)
    }

    /// Writes a document below the root of the tree.
    pub(super) fn document(&mut self, path: &str, value: &Value) -> io::Result<()> {
        let content = value.document(&mut self.dice);
        self.file(path, &content)
    }

    /// Writes a file below the root of the tree.
    pub(super) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        let path = self.dir.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, content)
    }
}
