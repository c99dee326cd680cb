//! What a plan may spell in several ways, read by hand: a derived reader answers every mistake with
//! "did not match any variant".

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{
    AnatomyName, AttributePlan, BoundsName, CenterName, FormName, FullAttribute, MissingName,
    NumericName, PolicyName, PresetName, RoleName, SuppressedName, SurplusName, TypeName, UnitName,
};
use crate::goal::spelled::words;

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
