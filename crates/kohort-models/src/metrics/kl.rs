//! KL: how far the distribution that a release admits is from the original's.
//!
//! # Formula
//! Σ p1 ln(p1 / p2) over the distinct rows of the original on all quasi-identifiers together. p1 is
//! their share of the original; p2 spreads every released row evenly over the combinations of values
//! in its box, and every suppressed row over all combinations.
//!
//! # Range
//! 0 (the same distribution) to ln of the number of combinations; lower is better.
//!
//! # Reads as
//! How surprised somebody who believes the release would be by the original, in nats per row.
//!
//! # Undefined when
//! There are no rows, a row of the original lies in no box, or boxes and rows are so many that
//! comparing them would take more than about a second.
//!
//! # References
//! Kifer and Gehrke, SIGMOD 2006. specs/02 §1.1.

use kohort_core::group;

use super::{Better, Measured, Metric, NO_ROWS, Score, Undefined, real};

pub(super) const METRIC: Metric = Metric {
    id: "kl",
    title: "Kullback-Leibler divergence of whole rows",
    paper: "Kifer and Gehrke 2006",
    reads_as: "how surprised a believer of the release is by the original, in nats per row",
    better: Better::Lower,
    measure,
};

/// Comparisons of a box with a row that are made at most: about half a second.
const LIMIT: u64 = 40_000_000;

fn measure(measured: &Measured<'_>) -> Result<Score, Undefined> {
    if measured.n_rows == 0 {
        return Err(NO_ROWS);
    }
    let rows = Rows::new(measured);
    let boxes: Vec<(Vec<(u32, u32)>, f64)> = (measured.classes())
        .map(|(cells, size)| {
            let axes = measured.quasi.iter().zip(cells);
            (axes.map(|(attribute, &cell)| attribute.codes_of(cell)).collect(), size)
        })
        .collect();
    let work: u64 = boxes.iter().map(|(bounds, _)| rows.candidates(bounds).len() as u64).sum();
    if work > LIMIT {
        return Err(Undefined("would compare too many boxes with too many rows"));
    }
    let n = real(measured.n_rows);
    let combinations: f64 = measured.quasi.iter().map(|a| f64::from(a.n_codes())).product();
    let everywhere = real(measured.n_suppressed) / n / combinations;
    let mut p2 = vec![everywhere; rows.sizes.len()];
    for (bounds, size) in &boxes {
        let volume: f64 = bounds.iter().map(|(lo, hi)| f64::from(hi - lo) + 1.0).product();
        for &row in rows.candidates(bounds) {
            if rows.is_in(row, bounds) {
                p2[row as usize] += size / n / volume;
            }
        }
    }
    if p2.iter().any(|&p2| p2 <= 0.0) {
        return Err(Undefined("means nothing for a release that leaves out a row of the original"));
    }
    let p1 = rows.sizes.iter().map(|&size| f64::from(size) / n);
    let divergence: f64 = p1.zip(p2).map(|(p1, p2)| p1 * (p1 / p2).ln()).sum();
    // Rounding may leave a little less than nothing.
    Ok(Score::new(divergence.max(0.0), (0.0, combinations.ln())))
}

/// The distinct rows of the original, to be found by their code on any axis.
struct Rows {
    n_axes: usize,
    codes: Vec<u32>,
    sizes: Vec<u32>,
    // For each axis: the rows by code, and where each code begins.
    by_code: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Rows {
    fn new(measured: &Measured<'_>) -> Self {
        let n_rows = measured.quasi.first().map_or(0, |attribute| attribute.codes().len());
        let grouping = group(n_rows, measured.quasi.iter().map(|a| (a.codes(), a.n_codes())));
        let (n_axes, first) = (measured.n_axes(), grouping.first_rows());
        let code = |row: u32, axis: usize| measured.quasi[axis].codes().get(row as usize);
        let codes = first.iter().flat_map(|&row| (0..n_axes).map(move |axis| code(row, axis)));
        let by_code = (0..n_axes).map(|axis| {
            let mut starts = vec![0; measured.quasi[axis].n_codes() as usize + 1];
            for &row in &first {
                starts[code(row, axis) as usize + 1] += 1;
            }
            for at in 1..starts.len() {
                starts[at] += starts[at - 1];
            }
            let mut rows: Vec<u32> = (0..grouping.n_classes).collect();
            rows.sort_by_key(|&row| code(first[row as usize], axis));
            (rows, starts)
        });
        let by_code = by_code.collect();
        Self { n_axes, codes: codes.collect(), sizes: grouping.sizes(), by_code }
    }

    /// The rows inside a box on the axis where they are fewest.
    fn candidates(&self, bounds: &[(u32, u32)]) -> &[u32] {
        let slices = self.by_code.iter().zip(bounds).map(|((rows, starts), &(lo, hi))| {
            &rows[starts[lo as usize] as usize..starts[hi as usize + 1] as usize]
        });
        slices.min_by_key(|rows| rows.len()).unwrap_or_default()
    }

    fn is_in(&self, row: u32, bounds: &[(u32, u32)]) -> bool {
        let codes = &self.codes[row as usize * self.n_axes..][..self.n_axes];
        codes.iter().zip(bounds).all(|(code, (lo, hi))| lo <= code && code <= hi)
    }
}
