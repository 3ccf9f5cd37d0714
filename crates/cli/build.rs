//! How the program is linked.

/// Links the program to a fixed address on Linux, as the programs it replaces are: otherwise 44,000 addresses are
/// written at every start, which touches a fifth of all pages that a small build touches.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
