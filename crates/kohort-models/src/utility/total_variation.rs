//! Total variation: how much of each column's counts a release puts on wrong values.
//!
//! # Formula
//! For each quasi-identifier ½ Σ |p − q| over its values; p is a value's share of the original, q its
//! share when every cell is spread evenly over the values it covers and suppressed rows over all. The
//! value is the mean over the columns, the parts are the columns.
//!
//! # Range
//! 0 (the same counts) to 1; lower is better.
//!
//! # Reads as
//! The share of rows that count for a wrong value when cells are read as evenly spread.
//!
//! # Undefined when
//! No row is published, or quasi-identifiers are published as they are.
//!
//! # References
//! Tandon and Jain, Balancing between Data Utility and Privacy Preservation in Data Mining, 2010.

use super::distributions::mean_distance;
use super::{Measure, Options, View};
use crate::{Better, Score, Undefined};

pub(super) const MEASURE: Measure = Measure {
    id: "total-variation",
    title: "total variation of single columns",
    paper: "Levin, Peres and Wilmer 2009",
    reads_as: "the share of rows counted for a wrong value when cells are read as evenly spread",
    better: Better::Lower,
    measure,
};

fn measure(view: &View<'_>, _: &Options) -> Result<Score, Undefined> {
    mean_distance(view, |p, q| p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0)
}
