use super::*;

/// 2026-11-16 00:00:00, a Monday.
const MONDAY: i64 = 1_794_787_200;

/// The next times after that Monday began, as day and time from there.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let cron = Cron::parse(text).unwrap();
    let mut now = MONDAY;
    for expected in expected {
        now = cron.next(now).unwrap();
        let seconds = now - MONDAY;
        let (day, second) = (seconds / 86_400, seconds % 86_400);
        let shown = format!("{day} {:02}:{:02}", second / 3600, second % 3600 / 60);
        assert_eq!(shown, *expected, "{text}");
        assert_eq!(second % 60, 0, "{text}");
    }
}

#[test]
fn a_schedule_names_its_times() {
    check("0 2 * * *", &["0 02:00", "1 02:00"]);
    check("*/20 * * * *", &["0 00:20", "0 00:40", "0 01:00"]);
    check("30 8-10/2,23 * * *", &["0 08:30", "0 10:30", "0 23:30", "1 08:30"]);
    check("0 0 * * sun", &["6 00:00", "13 00:00"]);
    check("0 0 * * 7", &["6 00:00"]);
    check("0 0 * * MON-FRI", &["1 00:00", "2 00:00", "3 00:00", "4 00:00", "7 00:00"]);
    check("@hourly", &["0 01:00", "0 02:00"]);
    check("@monthly", &["15 00:00", "46 00:00"]);
    check("5/30 0 ? * ?", &["0 00:05", "0 00:35", "1 00:05"]);
    // 2028 has a 29th of February.
    check("0 12 29 feb *", &["470 12:00"]);
    // A day of the month or of the week: either will do.
    check("0 0 20 * wed", &["2 00:00", "4 00:00", "9 00:00"]);
    check("@every 90m", &["0 01:30", "0 03:00"]);
}

#[test]
fn what_is_no_schedule_is_refused() {
    for (text, expected) in [
        ("daily", "`daily` does not read like `0 2 * * *`"),
        ("", "`` does not read like `0 2 * * *`"),
        ("0 2 * * * *", "`0 2 * * * *` does not read like `0 2 * * *`"),
        (
            "60 2 * * *",
            "`60 2 * * *` does not read like `0 2 * * *`: `60` is no minute from 0 to 59",
        ),
        (
            "0 5-3 * * *",
            "`0 5-3 * * *` does not read like `0 2 * * *`: `5-3` is no hour from 0 to 23",
        ),
        (
            "*/0 * * * *",
            "`*/0 * * * *` does not read like `0 2 * * *`: `*/0` is no minute from 0 to 59",
        ),
        (
            "0 0 1 foo *",
            "`0 0 1 foo *` does not read like `0 2 * * *`: `foo` is no month from 1 to 12",
        ),
        ("0 0 30 2 *", "`0 0 30 2 *` does not read like `0 2 * * *`: that day never comes"),
        (
            "+1 0 * * *",
            "`+1 0 * * *` does not read like `0 2 * * *`: `+1` is no minute from 0 to 59",
        ),
        (
            "@every 0s",
            "`@every 0s` does not read like `0 2 * * *`: `@every` takes a time from one second on, such as `10m`",
        ),
    ] {
        assert_eq!(Cron::parse(text).unwrap_err().to_string(), expected);
    }
}

/// What a watchman does at moments, in seconds after the Monday began.
#[track_caller]
fn watch(text: &str, moments: &[(i64, &str)]) {
    let mut watchman = Watchman::new(Cron::parse(text).unwrap(), MONDAY);
    for (moment, expected) in moments {
        let shown = match watchman.at(MONDAY + moment) {
            Turn::Now => "now".to_owned(),
            Turn::Wait(time) => format!("wait {}", time.as_secs()),
            Turn::Never => "never".to_owned(),
        };
        assert_eq!(shown, *expected, "at {moment}");
    }
}

#[test]
fn a_clock_that_jumps_makes_nothing_happen_twice_and_nothing_spin() {
    let steady = [
        (0, "wait 20"),
        (50, "wait 10"),
        (60, "now"),
        (60, "wait 20"),
        (110, "wait 10"),
        (121, "now"),
    ];
    watch("* * * * *", &steady);
    // Set forward: what was slept through comes once.
    watch("* * * * *", &[(0, "wait 20"), (7230, "now"), (7230, "wait 20"), (7260, "now")]);
    // Set back a little: what has happened does not happen again.
    watch("0 * * * *", &[(3600, "now"), (3000, "wait 20"), (3600, "wait 20"), (7200, "now")]);
    // Set back a lot: the clock was wrong before.
    watch("0 * * * *", &[(86_400, "now"), (0, "wait 20"), (3600, "now")]);
}
