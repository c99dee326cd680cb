//! The attacks in the box.

use super::Attack;
use super::complementary_release::ComplementaryRelease;
use super::elimination::Elimination;
use super::homogeneity::Homogeneity;
use super::inference::Inference;
use super::journalist::Journalist;
use super::marketer::Marketer;
use super::membership::Membership;
use super::prosecutor::Prosecutor;
use super::temporal::Temporal;
use super::unsorted_matching::UnsortedMatching;

/// Every attack, in the order they are listed.
pub static ATTACKS: &[&dyn Attack] = &[
    &Prosecutor,
    &Journalist,
    &Marketer,
    &Homogeneity,
    &Membership,
    &Elimination,
    &UnsortedMatching,
    &ComplementaryRelease,
    &Temporal,
    &Inference,
];
