//! Judging releases of records inside records, from their files alone; and what nested data gives away
//! before anything is done to it.

mod claims;
mod cover;
mod generalized;
mod measured;
mod shape;
mod tree_anatomy;
mod truth;
mod values;
mod verdict;
mod vertex_anatomy;

pub use claims::{
    GROUP, NestedClaims, NestedOriginal, NestedRelease, NestedRule, PathRole, group_path,
};
pub use measured::measured;
pub use truth::{NestedTruth, truth};
pub use verdict::{
    NestedFindings, NestedReason, NestedRejected, NestedVerified, RuleFinding, SensitiveFinding,
    verify,
};
