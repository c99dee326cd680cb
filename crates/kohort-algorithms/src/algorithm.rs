//! What an algorithm is to its caller.

use kohort_core::{Ctx, Error, Spec};

use crate::{Candidate, Problem};

/// A way to make a release.
pub trait Algorithm: Sync {
    /// What it is.
    fn spec(&self) -> &'static Spec;

    /// What a user must know before choosing it.
    fn facts(&self) -> Facts;

    /// Makes a release in which every class keeps the promises of the problem. One that is perturbed
    /// has no classes and keeps none: `facts` then says that it is not safe.
    ///
    /// The rows of a class need not be disjoint from those of another in space: what binds is that
    /// rows with the same published cells, taken together, keep every promise.
    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure>;
}

/// What a user must know before choosing an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "six facts that do not depend on each other")]
pub struct Facts {
    /// Whether every published cell covers the original one.
    pub is_truthful: bool,
    /// Whether the release may be published without a further decision.
    pub is_safe: bool,
    /// Whether time grows with the square of the distinct rows.
    pub is_quadratic: bool,
    /// Whether the order of the rows can change the release.
    pub minds_row_order: bool,
    /// Whether quasi-identifiers are published as they are, and sensitive values by group.
    pub is_anatomized: bool,
    /// Whether sensitive values are generalized too.
    pub masks_sensitive: bool,
}

impl Facts {
    /// Truthful, safe, generalized, not quadratic, and whatever the order of the rows.
    pub const PLAIN: Self = Self {
        is_truthful: true,
        is_safe: true,
        is_quadratic: false,
        minds_row_order: false,
        is_anatomized: false,
        masks_sensitive: false,
    };

    /// What is published does not keep the whole goal: something to compare with.
    pub(crate) const RIVAL: Self = Self { is_safe: false, ..Self::PLAIN };

    /// Values are not the true ones, no k is given, and the draws follow the order of the rows.
    pub(crate) const PERTURBED: Self =
        Self { is_truthful: false, is_safe: false, minds_row_order: true, ..Self::PLAIN };
}

/// Why there is no release.
#[derive(Debug)]
pub enum Failure {
    /// The answer is no: the goal cannot be reached.
    Infeasible {
        /// Why not, as a sentence without a closing stop.
        reason: String,
    },
    /// Could not do it.
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<kohort_core::Kind> for Failure {
    fn from(kind: kohort_core::Kind) -> Self {
        Self::Error(kind.into())
    }
}

impl Failure {
    /// The goal cannot be reached, for this reason.
    pub fn infeasible(reason: impl Into<String>) -> Self {
        Self::Infeasible { reason: reason.into() }
    }
}
