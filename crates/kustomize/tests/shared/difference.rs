//! Where two texts part.

/// The first lines that differ.
pub(crate) fn difference(expected: &str, actual: &str) -> String {
    let (mut left, mut right) = (expected.lines(), actual.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (left.next(), right.next()) {
            (Some(left), Some(right)) if left == right => {}
            (None, None) => return "the last newline differs".to_owned(),
            (wanted, got) => {
                let rest: Vec<&str> = wanted.into_iter().chain(left).take(6).collect();
                let other: Vec<&str> = got.into_iter().chain(right).take(6).collect();
                return format!("line {number}\n- {}\n+ {}", rest.join("\n- "), other.join("\n+ "));
            }
        }
    }
}
