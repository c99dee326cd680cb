//! A lower bound on the loss of every release that keeps the promises.
//!
//! A row t is published in a class of at least k rows (k: no smaller class keeps the promises), or
//! suppressed at cost 1. The box of the class covers t and k − 1 other rows, so it costs at least the
//! box around t and the furthest of them, and that at least the distance to the (k − 1)-th nearest row
//! of t. No box costs more than 1, so a row that is suppressed costs no less either. The mean of these
//! distances is the bound.

use kohort_core::Ctx;

use crate::Problem;
use crate::tree::Tree;

/// How far must be looked from each point: the rows of a class that was found lie within its cost of each
/// other. `costs` has the cost of each class.
pub(super) fn limits(problem: &Problem<'_>, group_of_row: &[u32], costs: &[f64]) -> Vec<f64> {
    let points = problem.points();
    let cost = |row: u32| costs.get(group_of_row[row as usize] as usize).copied();
    let of_point = |point: usize| {
        let least = points.rows(point).iter().filter_map(|&row| cost(row)).reduce(f64::min);
        // Sums over the axes in another order differ in the last digits.
        least.map_or(f64::INFINITY, |least| least * (1.0 + 1e-9) + 1e-12)
    };
    (0..points.len()).map(of_point).collect()
}

/// The least that the loss per row can be where no class has fewer than `k` rows.
pub(super) fn lower_bound(ctx: &Ctx<'_>, problem: &Problem<'_>, k: u32, limits: &[f64]) -> f64 {
    ctx.progress("bounding", 0, 0);
    let tree = Tree::new(problem.space(), problem.points());
    tree.total_reach(k, limits) / problem.n_rows().max(1) as f64
}
