use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use clap::Parser;
use expect_test::{Expect, expect};

use super::*;

#[derive(Parser)]
struct Line {
    sources: Vec<String>,
    #[command(flatten)]
    gather: Flags,
}

const FILES: &str = "#- a/one.yaml
{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {k: v}}
#- b/two.yaml
{apiVersion: v1, kind: Secret, metadata: {name: two}, stringData: {k: v}}
#- c/again.yaml
{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}
#- patch/fields.yaml
nameSuffix: -x
patches: [{path: data.yaml}]
#- patch/data.yaml
{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {more: yes please}}
#- namespace.yaml
namespace: there
#- sealed.yaml
{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: ENC}, sops: {mac: m}}
#- open.yaml
{apiVersion: v1, kind: ConfigMap, metadata: {name: o}, data: {k: 'a {{.nuon.install.id}} b'}}
#- alerts.yaml
{apiVersion: v1, kind: ConfigMap, metadata: {name: o}, data: {k: 'on {{ $labels.instance }}'}}
";

static COUNT: AtomicU32 = AtomicU32::new(0);

fn folder() -> PathBuf {
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let root = std::env::temp_dir().join(format!("kelson-gather-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&root).unwrap();
    let root = root.canonicalize().unwrap();
    for (path, content) in MemoryTree::parse(FILES).files() {
        let path = root.join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    root
}

/// Gathers what words of a command line name; each that names a file is below the folder, which reads as `/here`.
fn gathered(words: &str) -> String {
    let root = folder();
    let here = |word: &str| match word.starts_with('-') {
        true => word.to_owned(),
        false => root.join(word).display().to_string(),
    };
    let words = std::iter::once("kelson".to_owned()).chain(words.split(' ').map(here));
    let line = Line::try_parse_from(words).unwrap();
    let result = crate::runtime::run(line.gather.gather(&line.sources));
    let text = match result {
        Ok(gathered) => text(&gathered),
        Err(error) => format!("{error:#}\n"),
    };
    std::fs::remove_dir_all(&root).unwrap();
    text.replace(&*root.to_string_lossy(), "/here")
}

fn text(gathered: &Gathered) -> String {
    let mut text = String::new();
    for object in &gathered.objects {
        kelson_yaml::json::write(&object.node, &mut text).unwrap();
        text.push('\n');
    }
    writeln!(text, "from {}", gathered.sources.join(", ")).unwrap();
    assert_eq!(gathered.packed.is_some(), gathered.reference.is_none());
    assert!(gathered.digest.starts_with("sha256:"));
    text
}

#[track_caller]
fn check(words: &str, expected: Expect) {
    expected.assert_eq(&gathered(words));
}

#[test]
fn several_sources_are_one_set() {
    check(
        "a b",
        expect![[r#"
        {"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"name":"one"}}
        {"apiVersion":"v1","kind":"Secret","metadata":{"name":"two"},"stringData":{"k":"v"}}
        from /here/a, /here/b
    "#]],
    );
    check(
        "a c",
        expect![[r#"
        ConfigMap/one is in two sources: `/here/a` and `/here/c`
    "#]],
    );
}

#[test]
fn patches_are_laid_over_all_sources_one_after_the_other() {
    check(
        "a b --patch patch/fields.yaml --patch namespace.yaml",
        expect![[r#"
        {"apiVersion":"v1","data":{"k":"v","more":"yes please"},"kind":"ConfigMap","metadata":{"name":"one-x","namespace":"there"}}
        {"apiVersion":"v1","kind":"Secret","metadata":{"name":"two-x","namespace":"there"},"stringData":{"k":"v"}}
        from /here/a, /here/b
    "#]],
    );
}

#[test]
fn what_nobody_could_use_is_refused() {
    check(
        "sealed.yaml",
        expect![[r#"
        Secret/s is encrypted with SOPS, and cannot be decrypted here yet; decrypt it with `sops` first
    "#]],
    );
    check(
        "open.yaml",
        expect![[r#"
        ConfigMap/o: `data.k` still has the place {{.nuon.install.id}}, which nobody has filled
    "#]],
    );
    check(
        "alerts.yaml",
        expect![[r#"
        {"apiVersion":"v1","data":{"k":"on {{ $labels.instance }}"},"kind":"ConfigMap","metadata":{"name":"o"}}
        from /here/alerts.yaml
    "#]],
    );
}

#[test]
fn the_same_objects_have_the_same_digest() {
    let digest = |words: &str| {
        let root = folder();
        let path = root.join(words).display().to_string();
        let line = Line::try_parse_from(["kelson", &path]).unwrap();
        let gathered = crate::runtime::run(line.gather.gather(&line.sources)).unwrap();
        std::fs::remove_dir_all(&root).unwrap();
        gathered.digest
    };
    assert_eq!(digest("a"), digest("a/one.yaml"));
    assert_ne!(digest("a"), digest("c"));
}
