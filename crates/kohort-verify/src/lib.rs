//! Diagnosis: what a table already guarantees, recomputed from its rows alone. Verification: whether a
//! release keeps what it was to keep.
//!
//! This crate imports no algorithm: the judge does not know the maker.

pub mod attack;
mod block;
mod borders;
mod check;
mod disclosure;
mod levels;
mod lkc;
pub mod nested;
mod partition;
mod people;
mod presence;
mod projection;
mod release;
mod risk;
pub mod series;
mod set;
mod sizes;
mod subsets;
mod transversals;
mod uniques;
mod whereabouts;

pub use borders::{Borders, Promise, Search, borders};
pub use check::{Violations, check};
pub use disclosure::{BITS, Disclosure, EvidenceCount, disclosure};
pub use levels::{Levels, SensitiveLevels, levels};
pub use lkc::lkc;
pub use people::{PeopleDiversity, PeopleLevels, people_levels, people_of_classes};
pub use presence::{Presence, match_public};
pub use projection::Projection;
pub use release::{
    Against, BrokenByLeftOut, Claims, Findings, LeftOut, Members, Membership, Reason, Rejected,
    Shows, Truth, Verified, class_boxes, fill_likeliest, join_anatomized, masked_texts,
    named_values, truth, verify, with_masked, without_masked,
};
pub use risk::{Guessing, Linking, Prosecutor, guessing, linking, linking_bound, prosecutor};
pub use set::AttributeSet;
pub use sizes::ClassSizes;
pub use subsets::{LowestLevels, all_subsets, all_subsets_levels};
pub use transversals::minimal_transversals;
pub use uniques::{Singled, Uniques, uniques};
pub use whereabouts::Whereabouts;
