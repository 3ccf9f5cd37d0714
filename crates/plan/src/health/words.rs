//! Other people's words, as they may be shown: on one line, without what a terminal would obey, cropped.

/// How many letters of a text are shown.
const SHOWN: usize = 500;

/// A text as it may be shown.
pub(super) fn shown(text: &str) -> String {
    let mut words = String::new();
    let mut letters = 0;
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        for letter in word.chars().filter(|letter| !is_hidden(*letter)) {
            if letters == SHOWN {
                words.push('…');
                return words;
            }
            letters += 1;
            words.push(letter);
        }
    }
    words
}

/// Whether a letter is none, but changes how others are read: marks of direction, joiners, fillers.
fn is_hidden(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
