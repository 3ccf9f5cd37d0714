//! What the fuzzers once found, through the very functions they call.

#[path = "../../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "the fuzzers use it as a crate")]
mod checks;

use std::fs;
use std::path::Path;

/// What must hold for every input.
type Check = fn(&[u8]);

#[test]
fn what_was_found_is_found_no_more() {
    let targets: [(&str, Check); 4] = [
        ("read", checks::read),
        ("emit", checks::emit),
        ("merge", checks::merge),
        ("render", checks::render),
    ];
    let findings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/findings");
    for (target, check) in targets {
        let mut files: Vec<_> = fs::read_dir(findings.join(target))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.file_name().is_some_and(|name| name != ".gitkeep"))
            .collect();
        files.sort();
        for file in files {
            // Shown by a failing test alone.
            println!("{}", file.display());
            check(&fs::read(&file).unwrap());
        }
    }
}
