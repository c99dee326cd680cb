//! The algorithms in the box.

use crate::Algorithm;
use crate::k_member::KMember;
use crate::oka::Oka;
use crate::two_phase::TwoPhase;

/// Every algorithm, in the order they are listed.
pub static ALGORITHMS: &[&dyn Algorithm] = &[&KMember, &TwoPhase::A, &TwoPhase::B, &Oka];

/// The algorithm with this id.
pub fn algorithm(id: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.spec().id == id)
}
