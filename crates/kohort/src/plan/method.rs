//! How a release is made, and where it goes.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::error::refused;

/// How a release is made.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Method {
    /// The algorithm's id; `auto` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// The loss to minimize; `ncp` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// The seed for randomness that hides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How long to search, such as `10s`; a time proportional to the table by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    /// Whether numeric columns are published as ranges, with exact bounds unless `bounds` says otherwise, or as
    /// nodes of their taxonomies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numeric: Option<NumericName>,
    /// Whether the bounds of ranges are rounded outward to readable numbers and calendar units, or are the
    /// exact least and greatest value of a class; `rounded` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<BoundsName>,
    /// How much a row may enlarge a class in the relaxed phase of two-phase clustering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tau: Option<f64>,
    /// What replaces the numbers of a group in a microaggregated release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<CenterName>,
    /// Which combination of least height `samarati` takes; `least-loss` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyName>,
    /// Whether classes are generalized, or published with exact quasi-identifiers and sensitive values by
    /// group; depends on the algorithm by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<FormName>,
    /// The noise of `additive-noise`, as a share of each column's standard deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// The share of cells that `randomized-response` keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<f64>,
    /// The largest distance in rank of a swap by `rank-swapping`, as a share of all ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap: Option<f64>,
    /// The number of partitions for anatomies of nested records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u64>,
    /// Whether promises about sensitive values hold against an adversary who knows the method; by default
    /// where the algorithm and the goal allow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent: Option<bool>,
    /// Whether to allow a method that does not keep the goal for everybody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_unsafe: bool,
}

/// How numeric columns are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NumericName {
    /// As ranges, taxonomy or not.
    Exact,
    /// As nodes of the taxonomy, where there is one.
    Taxonomy,
}

/// What the bounds of published ranges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoundsName {
    /// Readable numbers and calendar units around the values, made from the column alone.
    Rounded,
    /// The least and the greatest value of a class.
    Exact,
}

impl Method {
    /// Whether the bounds of ranges are rounded. Who asks for exact ranges of numbers gets exact bounds.
    pub(crate) fn rounds_bounds(&self) -> bool {
        match self.bounds {
            Some(bounds) => bounds == BoundsName::Rounded,
            None => self.numeric != Some(NumericName::Exact),
        }
    }
}

/// What replaces the numbers of a group in a microaggregated release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CenterName {
    /// The mean of numbers.
    Mean,
    /// The median of numbers.
    Median,
}

/// Which combination of least height is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyName {
    /// The one with the least loss in the metric; with `c-avg`, the one with the most classes.
    LeastLoss,
    /// The one with the smallest sum of levels, each as a share of its column's highest level.
    RelativeDistance,
    /// The one that suppresses the fewest rows.
    FewestSuppressed,
}

/// What kind of release is made of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FormName {
    /// Cells of a class cover the values of its rows.
    Generalized,
    /// Quasi-identifiers as they are, and sensitive values by group.
    Anatomized,
}

/// Where a release and its report go.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Output {
    /// The release: .csv, .parquet, .jsonl or .arrow; or a table of a database, such as
    /// `postgres://user@host/database#table`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The number of Parquet files that the release is cut into: it is then a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<u32>,
    /// The report: .html.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Whether suppressed rows are dropped, kept with `*` in every column, or kept with their other values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<SuppressedName>,
    /// Whether an anatomized release is two files or one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anatomy: Option<AnatomyName>,
}

/// What happens to suppressed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressedName {
    /// They are left out.
    Drop,
    /// They stay, with `*` in every column.
    Keep,
    /// They stay as a class with `*` for every quasi-identifier, and show their other values.
    KeepValues,
}

/// How an anatomized release is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnatomyName {
    /// Quasi-identifiers with a group, and sensitive values by group in a file of their own.
    TwoFiles,
    /// One file with a group, sensitive values in any order within it.
    OneFile,
}

impl Method {
    /// The parameters of algorithms that are set, by name.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("tau", self.tau.is_some()),
            ("center", self.center.is_some()),
            ("policy", self.policy.is_some()),
            ("noise", self.noise.is_some()),
            ("keep", self.keep.is_some()),
            ("swap", self.swap.is_some()),
        ];
        all.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name)
    }

    /// The seed of everything random that hides nothing.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(7)
    }

    /// How long to search, where the plan says so.
    pub(crate) fn budget(&self) -> Result<Option<Duration>, Error> {
        let budget = self.budget.as_deref().map(duration).transpose();
        budget.map_err(|problem| refused(format!("`budget`: {problem}"), "write `10s`"))
    }
}

/// A time as it stands in a plan: `500ms`, `0.5s`, `60s` or `5m`. The error says what is expected.
pub fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a time such as `500ms`, `0.5s`, `60s` or `5m`";
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let digits = text.find(|c: char| !is_digit(c)).unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| expected)?;
    let unit = match &text[digits..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected.into()),
    };
    // What is longer than any clock goes is forever.
    Ok(Duration::try_from_secs_f64(number * unit).unwrap_or(Duration::MAX))
}
