//! What a plan says about the buckets of a sensitive attribute, and the rule that follows.
//!
//! # Method
//! 1. `widths` and `ranges` are those of a taxonomy, with one level. `cuts` part all numbers, so that none is
//!    left out. A range that ends where the next starts leaves that point to the next.
//! 2. `quantiles` are cuts that depend on a table: see [`quantiles`](super::quantiles).
//! 3. `level` takes the nodes of the column's own taxonomy.
//!
//! Labels do not depend on the type that a column is read as: `1000` is in `[1000, 2000)` also where all
//! numbers are whole.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::date::{civil_from_days, days_from_civil};
use kohort_core::{Buckets, DateFormat, ValueType, Values, parse_date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exact::{self, Units};
use super::file::{self, FileText};
use super::listed::Listed;
use super::{Number, Ranges, Source, Widths, bad_parameter};
use crate::Error;
use crate::error::refused;
use crate::wording::grouped;

/// The buckets of a sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "Fields", into = "Fields")]
#[schemars(with = "Fields")]
pub enum BucketsPlan {
    /// Ranges of equal width.
    Widths(Widths),
    /// Ranges written out.
    Ranges(Ranges),
    /// Where one bucket ends and the next starts.
    Cuts(Vec<Number>),
    /// So many buckets of about equally many rows of the original.
    Quantiles(u32),
    /// The nodes of a level of the column's taxonomy.
    Level(u32),
}

/// The buckets of a sensitive attribute: exactly one of `widths`, `ranges`, `cuts`, `quantiles` and
/// `level`. Promises about the attribute count its buckets instead of its values.
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(rename = "Buckets")]
struct Fields {
    /// The width of equal ranges of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    widths: Option<Width>,
    /// Where one of the ranges of `widths` starts; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Number>,
    /// Ranges of numbers as pairs of ends; one that ends where the next starts leaves that point to the
    /// next.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranges: Option<Vec<[Number; 2]>>,
    /// Rising numbers, at each of which a bucket starts; the first and the last bucket are open.
    #[serde(skip_serializing_if = "Option::is_none")]
    cuts: Option<Vec<Number>>,
    /// The number of buckets, which hold about equally many rows of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    quantiles: Option<u32>,
    /// The level of the column's taxonomy whose nodes are the buckets, 1 being the one above the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
}

/// One width, in brackets or without.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "expected one width")]
enum Width {
    One(Number),
    Listed([Number; 1]),
}

impl TryFrom<Fields> for BucketsPlan {
    type Error = Error;

    fn try_from(fields: Fields) -> Result<Self, Error> {
        let Fields { widths, origin, ranges, cuts, quantiles, level } = fields;
        if origin.is_some() && widths.is_none() {
            return Err(bad_parameter(
                "buckets",
                "`origin` without `widths`".into(),
                "a complete table",
            ));
        }
        match (widths, ranges, cuts, quantiles, level) {
            (Some(Width::One(width) | Width::Listed([width])), None, None, None, None) => {
                Ok(Self::Widths(Widths::new(vec![width], origin)?))
            }
            (None, Some(ranges), None, None, None) => Ok(Self::Ranges(Ranges::new(vec![ranges])?)),
            (None, None, Some(cuts), None, None) => Ok(Self::Cuts(rising(cuts)?)),
            (None, None, None, Some(n), None) if n >= 2 => Ok(Self::Quantiles(n)),
            (None, None, None, Some(n), None) => {
                Err(bad_parameter("quantiles", n.to_string(), "at least 2"))
            }
            (None, None, None, None, Some(level)) if level >= 1 => Ok(Self::Level(level)),
            (None, None, None, None, Some(level)) => {
                Err(bad_parameter("level", level.to_string(), "at least 1"))
            }
            _ => Err(bad_parameter(
                "buckets",
                "none or several of them".into(),
                "one of `widths`, `ranges`, `cuts`, `quantiles` and `level`",
            )),
        }
    }
}

/// Cuts that rise.
fn rising(cuts: Vec<Number>) -> Result<Vec<Number>, Error> {
    let found = || listed(&cuts, cuts.len());
    if !cuts.iter().all(|cut| cut.is_usable()) {
        let expected = "numbers below 10^18 with at most 12 decimals";
        return Err(bad_parameter("cuts", found(), expected));
    }
    let scale = scale(&cuts);
    let units: Vec<i128> = cuts.iter().map(|cut| cut.units(scale)).collect();
    if units.is_empty() || !units.is_sorted_by(|a, b| a < b) {
        return Err(bad_parameter("cuts", found(), "one or more rising numbers"));
    }
    Ok(cuts)
}

impl From<BucketsPlan> for Fields {
    fn from(plan: BucketsPlan) -> Self {
        let fields = Self::default();
        match plan {
            BucketsPlan::Widths(widths) => Self {
                widths: widths.widths().first().copied().map(Width::One),
                origin: widths.origin(),
                ..fields
            },
            BucketsPlan::Ranges(ranges) => {
                Self { ranges: ranges.levels().first().cloned(), ..fields }
            }
            BucketsPlan::Cuts(cuts) => Self { cuts: Some(cuts), ..fields },
            BucketsPlan::Quantiles(n) => Self { quantiles: Some(n), ..fields },
            BucketsPlan::Level(level) => Self { level: Some(level), ..fields },
        }
    }
}

fn scale(numbers: &[Number]) -> usize {
    numbers.iter().map(|number| number.decimals()).max().unwrap_or(0)
}

fn listed(numbers: &[Number], most: usize) -> String {
    let texts: Vec<String> = numbers.iter().take(most).map(Number::to_string).collect();
    let more = numbers.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", texts.join(", "))
}

/// The most ends that are told.
const TOLD: usize = 12;

impl BucketsPlan {
    /// What the buckets are, in words that follow "in".
    fn form(&self) -> String {
        match self {
            Self::Widths(widths) => {
                let width = match widths.widths()[0] {
                    Number::Integer(width) => grouped(width.unsigned_abs()),
                    decimal @ Number::Decimal(_) => decimal.to_string(),
                };
                let from =
                    widths.origin().map_or(String::new(), |origin| format!(" from {origin}"));
                format!("buckets of {width}{from}")
            }
            Self::Ranges(ranges) => {
                let ranges = &ranges.levels()[0];
                let texts = ranges.iter().take(TOLD).enumerate().map(|(at, [first, last])| {
                    let close = if is_touching(ranges, at) { ')' } else { ']' };
                    format!("[{first}, {last}{close}")
                });
                let more = ranges.len().saturating_sub(TOLD);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("ranges {}{more}", texts.collect::<Vec<_>>().join(", "))
            }
            Self::Cuts(cuts) => format!("buckets cut at {}", listed(cuts, TOLD)),
            Self::Quantiles(n) => format!("{n} quantiles"),
            Self::Level(level) => format!("buckets of level {level} of its taxonomy"),
        }
    }

    /// Whether it is about numbers.
    pub(crate) fn is_for_numbers(&self) -> bool {
        !matches!(self, Self::Level(_))
    }

    /// The rule for numbers; none for quantiles, which are cuts of a table, and for levels.
    pub(crate) fn of_numbers(&self) -> Option<Buckets> {
        let form = self.form();
        match self.clone() {
            Self::Widths(widths) => Some(Buckets::new(form, move |text, _| {
                named_or(text, |text| widths.range_of(|scale| number(text, scale)))
            })),
            Self::Ranges(ranges) => Some(Buckets::new(form, move |text, _| {
                named_or(text, |text| ranges.range_of(|scale| number(text, scale)))
            })),
            Self::Cuts(cuts) => {
                Some(Buckets::new(form, move |text, _| named_or(text, |text| between(&cuts, text))))
            }
            Self::Quantiles(_) | Self::Level(_) => None,
        }
    }
}

/// The nodes of a level of a column's taxonomy as buckets. `file` is the file that the source names.
pub(crate) fn of_level(
    level: u32,
    (source, file): (&Source, Option<FileText<'_>>),
    (name, value_type): (&str, ValueType),
) -> Result<Buckets, Error> {
    let form = BucketsPlan::Level(level).form();
    let at = (level as usize).wrapping_sub(1);
    let check = |n_levels: usize| {
        if at < n_levels {
            return Ok(());
        }
        Err(refused(
            format!(
                "buckets of column `{name}`: `level` is {level}, but its taxonomy has {n_levels} below \
                 the root"
            ),
            "1 is the level above the values",
        ))
    };
    let buckets = match source {
        Source::File(of_file) => {
            let file = file.expect("the caller opens the file that a source names");
            let (listed, _) = file::read(file.text, of_file.separator).into_tree(file.name)?;
            check(listed.levels.len().saturating_sub(1))?;
            of_list(form, &listed, at)
        }
        Source::Tree(groups) => {
            let (listed, _) = groups.list()?;
            check(listed.levels.len().saturating_sub(1))?;
            of_list(form, &listed, at)
        }
        Source::Widths(_) | Source::Ranges(_) | Source::Calendar(_) => {
            let source = source.clone();
            check(match &source {
                Source::Widths(widths) => widths.widths().len(),
                Source::Ranges(ranges) => ranges.levels().len(),
                Source::Calendar(calendar) => calendar.periods().len(),
                _ => 0,
            })?;
            Buckets::new(form, move |text, format| {
                let label = |text: &str| computed(&source, at, text, value_type, format);
                if value_type == ValueType::Date {
                    label_of_date(text, label)
                } else {
                    named_or(text, label)
                }
            })
        }
        Source::Flat => {
            return Err(no_level(name, "`level` is of a taxonomy, and it has none"));
        }
        Source::Mask(_) => {
            let why = "levels of `mask` depend on the longest value of a table, and another table may \
                       have another";
            return Err(no_level(name, why));
        }
    };
    Ok(buckets.at_level(level))
}

fn no_level(name: &str, why: &str) -> Error {
    let hint = "give the column a taxonomy with `tree`, `widths`, `ranges`, periods of the calendar or a \
                file, or use `widths`, `ranges`, `cuts` or `quantiles`";
    refused(format!("buckets of column `{name}`: {why}"), hint)
}

/// The groups of a level that is written out.
fn of_list(form: String, listed: &Listed, at: usize) -> Buckets {
    let level = &listed.levels[at];
    let groups = listed.leaves.iter().zip(&level.group_of_leaf);
    let label_of: BTreeMap<String, String> = groups
        .map(|(leaf, &group)| (leaf.trim().to_owned(), level.labels[group as usize].clone()))
        .collect();
    let labels: BTreeSet<String> = label_of.values().cloned().collect();
    Buckets::new(form, move |text, _| {
        let text = text.trim();
        label_of.get(text).or_else(|| labels.get(text)).cloned()
    })
}

/// The group of a level that is computed from the value.
fn computed(
    source: &Source,
    at: usize,
    text: &str,
    value_type: ValueType,
    format: DateFormat,
) -> Option<String> {
    let text = text.trim();
    let values = match value_type {
        ValueType::Integer => Values::Integer(vec![text.parse().ok()?]),
        ValueType::Decimal => Values::Decimal(vec![text.parse().ok()?]),
        // Labels of periods are looked up by days in the order of the calendar.
        ValueType::Date => Values::Date(vec![
            parse_date(text, format).or_else(|| parse_date(text, DateFormat::YearMonthDay))?,
        ]),
        ValueType::Boolean | ValueType::Text => return None,
    };
    let levels = match (source, &values) {
        (Source::Calendar(calendar), Values::Date(micros)) => calendar.levels(micros),
        (Source::Widths(widths), _) => widths.levels(&values).ok()?,
        (Source::Ranges(ranges), _) => {
            ranges.levels_of(&values).ok().filter(|(_, gaps)| gaps.is_empty())?.0
        }
        _ => return None,
    };
    levels.get(at)?.labels.first().cloned()
}

/// The label of the bucket of a number; or the text, where it is the label of the bucket of a number that
/// stands in it. The lowest bucket of cuts has no such number.
fn named_or(text: &str, label: impl Fn(&str) -> Option<String>) -> Option<String> {
    const LOWEST: &str = "-999999999999999999";
    if let Some(label) = label(text) {
        return Some(label);
    }
    let text = text.trim();
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let numbers = text.split(|c: char| !is_part(c)).filter(|part| !part.is_empty());
    let mut labels = numbers.chain([LOWEST]).filter_map(label);
    labels.find(|label| label == text)
}

/// The same for dates: a text is the label of a period where a day of its year has that label.
fn label_of_date(text: &str, label: impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(label) = label(text) {
        return Some(label);
    }
    let text = text.trim();
    let year: i32 = text.get(..4)?.parse().ok()?;
    let first = days_from_civil(year, 1, 1)?;
    // Weeks of a year may start in the one before and end in the next.
    (first - 7..first + 373).find_map(|day| {
        let (year, month, day) = civil_from_days(day);
        label(&format!("{year:04}-{month:02}-{day:02}")).filter(|label| label == text)
    })
}

/// A text as a number in units of 10^-scale.
fn number(text: &str, scale: usize) -> Option<Units> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|&byte| byte == b'.').count() <= 1;
    if is_plain {
        return exact::units(text, scale);
    }
    let number: f64 = text.parse().ok().filter(|number: &f64| number.abs() < exact::MAX_VALUE)?;
    exact::units(&number.to_string(), scale)
}

/// The bucket between two cuts.
fn between(cuts: &[Number], text: &str) -> Option<String> {
    let scale = scale(cuts);
    let value = number(text, scale)?;
    let above = cuts.partition_point(|cut| cut.units(scale) <= value.floor);
    Some(match (above.checked_sub(1).map(|at| cuts[at]), cuts.get(above)) {
        (None, Some(last)) => format!("below {last}"),
        (Some(first), Some(last)) => format!("[{first}, {last})"),
        (Some(first), None) => format!("{first} and above"),
        (None, None) => return None,
    })
}

/// Whether a range ends where the next one starts.
pub(super) fn is_touching(ranges: &[[Number; 2]], at: usize) -> bool {
    ranges.get(at + 1).is_some_and(|next| next[0].to_string() == ranges[at][1].to_string())
}
