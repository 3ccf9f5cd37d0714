//! How the program is linked.

use std::env::var;

/// Links the program to a fixed address on Linux, as the programs it replaces are: otherwise 44,000 addresses are
/// written at every start, which touches a fifth of all pages that a small build touches. The optimised program has its
/// code in the order of `layout.ld`.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=layout.ld");
    let is = |name: &str, value: &str| var(name).is_ok_and(|it| it == value);
    if is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if let Ok(folder) = var("CARGO_MANIFEST_DIR")
            && is("PROFILE", "release")
        {
            println!("cargo::rustc-link-arg-bins=-Wl,-T,{folder}/layout.ld");
        }
    }
}
