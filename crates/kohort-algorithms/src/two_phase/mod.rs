//! Two-phase clustering: lets clusters grow while that costs nobody anything, then splits the big ones.
//!
//! # Guarantee
//! Every class keeps every promise. Where only a size k is asked for, every class has k to 2k − 1 rows.
//!
//! # Method
//! 1. Cluster as k-member does, but leave a cluster of k rows open: it takes the row that adds least as
//!    long as ΔIL(c, t) ≤ (1 + τ) · D(c). With τ = 0 these are the rows inside its box. A cluster closes
//!    before the rest is too small for another one.
//! 2. Split every cluster of 2k rows or more.
//!    - A: run k-member inside, beginning with the row furthest from the middle of the cluster.
//!    - B: take the two rows furthest apart, and give the others to the nearer one, in the order of
//!      decreasing |d₁ − d₂|; a side that needs all that are left to reach k gets them. Split again.
//! 3. Join classes that break a promise other than size with their cheapest neighbors.
//!
//! # Notation
//! D, IL, ΔIL as in `k_member`. d₁, d₂: `near`.
//!
//! # Cost
//! The first phase as `k_member`. For a cluster of m rows, p of them distinct: A as `k_member`;
//! B O(m log m + min(p, 200) · p) for each split, of which there are log m when sides are even, m/k at worst.
//!
//! # Deviations
//! Reconstructed: of the method only the abstract, figures and listing titles are known. Open points were
//! settled so:
//! - The middle of a cluster (A) is the lower median code of each axis: it exists for taxonomies too.
//! - Rows as near to one side as to the other (B) go to the side with fewer rows, so that equal rows are
//!   shared evenly.
//! - The two rows furthest apart (B) are exact up to 200 distinct rows; beyond that they are the row
//!   furthest from the first and the row furthest from that one.
//! - Splits are always accepted: they never add to the loss.
//!
//! # References
//! Listings 3.7 and 3.8 of Zare Mirakabad 2010. Byun et al., DASFAA 2007.

use kohort_core::{Ctx, Parameter, Spec};

use crate::Draw;
use crate::algorithm::seconds_per_cell;
use crate::check::require_feasible;
use crate::greedy::Greedy;
use crate::ranked::{Cluster, Ranked, by_cost, release, rounded};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

#[cfg(test)]
mod tests;

const PARAMETERS: &[Parameter] = &[Parameter {
    name: "tau",
    range: "τ ≥ 0",
    doc: "how much a row may enlarge the box of a class that is already large enough",
}];

const SPEC_A: Spec = Spec {
    id: "two-phase-a",
    title: "two-phase clustering, tight pieces",
    paper: "after Byun et al. 2007",
    promise: "classes of k to 2k − 1 rows; large clusters are clustered again",
    parameters: PARAMETERS,
};

const SPEC_B: Spec = Spec {
    id: "two-phase-b",
    title: "two-phase clustering, even pieces",
    paper: "after Byun et al. 2007",
    promise: "classes of k to 2k − 1 rows; large clusters are split in two",
    parameters: PARAMETERS,
};

/// Up to this many distinct rows the two furthest apart are found exactly.
const EXACT: usize = 200;

/// Two-phase clustering, by how it splits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TwoPhase {
    /// By clustering again.
    A,
    /// In two.
    B,
}

impl Algorithm for TwoPhase {
    fn spec(&self) -> &'static Spec {
        match self {
            Self::A => &SPEC_A,
            Self::B => &SPEC_B,
        }
    }

    fn facts(&self) -> Facts {
        Facts { is_quadratic: true, ..Facts::PLAIN }
    }

    fn seconds(&self, n_distinct: u64, n_quasi: u64, _k: u64) -> f64 {
        seconds_per_cell(n_distinct, n_quasi, 0.1e-9)
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        require_feasible(problem)?;
        let (ranked, k) = (Ranked::new(problem), problem.smallest());
        let start = ranked.draw(&mut Draw::new(problem.settings().seed));
        let relaxed = relaxed(ctx, &ranked, problem, start);
        let pieces = relaxed.into_iter().flat_map(|cluster| self.split(&ranked, cluster.ranks, k));
        release(problem, pieces)
    }
}

/// Phase 1: clusters of k rows or more.
fn relaxed(ctx: &Ctx<'_>, ranked: &Ranked<'_>, problem: &Problem<'_>, start: u32) -> Vec<Cluster> {
    let greedy = Greedy { k: problem.smallest(), tau: Some(problem.settings().tau) };
    greedy.clusters(ctx, ranked, ranked.all(), ranked.codes(start))
}

impl TwoPhase {
    /// Phase 2: pieces of k to 2k − 1 rows.
    fn split(self, ranked: &Ranked<'_>, mut ranks: Vec<u32>, k: usize) -> Vec<Vec<u32>> {
        ranks.sort_unstable();
        if ranks.len() < 2 * k {
            return vec![ranks];
        }
        match self {
            Self::A => {
                let middle = middle(ranked, &ranks);
                let greedy = Greedy { k, tau: None };
                let pieces = greedy.clusters(&Ctx::quiet(), ranked, ranks, &middle);
                pieces.into_iter().map(|piece| piece.ranks).collect()
            }
            Self::B => {
                let (mut open, mut pieces) = (vec![ranks], Vec::new());
                while let Some(ranks) = open.pop() {
                    if ranks.len() < 2 * k {
                        pieces.push(ranks);
                    } else {
                        open.extend(halves(ranked, &ranks, k));
                    }
                }
                pieces
            }
        }
    }
}

/// The lower median code of each axis.
fn middle(ranked: &Ranked<'_>, ranks: &[u32]) -> Vec<u32> {
    let median = |axis: usize| {
        let mut codes: Vec<u32> = ranks.iter().map(|&rank| ranked.codes(rank)[axis]).collect();
        *codes.select_nth_unstable((ranks.len() - 1) / 2).1
    };
    (0..ranked.space.n_axes()).map(median).collect()
}

/// Cuts 2k ranks or more, which ascend, in two sides of at least k.
fn halves(ranked: &Ranked<'_>, ranks: &[u32], k: usize) -> [Vec<u32>; 2] {
    let seeds = furthest_apart(ranked, ranks);
    let near = |rank: u32| seeds.map(|seed| ranked.distance(seed, rank));
    let mut others: Vec<(u32, [f64; 2])> = (ranks.iter())
        .filter(|rank| !seeds.contains(rank))
        .map(|&rank| (rank, near(rank)))
        .collect();
    let gap = |[a, b]: [f64; 2]| rounded((a - b).abs());
    others.sort_by(|a, b| by_cost(gap(b.1), gap(a.1)));
    let mut sides = seeds.map(|seed| vec![seed]);
    for (index, &(rank, [first, second])) in others.iter().enumerate() {
        let nearer = match by_cost(first, second) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Greater => 1,
            std::cmp::Ordering::Equal => usize::from(sides[1].len() < sides[0].len()),
        };
        let other = 1 - nearer;
        let must_go_there = sides[other].len() + others.len() - index == k;
        sides[if must_go_there { other } else { nearer }].push(rank);
    }
    sides.map(|mut side| {
        side.sort_unstable();
        side
    })
}

/// The two of these ranks, which ascend, that are furthest apart.
fn furthest_apart(ranked: &Ranked<'_>, ranks: &[u32]) -> [u32; 2] {
    let mut distinct = ranks.to_vec();
    distinct.dedup_by_key(|rank| ranked.point(*rank));
    // The last of the largest of what is turned round is the first.
    let furthest = |from: u32, others: &[u32]| {
        let all = others.iter().rev().map(|&other| (ranked.distance(from, other), other));
        all.max_by(|a, b| by_cost(a.0, b.0)).expect("there is another row")
    };
    match distinct.len() {
        1 => [ranks[0], ranks[1]],
        n if n <= EXACT => {
            let pairs = (0..n - 1).rev().map(|first| {
                let (distance, other) = furthest(distinct[first], &distinct[first + 1..]);
                (distance, [distinct[first], other])
            });
            pairs.max_by(|a, b| by_cost(a.0, b.0)).expect("there are two").1
        }
        _ => {
            let (_, first) = furthest(distinct[0], &distinct);
            let (_, second) = furthest(first, &distinct);
            [first.min(second), first.max(second)]
        }
    }
}
