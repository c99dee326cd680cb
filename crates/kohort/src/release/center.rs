//! What stands for a group in a microaggregated release: the mean or median of its numbers, the most
//! frequent of its other values.

use kohort_algorithms::{Center, SUPPRESSED};
use kohort_core::{Attribute, Cell, DAY, Table, ValueType, date};

use super::render::text_of;

/// The text of each group. `groups` has the group of each row and the number of groups.
pub(super) fn centers(
    table: &Table,
    attribute: &Attribute,
    (group_of_row, n_groups): (&[u32], usize),
    center: Center,
) -> Vec<String> {
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); n_groups];
    for (row, &group) in group_of_row.iter().enumerate() {
        if group != SUPPRESSED {
            codes[group as usize].push(attribute.codes().get(row));
        }
    }
    codes.iter_mut().map(|codes| center_of(table, attribute, codes, center)).collect()
}

fn center_of(table: &Table, attribute: &Attribute, codes: &mut [u32], center: Center) -> String {
    codes.sort_unstable();
    let numbers: Vec<f64> = codes.iter().filter_map(|&code| attribute.number(code)).collect();
    // A group that is mostly missing is missing.
    if !attribute.value_type().is_ordered() || numbers.len() * 2 < codes.len() {
        return text_of(table, attribute, Cell::Leaf(most_frequent(codes)));
    }
    let number = match center {
        Center::Mean => mean(&numbers),
        Center::Median => median(numbers),
    };
    spelled(number, attribute.value_type())
}

/// The most frequent of sorted codes; the first of several.
fn most_frequent(codes: &[u32]) -> u32 {
    let mut best: (usize, u32) = (0, 0);
    for run in codes.chunk_by(|a, b| a == b) {
        if run.len() > best.0 {
            best = (run.len(), run[0]);
        }
    }
    best.1
}

#[expect(clippy::cast_precision_loss, reason = "a group has few rows")]
fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    match numbers.len() % 2 {
        1 => numbers[half],
        _ => f64::midpoint(numbers[half - 1], numbers[half]),
    }
}

/// A number with at most four decimals, or a day.
fn spelled(number: f64, value_type: ValueType) -> String {
    if value_type == ValueType::Date {
        return spelled_day(number);
    }
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The day of a number of microseconds.
#[expect(clippy::cast_possible_truncation, reason = "a day within the calendar")]
pub(super) fn spelled_day(micros: f64) -> String {
    let (year, month, day) = date::civil_from_days((micros as i64).div_euclid(DAY) as i32);
    format!("{year:04}-{month:02}-{day:02}")
}
