//! Who holds a Lease: a process, told apart from every other one that ever ran.

use std::fs;
use std::hash::{BuildHasher, RandomState};

/// A process as a Lease names it. The text is `<who> <host> <boot>/<process namespace>/<process>/<start> <nonce>`; what a
/// machine does not say of itself is a dash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    who: String,
    host: String,
    place: Option<Place>,
    nonce: String,
}

/// Where a process runs, as exactly as its machine can say.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    boot: String,
    namespace: String,
    process: u32,
    /// When it started, since numbers of processes are used again.
    start: String,
}

impl Holder {
    /// This process. Two holders are never the same, not even in one process.
    pub(crate) fn new(who: &str) -> Self {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let nonce = RandomState::new().hash_one(std::process::id());
        Self {
            who: word(who),
            host: word(&host),
            place: Place::here(),
            nonce: format!("{nonce:016x}"),
        }
    }

    /// Reads what a Lease says; nothing where that is not of our making.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ').map(str::to_owned);
        let (who, host, place, nonce) =
            (words.next()?, words.next()?, words.next()?, words.next()?);
        Some(Self { who, host, place: Place::parse(&place), nonce })
    }

    /// Whether it ran on this machine, in this process namespace and boot, and runs no longer. What cannot be told is no.
    pub(crate) fn is_dead(&self) -> bool {
        let (Some(place), Some(here)) = (&self.place, Place::here()) else { return false };
        place.boot == here.boot && place.namespace == here.namespace && place.is_empty()
    }

    /// As a Lease names it.
    pub(crate) fn text(&self) -> String {
        let place = self.place.as_ref().map_or_else(|| "-".to_owned(), Place::text);
        format!("{} {} {place} {}", self.who, self.host, self.nonce)
    }

    /// For people.
    pub(crate) fn name(&self) -> String {
        match &self.place {
            Some(place) => format!("{} on {} (process {})", self.who, self.host, place.process),
            None => format!("{} on {}", self.who, self.host),
        }
    }
}

impl Place {
    fn here() -> Option<Self> {
        let process = std::process::id();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
        let namespace = fs::read_link("/proc/self/ns/pid").ok()?.to_str()?.to_owned();
        let (_, start) = state(process)?;
        Some(Self { boot, namespace, process, start })
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let (boot, namespace) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let (process, start) = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
        Some(Self { boot, namespace, process, start })
    }

    fn text(&self) -> String {
        format!("{}/{}/{}/{}", self.boot, self.namespace, self.process, self.start)
    }

    /// Whether nobody runs there any more.
    fn is_empty(&self) -> bool {
        // Where processes of others are hidden (`hidepid`), absence says nothing; the first process is always somebody's.
        if !fs::exists("/proc/1/stat").unwrap_or(false) {
            return false;
        }
        match fs::exists(format!("/proc/{}", self.process)) {
            Ok(false) => true,
            Ok(true) => state(self.process)
                .is_some_and(|(state, start)| start != self.start || matches!(state, 'Z' | 'X')),
            Err(_) => false,
        }
    }
}

/// The state of a process and when it started, in ticks since the boot.
fn state(process: u32) -> Option<(char, String)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may hold anything, parentheses too.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    // The start is field 22; `rest` begins with field 3, of which one is taken already.
    Some((state, fields.nth(18)?.to_owned()))
}

/// A text as one word.
fn word(text: &str) -> String {
    let word: String = text
        .trim()
        .chars()
        .map(|letter| if letter.is_whitespace() { '_' } else { letter })
        .collect();
    if word.is_empty() { "-".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_read_back_as_it_was_written() {
        let holder = Holder::new("a person\nwith a name");
        assert_eq!(Holder::parse(&holder.text()), Some(holder.clone()));
        assert_eq!(holder.who, "a_person_with_a_name");
        assert_eq!(Holder::parse("somebody-else_7f3a"), None);
    }

    #[test]
    fn two_holders_of_one_process_differ() {
        assert_ne!(Holder::new("a"), Holder::new("a"));
    }

    #[test]
    fn a_process_that_runs_is_not_dead() {
        assert!(!Holder::new("a").is_dead());
    }

    #[test]
    fn a_process_that_has_ended_is_dead_and_only_on_its_own_machine() {
        let mut holder = Holder::new("a");
        let Some(place) = holder.place.as_mut() else { return };
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        place.process = child.id();
        place.start = state(child.id()).unwrap().1;
        assert!(!holder.is_dead());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(holder.is_dead());
        let elsewhere = |change: fn(&mut Place)| {
            let mut holder = holder.clone();
            holder.place.as_mut().map(change);
            holder.is_dead()
        };
        assert!(!elsewhere(|place| place.boot.push('0')));
        assert!(!elsewhere(|place| place.namespace.push('0')));
    }

    #[test]
    fn a_number_that_is_used_again_is_another_process() {
        let mut holder = Holder::new("a");
        let Some(place) = holder.place.as_mut() else { return };
        place.start = "1".to_owned();
        assert!(holder.is_dead());
    }
}
