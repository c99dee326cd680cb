//! Makers of the next release of a series: what was published binds what may be published.

mod turn;

pub use turn::{Counterfeit, Failure, Next, Turn};
