//! C_AVG: the normalized average class size.
//!
//! # Formula
//! (n / classes) / k, n being the rows of the original: rows that are suppressed make no class smaller.
//!
//! # Range
//! 1 / k (every row alone) to n / k (one class); 1 is ideal where k holds, and lower is better.
//!
//! # Reads as
//! How many times larger than it had to be a class is, on average.
//!
//! # Undefined when
//! Nothing is published.
//!
//! # References
//! LeFevre, DeWitt and Ramakrishnan, ICDE 2006.

use super::{Better, Measured, Metric, Score, Undefined, real};

pub(super) const METRIC: Metric = Metric {
    id: "c-avg",
    title: "normalized average class size",
    paper: "LeFevre, DeWitt and Ramakrishnan 2006",
    reads_as: "how many times larger than necessary a class is, on average",
    better: Better::Lower,
    measure,
};

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    if measured.groups.is_empty() {
        return Err(Undefined("means nothing for a release without rows"));
    }
    let k = real(measured.k.max(1));
    let mean = real(measured.n_rows) / real(measured.groups.len() as u64);
    Ok(Score::new(mean / k, (1.0 / k, real(measured.n_rows) / k)))
}
