//! Scalars that readers and writers of YAML stumble over.

use super::dice::Dice;
use super::value::{Value, raw, text};

/// Keys for data, labels and the like.
///
/// Upstream's order of keys contradicts itself, and its output then changes from run to run, when
/// letters follow digits. So digits stand only at the end here, and never with a leading zero.
const KEYS: &[&str] = &[
    "alpha",
    "beta",
    "Beta",
    "app.conf",
    "log_level",
    "log-level",
    "a",
    "b",
    "ab",
    "A",
    "key with space",
    "x9",
    "x10",
    "x100",
    "size1",
    "size2",
    "yes",
    "no",
    "on",
    "éclair",
    "日本",
    "q.r.s",
    "a:b",
    "a: b",
    "-dash",
    "#hash",
    "null-ish",
    "UPPER",
    "true-ish",
    "😀",
    "tab\tkey",
    "a/b",
    "example.com/key",
    "trailing ",
    "'quoted'",
];

const WORDS: &[&str] = &[
    "yes",
    "no",
    "on",
    "off",
    "y",
    "N",
    "true",
    "False",
    "null",
    "~",
    "",
    "0",
    "1",
    "-1",
    "007",
    "0o17",
    "0x1F",
    "1_000",
    "1e3",
    "1.0",
    ".5",
    "1.",
    "1e400",
    "0b11",
    "12:30:45",
    "1:20",
    "2020-01-01",
    "2020-13-41",
    "2001-12-14t21:59:43.10-05:00",
    ".inf",
    "NaN",
    "<<",
    "=",
    "!tag",
    "&anchor",
    "*alias",
    "- dash",
    "? question",
    ": colon",
    "colon:",
    "a: b",
    "a #b",
    "#a",
    "[a]",
    "{a}",
    "a,b",
    ",",
    "%percent",
    "@at",
    "`tick`",
    "|",
    ">",
    "'single'",
    "\"double\"",
    "it's",
    "back\\slash",
    "$(VAR)",
    "{{ .Values.x }}",
    " lead",
    "trail ",
    "  ",
    "---",
    "--- a",
    "...",
    "été",
    "日本語",
    "emoji 😀",
    "tab\there",
    "nbsp\u{a0}x",
    "\u{2028}",
    "\u{feff}bom",
    "bell\u{7}",
    "cr\rlf",
    "<b>&\"</b>",
    "ünïcödé",
    "0.1",
    "1e-7",
    "123456789012345678901234567890",
];

const TEXTS: &[&str] = &[
    "one\ntwo\n",
    "one\ntwo",
    "one\n\n\ntwo\n\n",
    "\nstarts with a break\n",
    " starts with a space\nline\n",
    "trailing space \nline\n",
    "tab\n\tindented\n",
    "emoji 😀\nline\n",
    "\n",
    "\n\n",
    "  \n",
    "# comment\nkey: value\n",
    "line\r\nline\r\n",
    "---\ndocument: 1\n---\ndocument: 2\n",
    "{\n  \"json\": [1, 2.50, \"x\"],\n  \"b\": {\"c\": null}\n}\n",
    "server:\n  host: old # why\n  port: 80\nlist: [a, b]\n",
    "end space\nx ",
    "a\n  b\n c\n",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-5",
    "+7",
    "080",
    "0777",
    "0o17",
    "0x1F",
    "0b101",
    "1_000",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1.0",
    "1.50",
    "-0.5",
    ".5",
    "1e3",
    "1E-7",
    "1e21",
    "6.02e23",
    "0.000001",
    "123456789.123",
    "1.",
    "-0",
    "0.1",
];

const OTHERS: &[&str] = &[
    "true",
    "False",
    "TRUE",
    "null",
    "~",
    "Null",
    "",
    "yes",
    "off",
    "2020-01-01",
    "2020-01-01T10:20:30Z",
    "2001-12-14t21:59:43.10-05:00",
    "2020-01-01 10:20:30",
    "12:30:45",
    "!!str 123",
    "!!int \"7\"",
    "!custom text",
    "<<",
    "=",
    "0x",
    "1e",
    "08:00",
    "'it''s'",
    "\"esc \\x41 \\u00e9\"",
];

/// A key for a mapping of the user's own.
pub(super) fn key(dice: &mut Dice) -> String {
    if dice.chance(2) {
        return "k".repeat(dice.between(126, 131));
    }
    dice.pick(KEYS).to_owned()
}

/// A key that is fit for a label or an annotation.
pub(super) fn label_key(dice: &mut Dice) -> String {
    let keys = [
        "app",
        "tier",
        "team",
        "env",
        "app.kubernetes.io/name",
        "example.com/owner",
        "rev1",
        "x10",
        "x9",
    ];
    dice.pick(&keys).to_owned()
}

/// The value of a label.
pub(super) fn label(dice: &mut Dice) -> String {
    let values = [
        "shop",
        "back-end",
        "1",
        "true",
        "yes",
        "1.0",
        "",
        "null",
        "0x10",
        "2020-01-01",
        "on",
        "v1.2.3",
        "1e3",
    ];
    dice.pick(&values).to_owned()
}

/// A string of any sort.
pub(super) fn string(dice: &mut Dice) -> String {
    match dice.below(20) {
        0..=8 => dice.pick(WORDS).to_owned(),
        9..=12 => dice.pick(TEXTS).to_owned(),
        13..=15 => long_line(dice),
        16 => noise(dice),
        _ => format!("plain-{}", dice.below(100)),
    }
}

/// A scalar of any type.
pub(super) fn scalar(dice: &mut Dice) -> Value {
    match dice.below(12) {
        0..=2 => raw(dice.pick(NUMBERS)),
        3..=4 => raw(dice.pick(OTHERS)),
        5 => Value::Folded(vec![
            "folded text".into(),
            "goes on".into(),
            String::new(),
            "and on".into(),
        ]),
        6 if dice.chance(3) => raw(dice.pick(&[".inf", "-.Inf", ".nan"])),
        _ => text(string(dice)),
    }
}

/// A tree of scalars, lists and mappings, at most `depth` levels deep.
pub(super) fn tree(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 1 } else { 4 }) {
        0 | 1 => scalar(dice),
        2 => Value::List((0..dice.below(4)).map(|_| tree(dice, depth - 1)).collect()),
        _ => {
            let mut value = Value::Map(Vec::new());
            for _ in 0..dice.below(5) {
                let key = key(dice);
                let inner = tree(dice, depth - 1);
                value.set(&key, inner);
            }
            value
        }
    }
}

/// Words up to several times the width at which upstream folds.
fn long_line(dice: &mut Dice) -> String {
    let words = [
        "lorem",
        "ipsum",
        "é",
        "日本",
        "a",
        "consectetur",
        "it's",
        "x:y",
        "- b",
        "#",
        "",
        "adipiscing,",
        "\"q\"",
        "😀",
    ];
    let plain = dice.chance(60);
    let mut line = dice.pick(&["", "", " ", "'", "key: "]).to_owned();
    for _ in 0..dice.between(10, 50) {
        line.push_str(if plain { dice.pick(&words[..4]) } else { dice.pick(&words) });
        line.push(' ');
    }
    if dice.chance(70) { line.trim_end().to_owned() } else { line }
}

/// A handful of characters that share nothing.
fn noise(dice: &mut Dice) -> String {
    let characters = [
        "a", "Z", "0", " ", "\n", "\t", ":", "#", "-", "'", "\"", "\\", "é", "\u{a0}", "\u{2029}",
        "😀", "[", "{", ",", "\u{85}",
    ];
    (0..dice.between(1, 12)).map(|_| dice.pick(&characters)).collect()
}
