//! Everything that is followed, and what is made of it.

mod reasons; // why something is not well
mod take; // what is heard becomes what is known

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::pin::Pin;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use kelson_plan::{Event, Listener};
use tokio::sync::mpsc;

use super::behind::{Behind, Level};
use super::board::Board;
use super::collection::Collection;
use super::feed::{Feed, News};
use super::log::Logs;
use super::{ObserveOptions, Target};
use crate::{Cluster, Error};

/// How much news may wait to be heard.
const NEWS: usize = 64;
/// A watch lasts this part of the whole wait, within limits: whoever waits shortly must notice sooner that one is dead.
const PART: u32 = 10;
const SHORTEST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(60);

/// What is wanted.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    /// Whether one look is enough.
    pub(super) once: bool,
    pub(super) depth: Depth,
    /// Labels that the targets are known to have.
    pub(super) labels: Option<String>,
}

/// How much is to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// How each target is.
    Verdicts,
    /// And why, where it is not well.
    Reasons,
    /// And all that is below it.
    Tree,
}

pub(super) struct Scene<'a> {
    cluster: &'a Cluster,
    options: &'a ObserveOptions,
    listener: &'a dyn Listener,
    manner: Manner,
    pub(super) board: Board,
    pub(super) behind: Behind,
    pub(super) logs: Logs<'a>,
    sources: Vec<Source>,
    feeds: FuturesUnordered<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>,
    sender: mpsc::Sender<News>,
    news: mpsc::Receiver<News>,
    /// The number of the last list that was begun.
    round: u64,
    /// What is to be read behind targets, by namespace.
    wanted: BTreeMap<String, BTreeSet<Level>>,
    /// Targets about which more may be known than was told.
    dirty: BTreeSet<usize>,
    /// When that is looked at.
    refresh: Option<Instant>,
    warned: HashSet<String>,
    /// Whether anything has happened since somebody last asked.
    pub(super) is_stirred: bool,
}

/// Where news come from.
struct Source {
    collection: Collection,
    /// What it is behind targets; nothing for targets themselves.
    level: Option<(String, Level)>,
    /// The number of its list.
    round: u64,
    /// Whether what comes from it is complete, or nothing will come.
    is_listed: bool,
}

impl<'a> Scene<'a> {
    /// Begins to follow all targets.
    pub(super) fn begin(
        cluster: &'a Cluster,
        targets: &[Target],
        options: &'a ObserveOptions,
        listener: &'a dyn Listener,
        manner: Manner,
    ) -> Self {
        let (sender, news) = mpsc::channel(NEWS);
        let collections = Collection::all(targets, manner.labels.as_deref(), &options.rules);
        let mut scene = Self {
            cluster,
            options,
            listener,
            manner,
            board: Board::new(targets),
            behind: Behind::default(),
            logs: Logs::new(cluster, options.log_lines),
            sources: Vec::new(),
            feeds: FuturesUnordered::new(),
            sender,
            news,
            round: 0,
            wanted: BTreeMap::new(),
            dirty: BTreeSet::new(),
            refresh: None,
            warned: HashSet::new(),
            is_stirred: false,
        };
        collections.into_iter().for_each(|collection| scene.start(collection, None));
        scene
    }

    fn start(&mut self, collection: Collection, level: Option<(String, Level)>) {
        let whole = self.options.ready.max(self.options.gone);
        let feed = Feed {
            cluster: self.cluster,
            collection: collection.clone(),
            source: self.sources.len(),
            news: self.sender.clone(),
            period: (whole / PART).clamp(SHORTEST, LONGEST),
            once: self.manner.once,
        };
        self.sources.push(Source { collection, level, round: 0, is_listed: false });
        self.feeds.push(Box::pin(feed.run()));
    }

    /// Waits until something is heard, and takes it in.
    pub(super) async fn stir(&mut self) -> Result<(), Error> {
        tokio::select! {
            Some(news) = self.news.recv() => self.take(news)?,
            Some(()) = self.feeds.next() => {}
            log = self.logs.next() => self.take_log(&log),
        }
        self.is_stirred = true;
        Ok(())
    }

    /// Whether nothing more will be heard, in a look that is taken once.
    pub(super) fn is_silent(&self) -> bool {
        self.feeds.is_empty() && self.news.is_empty()
    }

    /// Whether all that is wanted was heard of.
    pub(super) fn is_complete(&self) -> bool {
        self.board.places.iter().all(|place| place.is_heard)
            && self.sources.iter().all(|source| source.level.is_none() || source.is_listed)
    }

    /// Says something once.
    fn warn(&mut self, about: &str, text: String) {
        if self.warned.insert(about.to_owned()) {
            self.listener.hear(&Event::Warning(text));
        }
    }

    /// Tells how a target is.
    fn tell(&self, index: usize) {
        let object = self.board.places[index].object();
        let (id, verdict, because) = (object.id, object.verdict, object.because);
        self.listener.hear(&Event::Health { id, verdict, because });
    }
}

/// In seconds since 1970, by a clock that may jump: rules hold it against what servers have written.
pub(super) fn unix_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
