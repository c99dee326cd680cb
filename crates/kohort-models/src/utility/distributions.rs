//! The counts of single columns, in the original and as a release tells them.
//!
//! A cell is spread evenly over the values it covers, a suppressed row over all values of its column.

use super::view::{View, real, spread};
use crate::{Score, Undefined};

/// The mean over the quasi-identifiers of a distance between shares of the original and of the release;
/// the parts are the columns.
pub(super) fn mean_distance(
    view: &View<'_>,
    distance: impl Fn(&[f64], &[f64]) -> f64,
) -> Result<Score, Undefined> {
    let bounds = view.bounds()?;
    let n = real(view.group_of_row.len());
    let mut sizes = vec![0.0; view.n_groups()];
    view.published().for_each(|(_, group)| sizes[group] += 1.0);
    let n_suppressed = n - sizes.iter().sum::<f64>();
    let mut parts = Vec::new();
    for (attribute, bounds) in view.dataset.quasi().iter().zip(bounds) {
        let n_codes = attribute.n_codes();
        let everything = ((0, n_codes - 1), n_suppressed);
        let cells = bounds.into_iter().zip(sizes.iter().copied()).chain([everything]);
        let told: Vec<f64> = spread(n_codes, cells).iter().map(|count| count / n).collect();
        let original: Vec<f64> = attribute.counts().iter().map(|&c| f64::from(c) / n).collect();
        // Rounding may leave a little less than nothing.
        parts.push((attribute.name().to_owned(), distance(&original, &told).clamp(0.0, 1.0)));
    }
    let value = parts.iter().map(|part| part.1).sum::<f64>() / real(parts.len());
    Ok(Score { value, bounds: (0.0, 1.0), parts })
}
