//! The share of the original rows that are not in the release.
//!
//! # Formula
//! suppressed rows / rows of the original.
//!
//! # Range
//! 0 (none is missing) to 1 (nothing is published); lower is better.
//!
//! # Reads as
//! The share of people the release says nothing about.
//!
//! # Undefined when
//! There are no rows.
//!
//! # References
//! Samarati, TKDE 13(6), 2001.

use super::{Better, Measured, Metric, NO_ROWS, Score, Undefined, real};

pub(super) const METRIC: Metric = Metric {
    id: "suppressed",
    title: "suppressed rows",
    paper: "Samarati 2001",
    reads_as: "the share of people the release says nothing about",
    better: Better::Lower,
    measure,
};

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    if measured.n_rows == 0 {
        return Err(NO_ROWS);
    }
    Ok(Score::new(real(measured.n_suppressed) / real(measured.n_rows), (0.0, 1.0)))
}
