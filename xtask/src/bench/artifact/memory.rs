//! What an artifact takes beside its objects: the peak of a push and a pull against that of a build, which has the same
//! objects and no artifact; and the peak of a copy, which has no objects at all.

use std::fs;
use std::process::Command;

use super::{Bench, megabytes, utf8};
use crate::overlays::{Shape, bench};
use crate::run::output;

const SIZES: [usize; 3] = [1_000, 10_000, 40_000];
/// How large the files are that are copied.
const COPIED: [usize; 3] = [1 << 20, 16 << 20, 128 << 20];

impl Bench {
    pub(super) fn memory(&self) -> anyhow::Result<()> {
        println!("\npeak memory with the objects of an overlay");
        println!("{:>8} {:>10} {:>10} {:>10} {:>10}", "objects", "output", "build", "push", "pull");
        for size in SIZES {
            let folder = self.scratch.path().join(format!("overlay-{size}"));
            let tree = utf8(&bench(Shape::Overlay, size, &folder)?)?;
            let file = self.path(&format!("built-{size}.yaml"))?;
            let build = self.cost(&self.kelson, &["build", &tree, "-o", &file])?;
            let to = format!("oci://{}:v1", self.at(&format!("memory-{size}")));
            let push = self.cost(&self.kelson, &["push", &tree, &to])?;
            let pull = self.cost(&self.kelson, &["pull", &to, "--output", &self.path("NEW")?])?;
            println!(
                "{size:>8} {:>7.1} MB {:>7.1} MB {:>7.1} MB {:>7.1} MB",
                megabytes(fs::metadata(&file)?.len()),
                megabytes(build.memory),
                megabytes(push.memory),
                megabytes(pull.memory),
            );
        }
        self.copies()
    }

    fn copies(&self) -> anyhow::Result<()> {
        println!("\npeak memory of copying one image, from registry to registry and to a layout");
        for size in COPIED {
            let file = self.scratch.path().join("noise");
            fs::write(&file, noise(size))?;
            let archive = self.path("noise.tar")?;
            output(
                Command::new("tar")
                    .args(["-cf", &archive, "-C"])
                    .arg(self.scratch.path())
                    .arg("noise"),
            )?;
            let image = self.at(&format!("noise-{size}"));
            output(Command::new(&self.crane).args([
                "append",
                "--insecure",
                "-f",
                &archive,
                "-t",
                &image,
            ]))?;
            let from = format!("oci://{image}:latest");
            let mirror = |to: &str| self.cost(&self.kelson, &["mirror", &from, to]);
            let registry = mirror(&format!("oci://{}", self.at("NEW")))?;
            let layout = mirror(&format!("oci-layout:{}", self.path("NEW")?))?;
            println!(
                "{:>7.1} MB: {:>5.1} MB, {:>5.1} MB",
                megabytes(size as u64),
                megabytes(registry.memory),
                megabytes(layout.memory)
            );
        }
        Ok(())
    }
}

/// Bytes that no compressor makes shorter.
fn noise(size: usize) -> Vec<u8> {
    let mut state = size as u64 | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..size / 8).flat_map(|_| next()).collect()
}
