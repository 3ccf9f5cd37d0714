//! What the language has beyond its core: the libraries that Flux gives it, which are strings, sets and encoders.

use cel::common::types::{CelBool, CelList, CelString, LIST_TYPE, STRING_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};
use regex::RegexBuilder;

use super::meter;

/// How many pairs of elements two lists may have to be compared as sets.
const PAIRS: usize = 100_000;
/// How many bytes a compiled pattern may have.
const PATTERN: usize = 256 << 10;

type Library = fn(&mut Env) -> Result<(), DeclarationError>;
type Outcome<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// The environment of every expression.
pub(super) fn environment() -> Env {
    let mut env = Env::stdlib();
    let libraries: [Library; 5] =
        [cel::extensions::strings, cel::extensions::encoders, sets, patterns, meter::declare];
    for library in libraries {
        env.add_extension(library).expect("because every library declares names of its own");
    }
    env
}

fn sets(env: &mut Env) -> Result<(), DeclarationError> {
    let lists = || vec![LIST_TYPE, LIST_TYPE];
    env.add_overload("sets.contains", "list_sets_contains_list", lists(), contains)?;
    env.add_overload("sets.equivalent", "list_sets_equivalent_list", lists(), equivalent)?;
    env.add_overload("sets.intersects", "list_sets_intersects_list", lists(), intersects)
}

fn contains<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    compared(&args, |left, right| right.iter().all(|item| has(left, item.as_ref())))
}

fn equivalent<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    compared(&args, |left, right| {
        right.iter().all(|item| has(left, item.as_ref()))
            && left.iter().all(|item| has(right, item.as_ref()))
    })
}

fn intersects<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    compared(&args, |left, right| right.iter().any(|item| has(left, item.as_ref())))
}

fn has(list: &CelList<'_>, wanted: &dyn Val) -> bool {
    list.iter().any(|item| item.equals(wanted))
}

fn compared<'b, 'v>(
    args: &[CowVal<'_, '_>],
    holds: impl Fn(&CelList<'_>, &CelList<'_>) -> bool,
) -> Outcome<'b, 'v> {
    let list = |index: usize| args.get(index).and_then(|it| it.downcast_ref::<CelList>());
    let (Some(left), Some(right)) = (list(0), list(1)) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    match left.len().saturating_mul(right.len()) > PAIRS {
        true => Err(ExecutionError::function_error("sets", "the lists are too long")),
        false => Ok(CowVal::owned(CelBool::from(holds(left, right)))),
    }
}

/// `matches` with a limit: a short pattern can stand for a machine of many megabytes.
fn patterns(env: &mut Env) -> Result<(), DeclarationError> {
    let text = || vec![STRING_TYPE, STRING_TYPE];
    env.add_overload("matches", "matches", text(), matches)?;
    env.add_member_overload("matches", "matches_string", STRING_TYPE, vec![STRING_TYPE], matches)
}

fn matches<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Outcome<'b, 'v> {
    let text = |index: usize| args.get(index).and_then(|it| it.downcast_ref::<CelString>());
    let (Some(text), Some(pattern)) = (text(0), text(1)) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    let pattern = RegexBuilder::new(&as_in_go(pattern.inner()))
        .size_limit(PATTERN)
        .dfa_size_limit(PATTERN)
        .build()
        .map_err(|error| ExecutionError::function_error("matches", error))?;
    Ok(CowVal::owned(CelBool::from(pattern.is_match(text.inner()))))
}

/// A pattern whose short names for letters, digits and blanks mean those of ASCII, as they do in Go. A class may stand in another.
fn as_in_go(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some('d') => out.push_str("[0-9]"),
            Some('D') => out.push_str("[^0-9]"),
            Some('w') => out.push_str("[0-9A-Za-z_]"),
            Some('W') => out.push_str("[^0-9A-Za-z_]"),
            Some('s') => out.push_str(r"[\t\n\f\r ]"),
            Some('S') => out.push_str(r"[^\t\n\f\r ]"),
            Some('b') => out.push_str(r"(?-u:\b)"),
            other => {
                out.push('\\');
                out.extend(other);
            }
        }
    }
    out
}
