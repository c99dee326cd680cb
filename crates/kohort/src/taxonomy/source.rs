//! What a plan says about the taxonomy of a column.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use kohort_core::Labels;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Branch, Calendar, Groups, Number, Period, Ranges, Side, Widths, bad_parameter};
use crate::Error;

/// Where the taxonomy of a column comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Nothing between a value and the root.
    Flat,
    /// Characters masked from one end.
    Mask(Side),
    /// A file in ARX's layout.
    File(FileSource),
    /// Periods of the calendar.
    Calendar(Calendar),
    /// Ranges of equal width.
    Widths(Widths),
    /// Ranges written out.
    Ranges(Ranges),
    /// Groups written out.
    Tree(Groups),
}

impl Source {
    /// The file to open, if the source names one.
    pub fn file(&self) -> Option<&FileSource> {
        match self {
            Self::File(file) => Some(file),
            _ => None,
        }
    }
}

/// A taxonomy file as a plan names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSource {
    /// The path, relative to the plan.
    pub path: String,
    /// The separator, if it is not to be found by looking.
    pub separator: Option<char>,
    /// What its labels are.
    pub labels: LabelsName,
}

/// What the labels of a taxonomy file are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "`names` or `intervals`")]
pub enum LabelsName {
    /// Names of groups: a cell loses as much as it covers leaves, however its label looks.
    #[default]
    Names,
    /// Intervals in brackets, such as `[20, 30[`: a cell loses as much as its interval is wide.
    Intervals,
}

impl From<LabelsName> for Labels {
    fn from(name: LabelsName) -> Self {
        match name {
            LabelsName::Names => Self::Names,
            LabelsName::Intervals => Self::Intervals,
        }
    }
}

/// The taxonomy of a column: `"flat"`, `"mask"`, `"mask-right"`, `"mask-left"` or a path to a file in
/// ARX's layout; a list of calendar periods; or a table.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Spelled {
    Text(String),
    Levels(Vec<Period>),
    Table(Fields),
}

/// A taxonomy as a table: exactly one of `widths`, `ranges`, `tree`, `file`, `mask` and `levels`.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
struct Fields {
    /// Widths of equal ranges of numbers, in ascending order; a range ends where a wider one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    widths: Option<Vec<Number>>,
    /// Where one of the ranges of `widths` starts; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Number>,
    /// Ranges of numbers as pairs of ends, or a list of such lists for several levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranges: Option<RangeLevels>,
    /// Groups of groups, down to lists of values.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<BTreeMap<String, Branch>>,
    /// A file in ARX's layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The separator of `file`; detected by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    separator: Option<char>,
    /// What the labels of `file` are; `names` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<LabelsName>,
    /// The end from which characters are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<Side>,
    /// Periods of the calendar, the finest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<Period>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "expected pairs of numbers, or a list of lists of pairs of numbers")]
enum RangeLevels {
    One(Vec<[Number; 2]>),
    Several(Vec<Vec<[Number; 2]>>),
}

impl TryFrom<Spelled> for Source {
    type Error = Error;

    fn try_from(spelled: Spelled) -> Result<Self, Error> {
        match spelled {
            Spelled::Text(text) => Ok(match text.as_str() {
                "flat" => Self::Flat,
                "mask" | "mask-right" => Self::Mask(Side::Right),
                "mask-left" => Self::Mask(Side::Left),
                _ => Self::File(file(text, None, None)?),
            }),
            Spelled::Levels(periods) => Ok(Self::Calendar(Calendar::new(periods)?)),
            Spelled::Table(fields) => fields.try_into(),
        }
    }
}

fn file(
    path: String,
    separator: Option<char>,
    labels: Option<LabelsName>,
) -> Result<FileSource, Error> {
    if path.is_empty() {
        return Err(bad_parameter("file", "empty".into(), "a path"));
    }
    if let Some(found) = separator.filter(|found| "\"\r\n".contains(*found)) {
        let expected = "a character other than a quote or a line break";
        return Err(bad_parameter("separator", format!("{found:?}"), expected));
    }
    Ok(FileSource { path, separator, labels: labels.unwrap_or_default() })
}

impl TryFrom<Fields> for Source {
    type Error = Error;

    fn try_from(fields: Fields) -> Result<Self, Error> {
        let Fields { widths, origin, ranges, tree, file: path, separator, labels, mask, levels } =
            fields;
        for (is_wrong, found) in [
            (origin.is_some() && widths.is_none(), "`origin` without `widths`"),
            (separator.is_some() && path.is_none(), "`separator` without `file`"),
            (labels.is_some() && path.is_none(), "`labels` without `file`"),
        ] {
            if is_wrong {
                return Err(bad_parameter("taxonomy", found.into(), "a complete table"));
            }
        }
        let names = [
            ("widths", widths.is_some()),
            ("ranges", ranges.is_some()),
            ("tree", tree.is_some()),
            ("file", path.is_some()),
            ("mask", mask.is_some()),
            ("levels", levels.is_some()),
        ];
        let given: Vec<&str> =
            names.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
        match (widths, ranges, tree, path, mask, levels) {
            (Some(widths), None, None, None, None, None) => {
                Ok(Self::Widths(Widths::new(widths, origin)?))
            }
            (None, Some(ranges), None, None, None, None) => {
                Ok(Self::Ranges(Ranges::new(match ranges {
                    RangeLevels::One(level) => vec![level],
                    RangeLevels::Several(levels) => levels,
                })?))
            }
            (None, None, Some(tree), None, None, None) => Ok(Self::Tree(Groups::new(tree)?)),
            (None, None, None, Some(path), None, None) => {
                Ok(Self::File(file(path, separator, labels)?))
            }
            (None, None, None, None, Some(side), None) => Ok(Self::Mask(side)),
            (None, None, None, None, None, Some(periods)) => {
                Ok(Self::Calendar(Calendar::new(periods)?))
            }
            _ => {
                let found = match given[..] {
                    [] => "none of them".into(),
                    _ => format!("`{}`", given.join("` and `")),
                };
                let expected = "one of `widths`, `ranges`, `tree`, `file`, `mask` and `levels`";
                Err(bad_parameter("taxonomy", found, expected))
            }
        }
    }
}

impl From<&Source> for Spelled {
    fn from(source: &Source) -> Self {
        let fields = Fields::default();
        match source {
            Source::Flat => Self::Text("flat".into()),
            Source::Mask(Side::Right) => Self::Text("mask".into()),
            Source::Mask(Side::Left) => Self::Text("mask-left".into()),
            Source::File(FileSource { path, separator: None, labels: LabelsName::Names })
                if !is_keyword(path) =>
            {
                Self::Text(path.clone())
            }
            Source::File(FileSource { path, separator, labels }) => {
                let (file, separator) = (Some(path.clone()), *separator);
                let labels = Some(*labels).filter(|labels| *labels != LabelsName::Names);
                Self::Table(Fields { file, separator, labels, ..fields })
            }
            Source::Calendar(calendar) => Self::Levels(calendar.periods().to_vec()),
            Source::Widths(widths) => Self::Table(Fields {
                widths: Some(widths.widths().to_vec()),
                origin: widths.origin(),
                ..fields
            }),
            Source::Ranges(ranges) => Self::Table(Fields {
                ranges: Some(match ranges.levels() {
                    [level] => RangeLevels::One(level.clone()),
                    levels => RangeLevels::Several(levels.to_vec()),
                }),
                ..fields
            }),
            Source::Tree(groups) => {
                Self::Table(Fields { tree: Some(groups.groups().clone()), ..fields })
            }
        }
    }
}

/// Whether a text means something else than a path.
fn is_keyword(text: &str) -> bool {
    ["flat", "mask", "mask-right", "mask-left"].contains(&text)
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Spelled::from(self).serialize(serializer)
    }
}

impl JsonSchema for Source {
    fn schema_name() -> Cow<'static, str> {
        "Taxonomy".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Spelled::json_schema(generator)
    }
}

// By hand, because an untagged enum would answer every mistake with "did not match any variant".
impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spelled = deserializer.deserialize_any(SpelledVisitor)?;
        Self::try_from(spelled).map_err(D::Error::custom)
    }
}

struct SpelledVisitor;

impl<'de> Visitor<'de> for SpelledVisitor {
    type Value = Spelled;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or path, a list of calendar periods, or a table")
    }

    fn visit_str<E>(self, text: &str) -> Result<Spelled, E> {
        Ok(Spelled::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<Spelled, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(access)).map(Spelled::Levels)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Spelled, A::Error> {
        Fields::deserialize(MapAccessDeserializer::new(access)).map(Spelled::Table)
    }
}
