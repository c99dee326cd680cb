//! KL: how far the distribution that a release admits is from the original's.
//!
//! # Formula
//! Σ p1 ln(p1 / p2) over the distinct rows of the original on all quasi-identifiers together. p1 is
//! their share of the original; p2 spreads every released row evenly over the combinations of values
//! in its box, and every suppressed row over all combinations. Values are those that the original has:
//! leaves of a taxonomy that nobody has are in no box.
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
//! Kifer and Gehrke, SIGMOD 2006.

use std::ops::Range;

use kohort_core::{Codes, group};

use super::{Better, Measured, Metric, NO_ROWS, Score, Undefined, real};

pub(super) const METRIC: Metric = Metric {
    id: "kl",
    title: "Kullback-Leibler divergence of whole rows",
    paper: "Kifer and Gehrke 2006",
    reads_as: "how surprising the original is to somebody who believes the release, in nats per \
               row",
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
    let bounds = |class: usize| -> Vec<(u32, u32)> {
        let cells = measured.quasi.iter().zip(measured.cells.class(class));
        cells.map(|(attribute, cell)| attribute.codes_of(cell)).collect()
    };
    let n_classes = measured.cells.n_classes();
    let narrowest = (0..n_classes).map(|class| rows.narrowest(&bounds(class)));
    let (axes, counts): (Vec<u32>, Vec<u32>) = narrowest.unzip();
    if counts.into_iter().map(u64::from).sum::<u64>() > LIMIT {
        return Err(Undefined("would compare too many boxes with too many rows"));
    }
    let n = real(measured.n_rows);
    let combinations: f64 = measured.quasi.iter().map(|a| f64::from(a.n_codes())).product();
    let everywhere = real(measured.n_suppressed) / n / combinations;
    let mut p2 = vec![everywhere; rows.sizes.len()];
    // One axis at a time, so that the rows are in the order of one axis only.
    for axis in 0..measured.n_axes() {
        let by_code = rows.by_code(axis);
        for class in (0..n_classes).filter(|&class| axes[class] as usize == axis) {
            kohort_core::alive();
            let (bounds, size) = (bounds(class), real(measured.sizes[class]));
            let volume: f64 = bounds.iter().map(|(lo, hi)| f64::from(hi - lo) + 1.0).product();
            let inside = by_code[rows.range(axis, bounds[axis])].iter().map(|&row| row as usize);
            for row in inside.filter(|&row| rows.is_in(row, &bounds)) {
                p2[row] += size / n / volume;
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
    // By axis.
    codes: Vec<Codes>,
    sizes: Vec<u32>,
    // By axis: how many rows have a smaller code; one entry more than codes.
    starts: Vec<Vec<u32>>,
}

impl Rows {
    fn new(measured: &Measured<'_>) -> Self {
        let n_rows = measured.quasi.first().map_or(0, |attribute| attribute.codes().len());
        let grouping = group(n_rows, measured.quasi.iter().map(|a| (a.codes(), a.n_codes())));
        let first = grouping.first_rows();
        let codes: Vec<Codes> = measured.quasi.iter().map(|a| a.codes().select(&first)).collect();
        let starts = codes.iter().zip(measured.quasi).map(|(codes, attribute)| {
            let mut starts = vec![0; attribute.n_codes() as usize + 1];
            codes.for_each(|code| starts[code as usize + 1] += 1);
            for at in 1..starts.len() {
                starts[at] += starts[at - 1];
            }
            starts
        });
        let starts = starts.collect();
        Self { codes, sizes: grouping.sizes(), starts }
    }

    /// The axis on which the fewest rows are inside a box, and their number.
    fn narrowest(&self, bounds: &[(u32, u32)]) -> (u32, u32) {
        let n_inside = self
            .starts
            .iter()
            .zip(bounds)
            .map(|(starts, &(lo, hi))| starts[hi as usize + 1] - starts[lo as usize]);
        (0..).zip(n_inside).min_by_key(|&(_, n_inside)| n_inside).unwrap_or_default()
    }

    /// The rows in the order of their codes on an axis.
    fn by_code(&self, axis: usize) -> Vec<u32> {
        let mut next = self.starts[axis].clone();
        let mut rows = vec![0; self.sizes.len()];
        let mut numbers = 0_u32..;
        self.codes[axis].for_each(|code| {
            let place = &mut next[code as usize];
            rows[*place as usize] = numbers.next().unwrap_or_default();
            *place += 1;
        });
        rows
    }

    /// Where in that order the rows with codes from the lowest to the highest stand.
    fn range(&self, axis: usize, (lo, hi): (u32, u32)) -> Range<usize> {
        let starts = &self.starts[axis];
        starts[lo as usize] as usize..starts[hi as usize + 1] as usize
    }

    fn is_in(&self, row: usize, bounds: &[(u32, u32)]) -> bool {
        let axes = self.codes.iter().zip(bounds);
        axes.map(|(codes, ends)| (codes.get(row), ends))
            .all(|(code, &(lo, hi))| lo <= code && code <= hi)
    }
}
