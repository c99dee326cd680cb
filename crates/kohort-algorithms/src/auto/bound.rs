//! A lower bound on the loss of every release that keeps the promises.
//!
//! A row t is published in a class of at least k rows (k: no smaller class keeps the promises), or
//! suppressed at cost 1. The box of the class covers t and k − 1 other rows, so it costs at least the
//! box around t and the furthest of them, and that at least the distance to the (k − 1)-th nearest row
//! of t. The mean of these distances is the bound.

use kohort_core::Ctx;

use super::tree::Tree;
use crate::Problem;

/// The least that the loss per row can be.
pub(super) fn lower_bound(ctx: &Ctx<'_>, problem: &Problem<'_>) -> f64 {
    let points = problem.points();
    let k = u32::try_from(problem.promises().smallest()).unwrap_or(u32::MAX);
    ctx.progress("bounding", 0, 0);
    let reaches = Tree::new(problem.space(), points).reaches(k);
    let of_point = |(point, reach): (usize, &f64)| reach * f64::from(points.weight(point));
    reaches.iter().enumerate().map(of_point).sum::<f64>() / problem.n_rows().max(1) as f64
}
