//! No expression takes longer, or more memory, than it may.
//!
//! The interpreter knows no limit: `[s].map(a, a + a).map(a, a + a)…` doubles a text with every link, and lists within lists
//! are walked as often as the product of their lengths. So every value that goes into a call, a list or a loop is counted on
//! its way: the tree of an expression is rewritten such that each stands in a call that takes its size off a budget, and hands
//! it on. What an operation makes is at most as large as what goes in, except for the few that have a weight.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr,
    SelectExpr, StructExpr, operators,
};
use cel::common::types::{
    CelBytes, CelInt, CelList, CelMap, CelOptional, CelString, DYN_TYPE, INT_TYPE, Type,
};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

/// How much one evaluation may spend: about a unit for each value and for each eight bytes of text that are looked at.
const UNITS: u64 = 1_000_000;
/// How long a text may be that is put, or looked for, at many places of another.
const SHORT: usize = 256;

/// The variable that holds the budget. Nobody can write its name.
pub(super) const BUDGET: &str = "@budget";
const CHARGE: &str = "@charge";
const BRIEF: &str = "@brief";

/// Functions by whose name a word before a point is no variable.
const NAMESPACES: [&str; 4] = ["base64", "optional", "sets", "strings"];

static BUDGET_TYPE: Type = Type::new_unspecified_type("@budget");

/// What an evaluation has left.
#[derive(Clone, Debug)]
pub(super) struct Budget(Arc<AtomicU64>);

impl Budget {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(UNITS)))
    }

    fn spend(&self, units: u64) -> Result<(), ExecutionError> {
        let left = self.0.load(Ordering::Relaxed).checked_sub(units);
        self.0.store(left.unwrap_or(0), Ordering::Relaxed);
        let message = "takes too many steps on this object";
        left.map(drop).ok_or_else(|| ExecutionError::function_error("the expression", message))
    }

    /// Spends the size of a value, and stops where there is not enough.
    fn charge(&self, value: &dyn Val) -> Result<(), ExecutionError> {
        self.spend(1 + bytes(value).map_or(0, |length| length as u64 / 8))?;
        if let Some(list) = value.downcast_ref::<CelList>() {
            list.iter().try_for_each(|item| self.charge(item.as_ref()))?;
        }
        if let Some(map) = value.downcast_ref::<CelMap>() {
            for (key, value) in map.iter() {
                self.charge(key.inner())?;
                self.charge(value.as_ref())?;
            }
        }
        match value.downcast_ref::<CelOptional>().and_then(|optional| optional.inner()) {
            Some(inner) => self.charge(inner),
            None => Ok(()),
        }
    }
}

impl Val for Budget {
    fn get_type(&self) -> &Type {
        &BUDGET_TYPE
    }

    fn cel_type() -> &'static Type {
        &BUDGET_TYPE
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Budget {}

/// The length of a text or of bytes.
fn bytes(value: &dyn Val) -> Option<usize> {
    let text = value.downcast_ref::<CelString>().map(|text| text.inner().len());
    text.or_else(|| value.downcast_ref::<CelBytes>().map(|bytes| bytes.inner().len()))
}

/// How many elements, or bytes, a value has.
fn length(value: &dyn Val) -> usize {
    let list = value.downcast_ref::<CelList>().map(|list| list.len());
    let map = || value.downcast_ref::<CelMap>().map(|map| map.len());
    list.or_else(map).or_else(|| bytes(value)).unwrap_or(1)
}

/// Declares the functions that rewritten trees call.
pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_overload(CHARGE, "charge", vec![DYN_TYPE, DYN_TYPE, INT_TYPE], charge)?;
    env.add_overload(BRIEF, "brief", vec![DYN_TYPE], brief)
}

/// `@charge(value, budget, weight)`: the value; its size is spent, and the weight for each of its elements.
fn charge<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let mut args = args.into_iter();
    let (Some(value), Some(budget), Some(weight)) = (args.next(), args.next(), args.next()) else {
        return Err(ExecutionError::missing_argument_or_target());
    };
    let budget = budget.downcast_ref::<Budget>();
    let budget = budget.ok_or_else(ExecutionError::missing_argument_or_target)?;
    let weight = weight.downcast_ref::<CelInt>().map_or(0, |weight| weight.inner().unsigned_abs());
    budget.spend(weight.saturating_mul(length(value.as_ref()) as u64))?;
    budget.charge(value.as_ref())?;
    Ok(value)
}

/// `@brief(value)`: the value, unless it is a long text.
fn brief<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let value = args.into_iter().next().ok_or_else(ExecutionError::missing_argument_or_target)?;
    match bytes(value.as_ref()).is_some_and(|length| length > SHORT) {
        true => Err(ExecutionError::function_error(
            "the expression",
            format!("looks for, or puts at many places, a text of more than {SHORT} bytes"),
        )),
        false => Ok(value),
    }
}

/// The tree with everything counted that is evaluated.
pub(super) fn metered(tree: IdedExpr) -> IdedExpr {
    let IdedExpr { id, expr } = tree;
    let expr = match expr {
        Expr::Call(call) => Expr::Call(metered_call(call)),
        Expr::Comprehension(looping) => Expr::Comprehension(Box::new(metered_loop(*looping))),
        Expr::List(ListExpr { elements, optional_indices }) => {
            let elements = elements.into_iter().map(|item| charged(item, 0)).collect();
            Expr::List(ListExpr { elements, optional_indices })
        }
        Expr::Map(MapExpr { mut entries }) => {
            entries.iter_mut().for_each(|entry| metered_entry(&mut entry.expr));
            Expr::Map(MapExpr { entries })
        }
        Expr::Struct(StructExpr { type_name, mut entries }) => {
            entries.iter_mut().for_each(|entry| metered_entry(&mut entry.expr));
            Expr::Struct(StructExpr { type_name, entries })
        }
        Expr::Select(SelectExpr { operand, field, test }) => {
            Expr::Select(SelectExpr { operand: Box::new(metered(*operand)), field, test })
        }
        leaf @ (Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified) => leaf,
    };
    IdedExpr { id, expr }
}

fn metered_entry(entry: &mut EntryExpr) {
    let count = |tree: &mut IdedExpr| *tree = charged(std::mem::take(tree), 0);
    match entry {
        EntryExpr::StructField(field) => count(&mut field.value),
        EntryExpr::MapEntry(entry) => {
            count(&mut entry.key);
            count(&mut entry.value);
        }
    }
}

fn metered_call(call: CallExpr) -> CallExpr {
    let CallExpr { func_name, target, args } = call;
    // These look at one truth at a time, and leave out what does not matter. What a loop gathers is counted as it goes in;
    // counting it all again with every turn would make a square of it, and hide from the interpreter that it only grows.
    let is_plain = matches!(
        func_name.as_str(),
        operators::CONDITIONAL
            | operators::LOGICAL_AND
            | operators::LOGICAL_OR
            | operators::LOGICAL_NOT
            | operators::NOT_STRICTLY_FALSE
    ) || args.first().is_some_and(is_hidden);
    if is_plain {
        let args = args.into_iter().map(metered).collect();
        return CallExpr { func_name, target: target.map(|it| Box::new(metered(*it))), args };
    }
    let Weight { target: target_weight, last, is_brief } = weight(&func_name);
    let end = args.len().saturating_sub(1);
    let argument = |(index, argument): (usize, IdedExpr)| {
        let counted = charged(argument, if index == end { last } else { 0 });
        if is_brief { call_of(BRIEF, vec![counted]) } else { counted }
    };
    let args = args.into_iter().enumerate().map(argument).collect();
    let target = target.map(|target| match &target.expr {
        Expr::Ident(name) if NAMESPACES.contains(&name.as_str()) => target,
        _ => Box::new(charged(*target, target_weight)),
    });
    CallExpr { func_name, target, args }
}

/// A turn of a loop costs what it evaluates.
fn metered_loop(looping: ComprehensionExpr) -> ComprehensionExpr {
    let turn = nodes(&looping.loop_step) + nodes(&looping.loop_cond);
    ComprehensionExpr {
        iter_range: charged(looping.iter_range, turn),
        accu_init: metered(looping.accu_init),
        loop_cond: metered(looping.loop_cond),
        loop_step: metered(looping.loop_step),
        result: metered(looping.result),
        ..looping
    }
}

/// What an operation costs beyond the size of what goes in, for each byte or element.
#[derive(Default)]
struct Weight {
    target: i64,
    last: i64,
    /// Whether its arguments must be short, since what it makes or looks at is their product with the target.
    is_brief: bool,
}

fn weight(function: &str) -> Weight {
    match function {
        "replace" | "join" | "indexOf" | "lastIndexOf" => {
            Weight { target: 32, is_brief: true, ..Weight::default() }
        }
        "split" => Weight { target: 8, ..Weight::default() },
        // The pattern is compiled, each time.
        "matches" => Weight { last: 512, ..Weight::default() },
        _ => Weight::default(),
    }
}

/// An expression in the call that counts what it comes to.
fn charged(tree: IdedExpr, weight: i64) -> IdedExpr {
    if weight == 0 && (matches!(tree.expr, Expr::Literal(_)) || is_hidden(&tree)) {
        return tree;
    }
    let budget = IdedExpr { id: 0, expr: Expr::Ident(BUDGET.to_owned()) };
    let weight = Expr::Literal(LiteralValue::Int(CelInt::from(weight)));
    call_of(CHARGE, vec![metered(tree), budget, IdedExpr { id: 0, expr: weight }])
}

fn call_of(name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    let expr = Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args });
    IdedExpr { id: 0, expr }
}

/// Whether it is a variable of the interpreter's own.
fn is_hidden(tree: &IdedExpr) -> bool {
    matches!(&tree.expr, Expr::Ident(name) if name.starts_with('@'))
}

/// How many nodes a tree has.
fn nodes(tree: &IdedExpr) -> i64 {
    let all = |trees: &[IdedExpr]| trees.iter().map(nodes).sum::<i64>();
    let entry = |entry: &EntryExpr| match entry {
        EntryExpr::StructField(field) => nodes(&field.value),
        EntryExpr::MapEntry(entry) => nodes(&entry.key) + nodes(&entry.value),
    };
    1 + match &tree.expr {
        Expr::Call(call) => call.target.as_deref().map_or(0, nodes) + all(&call.args),
        Expr::Comprehension(looping) => {
            let parts = [
                &looping.iter_range,
                &looping.accu_init,
                &looping.loop_cond,
                &looping.loop_step,
                &looping.result,
            ];
            parts.into_iter().map(nodes).sum()
        }
        Expr::List(list) => all(&list.elements),
        Expr::Map(map) => map.entries.iter().map(|it| entry(&it.expr)).sum(),
        Expr::Struct(fields) => fields.entries.iter().map(|it| entry(&it.expr)).sum(),
        Expr::Select(select) => nodes(&select.operand),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => 0,
    }
}
