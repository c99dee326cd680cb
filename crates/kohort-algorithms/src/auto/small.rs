//! More starts for a small table: what other methods make of it.
//!
//! A small table leaves few releases to choose from, and which method is nearest to the best is chance. A
//! search never ends with more loss than it started with, so that none of these methods loses less.

use kohort_core::Ctx;

use super::State;
use super::class::Ground;
use super::whole::best;
use crate::bucket::Bucket;
use crate::hilbert::Hilbert;
use crate::k_member::KMember;
use crate::l_member::LMember;
use crate::mondrian::Mondrian;
use crate::msa_hilbert::MsaHilbert;
use crate::oka::Oka;
use crate::problem::Part;
use crate::top_down::TopDown;
use crate::two_phase::TwoPhase;
use crate::{Algorithm, Problem};

/// Up to this many rows a table is small.
const SMALL: usize = 1000;

pub(super) const METHODS: [&dyn Algorithm; 11] = [
    &Mondrian { is_relaxed: false },
    &Mondrian { is_relaxed: true },
    &TopDown,
    &KMember,
    &Oka,
    &TwoPhase::A,
    &TwoPhase::B,
    &Hilbert,
    &Bucket,
    &LMember,
    &MsaHilbert,
];

/// The releases of other methods that drop no row.
pub(super) fn more_starts(ctx: &Ctx<'_>, ground: &Ground<'_, '_>) -> Vec<State> {
    let problem = ground.problem;
    // Other methods keep a promise about few columns in ways that a search by classes does not know.
    if problem.n_rows() > SMALL || problem.n_sets() > 0 {
        return Vec::new();
    }
    let rows: Vec<u32> = (0..).take(problem.n_rows()).collect();
    let part = Part::new(problem, &rows);
    let all: Problem<'_> = problem.among(&part, 0);
    let made = METHODS.iter().filter_map(|method| method.anonymize(ctx, &all).ok());
    made.chain(best(ctx, &all)).map(|candidate| State::of(ground, &candidate)).collect()
}
