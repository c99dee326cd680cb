//! Models of series of releases: what must hold of everything published about the same people.

mod bcf_anonymity;
mod boxes;
mod correlation;
mod e_equivalence;
mod exact;
mod global_guarantee;
mod join;
mod m_invariance;
mod min_cut;
mod model;
mod rho_different;
mod ruled_out;
mod smoothing;
#[cfg(test)]
mod tables;
mod thesis_rule;
mod xy_anonymity;
mod xy_linkability;

pub use bcf_anonymity::{BcfAnonymity, BcfLevels};
pub use boxes::{ClassBox, Shown};
pub use correlation::{Correlations, Transition};
pub use e_equivalence::{EEquivalence, Equivalences};
pub use exact::{NoBeliefs, worlds_posterior};
pub use global_guarantee::GlobalGuarantee;
pub use join::largest_share;
pub use m_invariance::{MInvariance, signatures_are_kept};
pub use model::SeriesModel;
pub use rho_different::{RhoDifferent, RhoDifferentFinding, SPEC as RHO_DIFFERENT, few_people};
pub use smoothing::{Completion, Emission, Past, Posterior, Reading, Smoothing, Stage};
pub use thesis_rule::{thesis_posterior, thesis_rule};
pub use xy_anonymity::XyAnonymity;
pub use xy_linkability::XyLinkability;

/// Why a series does not keep its promise, as a sentence without a closing stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

/// A promise that is broken by so many of something: one, or several, and what is wrong with them.
fn broken_if(n: usize, [one, several]: [&str; 2], what: &str) -> Result<(), Broken> {
    match n {
        0 => Ok(()),
        1 => Err(Broken(format!("1 {one} {what}"))),
        n => Err(Broken(format!("{n} {several} {what}"))),
    }
}

/// One class, or several.
const CLASSES: [&str; 2] = ["class", "classes"];
/// One person, or several.
const PEOPLE: [&str; 2] = ["person", "people"];
