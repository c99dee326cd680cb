//! Dates grouped by calendar periods.

use kohort_core::date::{civil_from_days, days_from_civil};
use kohort_core::{DAY, Level};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{bad_parameter, level_of_runs};
use crate::Error;

/// A period of the calendar.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Period {
    /// `2024-03-05`.
    Day,
    /// `2024-W10`, as in ISO 8601.
    Week,
    /// `2024-03`.
    Month,
    /// `2024-Q1`.
    Quarter,
    /// `2024`.
    Year,
    /// `2020s`.
    Decade,
}

impl Period {
    /// The name used in plans.
    pub fn id(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
            Self::Decade => "decade",
        }
    }

    /// Whether each of these periods lies within one of `other`. A week can lie in two months and in
    /// two years.
    fn nests_in(self, other: Self) -> bool {
        self < other && self != Self::Week
    }

    /// The number of the period a day falls into; later periods have larger numbers.
    fn number(self, day: i32) -> i32 {
        let (year, month, _) = civil_from_days(day);
        let month = month.cast_signed() - 1;
        match self {
            Self::Day => day,
            Self::Week => thursday(day),
            Self::Month => year * 12 + month,
            Self::Quarter => year * 4 + month / 3,
            Self::Year => year,
            Self::Decade => year.div_euclid(10),
        }
    }

    /// What is published for the period of this number.
    fn label(self, number: i32) -> String {
        match self {
            Self::Day => {
                let (year, month, day) = civil_from_days(number);
                format!("{year:04}-{month:02}-{day:02}")
            }
            Self::Week => {
                let (year, ..) = civil_from_days(number);
                let new_year = days_from_civil(year, 1, 1).expect("every year has a first day");
                format!("{year:04}-W{:02}", (number - new_year) / 7 + 1)
            }
            Self::Month => {
                format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1)
            }
            Self::Quarter => {
                format!("{:04}-Q{}", number.div_euclid(4), number.rem_euclid(4) + 1)
            }
            Self::Year => format!("{number:04}"),
            Self::Decade => format!("{:04}s", number * 10),
        }
    }
}

/// The Thursday of a day's week, whose year is the week's year. Day 0 is a Thursday.
fn thursday(day: i32) -> i32 {
    day + 3 - (day + 3).rem_euclid(7)
}

/// Calendar periods that nest, the finest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Calendar(Vec<Period>);

impl Calendar {
    /// These periods as levels.
    pub fn new(periods: Vec<Period>) -> Result<Self, Error> {
        if periods.is_empty() {
            return Err(bad_parameter("levels", "[]".into(), "at least one calendar period"));
        }
        if let Some(pair) = periods.windows(2).find(|pair| !pair[0].nests_in(pair[1])) {
            let found = format!("`{}` before `{}`", pair[0].id(), pair[1].id());
            let expected = "periods that nest, the finest first";
            return Err(bad_parameter("levels", found, expected));
        }
        Ok(Self(periods))
    }

    /// The periods, the finest first.
    pub fn periods(&self) -> &[Period] {
        &self.0
    }

    /// The levels over sorted points in time.
    pub(super) fn levels(&self, micros: &[i64]) -> Vec<Level> {
        let level = |&period: &Period| {
            let keys = micros.iter().map(|&micros| period.number(day(micros)));
            level_of_runs(keys, |&number| period.label(number))
        };
        self.0.iter().map(level).collect()
    }
}

/// The day of a point in time.
pub(super) fn day(micros: i64) -> i32 {
    i32::try_from(micros.div_euclid(DAY)).expect("dates have years of four digits")
}

/// The text of a day, which the level of days shares.
pub(super) fn day_label(micros: i64) -> String {
    Period::Day.label(day(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_periods() {
        let check = |(year, month, day), period: Period, expected: &str| {
            let day = days_from_civil(year, month, day).unwrap();
            assert_eq!(period.label(period.number(day)), expected);
        };
        check((2024, 3, 5), Period::Day, "2024-03-05");
        check((2024, 3, 5), Period::Week, "2024-W10");
        check((2024, 3, 5), Period::Month, "2024-03");
        check((2024, 3, 5), Period::Quarter, "2024-Q1");
        check((2024, 12, 31), Period::Quarter, "2024-Q4");
        check((2024, 3, 5), Period::Year, "2024");
        check((2024, 3, 5), Period::Decade, "2020s");
        check((1969, 12, 31), Period::Decade, "1960s");
        // ISO 8601 gives these days to a week of the neighboring year.
        check((2021, 1, 3), Period::Week, "2020-W53");
        check((2024, 12, 30), Period::Week, "2025-W01");
        check((1970, 1, 1), Period::Week, "1970-W01");
    }
}
