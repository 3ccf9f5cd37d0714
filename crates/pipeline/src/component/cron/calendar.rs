//! Days of the calendar, without a clock.

/// The seconds of a minute and of a day.
pub(super) const MINUTE: i64 = 60;
const DAY: i64 = 86_400;

/// Days in 400 years, after which the calendar repeats.
const CYCLE: i64 = 146_097;
/// From the first of March of the year 0 to the first of January 1970.
const EPOCH: i64 = 719_468;

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Day {
    /// Since 1970.
    number: i64,
    pub(super) month: u32,
    pub(super) day: u32,
    /// From Sunday, 0.
    pub(super) weekday: u32,
}

impl Day {
    /// The day of a moment, in seconds since 1970.
    pub(super) fn of(seconds: i64) -> Option<Self> {
        Self::numbered(seconds.checked_div_euclid(DAY)?)
    }

    pub(super) fn next(&self) -> Option<Self> {
        Self::numbered(self.number.checked_add(1)?)
    }

    /// When it begins.
    pub(super) fn start(&self) -> Option<i64> {
        self.number.checked_mul(DAY)
    }

    /// Years are counted from March, so that the day that comes and goes is their last.
    fn numbered(number: i64) -> Option<Self> {
        let of_cycle = number.checked_add(EPOCH)?.rem_euclid(CYCLE);
        let of_era = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
        let of_year = of_cycle - (365 * of_era + of_era / 4 - of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        // 1970 began on a Thursday.
        let weekday = number.checked_add(4)?.rem_euclid(7);
        let small = |number: i64| u32::try_from(number).ok();
        Some(Self { number, month: small(month)?, day: small(day)?, weekday: small(weekday)? })
    }
}
