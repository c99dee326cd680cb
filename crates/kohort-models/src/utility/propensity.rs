//! pMSE: whether rows of a release can be told from rows of the original.
//!
//! # Formula
//! The quasi-identifiers of the original (0) are stacked on those of the published rows (1), each drawn
//! evenly from the values that its cells cover; a logistic regression on single columns tells them apart.
//! pMSE = (1/N) Σ (p̂ − c)², c being the share of published rows. Parts: the ratio to what is expected when
//! nothing can be told, (p − 1)(1 − c)² c / N for p parameters, and the largest possible, c (1 − c). All
//! are means over the draws.
//!
//! # Range
//! 0 (cannot be told apart) to c (1 − c) (always told apart); lower is better. A ratio near 1 is what
//! chance gives.
//!
//! # Reads as
//! How surely a simple model sees whether a row comes from the release or from the original.
//!
//! # Undefined when
//! No row is published, quasi-identifiers are published as they are, there are no draws, or every
//! quasi-identifier has one value.
//!
//! # References
//! Snoke, Raab, Nowok, Dibben and Slavkovic, JRSS A 181(3), 2018.

use rayon::prelude::*;

use super::learn::{Encoder, Model, Sample, fit_logistic};
use super::view::real;
use super::{Measure, Options, View};
use crate::Draw;
use crate::{Better, Score, Undefined};

pub(super) const MEASURE: Measure = Measure {
    id: "pmse",
    title: "propensity mean squared error",
    paper: "Snoke et al. 2018",
    reads_as: "how well a simple model tells rows of the release from rows of the original",
    better: Better::Lower,
    measure,
};

/// Rows that are stacked from either side at most: every so-manieth of more.
const MAX_ROWS: usize = 5_000;
/// Between the seeds of two draws.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Enough to keep redundant features apart, too little to be felt.
const RIDGE: f64 = 1e-4;

fn measure(view: &View<'_>, options: &Options) -> Result<Score, Undefined> {
    let bounds = view.bounds()?;
    let quasi = view.dataset.quasi();
    let encoder = Encoder::new(&quasi);
    if options.n_draws == 0 || encoder.n_parameters() < 2 {
        return Err(Undefined("needs a draw, and a column with two values"));
    }
    let columns: Vec<Vec<u32>> = quasi.iter().map(|a| a.codes().iter().collect()).collect();
    let stride = view.dataset.n_rows().div_ceil(MAX_ROWS);
    let originals: Vec<usize> = (0..view.dataset.n_rows()).step_by(stride).collect();
    let published: Vec<(usize, usize)> = view.published().step_by(stride).collect();
    let of_draw = |number: u64| {
        let mut draw = Draw::new(options.seed.wrapping_add(number.wrapping_mul(STEP)));
        let mut stack: Vec<(Vec<u32>, usize)> = (originals.iter())
            .map(|&row| (columns.iter().map(|codes| codes[row]).collect(), 0))
            .collect();
        stack.extend(published.iter().map(|&(_, group)| {
            let point = |bounds: &Vec<(u32, u32)>| {
                let (lo, hi) = bounds[group];
                let step = if lo == hi { 0 } else { draw.below((hi - lo) as usize + 1) };
                lo + u32::try_from(step).expect("it is a code")
            };
            (bounds.iter().map(point).collect(), 1)
        }));
        kohort_core::alive();
        pmse(&encoder, stack)
    };
    let found: Vec<f64> = (0..options.n_draws as u64).into_par_iter().map(of_draw).collect();
    let sum: f64 = found.iter().sum();
    let (n, n_published) = (real(originals.len() + published.len()), real(published.len()));
    let c = n_published / n;
    let by_chance = real(encoder.n_parameters() - 1) * (1.0 - c).powi(2) * c / n;
    let value = sum / real(options.n_draws);
    let parts = vec![
        ("ratio".to_owned(), value / by_chance),
        ("by-chance".to_owned(), by_chance),
        ("separable".to_owned(), c * (1.0 - c)),
    ];
    Ok(Score { value, bounds: (0.0, c * (1.0 - c)), parts })
}

/// Rows with their side, 0 or 1: how far the model's beliefs are from the share of side 1.
fn pmse(encoder: &Encoder, mut stack: Vec<(Vec<u32>, usize)>) -> f64 {
    // Equal rows are one entry.
    stack.sort_unstable();
    let n = real(stack.len());
    let c = real(stack.iter().filter(|row| row.1 == 1).count()) / n;
    let mut sample = Sample::new(stack.first().map_or(0, |row| row.0.len()), 2);
    for same in stack.chunk_by(|a, b| a.0 == b.0) {
        let n_published = same.iter().filter(|row| row.1 == 1).count();
        let sides = vec![(0, real(same.len() - n_published)), (1, real(n_published))];
        sample.push(same[0].0.iter().map(|&code| (code, code)), sides);
    }
    let model = fit_logistic(encoder, &sample, RIDGE);
    let of_entry = |entry: usize| {
        let n_rows: f64 = sample.classes(entry).iter().map(|side| side.1).sum();
        n_rows * (model.predict(sample.bounds(entry))[1] - c).powi(2)
    };
    (0..sample.len()).map(of_entry).sum::<f64>() / n
}
