//! Prec: how far up their taxonomies cells were raised.
//!
//! # Formula
//! 1 − Σ over cells of level / height, divided by the number of cells. The level of a node is the
//! lowest it stands on; a cell of a suppressed row is at the top.
//!
//! # Range
//! 0 (everything at the root) to 1 (nothing raised); higher is better.
//!
//! # Reads as
//! The share of the steps up the taxonomies that were not taken.
//!
//! # Undefined when
//! The release shows ranges, which stand on no level; or there are no rows.
//!
//! # References
//! Sweeney, IJUFKS 10(5), 2002.

use super::{Better, Measured, Metric, NO_LEVELS, NO_ROWS, Score, Undefined};

pub(super) const METRIC: Metric = Metric {
    id: "prec",
    title: "precision",
    paper: "Sweeney 2002",
    reads_as: "the share of the steps up the taxonomies that were not taken",
    better: Better::Higher,
    measure,
};

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    if measured.n_rows == 0 {
        return Err(NO_ROWS);
    }
    if measured.has_ranges() {
        return Err(NO_LEVELS);
    }
    let raised = measured.total(|axis, cell| {
        let (level, height) = measured.levels(axis, cell).unwrap_or((1, 1));
        f64::from(level) / f64::from(height)
    });
    Ok(Score::new(1.0 - raised / measured.n_cells(), (0.0, 1.0)))
}
