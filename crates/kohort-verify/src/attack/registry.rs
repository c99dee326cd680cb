//! The attacks in the box.

use super::Attack;
use super::background_knowledge::BackgroundKnowledge;
use super::definetti::DeFinetti;
use super::homogeneity::Homogeneity;
use super::journalist::Journalist;
use super::marketer::Marketer;
use super::minimality::Minimality;
use super::non_membership::NonMembership;
use super::prosecutor::Prosecutor;
use super::similarity::Similarity;
use super::skewness::Skewness;

/// Every attack, in the order they are listed.
pub static ATTACKS: &[&dyn Attack] = &[
    &Prosecutor,
    &Journalist,
    &Marketer,
    &Homogeneity,
    &BackgroundKnowledge,
    &Skewness,
    &Similarity,
    &Minimality,
    &DeFinetti,
    &NonMembership,
];
