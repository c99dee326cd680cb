//! Microaggregated releases: what stands for a class need not be anybody's value, and still stems from the
//! original.
//!
//! # Method
//! 1. The cells that are no quasi-identifiers are those of the original, byte for byte: no combination of
//!    them occurs more often than there.
//! 2. A number lies between the least and the largest of its column, and another value is one of it.
//! 3. Means take from the top and give to the bottom: for every j the j largest numbers of a release sum
//!    to no more than the j largest of the original, and the j least to no less than its j least. With as
//!    many rows as the original the sums are the same, and so is the mean of the column.
//!
//! A number may be off by half of the last digit that any number of its column shows, and a day by one. `*`
//! and a missing cell say nothing.
//!
//! # What it decides
//! Each is necessary. Together they do not say that the numbers of a class are the mean of its own rows:
//! numbers may be exchanged between classes. Of medians only 1 and 2 are asked, and of means where the
//! original lacks numbers: a class shows the mean of those that are there for all of its rows.
//!
//! # References
//! 3 is majorization: Hardy, Littlewood and Pólya, Inequalities, 1934, section 2.19.

use kohort_core::{
    Attribute, Codes, Column, DAY, Dataset, DateFormat, Error, Grouping, Table, ValueType,
};
use rayon::prelude::*;

use super::tables::Other;
use super::verdict::Reason;

/// A float sum of a column is right up to this share of it.
const SUM: f64 = 1e-9;

/// What shows that a microaggregated release does not stem from the original.
pub(super) fn broken(
    release: &Table,
    original: &Dataset,
    is_mean: bool,
) -> Result<Vec<Reason>, Error> {
    let mut reasons = Vec::new();
    for attribute in original.quasi() {
        let column = release.column(attribute.name())?;
        if let Some(entry) = elsewhere(release, original, attribute, column)? {
            let (table, place) = (release.name().to_owned(), release.place(column, entry));
            reasons.push(Reason::NoCenter { table, place, column: column.name().to_owned() });
        } else if is_mean && attribute.value_type().is_ordered() && !is_averaged(attribute, column)
        {
            reasons.push(Reason::NoMeans { column: column.name().to_owned() });
        }
    }
    let rows = others_in_excess(release, original)?;
    reasons.extend((rows > 0).then_some(Reason::Others { rows }));
    Ok(reasons)
}

/// Step 1: the released rows with more of the same cells, besides the quasi-identifiers, than the original.
fn others_in_excess(release: &Table, original: &Dataset) -> Result<u64, Error> {
    let quasi = original.quasi();
    let is_other = |column: &&Column| quasi.iter().all(|q| q.name() != column.name());
    let (n_original, n_released) = (original.n_rows(), release.n_rows());
    let mut rows = Grouping::trivial(n_original + n_released);
    for column in release.columns().iter().filter(is_other) {
        let other = Other::new(column, original.table())?;
        let mut codes = Codes::default();
        other.original.for_each(|code| codes.push(code));
        other.released.for_each(|code| codes.push(code));
        rows = rows.refine(&codes, other.n_codes);
    }
    let mut counts = vec![0_i64; rows.n_classes as usize];
    let (of_original, of_release) = rows.ids.split_at(n_original);
    for &id in of_original {
        counts[id as usize] -= 1;
    }
    for &id in of_release {
        counts[id as usize] += 1;
    }
    Ok(counts.into_iter().filter(|&count| count > 0).sum::<i64>().unsigned_abs())
}

/// Step 2: the first text that is no number within the range of the column, or no value of it.
fn elsewhere(
    release: &Table,
    original: &Dataset,
    attribute: &Attribute,
    column: &Column,
) -> Result<Option<u32>, Error> {
    let values = original.table().column(attribute.name())?.dictionary();
    let numbers = || (0..attribute.n_codes()).filter_map(|code| attribute.number(code));
    let (least, largest) = (numbers().reduce(f64::min), numbers().reduce(f64::max));
    let off = rounding(attribute, column);
    let is_there = |text: &str| {
        if text == "*" || release.missing().is(text) {
            return true;
        }
        if !attribute.value_type().is_ordered() {
            return values.find(text).is_some() || attribute.code_of(text).is_some();
        }
        let bounds = number(attribute, text).zip(least.zip(largest));
        bounds.is_some_and(|(it, (least, largest))| {
            let off = off + SUM * it.abs();
            least - off <= it && it <= largest + off
        })
    };
    let texts = (0..).zip(column.dictionary().iter());
    Ok(texts.into_iter().find(|(_, text)| !is_there(text)).map(|(entry, _)| entry))
}

/// Step 3: whether the numbers of a column can be means of the original's.
fn is_averaged(attribute: &Attribute, column: &Column) -> bool {
    let codes = attribute.codes();
    let original: Option<Vec<f64>> = codes.iter().map(|code| attribute.number(code)).collect();
    let Some(mut original) = original else { return true };
    let of_entry: Vec<Option<f64>> =
        column.dictionary().iter().map(|text| number(attribute, text)).collect();
    let shown = column.codes().iter().filter_map(|entry| of_entry[entry as usize]);
    let mut shown: Vec<f64> = shown.collect();
    original.par_sort_unstable_by(f64::total_cmp);
    shown.par_sort_unstable_by(f64::total_cmp);
    let off = rounding(attribute, column);
    let slack = SUM * original.iter().map(|number| number.abs()).sum::<f64>();
    let mut is_within = true;
    let (mut above, mut below) = (slack, slack);
    for (released, there) in shown.iter().rev().zip(original.iter().rev()) {
        above += there + off - released;
        is_within &= above >= 0.0;
    }
    for (released, there) in shown.iter().zip(&original) {
        below += released + off - there;
        is_within &= below >= 0.0;
    }
    is_within
}

/// The number of a text; a release has its days as year, month and day, whatever the original has.
fn number(attribute: &Attribute, text: &str) -> Option<f64> {
    let as_released = || attribute.number_of_foreign(text, DateFormat::YearMonthDay);
    attribute.number_of(text).or_else(as_released)
}

/// By how much a number of a column may be off.
fn rounding(attribute: &Attribute, column: &Column) -> f64 {
    if attribute.value_type() == ValueType::Date {
        #[expect(clippy::cast_precision_loss, reason = "a day is a small number")]
        return DAY as f64;
    }
    let texts = column.dictionary().iter().filter(|text| attribute.number_of(text).is_some());
    0.5 * 10_f64.powi(-texts.map(decimals).max().unwrap_or(0))
}

/// The digits of a number behind its point.
fn decimals(text: &str) -> i32 {
    let (digits, exponent) = text.trim().split_once(['e', 'E']).unwrap_or((text.trim(), "0"));
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    let exponent = exponent.parse::<i32>().unwrap_or(0);
    i32::try_from(behind).unwrap_or(i32::MAX).saturating_sub(exponent)
}
