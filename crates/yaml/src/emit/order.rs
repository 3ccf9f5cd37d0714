//! The order of keys: go-yaml v2's natural order, made reproducible.
//!
//! The rule compares two keys at the first character that differs: non-letters come before letters, digits
//! are compared as numbers. It is not transitive (`a1b` < `a9c` < `a10d` < `a1b`), so for some sets of keys
//! there is no order that obeys it, and upstream prints them in an order that changes from run to run. Here
//! the keys are first sorted by their bytes and then merged by the rule: a set of keys always gives one
//! order, and the rule's own wherever the rule has one.

use std::cmp::Ordering;

/// Sorts by key.
pub(super) fn sort<T: Copy>(items: &mut [(&str, T)]) {
    let natural = |key: &str| key.bytes().any(|byte| byte.is_ascii_digit() || byte >= 0x80);
    if items.iter().any(|item| natural(item.0)) {
        items.sort_unstable_by_key(|item| item.0);
        merge_sort(items);
    } else if !items.is_sorted_by(|a, b| letters(a.0, b.0) == Ordering::Less) {
        items.sort_unstable_by(|a, b| letters(a.0, b.0));
    }
}

/// The rule for ASCII keys without digits.
#[inline]
fn letters(a: &str, b: &str) -> Ordering {
    let rank = |byte: &u8| (byte.is_ascii_alphabetic(), *byte);
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => rank(a).cmp(&rank(b)),
        None => a.len().cmp(&b.len()),
    }
}

fn merge_sort<T: Copy>(items: &mut [(&str, T)]) {
    if items.is_sorted_by(|a, b| less(a.0, b.0)) {
        return;
    }
    let middle = items.len() / 2;
    let (left, right) = items.split_at_mut(middle);
    merge_sort(left);
    merge_sort(right);
    let copy = left.to_vec();
    let mut right = middle;
    let mut to = 0;
    for item in copy {
        while right < items.len() && less(items[right].0, item.0) {
            items[to] = items[right];
            (to, right) = (to + 1, right + 1);
        }
        items[to] = item;
        to += 1;
    }
}

/// Whether `a` comes before `b` by go-yaml v2's rule.
fn less(a: &str, b: &str) -> bool {
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let start = (0..=common).rev().find(|at| a.is_char_boundary(*at) && b.is_char_boundary(*at));
    let start = start.unwrap_or(0);
    let (x, y) = match (a[start..].chars().next(), b[start..].chars().next()) {
        (Some(x), Some(y)) => (x, y),
        (x, _) => return x.is_none() && a.len() < b.len(),
    };
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x < y,
        (false, false) => {}
        (_, y_is_letter) => return y_is_letter,
    }
    let carry = i64::from((x == '0' || y == '0') && ends_in_number(&a[..start]));
    let (x_value, x_length) = run(&a[start..], carry);
    let (y_value, y_length) = run(&b[start..], carry);
    if x_value != y_value {
        return x_value < y_value;
    }
    if x_length != y_length {
        return x_length < y_length;
    }
    x < y
}

/// Whether the digits at the end of a text have one among them that is not zero.
fn ends_in_number(text: &str) -> bool {
    text.chars().rev().take_while(|character| is_digit(*character)).any(|digit| digit != '0')
}

/// The number that a text begins with, and how many digits it has.
fn run(text: &str, carry: i64) -> (i64, usize) {
    let digits = text.chars().take_while(|character| is_digit(*character));
    digits.fold((carry, 0), |(value, length), digit| {
        let digit = i64::from(u32::from(digit)) - i64::from(u32::from('0'));
        (value.wrapping_mul(10).wrapping_add(digit), length + 1)
    })
}

fn is_letter(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphabetic() } else { character.is_alphabetic() }
}

/// A decimal digit of any script.
fn is_digit(character: char) -> bool {
    character.is_ascii_digit() || !character.is_ascii() && character.is_numeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: &[&str]) {
        // Every rotation of the keys gives the same order.
        for rotation in 0..expected.len() {
            let mut items: Vec<_> = expected.iter().map(|key| (*key, ())).collect();
            items.rotate_left(rotation);
            sort(&mut items);
            let keys: Vec<_> = items.iter().map(|item| item.0).collect();
            assert_eq!(keys, expected);
        }
    }

    #[test]
    fn keys_are_in_natural_order() {
        check(&["1", "01", "2", "10", "B", "a", "a-b", "a.b", "a_b", "a1", "ab", "b9", "b10"]);
        check(&["-", "A", "B", "a", "b"]);
        check(&["a", "a-", "ab", "b"]);
        check(&["é", "ê", "日"]);
    }

    #[test]
    fn keys_without_an_order_still_have_a_fixed_one() {
        check(&["a10d", "a1b", "a9c"]);
    }

    #[test]
    fn keys_that_are_equal_stay_together() {
        check(&["a", "a", "b1", "b1"]);
    }
}
