//! Rules in CEL: what they mean, what is wrong with them, and what they cannot do to us.

use kelson_yaml::Node;

use crate::health::HealthRules;
use crate::health::tests::{node, told};

fn rules(text: &str) -> HealthRules {
    HealthRules::read("health.yaml", text).unwrap_or_else(|bad| panic!("{:#?}", bad.diagnostics))
}

fn judged(rules: &HealthRules, object: &Node) -> String {
    told(&rules.judge(object, 0))
}

/// One expression as `current` for a Thing.
#[track_caller]
fn check(expression: &str, object: &str, expected: &str) {
    let quoted = expression.replace('\'', "''");
    let rules =
        rules(&format!("- apiVersion: example.com/v1\n  kind: Thing\n  current: '{quoted}'\n"));
    let object = node(&format!("{{apiVersion: example.com/v2, kind: Thing, {object}}}"));
    assert_eq!(judged(&rules, &object), expected, "{expression}");
}

#[track_caller]
fn holds(expression: &str, object: &str) {
    check(expression, object, "Current : `current` holds");
}

#[track_caller]
fn fails(expression: &str, object: &str, why: &str) {
    check(expression, object, &format!("Unknown : `current` cannot be evaluated: {why}"));
}

/// All diagnostics of a file, as `line:column code: message (help)`.
#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    let Err(bad) = HealthRules::read("health.yaml", text) else { panic!("it is taken") };
    let said: Vec<String> = bad
        .diagnostics
        .iter()
        .map(|it| {
            let place = bad.sources.place(it.labels[0].span).unwrap();
            assert_eq!(place.name, "health.yaml");
            let help = it.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
            format!("{}:{} {}: {}{help}", place.line, place.column, it.code, it.message)
        })
        .collect();
    assert_eq!(said, expected);
}

const CONDITIONS: &str = "status: {conditions: [{type: Ready, status: 'True'}, {type: Issuing, status: 'False', reason: Waits}], \
    n: 3, f: 1.5, big: 18446744073709551615, text: abc, none: null, flag: true}, spec: {n: 3, list: [a, b], 'a.b/c': x}";

#[test]
fn the_expressions_that_people_write_for_flux() {
    for expression in [
        "status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')",
        "status.conditions.exists(e, e.type == 'Ready' && e.status == 'True')",
        "status.conditions.exists_one(e, e.type == 'Issuing')",
        "status.conditions.map(e, e.type) == ['Ready', 'Issuing']",
        "status.conditions.filter(e, has(e.reason)).size() == 1",
        "has(status.conditions) && !has(status.missing)",
        "status.n == spec.n && status.n >= 3 && status.n < 3.5 && status.f > 1",
        "status.?missing.?deeper.orValue('x') == 'x'",
        "status.?text.hasValue() && status[?'text'].orValue('') == 'abc'",
        "spec['a.b/c'].startsWith('x') && 'a' in spec.list",
        "status.text.matches('^[a-c]+$') && matches(status.text, 'b')",
        "status.text.endsWith('c') && status.text.contains('b') && status.text.size() == 3",
        "status.big > 9223372036854775807",
        "status.none == null && status.flag && type(status.n) == int",
        "(has(status.missing) ? status.missing : 'y') == 'y'",
        "metadata.generation == 1 || kind == 'Thing'",
        "int('3') == status.n && string(status.n) == '3'",
        "status.conditions.filter(c, c.type == 'Ready')[0].status == 'True'",
    ] {
        holds(expression, &format!("metadata: {{generation: 1}}, {CONDITIONS}"));
    }
}

#[test]
fn the_libraries_of_flux_are_there() {
    for expression in [
        "sets.contains(spec.list, ['a'])",
        "sets.equivalent(spec.list, ['b', 'a', 'b'])",
        "sets.intersects(spec.list, ['x', 'b'])",
        "!sets.contains(spec.list, ['a', 'x']) && !sets.equivalent([1], []) && !sets.intersects([], [1])",
        "sets.contains([1, 2u, 3.0], [1.0, 2, 3u]) && sets.contains([], [])",
        "base64.encode(b'hello') == 'aGVsbG8='",
        "string(base64.decode('aGVsbG8=')) == 'hello'",
        "'Ready'.lowerAscii() == 'ready' && 'a,b'.split(',') == ['a', 'b']",
        "['a', 'b'].join('-') == 'a-b' && 'aXa'.replace('X', 'b') == 'aba'",
        "'hello'.indexOf('l') == 2 && 'hello'.lastIndexOf('l') == 3 && 'hello'.substring(1, 3) == 'el'",
        "'%d of %s'.format([1, 'x']) == '1 of x' && ' a '.trim() == 'a' && 'abc'.charAt(1) == 'b'",
        "optional.of(1).hasValue() && !optional.none().hasValue() && 'abc'.reverse() == 'cba'",
        "optional.of(2).optMap(x, x + 1).value() == 3",
        r"'a-1_b'.matches(r'^[\w-]+$') && !'é'.matches(r'\w') && 'é'.matches(r'^\W$') && !'٣'.matches(r'\d')",
        r"'a b'.matches(r'\bb\b') && 'a b'.matches(r'^\S\s\S$') && 'a.b'.matches(r'^a\.b$') && !'axb'.matches(r'a\.b')",
    ] {
        holds(expression, CONDITIONS);
    }
}

#[test]
fn the_first_that_holds_decides() {
    let rules = rules(
        "healthCheckExprs:\n- apiVersion: example.com/v1\n  kind: Thing\n  inProgress: data.busy\n  failed: data.bad\n  current: data.good\n",
    );
    for (busy, bad, good, expected) in [
        ("true", "true", "true", "InProgress : `inProgress` holds"),
        ("false", "true", "true", "Failed : `failed` holds"),
        ("false", "false", "true", "Current : `current` holds"),
        ("false", "false", "false", "InProgress : `current` does not hold yet"),
        ("true", "null", "null", "InProgress : `inProgress` holds"),
        (
            "1",
            "true",
            "true",
            "Unknown : `inProgress` cannot be evaluated: bool was expected, not int",
        ),
    ] {
        let data = format!("data: {{busy: {busy}, bad: {bad}, good: {good}}}");
        let object = node(&format!("{{apiVersion: example.com/v1, kind: Thing, {data}}}"));
        assert_eq!(judged(&rules, &object), expected);
    }
}

#[test]
fn generations_come_first_and_deletion_does_not_count() {
    let lagging = "metadata: {generation: 2}, status: {observedGeneration: 1}";
    let said = "InProgress LatestGenerationNotObserved: Thing generation is 2, but latest observed generation is 1";
    check("true", lagging, said);
    holds("true", "metadata: {generation: 2}, status: {observedGeneration: '1'}");
    holds("true", "metadata: {generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z'}");
}

#[test]
fn a_rule_is_found_by_group_and_kind_then_by_group() {
    let rules = rules(
        "- {apiVersion: example.com/v1, current: 'false', failed: 'true'}\n\
         - {apiVersion: example.com/v1beta1, kind: Thing, current: 'true'}\n\
         - {apiVersion: v1, kind: Pod, current: 'true'}\n",
    );
    for (object, expected) in [
        ("apiVersion: example.com/v7, kind: Thing", "Current : `current` holds"),
        ("apiVersion: example.com/v1, kind: Other", "Failed : `failed` holds"),
        ("apiVersion: other.com/v1, kind: Thing", "Current : Resource is current"),
        ("apiVersion: v1, kind: Pod", "Current : `current` holds"),
        ("apiVersion: v1, kind: ConfigMap", "Current : Resource is always ready"),
    ] {
        assert_eq!(judged(&rules, &node(&format!("{{{object}}}"))), expected, "{object}");
    }
    assert!(
        rules.has_rule("", "Pod") && rules.has_rule("example.com", "X") && !rules.has_rule("", "X")
    );
}

#[test]
fn a_rule_goes_before_the_rules_that_are_built_in() {
    let rules = rules("- {apiVersion: batch/v1, kind: Job, current: status.active == 1}");
    let job = node("{apiVersion: batch/v1, kind: Job, status: {active: 1}}");
    assert_eq!(judged(&rules, &job), "Current : `current` holds");
}

#[test]
fn what_cannot_be_evaluated_is_unknown_and_says_why() {
    fails("status.ready", "spec: {}", "there is nothing called `status`");
    fails("status.ready", "status: {}", "no such key: ready");
    fails("status.n", CONDITIONS, "bool was expected, not int");
    fails(
        "status.text > 1",
        CONDITIONS,
        "found no matching overload for '_>_' applied to '(string, int)'",
    );
    fails("nothing(status)", CONDITIONS, "there is nothing called `nothing`");
    fails("1 / 0 == 1", CONDITIONS, "division by zero");
    fails("9223372036854775807 + 1 > 0", CONDITIONS, "a number grows too large");
    fails("spec.list[7] == 'a'", CONDITIONS, "index out of bounds");
    fails(
        "'a'.matches('(')",
        CONDITIONS,
        "`matches`: regex parse error: ( ^ error: unclosed group",
    );
}

#[test]
fn no_value_of_a_secret_is_told() {
    for expression in [
        "int(data.password) > 1",
        "data.password.matches(data.password)",
        "data.password < 1",
        "data.password + 1 == 1",
        "[data.password][9] == 1",
        "{data.password: 1, data.password: 2} == {}",
        "data[data.password] == 1",
    ] {
        let quoted = expression.replace('\'', "''");
        let rules = rules(&format!("- {{apiVersion: v1, kind: Secret, current: '{quoted}'}}"));
        let secret = node("{apiVersion: v1, kind: Secret, data: {password: '(aHVudGVyMg'}}");
        let said = judged(&rules, &secret);
        assert!(said.starts_with("Unknown ") && !said.contains("aHVudGVyMg"), "{said}");
    }
}

#[test]
fn a_kustomization_of_flux_can_be_given_as_it_is() {
    let rules = rules(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec:\n  healthCheckExprs:\n  - apiVersion: example.com/v1\n    kind: Thing\n    current: >-\n      status.a == 1 &&\n      status.b == 2\n---\n- {apiVersion: other.com/v1, kind: Thing, current: 'true'}\n",
    );
    let thing = node("{apiVersion: example.com/v1, kind: Thing, status: {a: 1, b: 2}}");
    assert_eq!(judged(&rules, &thing), "Current : `current` holds");
    assert!(rules.has_rule("other.com", "Thing"));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_place() {
    refused(
        "",
        &[
            "1:1 missing-field: `health.yaml` is empty (write a list of rules, or `healthCheckExprs`)",
        ],
    );
    refused(
        "a: [",
        &["1:5 bad-yaml: this is not YAML: line 1: did not find expected node content"],
    );
    let a_list = "(write a list whose elements have `apiVersion`, `kind` and `current`)";
    refused(
        "rules: []",
        &[&format!("1:1 wrong-type: there is no field `healthCheckExprs` {a_list}")],
    );
    refused("healthCheckExprs: 1", &[&format!("1:19 wrong-type: rules are a list {a_list}")]);
    refused(
        "- 1",
        &["1:3 wrong-type: a rule is an object with `apiVersion`, `kind` and `current`"],
    );
    refused(
        "- kind: Thing\n- apiVersion: example.com/v1\n  name: x\n  curent: 'true'\n",
        &[
            "1:3 missing-field: a health rule needs `apiVersion`",
            "1:3 missing-field: a health rule needs `current`",
            "3:3 unknown-key: `name` is not a field of a health rule (known here: apiVersion, kind, current, inProgress, failed)",
            "4:3 unknown-key: `curent` is not a field of a health rule (did you mean `current`?)",
            "2:3 missing-field: a health rule needs `current`",
        ],
    );
    refused(
        "- apiVersion: example.com/v1\n  current: true\n",
        &["2:12 wrong-type: `current` is a text (put quotes around it: 'true')"],
    );
    refused(
        "- {apiVersion: a.b/v1, kind: C, current: 'true'}\n- {apiVersion: a.b/v2, kind: C, current: 'true'}\n",
        &[
            "2:3 duplicate-rule: there are two rules for `a.b/C` (the version of a kind does not tell rules apart)",
        ],
    );
}

/// The place and the beginning of what is said about an expression.
#[track_caller]
fn refused_at(text: &str, place: (usize, usize), start: &str) {
    let Err(bad) = HealthRules::read("health.yaml", text) else { panic!("it is taken") };
    let problem = &bad.diagnostics[0];
    let at = bad.sources.place(problem.labels[0].span).unwrap();
    assert_eq!((at.line, at.column), place, "{}", problem.message);
    assert!(problem.message.starts_with(start), "{}", problem.message);
    assert!(problem.help.as_ref().is_some_and(|help| help.contains("filter")));
}

#[test]
fn a_syntax_error_is_shown_where_it_is_in_the_file() {
    let start = "`current` is no CEL expression: Syntax error:";
    refused_at("- apiVersion: a/v1\n  current: a == == b\n", (2, 17), start);
    refused_at("- apiVersion: a/v1\n  current: 'a == == b'\n", (2, 18), start);
    refused_at(
        "- apiVersion: a/v1\n  current: |\n    a == 1 &&\n      b == == 2\n",
        (4, 12),
        start,
    );
    refused_at("- apiVersion: a/v1\n  current: >\n    a ==\n    == b\n", (2, 12), start);
    refused_at(
        "- apiVersion: a/v1\n  failed: 'has(a)'\n  current: 'true'\n",
        (2, 16),
        "`failed` is no CEL",
    );
}

#[test]
fn an_expression_that_is_too_much_to_parse_is_refused() {
    let refused = |expression: &str, why: &str| {
        let quoted = expression.replace('\'', "''");
        refused_at(
            &format!("- apiVersion: a/v1\n  current: '{quoted}'\n"),
            (2, 12),
            &format!("`current` is no CEL expression: {why}"),
        );
    };
    refused(&"a".repeat(5000), "it has more than 4096 bytes");
    for open in ["(", "[", "{a:", "f(", "a[", "-(", "!("] {
        refused(&open.repeat(400), "more than 32 brackets are open at a time");
    }
    for link in [".a", "+a", "==a", "&&a", "||a", "?a:a", "[0]", ".f()", ".map(x,x)"] {
        refused(&format!("a{}", link.repeat(401)), "it has more than 400 operators");
    }
    refused(&"!".repeat(401), "it has more than 400 operators");
}

/// Calls something on a thread with little stack, as a runtime's threads have when they are already deep in something.
fn on_a_small_stack(call: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(call).unwrap().join().unwrap();
}

#[test]
fn the_deepest_expressions_that_are_taken_fit_a_small_stack() {
    on_a_small_stack(|| {
        let nested = |open: &str, inner: &str, close: &str, times: usize| {
            format!("{}{inner}{}", open.repeat(times), close.repeat(times))
        };
        let chained = |link: &str, times: usize| format!("[1]{}", link.repeat(times));
        for expression in [
            nested("(", "1", ")", 32),
            nested("[", "1", "]", 32),
            nested("{1:", "1", "}", 32),
            nested("[1].map(x,", "1", ")", 15),
            nested("true?(", "1", "):2", 30),
            chained(".a", 395),
            chained("+[1]", 130),
            chained("[0]", 390),
            chained(".map(x,x)", 190),
            chained(".size()", 190),
            format!("true{}", "&&true".repeat(190)),
            format!("1{}", "==1".repeat(190)),
            format!("1{}", "?1:1".repeat(90)),
            format!("{}true", "!".repeat(399)),
            format!("{}1", "-".repeat(399)),
        ] {
            let text = format!("- apiVersion: a/v1\n  kind: B\n  current: '{expression}'\n");
            if let Ok(rules) = HealthRules::read("health.yaml", &text) {
                rules.judge(&node("{apiVersion: a/v1, kind: B}"), 0);
            }
        }
    });
}

#[test]
fn an_expression_that_would_go_on_for_ever_is_stopped() {
    let too_long = "`the expression`: takes too many steps on this object";
    let list = format!("list: [{}], text: {}", vec!["x"; 3000].join(", "), "ab".repeat(5000));
    let again =
        |start: &str, link: &str, times: usize| format!("{start}{} == []", link.repeat(times));
    for expression in [
        "list.all(a, list.all(b, list.all(c, a == c && b == c)))",
        "list.map(a, list.map(b, list)) == []",
        "list.all(x, list == list)",
        "list.exists(x, text.matches('^(a|b)*c$'))",
        "list.map(a, text).join('') == ''",
        "text.split('').map(a, text.split('')) == []",
        &again("text", ".replace('', '0123456789')", 9),
        &again("[text]", ".map(a, a + a)", 40),
        &again("[[1]]", ".map(a, a + a)", 40),
        &again("[[1]]", ".map(a, [a, a])", 40),
        &again("[1]", ".map(a, {'a': a, 'b': a})", 40),
        &again("[1]", ".map(a, optional.of([a, a]))", 40),
    ] {
        fails(expression, &list, too_long);
    }
    let long = "looks for, or puts at many places, a text of more than 256 bytes";
    fails("text.replace('a', text) == ''", &list, &format!("`the expression`: {long}"));
    fails("list.join(text) == ''", &list, &format!("`the expression`: {long}"));
    fails("text.indexOf(text) == 1", &list, &format!("`the expression`: {long}"));
    fails("sets.contains(list, list)", &list, "`sets`: the lists are too long");
}

#[test]
fn an_expression_over_a_long_list_is_not_stopped() {
    let items = vec!["{type: Ready, status: 'True', message: all is well here}"; 2000].join(", ");
    let status = format!("status: {{items: [{items}]}}");
    holds("status.items.filter(e, e.type == 'Ready').all(e, e.status == 'True')", &status);
    holds("status.items.map(e, e.message).all(m, m.contains('well'))", &status);
    holds("status.items.filter(e, e.type == 'x') == []", &status);
}

#[test]
fn objects_of_any_shape_are_taken() {
    let deep = format!("status: {}1{}", "{a: ".repeat(300), "}".repeat(300));
    check("has(status.a.a.a) && status.a != status", &deep, "Current : `current` holds");
    let rules = rules("- {apiVersion: a/v1, current: 'true'}");
    for text in ["{apiVersion: a/v1}", "{apiVersion: a/v1, kind: [], ? {a: b} : c}"] {
        assert_eq!(judged(&rules, &node(text)), "Current : `current` holds");
    }
}

/// Expressions that nobody would write, by a fixed row of numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.roll(words.len())]
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .of(&[
                    "list",
                    "text",
                    "status",
                    "x",
                    "1",
                    "-7u",
                    "1.5",
                    "'a'",
                    "b'a'",
                    "true",
                    "null",
                    "[]",
                    "{}",
                    "optional.none()",
                ])
                .to_owned();
        }
        let mut next = || self.expression(depth - 1);
        let (one, two, three) = (next(), next(), next());
        let form = self.of(&[
            "(A + B)",
            "(A - B)",
            "(A * B)",
            "(A / B)",
            "(A % B)",
            "(A == B)",
            "(A < B)",
            "(A && B)",
            "(A || B)",
            "(A in B)",
            "!A",
            "-A",
            "(A ? B : C)",
            "[A, B, C]",
            "{A: B, 'k': C}",
            "A[B]",
            "A[?B]",
            "A.status",
            "A.?text",
            "has(status.a)",
            "A.map(x, B)",
            "A.filter(x, B)",
            "A.all(x, B)",
            "A.exists(x, B)",
            "A.exists_one(x, B)",
            "A.map(x, B, C)",
            "size(A)",
            "A.size()",
            "string(A)",
            "int(A)",
            "uint(A)",
            "double(A)",
            "bytes(A)",
            "bool(A)",
            "type(A)",
            "dyn(A)",
            "A.contains(B)",
            "A.startsWith(B)",
            "A.matches(B)",
            "A.split(B)",
            "A.join(B)",
            "A.replace(B, C)",
            "A.indexOf(B)",
            "A.lastIndexOf(B, C)",
            "A.substring(B, C)",
            "A.charAt(B)",
            "A.format(B)",
            "A.trim()",
            "A.reverse()",
            "strings.quote(A)",
            "base64.encode(A)",
            "base64.decode(A)",
            "sets.contains(A, B)",
            "sets.intersects(A, B)",
            "optional.of(A)",
            "optional.ofNonZeroValue(A)",
            "A.orValue(B)",
            "A.or(B)",
            "A.value()",
            "A.hasValue()",
            "A.optMap(x, B)",
        ]);
        form.replace('A', &one).replace('B', &two).replace('C', &three)
    }
}

#[test]
fn expressions_that_nobody_would_write_come_to_an_end() {
    let object = node(&format!(
        "{{apiVersion: a/v1, kind: B, text: {}, list: [a, 1, [b], {}], status: {{a: 1, text: x, 'k': [1, 2]}}, x: 1}}",
        "ab".repeat(500),
        vec!["x"; 300].join(", "),
    ));
    let mut dice = Dice(7);
    let mut read = 0;
    for _ in 0..600 {
        let expression = dice.expression(3).replace('\'', "''");
        let text = format!("- apiVersion: a/v1\n  kind: B\n  current: '{expression}'\n");
        let Ok(rules) = HealthRules::read("health.yaml", &text) else { continue };
        read += 1;
        let said = judged(&rules, &object);
        assert!(!said.contains("interpreter has failed"), "{expression}");
    }
    assert!(read > 100, "{read}");
}
