//! What an algorithm is to its caller.

use kohort_core::{Ctx, Error, Spec};

use crate::{Candidate, Problem};

/// A way to make a release.
pub trait Algorithm: Sync {
    /// What it is.
    fn spec(&self) -> &'static Spec;

    /// What a user must know before choosing it.
    fn facts(&self) -> Facts;

    /// About how many seconds it takes on one core, where it is quadratic: for so many distinct rows and
    /// quasi-identifiers, in classes of k rows or more. Measured on tables of census and fundraising.
    fn seconds(&self, n_distinct: u64, n_quasi: u64, _k: u64) -> f64 {
        seconds_per_cell(n_distinct, n_quasi, 0.5e-9)
    }

    /// Makes a release in which every class keeps the promises of the problem. One that is perturbed
    /// has no classes and keeps none: `facts` then says that it is not safe.
    ///
    /// The rows of a class need not be disjoint from those of another in space: what binds is that
    /// rows with the same published cells, taken together, keep every promise. What is asked about a
    /// public table is kept where `is_full_domain`, and must not be asked of others.
    ///
    /// Whoever wants a release calls [`anonymize`](crate::anonymize), which drops the rows that stand
    /// in the way first.
    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure>;
}

/// The seconds of comparing every distinct row with every other, cell by cell.
#[expect(clippy::cast_precision_loss, reason = "an estimate for people to read")]
pub(crate) fn seconds_per_cell(n_distinct: u64, n_quasi: u64, of_a_cell: f64) -> f64 {
    let n = n_distinct as f64;
    n * n * n_quasi as f64 * of_a_cell
}

/// What a user must know before choosing an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not depend on each other")]
pub struct Facts {
    /// Whether every published cell covers the original one.
    pub is_truthful: bool,
    /// Whether the release may be published without a further decision.
    pub is_safe: bool,
    /// Whether time grows with the square of the distinct rows.
    pub is_quadratic: bool,
    /// Whether the order of the rows can change the release.
    pub minds_row_order: bool,
    /// Whether it recodes the whole domain, a level for each column: such a method keeps promises about
    /// the people of a public table too, and finds out by itself which rows must be dropped.
    pub is_full_domain: bool,
    /// Whether quasi-identifiers are published as they are, and sensitive values by group.
    pub is_anatomized: bool,
    /// Whether sensitive values are generalized too.
    pub masks_sensitive: bool,
    /// Whether a mean or median stands for the quasi-identifiers of several rows, and nothing else is changed.
    pub is_averaged: bool,
    /// Whether what depends on sensitive values is drawn from the secret.
    pub is_drawn: bool,
}

impl Facts {
    /// Truthful, safe, generalized, not quadratic, and whatever the order of the rows.
    pub const PLAIN: Self = Self {
        is_truthful: true,
        is_safe: true,
        is_quadratic: false,
        minds_row_order: false,
        is_full_domain: false,
        is_anatomized: false,
        masks_sensitive: false,
        is_averaged: false,
        is_drawn: false,
    };

    /// Plain, and every value of a column is recoded alike.
    pub(crate) const FULL_DOMAIN: Self = Self { is_full_domain: true, ..Self::PLAIN };

    /// What is published does not keep the whole goal: something to compare with.
    pub(crate) const RIVAL: Self = Self { is_safe: false, ..Self::PLAIN };

    /// Values are not the true ones, no k is given, and the draws follow the order of the rows.
    pub(crate) const PERTURBED: Self = Self {
        is_truthful: false,
        is_safe: false,
        minds_row_order: true,
        is_drawn: true,
        ..Self::PLAIN
    };
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
