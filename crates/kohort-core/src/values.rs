//! The types a column can have, found by looking or set in the plan, and how texts are read as them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::date::days_from_civil;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// Whole numbers that fit in 64 bits.
    Integer,
    /// Numbers with a fraction or an exponent.
    Decimal,
    /// Days, with or without a time.
    Date,
    /// Yes and no.
    Boolean,
    /// Anything else.
    Text,
}

impl ValueType {
    /// The types in the order they are tried.
    pub const ALL: [Self; 5] =
        [Self::Boolean, Self::Integer, Self::Decimal, Self::Date, Self::Text];

    /// The name used in plans and JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Date => "date",
            Self::Boolean => "boolean",
            Self::Text => "text",
        }
    }

    /// The name with its article, for messages.
    pub fn article(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Decimal => "a decimal",
            Self::Date => "a date",
            Self::Boolean => "a boolean",
            Self::Text => "a text",
        }
    }

    /// Whether the values are numbers.
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Integer | Self::Decimal)
    }

    /// Whether the values have an order that means something.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::Integer | Self::Decimal | Self::Date)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The order of day, month and year in a column of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateFormat {
    /// `2024-03-31`, also with a time: `2024-03-31T08:30:00`.
    YearMonthDay,
    /// `31.03.2024`, `31/03/2024`, `31-03-2024`.
    DayMonthYear,
    /// `03/31/2024`.
    MonthDayYear,
}

impl DateFormat {
    /// The formats in the order they are tried.
    pub const ALL: [Self; 3] = [Self::YearMonthDay, Self::DayMonthYear, Self::MonthDayYear];
}

/// Typed values. Dates are microseconds since 1970-01-01.
#[derive(Clone)]
pub enum Values {
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Numbers, never NaN or infinite.
    Decimal(Vec<f64>),
    /// Points in time, in microseconds.
    Date(Vec<i64>),
    /// Truth values.
    Boolean(Vec<bool>),
    /// Texts that stand for themselves.
    Text(Vec<String>),
}

// Values are cells: a debug print must not show them.
impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values of type {}", self.len(), self.value_type())
    }
}

impl Values {
    /// The type of these values.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Integer(_) => ValueType::Integer,
            Self::Decimal(_) => ValueType::Decimal,
            Self::Date(_) => ValueType::Date,
            Self::Boolean(_) => ValueType::Boolean,
            Self::Text(_) => ValueType::Text,
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Integer(values) | Self::Date(values) => values.len(),
            Self::Decimal(values) => values.len(),
            Self::Boolean(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A text as a reader sees it: without characters that show nothing, without blanks around it, and in
/// Unicode's composed form (NFC): `é` is one character or two. Two texts that differ in nothing else are one
/// value.
pub fn visible(text: &str) -> Cow<'_, str> {
    let shown = if text.chars().any(shows_nothing) {
        let shown: String = text.chars().filter(|&c| !shows_nothing(c)).collect();
        Cow::Owned(shown.trim().to_owned())
    } else {
        Cow::Borrowed(text.trim())
    };
    if shown.is_ascii() || is_nfc(&shown) { shown } else { Cow::Owned(shown.nfc().collect()) }
}

/// Whether a character is a control that is no blank, one that Unicode calls default-ignorable, an anchor of
/// an annotation, or the Braille pattern without a dot.
fn shows_nothing(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !c.is_whitespace();
    }
    matches!(
        c,
        '\u{80}'..='\u{84}'
            | '\u{86}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The microseconds in a day.
pub const DAY: i64 = 86_400_000_000;

pub(crate) fn parse_integer(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

/// Whole numbers above are keys, not quantities: not each of them is a number to calculate with.
const LARGEST_WHOLE: u64 = 1 << 53;

/// A whole number as a number is usually written. `007` is a code, not a number.
pub(crate) fn looks_like_integer(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    (digits == "0" || !digits.starts_with('0'))
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u64>().is_ok_and(|number| number <= LARGEST_WHOLE)
}

/// Larger ones are texts: the squares of what lies between numbers, and their sums, must be numbers too.
const LARGEST: f64 = 1e150;

pub(crate) fn parse_decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
        return None;
    }
    // Adding zero turns -0 into 0, so that the two are one value.
    text.parse::<f64>().ok().filter(|number| number.abs() <= LARGEST).map(|number| number + 0.0)
}

pub(crate) fn looks_like_decimal(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let leading_zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_key = is_whole && digits.parse::<u64>().map_or(true, |number| number > LARGEST_WHOLE);
    !leading_zero && !is_key && parse_decimal(text).is_some()
}

/// Orders two decimals that are the same float by their digits: two that differ anywhere are two values.
pub(crate) fn order_exactly(a: &str, b: &str) -> Ordering {
    if a == b { Ordering::Equal } else { Digits::new(a).cmp(&Digits::new(b)) }
}

/// A decimal as 0.digits times ten to the exponent, without the sign; zero has no digits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Digits {
    exponent: i64,
    digits: Vec<u8>,
}

impl Digits {
    fn new(text: &str) -> Self {
        let text = text.trim().trim_start_matches(['+', '-']);
        let (number, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let leading = all.iter().take_while(|digit| **digit == b'0').count();
        let mut digits = all[leading..].to_vec();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let length = |text: &[u8]| i64::try_from(text.len()).unwrap_or(i64::MAX);
        let power: i64 = power.parse().unwrap_or(0);
        let exponent = power + length(whole.as_bytes()) - length(&all[..leading]);
        Self { exponent: if digits.is_empty() { 0 } else { exponent }, digits }
    }
}

/// The pairs of words for yes and no.
pub(crate) const YES_AND_NO: [[&str; 2]; 4] =
    [["true", "false"], ["yes", "no"], ["t", "f"], ["y", "n"]];

pub(crate) fn parse_boolean(text: &str) -> Option<bool> {
    let text = text.trim();
    let is = |index: usize| YES_AND_NO.iter().any(|pair| text.eq_ignore_ascii_case(pair[index]));
    if is(0) { Some(true) } else { is(1).then_some(false) }
}

/// The microseconds since 1970-01-01 that a text stands for, written in this order.
pub fn parse_date(text: &str, format: DateFormat) -> Option<i64> {
    let text = text.trim();
    let (date, time) = match text.find(['T', ' ']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let separator = date.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(separator, '-' | '/' | '.') {
        return None;
    }
    let parts: Vec<&str> = date.split(separator).collect();
    let [a, b, c] = parts[..] else { return None };
    let (year, month, day) = match format {
        DateFormat::YearMonthDay => (a, b, c),
        DateFormat::DayMonthYear => (c, b, a),
        DateFormat::MonthDayYear => (c, a, b),
    };
    if year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let days = days_from_civil(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    Some(i64::from(days) * DAY + time.map_or(Some(0), parse_time)?)
}

/// Microseconds since midnight of `08:30`, `08:30:15` or `08:30:15.25`, with or without a closing `Z`.
fn parse_time(text: &str) -> Option<i64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let mut parts = text.splitn(3, ':');
    let mut next = |limit: i64| {
        let part = parts.next()?;
        let number: i64 = part.parse().ok()?;
        (part.len() == 2 && (0..limit).contains(&number)).then_some(number)
    };
    let (hours, minutes) = (next(24)?, next(60)?);
    let Some(seconds) = parts.next() else {
        return Some((hours * 60 + minutes) * 60_000_000);
    };
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let number: i64 = whole.parse().ok()?;
    if whole.len() != 2 || !(0..60).contains(&number) || fraction.len() > 6 {
        return None;
    }
    let micros: i64 = format!("{fraction:0<6}").parse().ok()?;
    Some(((hours * 60 + minutes) * 60 + number) * 1_000_000 + micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_with_leading_zeros_are_not_numbers() {
        assert!(looks_like_integer("0"));
        assert!(looks_like_integer(" -12 "));
        assert!(!looks_like_integer("007"));
        assert!(!looks_like_integer(""));
        assert!(!looks_like_integer("99999999999999999999"));
        assert!(looks_like_decimal("0.5"));
        assert!(!looks_like_decimal("00.5"));
        assert!(!looks_like_decimal("inf"));
        assert!(!looks_like_decimal("nan"));
    }

    #[test]
    fn a_text_is_what_a_reader_sees_of_it() {
        assert_eq!(visible(" HIV \u{200b}"), "HIV");
        assert_eq!(visible("H\u{ad}I\u{e0001}V\u{0}"), "HIV");
        assert_eq!(visible("\u{feff}"), "");
        assert_eq!(visible("HIV\u{2800}\u{fff9}"), "HIV");
        assert_eq!(visible("fie\u{300}vre "), "fi\u{e8}vre");
        assert_eq!(visible("São\tPaulo"), "São\tPaulo");
    }

    #[test]
    fn decimals_of_one_float_are_told_apart_by_their_digits() {
        let order = |a: &str, b: &str| {
            assert_eq!(parse_decimal(a), parse_decimal(b), "{a} and {b} are one float");
            order_exactly(a, b)
        };
        assert_eq!(order("1.50", "1.5"), Ordering::Equal);
        assert_eq!(order("1e3", "1000.0"), Ordering::Equal);
        assert_eq!(order("+0.0", "-0"), Ordering::Equal);
        assert_eq!(order("00.25", "2.5E-1"), Ordering::Equal);
        assert_eq!(order("12345678901234567801", "12345678901234567802"), Ordering::Less);
        assert_eq!(order("0.30000000000000004", "0.30000000000000005"), Ordering::Less);
    }

    #[test]
    fn dates_are_read_in_the_order_asked_for() {
        let day = |text, format| parse_date(text, format).map(|micros| micros / DAY);
        assert_eq!(day("1970-01-02", DateFormat::YearMonthDay), Some(1));
        assert_eq!(day("02.01.1970", DateFormat::DayMonthYear), Some(1));
        assert_eq!(day("01/02/1970", DateFormat::MonthDayYear), Some(1));
        assert_eq!(day("31/12/1970", DateFormat::MonthDayYear), None);
        assert_eq!(day("1970-02-30", DateFormat::YearMonthDay), None);
        assert_eq!(day("é970-02-30", DateFormat::YearMonthDay), None);
        assert_eq!(parse_date("1970-01-01T00:00:01.5Z", DateFormat::YearMonthDay), Some(1_500_000));
        assert_eq!(parse_date("1970-01-01 24:00", DateFormat::YearMonthDay), None);
    }
}
