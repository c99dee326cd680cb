//! Where the bounds of published ranges lie: on lines that are made from the column as a whole.
//!
//! A range from the least to the greatest value of a class publishes two people's exact values. So a range is
//! rounded outward: it begins on the last line at or below its least value, and ends on the first line at or
//! above its greatest one. This holds for the ends of the column, too.
//!
//! # Method
//! 1. The spread of the column is what lies between the 5th and the 95th of a hundred of its distinct values,
//!    so that neither the least nor the greatest value decides.
//! 2. The step is the smallest of 1, 2 and 5 times a power of ten that is at least a 40th of the spread; of
//!    dates, the shortest calendar unit that is.
//! 3. Whole numbers and days have nothing between the last of one step and the first of the next: a range of
//!    them ends on the last one before a line (`[20, 29]`), any other on the line itself (`[20, 30]`).

use std::fmt;

use crate::date::{civil_from_days, days_from_civil};
use crate::values::DAY;
use crate::{DateFormat, Values};

/// A column has at most this many steps between the 5th and the 95th of a hundred values.
const STEPS: f64 = 40.0;

/// Lines are counted in whole numbers that floats can tell apart.
const MOST_LINES: f64 = 1_125_899_906_842_624.0; // 2^50

/// The last microsecond that can be written with a year of four digits.
const LAST_TIME: i64 = 253_402_300_799_999_999;

/// The lines that bounds of ranges lie on, and which values share a step.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    step: Step,
    // Where a range ends at most.
    most: Option<f64>,
    // For each value, the first and the last value of a range that has to hold it.
    first: Vec<u32>,
    last: Vec<u32>,
}

/// What lies between two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// So many whole numbers.
    Whole(i64),
    /// So many times ten to this power.
    Decimal { times: i64, exponent: i32 },
    /// So many microseconds, which divide a day.
    Micros(i64),
    /// So many months; whether the column has days alone.
    Months { months: i64, is_days: bool },
}

/// Where a range begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edge {
    /// A number as it is written.
    Number(String),
    /// A point in time, in microseconds.
    Time(i64),
}

impl Grid {
    /// The lines of a column with these values. None where every bound may be shown as it is: whole numbers
    /// or days in steps of one. Decimals that are the same float have none either: no line can be drawn
    /// between them.
    pub(crate) fn new(values: &Values) -> Option<Self> {
        let numbers = numbers(values)?;
        if numbers.array_windows().any(|[a, b]| a >= b) {
            return None;
        }
        let step = Step::new(values, &numbers)?;
        let n_values = u32::try_from(numbers.len()).expect("values are numbered by u32");
        let edges = (0..n_values).map(|value| step.edges(values, value as usize));
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for (start, end) in edges {
            let (start, end) = (start.number(), end.number());
            let position = |at: usize| u32::try_from(at).expect("values are numbered by u32");
            first.push(position(numbers.partition_point(|&number| number < start)));
            last.push(position(numbers.partition_point(|&number| number <= end)) - 1);
        }
        Some(Self { step, most: None, first, last })
    }

    /// The same lines, but no range ends above a number that stands for itself and everything above it.
    pub(crate) fn up_to(self, most: f64) -> Self {
        Self { most: Some(most), ..self }
    }

    /// The first and the last value of the smallest range on the lines that holds both values.
    pub(crate) fn around(&self, lo: u32, hi: u32) -> (u32, u32) {
        (self.first[lo as usize], self.last[hi as usize])
    }

    /// Where a range on the lines begins that holds a value, and where one ends.
    pub(crate) fn edges(&self, values: &Values, value: u32) -> (Edge, Edge) {
        let (start, end) = self.step.edges(values, value as usize);
        let most = self.most.filter(|most| (start.number()..end.number()).contains(most));
        (start, most.map_or(end, |most| Edge::Number(most.to_string())))
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, unit) = match self.step {
            Step::Whole(step) => return write!(f, "{step}"),
            Step::Decimal { times, exponent } => return f.write_str(&scaled(times, exponent)),
            Step::Micros(DAY) => (1, "day"),
            Step::Micros(step) if step % HOUR == 0 => (step / HOUR, "hour"),
            Step::Micros(step) => (step / MINUTE, "minute"),
            Step::Months { months, .. } if months % 12 == 0 => (months / 12, "year"),
            Step::Months { months, .. } => (months, "month"),
        };
        write!(f, "{n} {unit}{}", if n == 1 { "" } else { "s" })
    }
}

const MINUTE: i64 = 60_000_000;
const HOUR: i64 = 60 * MINUTE;

/// The units of dates, shortest first.
const TIMES: [i64; 6] = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY];
const MONTHS: [i64; 9] = [1, 3, 6, 12, 24, 60, 120, 600, 1200];

impl Step {
    fn new(values: &Values, numbers: &[f64]) -> Option<Self> {
        let (Some(least), Some(most)) = (numbers.first(), numbers.last()) else { return None };
        let at = |place: usize| numbers[place];
        let (n, far) = (numbers.len() - 1, (numbers.len() - 1) * 5);
        let spread = at(n - far / 100) - at(far / 100);
        if spread <= 0.0 {
            return None;
        }
        let wanted = (spread / STEPS).max(least.abs().max(most.abs()) / MOST_LINES);
        match values {
            Values::Integer(_) => {
                let (times, exponent) = readable(wanted.max(1.0));
                let step = times.checked_mul(10_i64.checked_pow(exponent.unsigned_abs())?)?;
                (step > 1).then_some(Self::Whole(step))
            }
            Values::Decimal(_) => {
                let (times, exponent) = readable(wanted);
                Some(Self::Decimal { times, exponent })
            }
            Values::Date(times) => {
                let is_days = times.iter().all(|micros| micros % DAY == 0);
                Self::of_dates(wanted, is_days)
            }
            Values::Boolean(_) | Values::Text(_) => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a length, not an identity")]
    fn of_dates(wanted: f64, is_days: bool) -> Option<Self> {
        if let Some(&step) = TIMES.iter().find(|&&step| step as f64 >= wanted) {
            return (!is_days).then_some(Self::Micros(step));
        }
        let month = DAY as f64 * 365.2425 / 12.0;
        let is_enough = |months: &&i64| **months as f64 * month >= wanted;
        let months = *MONTHS.iter().find(is_enough).unwrap_or(&MONTHS[MONTHS.len() - 1]);
        Some(Self::Months { months, is_days })
    }

    /// Where a range on the lines begins that holds a value, and where one ends.
    fn edges(self, values: &Values, value: usize) -> (Edge, Edge) {
        match (values, self) {
            (Values::Integer(values), Self::Whole(step)) => {
                let start = i128::from(values[value].div_euclid(step)) * i128::from(step);
                let end = start + i128::from(step) - 1;
                (Edge::Number(start.to_string()), Edge::Number(end.to_string()))
            }
            (Values::Decimal(values), Self::Decimal { times, exponent }) => {
                decimal_edges(values[value], times, exponent)
            }
            (Values::Date(values), step) => step.edges_of_time(values[value]),
            _ => unreachable!("a step is of the type of its values"),
        }
    }

    fn edges_of_time(self, time: i64) -> (Edge, Edge) {
        let (start, next, is_days) = match self {
            Self::Months { months, is_days } => {
                let day = i32::try_from(time.div_euclid(DAY)).expect("dates have four digits");
                let (year, month, _) = civil_from_days(day);
                let number = i64::from(year) * 12 + i64::from(month) - 1;
                let start = number.div_euclid(months) * months;
                (first_of_month(start), first_of_month(start + months), is_days)
            }
            Self::Micros(step) => {
                let start = time.div_euclid(step) * step;
                (start, start + step, false)
            }
            Self::Whole(_) | Self::Decimal { .. } => unreachable!("a step of numbers"),
        };
        let end = match is_days {
            true => next - DAY,
            false if time == start => time,
            false => next.min(LAST_TIME),
        };
        (Edge::Time(start), Edge::Time(end))
    }
}

/// The microseconds of the first day of a month, counted from the year 0.
fn first_of_month(number: i64) -> i64 {
    let year = i32::try_from(number.div_euclid(12)).expect("years have four digits");
    let month = u32::try_from(number.rem_euclid(12) + 1).expect("a month is at most 12");
    i64::from(days_from_civil(year, month, 1).expect("every month has a first day")) * DAY
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below a number above zero.
fn readable(wanted: f64) -> (i64, i32) {
    // The power may be one off at its ends: it is tried from below.
    #[expect(clippy::cast_possible_truncation, reason = "numbers lie within ten to the 308")]
    let around = wanted.log10().floor() as i32;
    let all =
        (around - 1..around + 3).flat_map(|exponent| [(1, exponent), (2, exponent), (5, exponent)]);
    let is_enough = |&(times, exponent): &(i64, i32)| number(&scaled(times, exponent)) >= wanted;
    all.clone().find(is_enough).or(all.last()).expect("there are twelve")
}

#[expect(clippy::cast_possible_truncation, reason = "lines are fewer than MOST_LINES")]
fn decimal_edges(value: f64, times: i64, exponent: i32) -> (Edge, Edge) {
    let line = |at: i64| scaled(at * times, exponent);
    let mut below = (value / number(&scaled(times, exponent))).floor() as i64;
    // The quotient is rounded: what is written decides.
    while number(&line(below)) > value {
        below -= 1;
    }
    while number(&line(below + 1)) <= value {
        below += 1;
    }
    let start = line(below);
    let end = if number(&start) < value { line(below + 1) } else { start.clone() };
    (Edge::Number(start), Edge::Number(end))
}

/// A whole number times a power of ten, written without an exponent.
fn scaled(digits: i64, exponent: i32) -> String {
    if digits == 0 {
        return "0".to_owned();
    }
    let places = exponent.unsigned_abs() as usize;
    if exponent >= 0 {
        return format!("{digits}{}", "0".repeat(places));
    }
    let sign = if digits < 0 { "-" } else { "" };
    let text = format!("{:0>width$}", digits.unsigned_abs(), width = places + 1);
    let (whole, fraction) = text.split_at(text.len() - places);
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

fn number(text: &str) -> f64 {
    text.parse().expect("digits are a number")
}

#[expect(clippy::cast_precision_loss, reason = "a place among the values, not an identity")]
fn numbers(values: &Values) -> Option<Vec<f64>> {
    match values {
        Values::Integer(values) | Values::Date(values) => {
            Some(values.iter().map(|&value| value as f64).collect())
        }
        Values::Decimal(values) => Some(values.clone()),
        Values::Boolean(_) | Values::Text(_) => None,
    }
}

impl Edge {
    #[expect(clippy::cast_precision_loss, reason = "a place among the values, not an identity")]
    pub(crate) fn number(&self) -> f64 {
        match self {
            Self::Number(text) => number(text),
            Self::Time(micros) => *micros as f64,
        }
    }

    /// The edge as a column writes its values; `sample` is one of them.
    pub(crate) fn text(self, format: DateFormat, sample: &str) -> String {
        match self {
            Self::Number(text) => text,
            Self::Time(micros) => time_text(micros, format, sample.trim()),
        }
    }
}

fn time_text(micros: i64, format: DateFormat, sample: &str) -> String {
    let day = i32::try_from(micros.div_euclid(DAY)).expect("dates have four digits");
    let (year, month, day) = civil_from_days(day);
    let s = sample.chars().find(|c| !c.is_ascii_digit()).unwrap_or('-');
    let date = match format {
        DateFormat::YearMonthDay => format!("{year:04}{s}{month:02}{s}{day:02}"),
        DateFormat::DayMonthYear => format!("{day:02}{s}{month:02}{s}{year:04}"),
        DateFormat::MonthDayYear => format!("{month:02}{s}{day:02}{s}{year:04}"),
    };
    let time = micros.rem_euclid(DAY);
    if time == 0 {
        return date;
    }
    let between = if sample.contains(' ') { ' ' } else { 'T' };
    let (hours, minutes) = (time / HOUR, time % HOUR / MINUTE);
    let seconds = match (time % MINUTE / 1_000_000, time % 1_000_000) {
        (0, 0) => String::new(),
        (whole, 0) => format!(":{whole:02}"),
        (whole, rest) => format!(":{whole:02}.{rest:06}"),
    };
    let zone = if sample.ends_with('Z') { "Z" } else { "" };
    format!("{date}{between}{hours:02}:{minutes:02}{seconds}{zone}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::parse_date;

    /// The step of a column, and the range around its values of these ranks.
    fn check(values: &Values, expected: &str, (lo, hi): (u32, u32), range: (&str, &str)) {
        let grid = Grid::new(values).expect("the column has lines");
        assert_eq!(grid.to_string(), expected);
        let text = |edge: Edge| edge.text(DateFormat::YearMonthDay, "2024-01-31");
        let (start, end) = (grid.edges(values, lo).0, grid.edges(values, hi).1);
        assert_eq!((text(start), text(end)), (range.0.into(), range.1.into()));
    }

    fn dates(texts: &[&str]) -> Values {
        let micros = texts.iter().map(|text| parse_date(text, DateFormat::YearMonthDay).unwrap());
        Values::Date(micros.collect())
    }

    #[test]
    fn steps_are_readable() {
        assert_eq!(readable(1.0), (1, 0));
        assert_eq!(readable(1.1), (2, 0));
        assert_eq!(readable(0.03), (5, -2));
        assert_eq!(readable(5.0), (5, 0));
        assert_eq!(readable(501.0), (1, 3));
        assert_eq!(readable(1e-7), (1, -7));
    }

    #[test]
    fn numbers_are_rounded_outward() {
        let weights = (0..=100).map(|n| 48.123 + 1.37 * f64::from(n)).collect();
        check(&Values::Decimal(weights), "5", (17, 27), ("70", "90"));
        let small = (0..=100).map(|n| f64::from(n) / 1000.0).collect();
        check(&Values::Decimal(small), "0.005", (3, 18), ("0", "0.02"));
        let ages: Vec<i64> = (17..=90).collect();
        check(&Values::Integer(ages), "2", (0, 73), ("16", "91"));
        let below: Vec<i64> = (-300..=-100).collect();
        check(&Values::Integer(below), "5", (1, 200), ("-300", "-96"));
    }

    #[test]
    fn dates_are_rounded_to_calendar_units() {
        let years = ["2019-03-14", "2020-05-06", "2021-07-31", "2024-02-29"];
        check(&dates(&years), "3 months", (0, 3), ("2019-01-01", "2024-03-31"));
        let times = ["2024-01-01T08:30", "2024-01-04", "2024-01-05T23:59:59.5"];
        check(&dates(&times), "6 hours", (0, 2), ("2024-01-01T06:00", "2024-01-06"));
        check(&dates(&times), "6 hours", (0, 1), ("2024-01-01T06:00", "2024-01-04"));
        let last = ["2000-01-01T00:00", "9999-12-31T08:00"];
        check(&dates(&last), "100 years", (0, 1), ("2000-01-01", "9999-12-31T23:59:59.999999"));
    }

    #[test]
    fn one_person_far_out_does_not_choose_the_step() {
        let mut incomes: Vec<i64> = (0..200).map(|n| 20_000 + 317 * n).collect();
        let step =
            |values: &[i64]| Grid::new(&Values::Integer(values.to_vec())).unwrap().to_string();
        let before = step(&incomes);
        incomes.push(90_000_000);
        assert_eq!((step(&incomes), before), ("2000".to_owned(), "2000".to_owned()));
    }

    #[test]
    fn steps_of_one_need_no_lines() {
        assert!(Grid::new(&Values::Integer((20..60).collect())).is_none());
        assert!(Grid::new(&dates(&["2024-01-01", "2024-01-20", "2024-02-08"])).is_none());
        assert!(Grid::new(&Values::Decimal(vec![0.5])).is_none());
        assert!(Grid::new(&Values::Decimal(vec![0.5, 0.5, 0.75])).is_none());
    }

    /// Every range holds the values it is made of, begins and ends on lines, and is the range of its own ends.
    #[test]
    fn ranges_cover_their_values_and_stay_when_rounded_again() {
        let mut state = 7_u64;
        for exponent in -6..9 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let unit = f64::from(u32::try_from(state >> 32).unwrap()) / f64::from(u32::MAX);
                (unit - 0.4) * 10_f64.powi(exponent)
            };
            let mut decimals: Vec<f64> = (0..60).map(|_| next()).collect();
            decimals.sort_by(f64::total_cmp);
            let values = Values::Decimal(decimals.clone());
            let grid = Grid::new(&values).unwrap();
            for lo in 0..60 {
                for hi in lo + 1..60 {
                    let (first, last) = grid.around(lo, hi);
                    let (start, end) = (grid.edges(&values, lo).0, grid.edges(&values, hi).1);
                    assert!(first <= lo && hi <= last);
                    assert!(start.number() <= decimals[first as usize]);
                    assert!(decimals[last as usize] <= end.number());
                    assert!(lo == 0 || first == 0 || decimals[first as usize - 1] < start.number());
                    assert_eq!(grid.around(first, last), (first, last));
                    assert_eq!(grid.edges(&values, first).0, start);
                    assert_eq!(grid.edges(&values, last).1, end);
                }
            }
        }
    }
}
