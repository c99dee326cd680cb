//! What a principle is to a database: a table of classes, and the condition of a class that breaks it.

use kohort_core::{MissingAs, Ratio, ValueType};

use crate::Error;

/// Distances and entropies within this of what is asked for hold, as in the models.
pub(super) const TOLERANCE: &str = "1e-9";

/// The largest number that a count may be multiplied with in 64 bits.
const LARGEST_FACTOR: u64 = (u32::MAX / 2) as u64;

/// Whose SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL.
    Postgres,
    /// Apache DataFusion.
    DataFusion,
    /// SQLite, from 3.35 on, with its mathematical functions.
    Sqlite,
    /// DuckDB.
    DuckDb,
    /// Spark SQL.
    Spark,
}

impl Dialect {
    /// The dialects in the order they are listed.
    pub const ALL: [Self; 5] =
        [Self::Postgres, Self::DataFusion, Self::Sqlite, Self::DuckDb, Self::Spark];

    /// The name used on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::DataFusion => "datafusion",
            Self::Sqlite => "sqlite",
            Self::DuckDb => "duckdb",
            Self::Spark => "spark",
        }
    }

    /// The dialect with this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.id() == id)
    }

    /// An expression as a double: most engines divide whole numbers to a whole number otherwise.
    pub(crate) fn real(self, expression: &str) -> String {
        let double = if self == Self::Spark { "DOUBLE" } else { "DOUBLE PRECISION" };
        format!("CAST({expression} AS {double})")
    }

    /// A fraction as a double.
    pub(crate) fn fraction(self, ratio: Ratio) -> String {
        format!("{} / {}", self.real(&ratio.num().to_string()), ratio.den())
    }

    /// Whether counts can be multiplied with both parts of a fraction. SQLite has no whole numbers beyond 64
    /// bits: it would round the product.
    pub(crate) fn is_exact(self, ratio: Ratio) -> bool {
        self != Self::Sqlite || ratio.num().max(ratio.den()) <= LARGEST_FACTOR
    }

    /// The entropy of a class, in nats.
    pub(crate) fn entropy(self) -> String {
        let n = self.real("n");
        format!("LN({n}) - x / {n}")
    }
}

/// A count times a whole number, exactly: the product of two small ones fits in 64 bits.
pub(crate) fn times(count: &str, factor: u64) -> String {
    match factor {
        1 => count.to_owned(),
        factor if factor <= LARGEST_FACTOR => format!("{count} * {factor}"),
        factor => format!("CAST({count} AS DECIMAL(38, 0)) * {factor}"),
    }
}

/// A sensitive attribute in the database.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type.
    pub value_type: ValueType,
    /// Whether it has a taxonomy.
    pub has_taxonomy: bool,
    /// Whether promises count its buckets.
    pub has_buckets: bool,
    /// What a missing value says.
    pub missing_as: MissingAs,
}

/// The statement about each sensitive attribute.
type OfColumn<'a> = Box<dyn Fn(&Column<'_>) -> Result<Statement, Error> + 'a>;

/// How a principle is judged in a database.
pub(crate) enum Sql<'a> {
    /// There is no statement yet.
    None,
    /// By the rows of a class alone.
    OfRows(Broken),
    /// For each sensitive attribute that it is asked of.
    OfColumn(OfColumn<'a>),
}

impl<'a> Sql<'a> {
    /// For each sensitive attribute alike.
    pub(super) fn of_every_column(broken: impl Fn() -> Result<Broken, Error> + 'a) -> Self {
        Self::OfColumn(Box::new(move |_: &Column<'_>| broken().map(Statement::Broken)))
    }

    /// The same, where counts are multiplied with a fraction.
    pub(super) fn of_every_column_exactly(
        dialect: Dialect,
        fraction: Ratio,
        broken: impl Fn() -> Result<Broken, Error> + 'a,
    ) -> Self {
        Self::OfColumn(Box::new(move |_: &Column<'_>| {
            let broken = broken()?;
            let is_exact = dialect.is_exact(fraction);
            Ok(if is_exact { Statement::Broken(broken) } else { Statement::TooLong })
        }))
    }
}

/// A statement about a sensitive attribute, or why there is none.
pub(crate) enum Statement {
    /// The classes that break it.
    Broken(Broken),
    /// A missing value has no rank.
    NoRankOfMissing,
    /// The database does not have the taxonomy.
    NoTaxonomy,
    /// The dialect cannot multiply counts with a fraction as long as this.
    TooLong,
}

/// The classes that break a principle.
pub(crate) struct Broken {
    /// What is judged, in words.
    pub(crate) figure: String,
    /// The table of classes.
    pub(crate) classes: ClassTable,
    /// The condition of a class that breaks it, over the columns of that table.
    pub(crate) breaks: String,
}

/// A table of classes, each with its size `n`.
pub(crate) enum ClassTable {
    /// Nothing else.
    Sizes,
    /// The number of values `d`, the largest count `r1`, and `x` = Σ c ln c.
    Diversity,
    /// The largest count `r1`, and `tail`, the sum of the counts from this rank on.
    Tail(u64),
    /// The distance `e` from the whole table, any two values 1 apart.
    Equal,
    /// The same by rank.
    Ordered,
}
