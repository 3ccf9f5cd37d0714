//! Regular expressions as Go's `regexp` reads them, run by the `regex` crate.
//!
//! Both are automata with the same notion of a match; only what a pattern says differs. A pattern is read by
//! Go's grammar, with Go's errors, and written anew in the other grammar with every class spelt out.

mod class; // what stands in brackets, and classes with a name
mod escape; // what a backslash begins
mod parse; // the grammar
mod unicode; // names of categories and scripts

use regex::bytes::{Regex, RegexBuilder};

use crate::fault::{Fault, Result};

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) struct GoRegex {
    regex: Regex,
}

/// How much memory one pattern may take.
const SIZE_LIMIT: usize = 16 << 20;
/// How deep its groups may nest, as in Go.
const NEST_LIMIT: usize = 1000;

impl GoRegex {
    /// Compiles a pattern.
    pub(crate) fn new(pattern: &str) -> Result<Self> {
        let translated = parse::translate(pattern)
            .map_err(|error| bad(format!("{}: `{}`", error.code, error.text)))?;
        let regex = RegexBuilder::new(&translated)
            .size_limit(SIZE_LIMIT)
            .nest_limit(4 * NEST_LIMIT as u32)
            .build()
            .map_err(|_| bad(format!("expression too large: `{pattern}`")))?;
        Ok(Self { regex })
    }

    /// Whether the pattern matches somewhere in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text.as_bytes())
    }
}

fn bad(text: String) -> Box<Fault> {
    Fault::new("bad-regex", format!("error parsing regexp: {text}"))
        .help("patterns follow the syntax of Go's regexp package")
}

#[cfg(test)]
mod tests {
    use super::GoRegex;

    const TEXTS: [&str; 19] = [
        "a", "b", "abc", "kK", "S", "ſ", "é1", "0", "_", "a.b", "a b", "a\nb", "α", "[", "&", "~",
        "-", "a{,2}", "É",
    ];

    /// Which of the texts each pattern matches, or why Go refuses it.
    #[rustfmt::skip]
    const CASES: &[(&str, &str)] = &[
        (r#"a{,2}"#, r#"-----------------1-"#),
        (r#"(?i)k"#, r#"---1---------------"#),
        (r#"[[a]"#, r#"1-1------111-1---1-"#),
        (r#"[a&&b]"#, r#"111------111--1--1-"#),
        (r#"[a--b]"#, r#"invalid character class range: `a--`"#),
        (r#"[a~~b]"#, r#"111------111---1-1-"#),
        (r#"[\d-z]"#, r#"------11--------11-"#),
        (r#"[]a]"#, r#"1-1------111-----1-"#),
        (r#"[a-]"#, r#"1-1------111----11-"#),
        (r#"\bé1"#, r#"-------------------"#),
        (r#"\Ba"#, r#"-------------------"#),
        (r#"\w"#, r#"11111-111111-----1-"#),
        (r#"\W"#, r#"-----11--1111111111"#),
        (r#"\s"#, r#"----------11-------"#),
        (r#"(?i)[\W]"#, r#"------1--1111111111"#),
        (r#"\Qa.b\E"#, r#"---------1---------"#),
        (r#"\x{e9}"#, r#"------1------------"#),
        (r#"\101"#, r#"-------------------"#),
        (r#"\p{Greek}"#, r#"------------1------"#),
        (r#"\p{^Lu}"#, r#"1111-1111111111111-"#),
        (r#"\PL"#, r#"------111111-11111-"#),
        (r#"[[:^digit:]]"#, r#"1111111-11111111111"#),
        (r#"a.b"#, r#"---------11--------"#),
        (r#"(?s)a.b"#, r#"---------111-------"#),
        (r#"^b$"#, r#"-1-----------------"#),
        (r#"(?m)^b$"#, r#"-1---------1-------"#),
        (r#"\Ab"#, r#"-1-----------------"#),
        (r#"a\z"#, r#"1------------------"#),
        (r#"(?i:S)"#, r#"----11-------------"#),
        (r#"(?U)a+?"#, r#"1-1------111-----1-"#),
        (r#"(?P<n>a)(?<m>b)"#, r#"--1----------------"#),
        (r#"a**"#, r#"invalid nested repetition operator: `**`"#),
        (r#"(a{500}){3}"#, r#"invalid repeat count: `{3}`"#),
        (r#"a{1001}"#, r#"invalid repeat count: `{1001}`"#),
        (r#"a{2,1}"#, r#"invalid repeat count: `{2,1}`"#),
        (r#"[z-a]"#, r#"invalid character class range: `z-a`"#),
        (r#"\C"#, r#"invalid escape sequence: `\C`"#),
        (r#"\8"#, r#"invalid escape sequence: `\8`"#),
        (r#"\x"#, r#"invalid escape sequence: `\x`"#),
        (r#"\p{foo}"#, r#"invalid character class range: `\p{foo}`"#),
        (r#"[[:foo:]]"#, r#"invalid character class range: `[:foo:]`"#),
        (r#"(?z)"#, r#"invalid or unsupported Perl syntax: `(?z`"#),
        (r#"("#, r#"missing closing ): `(`"#),
        (r#"a)"#, r#"unexpected ): `a)`"#),
        (r#"*a"#, r#"missing argument to repetition operator: `*`"#),
        (r#"(|*)"#, r#"missing argument to repetition operator: `*`"#),
        (r#"[a"#, r#"missing closing ]: `[a`"#),
        (r#"\"#, r#"trailing backslash at end of expression: ``"#),
        (r#"(?P<>a)"#, r#"invalid named capture: `(?P<>`"#),
        (r#"(?P<n"#, r#"invalid named capture: `(?P<n`"#),
        (r#"\Z"#, r#"invalid escape sequence: `\Z`"#),
        (r#"a{01}"#, r#"-------------------"#),
        (r#"x{2}{3}"#, r#"invalid nested repetition operator: `{2}{3}`"#),
        (r#"(?-)"#, r#"invalid or unsupported Perl syntax: `(?-)`"#),
        (r#"(?i-s:a.b)"#, r#"---------11--------"#),
        (r#"[\x{d800}-\x{dfff}]"#, r#"-------------------"#),
    ];

    #[test]
    fn patterns_mean_what_they_mean_in_go() {
        for (pattern, expected) in CASES {
            let found = match GoRegex::new(pattern) {
                Ok(regex) => {
                    TEXTS.map(|text| if regex.is_match(text) { "1" } else { "-" }).concat()
                }
                Err(fault) => fault.text.replacen("error parsing regexp: ", "", 1),
            };
            assert_eq!(found, *expected, "{pattern}");
        }
    }

    #[test]
    fn patterns_cannot_grow_without_bound() {
        let deep = "(".repeat(2000) + &")".repeat(2000);
        assert!(GoRegex::new(&deep).unwrap_err().text.contains("nests too deeply"));
        let wide = r"\pL{1000}".repeat(50);
        assert!(GoRegex::new(&wide).unwrap_err().text.contains("too large"));
    }
}
