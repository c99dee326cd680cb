//! Records inside records: the same steps as for tables, over trees of people.

mod again;
mod answer;
mod attack;
mod by_key;
mod cells;
mod compare;
mod compare_text;
mod diagnose;
mod files;
mod goal;
mod in_memory;
mod inspect;
mod job;
mod judge;
mod kept_shares;
mod load;
mod metrics;
mod models;
mod release;
mod render;
mod schema;
mod sink;
mod source;
mod text;
mod verify;

pub use answer::{
    AttributeLevel, Comparison, NestedReceipt, NestedVerdict, PlaceAnswer, PromiseAnswer, Promised,
    RuleAnswer,
};
pub use attack::{NESTED_ATTACKS, attack, attack_held};
pub use compare::{NestedCell, NestedComparison, NestedGrid, NestedPoint, NestedSummary, compare};
pub use compare_text::{compare_text, sheet};
pub use diagnose::{AskedAnswer, NestedAnswer, SensitiveAnswer, Uniques, diagnose, diagnosis_text};
pub use in_memory::{Held, HeldRelease, anonymize_held};
pub use inspect::{PathProposal, propose, starter_plan};
pub use kept_shares::{KeptShare, KeptShares};
pub use load::{Described, without_role};
pub use release::{algorithm, anonymize};
pub use source::{catalog, inputs, is_nested, read};
pub use text::{receipt_text, verdict_text};
pub use verify::{is_release, verify, verify_held};
