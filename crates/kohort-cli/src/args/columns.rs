//! Flags that several commands share: what the columns are, and which levels are asked for.

use clap::{Args as ClapArgs, ValueEnum};
use kohort::Ratio;
use kohort::plan::UnitName;

use super::Reading;
use super::values::{recursive, whole};
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
    /// k-anonymity: everybody looks like at least k − 1 others.
    #[arg(long, value_name = "K", value_parser = whole::<u64>)]
    pub(crate) k: Option<u64>,
    /// Distinct l-diversity: at least l different sensitive values in every class.
    #[arg(long, value_name = "L", value_parser = whole::<u64>)]
    pub(crate) distinct_l: Option<u64>,
    /// Frequency l-diversity: no sensitive value in more than 1/l of a class.
    #[arg(long, value_name = "L")]
    pub(crate) frequency_l: Option<Ratio>,
    /// Entropy l-diversity: values as uncertain as l equally likely ones.
    #[arg(long, value_name = "L")]
    pub(crate) entropy_l: Option<Ratio>,
    /// Recursive (c,l)-diversity: the most frequent value occurs less than c times as often as the l-th and
    /// all rarer ones together.
    #[arg(long, value_name = "C,L", value_parser = recursive)]
    pub(crate) recursive: Option<(Ratio, u64)>,
    /// l-pdiversity: no value of any sensitive attribute in more than 1/l of a class.
    #[arg(long, value_name = "L", value_parser = whole::<u64>)]
    pub(crate) l_pdiversity: Option<u64>,
    /// l-mdiversity: the same, and at most 1/(l − i) after ruling out i values.
    #[arg(long, visible_alias = "l", value_name = "L", value_parser = whole::<u64>)]
    pub(crate) l_mdiversity: Option<u64>,
    /// t-closeness: every class is distributed like the whole table, up to a distance of t.
    #[arg(long, value_name = "T")]
    pub(crate) t: Option<Ratio>,
    /// The distance between two values, for --t.
    #[arg(long, value_enum, default_value_t = DistanceArg::Equal, requires = "t")]
    pub(crate) distance: DistanceArg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DistanceArg {
    /// Any two values are 1 apart.
    Equal,
    /// By difference of rank.
    Ordered,
    /// By the lowest common ancestor in the taxonomy.
    Hierarchical,
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
