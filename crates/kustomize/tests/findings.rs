//! What the fuzzers start from and what they once found, through the very functions they call.

#[path = "../../../fuzz/src/engine.rs"]
#[expect(unreachable_pub, reason = "the fuzzers use it as a crate")]
mod checks;
#[path = "../../../fuzz/src/seeds.rs"]
#[expect(unreachable_pub, reason = "the fuzzers use it as a crate")]
mod seeds;

use std::path::Path;

use seeds::seeds;

/// Replays all seeds of a fuzzer; that there are as many as cases shows that none was lost on the way.
#[track_caller]
fn check(target: &str, holds: fn(&[u8])) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = seeds(&repository, target).expect("the seeds can be made");
    assert!(seeds.len() > 400, "only {} seeds", seeds.len());
    for seed in seeds {
        let held = std::panic::catch_unwind(|| holds(&seed.input));
        assert!(held.is_ok(), "{target}: {}", seed.name);
    }
}

#[test]
fn every_seed_of_the_reader_is_read() {
    check("read", checks::read);
}

#[test]
fn every_seed_of_the_emitter_reads_back_as_written() {
    check("emit", checks::emit);
}

#[test]
fn every_seed_of_the_merge_comes_to_an_end() {
    check("merge", checks::merge);
}

#[test]
fn every_seed_of_the_build_comes_to_an_end() {
    check("render", checks::render);
}
