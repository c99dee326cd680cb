//! Makers of the next release of a series: what was published binds what may be published.

#![expect(clippy::cast_precision_loss, reason = "numbers of rows are far below 2^53")]

mod bcf_anonymity;
mod buckets;
mod choose;
mod e_equivalence;
mod exchange;
mod global_guarantee;
mod m_invariance;
mod method;
mod nearest;
mod partition;
mod registry;
mod rho_different;
mod rows;
mod specialize;
mod turn;
mod xy_anonymity;

#[cfg(test)]
mod tests;

pub use bcf_anonymity::BcfMaker;
pub use buckets::Surplus;
pub use choose::{Changed, Choice, choose, needed, refusal};
pub use e_equivalence::EEquivalentMaker;
pub use global_guarantee::GlobalMaker;
pub use m_invariance::{MInvariantMaker, NearMInvariantMaker};
pub use method::SeriesMethod;
pub use registry::{SERIES_KINDS, SERIES_METHODS, SeriesKind, series_kind, series_method, users};
pub use rho_different::RhoDifferentMaker;
pub use turn::{Counterfeit, Failure, Next, Turn};
pub use xy_anonymity::{XyMaker, XyModel};
