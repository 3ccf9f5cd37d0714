//! The same again whenever something stirs. Nobody asks every so often: records and objects are watched.

use std::time::Duration;

use kelson_cluster::{Branch, Stirs};
use kelson_plan::{Event, Listener};
use tokio::sync::watch;

use super::look::{Looker, Records, Seen};
use crate::commands::print;
use crate::draw;
use crate::exit::Code;
use crate::live::{Live, Stream};
use crate::runtime::Stop;

/// What is written shortly after something else is shown with it.
const PACE: Duration = Duration::from_millis(200);

/// Shows it until somebody has seen enough.
pub(super) async fn run(looker: &Looker<'_>, stop: &Stop) -> anyhow::Result<Code> {
    let stop = stop.by_itself();
    let mut screen =
        Screen { live: Live::new(Stream::Output), shown: String::new(), last: Ok(Code::Done) };
    while !*stop.borrow() {
        // The moment is remembered before anything is read, so that no write falls in between.
        let stirs = Stirs::begin(looker.cluster, looker.namespace()).await?;
        let records = looker.records().await?;
        tokio::select! {
            () = stopped(stop.clone()) => break,
            () = stirs.next() => {}
            followed = follow(looker, &records, &stop, &mut screen) => followed?,
        }
        tokio::time::sleep(PACE).await;
    }
    screen.live.keep();
    screen.last
}

/// Shows how the objects of these records are, as that changes.
async fn follow(
    looker: &Looker<'_>,
    records: &Records,
    stop: &watch::Receiver<bool>,
    screen: &mut Screen,
) -> anyhow::Result<()> {
    let targets = records.targets();
    let mut show = |family: &[Branch]| {
        let shown = looker.seen(records, family).and_then(|seen| screen.show(&seen));
        screen.last = shown;
    };
    if targets.is_empty() {
        show(&[]);
        return std::future::pending().await;
    }
    let (cluster, options) = (looker.cluster, &looker.options);
    kelson_cluster::follow_family(cluster, &targets, options, stop, &Remarks, &mut show).await?;
    Ok(())
}

/// Hears of what is worth knowing, and not of what is shown anyhow.
struct Remarks;

impl Listener for Remarks {
    fn hear(&self, event: &Event) {
        if let Event::Warning(text) = event {
            draw::remark(&format!("warning: {text}"));
        }
    }
}

/// Where it is shown: in place on a terminal, one after the other elsewhere.
struct Screen {
    live: Live,
    shown: String,
    /// What was last seen comes to.
    last: anyhow::Result<Code>,
}

impl Screen {
    fn show(&mut self, seen: &Seen) -> anyhow::Result<Code> {
        if self.live.is_seen() {
            let lines: Vec<String> = seen.text.lines().map(str::to_owned).collect();
            self.live.draw(&fitted(lines, self.live.height()));
        } else if self.shown != seen.text {
            let is_first = self.shown.is_empty() || seen.text.starts_with(['[', '{']);
            print(&format!("{}{}", if is_first { "" } else { "\n" }, seen.text))?;
            self.shown.clone_from(&seen.text);
        }
        Ok(seen.code)
    }
}

/// As many lines as there is room for; the last says how many there are more.
fn fitted(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        let more = lines.len() + 1 - most;
        lines.truncate(most - 1);
        lines.push(format!("… and {more} more lines"));
    }
    lines
}

/// Waits until somebody has seen enough.
async fn stopped(mut stop: watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending().await
    }
}
