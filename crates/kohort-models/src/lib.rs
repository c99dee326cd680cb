//! Privacy models: what a class of rows must look like, and the level it already has. Metrics: what a
//! release costs.
//!
//! Maker and judge both use this crate; it knows neither.

mod alpha_k_anonymity;
mod average_risk;
mod basic_beta_likeness;
mod class;
mod costs;
mod delta_disclosure_privacy;
mod delta_presence;
mod distinct_l_diversity;
mod draw;
mod dropping;
mod enhanced_beta_likeness;
mod entropy_l_diversity;
mod epsilon_m_anonymity;
mod frequency_l_diversity;
mod k_anonymity;
mod k_map;
mod ke_anonymity;
mod l_mdiversity;
mod l_pdiversity;
mod lkc_privacy;
mod metrics;
pub mod nested;
mod of_attribute;
mod p_sensitive_k_anonymity;
mod personalized_privacy;
pub mod population;
mod population_uniqueness;
mod promises;
mod recursive_cl_diversity;
mod registry;
mod sample_uniqueness;
mod sensitivity_classes;
pub mod series;
mod size_model;
mod t_closeness;
pub mod utility;
mod worlds;

pub use alpha_k_anonymity::AlphaKAnonymity;
pub use average_risk::AverageRisk;
pub use basic_beta_likeness::BasicBetaLikeness;
pub use class::{Class, ClassModel, Counts, Distribution, tally};
pub use costs::{CellMetric, Costs, Place, printed_range};
pub use delta_disclosure_privacy::DeltaDisclosurePrivacy;
pub use delta_presence::DeltaPresence;
pub use distinct_l_diversity::DistinctLDiversity;
pub use draw::Draw;
pub use dropping::RowKind;
pub use enhanced_beta_likeness::EnhancedBetaLikeness;
pub use entropy_l_diversity::EntropyLDiversity;
pub use epsilon_m_anonymity::EpsilonMAnonymity;
pub use frequency_l_diversity::FrequencyLDiversity;
pub use k_anonymity::KAnonymity;
pub use k_map::{EstimatedKMap, KMap};
pub use ke_anonymity::KeAnonymity;
pub use l_mdiversity::LMdiversity;
pub use l_pdiversity::LPdiversity;
pub use lkc_privacy::LkcPrivacy;
pub use metrics::{Better, METRICS, Measured, Metric, Score, Undefined};
pub use of_attribute::OfAttribute;
pub use p_sensitive_k_anonymity::PSensitiveKAnonymity;
pub use personalized_privacy::PersonalizedPrivacy;
pub use population_uniqueness::PopulationUniqueness;
pub use promises::Promises;
pub use recursive_cl_diversity::RecursiveClDiversity;
pub use registry::{NOT_MONOTONE, SPECS};
pub use sample_uniqueness::SampleUniqueness;
pub use sensitivity_classes::SensitivityClasses;
pub use size_model::SizeModel;
pub use t_closeness::{Distance, TCloseness};
pub use worlds::{
    Evidence, Posterior, posterior_bound, row_probabilities, worst_posterior,
    worst_posterior_within,
};
