//! Models of series of releases: what must hold of everything published about the same people.

mod bcf_anonymity;
mod boxes;
mod e_equivalence;
mod global_guarantee;
mod m_invariance;
mod min_cut;
mod xy_anonymity;
mod xy_linkability;

pub use bcf_anonymity::{BcfAnonymity, BcfLevels};
pub use boxes::{ClassBox, Joined, Shown, join};
pub use e_equivalence::{EEquivalence, Equivalences};
pub use global_guarantee::GlobalGuarantee;
pub use m_invariance::MInvariance;
pub use xy_anonymity::XyAnonymity;
pub use xy_linkability::XyLinkability;

/// Why a series does not keep its promise, as a sentence without a closing stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

/// A promise that is broken by so many of something.
fn broken_if(n: usize, what: &str) -> Result<(), Broken> {
    if n == 0 { Ok(()) } else { Err(Broken(format!("{n} {what}"))) }
}
