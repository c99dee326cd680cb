//! Records inside records: the same steps as for tables, over trees of people.

mod answer;
mod goal;
mod judge;
mod load;
mod release;
mod render;
mod source;
mod text;
mod verify;

pub use answer::{
    AttributeLevel, Comparison, NestedReceipt, NestedVerdict, Promised, RuleAnswer,
};
pub use load::{Described, without_role};
pub use release::{NestedOrder, algorithm, anonymize};
pub use source::{catalog, inputs, is_nested, read};
pub use text::{receipt_text, verdict_text};
pub use verify::verify;
