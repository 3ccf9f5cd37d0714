//! One collection, kept up to date: listed, then watched, and listed again where a watch cannot go on.

mod line; // what a watch says

use std::collections::HashSet;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use kelson_model::{Object, ObjectId};
use kelson_plan::{Refusal, Silent};
use tokio::sync::mpsc;

use self::line::Said;
use super::collection::{Collection, Scope};
use crate::Cluster;
use crate::list::{Page, Pages};
use crate::wait::Pauses;

/// How much longer than it should a watch may last before it is taken for dead.
const MARGIN: Duration = Duration::from_secs(3);
/// A watch that lasted shorter than this is not begun again without a pause.
const SHORT: Duration = Duration::from_secs(1);
/// How long a page of a list may take.
const PAGE: Duration = Duration::from_secs(30);
/// How many objects that labels did not find are asked for by themselves.
const FEW: usize = 8;
/// How often a watch that breaks is begun again before the list is read anew.
const BREAKS: usize = 3;
/// How much time there is between two questions, for each object that is asked for by itself.
const EACH: Duration = Duration::from_millis(20);

/// What is heard of a collection. Single requests that are tried again are not worth telling: a server may be away for long.
pub(super) struct News {
    /// Which one.
    pub(super) source: usize,
    pub(super) what: What,
}

pub(super) enum What {
    /// A list begins: what was known no longer counts.
    Begun,
    /// An object is there, as it is now.
    Seen(Box<Object>),
    /// The list is complete: what was not in it is not there.
    Listed,
    /// An object was deleted.
    Gone(Box<Object>),
    /// An object that was asked for is not there.
    Absent(ObjectId),
    /// An object that was asked for cannot be read.
    Unreadable(ObjectId, Refusal),
    /// It cannot be listed. Nothing more comes.
    Barred(Refusal),
    /// It can be listed, but not watched: it is listed again and again.
    Asking(Refusal),
    /// It cannot be listed for now; that is tried again.
    Failing(Refusal),
}

/// How a watch ended.
enum Ended {
    /// It can go on from where it was.
    Closed,
    /// It broke, and may go on.
    Broken,
    /// What happened in between is not known.
    Stale,
    /// It is not allowed, or there is none.
    Refused(Refusal),
}

pub(super) struct Feed<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) collection: Collection,
    pub(super) source: usize,
    pub(super) news: mpsc::Sender<News>,
    /// How long one watch lasts.
    pub(super) period: Duration,
    /// Whether one look is enough.
    pub(super) once: bool,
}

impl Feed<'_> {
    /// Tells what there is and what happens, for ever or once.
    pub(super) async fn run(mut self) {
        if self.collection.scope == Scope::Each {
            return self.ask_each().await;
        }
        let mut pauses = Pauses::new();
        let mut is_watched = !self.once;
        loop {
            let begun = Instant::now();
            match self.list().await {
                Ok(None) => continue,
                Ok(Some(_)) if self.once => return,
                Ok(Some(version)) if is_watched => {
                    if let Some(refusal) = self.watch(version).await {
                        is_watched = false;
                        self.tell(What::Asking(refusal)).await;
                    } else if begun.elapsed() > SHORT {
                        pauses = Pauses::new();
                    }
                }
                Ok(Some(_)) => {}
                Err(refusal) if is_passing(&refusal) => {
                    self.tell(What::Failing(refusal)).await;
                    if self.once {
                        return;
                    }
                }
                Err(refusal) => return self.tell(What::Barred(refusal)).await,
            }
            tokio::time::sleep(pauses.next()).await;
        }
    }

    async fn tell(&self, what: What) {
        // Nobody listens only when all is over.
        self.news.send(News { source: self.source, what }).await.ok();
    }

    /// Lists it and says in which version that was; nothing where it must be listed otherwise, since something is there without
    /// the labels that it should have.
    async fn list(&mut self) -> Result<Option<String>, Refusal> {
        let mut pages = self.collection.pages()?;
        let (mut version, mut found) = (String::new(), HashSet::new());
        loop {
            let page = match self.next_page(&mut pages).await {
                Ok(Some(page)) => page,
                Ok(None) => break,
                // The kind is gone, and all of it; or it is not there yet.
                Err(refusal) if refusal.code == 404 => {
                    self.tell(What::Begun).await;
                    break;
                }
                Err(refusal) => return Err(refusal),
            };
            if page.is_first {
                version.clone_from(&page.version);
                found.clear();
                self.tell(What::Begun).await;
            }
            for object in page.objects(&self.collection.kind) {
                let object = object?;
                if self.collection.labels.is_some() {
                    found.insert(object.id.clone());
                }
                self.see(object).await;
            }
        }
        if self.collection.labels.is_some() && self.is_unlabelled(&found).await? {
            self.collection.labels = None;
            return Ok(None);
        }
        self.tell(What::Listed).await;
        Ok(Some(version))
    }

    /// The next page, but not of a connection that is dead.
    async fn next_page(&self, pages: &mut Pages) -> Result<Option<Page>, Refusal> {
        let next = tokio::time::timeout(PAGE, pages.next(self.cluster, &Silent)).await;
        next.unwrap_or_else(|_| {
            let message = format!("no answer from {} within {PAGE:?}", self.cluster.server());
            Err(Refusal { message, ..Refusal::default() })
        })
    }

    /// Whether something that was not found by its labels is there without them. Of a look that is taken once it is told.
    async fn is_unlabelled(&self, found: &HashSet<ObjectId>) -> Result<bool, Refusal> {
        let missing = self.collection.ids().filter(|id| self.collection.stays(id));
        let missing: Vec<_> = missing.filter(|id| !found.contains(*id)).cloned().collect();
        if missing.len() > FEW {
            return Ok(true);
        }
        for id in missing {
            match self.ask(id).await {
                What::Seen(object) if self.once => self.tell(What::Seen(object)).await,
                What::Seen(_) => return Ok(true),
                What::Unreadable(_, refusal) if is_passing(&refusal) => return Err(refusal),
                _ => {}
            }
        }
        Ok(false)
    }

    async fn see(&self, object: Object) {
        if self.collection.is_meant(&object.id) {
            self.tell(What::Seen(Box::new(object))).await;
        }
    }

    /// Watches from a version on, until it must be listed again; says why where it cannot be watched.
    async fn watch(&self, mut version: String) -> Option<Refusal> {
        let (mut pauses, mut breaks) = (Pauses::new(), 0);
        loop {
            let (begun, from) = (Instant::now(), version.clone());
            match self.watch_once(&mut version).await {
                Ended::Closed => breaks = 0,
                Ended::Broken if breaks < BREAKS => breaks += 1,
                Ended::Broken | Ended::Stale => return None,
                Ended::Refused(refusal) => return Some(refusal),
            }
            if version != from || begun.elapsed() > SHORT {
                pauses = Pauses::new();
            }
            if begun.elapsed() < SHORT {
                tokio::time::sleep(pauses.next()).await;
            }
        }
    }

    async fn watch_once(&self, version: &mut String) -> Ended {
        // A server without versions cannot be watched from one.
        if version.is_empty() {
            return Ended::Stale;
        }
        let request = match self.collection.watch(version, self.period) {
            Ok(request) => request,
            Err(refusal) => return Ended::Refused(refusal),
        };
        let end = tokio::time::Instant::now() + self.period + MARGIN;
        let mut lines = match tokio::time::timeout_at(end, self.cluster.stream(&request)).await {
            Err(_) => return Ended::Stale,
            Ok(Err(refusal)) => return refused(refusal),
            Ok(Ok(lines)) => lines,
        };
        let mut is_silent = true;
        loop {
            let line = match tokio::time::timeout_at(end, lines.next()).await {
                // Something in between may hold everything back: then only a list tells.
                Err(_) if is_silent => return Ended::Stale,
                Err(_) | Ok(Ok(None)) => return Ended::Closed,
                Ok(Err(_)) => return Ended::Broken,
                Ok(Ok(Some(line))) => line,
            };
            is_silent = false;
            if let Some(ended) = self.hear(&line, version).await {
                return ended;
            }
        }
    }

    /// Takes what a watch says; says how it ends, if it does with that.
    async fn hear(&self, line: &str, version: &mut String) -> Option<Ended> {
        match line::read(line, &self.collection.kind) {
            None | Some(Said::Trouble) => return Some(Ended::Broken),
            Some(Said::Expired) => return Some(Ended::Stale),
            // It may have lost its labels only: the list that follows finds out.
            Some(Said::Gone(object, _))
                if self.collection.labels.is_some() && self.collection.stays(&object.id) =>
            {
                return Some(Ended::Stale);
            }
            Some(Said::Version(now)) => *version = now,
            Some(Said::Seen(object, now)) => {
                *version = now;
                self.see(object).await;
            }
            Some(Said::Gone(object, now)) => {
                *version = now;
                if self.collection.is_meant(&object.id) {
                    self.tell(What::Gone(Box::new(object))).await;
                }
            }
        }
        None
    }

    /// Asks for each object by itself, again and again.
    async fn ask_each(&self) {
        let mut pauses = Pauses::new();
        loop {
            let ids: Vec<_> = self.collection.ids().cloned().collect();
            let reads = ids.into_iter().map(|id| self.ask(id));
            let mut reads = pin!(stream::iter(reads).buffer_unordered(self.cluster.parallel()));
            let mut count = 0;
            while let Some(what) = reads.next().await {
                self.tell(what).await;
                count += 1;
            }
            if self.once {
                return;
            }
            tokio::time::sleep(pauses.next().max(EACH * count)).await;
        }
    }

    async fn ask(&self, id: ObjectId) -> What {
        match self.cluster.find(&self.collection.kind, &id, &Silent).await {
            Ok(Some(object)) => What::Seen(Box::new(object)),
            Ok(None) => What::Absent(id),
            Err(refusal) => What::Unreadable(id, refusal),
        }
    }
}

/// Whether a refusal is about the moment, not about what was asked for.
pub(super) fn is_passing(refusal: &Refusal) -> bool {
    crate::read::is_final(refusal) || matches!(refusal.code, 408 | 429 | 500..)
}

fn refused(refusal: Refusal) -> Ended {
    match refusal.code {
        410 => Ended::Stale,
        // The list will tell what has become of the kind.
        404 => Ended::Stale,
        _ if is_passing(&refusal) => Ended::Broken,
        _ => Ended::Refused(refusal),
    }
}
