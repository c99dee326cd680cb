//! Models of series of releases: what must hold of everything published about the same people.

mod correlation;
mod exact;
mod rho_different;
mod smoothing;
#[cfg(test)]
mod tables;
mod thesis_rule;

pub use correlation::{Correlations, Transition};
pub use exact::worlds_posterior;
pub use rho_different::{RhoDifferent, RhoDifferentFinding, SPEC as RHO_DIFFERENT};
pub use smoothing::{Completion, Emission, Past, Posterior, Reading, Smoothing, Stage};
pub use thesis_rule::{thesis_posterior, thesis_rule};
