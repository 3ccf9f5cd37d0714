//! Tests that cannot run here say so, instead of passing in silence.

use std::io::Write;
use std::path::{Path, PathBuf};

/// Names the file to which tests that cannot run add a line; `cargo xtask test` sets it and prints them.
pub const CANNOT_RUN: &str = "KELSON_TEST_CANNOT_RUN";

/// Records that a test cannot run here, and why. The test then returns; in CI the whole run fails.
pub fn cannot_run(test: &str, reason: &str) {
    let line = format!("{test}: {reason}");
    crate::go::note(&format!("cannot run here: {line}"));
    let Some(path) = std::env::var_os(CANNOT_RUN) else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    if let Ok(mut file) = file {
        writeln!(file, "{line}").ok();
    }
}

/// The folder `name` of the conformance data, which lies beside the project and not in it: below `$KELSON_CONFORMANCE`,
/// else below `shared/conformance` in a directory above. Where it is absent, the test that asks cannot run.
pub fn conformance(test: &str, name: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("KELSON_CONFORMANCE") {
        Some(folder) => Some(PathBuf::from(folder).join(name)),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|above| above.join("shared/conformance").join(name))
            .find(|folder| folder.is_dir()),
    };
    let found = folder.filter(|folder| folder.is_dir());
    if found.is_none() {
        cannot_run(
            test,
            &format!("no conformance data `{name}`; KELSON_CONFORMANCE may name its folder"),
        );
    }
    found
}
