//! What must hold for every text and every tree that the engine is given.

use kelson_kustomize::{Options, Outcome};
use kelson_model::{Answers, MemoryTree};
use kelson_yaml::{Dialect, Reading, SourceId, Span};

/// Where a text of one's own begins.
const START: Span = Span { source: SourceId(0), start: 0 };

/// Reading ends, with documents or an error, in both dialects and as JSON.
pub fn read(input: &[u8]) {
    let Ok(text) = kelson_yaml::decode(input) else { return };
    for dialect in [Dialect::V3, Dialect::V2] {
        for places in [false, true] {
            let reading = Reading { dialect, places };
            let _ = kelson_yaml::documents(&text, START, reading);
            let _ = kelson_yaml::first_document(&text, START, reading);
        }
    }
    let _ = kelson_yaml::json::read(&text, START);
}

/// What was written reads back as the same: writing it again gives the same text.
pub fn emit(input: &[u8]) {
    let Ok(text) = kelson_yaml::decode(input) else { return };
    let Ok(documents) = kelson_yaml::documents(&text, START, Dialect::V3) else { return };
    for document in documents {
        let mut first = String::new();
        if kelson_yaml::emit::canonical(&document, &mut first).is_err() {
            continue;
        }
        let again = kelson_yaml::first_document(&first, START, Dialect::V3)
            .unwrap_or_else(|error| panic!("{} in what was written:\n{first}", error.message));
        let mut second = String::new();
        if let Some(again) = again {
            kelson_yaml::emit::canonical(&again, &mut second)
                .unwrap_or_else(|error| panic!("{} for what was written:\n{first}", error.message));
            assert_eq!(first, second);
        }
    }
}

/// A patch on an object ends. The input is the object and the patch, parted by a line `#-`.
pub fn merge(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (object, patch) = text.split_once("\n#-\n").unwrap_or((&text, ""));
    let mut tree = MemoryTree::default();
    let kustomization =
        "resources: [object.yaml]\npatches: [{path: patch.yaml, target: {kind: .*}}]\n";
    tree.insert("kustomization.yaml", kustomization);
    tree.insert("object.yaml", object);
    tree.insert("patch.yaml", patch);
    build_tree(&tree);
}

/// A build ends. The input is many files, each opened by a line `#- path`.
pub fn render(input: &[u8]) {
    build_tree(&MemoryTree::parse(&String::from_utf8_lossy(input)));
}

/// Builds a tree and, where that succeeds, builds and writes it again: the same text both times.
fn build_tree(tree: &MemoryTree) {
    let options = Options::default();
    let write = || match kelson_kustomize::build(tree, "/", &options, &Answers::default()) {
        Ok(Outcome::Built(build)) => build.to_yaml().ok(),
        _ => None,
    };
    if let Some(text) = write() {
        assert_eq!(Some(text), write());
    }
    let strict = Options { strict: true, ..Options::default() };
    let _ = kelson_kustomize::build(tree, "/", &strict, &Answers::default());
    let places = Options { places: true, ..Options::default() };
    let _ = kelson_kustomize::build(tree, "/", &places, &Answers::default());
}
