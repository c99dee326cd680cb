//! Flags that several commands share: what the columns are, and which levels are asked for.

use clap::{Args as ClapArgs, ValueEnum};
use kohort::Ratio;
use kohort::goal::{DistanceName, Principle, TCloseness};
use kohort::plan::UnitName;

use super::Reading;
use super::goal::LevelFlags;
use crate::printer::{Failure, usage};

/// The table and what its columns are.
#[derive(ClapArgs)]
pub(crate) struct Columns {
    /// The table, the nested records, or a plan (.toml) that names them.
    #[arg(value_name = "DATA|PLAN")]
    pub(crate) source: String,
    #[command(flatten)]
    pub(crate) related: RelatedTables,
    /// The quasi-identifiers: columns that others may know. `*` means every column that is not sensitive;
    /// write `\,` for a comma in a name.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) quasi: Vec<String>,
    /// The sensitive columns: what nobody should learn about a person.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) sensitive: Vec<String>,
    /// The columns that identify a person; dropped from every release.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) identifier: Vec<String>,
    /// The insensitive columns; published as they are.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) insensitive: Vec<String>,
    /// A column's taxonomy: a file in ARX's layout, `mask`, `mask-left`, or TOML such as
    /// '{ widths = [5, 10] }'.
    #[arg(long, value_name = "COLUMN=SOURCE")]
    pub(crate) taxonomy: Vec<String>,
    /// Buckets that promises about a sensitive column count instead of its values, as TOML such as '{ widths
    /// = 1000 }', '{ cuts = [1000, 5000] }', '{ quantiles = 5 }' or '{ level = 1 }' of its taxonomy.
    #[arg(long, value_name = "COLUMN=BUCKETS")]
    pub(crate) buckets: Vec<String>,
    /// Generalize values before anything else: `hipaa` shows years instead of dates, and 90 for every age
    /// above 89.
    #[arg(long, value_name = "hipaa")]
    pub(crate) preset: Option<String>,
    /// A column's type: integer, decimal, date, boolean or text.
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    pub(crate) types: Vec<String>,
    /// How to read a missing cell of a sensitive column: value, ignored or unprotected [default: ignored].
    #[arg(long, value_name = "COLUMN=READING")]
    pub(crate) missing_as: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Levels that are asked for.
#[derive(ClapArgs)]
#[command(next_help_heading = "Levels")]
pub(crate) struct Levels {
    #[command(flatten)]
    flags: LevelFlags,
    /// The distance between two values, for --t.
    #[arg(long, value_enum, default_value_t = DistanceArg::Equal, requires = "t")]
    distance: DistanceArg,
}

impl Levels {
    /// What is asked for, each with its flag.
    pub(crate) fn asked(&self) -> impl Iterator<Item = (&'static str, Principle)> {
        self.flags.0.iter().map(|(flag, asked)| match asked {
            Principle::TCloseness(one) => {
                (*flag, TCloseness { distance: self.distance.into(), ..one.clone() }.into())
            }
            other => (*flag, other.clone()),
        })
    }

    /// The k of k-anonymity.
    pub(crate) fn k(&self) -> Option<u64> {
        self.asked().find_map(|(_, asked)| match asked {
            Principle::KAnonymity(one) => Some(one.k),
            _ => None,
        })
    }

    /// The l of frequency l-diversity.
    pub(crate) fn frequency_l(&self) -> Option<Ratio> {
        self.asked().find_map(|(_, asked)| match asked {
            Principle::FrequencyLDiversity(one) => Some(one.l),
            _ => None,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DistanceArg {
    /// Any two values are 1 apart.
    Equal,
    /// By difference of rank.
    Ordered,
    /// By the lowest common ancestor in the taxonomy.
    Hierarchical,
}

impl From<DistanceArg> for DistanceName {
    fn from(distance: DistanceArg) -> Self {
        match distance {
            DistanceArg::Equal => Self::Equal,
            DistanceArg::Ordered => Self::Ordered,
            DistanceArg::Hierarchical => Self::Hierarchical,
        }
    }
}

/// Tables whose rows belong to the people of another.
#[derive(ClapArgs, Default)]
pub(crate) struct RelatedTables {
    /// The column that identifies people, also in the tables of --tables.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key: Option<String>,
    /// What promises count when people have several rows: `row` counts rows.
    #[arg(long, value_name = "person|row")]
    pub(crate) unit: Option<String>,
    #[arg(
        long,
        value_name = "FILE|NAME=TOML",
        help = "A table whose rows belong to the people: `visits.csv`, if it names them in the column of --key, or 'visits={ input = \"visits.csv\", foreign-key = \"patient\" }'; without \
                `input`, the rows of the table itself"
    )]
    pub(crate) tables: Vec<String>,
}

impl RelatedTables {
    /// What promises about a table count.
    pub(crate) fn unit(&self) -> Result<Option<UnitName>, Failure> {
        let read = |text: &String| text.parse::<UnitName>();
        let found = self.unit.as_ref().map(read).transpose();
        found.map_err(|problem| {
            usage(format!("`unit` {problem}"), "leave it out where every row is another person")
        })
    }
}
