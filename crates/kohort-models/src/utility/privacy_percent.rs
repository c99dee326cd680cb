//! The privacy percentage of Tandon and Jain 2010: the share of cells that tell nothing.
//!
//! # Formula
//! 100 · (cells that show the root) / (cells), over the published rows, those that are suppressed and stay
//! included, and the quasi-identifiers that are published as nodes of a taxonomy. Columns published as
//! ranges are in neither count: their cells never
//! become the root's text, so that 100 would be out of reach.
//!
//! # Range
//! 0 (every cell tells something) to 100 (none does). It does not rank: see [`PRIVACY_PERCENT_CAVEAT`].
//!
//! # Reads as
//! The percentage of taxonomy cells that were generalized away completely.
//!
//! # Undefined when
//! No row is published, quasi-identifiers are published as they are, or all are published as ranges.
//!
//! # References
//! Tandon and Jain 2010, §4.5 (`Privacy %`).

use kohort_core::Cell;

use super::view::real;
use super::{Measure, Options, View};
use crate::{Better, Score, Undefined};

pub(super) const MEASURE: Measure = Measure {
    id: "privacy-percent",
    title: "privacy percentage of Tandon and Jain 2010",
    paper: "Tandon and Jain 2010",
    reads_as: "the percentage of taxonomy cells that were generalized away completely",
    better: Better::Neither,
    measure,
};

/// What must stand beside the number wherever it is shown.
pub const PRIVACY_PERCENT_CAVEAT: &str = "this is a share of lost cells, not a protection: it \
                                          ignores the size of the classes and the sensitive \
                                          values, and a release can reach 100 % and still \
                                          disclose everybody's sensitive value";

fn measure(view: &View<'_>, options: &Options) -> Result<Score, Undefined> {
    view.bounds()?;
    let quasi = view.dataset.quasi();
    let in_taxonomies = || (0..quasi.len()).filter(|&axis| !quasi[axis].is_ranged());
    if in_taxonomies().next().is_none() {
        return Err(Undefined(
            "counts cells of taxonomies, and every column is published as ranges",
        ));
    }
    let (mut lost, mut cells) = (0, 0);
    for (_, group) in view.published() {
        let is_lost = |&axis: &usize| view.cells.column(axis).get(group) == Cell::ANY;
        lost += in_taxonomies().filter(is_lost).count();
        cells += in_taxonomies().count();
    }
    if options.keeps_suppressed {
        let n_starred = view.group_of_row.len() - view.published().count();
        lost += n_starred * in_taxonomies().count();
        cells += n_starred * in_taxonomies().count();
    }
    Ok(Score { value: 100.0 * real(lost) / real(cells), bounds: (0.0, 100.0), parts: Vec::new() })
}
