//! Makers of the next release of a series: what was published binds what may be published.

mod method;
mod registry;
mod rho_different;
mod turn;

pub use method::SeriesMethod;
pub use registry::{SERIES_METHODS, series_method};
pub use rho_different::RhoDifferentMaker;
pub use turn::{Counterfeit, Failure, Next, Turn};
