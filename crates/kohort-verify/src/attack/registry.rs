//! The attacks in the box.

use super::Attack;
use super::background_knowledge::BackgroundKnowledge;
use super::complementary_release::ComplementaryRelease;
use super::correlation::Correlation;
use super::correspondence::Correspondence;
use super::definetti::DeFinetti;
use super::elimination::Elimination;
use super::homogeneity::Homogeneity;
use super::inference::Inference;
use super::insensitive_columns::InsensitiveColumns;
use super::journalist::Journalist;
use super::marketer::Marketer;
use super::membership::Membership;
use super::minimality::Minimality;
use super::non_membership::NonMembership;
use super::prosecutor::Prosecutor;
use super::re_execution::ReExecution;
use super::record_linking::RecordLinking;
use super::similarity::Similarity;
use super::skewness::Skewness;
use super::suppression::Suppression;
use super::temporal::Temporal;
use super::tuple_equivalence::TupleEquivalence;
use super::unsorted_matching::UnsortedMatching;
use super::value_association::ValueAssociation;
use super::value_equivalence::ValueEquivalence;

/// Every attack, in the order they are listed.
pub static ATTACKS: &[&dyn Attack] = &[
    &Prosecutor,
    &Journalist,
    &Marketer,
    &InsensitiveColumns,
    &Homogeneity,
    &Membership,
    &BackgroundKnowledge,
    &Skewness,
    &Similarity,
    &NonMembership,
    &Minimality,
    &ReExecution,
    &Suppression,
    &DeFinetti,
    &Elimination,
    &Inference,
    &UnsortedMatching,
    &ComplementaryRelease,
    &Temporal,
    &RecordLinking,
    &ValueAssociation,
    &Correspondence,
    &ValueEquivalence,
    &TupleEquivalence,
    &Correlation,
];
