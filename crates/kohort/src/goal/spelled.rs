//! What a plan may spell in several ways, read by hand: a derived reader answers every mistake with
//! "did not match any variant", and a number out of range with nothing at all.

use std::fmt;
use std::marker::PhantomData;

use kohort_core::Ratio;
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::numbers::number;

/// What a name must be.
pub(crate) fn rule(words: &[&str]) -> String {
    let (last, first) = words.split_last().expect("there is something to choose from");
    format!("must be {} or {last}", first.join(", "))
}

/// Gives an enum of words its reader.
macro_rules! words {
    ($name:ident, $subject:literal, [$(($word:literal, $variant:ident)),+]) => {
        impl std::str::FromStr for $name {
            type Err = String;

            /// Reads the word; the error says what it must be.
            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => {
                        let words = [$($word),+];
                        let likely = $crate::error::suggestion(kohort_core::nearest(text, words));
                        Err(format!("{}, but is `{text}`{likely}", $crate::goal::spelled::rule(&words)))
                    }
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let found = match <$crate::goal::spelled::Scalar as serde::Deserialize>::deserialize(deserializer)? {
                    $crate::goal::spelled::Scalar::Text(text) => text.parse(),
                    other => Err(format!("{}, but is {other}", $crate::goal::spelled::rule(&[$($word),+]))),
                };
                found.map_err(|problem| <D::Error as serde::de::Error>::custom(format!("{} {problem}", $subject)))
            }
        }
    };
}
pub(crate) use words;

/// One value, or what is there instead.
pub(crate) enum Scalar {
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

/// One item, or a list of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMore<T> {
    /// One item.
    One(T),
    /// Several, all of which must hold.
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    /// The items.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        match self {
            Self::One(item) => std::slice::from_ref(item).iter(),
            Self::More(items) => items.iter(),
        }
    }
}

/// An l, for one sensitive attribute or for every one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Diversity {
    /// For every sensitive attribute.
    Every(
        #[serde(serialize_with = "super::numbers::write")]
        #[schemars(schema_with = "l::schema")]
        Ratio,
    ),
    /// For one.
    One {
        /// The level.
        #[serde(serialize_with = "super::numbers::write")]
        #[schemars(schema_with = "l::schema")]
        l: Ratio,
        /// The sensitive attribute; all by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attribute: Option<String>,
    },
}

number!(l, "l", ABOVE_1);

impl Diversity {
    /// For this attribute, or for every one.
    pub(super) fn of(l: Ratio, attribute: Option<String>) -> Self {
        match attribute {
            None => Self::Every(l),
            Some(_) => Self::One { l, attribute },
        }
    }

    /// The level and the attribute, if it is for one.
    pub fn parts(&self) -> (Ratio, Option<&str>) {
        match self {
            Self::Every(l) => (*l, None),
            Self::One { l, attribute } => (*l, attribute.as_deref()),
        }
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
    #[serde(deserialize_with = "l::read")]
    l: Ratio,
    attribute: Option<String>,
}

struct DiversityVisitor;

impl DiversityVisitor {
    fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Diversity, D::Error> {
        l::read(deserializer).map(Diversity::Every)
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
