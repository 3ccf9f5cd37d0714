//! Tests that cannot run here say so, instead of passing in silence.

use std::io::Write;

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
