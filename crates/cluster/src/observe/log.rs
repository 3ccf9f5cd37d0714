//! The last lines of containers' logs, read aside: nobody waits for them.

use std::collections::HashMap;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use kelson_model::ObjectId;
use kelson_plan::Refusal;

use super::behind::Level;
use crate::Cluster;
use crate::request::{Request, path};

/// How long a log may take: the node that has it may be away.
const PATIENCE: Duration = Duration::from_secs(3);
/// How much of a log is read.
const BYTES: usize = 64 << 10;
/// How many letters of a line are kept.
const LETTERS: usize = 300;
/// How many logs are read at once.
const AT_ONCE: usize = 8;

/// A container, as it runs for the so-manieth time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Container {
    pub(super) pod: ObjectId,
    pub(super) uid: String,
    pub(super) name: String,
    pub(super) restarts: String,
}

/// A log that was read; nothing in it where it could not be.
pub(super) struct Log {
    pub(super) container: Container,
    pub(super) lines: Vec<String>,
    pub(super) refusal: Option<Refusal>,
}

/// What was read so far.
pub(super) struct Logs<'a> {
    cluster: &'a Cluster,
    lines: usize,
    known: HashMap<(String, String), Known>,
    reads: FuturesUnordered<Pin<Box<dyn Future<Output = Log> + Send + 'a>>>,
}

struct Known {
    restarts: String,
    lines: Vec<String>,
}

impl<'a> Logs<'a> {
    pub(super) fn new(cluster: &'a Cluster, lines: usize) -> Self {
        Self { cluster, lines, known: HashMap::new(), reads: FuturesUnordered::new() }
    }

    /// The last lines of a container's log, as far as they were read; otherwise they will be.
    pub(super) fn of(&mut self, container: Container) -> Vec<String> {
        let key = (container.uid.clone(), container.name.clone());
        let known = self.known.get(&key);
        let lines = known.map(|known| known.lines.clone()).unwrap_or_default();
        let is_fresh = known.is_some_and(|known| known.restarts == container.restarts);
        if !is_fresh && self.lines > 0 && self.reads.len() < AT_ONCE {
            let restarts = container.restarts.clone();
            self.known.insert(key, Known { restarts, lines: lines.clone() });
            self.reads.push(Box::pin(read(self.cluster, container, self.lines)));
        }
        lines
    }

    /// What was read of a container's log.
    pub(super) fn known(&self, uid: &str, container: &str) -> Vec<String> {
        let known = self.known.get(&(uid.to_owned(), container.to_owned()));
        known.map(|known| known.lines.clone()).unwrap_or_default()
    }

    /// Waits for a log that is being read; for ever where none is.
    pub(super) async fn next(&mut self) -> Log {
        match self.reads.next().await {
            Some(log) => log,
            None => std::future::pending().await,
        }
    }

    /// Keeps what was read. Says whether that is something new.
    pub(super) fn keep(&mut self, log: &Log) -> bool {
        let key = (log.container.uid.clone(), log.container.name.clone());
        match self.known.get_mut(&key) {
            Some(known) if !log.lines.is_empty() && known.lines != log.lines => {
                known.lines.clone_from(&log.lines);
                true
            }
            _ => false,
        }
    }

    /// Forgets the logs of Pods that are gone.
    pub(super) fn retain(&mut self, is_known: impl Fn(&str) -> bool) {
        self.known.retain(|(uid, _), _| is_known(uid));
    }

    pub(super) fn are_read(&self) -> bool {
        self.reads.is_empty()
    }
}

/// Reads what a container said before it ended or, where there is no such, what it says now.
async fn read(cluster: &Cluster, container: Container, lines: usize) -> Log {
    let mut refusal = None;
    let mut found = Vec::new();
    let both = async {
        for previous in [true, false] {
            match tail(cluster, &container, lines, previous).await {
                Ok(lines) if lines.is_empty() => {}
                Ok(lines) => {
                    found = lines;
                    return;
                }
                Err(no) => refusal = Some(no),
            }
        }
    };
    tokio::time::timeout(PATIENCE, both).await.ok();
    Log { container, lines: found, refusal }
}

async fn tail(
    cluster: &Cluster,
    container: &Container,
    lines: usize,
    previous: bool,
) -> Result<Vec<String>, Refusal> {
    let pod = &container.pod;
    let path = path(&Level::Pods.kind(), &pod.namespace, &pod.name)?;
    let request = Request::get(format!("{path}/log"))
        .accepting("*/*")
        .with("container", &container.name)
        .with("previous", previous.to_string())
        .with("tailLines", lines.to_string())
        .with("limitBytes", BYTES.to_string());
    let mut answer = cluster.stream(&request).await?;
    let (mut read, mut size) = (Vec::new(), 0);
    while let Some(line) = answer.next_bytes().await? {
        size += line.len();
        // Servers need not keep to what they were asked.
        if size > BYTES {
            break;
        }
        read.push(line);
    }
    read.push(answer.rest());
    let read = read.iter().map(|line| clean(&String::from_utf8_lossy(line)));
    let mut read: Vec<_> = read.filter(|line| !line.is_empty()).collect();
    read.drain(..read.len().saturating_sub(lines));
    Ok(read)
}

/// A line that can be shown: whoever wrote it may have meant to do something to a terminal.
fn clean(line: &str) -> String {
    let mut clean = String::new();
    let mut letters = line.trim_end().chars();
    let mut count = 0;
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_sequence(&mut letters),
            '\t' => clean.push(' '),
            letter if letter.is_control() || is_invisible(letter) => {}
            letter => clean.push(letter),
        }
        count += 1;
        if count > LETTERS {
            clean.push('…');
            break;
        }
    }
    clean
}

/// Colours and the like: `[`, parameters, and a letter.
fn skip_sequence(letters: &mut std::str::Chars<'_>) {
    if !letters.as_str().starts_with('[') {
        return;
    }
    letters.next();
    for letter in letters.by_ref() {
        if matches!(letter, '@'..='~') {
            return;
        }
    }
}

/// Letters that change what those around them look like.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_does_nothing_to_a_terminal() {
        for (line, expected) in [
            ("plain", "plain"),
            ("\u{1b}[1;31mred\u{1b}[0m alert\r", "red alert"),
            ("a\tb\u{7}\u{0}c", "a bc"),
            ("\u{1b}]0;title\u{7}x", "]0;titlex"),
            ("\u{202e}gnp.exe\u{200b}", "gnp.exe"),
            ("\u{1b}[31", ""),
            ("\u{1b}", ""),
            ("ä \u{1f600}", "ä \u{1f600}"),
        ] {
            assert_eq!(clean(line), expected, "{line:?}");
        }
        let long = clean(&"ö".repeat(100_000));
        assert_eq!(long.chars().count(), LETTERS + 2);
    }
}
