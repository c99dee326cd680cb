//! Makers of the next release of a series: what was published binds what may be published.

mod method;
mod registry;
mod turn;

pub use method::SeriesMethod;
pub use registry::{SERIES_METHODS, series_method};
pub use turn::{Counterfeit, Failure, Next, Turn};
