//! Records inside records: the same steps as for tables, over trees of people.
//!
//! ```
//! use std::sync::Arc;
//!
//! use kohort::nested::{Described, Held, anonymize_held};
//! use kohort::plan::Plan;
//! use kohort::{Cx, Stop};
//!
//! let text = br#"[
//!     {"age": 31, "visits": [{"disease": "flu"}]},
//!     {"age": 34, "visits": [{"disease": "gout"}, {"disease": "flu"}]}
//! ]"#;
//! let plan = r#"
//! goal = { k-anonymity = 2 }
//!
//! [attributes]
//! age = "quasi"
//! "visits[].disease" = "sensitive"
//! "#;
//! let plan = Plan::parse("plan.toml", plan)?;
//! let records = Held::Json(Arc::from(&text[..])).records(&plan, "patients")?.value;
//! let described = Described::new(&plan, records)?.value;
//! let (receipt, _release) = anonymize_held(&plan, &described, false, &Cx::default())?;
//! assert!(receipt.verified);
//! # Ok::<(), Stop>(())
//! ```

mod again;
mod answer;
mod attack;
mod by_key;
mod cells;
mod compare;
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
mod verify;

pub use attack::{NESTED_ATTACKS, attack, attack_held};
pub use compare::{NestedGrid, compare};
pub use diagnose::{AskedAnswer, NestedAnswer, SensitiveAnswer, Uniques, diagnose, diagnosis_text};
pub use in_memory::{Held, HeldRelease, anonymize_held};
pub use inspect::{PathProposal, propose, starter_plan};
pub use kohort_report::nested::{
    AttributeLevel, Comparison, KeptShare, KeptShares, NestedCell, NestedComparison, NestedPoint,
    NestedReceipt, NestedSummary, NestedVerdict, PlaceAnswer, PromiseAnswer, Promised, RuleAnswer,
    compare_text, receipt_text, sheet, verdict_text,
};
pub use load::{Described, without_role};
pub use release::{algorithm, anonymize};
pub use source::{catalog, inputs, is_nested, read};
pub use verify::{is_release, verify, verify_held};
