//! KL per attribute: how far what a release tells about each column is from the original's counts.
//!
//! # Formula
//! For each quasi-identifier Σ p1 ln(p1 / p2) over its values; p1 is a value's share of the original,
//! p2 spreads every cell evenly over the values it covers, and suppressed ones over all. Values are those
//! that the original has. The value is the mean over the columns, the parts are the columns.
//!
//! # Range
//! 0 (the same counts) to ln of the number of values; lower is better.
//!
//! # Reads as
//! How wrong the counts of single columns come out when cells are read as evenly spread.
//!
//! # Undefined when
//! There are no rows, or a value of the original is covered by no cell.
//!
//! # References
//! Kifer and Gehrke, SIGMOD 2006.

use super::{Better, Measured, Metric, NO_ROWS, Score, Undefined, real};

pub(super) const METRIC: Metric = Metric {
    id: "kl-attribute",
    title: "Kullback-Leibler divergence of single columns",
    paper: "Kifer and Gehrke 2006",
    reads_as: "how wrong counts of a column are when cells are read as evenly spread",
    better: Better::Lower,
    measure,
};

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    if measured.n_rows == 0 {
        return Err(NO_ROWS);
    }
    let mut parts = Vec::new();
    let mut largest = 0.0;
    for (axis, attribute) in measured.quasi.iter().enumerate() {
        parts.push((attribute.name().to_owned(), divergence(measured, axis)?));
        largest += f64::from(attribute.n_codes()).ln();
    }
    let d = real(measured.n_axes() as u64);
    let value = parts.iter().map(|part| part.1).sum::<f64>() / d;
    Ok(Score { value, bounds: (0.0, largest / d), parts })
}

fn divergence(measured: &Measured<'_>, axis: usize) -> Result<f64, Undefined> {
    let attribute = measured.quasi[axis];
    let n = real(measured.n_rows);
    let n_codes = attribute.n_codes() as usize;
    // Rows by the first and the last code they cover: few pairs, whatever the number of classes.
    let mut rows_of: std::collections::BTreeMap<(u32, u32), f64> =
        std::collections::BTreeMap::new();
    for (cell, size) in measured.column(axis) {
        *rows_of.entry(attribute.codes_of(cell)).or_default() += size;
    }
    let last = u32::try_from(n_codes.max(1) - 1).unwrap_or(u32::MAX);
    *rows_of.entry((0, last)).or_default() += real(measured.n_suppressed);
    let mut p2 = vec![0.0; n_codes];
    for ((lo, hi), rows) in rows_of {
        kohort_core::alive();
        let share = rows / n / (f64::from(hi - lo) + 1.0);
        p2[lo as usize..=hi as usize].iter_mut().for_each(|p2| *p2 += share);
    }
    if p2.iter().any(|&p2| p2 <= 0.0) {
        return Err(Undefined(
            "means nothing for a release that leaves out a value of the original",
        ));
    }
    let p1 = attribute.counts().iter().map(|&count| f64::from(count) / n);
    // Rounding may leave a little less than nothing.
    Ok(p1.zip(p2).map(|(p1, p2)| p1 * (p1 / p2).ln()).sum::<f64>().max(0.0))
}
