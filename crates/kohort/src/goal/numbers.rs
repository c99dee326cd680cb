//! The numbers of a plan: each is within its range, or the message says what it must be. The range is declared
//! once, for the reader of plans and for the JSON Schema.

use std::fmt;

use kohort_core::Ratio;
use schemars::{Schema, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

use super::spelled::Scalar;

/// The lowest number of a range.
#[derive(Clone, Copy)]
enum Low {
    At(u32),
    Above(u32),
}

/// The highest number of a range.
#[derive(Clone, Copy)]
enum High {
    At(u32),
    Below(u32),
    None,
}

/// The numbers that a parameter may be.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    noun: &'static str,
    low: Low,
    high: High,
}

impl Range {
    /// From 0 to 1.
    pub(crate) const FROM_0_TO_1: Self =
        Self { noun: "a number", low: Low::At(0), high: High::At(1) };
    /// The same, where the number is a share.
    pub(crate) const SHARE: Self = Self { noun: "a share", ..Self::FROM_0_TO_1 };
    /// A share that is not 0.
    pub(crate) const POSITIVE_SHARE: Self = Self { low: Low::Above(0), ..Self::SHARE };
    /// A share that is neither 0 nor 1.
    pub(crate) const PROPER_SHARE: Self = Self { high: High::Below(1), ..Self::POSITIVE_SHARE };
    /// At least 0.
    pub(crate) const NOT_NEGATIVE: Self = Self { high: High::None, ..Self::FROM_0_TO_1 };
    /// Above 0.
    pub(crate) const POSITIVE: Self = Self { low: Low::Above(0), ..Self::NOT_NEGATIVE };
    /// Above 1.
    pub(crate) const ABOVE_1: Self = Self { low: Low::Above(1), ..Self::NOT_NEGATIVE };

    fn holds(self, number: f64) -> bool {
        let is_high_enough = match self.low {
            Low::At(low) => number >= f64::from(low),
            Low::Above(low) => number > f64::from(low),
        };
        let is_low_enough = match self.high {
            High::At(high) => number <= f64::from(high),
            High::Below(high) => number < f64::from(high),
            High::None => true,
        };
        is_high_enough && is_low_enough
    }

    /// The bounds of a number in a JSON Schema.
    pub(crate) fn bounds(self, schema: &mut Schema) {
        match self.low {
            Low::At(low) => schema.insert("minimum".into(), low.into()),
            Low::Above(low) => schema.insert("exclusiveMinimum".into(), low.into()),
        };
        match self.high {
            High::At(high) => schema.insert("maximum".into(), high.into()),
            High::Below(high) => schema.insert("exclusiveMaximum".into(), high.into()),
            High::None => None,
        };
    }

    /// The JSON Schema of a number.
    pub(crate) fn schema(self) -> Schema {
        let mut schema = json_schema!({ "type": "number", "format": "double" });
        self.bounds(&mut schema);
        schema
    }

    /// The JSON Schema of a number that may be left out.
    pub(crate) fn schema_or_none(self) -> Schema {
        let mut schema = json_schema!({ "type": ["number", "null"], "format": "double" });
        self.bounds(&mut schema);
        schema
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = self.noun;
        match (self.low, self.high) {
            (Low::At(low), High::At(high)) => write!(f, "{noun} from {low} to {high}"),
            (Low::At(low), High::Below(high)) => {
                write!(f, "{noun} of at least {low}, below {high}")
            }
            (Low::At(low), High::None) => write!(f, "{noun} of at least {low}"),
            (Low::Above(low), High::At(high)) => write!(f, "{noun} above {low}, at most {high}"),
            (Low::Above(low), High::Below(high)) => write!(f, "{noun} above {low}, below {high}"),
            (Low::Above(low), High::None) => write!(f, "{noun} above {low}"),
        }
    }
}

/// That a setting is not what it must be.
pub(crate) fn refused<E: Error>(
    name: &str,
    expected: &impl fmt::Display,
    found: &impl fmt::Display,
) -> E {
    E::custom(format!("`{name}` must be {expected}, but is {found}"))
}

/// Reads a whole number of at least `least`.
pub(crate) fn at_least<'de, D: Deserializer<'de>>(
    deserializer: D,
    name: &str,
    least: u64,
) -> Result<u64, D::Error> {
    let found = Scalar::deserialize(deserializer)?;
    let number = match found {
        Scalar::Whole(number) => u64::try_from(number).ok().filter(|&number| number >= least),
        _ => None,
    };
    number.ok_or_else(|| refused(name, &format!("a whole number of at least {least}"), &found))
}

/// Reads a number for which `is_allowed` holds.
#[expect(clippy::cast_precision_loss, reason = "a level or share, far below 2^53")]
pub(crate) fn allowed<'de, D: Deserializer<'de>>(
    deserializer: D,
    name: &str,
    expected: &impl fmt::Display,
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

/// Reads a number within a range.
pub(crate) fn within<'de, D: Deserializer<'de>>(
    deserializer: D,
    name: &str,
    range: Range,
) -> Result<f64, D::Error> {
    allowed(deserializer, name, &range, |number| range.holds(number))
}

/// Reads a number within a range, exactly as it is written.
pub(crate) fn exact_within<'de, D: Deserializer<'de>>(
    deserializer: D,
    name: &'static str,
    range: Range,
) -> Result<Ratio, D::Error> {
    exact(name, within(deserializer, name, range)?).map_err(D::Error::custom)
}

/// Declares a number of a plan: a module with its reader and its JSON Schema. `optional` is one that may be left
/// out.
macro_rules! number {
    ($module:ident, $name:literal, $range:ident) => {
        mod $module {
            use schemars::{Schema, SchemaGenerator};

            use crate::goal::numbers::{Range, exact_within};

            pub(super) fn read<'de, D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<kohort_core::Ratio, D::Error> {
                exact_within(deserializer, $name, Range::$range)
            }

            pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
                Range::$range.schema()
            }
        }
    };
    (optional $module:ident, $name:literal, $range:ident) => {
        mod $module {
            use schemars::{Schema, SchemaGenerator};

            use crate::goal::numbers::{Range, exact_within};

            pub(super) fn read<'de, D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<kohort_core::Ratio>, D::Error> {
                exact_within(deserializer, $name, Range::$range).map(Some)
            }

            pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
                Range::$range.schema_or_none()
            }
        }
    };
}
pub(crate) use number;

/// Declares a whole number of a plan: a module with its reader and its JSON Schema.
macro_rules! whole_number {
    ($module:ident, $name:literal, $least:literal) => {
        mod $module {
            use schemars::{Schema, SchemaGenerator, json_schema};

            pub(super) fn read<'de, D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<u64, D::Error> {
                crate::goal::numbers::at_least(deserializer, $name, $least)
            }

            pub(super) fn schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "integer", "format": "uint64", "minimum": $least })
            }
        }
    };
}
pub(crate) use whole_number;

/// Writes a number as a person does: `3`, not `3.0`.
pub(crate) fn write<S: Serializer>(number: &Ratio, serializer: S) -> Result<S::Ok, S::Error> {
    match number.den() {
        1 => serializer.serialize_u64(number.num()),
        _ => serializer.serialize_f64(number.value()),
    }
}

/// Writes an optional number as a person does.
#[expect(clippy::ref_option, reason = "serde hands fields over by reference")]
pub(crate) fn write_optional<S: Serializer>(
    number: &Option<Ratio>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => write(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// A plan's number, exactly as it was written.
pub(crate) fn exact(name: &'static str, number: f64) -> Result<Ratio, kohort_core::Error> {
    kohort_report::wording::exact(number).ok_or_else(|| {
        let found = number.to_string();
        let expected = "a number of at least 0 and at most 18 digits";
        kohort_core::Error::new(kohort_core::Kind::Parameter { name, found, expected })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_survive_their_decimals() {
        for (num, den) in [(1, 9), (4, 3), (2, 7), (100, 3), (1, 997), (1, 8), (1, 50)] {
            let fraction = Ratio::new(num, den);
            assert_eq!(exact("l", fraction.value()).unwrap(), fraction);
        }
        assert_eq!(exact("l", 0.333_333).unwrap(), Ratio::new(333_333, 1_000_000));
        assert_eq!(
            exact("l", 0.1 + 0.2).unwrap(),
            Ratio::new(30_000_000_000_000_004, 10_u64.pow(17))
        );
    }
}
