//! The numbers of a plan outside of its goal.

use serde::{Deserializer, Serializer};

use crate::goal::numbers::{allowed, at_least};

pub(super) fn occurrences<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    at_least(deserializer, "at-least", 1)
}

/// A weight that may be left out. Sums of larger ones may be no number.
pub(super) fn weight<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let is_weight = |weight| weight > 0.0 && weight <= 1e9;
    allowed(deserializer, "weight", &"a number above 0, at most 1e9", is_weight).map(Some)
}

/// Writes a weight as a person does: `3`, not `3.0`.
#[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
#[expect(clippy::ref_option, reason = "serde hands fields over by reference")]
pub(super) fn write_weight<S: Serializer>(
    weight: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match weight {
        Some(weight) if weight.fract() == 0.0 => serializer.serialize_i64(*weight as i64),
        Some(weight) => serializer.serialize_f64(*weight),
        None => serializer.serialize_none(),
    }
}
