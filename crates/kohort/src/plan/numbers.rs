//! The numbers of a plan: each is within its range, or the message says what it must be.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use super::spelled::Scalar;
use super::{Diversity, OneOrMore, Personalized};

fn refused<E: Error>(name: &str, expected: &str, found: &impl fmt::Display) -> E {
    E::custom(format!("`{name}` must be {expected}, but is {found}"))
}

fn at_least<'de, D: Deserializer<'de>>(
    least: u64,
    deserializer: D,
    name: &str,
) -> Result<u64, D::Error> {
    let found = Scalar::deserialize(deserializer)?;
    let number = match found {
        Scalar::Whole(number) => u64::try_from(number).ok().filter(|&number| number >= least),
        _ => None,
    };
    number.ok_or_else(|| refused(name, &format!("a whole number of at least {least}"), &found))
}

#[expect(clippy::cast_precision_loss, reason = "a level or share, far below 2^53")]
fn number<'de, D: Deserializer<'de>>(
    deserializer: D,
    name: &str,
    expected: &str,
    is_allowed: impl Fn(f64) -> bool,
) -> Result<f64, D::Error> {
    let found = Scalar::deserialize(deserializer)?;
    let number = match found {
        Scalar::Whole(number) => Some(number as f64),
        Scalar::Number(number) => Some(number),
        _ => None,
    };
    let number = number.filter(|&number| number.is_finite() && is_allowed(number));
    number.ok_or_else(|| refused(name, expected, &found))
}

fn is_share(number: f64) -> bool {
    (0.0..=1.0).contains(&number)
}

fn is_positive(number: f64) -> bool {
    number > 0.0
}

/// Sums of larger ones may be no number.
fn is_weight(number: f64) -> bool {
    is_positive(number) && number <= 1e9
}

fn is_positive_share(number: f64) -> bool {
    is_share(number) && is_positive(number)
}

fn is_above_one(number: f64) -> bool {
    number > 1.0
}

/// Gives a field of a goal its reader: a number for which `$is_allowed` holds.
macro_rules! numbers {
    ($(($reader:ident, $name:literal, $expected:literal, $is_allowed:expr)),+ $(,)?) => {
        $(pub(super) fn $reader<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<f64, D::Error> {
            number(deserializer, $name, $expected, $is_allowed)
        })+
    };
}

numbers!(
    (t, "t", "a number from 0 to 1", is_share),
    (c, "c", "a number above 0", is_positive),
    (l, "l", "a number above 1", is_above_one),
    (l_low, "l-low", "a number above 1", is_above_one),
    (alpha, "alpha", "a share above 0, at most 1", is_positive_share),
    (confidence, "c", "a share above 0, at most 1", is_positive_share),
    (p, "p", "a share above 0, at most 1", is_positive_share),
    (beta, "beta", "a number above 0", is_positive),
    (delta, "delta", "a number above 0", is_positive),
    (e, "e", "a number of at least 0", |e| e >= 0.0),
    (epsilon, "epsilon", "a number of at least 0", |epsilon| epsilon >= 0.0),
    (min, "min", "a share from 0 to 1", is_share),
    (max, "max", "a share from 0 to 1", is_share),
    (share_p, "p", "a share from 0 to 1", is_share),
    (fraction, "sampling-fraction", "a share above 0, at most 1", is_positive_share),
    (significance, "significance", "a share above 0, below 1", |s| is_positive_share(s) && s < 1.0),
    (average, "average-risk", "a share above 0, at most 1", is_positive_share),
    (uniqueness, "sample-uniqueness", "a share from 0 to 1", is_share),
);

/// Gives a field of a goal its reader: a whole number of at least `$least`.
macro_rules! whole_numbers {
    ($(($reader:ident, $name:literal, $least:literal)),+ $(,)?) => {
        $(pub(super) fn $reader<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<u64, D::Error> {
            at_least($least, deserializer, $name)
        })+
    };
}

whole_numbers!(
    (whole_l, "l", 2),
    (whole_k, "k", 2),
    (whole_p, "p", 2),
    (whole_m, "m", 2),
    (rows, "k", 1),
    (columns, "l", 1),
    (occurrences, "at-least", 1),
);

/// Gives a level that is one whole number, and that may be left out, its reader.
macro_rules! optional_levels {
    ($(($reader:ident, $name:literal)),+ $(,)?) => {
        $(pub(super) fn $reader<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<u64>, D::Error> {
            at_least(2, deserializer, $name).map(Some)
        })+
    };
}

optional_levels!(
    (k, "k-anonymity"),
    (l_pdiversity, "l-pdiversity"),
    (l_mdiversity, "l-mdiversity"),
);

pub(super) fn suppression<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    number(deserializer, "suppression", "a share from 0 to 1", is_share).map(Some)
}

/// Distinct values are counted, so that their l is whole.
pub(super) fn distinct<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<OneOrMore<Diversity>>, D::Error> {
    let levels = OneOrMore::<Diversity>::deserialize(deserializer)?;
    let broken = levels.iter().map(|level| level.parts().0).find(|l| l.fract() != 0.0);
    match broken {
        Some(l) => Err(refused("l", "a whole number of at least 2", &l)),
        None => Ok(Some(levels)),
    }
}

/// Writes a whole number as a person does: `3`, not `3.0`.
#[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
pub(super) fn write<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    if is_whole {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}

/// A weight that may be left out.
pub(super) fn weight<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    number(deserializer, "weight", "a number above 0, at most 1e9", is_weight).map(Some)
}

/// Gives a number that may be left out its reader.
macro_rules! optional_numbers {
    ($(($reader:ident, $number:ident)),+ $(,)?) => {
        $(pub(super) fn $reader<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<f64>, D::Error> {
            $number(deserializer).map(Some)
        })+
    };
}

optional_numbers!(
    (optional_fraction, fraction),
    (optional_significance, significance),
    (average_risk, average),
    (sample_uniqueness, uniqueness),
);

/// A level that may be left out.
pub(super) fn optional_l<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    l(deserializer).map(Some)
}

/// A level for low values that may be left out.
pub(super) fn optional_l_low<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f64>, D::Error> {
    l_low(deserializer).map(Some)
}

/// Writes an optional number as a person does.
#[expect(clippy::ref_option, reason = "serde hands fields over by reference")]
pub(super) fn write_optional<S: Serializer>(
    number: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => write(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// Values to protect: an empty list would protect nothing without saying so.
fn some<'de, D: Deserializer<'de>>(deserializer: D, name: &str) -> Result<Vec<String>, D::Error> {
    let values = Vec::<String>::deserialize(deserializer)?;
    if values.is_empty() {
        return Err(refused(name, "at least one value", &"an empty list"));
    }
    Ok(values)
}

pub(super) fn values<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    some(deserializer, "values").map(Some)
}

pub(super) fn high<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    some(deserializer, "high")
}

/// Guards are given per value or per row.
pub(super) fn personalized<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<OneOrMore<Personalized>>, D::Error> {
    let asked = OneOrMore::<Personalized>::deserialize(deserializer)?;
    let both_or_none = |one: &&Personalized| one.guards.is_empty() == one.guard_column.is_none();
    let wrong = asked.iter().find(both_or_none).map(|one| one.guards.is_empty());
    let Some(has_neither) = wrong else { return Ok(Some(asked)) };
    let rule = "`personalized-privacy` must have `guards` or `guard-column`";
    let found = if has_neither { "neither" } else { "both" };
    Err(D::Error::custom(format!("{rule}, but has {found}")))
}
