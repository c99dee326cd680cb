//! Models and measures of records inside records.

mod kl;
mod lm;
mod measured;
mod occurrence_rule;
mod query_accuracy;
mod suppression_accuracy;
#[cfg(test)]
mod tests;

pub use measured::{NESTED_METRICS, NestedMeasured, NestedMetric, ReleasedTrees, ReleasedValues};
pub use occurrence_rule::{OccurrenceRule, SPEC as OCCURRENCE_RULE};
pub use query_accuracy::FAMILIES;
