//! One expression, and what it comes to.

use std::fmt;
use std::sync::Arc;
use std::thread::Builder;

use cel::common::ast::IdedExpr;
use cel::common::types::CelBool;
use cel::{Context, Env, ExecutionError, Value};

use super::meter::{self, Budget};
use super::{functions, value};
use crate::health::facts::Facts;
use crate::health::words::shown;

/// How many bytes an expression may have.
const LONGEST: usize = 4 << 10;
/// How many brackets may be open at a time.
const DEEPEST: usize = 32;
/// How many operators, points and brackets an expression may have: each can be a level of the tree that it becomes.
const LINKS: usize = 400;
/// What the deepest of these takes, and more. Only what is used of it becomes memory.
const STACK: usize = 64 << 20;

/// What expressions are written in: the functions that they can call.
#[derive(Clone)]
pub(super) struct Language(Arc<Env>);

/// An expression that was read.
pub(super) struct Expression {
    text: String,
    tree: IdedExpr,
    language: Language,
}

/// Why a text is no expression.
pub(super) struct BadExpression {
    pub(super) why: String,
    /// Line and column in the text, from one, where known.
    pub(super) place: Option<(usize, usize)>,
}

impl Language {
    pub(super) fn new() -> Self {
        Self(Arc::new(functions::environment()))
    }

    /// Reads an expression.
    pub(super) fn read(&self, text: &str) -> Result<Expression, BadExpression> {
        check_size(text).map_err(|why| BadExpression { why, place: None })?;
        let parse = || self.0.parser().parse(text).map(meter::metered);
        let tree = guarded(parse).map_err(|why| BadExpression { why, place: None })?;
        let tree = tree.map_err(|errors| BadExpression::of(&errors))?;
        Ok(Expression { text: text.to_owned(), tree, language: self.clone() })
    }
}

impl Expression {
    /// Whether it is true of an object. Its variables are the fields at the top of the object.
    pub(super) fn holds(&self, facts: &Facts<'_>) -> Result<bool, String> {
        guarded(|| self.evaluate(facts))?.map_err(|error| told(&error, facts.is("", "Secret")))
    }

    fn evaluate(&self, facts: &Facts<'_>) -> Result<bool, ExecutionError> {
        let mut context = Context::with_env(Arc::clone(&self.language.0));
        let names = self.tree.references();
        for entry in facts.node.as_mapping().into_iter().flatten() {
            let key = entry.key.text().filter(|key| names.has_variable(key));
            if let Some(key) = key {
                context.add_variable_as_val(key, value::of(&entry.value));
            }
        }
        context.add_variable_as_val(meter::BUDGET, Box::new(Budget::new()));
        let outcome = Value::resolve_val(&self.tree, &context)?;
        let truth = outcome.downcast_ref::<CelBool>().map(|truth| *truth.inner());
        truth.ok_or_else(|| ExecutionError::UnexpectedType {
            got: outcome.get_type().name().to_owned(),
            want: "bool".to_owned(),
        })
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.text)
    }
}

impl BadExpression {
    fn of(errors: &cel::ParseErrors) -> Self {
        let first = errors.errors.first();
        let number = |number: isize| usize::try_from(number).ok().filter(|number| *number > 0);
        Self {
            why: first.map_or_else(|| "it cannot be parsed".to_owned(), |error| shown(&error.msg)),
            place: first.and_then(|error| number(error.pos.0).zip(number(error.pos.1))),
        }
    }
}

/// Refuses what would go deeper than the interpreter has stack for.
fn check_size(text: &str) -> Result<(), String> {
    if text.len() > LONGEST {
        return Err(format!("it has more than {LONGEST} bytes"));
    }
    let mut open = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > DEEPEST {
            return Err(format!("more than {DEEPEST} brackets are open at a time"));
        }
    }
    let links = text.bytes().filter(|byte| b".+-*/%<>=!?:&|([{".contains(byte)).count();
    match links > LINKS {
        true => Err(format!("it has more than {LINKS} operators, points and brackets")),
        false => Ok(()),
    }
}

/// Calls the interpreter on a thread of its own. It goes down by kilobytes for each level of an expression, which is more than
/// those who ask have left, and it has `expect`s for what it holds to be impossible: an expression that proves it wrong must
/// fail alone, not with everything else that is being watched.
fn guarded<T: Send>(call: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, call);
        let thread = thread.map_err(|error| format!("no thread can be started: {error}"))?;
        thread.join().map_err(|_| "the interpreter has failed".to_owned())
    })
}

/// What went wrong, without the values that the interpreter would show: they may be long, or secret.
fn told(error: &ExecutionError, is_secret: bool) -> String {
    match error {
        ExecutionError::NoSuchKey(_) if is_secret => "no such key".to_owned(),
        ExecutionError::NoSuchKey(key) => format!("no such key: {}", shown(key)),
        ExecutionError::UndeclaredReference(name) => {
            format!("there is nothing called `{}`", shown(name))
        }
        ExecutionError::NoSuchOverload(_) => shown(&error.to_string()),
        ExecutionError::UnexpectedType { got, want } => {
            format!("{} was expected, not {}", shown(want), shown(got))
        }
        ExecutionError::FunctionError { function, .. } if is_secret => {
            format!("`{}` has failed", shown(function))
        }
        ExecutionError::FunctionError { function, message } => {
            format!("`{}`: {}", shown(function), shown(message))
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "division by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number grows too large".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "index out of bounds".to_owned(),
        ExecutionError::DuplicateKey(_) => "a key is there twice".to_owned(),
        _ => "the values are not of the types that it needs".to_owned(),
    }
}
