//! MSA search: the classes of MSA diversity, improved row by row under the same promise.
//!
//! # Guarantee
//! As `msa-hilbert`: no value of any sensitive attribute fills more than 1/l of a class, and every class
//! keeps every other promise, at any moment of the search. Neither the loss nor the number of suppressed
//! rows is above that of `msa-hilbert`. The lower bound holds for every release that keeps the promises.
//!
//! # Method
//! 1. Start with the classes of `msa-hilbert`, and again with those that `auto` starts with: after some
//!    passes the search that loses less goes on.
//! 2. Search as `auto` does: rows move to cheaper classes, are exchanged, classes dissolve into others,
//!    and the rows of neighboring classes are divided anew, wherever that loses less and each class still
//!    keeps every promise. Classes need not be SA-distinct. There are twice as many passes.
//! 3. Before each pass, suppressed rows come back into classes where they fit and lose less than 1.
//!
//! # Cost
//! Two to three times that of `auto`.
//!
//! # Deviations
//! none
//!
//! # References
//! Our own; the start is that of Abdalaal 2012, §5.5.

#[cfg(test)]
mod tests;

use kohort_core::{Ctx, Spec};

use crate::auto::search_from;
use crate::msa_hilbert::{Spread, grouped};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "msa-search",
    title: "MSA search",
    paper: "kohort",
    promise: "no value of any sensitive attribute fills more than 1/l of a class, at a small loss",
    parameters: &[],
};

/// MSA diversity, improved by a search.
pub(crate) struct MsaSearch;

impl Algorithm for MsaSearch {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::PLAIN
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let start = grouped(problem, &Spread::of(problem, SPEC.id)?)?;
        Ok(search_from(ctx, problem, &Candidate::of_groups(problem, &start)))
    }
}
