//! The program is killed at any request; run again, it finds its way.

use kelson_testkit::{Fault, Gate};

use crate::ordeal::Ordeal;
use crate::stage::{PATIENCE, signal};

/// Where in the life of a request the program ends.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// The request was sent but never arrives.
    Before,
    /// The server has done what it was asked, but nobody hears of it.
    After,
}

/// Kills an apply at the request with a number; says whether there was one.
#[track_caller]
fn check(number: usize, moment: Moment, parallel: usize) -> bool {
    let ordeal = Ordeal::new();
    let gate = Gate::new();
    let hold = match moment {
        Moment::Before => Fault::Hold(gate.clone()),
        Moment::After => Fault::HoldAnswer(gate.clone()),
    };
    ordeal.detour.fault_at(number, "", "", hold);
    let mut child = ordeal.start(parallel);
    let started = std::time::Instant::now();
    let reached = loop {
        if gate.wait(std::time::Duration::from_millis(20)).is_some() {
            break true;
        }
        if child.try_wait().unwrap().is_some() {
            break false;
        }
        assert!(started.elapsed() < PATIENCE, "the apply hangs at {}", ordeal.describe(number));
    };
    if reached {
        signal(&child, "-KILL");
    }
    child.wait().unwrap();
    gate.release(Some(Fault::Close));
    let what = format!("killed {moment:?}, {parallel} at once, {}", ordeal.describe(number));
    ordeal.converges(&what);
    reached
}

/// Kills at every `step`th request, from the `first` on.
fn check_every(step: usize, first: usize, moment: Moment) {
    let mut number = first;
    while check(number, moment, 1) {
        number += step;
    }
    assert!(number > 10, "an apply of {number} requests does not do what it should");
}

#[test]
fn killed_before_a_sample_of_requests() {
    check_every(4, 2, Moment::Before);
}

#[test]
fn killed_after_a_sample_of_requests() {
    check_every(4, 4, Moment::After);
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn killed_before_every_request() {
    check_every(1, 1, Moment::Before);
}

/// Long: run by `cargo xtask test --long`.
#[test]
#[ignore = "long: every request"]
fn killed_after_every_request() {
    check_every(1, 1, Moment::After);
}

#[test]
fn killed_with_many_requests_under_way() {
    // A seeded sample: where sixteen are under way, the order is the machine's.
    let mut seed: usize = 0x6b65_6c73;
    for _ in 0..6 {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let number = 8 + (seed >> 33) % 24;
        let moment = if seed & (1 << 20) == 0 { Moment::Before } else { Moment::After };
        check(number, moment, 16);
    }
}
