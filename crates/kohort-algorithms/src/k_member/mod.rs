//! Greedy k-member clustering: grows clusters of k rows, each from the row furthest from the last seed.
//!
//! # Guarantee
//! Every class keeps every promise. Where only a size k is asked for, all classes have k rows, but for
//! those that took the fewer than k rows left at the end.
//!
//! # Method
//! 1. Draw a row r.
//! 2. While k rows are left: take the row furthest from r as the seed of a cluster c, which is the next r.
//! 3. While c has fewer than k rows: take the row that adds least to its loss, argmin ΔIL(c, t).
//! 4. Give each row that is left to the cluster to which it adds least.
//! 5. Join classes that break a promise other than size with their cheapest neighbors.
//!
//! # Notation
//! D(c) is the loss per row of the smallest box around c; IL(c) = |c| · D(c);
//! ΔIL(c, t) = (|c| + 1) · D(c ∪ t) − |c| · D(c); the distance of two rows is D of both.
//! S, the rows left: `Remaining`. D: `Extent::cost`.
//!
//! # Cost
//! O(n/k · p · d) for the distances from the seeds, with p distinct rows among n and d attributes. For each
//! row taken, the costs of the rows whose bound is below its cost: few where rows are many, p at worst.
//! Memory O(p · d).
//!
//! # Deviations
//! The loss is that of the metric asked for, of which Byun's is one. Ties go to the lowest rank, see
//! `ranked`; the paper leaves them open.
//!
//! # References
//! Byun, Kamra, Bertino, Li: Efficient k-Anonymization Using Clustering Techniques, DASFAA 2007, §4;
//! Zare Mirakabad, A Framework for Privacy Diagnosis and Preservation in Data Publishing, 2010.

use kohort_core::{Ctx, Spec};

use crate::Draw;
use crate::algorithm::seconds_per_cell;
use crate::check::require_feasible;
use crate::greedy::Greedy;
use crate::ranked::{Ranked, release};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

#[cfg(test)]
mod tests;

pub(crate) const SPEC: Spec = Spec {
    id: "k-member",
    title: "k-member clustering",
    paper: "Byun et al. 2007",
    promise: "small clusters of similar rows, grown one by one; slow on large tables",
    parameters: &[],
};

/// Greedy k-member clustering.
pub(crate) struct KMember;

impl Algorithm for KMember {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_quadratic: true, ..Facts::PLAIN }
    }

    fn seconds(&self, n_distinct: u64, n_quasi: u64, _k: u64) -> f64 {
        seconds_per_cell(n_distinct, n_quasi, 0.2e-9)
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        require_feasible(problem)?;
        let ranked = Ranked::new(problem);
        let start = ranked.draw(&mut Draw::new(problem.settings().seed));
        let start = ranked.codes(start);
        let greedy = Greedy { k: problem.smallest(), tau: None };
        let clusters = greedy.clusters(ctx, &ranked, ranked.all(), start);
        release(problem, clusters.into_iter().map(|cluster| cluster.ranks))
    }
}
