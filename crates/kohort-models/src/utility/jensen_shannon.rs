//! Jensen-Shannon: how well each column's counts and those a release tells can be told apart.
//!
//! # Formula
//! For each quasi-identifier ½ Σ p log2(p / m) + ½ Σ q log2(q / m) with m = (p + q) / 2 and 0 log 0 = 0;
//! p and q as for the total variation. The value is the mean over the columns, the parts are the columns.
//!
//! # Range
//! 0 (the same counts) to 1 (no value in common); lower is better.
//!
//! # Reads as
//! How many bits one value tells about whether it was drawn from the original or from the release.
//!
//! # Undefined when
//! No row is published, or quasi-identifiers are published as they are.
//!
//! # References
//! Lin, IEEE Transactions on Information Theory 37(1), 1991.

use super::distributions::mean_distance;
use super::{Measure, Options, View};
use crate::{Better, Score, Undefined};

pub(super) const MEASURE: Measure = Measure {
    id: "jensen-shannon",
    title: "Jensen-Shannon divergence of single columns",
    paper: "Lin 1991",
    reads_as: "how many bits a value reveals about coming from the original or the release",
    better: Better::Lower,
    measure,
};

fn measure(view: &View<'_>, _: &Options) -> Result<Score, Undefined> {
    mean_distance(view, |p, q| {
        let half = |share: f64, middle: f64| {
            if share > 0.0 { share * (share / middle).log2() / 2.0 } else { 0.0 }
        };
        p.iter()
            .zip(q)
            .map(|(&p, &q)| half(p, f64::midpoint(p, q)) + half(q, f64::midpoint(p, q)))
            .sum()
    })
}
