//! Bad input on the real command: an answer within bounded time, never a crash.
//!
//! What is refused and what is accepted was compared with upstream; where we refuse more, the case says why.

#[path = "hostile/bench.rs"]
mod bench; // runs the command in a directory of its own

use std::fmt::Write as _;

use bench::{Case, OBJECT, kustomization};

#[test]
fn broken_yaml_names_the_file_and_the_line() {
    Case::resource("a: [1\nb: 2\n").fails_with(&["a.yaml:2", "did not find expected ',' or ']'"]);
    Case::resource("a:\n\t- b\n")
        .fails_with(&["a.yaml:2", "found character that cannot start any token"]);
    Case::resource("a: b: c\n")
        .fails_with(&["a.yaml:1", "mapping values are not allowed in this context"]);
    Case::resource("a: \"open\n").fails_with(&["a.yaml:2", "found unexpected end of stream"]);
    Case::resource("a: *nobody\n").fails_with(&["a.yaml:1", "unknown anchor 'nobody' referenced"]);
    Case::resource("%YAML 9.9\n---\na: 1\n")
        .fails_with(&["a.yaml:1", "found incompatible YAML document"]);
    Case::resource("- a\n- b\n").fails_with(&["a.yaml:1", "missing Resource metadata"]);
    Case::resource("just text\n").fails_with(&["a.yaml:1", "missing Resource metadata"]);
    Case::overlay("resources: [\n")
        .fails_with(&["kustomization.yaml:2", "did not find expected node content"]);
    Case::overlay("resources:\n\t- a.yaml\n")
        .fails_with(&["kustomization.yaml:2", "found character that cannot start any token"]);
    Case::overlay("just text\n")
        .fails_with(&["kustomization.yaml:1", "cannot unmarshal string into Go value"]);
    Case::overlay("- a.yaml\n")
        .fails_with(&["kustomization.yaml:1", "cannot unmarshal array into Go value"]);
}

#[test]
fn marks_and_line_ends_of_other_systems_are_read() {
    let crlf = OBJECT.replace('\n', "\r\n");
    Case::resource(&crlf).builds(&["name: a\n"]);
    Case::resource(&format!("\u{feff}{OBJECT}")).builds(&["name: a\n"]);
    Case::overlay("resources:\r\n- a.yaml\r\n").with("a.yaml", OBJECT).builds(&["name: a\n"]);
    Case::overlay("\u{feff}resources:\n- a.yaml\n").with("a.yaml", OBJECT).builds(&["name: a\n"]);
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let bad = [OBJECT.as_bytes(), b"data: {a: \"\xff\xfe\"}\n"].concat();
    Case::resource(&bad).fails_with(&["a.yaml", "invalid leading UTF-8 octet"]);
    Case::overlay(b"resources: [\"\xff\"]\n")
        .fails_with(&["kustomization.yaml", "invalid leading UTF-8 octet"]);
    let nul = format!("{OBJECT}data: {{a: \"\0\"}}\n");
    Case::resource(&nul).fails_with(&["a.yaml", "control characters are not allowed"]);
}

#[test]
fn nesting_without_end_is_refused() {
    const DEEP: usize = 10_000;
    let flow = format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    let braces = format!("{}1{}", "{a: ".repeat(DEEP), "}".repeat(DEEP));
    let json = format!("{}1{}", "{\"a\":".repeat(DEEP), "}".repeat(DEEP));
    let dashes = "- ".repeat(DEEP);
    // Indentation makes a text of so many levels as long as their square.
    let mut block = String::new();
    for level in 0..DEEP / 4 {
        let _ = writeln!(block, "{}a:", " ".repeat(level + 1));
    }
    for value in [&flow, &braces, &dashes] {
        let text = if *value == dashes { format!("\n  {value}\n") } else { format!(" {value}\n") };
        Case::resource(&format!("{OBJECT}data:{text}")).fails_with(&["a.yaml", "max depth"]);
        Case::overlay(&format!("resources:{text}"))
            .fails_with(&["kustomization.yaml", "max depth"]);
    }
    Case::resource(&format!("{OBJECT}data:\n{block}")).fails_with(&["a.yaml", "max depth"]);
    Case::overlay(&format!("resources:\n{block}")).fails_with(&["kustomization.yaml", "max depth"]);
    Case::resource(&format!("{{\"kind\":\"A\",\"data\":{json}}}"))
        .fails_with(&["a.yaml", "max depth"]);
    let patched = |patch: &str| {
        Case::overlay("resources: [a.yaml]\npatches: [{path: p.yaml, target: {kind: ConfigMap}}]\n")
            .with("a.yaml", OBJECT)
            .with("p.yaml", patch)
    };
    let add = |value: &str| format!("[{{\"op\":\"add\",\"path\":\"/data\",\"value\":{value}}}]");
    patched(&add(&flow)).fails_with(&["p.yaml"]);
    patched(&add(&json)).fails_with(&["p.yaml"]);
    patched(&format!("- op: add\n  path: /data\n  value: {braces}\n")).fails_with(&["p.yaml"]);
    patched(&format!("{OBJECT}data: {flow}\n")).fails_with(&["p.yaml"]);
}

#[test]
fn nesting_within_the_limit_is_built_and_explained() {
    let text = format!("{OBJECT}data: {}{}\n", "[".repeat(990), "]".repeat(990));
    Case::resource(&text).builds(&["name: a\n"]);
    Case::resource(&text).command(&["explain", ".", "a"]).builds(&["data"]);
    Case::resource(&text).command(&["build", "--json", "."]).builds(&["ConfigMap"]);
    let patched =
        "resources: [a.yaml]\nnamePrefix: x-\npatches: [{path: a.yaml}]\ncommonLabels: {a: b}\n";
    Case::overlay(patched).with("a.yaml", &text).builds(&["name: x-a\n"]);
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut bomb = String::from("x0: &x0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = format!("*x{}", level - 1);
        let _ = writeln!(bomb, "x{level}: &x{level} [{}]", [before.as_str(); 10].join(", "));
    }
    Case::resource(&format!("{OBJECT}{bomb}")).fails_with(&["a.yaml", "excessive aliasing"]);
    Case::overlay(&bomb).fails_with(&["kustomization.yaml", "excessive aliasing"]);
    // Upstream does not come back from this one.
    Case::resource(&format!("{OBJECT}data: &d {{a: *d}}\n"))
        .fails_with(&["a.yaml:5", "anchor 'd' value contains itself"]);
}

#[test]
fn duplicate_keys_and_other_keys_follow_upstream() {
    Case::resource(&format!("{OBJECT}data: {{a: b, a: c}}\n"))
        .fails_with(&["a.yaml:5", "mapping key \"a\" already defined at line 5"]);
    let twice = Case::overlay("resources: [a.yaml]\nresources: [a.yaml]\n").with("a.yaml", OBJECT);
    twice.builds(&["name: a\n"]);
    twice.command(&["build", "--strict"]).fails_with(&["kustomization.yaml:2"]);
    let data = |data: &str| Case::resource(&format!("{OBJECT}data: {data}\n"));
    data("{1: b, true: c}")
        .fails_with(&["a.yaml", "json: unsupported type: map[interface {}]interface {}"]);
    data("{[a]: b}").fails_with(&["a.yaml", "invalid map key: []interface {}{\"a\"}"]);
    data("{? {a: b} : c}")
        .fails_with(&["a.yaml", "invalid map key: map[string]interface {}{\"a\":\"b\"}"]);
    data("{~: b}").fails_with(&["a.yaml:5", "mapping key \"~\" already defined at line 5"]);
    Case::overlay("? [a]\n: b\n")
        .fails_with(&["kustomization.yaml:1", "invalid map key: []interface {}{\"a\"}"]);
}

#[test]
fn names_that_confuse_are_refused_or_kept() {
    let named = |name: &str| OBJECT.replace("name: a\n", &format!("name: {name}\n"));
    let prefixed = "resources: [a.yaml]\nnamePrefix: x-\n";
    Case::overlay(prefixed).with("a.yaml", &named("a,b")).fails_with(&["a.yaml", "comma"]);
    Case::resource(&named("''")).fails_with(&["a.yaml", "missing metadata.name"]);
    Case::resource(&named("[a]")).fails_with(&["a.yaml", "missing metadata.name"]);
    Case::resource(&named("\"a\\nb\"")).builds(&["  name: |-\n    a\n    b\n"]);
    let long = "n".repeat(1 << 20);
    Case::resource(&named(&long)).builds(&[&format!("  name: {long}\n")]);
}

#[test]
fn huge_numbers_are_kept_or_refused() {
    let digits = "9".repeat(100_000);
    for number in ["1e999", &digits, "0x7fffffffffffffffffff", "1e2147483648"] {
        Case::resource(&format!("{OBJECT}value: {number}\n"))
            .builds(&[&format!("value: {number}\n")]);
    }
    Case::resource(&format!("{OBJECT}value: -1e-999\n")).builds(&["value: 0\n"]);
    Case::resource(&format!("{OBJECT}value: .inf\n"))
        .fails_with(&["a.yaml", "json: unsupported value: +Inf"]);
    let replicas =
        |count: &str| format!("resources: [a.yaml]\nreplicas: [{{name: a, count: {count}}}]\n");
    let count = |count: &str| Case::overlay(&replicas(count)).with("a.yaml", OBJECT);
    count("99999999999999999999")
        .fails_with(&["kustomization.yaml:2", "cannot unmarshal number 100000000000000000000"]);
    count(&digits).fails_with(&["kustomization.yaml:2", "cannot unmarshal string"]);
    count("-1").fails_with(&["kustomization.yaml:2", "resource with name a does not match"]);
}

#[test]
fn bases_that_lead_back_are_refused() {
    Case::overlay("resources: [.]\n").fails_with(&["kustomization.yaml:1", "cycle"]);
    Case::overlay("resources: [kustomization.yaml]\n")
        .fails_with(&["kustomization.yaml:1", "missing Resource metadata"]);
    Case::overlay("components: [.]\n").fails_with(&["kustomization.yaml:1", "cycle"]);
    Case::overlay("resources: [one]\n")
        .with("one/kustomization.yaml", "resources: [../two]\n")
        .with("two/kustomization.yaml", "resources: [../one]\n")
        .fails_with(&["two/kustomization.yaml:1", "cycle"]);
    Case::overlay("resources: [one]\n")
        .with("one/kustomization.yaml", "resources: [..]\n")
        .fails_with(&["one/kustomization.yaml:1", "cycle"]);
    Case::overlay("generators: [kustomization.yaml]\n")
        .fails_with(&["kustomization.yaml:1", "missing Resource metadata"]);
    Case::overlay("transformers: [.]\n").fails_with(&["kustomization.yaml:1", "cycle"]);
    Case::overlay("patches: [{path: kustomization.yaml}]\nresources: [a.yaml]\n")
        .with("a.yaml", OBJECT)
        .fails_with(&["kustomization.yaml:1", "unable to parse SM or JSON patch from"]);
    Case::overlay("configurations: [kustomization.yaml]\nresources: [a.yaml]\n")
        .with("a.yaml", OBJECT)
        .fails_with(&["kustomization.yaml:1", "json: unknown field \"configurations\""]);
}

#[test]
fn bases_without_end_are_refused() {
    let mut chain = Case::overlay("resources: [../b0]\n").at("top");
    let mut growth = Case::overlay("resources: [../b0]\n").at("top");
    for level in 0..3000 {
        let next = kustomization(&[&format!("../b{}", level + 1)]);
        chain = chain.with(&format!("b{level}/kustomization.yaml"), &next);
    }
    for level in 0..30 {
        let next = format!("../b{}", level + 1);
        let twice = format!("resources: [{next}]\ncomponents: [{next}]\n");
        growth = growth.with(&format!("b{level}/kustomization.yaml"), &twice);
    }
    chain
        .with("b3000/kustomization.yaml", "namePrefix: a\n")
        .fails_with(&["kustomization.yaml:", "deep"]);
    growth
        .with("b30/kustomization.yaml", "namePrefix: a\n")
        .fails_with(&["b29/kustomization.yaml:2", "expected kind 'Component' for path"]);
}

#[test]
fn ways_out_of_the_root_are_closed() {
    let outside = |entry: &str| Case::overlay(entry).at("in").with("secret.yaml", OBJECT);
    outside("resources: [../secret.yaml]\n")
        .fails_with(&["kustomization.yaml:1", "is not in or below"]);
    outside("patches: [{path: ../secret.yaml}]\n")
        .fails_with(&["kustomization.yaml", "is not in or below"]);
    outside("configMapGenerator: [{name: a, files: [../secret.yaml]}]\n")
        .fails_with(&["is not in or below"]);
    outside("configMapGenerator: [{name: a, envs: [../secret.yaml]}]\n")
        .fails_with(&["is not in or below"]);
    outside("resources: [link.yaml]\n")
        .link("in/link.yaml", "../secret.yaml")
        .fails_with(&["is not in or below"]);
    outside("resources: [loop.yaml]\n")
        .link("in/loop.yaml", "loop.yaml")
        .fails_with(&["kustomization.yaml:1", "loop.yaml"]);
    outside("resources: [gone.yaml]\n")
        .link("in/gone.yaml", "nowhere")
        .fails_with(&["kustomization.yaml:1", "gone.yaml"]);
    outside("resources: [/etc/passwd]\n").fails_with(&["kustomization.yaml:1", "/etc/passwd"]);
    outside("resources: [/etc]\n").fails_with(&["kustomization.yaml:1", "/etc"]);
    outside("configMapGenerator: [{name: a, files: [/etc/passwd]}]\n")
        .fails_with(&["is not in or below"]);
    outside("resources: [link]\n")
        .with("real/kustomization.yaml", "resources: [../secret.yaml]\n")
        .link("in/link", "../real")
        .fails_with(&["real/kustomization.yaml:1", "is not in or below"]);
    outside("resources: [../../../../../../../../../../../../etc]\n")
        .fails_with(&["kustomization.yaml:1", "unable to find one of 'kustomization.yaml'"]);
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    Case::overlay("resources: [pipe]\n")
        .pipe("pipe")
        .fails_with(&["kustomization.yaml:1", "not a regular file"]);
    Case::overlay("configMapGenerator: [{name: a, files: [pipe]}]\n")
        .pipe("pipe")
        .fails_with(&["not a regular file"]);
    Case::empty().pipe("kustomization.yaml").fails_with(&["kustomization.yaml"]);
    Case::empty().link("kustomization.yaml", "/dev/zero").fails_with(&["kustomization.yaml"]);
    Case::empty().link("kustomization.yaml", "/dev/null").fails_with(&["kustomization.yaml"]);
    Case::empty().with("kustomization.yaml/a", "").fails_with(&["kustomization"]);
    Case::overlay("resources: [zero]\n")
        .link("zero", "/dev/zero")
        .fails_with(&["kustomization.yaml:1"]);
    Case::overlay("configMapGenerator: [{name: a, files: [folder]}]\n")
        .with("folder/a", "")
        .fails_with(&["kustomization.yaml:1", "folder' must resolve to a file"]);
    Case::overlay("patches: [{path: folder}]\n")
        .with("folder/a", "")
        .fails_with(&["kustomization.yaml:1", "folder' must resolve to a file"]);
    Case::overlay("resources: [folder]\n").with("folder/a", "").fails_with(&[
        "kustomization.yaml:1",
        "folder",
        "unable to find one of",
    ]);
    Case::overlay("").fails_with(&["kustomization.yaml is empty"]);
    Case::empty().fails_with(&["unable to find one of 'kustomization.yaml'"]);
    Case::resource("").builds_nothing();
    Case::overlay("resources: ['']\n")
        .fails_with(&["kustomization.yaml:1", "new root cannot be empty"]);
    Case::empty().command(&["build", "nowhere"]).fails_with(&["nowhere"]);
}

#[test]
fn files_that_may_not_be_read_are_named() {
    let map = "resources: [a.yaml]\nconfigMapGenerator: [{name: m, files: [b.txt]}]\n";
    let case = |forbidden: &str| {
        Case::overlay(map).with("a.yaml", OBJECT).with("b.txt", "b").forbid(forbidden)
    };
    case("a.yaml").fails_with(&["kustomization.yaml:1", "a.yaml", "permission denied"]);
    case("b.txt").fails_with(&["kustomization.yaml:2", "b.txt", "permission denied"]);
    // As upstream: what cannot be read is not there.
    case("kustomization.yaml").fails_with(&["unable to find one of 'kustomization.yaml'"]);
}

#[test]
fn patterns_that_explode_are_refused() {
    let bomb = "(a{1000}){1000}";
    let with = |text: &str| {
        Case::overlay(&format!("resources: [a.yaml]\n{text}\n")).with("a.yaml", OBJECT)
    };
    let target = |field: &str, value: &str| {
        let patch = "[{\"op\": \"add\", \"path\": \"/data\", \"value\": {}}]";
        with(&format!("patches: [{{patch: '{patch}', target: {{{field}: '{value}'}}}}]"))
    };
    let repeats = "invalid repeat count: `{1000}`";
    target("name", bomb).fails_with(&["kustomization.yaml:2", repeats]);
    target("kind", bomb).fails_with(&["kustomization.yaml:2", repeats]);
    // Upstream finds the missing brackets first.
    target("name", &"(".repeat(100_000)).fails_with(&[
        "kustomization.yaml:2",
        "expression nests too deeply",
        "bytes more",
    ]);
    target("name", &format!("{}{}", "(".repeat(5000), ")".repeat(5000))).fails_with(&[
        "kustomization.yaml:2",
        "expression nests too deeply",
        "bytes more",
    ]);
    target("name", &"(x+x+)+".repeat(200)).builds_alone(OBJECT);
    target("name", &"a|".repeat(100_000)).builds(&["data: {}\n"]);
    target("labelSelector", &"a=b,".repeat(1 << 18))
        .fails_with(&["kustomization.yaml:2", "found '', expected: identifier after ','"]);
    target("labelSelector", &vec!["a=b"; 1 << 18].join(",")).builds_alone(OBJECT);
    target("labelSelector", &format!("a in ({})", "x,".repeat(1 << 18))).builds_alone(OBJECT);
    target("annotationSelector", &"(".repeat(1 << 20))
        .fails_with(&["kustomization.yaml:2", "found '(', expected: !, identifier"]);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: a}]}\n";
    let image = |name: &str| {
        Case::overlay(&format!("resources: [a.yaml]\nimages: [{{name: '{name}', newTag: v}}]\n"))
            .with("a.yaml", pod)
    };
    // These two make upstream panic.
    image(bomb).fails_with(&["kustomization.yaml:2", repeats]);
    image("(").fails_with(&["kustomization.yaml:2", "missing closing )"]);
    image(&"(a*)*".repeat(1000)).builds(&["image: a:v\n"]);
    with(&format!(
        "replacements: [{{source: {{kind: ConfigMap}}, targets: [{{select: {{name: '{bomb}'}}}}]}}]"
    ))
    .fails_with(&["kustomization.yaml:2", repeats]);
}

#[test]
fn what_refers_to_itself_comes_to_an_end() {
    let with = |text: &str| {
        let object = format!("{OBJECT}data: {{a: $(A), b: \"$(B)$(B)$(A)\"}}\n");
        Case::overlay(&format!("resources: [a.yaml]\n{text}\n")).with("a.yaml", &object)
    };
    let source = "source: {kind: ConfigMap, name: a, fieldPath: data.a}";
    with(&format!("replacements: [{{{source}, targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [data.a, data.b]}}]}}]"))
        .builds(&["a: $(A)\n"]);
    let reference = "objref: {kind: ConfigMap, name: a, apiVersion: v1}, fieldref: {fieldpath: ";
    let vars = format!(
        "vars: [{{name: A, {reference}data.b}}}}, {{name: B, {reference}data.a}}}}]\nconfigurations: [c.yaml]"
    );
    with(&vars)
        .with("c.yaml", "varReference: [{path: data/a}, {path: data/b}]\n")
        .builds(&["  a: $(B)$(B)$(A)\n  b: $(A)$(A)$(B)$(B)$(A)\n"]);
    let whole = "source: {kind: ConfigMap, name: a, fieldPath: data}";
    let targets = "targets: [{select: {kind: ConfigMap}, fieldPaths: [data.deep.x], options: {create: true}}]";
    let many = vec![format!("{{{whole}, {targets}}}"); 40].join(", ");
    with(&format!("replacements: [{many}]")).builds(&[&format!("{}x: {{}}\n", " ".repeat(162))]);
}

#[test]
fn objects_do_not_grow_without_end() {
    let object = format!("{OBJECT}data: {{a: b}}\n");
    let with = |text: &str| {
        Case::overlay(&format!("resources: [a.yaml]\n{text}\n")).with("a.yaml", &object)
    };
    let patch = |operations: &str| {
        with("patches: [{path: p.json, target: {kind: ConfigMap}}]").with("p.json", operations)
    };
    let copy =
        |to: &str| format!("{{\"op\": \"copy\", \"from\": \"/data\", \"path\": \"/data/{to}\"}}");
    let double = format!("{}, {}", copy("x"), copy("y"));
    patch(&format!("[{}]", vec![double; 40].join(", ")))
        .fails_with(&["p.json:", "larger than 64 MiB"]);
    patch(&format!("[{}]", vec![copy("x"); 5000].join(", ")))
        .fails_with(&["p.json:", "larger than 64 MiB"]);
    let deep = format!("{}{}", "[".repeat(900), "]".repeat(900));
    let add = |path: &str| format!("{{\"op\": \"add\", \"path\": \"{path}\", \"value\": {deep}}}");
    let deeper = format!("/data/x{}", "/0".repeat(800));
    patch(&format!("[{}, {}]", add("/data/x"), add(&deeper))).fails_with(&["p.json:", "max depth"]);
    let source = "source: {kind: ConfigMap, name: a, fieldPath: data}";
    let targets = "targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x, data.y], options: {create: true}}]";
    let many = vec![format!("{{{source}, {targets}}}"); 40].join(", ");
    with(&format!("replacements: [{many}]")).fails_with(&["copy a value into itself too often"]);
    let text = "source: {kind: ConfigMap, name: a, fieldPath: data.a}";
    let targets = "targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a], options: {delimiter: '-', index: 9}}]";
    let many = vec![format!("{{{text}, {targets}}}"); 60].join(", ");
    with(&format!("replacements: [{many}]")).fails_with(&["copy a value into itself too often"]);
    let path = vec!["a"; 100_000].join(".");
    let targets = format!(
        "targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [{path}], options: {{create: true}}}}]"
    );
    with(&format!("replacements: [{{{source}, {targets}}}]"))
        .fails_with(&["kustomization.yaml:2", "exceeded max depth"]);
    let path = vec!["a"; 100_000].join("/");
    with(&format!("labels: [{{pairs: {{a: b}}, fields: [{{path: {path}, create: true}}]}}]"))
        .fails_with(&["a.yaml:1", "more than 1000 steps", "bytes more"]);
    with("configurations: [c.yaml]\nnamePrefix: x")
        .with("c.yaml", &format!("namePrefix: [{{path: {path}}}]\n"))
        .builds(&["  name: xa\n"]);
}

#[test]
fn generators_bear_long_and_broken_lines() {
    let generate = |field: &str, text: &[u8]| {
        Case::overlay(&format!("configMapGenerator: [{{name: a, {field}: [in.env]}}]\n"))
            .with("in.env", text)
    };
    let line = format!("A={}\n", "x".repeat(60 << 10));
    generate("envs", line.as_bytes()).builds(&["A: xxx"]);
    // Upstream's reader ends, without a word, before a line of 64 KiB.
    let line = format!("B=1\nA={}\n", "x".repeat(64 << 10));
    generate("envs", line.as_bytes()).builds(&["B: \"1\"\n"]);
    generate("envs", b"\xff\xfe=1\n").fails_with(&[
        "kustomization.yaml:1",
        "in.env",
        "has invalid utf8 bytes",
    ]);
    // Upstream drops the one and keeps the other.
    generate("envs", b"=1\n").builds(&["kind: ConfigMap\n"]);
    generate("envs", b"a b=1\n").builds(&["a b: \"1\"\n"]);
    generate("files", &[0xff; 1000]).builds(&["binaryData"]);
    Case::overlay("configMapGenerator: [{name: a, literals: ['=']}]\n")
        .fails_with(&["kustomization.yaml:1", "invalid literal source =, expected key=value"]);
}

#[test]
fn values_of_secrets_are_in_no_message() {
    let secret = OBJECT.replace("ConfigMap", "Secret");
    let generate =
        |field: &str| Case::overlay(&format!("secretGenerator:\n- name: a\n  {field}\n"));
    for case in [
        Case::resource(&format!("{secret}stringData: {{p: hunter2, 1: x}}\n")),
        Case::resource(&format!("{secret}stringData: {{p: hunter2, q: .inf}}\n")),
        Case::resource(&format!("{secret}stringData: {{p: hunter2, p: hunter2}}\n")),
        Case::resource(&format!("{secret}stringData: {{p: hunter2\n")),
        generate("literals: [p=hunter2, hunter2]"),
        generate("literals:\n  - p=hunter2\n  - =hunter2"),
        generate("envs: [in.env]").with("in.env", b"p=hunter2\xff\n"),
    ] {
        case.fails_without("hunter2");
    }
}

/// One value of so many bytes: written in a manifest, with a quote that nothing closes, and in a generator's file.
fn one_long_value(length: usize) {
    let long = "x".repeat(length);
    Case::resource(&format!("{OBJECT}data: {{a: {long}}}\n")).builds(&["a: xxx"]);
    Case::resource(&format!("{OBJECT}data: {{a: '{long}}}\n"))
        .fails_with(&["a.yaml:6", "found unexpected end of stream"]);
    let map = "configMapGenerator: [{name: a, files: [b.txt]}]\n";
    Case::overlay(map).with("b.txt", &long).builds(&["b.txt: xxx"]);
}

#[test]
fn long_values_are_read_in_time() {
    one_long_value(10 << 20);
    Case::resource(&"x".repeat(10 << 20)).fails_with(&["a.yaml:1", "missing Resource metadata"]);
}

#[test]
#[ignore = "long: documents of 100 MB"]
fn huge_values_are_read_in_time() {
    one_long_value(100 << 20);
}

#[test]
fn many_values_are_read_in_time() {
    let mut keys = format!("{OBJECT}data:\n");
    for key in 0..200_000 {
        let _ = writeln!(keys, "  key{key}: v");
    }
    Case::resource(&keys).builds(&["key199999: v\n"]);
    let mut entries = String::from("resources:\n");
    let mut case = Case::empty();
    for number in 0..10_000 {
        let _ = writeln!(entries, "- r{number}.yaml");
        let object = OBJECT.replace("name: a", &format!("name: a{number}"));
        case = case.with(&format!("r{number}.yaml"), &object);
    }
    case.with("kustomization.yaml", &entries).builds(&["name: a9999\n"]);
    Case::overlay(&"# comment\n".repeat(1 << 19)).fails_with(&["kustomization.yaml is empty"]);
    Case::resource(&"---\n".repeat(1 << 19)).builds_nothing();
}
