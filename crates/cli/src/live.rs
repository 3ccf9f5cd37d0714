//! Lines that change in place on a terminal. Nothing is switched that would have to be switched back: whichever way the
//! program ends, the terminal is as it was.

use std::io::{IsTerminal, Write};

use terminal_size::{Height, Width, terminal_size_of};

/// What a terminal has where it does not say.
const USUAL: (usize, usize) = (80, 24);

/// Which stream the lines are drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Error,
}

/// Lines on a terminal that the next ones take the place of. They are gone when this is.
pub(crate) struct Live {
    stream: Stream,
    is_terminal: bool,
    drawn: usize,
}

impl Live {
    /// Draws where there is a terminal, and nothing elsewhere.
    pub(crate) fn new(stream: Stream) -> Self {
        let is_terminal = match stream {
            Stream::Output => std::io::stdout().is_terminal(),
            Stream::Error => std::io::stderr().is_terminal(),
        };
        Self { stream, is_terminal, drawn: 0 }
    }

    /// Whether anybody sees what is drawn.
    pub(crate) fn is_seen(&self) -> bool {
        self.is_terminal
    }

    /// How many lines can be drawn; the last one of the terminal is left to what comes after.
    pub(crate) fn height(&self) -> usize {
        self.size().1.saturating_sub(1).max(1)
    }

    /// Draws lines in the place of those before, as many and as much of each as there is room for.
    pub(crate) fn draw(&mut self, lines: &[String]) {
        if !self.is_terminal {
            return;
        }
        let width = self.size().0;
        let lines = &lines[..lines.len().min(self.height())];
        let mut text = self.back();
        for (number, line) in lines.iter().enumerate() {
            text.push_str(if number == 0 { "" } else { "\n" });
            text.push_str(cropped(line, width));
        }
        self.drawn = lines.len();
        self.write(&text);
    }

    /// Takes the lines away.
    pub(crate) fn clear(&mut self) {
        if self.drawn > 0 {
            let text = self.back();
            self.drawn = 0;
            self.write(&text);
        }
    }

    /// Leaves the lines where they are; what comes next is below them.
    pub(crate) fn keep(&mut self) {
        if std::mem::take(&mut self.drawn) > 0 {
            self.write("\n");
        }
    }

    /// Goes to where the lines begin, and wipes what is there and below.
    fn back(&self) -> String {
        match self.drawn {
            0 | 1 => "\r\x1b[J".to_owned(),
            lines => format!("\r\x1b[{}A\x1b[J", lines - 1),
        }
    }

    fn write(&self, text: &str) {
        // Whoever reads us may have gone; the work goes on.
        let mut stream: Box<dyn Write> = match self.stream {
            Stream::Output => Box::new(std::io::stdout()),
            Stream::Error => Box::new(std::io::stderr()),
        };
        stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).ok();
    }

    fn size(&self) -> (usize, usize) {
        let size = match self.stream {
            Stream::Output => terminal_size_of(std::io::stdout()),
            Stream::Error => terminal_size_of(std::io::stderr()),
        };
        match size {
            Some((Width(width), Height(height))) if width > 0 && height > 0 => {
                (usize::from(width), usize::from(height))
            }
            _ => USUAL,
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.clear();
    }
}

/// As much of a line as fits. What is not ASCII may take two columns, and a line that wraps would be two.
fn cropped(line: &str, width: usize) -> &str {
    let mut used = 0;
    let past = line.char_indices().find(|(_, letter)| {
        used += if letter.is_ascii() { 1 } else { 2 };
        used > width
    });
    &line[..past.map_or(line.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cropped_to_the_columns_that_there_are() {
        for (line, width, expected) in
            [("abc", 3, "abc"), ("abcd", 3, "abc"), ("", 3, ""), ("aäb", 3, "aä"), ("ää", 3, "ä")]
        {
            assert_eq!(cropped(line, width), expected, "{line}");
        }
    }
}
