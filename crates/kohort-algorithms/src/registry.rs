//! The algorithms in the box.

use crate::Algorithm;
use crate::datafly::Datafly;
use crate::incognito::Incognito;
use crate::optimal::Optimal;
use crate::samarati::Samarati;

/// Every algorithm, in the order they are listed.
pub static ALGORITHMS: &[&dyn Algorithm] = &[&Samarati, &Datafly, &Incognito, &Optimal];

/// The algorithm with this id.
pub fn algorithm(id: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.spec().id == id)
}
