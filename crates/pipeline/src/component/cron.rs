//! When to look for drift, as cron writes it: `0 2 * * *`. Times are in UTC.

mod calendar; // days, without a clock

use std::time::Duration;

use calendar::{Day, MINUTE};

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cron {
    /// At the minutes that match all fields.
    Fields(Box<Fields>),
    /// Each time that so many seconds have passed.
    Every(i64),
}

/// The fields of a schedule, each a set of numbers as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether both the day of the month and the weekday are restricted: then either will do.
    either_day: bool,
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` does not read like `0 2 * * *`{why}")]
pub struct NotASchedule {
    text: String,
    why: String,
}

/// What a field may hold.
struct Range {
    name: &'static str,
    from: u32,
    to: u32,
    words: &'static [&'static str],
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const RANGES: [Range; 5] = [
    Range { name: "minute", from: 0, to: 59, words: &[] },
    Range { name: "hour", from: 0, to: 23, words: &[] },
    Range { name: "day of the month", from: 1, to: 31, words: &[] },
    Range { name: "month", from: 1, to: 12, words: &MONTHS },
    Range { name: "day of the week", from: 0, to: 7, words: &WEEKDAYS },
];

/// The names that stand for fields.
const NAMES: [(&str, &str); 6] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// How far ahead a matching minute is looked for: the 29th of February may be eight years away.
const AHEAD: i64 = 9 * 366;

impl Cron {
    /// Reads five fields, one of the names that stand for them, or `@every 10m`.
    ///
    /// # Errors
    ///
    /// Fails for everything else, and for days that never come.
    pub fn parse(text: &str) -> Result<Self, NotASchedule> {
        let wrong = |why: String| NotASchedule { text: text.chars().take(100).collect(), why };
        let trimmed = text.trim();
        if let Some(every) = trimmed.strip_prefix("@every ") {
            let seconds = super::toml::duration(every.trim()).map(|every| every.as_secs());
            let seconds = seconds.and_then(|seconds| i64::try_from(seconds).ok());
            let seconds = seconds.filter(|seconds| (1..=366 * 86_400).contains(seconds));
            let why =
                || wrong(": `@every` takes a time from one second on, such as `10m`".to_owned());
            return seconds.map(Self::Every).ok_or_else(why);
        }
        let named = NAMES.iter().find(|(name, _)| *name == trimmed).map(|(_, fields)| *fields);
        let fields: Vec<&str> = named.unwrap_or(trimmed).split_whitespace().collect();
        let Ok(fields) = <[&str; 5]>::try_from(fields) else { return Err(wrong(String::new())) };
        let mut sets = [0; 5];
        for ((set, text), range) in sets.iter_mut().zip(fields).zip(&RANGES) {
            *set = range.set(text).map_err(|why| wrong(format!(": {why}")))?;
        }
        let [minutes, hours, days, months, weekdays] = sets;
        let either_day = ![fields[2], fields[4]].iter().any(|field| field.starts_with(['*', '?']));
        // Sunday is both ends of the week.
        let weekdays = (weekdays | weekdays >> 7) & 0x7f;
        let it = Fields { minutes, hours, days, months, weekdays, either_day };
        match it.next(0) {
            Some(_) => Ok(Self::Fields(Box::new(it))),
            None => Err(wrong(": that day never comes".to_owned())),
        }
    }

    /// The next time after a moment, both in seconds since 1970; nothing at the end of time.
    pub fn next(&self, after: i64) -> Option<i64> {
        match self {
            Self::Every(seconds) => after.checked_add(*seconds),
            Self::Fields(fields) => fields.next(after),
        }
    }
}

impl Range {
    /// The numbers of a field: parts separated by commas.
    fn set(&self, text: &str) -> Result<u64, String> {
        text.split(',').try_fold(0, |set, part| Ok(set | self.part(part)?))
    }

    /// `*`, a number, `1-5`, each perhaps with `/2` after it.
    fn part(&self, text: &str) -> Result<u64, String> {
        let wrong = || {
            let (name, from, to) = (self.name, self.from, self.to);
            format!("`{text}` is no {name} from {from} to {to}")
        };
        let (span, step) = match text.split_once('/') {
            Some((span, step)) => (span, Some(step.parse::<u32>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let (from, to) = match span {
            "*" | "?" => (self.from, self.to),
            span => match span.split_once('-') {
                Some((from, to)) => {
                    (self.number(from).ok_or_else(wrong)?, self.number(to).ok_or_else(wrong)?)
                }
                None => {
                    let from = self.number(span).ok_or_else(wrong)?;
                    (from, if step.is_some() { self.to } else { from })
                }
            },
        };
        let step = step.unwrap_or(1);
        if from > to || step == 0 {
            return Err(wrong());
        }
        let numbers = (from..=to).step_by(step as usize);
        Ok(numbers.fold(0, |set, number| set | 1 << number))
    }

    fn number(&self, text: &str) -> Option<u32> {
        let word = self.words.iter().position(|word| word.eq_ignore_ascii_case(text));
        let first = if self.from == 1 { 1 } else { 0 };
        let word = word.and_then(|at| u32::try_from(at).ok()).map(|at| at + first);
        let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.or_else(|| is_digits.then(|| text.parse().ok()).flatten());
        number.filter(|number| (self.from..=self.to).contains(number))
    }
}

impl Fields {
    fn next(&self, after: i64) -> Option<i64> {
        let first = after.checked_div_euclid(MINUTE)?.checked_add(1)?.checked_mul(MINUTE)?;
        let mut day = Day::of(first)?;
        let mut from = first;
        for _ in 0..AHEAD {
            if self.is_on(&day)
                && let Some(found) = self.minute_on(&day, from)
            {
                return Some(found);
            }
            day = day.next()?;
            from = day.start()?;
        }
        None
    }

    fn is_on(&self, day: &Day) -> bool {
        let has = |set: u64, number: u32| set >> number & 1 == 1;
        let (of_month, of_week) = (has(self.days, day.day), has(self.weekdays, day.weekday));
        let is_day = if self.either_day { of_month || of_week } else { of_month && of_week };
        has(self.months, day.month) && is_day
    }

    /// The first minute of a day that matches, from a moment on.
    fn minute_on(&self, day: &Day, from: i64) -> Option<i64> {
        let start = day.start()?;
        let minute = (from - start) / MINUTE;
        let matches = |minute: &i64| {
            self.hours >> (minute / 60) & 1 == 1 && self.minutes >> (minute % 60) & 1 == 1
        };
        (minute..24 * 60).find(matches).map(|minute| start + minute * MINUTE)
    }
}

/// A clock that is set back by less than this makes nothing happen twice; by more, it was wrong before, and counts anew.
const SET_RIGHT: i64 = 3 * 3600;

/// How long nobody looks at the clock, which may jump meanwhile.
const GLANCE: Duration = Duration::from_secs(20);

/// Follows a schedule by a clock that may jump.
#[derive(Clone, Debug)]
pub struct Watchman {
    cron: Cron,
    /// The moment that counts as past.
    past: i64,
    next: Option<i64>,
}

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It is time: do it once, however many times have passed.
    Now,
    /// Look again after this time.
    Wait(Duration),
    /// Nothing will ever happen again.
    Never,
}

impl Watchman {
    /// Begins at a moment, in seconds since 1970.
    pub fn new(cron: Cron, now: i64) -> Self {
        let next = cron.next(now);
        Self { cron, past: now, next }
    }

    /// What to do at a moment. Each time of the schedule comes once; those that were slept through come together as one.
    pub fn at(&mut self, now: i64) -> Turn {
        if now < self.past.saturating_sub(SET_RIGHT) {
            (self.past, self.next) = (now, self.cron.next(now));
        }
        let Some(next) = self.next else { return Turn::Never };
        if now < next {
            let seconds = u64::try_from(next - now).unwrap_or(0);
            return Turn::Wait(Duration::from_secs(seconds).min(GLANCE));
        }
        self.past = now.max(self.past);
        self.next = self.cron.next(self.past);
        Turn::Now
    }
}

#[cfg(test)]
mod tests;
