//! Judging releases of records inside records, from their files alone; and what nested data gives away
//! before anything is done to it.

pub mod attack;
mod claims;
mod cover;
mod diagnosis;
mod generalized;
mod left_out;
mod matching;
mod measured;
mod models;
mod shape;
mod tree_anatomy;
mod truth;
mod values;
mod verdict;
mod vertex_anatomy;
mod whose;

pub use claims::{
    GROUP, NestedClaims, NestedOriginal, NestedRelease, NestedRule, PathRole, group_path,
};
pub use diagnosis::{NestedDiagnosis, Occurrences, diagnose};
pub use generalized::alike_by;
pub use left_out::CutValues;
pub use measured::measured;
pub use models::{BindModel, ModelFinding, PathModel};
pub use truth::{NestedTruth, truth};
pub use verdict::{
    NestedFindings, NestedReason, NestedRejected, NestedVerified, RuleFinding, SensitiveFinding,
    verify,
};
