//! Quantiles of the class sizes.
//!
//! # Formula
//! The sizes sorted; the q-quantile is the smallest size that at least a share q of the classes do not
//! exceed. The value is the median, the parts are the smallest, the quartiles and the largest.
//!
//! # Range
//! 1 to the number of rows; it describes, and neither end is good.
//!
//! # Reads as
//! The size of a class in the middle of all classes.
//!
//! # Undefined when
//! Nothing is published.
//!
//! # References
//! None: a summary.

use super::{Better, Measured, Metric, Score, Undefined, real};

pub(super) const METRIC: Metric = Metric {
    id: "class-size",
    title: "class sizes",
    paper: "none: a summary",
    reads_as: "the median class size",
    better: Better::Neither,
    measure,
};

const QUANTILES: [(&str, usize); 5] =
    [("smallest", 0), ("quarter", 1), ("median", 2), ("three-quarters", 3), ("largest", 4)];

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    let mut sizes = measured.groups.to_vec();
    sizes.sort_unstable();
    if sizes.is_empty() {
        return Err(Undefined("means nothing for a release without rows"));
    }
    let quantile = |quarters: usize| sizes[(sizes.len() * quarters).div_ceil(4).max(1) - 1];
    let part = |&(name, quarters): &(&str, usize)| (name.to_owned(), real(quantile(quarters)));
    let bounds = (1.0, real(measured.n_rows));
    let parts = QUANTILES.iter().map(part).collect();
    Ok(Score { value: real(quantile(2)), bounds, parts })
}
