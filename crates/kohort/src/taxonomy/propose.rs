//! A first taxonomy for a column, found by looking at its values.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Column, DAY, Domain, Level, Table, ValueType, Values};

use super::build::{levels, read};
use super::{BucketsPlan, Calendar, Number, Period, Side, Source, Widths, cut, root_level};
use crate::Error;

/// A taxonomy to start from.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// What a plan would say.
    pub source: Source,
    /// The taxonomy as rows of ARX's layout: leaf first, root last. Leaves are cells of the table.
    pub rows: Vec<Vec<String>>,
    /// Why this one.
    pub reason: String,
}

/// Proposes a taxonomy for a column.
pub fn propose(
    table: &Table,
    column: &Column,
    value_type: Option<ValueType>,
) -> Result<Proposal, Error> {
    let mut domain = read(table, column, value_type)?;
    let (source, reason) = look(&domain, column)?;
    if matches!(source, Source::Mask(_)) {
        domain = read(table, column, Some(ValueType::Text))?;
    }
    let name = format!("taxonomy of column `{}`", column.name());
    let mut levels = levels(&source, &domain, column, &name)?;
    if levels.is_empty() {
        levels.push(root_level(domain.values().len()));
    }
    let rows = rows(&domain, column, &levels);
    Ok(Proposal { source, rows, reason })
}

fn rows(domain: &Domain, column: &Column, levels: &[Level]) -> Vec<Vec<String>> {
    let group =
        |level: &Level, value: usize| level.labels[level.group_of_leaf[value] as usize].clone();
    (domain.entries().iter().enumerate())
        .map(|(value, &entry)| {
            let leaf = column.dictionary().get(entry).to_owned();
            std::iter::once(leaf).chain(levels.iter().map(|level| group(level, value))).collect()
        })
        .collect()
}

fn look(domain: &Domain, column: &Column) -> Result<(Source, String), Error> {
    let flat = |reason: &str| Ok((Source::Flat, reason.to_owned()));
    let values = domain.values();
    if values.len() <= 2 {
        return flat("two values or fewer: there is nothing between them and the root");
    }
    match values {
        Values::Boolean(_) => flat("yes and no: there is nothing between them and the root"),
        Values::Integer(_) if is_postal(column.name()) => Ok((
            Source::Mask(Side::Right),
            "the name says postal code: digits are masked from the right".into(),
        )),
        Values::Integer(numbers) => {
            let span = i128::from(numbers[numbers.len() - 1]) - i128::from(numbers[0]);
            #[expect(clippy::cast_precision_loss, reason = "a width has one digit")]
            widths(span as f64, values.len(), true)
        }
        Values::Decimal(numbers) => {
            widths(numbers[numbers.len() - 1] - numbers[0], values.len(), false)
        }
        Values::Date(micros) => periods(micros),
        Values::Text(texts) if are_codes(texts) => Ok((
            Source::Mask(Side::Right),
            "codes that share their first characters: masked from the right".into(),
        )),
        Values::Text(_) => flat("no pattern in these texts: write groups by hand"),
    }
}

/// Whether a column's name says that its numbers are postal codes.
fn is_postal(name: &str) -> bool {
    let name = name.to_lowercase();
    ["zip", "postal", "postcode", "plz"].iter().any(|word| name.contains(word))
}

/// The number of groups that the narrowest width may make, however many values there are.
const MOST_GROUPS: u32 = 25;

/// Widths of one digit, 1, 2 or 5, as long as they make two groups at least. The narrowest makes no
/// more groups than half the values, so that it brings some of them together.
fn widths(span: f64, n_values: usize, is_integer: bool) -> Result<(Source, String), Error> {
    let flat = |reason: &str| Ok((Source::Flat, reason.to_owned()));
    let most = u32::try_from(n_values / 2).map_or(MOST_GROUPS, |half| half.clamp(2, MOST_GROUPS));
    let most_groups = f64::from(most);
    if !(1e-9..1e17).contains(&span) {
        return flat("the numbers span too little or too much for widths: write ranges by hand");
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the logarithm of a number from 1e-9 to 1e17"
    )]
    let mut exponent = (span / most_groups).log10().floor() as i32;
    let mut digit = 1;
    let width = |digit: i32, exponent: i32| f64::from(digit) * 10_f64.powi(exponent);
    while width(digit, exponent) * most_groups < span || is_integer && width(digit, exponent) < 1.5
    {
        (digit, exponent) = match digit {
            1 => (2, exponent),
            2 => (5, exponent),
            _ => (1, exponent + 1),
        };
    }
    let mut found = Vec::new();
    while found.is_empty() || width(digit, exponent) <= span / 2.0 {
        found.push(one_digit(digit, exponent));
        (digit, exponent) = if digit == 1 { (2, exponent) } else { (1, exponent + 1) };
    }
    let source = Source::Widths(Widths::new(found, None)?);
    Ok((
        source,
        "numbers: ranges whose widths follow from their span and how many there are".into(),
    ))
}

/// No bucket that is proposed should have more of the rows, in percent.
const LARGEST_PERCENT: u64 = 30;

/// Buckets for an attribute that is measured on a scale, as a plan writes them: equal widths where no
/// bucket has most of the rows, else cuts with about equally many rows between them; months of dates.
pub(crate) fn proposed_buckets(attribute: &Attribute) -> Option<String> {
    if attribute.value_type() == ValueType::Date {
        return Some("{ level = 1 }".into());
    }
    let width = tenth(attribute)?;
    #[expect(clippy::cast_precision_loss, reason = "a width of one digit")]
    let by = match width {
        Number::Integer(width) => width as f64,
        Number::Decimal(width) => width,
    };
    let mut rows_of_bucket: BTreeMap<i64, u64> = BTreeMap::new();
    let numbers = (0..).zip(attribute.counts());
    for (number, &rows) in numbers.filter_map(|(code, rows)| Some((attribute.number(code)?, rows)))
    {
        #[expect(clippy::cast_possible_truncation, reason = "some ten buckets span all numbers")]
        let bucket = (number / by).floor() as i64;
        *rows_of_bucket.entry(bucket).or_default() += u64::from(rows);
    }
    let (largest, all) = (rows_of_bucket.values().max()?, rows_of_bucket.values().sum::<u64>());
    if largest * 100 <= all * LARGEST_PERCENT {
        return Some(format!("{{ widths = {width} }}"));
    }
    let BucketsPlan::Cuts(cuts) = cut(attribute, 5)? else { return None };
    let cuts: Vec<String> = cuts.iter().map(Number::to_string).collect();
    Some(format!("{{ cuts = [{}] }}", cuts.join(", ")))
}

/// A width of one digit, 1, 2 or 5, of which about ten span the numbers of an attribute.
pub(crate) fn tenth(attribute: &Attribute) -> Option<Number> {
    let numbers = (0..attribute.n_codes()).filter_map(|code| attribute.number(code));
    let (least, most) = numbers
        .fold((f64::MAX, f64::MIN), |(least, most), number| (least.min(number), most.max(number)));
    let span = most - least;
    if !(1e-9..1e17).contains(&span) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the logarithm of a number from 1e-10 to 1e16"
    )]
    let exponent = (span / 10.0).log10().floor() as i32;
    let is_integer = attribute.value_type() == ValueType::Integer;
    let exponent = if is_integer { exponent.max(0) } else { exponent };
    let is_wide = |digit: &i32| f64::from(*digit) * 10_f64.powi(exponent) * 10.0 >= span;
    Some(
        [1, 2, 5]
            .into_iter()
            .find(is_wide)
            .map_or_else(|| one_digit(1, exponent + 1), |digit| one_digit(digit, exponent)),
    )
}

/// A digit and zeros behind it, or decimals before it.
fn one_digit(digit: i32, exponent: i32) -> Number {
    match u32::try_from(exponent) {
        Ok(zeros) => Number::Integer(i64::from(digit) * 10_i64.pow(zeros)),
        Err(_) => Number::Decimal(
            format!("{digit}e{exponent}").parse().expect("a digit and an exponent are a number"),
        ),
    }
}

fn periods(micros: &[i64]) -> Result<(Source, String), Error> {
    let days = (micros[micros.len() - 1] - micros[0]) / DAY;
    let has_times = micros.iter().any(|micros| micros.rem_euclid(DAY) != 0);
    let periods: Vec<Period> = [
        (has_times, Period::Day),
        (days <= 31, Period::Week),
        (days > 31, Period::Month),
        (days > 92, Period::Quarter),
        (days > 366, Period::Year),
        (days > 20 * 366, Period::Decade),
    ]
    .into_iter()
    .filter_map(|(is_wanted, period)| is_wanted.then_some(period))
    .collect();
    let source = Source::Calendar(Calendar::new(periods)?);
    Ok((source, "dates: periods of the calendar that fit their span".into()))
}

/// Codes are short, made of digits, letters without lower case and marks, have a digit and about the
/// same length; and masking one character must bring values together.
fn are_codes(texts: &[String]) -> bool {
    let is_code = |text: &String| {
        let is_mark = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "-./ ".contains(c);
        text.chars().all(is_mark) && text.bytes().any(|byte| byte.is_ascii_digit())
    };
    if !texts.iter().all(is_code) {
        return false;
    }
    let shortest = texts.iter().map(String::len).min().unwrap_or(0);
    let longest = texts.iter().map(String::len).max().unwrap_or(0);
    if shortest < 2 || longest > 20 || longest - shortest > 2 {
        return false;
    }
    // Sorted texts of one length that share all but the last character are neighbors.
    let all_but_last = |text: &String| (text.len(), text[..text.len() - 1].to_owned());
    let mut groups: Vec<(usize, String)> = texts.iter().map(all_but_last).collect();
    groups.sort_unstable();
    groups.dedup();
    let is_even = shortest == longest;
    is_even || 2 * groups.len() <= texts.len()
}

/// Writes rows in ARX's layout.
pub fn to_arx(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                text.push(';');
            }
            let is_plain =
                cell.trim() == cell && !cell.contains([';', '"', '\n', '\r', '\u{feff}']);
            if is_plain {
                text.push_str(cell);
            } else {
                text.push('"');
                text.push_str(&cell.replace('"', "\"\""));
                text.push('"');
            }
        }
        text.push('\n');
    }
    text
}
