//! What a plan may spell in several ways, read by hand: a derived reader answers every mistake with
//! "did not match any variant", and a number out of range with nothing at all.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use kohort_core::nearest;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::numbers::l;
use super::{
    AnatomyName, AttributePlan, BoundsName, CenterName, DistanceName, Diversity, FormName,
    FullAttribute, MissingName, NumericName, OneOrMore, PolicyName, PresetName, RoleName,
    SuppressedName, SurplusName, TypeName, UnitName,
};
use crate::error::suggestion;

impl<'de> Deserialize<'de> for AttributePlan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AttributeVisitor)
    }
}

struct AttributeVisitor;

impl<'de> Visitor<'de> for AttributeVisitor {
    type Value = AttributePlan;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a role, or a table with `role`, `type`, `taxonomy`, `buckets`, `weight` and `missing`",
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<AttributePlan, E> {
        RoleName::deserialize(text.into_deserializer()).map(AttributePlan::Role)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<AttributePlan, A::Error> {
        FullAttribute::deserialize(MapAccessDeserializer::new(access)).map(AttributePlan::Full)
    }
}

/// What a name must be.
fn rule(words: &[&str]) -> String {
    let (last, first) = words.split_last().expect("there is something to choose from");
    format!("must be {} or {last}", first.join(", "))
}

/// Gives an enum of words its reader.
macro_rules! words {
    ($name:ident, $subject:literal, [$(($word:literal, $variant:ident)),+]) => {
        impl FromStr for $name {
            type Err = String;

            /// Reads the word; the error says what it must be.
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => {
                        let words = [$($word),+];
                        let likely = suggestion(nearest(text, words));
                        Err(format!("{}, but is `{text}`{likely}", rule(&words)))
                    }
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let found = match Scalar::deserialize(deserializer)? {
                    Scalar::Text(text) => text.parse(),
                    other => Err(format!("{}, but is {other}", rule(&[$($word),+]))),
                };
                found.map_err(|problem| D::Error::custom(format!("{} {problem}", $subject)))
            }
        }
    };
}

words!(
    RoleName,
    "`role` of the column",
    [
        ("identifier", Identifier),
        ("quasi", Quasi),
        ("sensitive", Sensitive),
        ("insensitive", Insensitive)
    ]
);
words!(
    TypeName,
    "`type` of the column",
    [
        ("integer", Integer),
        ("decimal", Decimal),
        ("date", Date),
        ("boolean", Boolean),
        ("text", Text)
    ]
);
words!(
    MissingName,
    "`missing` of the column",
    [("value", Value), ("ignored", Ignored), ("unprotected", Unprotected)]
);
words!(UnitName, "`unit`", [("person", Person), ("row", Row)]);
words!(NumericName, "`numeric`", [("exact", Exact), ("taxonomy", Taxonomy)]);
words!(BoundsName, "`bounds`", [("rounded", Rounded), ("exact", Exact)]);
words!(PresetName, "`preset`", [("hipaa", Hipaa)]);
words!(CenterName, "`center`", [("mean", Mean), ("median", Median)]);
words!(
    PolicyName,
    "`policy`",
    [
        ("least-loss", LeastLoss),
        ("relative-distance", RelativeDistance),
        ("fewest-suppressed", FewestSuppressed)
    ]
);
words!(FormName, "`form`", [("generalized", Generalized), ("anatomized", Anatomized)]);
words!(
    SuppressedName,
    "`suppressed`",
    [("drop", Drop), ("keep", Keep), ("keep-values", KeepValues)]
);
words!(SurplusName, "`surplus`", [("hold-back", HoldBack), ("counterfeits", Counterfeits)]);
words!(AnatomyName, "`anatomy`", [("two-files", TwoFiles), ("one-file", OneFile)]);
words!(
    DistanceName,
    "`distance`",
    [("equal", Equal), ("ordered", Ordered), ("hierarchical", Hierarchical)]
);

/// One value, or what is there instead.
pub(super) enum Scalar {
    Whole(i128),
    Number(f64),
    Boolean(bool),
    Text(String),
    List,
    Table,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::Text(text) => write!(f, "`{text}`"),
            Self::List => f.write_str("a list"),
            Self::Table => f.write_str("a table"),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one value")
    }

    fn visit_bool<E>(self, found: bool) -> Result<Scalar, E> {
        Ok(Scalar::Boolean(found))
    }

    fn visit_i64<E>(self, found: i64) -> Result<Scalar, E> {
        Ok(Scalar::Whole(found.into()))
    }

    fn visit_u64<E>(self, found: u64) -> Result<Scalar, E> {
        Ok(Scalar::Whole(found.into()))
    }

    fn visit_f64<E>(self, found: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(found))
    }

    fn visit_str<E>(self, found: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(found.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<Scalar, A::Error> {
        IgnoredAny.visit_seq(access).map(|_| Scalar::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Scalar, A::Error> {
        IgnoredAny.visit_map(access).map(|_| Scalar::Table)
    }
}

/// Hands a value that is no list and no table on to `Self::scalar`.
macro_rules! scalars {
    () => {
        fn visit_bool<E: Error>(self, found: bool) -> Result<Self::Value, E> {
            Self::scalar(found.into_deserializer())
        }

        fn visit_i64<E: Error>(self, found: i64) -> Result<Self::Value, E> {
            Self::scalar(found.into_deserializer())
        }

        fn visit_u64<E: Error>(self, found: u64) -> Result<Self::Value, E> {
            Self::scalar(found.into_deserializer())
        }

        fn visit_f64<E: Error>(self, found: f64) -> Result<Self::Value, E> {
            Self::scalar(found.into_deserializer())
        }

        fn visit_str<E: Error>(self, found: &str) -> Result<Self::Value, E> {
            Self::scalar(found.into_deserializer())
        }
    };
}

impl<'de> Deserialize<'de> for Diversity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DiversityVisitor)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiversityFields {
    #[serde(deserialize_with = "l")]
    l: f64,
    attribute: Option<String>,
}

struct DiversityVisitor;

impl DiversityVisitor {
    fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Diversity, D::Error> {
        l(deserializer).map(Diversity::Every)
    }
}

impl<'de> Visitor<'de> for DiversityVisitor {
    type Value = Diversity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or a table with `l` and `attribute`")
    }

    scalars!();

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Diversity, A::Error> {
        let DiversityFields { l, attribute } =
            DiversityFields::deserialize(MapAccessDeserializer::new(access))?;
        Ok(Diversity::One { l, attribute })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMoreVisitor(PhantomData))
    }
}

struct OneOrMoreVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> OneOrMoreVisitor<T> {
    fn scalar<D: Deserializer<'de>>(deserializer: D) -> Result<OneOrMore<T>, D::Error> {
        T::deserialize(deserializer).map(OneOrMore::One)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMoreVisitor<T> {
    type Value = OneOrMore<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one level, or a list of them")
    }

    scalars!();

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<OneOrMore<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(access)).map(OneOrMore::More)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<OneOrMore<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(access)).map(OneOrMore::One)
    }
}
