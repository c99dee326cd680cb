//! Sensitive-value categorization: rows with a value declared high are made k-anonymous among themselves,
//! the others are published as they are. **Unsafe**: kept to reproduce the paper.
//!
//! # Guarantee
//! Rows with a high value are in classes of at least k rows. Nothing is promised for the release: its k
//! is 1 as soon as a row with a low value differs from all others. Rows with a low value show their
//! value, and who is in the table but not among them has a high value for sure.
//!
//! # Method
//! 1. Split the rows into those with a high value and those with a low value.
//! 2. Cluster the rows with a high value: while k are left, choose as seed the row furthest from the seed
//!    before, and add the row with the least ΔIL until the class has k rows.
//! 3. Each row with a high value that is left over joins the class of least ΔIL.
//! 4. Each row with a low value is a class of its own.
//!
//! # Notation
//! H and L, the declared values → `Settings::high` and the rest.
//!
//! # Cost
//! O(h²·d / k) time for h rows with a high value.
//!
//! # Deviations
//! The paper's k-anonymizer is not named; ours is k-member. Promises beyond a number of rows per class are
//! not asked of the rows with a high value, as in the paper.
//!
//! # References
//! Sharma et al., §6 and Table 6; why it is unsafe: the attack `elimination`.

#[cfg(test)]
mod tests;

use kohort_core::{Ctx, Kind, Spec};

use crate::Draw;
use crate::pool::{Cluster, Pool, cheapest_cluster};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "sensitive-split",
    title: "sensitive-value categorization",
    paper: "Sharma et al., k-anonymity by categorization of sensitive values",
    promise: "rows with a value declared high are in classes of at least k rows; all others are unprotected",
    parameters: &[],
};

/// Sensitive-value categorization in its original form.
pub(crate) struct SensitiveSplit;

impl Algorithm for SensitiveSplit {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_safe: false, is_quadratic: true, ..Facts::PLAIN }
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let Some(high) = &problem.settings().high else {
            let reason = "needs the sensitive values that are declared high".into();
            return Err(Kind::Unsuited { method: SPEC.id, reason }.into());
        };
        let codes = problem.sensitive()[high.attribute].codes();
        let is_high = |row: u32| high.codes.binary_search(&codes.get(row as usize)).is_ok();
        let rows = 0..u32::try_from(problem.n_rows()).expect("rows are counted in u32");
        let clusters = cluster(ctx, problem, |row| is_high(row).then_some(0))?;
        let mut groups: Vec<Vec<u32>> = clusters.into_iter().map(|cluster| cluster.rows).collect();
        let low: Vec<Vec<u32>> = rows.filter(|&row| !is_high(row)).map(|row| vec![row]).collect();
        let n_low = low.len();
        groups.extend(low);
        let mut candidate = Candidate::of_groups(problem, &groups);
        candidate.notes.push(format!("{n_low} rows are published as they are, with their value"));
        let note = "anybody who is known to be in the table and is not among them certainly has \
                    a high value";
        candidate.notes.push(note.into());
        Ok(candidate)
    }
}

/// Steps 2 and 3.
fn cluster(
    ctx: &Ctx<'_>,
    problem: &Problem<'_>,
    value: impl Fn(u32) -> Option<u32>,
) -> Result<Vec<Cluster>, Failure> {
    let (space, k) = (problem.space(), problem.smallest());
    let mut pool = Pool::new(problem, 1, value);
    let n_high = pool.n_left();
    if 0 < n_high && n_high < k {
        let reason = format!("rows with a high value are {n_high}, fewer than k = {k}");
        return Err(Failure::infeasible(reason));
    }
    pool.measure_from_any(&mut Draw::new(problem.settings().seed));
    let mut clusters: Vec<Cluster> = Vec::new();
    while pool.n_left() >= k {
        let Some(seed) = pool.take_seed(|_| true) else { break };
        let mut cluster = Cluster::of(&seed);
        while cluster.rows.len() < k {
            let taken = pool.take_nearest(&cluster.edges, |_| true);
            cluster.push(space, &taken.expect("k rows were left"));
        }
        clusters.push(cluster);
        ctx.progress("clustering", (n_high - pool.n_left()) as u64, n_high as u64);
    }
    for left in pool.take_rest() {
        let at = cheapest_cluster(space, &clusters, None, &left);
        clusters[at.expect("k rows made a class")].push(space, &left);
    }
    Ok(clusters)
}
