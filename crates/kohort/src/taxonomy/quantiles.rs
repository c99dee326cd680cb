//! Cuts of a column of numbers into buckets of about equally many rows.
//!
//! Cuts are told to everybody, so that none should be somebody's value: of all numbers that lie within a
//! quarter of a bucket from where the cut should be, the one with the fewest digits is taken.

use kohort_core::Attribute;

use super::{BucketsPlan, Number};

/// The cuts that part the rows of a table in about `n` equal buckets; fewer where many rows share a value.
/// None where all rows have the same number, or no row has one.
pub(crate) fn cut(attribute: &Attribute, n: u32) -> Option<BucketsPlan> {
    let mut numbers: Vec<(f64, u64)> = (0..)
        .zip(attribute.counts())
        .filter_map(|(code, &count)| Some((attribute.number(code)?, u64::from(count))))
        .collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n_rows: u64 = numbers.iter().map(|&(_, count)| count).sum();
    let (least, most) = (numbers.first()?.0, numbers.last()?.0);
    // The number in the row at a share of all rows, given in quarters of a bucket.
    let at = |quarters: u64| {
        let row = (n_rows * quarters / (4 * u64::from(n))).min(n_rows - 1);
        let mut below = 0;
        let is_there = |&&(_, count): &&(f64, u64)| {
            below += count;
            row < below
        };
        numbers.iter().find(is_there).map_or(most, |&(number, _)| number)
    };
    let mut cuts: Vec<Number> = Vec::new();
    let mut last = least;
    for bucket in 1..u64::from(n) {
        let (low, high) = (at(4 * bucket - 1), at(4 * bucket + 1));
        let Some((value, number)) = readable(low, high) else { continue };
        if value > last {
            last = value;
            cuts.push(number);
        }
    }
    (!cuts.is_empty()).then_some(BucketsPlan::Cuts(cuts))
}

/// The number with the fewest digits above `low` and up to `high`; `high` itself where the two are one.
fn readable(low: f64, high: f64) -> Option<(f64, Number)> {
    let exponent_of = |number: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a number")]
        let exponent = number.abs().max(1e-12).log10().floor() as i32;
        exponent
    };
    let largest = exponent_of(high).max(exponent_of(low)) + 1;
    for exponent in (-12..=largest.min(17)).rev() {
        for digit in [5.0, 2.0, 1.0] {
            let (value, number) = multiple(high, digit, exponent)?;
            #[expect(clippy::float_cmp, reason = "many rows share one number")]
            let is_within = value > low && value <= high || low == high && value == high;
            if is_within {
                return Some((value, number));
            }
        }
    }
    None
}

/// The largest multiple of a digit and a power of ten that is not above a number.
fn multiple(number: f64, digit: f64, exponent: i32) -> Option<(f64, Number)> {
    let step = digit * 10_f64.powi(exponent);
    let steps = (number / step).floor();
    let decimals = usize::try_from(-exponent).unwrap_or(0);
    let text = format!("{:.decimals$}", steps * step);
    let value: f64 = text.parse().ok()?;
    let whole = if exponent >= 0 { text.parse().ok().map(Number::Integer) } else { None };
    Some((value, whole.unwrap_or(Number::Decimal(value))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_the_shortest_numbers_near_the_place() {
        let shortest = |low, high| readable(low, high).map(|(_, number)| number.to_string());
        assert_eq!(shortest(1234.5, 2876.0).as_deref(), Some("2000"));
        assert_eq!(shortest(1234.5, 1299.0).as_deref(), Some("1250"));
        assert_eq!(shortest(0.121, 0.1391).as_deref(), Some("0.13"));
        assert_eq!(shortest(-20.0, 7.0).as_deref(), Some("0"));
        assert_eq!(shortest(37.0, 37.0).as_deref(), Some("37"));
        assert_eq!(shortest(-7.5, -7.25).as_deref(), Some("-7.4"));
    }
}
