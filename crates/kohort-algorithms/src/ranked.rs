//! Rows in the order of their codes: what clusterings call a record, and how they break ties.
//!
//! The rank of a row is its place when rows are sorted by their quasi-identifiers, then by their sensitive
//! values, then by row. Ties go to the lowest rank: in a table that is sorted this is the lowest row, and
//! the order in which a table was written does not show in a release.

use std::cmp::Ordering;

use crate::Draw;
use crate::extent::Extent;
use crate::repair::repair;
use crate::{Candidate, Failure, Points, Problem, Space};

/// The rows of a problem by rank.
pub(crate) struct Ranked<'p> {
    pub(crate) space: &'p Space,
    points: &'p Points,
    point_of_rank: Vec<u32>,
}

/// Rows that are published together: their ranks and their box.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) ranks: Vec<u32>,
    pub(crate) edges: Extent,
}

impl<'p> Ranked<'p> {
    pub(crate) fn new(problem: &'p Problem<'_>) -> Self {
        let points = problem.points();
        let mut point_of_rank = Vec::with_capacity(problem.n_rows());
        for (point, id) in (0..points.len()).zip(0_u32..) {
            point_of_rank.resize(point_of_rank.len() + points.weight(point) as usize, id);
        }
        Self { space: problem.space(), points, point_of_rank }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.point_of_rank.len()
    }

    /// Every rank.
    pub(crate) fn all(&self) -> Vec<u32> {
        (0..).take(self.len()).collect()
    }

    /// A rank drawn at random; there is one.
    pub(crate) fn draw(&self, draw: &mut Draw) -> u32 {
        u32::try_from(draw.below(self.len())).expect("rows are counted in u32")
    }

    /// The distinct row that a rank belongs to; ranks with equal codes have the same.
    pub(crate) fn point(&self, rank: u32) -> u32 {
        self.point_of_rank[rank as usize]
    }

    /// The codes of a rank.
    pub(crate) fn codes(&self, rank: u32) -> &'p [u32] {
        self.points.codes(self.point(rank) as usize)
    }

    /// The distance between two ranks.
    pub(crate) fn distance(&self, a: u32, b: u32) -> f64 {
        rounded(self.space.distance(self.codes(a), self.codes(b)))
    }

    /// The cluster of these ranks; there is at least one.
    pub(crate) fn cluster(&self, ranks: Vec<u32>) -> Cluster {
        let codes = ranks.iter().map(|&rank| self.codes(rank));
        Cluster { edges: Extent::around(self.space, codes), ranks }
    }

    /// What adding a rank adds to the information loss of a cluster: ΔIL.
    pub(crate) fn added(&self, cluster: &Cluster, rank: u32) -> f64 {
        let codes = self.codes(rank);
        let size = cluster.ranks.len() as f64;
        let cost = cluster.edges.cost_with(self.space, codes, codes);
        rounded((size + 1.0) * cost - size * cluster.edges.cost)
    }

    /// Adds a rank to a cluster.
    pub(crate) fn add(&self, cluster: &mut Cluster, rank: u32) {
        cluster.edges.grow(self.space, self.codes(rank));
        cluster.ranks.push(rank);
    }
}

/// The release of these clusters of ranks, after joining those that break a promise.
pub(crate) fn release(
    problem: &Problem<'_>,
    clusters: impl IntoIterator<Item = Vec<u32>>,
) -> Result<Candidate, Failure> {
    let rows = problem.points().all_rows();
    let groups = clusters.into_iter().map(|mut ranks| {
        for rank in &mut ranks {
            *rank = rows[*rank as usize];
        }
        ranks
    });
    Ok(Candidate::of_groups(problem, &repair(problem, groups.collect())?))
}

/// The nearest multiple of 2⁻⁴⁰ (for costs below 2¹²): sums that are equal on paper are equal, in
/// whatever order their parts were added.
#[inline]
pub(crate) fn rounded(cost: f64) -> f64 {
    // The last digit of a number from 2¹² to 2¹³ is worth 2⁻⁴⁰.
    const GRID: f64 = 4096.0;
    (cost + GRID) - GRID
}

/// The order of costs, none of which is NaN.
pub(crate) fn by_cost(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).expect("costs are numbers")
}
