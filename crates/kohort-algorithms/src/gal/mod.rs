//! Gal's model: so many sensitive values must be ruled out before a class says anything for certain.
//!
//! # Guarantee
//! In every class at least l values of sensitive attributes must be deleted to delete all rows, and every
//! other promise is kept. After i bits of non-membership knowledge l − i values must still go. There is
//! no bound on a probability: a value may fill nearly the whole class, and neither l-pdiversity nor
//! l-mdiversity is kept.
//!
//! # Method
//! 1. Start with all rows as one part.
//! 2. Cut it top-down on the attribute of the widest range, like Mondrian, while both parts keep the
//!    condition (`hitting.rs`).
//! 3. In a class without such a cut, cut the widest attribute at its median: where one of the two parts
//!    keeps the condition, the tuples of the other are excluded, as long as that lowers the loss and so
//!    many rows may be suppressed. Where it lowers the loss most comes first.
//!
//! # Notation
//! ℓ → `l`; diversity of a group → the smallest hitting set of its rows.
//!
//! # Cost
//! That of Mondrian, and the smallest hitting sets: a class that is diverse by far shows it at once.
//!
//! # Deviations
//! - Step 3: Abdalaal 2012 excludes whatever fails. Its example comes out the same.
//! - Step 2 tries cuts near the median where the median fails (`mondrian`).
//!
//! # References
//! Gal, Chen, Gangopadhyay, IJISP 2(3), 2008, as described in section 3.4 of Abdalaal 2012.

#[cfg(test)]
mod tests;

use kohort_core::{Ctx, Spec};

use crate::check::Check;
use crate::extent::Extent;
use crate::shared_l::{distinct_each, instead, l_of_all};
use crate::{Algorithm, Candidate, Facts, Failure, Problem, mondrian};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "gal",
    title: "Gal's diversity by deletions",
    paper: "Gal et al. 2008",
    promise: "l sensitive values must be ruled out before a class discloses anything for \
              certain; no bound on a probability",
    parameters: &[],
};

/// Gal's model.
pub(crate) struct Gal;

impl Algorithm for Gal {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::RIVAL
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let l = l_of_all(problem, SPEC.id)?;
        // Deleting all values of an attribute deletes all rows: there are l of them.
        let own = instead(problem, distinct_each(problem, l)?).with_fewest_deletions(l);
        let mut classes = mondrian::classes(&own, false)?;
        exclude(&own, &mut classes);
        Ok(Candidate::of_groups(problem, &classes))
    }
}

/// A class without some of its rows.
struct Exclusion {
    // By how much the sum of the losses of all rows falls.
    gain: f64,
    class: usize,
    kept: Vec<u32>,
}

/// Step 3.
fn exclude(problem: &Problem<'_>, classes: &mut [Vec<u32>]) {
    let mut left = problem.settings().suppression;
    if left == 0 {
        return;
    }
    let point_of_row = problem.points().point_of_row();
    let mut check = Check::new(problem);
    let mut found: Vec<Exclusion> = (classes.iter().enumerate())
        .filter_map(|(class, rows)| {
            let (gain, kept) = exclusion(problem, &point_of_row, &mut check, rows)?;
            (gain > 0.0).then_some(Exclusion { gain, class, kept })
        })
        .collect();
    found.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.class.cmp(&b.class)));
    for Exclusion { class, kept, .. } in found {
        let n_excluded = (classes[class].len() - kept.len()) as u64;
        if n_excluded <= left {
            left -= n_excluded;
            classes[class] = kept;
        }
    }
}

/// The first exclusion of a class, widest attribute first: what it gains, and the rows that stay.
fn exclusion(
    problem: &Problem<'_>,
    point_of_row: &[u32],
    check: &mut Check<'_, '_>,
    rows: &[u32],
) -> Option<(f64, Vec<u32>)> {
    let (space, points) = (problem.space(), problem.points());
    let codes = |row: u32| points.codes(point_of_row[row as usize] as usize);
    let cost = |rows: &[u32]| {
        let edges = Extent::around(space, rows.iter().map(|&row| codes(row)));
        (rows.len() as f64 * edges.cost, edges)
    };
    let (whole, edges) = cost(rows);
    let width = |axis: usize| space.axes()[axis].cost(edges.lo[axis], edges.hi[axis]);
    let mut axes: Vec<usize> = (0..space.n_axes()).filter(|&axis| width(axis) > 0.0).collect();
    axes.sort_by(|&a, &b| width(b).total_cmp(&width(a)));
    for axis in axes {
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|&row| codes(row)[axis]);
        let median = codes(sorted[(sorted.len() - 1) / 2])[axis];
        let end = sorted.partition_point(|&row| codes(row)[axis] <= median);
        let (below, above) = sorted.split_at(end);
        let (kept, excluded) = match (check.holds(below), check.holds(above)) {
            (true, false) => (below, above),
            (false, true) => (above, below),
            _ => continue,
        };
        return Some((whole - cost(kept).0 - excluded.len() as f64, kept.to_vec()));
    }
    None
}
