//! What was probably meant: the known word that is nearest to a wrong one.

/// How many words are looked at before giving up: a hint is not worth more.
const LIMIT: usize = 20_000;

/// The candidate with the fewest edits from `word`, if it is near enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match word.chars().count() {
        0 => return None,
        1..=3 => 1,
        4..=8 => 2,
        _ => 3,
    };
    let word: Vec<char> = word.chars().take(200).flat_map(char::to_lowercase).collect();
    candidates
        .into_iter()
        .take(LIMIT)
        .filter_map(|candidate| Some((distance(&word, candidate, allowed)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of edits (a letter more, less, other, or two swapped) between two words, up to a limit.
fn distance(left: &[char], right: &str, limit: usize) -> Option<usize> {
    let right: Vec<char> = right.chars().take(200).flat_map(char::to_lowercase).collect();
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut best = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_does_not() {
        let words = ["resources", "replicas", "patches", "shop"];
        assert_eq!(nearest("resuorces", words), Some("resources"));
        assert_eq!(nearest("shpo", words), Some("shop"));
        assert_eq!(nearest("banana", words), None);
        assert_eq!(nearest("", words), None);
    }
}
