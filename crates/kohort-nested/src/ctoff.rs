//! CToff: classes are grown one after the other, whatever they cost.
//!
//! # Guarantee
//! That of ClusTree.
//!
//! # Method
//! ClusTree with χ = ∞ from the beginning: one pass in which every class is accepted.
//!
//! # Notation
//! That of ClusTree.
//!
//! # Cost
//! O(n² · size) pairs of records at worst, of which bounds leave few.
//!
//! # Deviations
//! Those of ClusTree.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §2.4.

use kohort_core::{Ctx, Spec};

use crate::clus_tree::cluster;
use crate::{Failure, Mapping, NestedAlgorithm, NestedCandidate, NestedProblem};

const SPEC: Spec = Spec {
    id: "ctoff",
    title: "CToff, children paired by assignment",
    paper: "Özalp 2017",
    promise: "records of a class are published as one tree; one pass, in which every class is accepted",
    parameters: &[],
};

const GREEDY: Spec = Spec { id: "ctoff-greedy", title: "CToff, children paired greedily", ..SPEC };

/// CToff.
pub(crate) struct CToff(pub(crate) Mapping);

impl NestedAlgorithm for CToff {
    fn spec(&self) -> &'static Spec {
        match self.0 {
            Mapping::Assignment => &SPEC,
            Mapping::Greedy => &GREEDY,
        }
    }

    fn is_quadratic(&self) -> bool {
        true
    }

    fn make(&self, ctx: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure> {
        // No seed is tried twice: who else was near is of no use.
        cluster(ctx, problem, self.0, [f64::INFINITY].into_iter(), 1)
    }
}
