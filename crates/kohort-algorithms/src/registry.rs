//! The algorithms in the box.

use crate::Algorithm;

/// Every algorithm, in the order they are listed.
pub static ALGORITHMS: &[&dyn Algorithm] = &[&crate::optimal::Optimal];

/// The algorithm with this id.
pub fn algorithm(id: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.spec().id == id)
}
