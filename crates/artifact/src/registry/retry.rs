//! When to try again.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

use super::Inner;
use super::failure::{Again, Failure};
use crate::Error;

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait of our own choice.
const LONGEST: Duration = Duration::from_secs(10);
/// The longest wait that a registry can make us take.
const LONGEST_TOLD: Duration = Duration::from_secs(60);

/// How often something was tried.
pub(super) struct Tries<'a> {
    client: &'a Inner,
    failed: u32,
}

impl Inner {
    /// Begins to try something.
    pub(super) fn tries(&self) -> Tries<'_> {
        Tries { client: self, failed: 0 }
    }

    /// A number below one that differs each time.
    fn random(&self) -> f64 {
        // The generator `splitmix64`: good enough to spread waits.
        let state = self.jitter.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Tries<'_> {
    /// Waits until it is time to try again, or gives the error back if it is not worth it.
    pub(super) async fn after(&mut self, failure: Failure) -> Result<(), Error> {
        if failure.again == Again::Never || self.failed >= self.client.retries {
            return Err(failure.error);
        }
        let wait = match failure.again {
            Again::After(told) => told.min(LONGEST_TOLD),
            _ => {
                let usual = FIRST.saturating_mul(1 << self.failed.min(10)).min(LONGEST);
                usual.mul_f64(0.75 + self.client.random() / 2.0)
            }
        };
        self.failed += 1;
        self.client.clock.sleep(wait).await;
        Ok(())
    }
}

/// Whether a status may pass, and when.
pub(super) fn again(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Again {
    match status.as_u16() {
        408 | 429 | 499 | 500 | 502 | 503 | 504 | 522 => {
            told(headers, now).map_or(Again::Later, Again::After)
        }
        _ => Again::Never,
    }
}

/// What the header `Retry-After` says, as seconds or as a date.
fn told(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    Some(date(text)?.duration_since(now).unwrap_or_default())
}

/// Reads a date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let day = words.next()?.parse::<u64>().ok().filter(|day| (1..=31).contains(day))?;
    let month =
        words.next().and_then(|word| MONTHS.iter().position(|month| *month == word))? as u64;
    let year = words.next()?.parse::<u64>().ok().filter(|year| (1970..10_000).contains(year))?;
    let mut clock = words.next()?.split(':').map(|number| number.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days since 1970, in years that begin with March so that the leap day is the last one.
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    let days = days.checked_sub(719_469)?;
    let seconds = ((days * 24 + hour.min(23)) * 60 + minute.min(59)) * 60 + second.min(60);
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, text.parse().unwrap());
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        assert_eq!(told(&headers, now).map(|told| told.as_secs()), expected, "{text}");
    }

    #[test]
    fn the_time_to_wait_is_told_in_seconds_or_as_a_date() {
        check("7", Some(7));
        check("0", Some(0));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(7));
        check("Sun, 06 Nov 1994 08:49:00 GMT", Some(0));
        check("Tue, 29 Feb 2000 00:00:00 GMT", Some(951_782_400 - 784_111_770));
        check("soon", None);
        check("-1", None);
        check("Sun, 99 Foo 1994 08:49:37 GMT", None);
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        let now = SystemTime::UNIX_EPOCH;
        let again = |status| again(StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), now);
        for status in [408, 429, 499, 500, 502, 503, 504, 522] {
            assert_eq!(again(status), Again::Later, "{status}");
        }
        for status in [400, 401, 403, 404, 405, 409, 413, 501, 505] {
            assert_eq!(again(status), Again::Never, "{status}");
        }
    }
}
