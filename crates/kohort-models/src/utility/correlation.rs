//! Correlations: how much what columns tell about each other changes.
//!
//! # Formula
//! For each pair of quasi-identifiers and sensitive attributes an association is taken in the original and
//! in the release: Pearson's and Spearman's correlation of two columns of numbers (ranges are their
//! middles), the correlation ratio η of numbers by values, Cramér's V of two columns of values (a node
//! counts for each of its values with its share). The value is the mean of |original − release| over all
//! pairs; parts are the largest, and the mean for each association that occurs.
//!
//! # Range
//! 0 (nothing changes) to 2; lower is better.
//!
//! # Reads as
//! How far off the correlations are that somebody computes from the release.
//!
//! # Undefined when
//! No row is published, quasi-identifiers are published as they are, or no pair of columns has an
//! association in the original: each has one value, or is not of numbers and has more than 256. A column
//! that the release leaves with one middle has no association there, which counts as 0.
//!
//! # References
//! Cramér 1946; Pearson 1905 (correlation ratio).

use kohort_core::Attribute;

use super::view::{Numbers, real, spread};
use super::{Measure, Options, View};
use crate::{Better, Score, Undefined};

pub(super) const MEASURE: Measure = Measure {
    id: "correlation-difference",
    title: "difference of correlations",
    paper: "Cramér 1946, Pearson 1905",
    reads_as: "how far correlations computed from the release are off",
    better: Better::Lower,
    measure,
};

/// Values that a column without numbers has at most.
const MAX_VALUES: u32 = 256;
const KINDS: [&str; 4] = ["pearson", "spearman", "correlation-ratio", "cramers-v"];

fn measure(view: &View<'_>, _: &Options) -> Result<Score, Undefined> {
    let columns = columns(view)?;
    let mut differences: Vec<(usize, f64)> = Vec::new();
    for (index, a) in columns.iter().enumerate() {
        for b in &columns[..index] {
            kohort_core::alive();
            let before = associations(a, b, &a.original, &b.original);
            let after = associations(a, b, &a.released, &b.released);
            for ((kind, before), (_, after)) in before.into_iter().zip(after) {
                let difference = before.map(|before| (before - after.unwrap_or(0.0)).abs());
                differences.extend(difference.map(|difference| (kind, difference)));
            }
        }
    }
    let mean = |of: &dyn Fn(usize) -> bool| {
        let of_kind = || differences.iter().filter(|(kind, _)| of(*kind)).map(|found| found.1);
        let n = of_kind().count();
        (n > 0).then(|| of_kind().sum::<f64>() / real(n))
    };
    let value = mean(&|_| true).ok_or(Undefined("needs two columns that vary"))?;
    let largest = differences.iter().map(|found| found.1).fold(0.0, f64::max);
    let mut parts = vec![("max".to_owned(), largest)];
    for (kind, name) in KINDS.iter().enumerate() {
        parts.extend(mean(&|found| found == kind).map(|mean| ((*name).to_owned(), mean)));
    }
    Ok(Score { value, bounds: (0.0, 2.0), parts })
}

/// A column: for each row what it shows, in the original and in the release.
struct Column {
    numbers: Option<Numbers>,
    n_codes: u32,
    original: Vec<(u32, u32)>,
    released: Vec<(u32, u32)>,
}

fn columns(view: &View<'_>) -> Result<Vec<Column>, Undefined> {
    let bounds = view.bounds()?;
    let column = |attribute: &Attribute, shown: Option<&Vec<(u32, u32)>>| {
        let original: Vec<(u32, u32)> = attribute.codes().iter().map(|code| (code, code)).collect();
        let released = view.published().map(|(row, group)| match shown {
            Some(bounds) => bounds[group],
            None => original[row],
        });
        let released = released.collect();
        let numbers = Numbers::new(attribute);
        Column { numbers, n_codes: attribute.n_codes(), original, released }
    };
    let quasi = view.dataset.quasi();
    let mut columns: Vec<Column> = quasi
        .iter()
        .zip(&bounds)
        .map(|(attribute, bounds)| column(attribute, Some(bounds)))
        .collect();
    columns.extend(view.dataset.sensitive().iter().map(|attribute| column(attribute, None)));
    columns.retain(|column| column.numbers.is_some() || column.n_codes <= MAX_VALUES);
    Ok(columns)
}

/// The associations of two columns, by their position in `KINDS`.
fn associations(
    a: &Column,
    b: &Column,
    a_rows: &[(u32, u32)],
    b_rows: &[(u32, u32)],
) -> Vec<(usize, Option<f64>)> {
    match (&a.numbers, &b.numbers) {
        (Some(x), Some(y)) => {
            let pairs = a_rows.iter().zip(b_rows);
            let (x, y): (Vec<f64>, Vec<f64>) =
                pairs.filter_map(|(&a, &b)| Some((x.middle(a)?.0, y.middle(b)?.0))).unzip();
            vec![(0, pearson(&x, &y)), (1, pearson(&ranks(&x), &ranks(&y)))]
        }
        (Some(numbers), None) => vec![(2, correlation_ratio(numbers, a_rows, b.n_codes, b_rows))],
        (None, Some(numbers)) => vec![(2, correlation_ratio(numbers, b_rows, a.n_codes, a_rows))],
        (None, None) => vec![(3, cramers_v(a.n_codes, a_rows, b.n_codes, b_rows))],
    }
}

/// Variances below this are rounding: middles lie between 0 and 1.
const NOTHING: f64 = 1e-12;

pub(super) fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let n = real(x.len());
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        xx += (x - mean_x).powi(2);
        yy += (y - mean_y).powi(2);
        xy += (x - mean_x) * (y - mean_y);
    }
    (xx > NOTHING && yy > NOTHING).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// The rank of each value; equal values share the mean of their ranks.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for same in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let mean = real(first) + (real(same.len()) - 1.0) / 2.0;
        for &row in same {
            ranks[row] = mean;
        }
        first += same.len();
    }
    ranks
}

/// η: the root of the share of the numbers' variance that lies between the values.
pub(super) fn correlation_ratio(
    numbers: &Numbers,
    number_rows: &[(u32, u32)],
    n_values: u32,
    value_rows: &[(u32, u32)],
) -> Option<f64> {
    let rows: Vec<(f64, (u32, u32))> = (number_rows.iter().zip(value_rows))
        .filter_map(|(&number, &value)| Some((numbers.middle(number)?.0, value)))
        .collect();
    let n = real(rows.len());
    let mean = rows.iter().map(|row| row.0).sum::<f64>() / n;
    let total: f64 = rows.iter().map(|row| (row.0 - mean).powi(2)).sum();
    let counts = spread(n_values, rows.iter().map(|row| (row.1, 1.0)));
    if total <= NOTHING || counts.iter().filter(|n| **n > NOTHING).count() < 2 {
        return None;
    }
    // The sums above the least number, which `spread` wants to be no less than 0.
    let sums = spread(n_values, rows.iter().map(|row| (row.1, row.0)));
    let between =
        |(n, sum): (f64, f64)| if n > NOTHING { n * (sum / n - mean).powi(2) } else { 0.0 };
    let between: f64 = counts.into_iter().zip(sums).map(between).sum();
    Some((between / total).clamp(0.0, 1.0).sqrt())
}

/// Cramér's V: √(χ² / n / (values of the column with fewer − 1)).
pub(super) fn cramers_v(
    n_a: u32,
    a_rows: &[(u32, u32)],
    n_b: u32,
    b_rows: &[(u32, u32)],
) -> Option<f64> {
    let table = table(n_a, a_rows, n_b, b_rows);
    let n_b = n_b as usize;
    let of_a: Vec<f64> = table.chunks(n_b).map(|row| row.iter().sum()).collect();
    let of_b: Vec<f64> = (0..n_b).map(|b| table.iter().skip(b).step_by(n_b).sum()).collect();
    let occur = |counts: &[f64]| counts.iter().filter(|count| **count > 1e-9).count();
    let fewer = occur(&of_a).min(occur(&of_b));
    if fewer < 2 {
        return None;
    }
    // χ² = n (Σ n_ab² / (n_a n_b) − 1).
    let mut sum = 0.0;
    for (row, a) in table.chunks(n_b).zip(&of_a) {
        for (count, b) in row.iter().zip(&of_b) {
            sum += if a * b > 1e-12 { count * count / (a * b) } else { 0.0 };
        }
    }
    Some(((sum - 1.0).max(0.0) / real(fewer - 1)).sqrt().min(1.0))
}

/// How many rows have each pair of values, every cell spread evenly: rows of `a` by columns of `b`.
fn table(n_a: u32, a_rows: &[(u32, u32)], n_b: u32, b_rows: &[(u32, u32)]) -> Vec<f64> {
    let (height, width) = (n_a as usize + 1, n_b as usize + 1);
    // A step up at the first corner of each rectangle, and down again outside of it: cells are wide.
    let mut steps = vec![0.0; height * width];
    let mut exact = vec![0.0; n_a as usize * n_b as usize];
    for (&(a_lo, a_hi), &(b_lo, b_hi)) in a_rows.iter().zip(b_rows) {
        if a_lo == a_hi && b_lo == b_hi {
            exact[a_lo as usize * (width - 1) + b_lo as usize] += 1.0;
            continue;
        }
        let share = 1.0 / (f64::from(a_hi - a_lo) + 1.0) / (f64::from(b_hi - b_lo) + 1.0);
        let (top, bottom) = (a_lo as usize * width, (a_hi as usize + 1) * width);
        let (left, right) = (b_lo as usize, b_hi as usize + 1);
        steps[top + left] += share;
        steps[top + right] -= share;
        steps[bottom + left] -= share;
        steps[bottom + right] += share;
    }
    let mut above = vec![0.0; width];
    for (row, exact) in steps.chunks(width).zip(exact.chunks_mut(width - 1)) {
        let mut along = 0.0;
        for (column, exact) in exact.iter_mut().enumerate() {
            along += row[column];
            above[column] += along;
            *exact += f64::max(above[column], 0.0);
        }
    }
    exact
}
