//! What became of nested releases: receipts, verdicts, comparisons, and their texts.

mod answer;
mod compare_text;
mod comparison;
mod kept_shares;
mod text;

pub use self::answer::{
    AttributeLevel, Comparison, NestedReceipt, NestedVerdict, PlaceAnswer, PromiseAnswer, Promised,
    RuleAnswer,
};
pub use self::compare_text::{compare_text, sheet};
pub use self::comparison::{NestedCell, NestedComparison, NestedPoint, NestedSummary};
pub use self::kept_shares::{KeptShare, KeptShares, UNEVEN};
pub use self::text::{receipt_text, verdict_text};
