//! Models of series of releases: what must hold of everything published about the same people.

mod e_equivalence;
mod m_invariance;
mod min_cut;

pub use e_equivalence::{EEquivalence, Equivalences};
pub use m_invariance::MInvariance;

/// Why a series does not keep its promise, as a sentence without a closing stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

/// A promise that is broken by so many of something.
fn broken_if(n: usize, what: &str) -> Result<(), Broken> {
    if n == 0 { Ok(()) } else { Err(Broken(format!("{n} {what}"))) }
}
