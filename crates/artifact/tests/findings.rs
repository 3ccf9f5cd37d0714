//! What the fuzzers start from and what they once found, through the very functions they call.

#[path = "../../../fuzz/src/artifact.rs"]
#[expect(unreachable_pub, reason = "the fuzzers use it as a crate")]
mod checks;
#[path = "../../../fuzz/src/seeds.rs"]
#[expect(unreachable_pub, reason = "the fuzzers use it as a crate")]
mod seeds;

use std::path::Path;

use seeds::seeds;

/// Replays all seeds of a fuzzer, of which there are at least so many.
#[track_caller]
fn check(target: &str, least: usize, holds: fn(&[u8])) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = seeds(&repository, target).expect("the seeds can be made");
    assert!(seeds.len() >= least, "only {} seeds", seeds.len());
    for seed in seeds {
        let held = std::panic::catch_unwind(|| holds(&seed.input));
        assert!(held.is_ok(), "{target}: {}", seed.name);
    }
}

#[test]
fn every_seed_of_the_archive_reader_is_read_or_refused() {
    check("archive", 23, checks::archive);
}

#[test]
fn every_seed_of_the_manifest_reader_is_read_or_refused() {
    check("manifest", 9, checks::manifest);
}
