//! An overlay that is rendered and pushed: by one program, and by the two that it takes otherwise.

use super::{Bench, milliseconds, utf8};
use crate::overlays::{Shape, bench};

/// How many objects are rendered; kustomize takes seconds for the last.
const SIZES: [usize; 3] = [10, 100, 1_000];

impl Bench {
    pub(super) fn rendering(&self) -> anyhow::Result<()> {
        println!(
            "\nan overlay rendered and pushed: kelson push, against kustomize build and flux push artifact"
        );
        for size in SIZES {
            let folder = self.scratch.path().join(format!("overlay-{size}"));
            let tree = utf8(&bench(Shape::Overlay, size, &folder)?)?;
            let to = format!("oci://{}:v1", self.at("NEW"));
            let ours = self.cost(&self.kelson, &["push", &tree, &to])?;
            let file = self.path(&format!("rendered-{size}.yaml"))?;
            let build = self.cost(&self.kustomize, &["build", &tree, "-o", &file])?;
            let send = self.cost(&self.flux, &super::moving::flux_push(&file, &to))?;
            let (processor, wall) = (build.processor + send.processor, build.wall + send.wall);
            println!(
                "{size:>8} kelson {:>7.1} ms ({:.1} on the wall), kustomize and flux {:>7.1} ms ({:.1}): {:.1}x, {:.1}x",
                milliseconds(ours.processor),
                milliseconds(ours.wall),
                milliseconds(processor),
                milliseconds(wall),
                processor.as_secs_f64() / ours.processor.as_secs_f64(),
                wall.as_secs_f64() / ours.wall.as_secs_f64(),
            );
        }
        Ok(())
    }
}
