//! The models in the box.

use kohort_core::Spec;

/// What each model is, in the order they are listed.
pub const SPECS: &[Spec] = &[
    crate::k_anonymity::SPEC,
    crate::distinct_l_diversity::SPEC,
    crate::frequency_l_diversity::SPEC,
    crate::entropy_l_diversity::SPEC,
    crate::recursive_cl_diversity::SPEC,
    crate::alpha_k_anonymity::SPEC,
    crate::p_sensitive_k_anonymity::SPEC,
    crate::l_pdiversity::SPEC,
    crate::l_mdiversity::SPEC,
    crate::lkc_privacy::SPEC,
    crate::sensitivity_classes::SPEC,
    crate::personalized_privacy::SPEC,
    crate::ke_anonymity::SPEC,
    crate::epsilon_m_anonymity::SPEC,
    crate::t_closeness::SPEC,
    crate::basic_beta_likeness::SPEC,
    crate::enhanced_beta_likeness::SPEC,
    crate::delta_disclosure_privacy::SPEC,
    crate::delta_presence::SPEC,
    crate::k_map::SPEC,
    crate::average_risk::SPEC,
    crate::sample_uniqueness::SPEC,
    crate::population_uniqueness::SPEC,
];

/// The models that are not monotone: two classes that keep the promise may not keep it as one.
pub const NOT_MONOTONE: &[&str] = &[
    crate::personalized_privacy::SPEC.id,
    crate::epsilon_m_anonymity::SPEC.id,
    crate::population_uniqueness::SPEC.id,
];
