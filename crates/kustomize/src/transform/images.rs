//! `images`: other names, tags and digests for the images of containers.
//!
//! Upstream goes over each object twice for every entry: once to every `image` below a list called `containers`
//! or `initContainers`, once to the fields of the configuration. An image that both reach is edited twice, which
//! shows with `tagSuffix`.

mod edit; // what an entry makes of an image

use hashbrown::HashMap;
use kelson_yaml::{Data, Node, Tag, Touch};

pub(crate) use edit::Edit;

use crate::fault::Result;
use crate::fieldspec::{FieldSpec, Make, Specs, visit};
use crate::resource::Resource;
use crate::write::{Writer, is_null, wrong_kind};

/// An entry with the instance that stands for it.
pub(crate) struct Entry {
    /// What is done.
    pub(crate) edit: Edit,
    /// The instance.
    pub(crate) touch: Touch,
}

/// How images are edited.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Each entry edits an image once, however often it is reached.
    pub(crate) once: bool,
}

/// Lets every entry, in order, edit the images of an object; says which of them found one.
pub(crate) fn apply(
    resource: &mut Resource,
    entries: &[Entry],
    specs: &Specs,
    options: Options,
) -> Result<Vec<bool>> {
    let mut editor = Editor {
        entries,
        options,
        writer: Writer::new(Touch::NONE),
        hits: vec![false; entries.len()],
        reached: HashMap::new(),
        is_broken: false,
    };
    let gvk = resource.gvk();
    if gvk.kind == "CustomResourceDefinition" || entries.is_empty() {
        return Ok(editor.hits);
    }
    let specs: Vec<&FieldSpec> = specs.of(&gvk).collect();
    editor.count(&mut resource.node, &specs);
    editor.walk(&mut resource.node)?;
    editor.finish(&mut resource.node, &specs)?;
    editor.writer.settle(&mut resource.node);
    Ok(editor.hits)
}

struct Editor<'a> {
    entries: &'a [Entry],
    options: Options,
    writer: Writer,
    hits: Vec<bool>,
    /// How often the fields of the configuration reach an image, by its address: nothing moves meanwhile.
    reached: HashMap<usize, usize>,
    /// Whether some field could not be followed.
    is_broken: bool,
}

impl Editor<'_> {
    fn count(&mut self, object: &mut Node, specs: &[&FieldSpec]) {
        let reached = &mut self.reached;
        for spec in specs {
            let visited = visit(object, spec, Make::Nothing, &mut self.writer, &mut |_, node| {
                *reached.entry(address(node)).or_default() += 1;
                Ok(())
            });
            // Its error waits for its turn: what stands in lists of containers comes first.
            self.is_broken |= visited.is_err();
        }
    }

    /// Edits every image in a list of containers.
    fn walk(&mut self, node: &mut Node) -> Result<()> {
        match &mut node.data {
            Data::Scalar(_) => Ok(()),
            Data::Sequence(sequence) => sequence.items.iter_mut().try_for_each(|it| self.walk(it)),
            Data::Mapping(mapping) => mapping.entries.iter_mut().try_for_each(|entry| {
                self.walk(&mut entry.value)?;
                match entry.key.text() {
                    Some("containers" | "initContainers") => self.containers(&mut entry.value),
                    _ => Ok(()),
                }
            }),
        }
    }

    fn containers(&mut self, node: &mut Node) -> Result<()> {
        let Data::Sequence(sequence) = &mut node.data else { return Ok(()) };
        for container in &mut sequence.items {
            if is_null(container) {
                continue;
            }
            if container.as_mapping().is_none() {
                return Err(wrong_kind("MappingNode", container));
            }
            if let Some(image) = container.get_mut("image") {
                let again = self.reached.remove(&address(image)).unwrap_or(0);
                self.edit(image, 1 + again)?;
            }
        }
        Ok(())
    }

    /// Edits the images that only the fields of the configuration reach.
    fn finish(&mut self, object: &mut Node, specs: &[&FieldSpec]) -> Result<()> {
        if self.reached.is_empty() && !self.is_broken {
            return Ok(());
        }
        let mut writer = Writer::new(Touch::NONE);
        for spec in specs {
            visit(object, spec, Make::Nothing, &mut writer, &mut |_, node| match self
                .reached
                .remove(&address(node))
            {
                Some(times) => self.edit(node, times),
                None => Ok(()),
            })?;
        }
        Ok(())
    }

    fn edit(&mut self, node: &mut Node, times: usize) -> Result<()> {
        let Some(text) = node.text() else { return Err(wrong_kind("ScalarNode", node)) };
        let times = if self.options.once { 1 } else { times };
        let mut text = text.to_owned();
        for (entry, hit) in self.entries.iter().zip(&mut self.hits) {
            for _ in 0..times {
                let Some((edited, span)) = entry.edit.apply(&text)? else { break };
                *hit = true;
                text = edited;
                self.writer.set_touch(entry.touch);
                self.writer.scalar(node, &text, Tag::Unresolved, span)?;
            }
        }
        Ok(())
    }
}

/// The names of the images that containers use, for hints.
pub(crate) fn names(object: &Node) -> Vec<String> {
    let mut found = Vec::new();
    gather(object, &mut found);
    found
}

fn gather(node: &Node, found: &mut Vec<String>) {
    for item in node.as_sequence().unwrap_or_default() {
        gather(item, found);
    }
    for entry in node.as_mapping().into_iter().flatten() {
        match (entry.key.text(), entry.value.text()) {
            (Some("image"), Some(image)) => found.push(edit::name_of(image).to_owned()),
            _ => gather(&entry.value, found),
        }
    }
}

fn address(node: &Node) -> usize {
    std::ptr::from_ref(node).addr()
}
