//! Bucket clustering: classes of l rows with different sensitive values, chosen by the loss they add.
//!
//! # Guarantee
//! Every class is frequency-l-diverse, and keeps every other promise. If any release does that for l,
//! one is found.
//!
//! # Method
//! 1. Put the rows into buckets by their sensitive value. If a bucket has more than n/l rows, there is no
//!    release.
//! 2. While l rows are left: choose as seed the row furthest from the seed before, in a bucket that may
//!    be taken.
//! 3. Add the row with the least ΔIL from the other buckets that may be taken, until the class has l
//!    rows. Which buckets may be taken is exact (`freedom.rs`): whatever leaves a state that can be
//!    completed.
//! 4. Each row that is left over, fewer than l, joins the class of least ΔIL in which its value fills no
//!    more than 1/l.
//! 5. Join classes that break another promise with their neighbors.
//! 6. If k is above l: do the same with step 3 repeated until a class has k rows, and keep the better
//!    release.
//!
//! # Notation
//! D(c) → `Extent::cost`; ΔIL(c, t) = (|c| + 1)·D(c ∪ t) − |c|·D(c), and since |c| is the same for all
//! t, the least ΔIL is the least D(c ∪ t).
//!
//! # Cost
//! One scan of the rows per class gives their distances from the seed, which bound D(c ∪ t) from below:
//! O(n²·d / l) time for n different rows, and few boxes are measured beyond that. O(n·d) memory.
//!
//! # Deviations
//! Listings 3.11 to 3.13 are reconstructed. Step 6 is ours: joining classes that were chosen apart is
//! worse where the loss is small, and better where it is large. The first seed is furthest from a row
//! drawn at random.
//!
//! # References
//! After Listings 3.11 to 3.13 of Zare Mirakabad 2010; Xiao and Tao, VLDB 2006.

pub(crate) mod freedom;
#[cfg(test)]
pub(crate) mod tests;

use kohort_core::{Ctx, Spec};

use crate::Draw;
use crate::algorithm::seconds_per_cell;
use crate::diversity::Diversity;
use crate::extent::Extent;
use crate::pool::{Cluster, Pool, cheapest_cluster};
use crate::repair::repair;
use crate::{Algorithm, Candidate, Facts, Failure, Problem, Space};
use freedom::Freedom;

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "bucket",
    title: "bucket clustering",
    paper: "Zare Mirakabad 2010, listings 3.11 to 3.13",
    promise: "no sensitive value fills more than 1/l of a class, at a small loss",
    parameters: &[],
};

/// Bucket clustering.
pub(crate) struct Bucket;

impl Algorithm for Bucket {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_quadratic: true, ..Facts::PLAIN }
    }

    fn seconds(&self, n_distinct: u64, n_quasi: u64, _k: u64) -> f64 {
        seconds_per_cell(n_distinct, n_quasi, 2e-9)
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let made = made(problem, &|done| {
            ctx.progress("clustering", done, problem.n_rows() as u64);
            true
        });
        made.expect("nobody says stop")
    }
}

/// The release, unless the caller says stop before it is made.
pub(crate) fn in_time(ctx: &Ctx<'_>, problem: &Problem<'_>) -> Option<Result<Candidate, Failure>> {
    made(problem, &|done| {
        ctx.progress("clustering", done, problem.n_rows() as u64);
        !ctx.should_stop()
    })
}

/// The release; none where it is not to go on after so many rows.
fn made(
    problem: &Problem<'_>,
    goes_on: &dyn Fn(u64) -> bool,
) -> Option<Result<Candidate, Failure>> {
    let goal = match Diversity::of(problem, SPEC.id) {
        Ok(goal) => goal,
        Err(failure) => return Some(Err(failure)),
    };
    let clustered = |k| Some(repair(problem, cluster(goes_on, problem, &goal, k)?));
    let mut groups = clustered(goal.l)?;
    if problem.smallest() > goal.l
        && let Ok(first) = &groups
    {
        match clustered(problem.smallest())? {
            Ok(others) if loss(problem, &others) >= loss(problem, first) => {}
            others => groups = others,
        }
    }
    Some(groups.map(|groups| Candidate::of_groups(problem, &groups)))
}

/// Steps 2 to 4, with classes of at least `k` rows where that many are left; nothing where it is not to go on.
fn cluster(
    goes_on: &dyn Fn(u64) -> bool,
    problem: &Problem<'_>,
    goal: &Diversity<'_>,
    k: usize,
) -> Option<Vec<Vec<u32>>> {
    let space = problem.space();
    let mut pool = Pool::new(problem, goal.attribute.n_codes(), |row| Some(goal.value(row)));
    pool.measure_from_any(&mut Draw::new(problem.settings().seed));
    let mut clusters: Vec<Cluster> = Vec::new();
    while pool.n_left() >= goal.l {
        clusters.push(next(space, goal, &mut pool, k));
        if !goes_on((problem.n_rows() - pool.n_left()) as u64) {
            return None;
        }
    }
    for left in pool.take_rest() {
        let at = cheapest_cluster(space, &clusters, Some(goal), &left);
        let at = at.expect("a value has at most one row per round, and one of them is left over");
        clusters[at].push(space, &left);
    }
    Some(clusters.into_iter().map(|cluster| cluster.rows).collect())
}

/// Steps 2 and 3 for one class.
fn next(space: &Space, goal: &Diversity<'_>, pool: &mut Pool<'_>, k: usize) -> Cluster {
    const THERE: &str = "a state that can be completed has a bucket to take from";
    let mut freedom = Freedom::new(pool.left_of_value(), goal.l);
    let seed = pool.take_seed(|value| freedom.may_take(value)).expect(THERE);
    freedom.take(seed.value);
    let mut cluster = Cluster::of(&seed);
    loop {
        while !freedom.is_complete() {
            let taken = pool.take_nearest(&cluster.edges, |value| freedom.may_take(value));
            let taken = taken.expect(THERE);
            freedom.take(taken.value);
            cluster.push(space, &taken);
        }
        if cluster.rows.len() >= k || pool.n_left() < goal.l {
            return cluster;
        }
        freedom = Freedom::new(pool.left_of_value(), goal.l);
    }
}

/// The sum of the rows' losses.
fn loss(problem: &Problem<'_>, groups: &[Vec<u32>]) -> f64 {
    let points = problem.points();
    let point_of_row = points.point_of_row();
    let of_group = |rows: &Vec<u32>| {
        let codes = rows.iter().map(|&row| points.codes(point_of_row[row as usize] as usize));
        rows.len() as f64 * Extent::around(problem.space(), codes).cost
    };
    groups.iter().map(of_group).sum()
}
