//! Columns for people.

use crate::draw;

/// Lines of columns, each as wide as its widest text; the last is not filled up.
pub(crate) fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|text| draw::plain(text))).collect();
    let mut widths = heading.map(|text| text.chars().count());
    for row in &rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = (*width).max(text.chars().count());
        }
    }
    let mut out = String::new();
    for row in std::iter::once(&heading.map(str::to_owned)).chain(&rows) {
        let mut line = String::new();
        for (text, width) in row.iter().zip(widths) {
            line.push_str(text);
            line.extend(std::iter::repeat_n(' ', width - text.chars().count() + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
