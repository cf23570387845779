//! Days of the calendar, for entries that end.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day of the Gregorian calendar; later days are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: i64,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl Date {
    /// Today in UTC. A clock before 1970 gives the last day that there is: no entry counts on such a machine.
    pub fn today() -> Self {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => Self::after_1970(since.as_secs() / 86_400),
            Err(_) => Self { year: i64::MAX, month: 12, day: 31 },
        }
    }

    /// The day that comes so many days after the first of January 1970.
    fn after_1970(days: u64) -> Self {
        // Counted from the first of March of the year 0, so that a leap day is a year's last.
        let days = i64::try_from(days).unwrap_or(i64::MAX / 2) + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month: u8::try_from(month).unwrap_or(12), day: u8::try_from(day).unwrap_or(31) }
    }
}

impl fmt::Display for Date {
    /// As TOML and ISO 8601 write it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // date -u -d @$((DAYS * 86400)) +%F
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_787, "2026-11-30"),
            (20_819, "2027-01-01"),
            (47_541, "2100-03-01"),
            (47_540, "2100-02-28"),
        ] {
            assert_eq!(Date::after_1970(days).to_string(), expected);
        }
    }

    #[test]
    fn each_day_comes_after_the_one_before() {
        let days: Vec<Date> = (0..60_000).map(Date::after_1970).collect();
        assert!(days.is_sorted_by(|one, other| one < other));
    }
}
