//! What a maker of nested releases is to its caller.

use kohort_core::{Ctx, Spec};

use crate::{NestedCandidate, NestedForm, NestedProblem};

/// A way to make a nested release.
pub trait NestedAlgorithm: Sync {
    /// What it is.
    fn spec(&self) -> &'static Spec;

    /// Whether what it publishes keeps the whole goal: a rival that is there to be compared does not.
    fn is_safe(&self) -> bool {
        true
    }

    /// What is published of its classes.
    fn form(&self) -> NestedForm {
        NestedForm::Generalized
    }

    /// Whether it has a mode whose promises about sensitive values hold against an adversary who runs it again.
    fn can_be_transparent(&self) -> bool {
        false
    }

    /// Whether time grows with the square of the records.
    fn is_quadratic(&self) -> bool;

    /// Makes a release in which every class keeps what the problem asks for. Records that fit in no
    /// class are left out.
    fn make(&self, ctx: &Ctx<'_>, problem: &NestedProblem<'_>) -> Result<NestedCandidate, Failure>;
}

/// Why there is no release.
#[derive(Debug)]
pub enum Failure {
    /// The answer is no: the goal cannot be reached.
    Infeasible {
        /// Why not, as a sentence without a closing stop.
        reason: String,
    },
}
