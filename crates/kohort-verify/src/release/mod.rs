//! Judging a release: what its rows say, whether the original says the same, and whether the promises
//! hold for what is there.

mod anatomy;
mod boxes;
pub(crate) mod cells;
mod centers;
mod group_flow;
pub(crate) mod index;
mod kinds;
mod left_out;
pub(crate) mod masked_cells;
mod matching;
mod membership;
pub(crate) mod notation;
mod original;
mod pooled;
mod tables;
mod truth;
mod verdict;

pub use anatomy::join_anatomized;
pub use boxes::class_boxes;
pub use left_out::{BrokenByLeftOut, LeftOut};
pub use masked_cells::{fill_likeliest, masked_texts, named_values, with_masked, without_masked};
pub use membership::{Members, Membership};
pub use truth::{Truth, truth};
pub use verdict::{Against, Claims, Findings, Reason, Rejected, Shows, Verified, verify};
pub(crate) use verdict::{by_reference, shown};
