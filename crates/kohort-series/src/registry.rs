//! The methods in the box.

use kohort_core::Spec;
use kohort_models::series::{
    BcfAnonymity, EEquivalence, GlobalGuarantee, MInvariance, RHO_DIFFERENT, XyAnonymity,
    XyLinkability,
};

/// What each method is, in the order they are listed.
pub static SERIES_METHODS: &[&Spec] = &[
    &MInvariance::SPEC,
    &RHO_DIFFERENT,
    &EEquivalence::SPEC,
    &BcfAnonymity::SPEC,
    &XyAnonymity::SPEC,
    &XyLinkability::SPEC,
    &GlobalGuarantee::SPEC,
];

/// The method with this id.
pub fn series_method(id: &str) -> Option<&'static Spec> {
    SERIES_METHODS.iter().copied().find(|spec| spec.id == id)
}
