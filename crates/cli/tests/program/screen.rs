//! The program on a terminal of its own, and what a person sees there.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};

/// Far longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a program on it.
pub(crate) struct Terminal {
    pub(crate) child: Child,
    keyboard: File,
    printed: Arc<Mutex<Vec<u8>>>,
    reader: std::thread::JoinHandle<()>,
}

impl Terminal {
    /// Starts a program on a terminal with so many lines and columns.
    pub(crate) fn start(mut command: Command, lines: u16, columns: u16) -> Self {
        let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(&size, None).unwrap();
        let end = || Stdio::from(pair.slave.try_clone().unwrap());
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        // Only the program holds its end now, so that reading comes to an end with it.
        drop(command);
        drop(pair.slave);
        let keyboard = File::from(pair.master);
        let mut output = keyboard.try_clone().unwrap();
        let printed = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&printed);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A terminal without a program at its other end is an error to read from.
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                all.lock().unwrap().extend_from_slice(&buffer[..length]);
            }
        });
        Self { child, keyboard, printed, reader }
    }

    /// Types a line.
    pub(crate) fn enter(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Waits until the screen shows something.
    #[track_caller]
    pub(crate) fn until(&self, what: &str) {
        let started = Instant::now();
        while !self.screen().contains(what) {
            assert!(started.elapsed() < PATIENCE, "no `{what}`:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What a person sees.
    pub(crate) fn screen(&self) -> String {
        drawn(&String::from_utf8_lossy(&self.printed.lock().unwrap()))
    }

    /// Waits for the program to end; its code, and what a person sees then.
    #[track_caller]
    pub(crate) fn end(mut self) -> (i32, String) {
        let started = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if started.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                None => {
                    self.child.kill().unwrap();
                    panic!("the program does not end:\n{}", self.screen());
                }
            }
        };
        self.reader.join().unwrap();
        let printed = self.printed.lock().unwrap();
        (status.code().unwrap_or(-1), drawn(&String::from_utf8_lossy(&printed)))
    }
}

/// Draws what was printed as a terminal of any height would, by the few codes that the program uses.
fn drawn(printed: &str) -> String {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    let (mut line, mut column) = (0, 0);
    let mut letters = printed.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => column = 0,
            '\n' => {
                line += 1;
                if line == lines.len() {
                    lines.push(Vec::new());
                }
            }
            '\u{1b}' if letters.peek() == Some(&'[') => {
                letters.next();
                let mut number = String::new();
                let code = loop {
                    match letters.next() {
                        Some(digit) if digit.is_ascii_digit() || digit == ';' => number.push(digit),
                        other => break other,
                    }
                };
                match code {
                    Some('A') => line = line.saturating_sub(number.parse().unwrap_or(1)),
                    Some('K') => lines[line].truncate(column),
                    Some('J') => {
                        lines[line].truncate(column);
                        lines.truncate(line + 1);
                    }
                    Some('m') => {}
                    code => panic!("the program prints a code that no test knows: {code:?}"),
                }
            }
            letter => {
                let width = lines[line].len().max(column + 1);
                lines[line].resize(width, ' ');
                lines[line][column] = letter;
                column += 1;
            }
        }
    }
    let lines = lines.into_iter().map(|line| line.into_iter().collect::<String>() + "\n");
    lines.collect::<String>().trim_end_matches('\n').to_owned() + "\n"
}
