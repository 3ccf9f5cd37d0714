//! When to try again.

use std::time::{Duration, Instant};

/// The first pause; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(100);
/// The longest pause of our own choice.
const LONGEST: Duration = Duration::from_secs(5);
/// The longest pause that a server can make us take.
const LONGEST_TOLD: Duration = Duration::from_secs(30);
/// How long one request may be tried.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether a request is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It would fare no better.
    Never,
    /// Once or twice: a server that trips over a request is likely to trip over it again.
    Perhaps,
    /// Some times, with a growing pause.
    Soon,
    /// The server asks for a pause, and answers then.
    After(Duration),
}

impl Again {
    fn most(self) -> u32 {
        match self {
            Self::Never => 0,
            Self::Perhaps => 2,
            Self::Soon => 5,
            Self::After(_) => 30,
        }
    }
}

/// Whether a refusal may pass, from its status and what `Retry-After` says.
pub(super) fn again(code: u16, told: Option<&str>) -> Again {
    // API servers write seconds, never a date.
    let told = told.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
    match (code, told) {
        (429, told) => Again::After(told.unwrap_or_default()),
        (503, Some(told)) => Again::After(told),
        (408 | 502..=504, _) => Again::Soon,
        (500, _) => Again::Perhaps,
        _ => Again::Never,
    }
}

/// The tries of one request.
pub(super) struct Tries {
    begun: Instant,
    failed: u32,
}

impl Tries {
    pub(super) fn begin() -> Self {
        Self { begun: Instant::now(), failed: 0 }
    }

    /// How long to wait before the next try, after one that failed; nothing where it is the last.
    pub(super) fn pause(&mut self, again: Again) -> Option<Duration> {
        if self.failed >= again.most() {
            return None;
        }
        let growing = FIRST.saturating_mul(1 << self.failed.min(10)).min(LONGEST);
        let pause = match again {
            Again::After(told) => told.min(LONGEST_TOLD).max(growing),
            _ => growing,
        };
        self.failed += 1;
        (self.begun.elapsed() + pause < PATIENCE).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again() {
        let seconds = |seconds| Again::After(Duration::from_secs(seconds));
        for (code, told, expected) in [
            (429, Some("3"), seconds(3)),
            (429, None, seconds(0)),
            (503, Some("1"), seconds(1)),
            (503, None, Again::Soon),
            (503, Some("soon"), Again::Soon),
            (500, None, Again::Perhaps),
            (502, None, Again::Soon),
            (504, None, Again::Soon),
            (409, None, Again::Never),
            (422, Some("1"), Again::Never),
            (403, None, Again::Never),
            (302, None, Again::Never),
        ] {
            assert_eq!(again(code, told), expected, "{code} {told:?}");
        }
    }

    #[test]
    fn pauses_grow_and_end() {
        let pauses = |again| {
            let mut tries = Tries::begin();
            let pauses = std::iter::from_fn(|| tries.pause(again));
            pauses.take(100).map(|pause| pause.as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(pauses(Again::Never), [] as [u128; 0]);
        assert_eq!(pauses(Again::Perhaps), [100, 200]);
        assert_eq!(pauses(Again::Soon), [100, 200, 400, 800, 1600]);
        let told = pauses(Again::After(Duration::from_secs(1)));
        assert_eq!(told[..6], [1000, 1000, 1000, 1000, 1600, 3200]);
        assert_eq!(told.len(), 30);
        assert_eq!(pauses(Again::After(Duration::from_secs(3600)))[0], 30_000);
    }
}
