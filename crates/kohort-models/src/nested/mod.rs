//! Models and measures of records inside records.

mod occurrence_rule;

pub use occurrence_rule::OccurrenceRule;
