//! The answer to a diagnosis: what is printed, drawn and written as JSON. It holds counts, levels and
//! row numbers, and no cell of the table.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use kohort_core::Ratio;
use kohort_verify::{ClassSizes, prosecutor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::wording::count;
use crate::words::Words;

use super::{AskedFor, DisclosureAnswer, GoalAnswer, PeopleAnswer, PopulationAnswer};

/// A fraction that decides privacy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fraction {
    /// The numerator.
    pub num: u64,
    /// The denominator.
    pub den: u64,
}

impl From<Ratio> for Fraction {
    fn from(ratio: Ratio) -> Self {
        Self { num: ratio.num(), den: ratio.den() }
    }
}

/// What a table already guarantees, and what it gives away.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The table's file name.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
    /// The levels that count people, where a person has several rows; all other figures count rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<PeopleAnswer>,
    /// The quasi-identifiers, by name.
    pub quasi: Vec<String>,
    /// What was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedFor>,
    /// The largest k that holds.
    pub k: u64,
    /// The number of classes.
    pub classes: u64,
    /// How many classes there are of each size.
    pub class_sizes: Vec<SizeCount>,
    /// Classes per row.
    pub distinct_ratio: f64,
    /// The share of pairs of rows that differ; none with one row.
    pub separation_ratio: Option<f64>,
    /// The levels of each sensitive attribute.
    pub sensitive: Vec<Sensitive>,
    /// The fewest values of any sensitive attribute in a class; none without a sensitive attribute.
    pub p_sensitivity: Option<u64>,
    /// What several sensitive attributes together give away.
    #[serde(flatten)]
    pub disclosure: Option<DisclosureAnswer>,
    /// Membership, when a public table was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence: Option<PresenceAnswer>,
    /// The linking risk.
    pub risk: Risk,
    /// Rows that stand alone; left out in searches over subsets and beyond 64 quasi-identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniques: Option<UniquesAnswer>,
    /// Whether what was asked for holds, when a level was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
    /// How each item of the plan's goal, or each level asked for, stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goal: Vec<GoalAnswer>,
    /// The answer about suppression for the whole quasi-identifier.
    #[serde(flatten)]
    pub suppression: SuppressionAnswer,
    /// The answer for every subset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsets: Option<Vec<Subset>>,
    /// The borders between safe and unsafe attribute sets.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub borders: Option<BordersAnswer>,
    /// What was left out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// The number of classes of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCount {
    /// The number of rows in each.
    pub size: u64,
    /// The number of classes.
    pub classes: u64,
}

impl SizeCount {
    /// Every size that occurs, ascending.
    pub fn all(sizes: &ClassSizes) -> Vec<Self> {
        sizes.iter().map(|(size, classes)| Self { size, classes }).collect()
    }
}

/// The levels of one sensitive attribute.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sensitive {
    /// The attribute.
    pub attribute: String,
    /// The buckets that are counted instead of its values, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<String>,
    /// The number of its values in the table, or of its buckets.
    pub values: u64,
    /// The fewest different values in a class.
    pub distinct_l: u64,
    /// One over the largest share of a value in a class.
    pub frequency_l: Fraction,
    /// The same as a decimal.
    pub frequency_l_value: f64,
    /// exp of the smallest entropy of a class.
    pub entropy_l: f64,
    /// For each l, the infimum of the c for which the table is (c,l)-diverse.
    pub recursive: BTreeMap<String, Option<f64>>,
    /// The same as fractions.
    pub recursive_exact: BTreeMap<String, Option<Fraction>>,
    /// For each c, the largest l for which the table is (c,l)-diverse; 0 for none.
    pub recursive_l: BTreeMap<String, u64>,
    /// The largest share of a chosen value in a class, when values were chosen.
    pub alpha: Option<Fraction>,
    /// The same as a decimal.
    pub alpha_value: Option<f64>,
    /// The largest distance from the table, all values equally far apart.
    pub t_equal: f64,
    /// The same by rank; none for values without an order.
    pub t_ordered: Option<f64>,
    /// The same by taxonomy; none without one.
    pub t_hierarchical: Option<f64>,
    /// The rows whose class has one value only.
    pub rows_disclosed: u64,
}

/// How sure an outsider can be of membership.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PresenceAnswer {
    /// The smallest share of members in a class of the public table.
    pub delta_min: Fraction,
    /// The same as a decimal.
    pub delta_min_value: f64,
    /// The largest share.
    pub delta_max: Fraction,
    /// The same as a decimal.
    pub delta_max_value: f64,
    /// Rows whose class is smaller in the public table: people it does not list.
    pub rows_not_covered: u64,
}

/// The linking risk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Risk {
    /// Against somebody who knows that the target is in the table.
    pub prosecutor: ProsecutorAnswer,
    /// Against somebody who knows that the target is in the population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journalist: Option<RiskFigure>,
    /// Against somebody who links everyone at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marketer: Option<RiskFigure>,
    /// What models estimate of the population, when the table is a sample of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<PopulationAnswer>,
}

/// The prosecutor's risk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProsecutorAnswer {
    /// The risk of the most exposed row.
    pub max: Fraction,
    /// The same as a decimal.
    pub max_value: f64,
    /// The mean risk of a row.
    pub mean: Fraction,
    /// The same as a decimal.
    pub mean_value: f64,
    /// The rows whose risk is above one over each threshold.
    pub above: Vec<Above>,
    /// The rows alone in their class.
    pub unique: u64,
}

impl ProsecutorAnswer {
    /// The risk in classes of these sizes; none without a row.
    pub fn new(sizes: &ClassSizes) -> Option<Self> {
        let exposed = prosecutor(sizes)?;
        let share = |rows| Ratio::new(rows, sizes.n_rows()).value();
        let above = |&(one_in, rows): &(u64, u64)| Above { one_in, rows, share: share(rows) };
        Some(Self {
            max: exposed.max.into(),
            max_value: exposed.max.value(),
            mean: exposed.mean.into(),
            mean_value: exposed.mean.value(),
            above: exposed.above.iter().map(above).collect(),
            unique: exposed.unique,
        })
    }
}

/// The rows whose risk is above a threshold.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Above {
    /// One over the risk.
    pub one_in: u64,
    /// The rows.
    pub rows: u64,
    /// Their share of the table.
    pub share: f64,
}

/// A risk, and how it is known.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RiskFigure {
    /// The probability.
    pub value: f64,
    /// Whether it is an estimate: never, those of a population stand in `population`.
    pub estimate: bool,
    /// Whether it is an upper bound: the people of the population are not known, or not all.
    pub bound: bool,
}

/// Rows that stand alone, and through which columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UniquesAnswer {
    /// The rows that each column alone makes unique.
    pub by_column: Vec<UniqueCount>,
    /// The rows that each pair makes unique.
    pub by_pair: Vec<UniqueCount>,
    /// How many rows are singled out by one column, by two, by three, and no fewer.
    pub by_smallest_set: Vec<u64>,
    /// The riskiest rows.
    pub riskiest: Vec<Riskiest>,
}

/// The rows that some columns make unique.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UniqueCount {
    /// The columns.
    pub attributes: Vec<String>,
    /// The rows.
    pub rows: u64,
}

/// A row and the minimal sets of columns that single it out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Riskiest {
    /// The row, counted from 1 without the header.
    pub row: u64,
    /// The sets, smallest first.
    pub sets: Vec<Vec<String>>,
    /// Whether larger sets were not looked for.
    pub limited: bool,
    /// Sets of up to this many columns were looked for.
    pub looked_up_to: usize,
    /// The SUDA score, scaled so that one singling column adds 1.
    pub score: f64,
}

/// What suppression buys.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SuppressionAnswer {
    /// The k after dropping the rows.
    #[serde(default, deserialize_with = "reached", skip_serializing_if = "Option::is_none")]
    pub k_after: Option<Reached>,
    /// The share of rows to drop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppression: Option<f64>,
    /// The number of rows to drop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<u64>,
    /// Every k that can be reached, with the rows it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Vec<CurvePoint>>,
}

/// The k that is reached; none when every row may go and nothing is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reached(pub Option<u64>);

/// A level that was asked for: `null` says that none was reached.
fn reached<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Reached>, D::Error> {
    Reached::deserialize(deserializer).map(Some)
}

/// A k and the rows to drop for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The k reached.
    pub k: u64,
    /// The rows dropped.
    pub suppressed: u64,
}

/// The answer for one subset of the quasi-identifiers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subset {
    /// Its attributes, by name.
    pub attributes: Vec<String>,
    /// The largest k that holds.
    pub k: u64,
    /// The number of classes.
    pub classes: u64,
    /// Classes per row.
    pub distinct_ratio: f64,
    /// The share of pairs of rows that differ.
    pub separation_ratio: Option<f64>,
    /// What suppression buys.
    #[serde(flatten)]
    pub suppression: SuppressionAnswer,
    /// The levels of each sensitive attribute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<SubsetSensitive>,
}

/// The levels of one sensitive attribute for one subset.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SubsetSensitive {
    /// The attribute.
    pub attribute: String,
    /// The fewest different values in a class.
    pub distinct_l: u64,
    /// One over the largest share of a value in a class.
    pub frequency_l: Fraction,
    /// The same as a decimal.
    pub frequency_l_value: f64,
    /// exp of the smallest entropy of a class.
    pub entropy_l: f64,
}

/// The borders between safe and unsafe attribute sets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BordersAnswer {
    /// What a set must keep to be safe.
    pub promise: String,
    /// The largest safe sets.
    pub positive_border: Vec<Vec<String>>,
    /// The smallest unsafe sets.
    pub negative_border: Vec<Vec<String>>,
    /// How many sets were tested.
    pub evaluated: u64,
    /// Whether no set was left out.
    pub complete: bool,
    /// All sets of up to this many attributes are decided.
    pub complete_to: usize,
    /// Which search found them.
    #[serde(deserialize_with = "crate::words::read")]
    pub search: Words,
}

impl Sensitive {
    /// How many values there are, or buckets, and what these are.
    pub fn n_values(&self) -> String {
        match &self.buckets {
            Some(form) => format!("{}, in {form}", count(self.values, "bucket", "buckets")),
            None => count(self.values, "value", "values"),
        }
    }
}

impl Subset {
    /// The smallest sets first, and then by their names.
    pub fn by_names(&self, other: &Self) -> Ordering {
        let sizes = self.attributes.len().cmp(&other.attributes.len());
        sizes.then_with(|| self.attributes.cmp(&other.attributes))
    }
}
