//! The algorithms in the box.

use crate::Algorithm;

/// Every algorithm, in the order they are listed.
pub static ALGORITHMS: &[&dyn Algorithm] = &[
    &crate::bucket::Bucket,
    &crate::l_member::LMember,
    &crate::anatomy::Anatomy,
    &crate::mdav::Mdav,
    &crate::sensitive_split::SensitiveSplit,
];

/// The algorithm with this id.
pub fn algorithm(id: &str) -> Option<&'static dyn Algorithm> {
    ALGORITHMS.iter().copied().find(|algorithm| algorithm.spec().id == id)
}
