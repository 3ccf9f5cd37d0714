//! Switches with a value, which programs in Go take: `--enable-helm=true`.

use std::ffi::OsString;

/// The switches of `kustomize build`.
const SWITCHES: [&str; 7] = [
    "--as-current-user",
    "--enable-alpha-plugins",
    "--enable-exec",
    "--enable-helm",
    "--enable-managedby-label",
    "--helm-debug",
    "--network",
];

/// The words of a command line in which such a switch stands alone, or not at all where it is off.
pub(crate) fn alone(words: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    words.filter_map(|word| match word.to_str().and_then(|word| word.split_once('=')) {
        Some((name, value)) if SWITCHES.contains(&name) => match value {
            "1" | "t" | "T" | "true" | "True" | "TRUE" => Some(name.into()),
            "0" | "f" | "F" | "false" | "False" | "FALSE" => None,
            // What is wrong with it is said where arguments are read.
            _ => Some(word),
        },
        _ => Some(word),
    })
}
