//! DM: the discernibility metric.
//!
//! # Formula
//! Σ over classes, or the groups of an anatomized release, of |E|² + n per suppressed row, n being the rows of the original.
//!
//! # Range
//! n (every row alone) to n² (one class, or all suppressed); lower is better.
//!
//! # Reads as
//! For each row the number of rows it cannot be told from, summed.
//!
//! # Undefined when
//! Never.
//!
//! # References
//! Bayardo and Agrawal, ICDE 2005.; errata: Σ_E |E|², which is Σ_t |E(t)|.

use super::{Better, Measured, Metric, Score, Undefined, real};

pub(super) const METRIC: Metric = Metric {
    id: "dm",
    title: "discernibility metric",
    paper: "Bayardo and Agrawal 2005",
    reads_as: "for each row, the number of rows it cannot be distinguished from, summed",
    better: Better::Lower,
    measure,
};

#[expect(clippy::unnecessary_wraps, reason = "every metric has this signature")]
fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    let n = real(measured.n_rows);
    let published: f64 = measured.groups.iter().map(|&size| real(size) * real(size)).sum();
    Ok(Score::new(published + n * real(measured.n_suppressed), (n, n * n)))
}
