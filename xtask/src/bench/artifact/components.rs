//! A hundred components built in one run.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::super::measure::best;
use super::Bench;
use crate::overlays::{Shape, bench};

/// How many components are built in one run.
const COMPONENTS: usize = 100;
/// How many objects each has.
const SIZES: [usize; 3] = [10, 100, 1_000];

impl Bench {
    pub(super) fn components(&self) -> anyhow::Result<()> {
        println!("\n{COMPONENTS} components built in one run");
        for size in SIZES {
            let files = self.files(size)?;
            let layout = format!("oci-layout:{}", self.path("NEW")?);
            self.build(size, "a layout", &layout, &files)?;
            let registry = format!("oci://{}", self.at("NEW"));
            self.build(size, "a registry", &registry, &files)?;
        }
        Ok(())
    }

    fn build(&self, size: usize, what: &str, to: &str, files: &[PathBuf]) -> anyhow::Result<()> {
        let cost = best(3, || {
            let mut command = Command::new(&self.kelson);
            let to = to.replace("NEW", &self.name());
            command.args(["component", "build", "--to", &to]).args(files);
            command
        })?;
        let (wall, processor) = (cost.wall.as_secs_f64(), cost.processor.as_secs_f64());
        println!(
            "{size:>6} objects each, to {what:<10}: {wall:>6.2} s on the wall, {processor:>6.2} s of processor time, {:.2} processors busy",
            processor / wall
        );
        Ok(())
    }

    fn files(&self, size: usize) -> anyhow::Result<Vec<PathBuf>> {
        let folder = self.scratch.path().join(format!("components-{size}"));
        fs::create_dir_all(&folder)?;
        let tree = bench(Shape::Overlay, size, &folder.join("tree"))?;
        let inside = tree.strip_prefix(&folder).unwrap_or(&tree).display().to_string();
        let file = |number| {
            let file = folder.join(format!("c{number}.toml"));
            let text = format!(
                "name = \"c{number}\"\ntype = \"kubernetes_manifest\"\nnamespace = \"a\"\n[kustomize]\npath = \"{inside}\"\n"
            );
            fs::write(&file, text)?;
            Ok(file)
        };
        (0..COMPONENTS).map(file).collect()
    }
}
