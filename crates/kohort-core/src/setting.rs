//! What a person can set, and the commands they can give: declared once, for the texts that name them.
//!
//! A text of the library never says how a setting is given, as a flag, a line of a plan or an argument: it
//! names the [`Setting`], and whoever shows the text words it. See [`Message`](crate::Message).

/// How the value of a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueForm {
    /// It has none: naming it turns it on.
    Switch,
    /// Yes or no.
    YesNo,
    /// A number.
    Number,
    /// A share, such as 2 %.
    Share,
    /// A word, or the name of a file or column.
    Word,
    /// Several of them.
    Words,
    /// Columns that have the role of this name.
    Role,
    /// A column, `=`, and what it has.
    OfColumn,
}

macro_rules! settings {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $form:ident, $plan:expr;)*) => {
        /// What a person can set. Its name is that of the flag.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Setting { $($(#[$doc])* $variant),* }

        impl Setting {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name, such as `max-size`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// How its value is written.
            pub fn form(self) -> ValueForm {
                match self { $(Self::$variant => ValueForm::$form),* }
            }

            /// Where a plan has it: its table, empty for the plan itself, and its key there. What is about one
            /// column is in the column's own table, and a role is its value.
            pub fn in_plan(self) -> Option<(&'static str, &'static str)> {
                match self { $(Self::$variant => $plan),* }
            }
        }
    };
}

settings! {
    /// The algorithm that makes a release.
    Algorithm = "algorithm", Word, Some(("method", "algorithm"));
    /// Whether a method may be used that does not keep the goal for everybody.
    AllowUnsafe = "allow-unsafe", Switch, Some(("method", "allow-unsafe"));
    /// How many of the sensitive attributes a comparison takes.
    Attributes = "attributes", Words, None;
    /// What the bounds of published ranges are.
    Bounds = "bounds", Word, Some(("method", "bounds"));
    /// The column of a table.
    Column = "column", Word, None;
    /// The share a value may have in a join.
    Confidence = "confidence", Number, Some(("series", "confidence"));
    /// How values follow one another.
    Correlations = "correlations", Word, Some(("series", "correlations"));
    /// The table beside a taxonomy.
    Data = "data", Word, None;
    /// The encoding of a text file.
    Encoding = "encoding", Word, Some(("read", "encoding"));
    /// The smallest number of people with equal values.
    SeriesE = "e", Number, Some(("series", "e"));
    /// Asks for the share to suppress.
    FindSuppression = "find-suppression", Switch, None;
    /// The parts of a cross-validation.
    Folds = "folds", Number, None;
    /// Overwrites files.
    Force = "force", Switch, None;
    /// Text or JSON.
    Format = "format", Word, None;
    /// Frequency l-diversity.
    FrequencyL = "frequency-l", Number, Some(("goal", "frequency-l-diversity"));
    /// The head of a ledger.
    Head = "head", Word, None;
    /// Whether the first line names the columns.
    Header = "header", YesNo, Some(("read", "header"));
    /// What a command can do.
    Help = "help", Switch, None;
    /// The planned number of releases.
    Horizon = "horizon", Number, Some(("series", "horizon"));
    /// Columns that name people.
    Identifier = "identifier", Role, Some(("attributes", "identifier"));
    /// k-anonymity.
    K = "k", Number, Some(("goal", "k-anonymity"));
    /// The k of a series.
    SeriesK = "k", Number, Some(("series", "k"));
    /// The column that identifies people.
    Key = "key", Word, Some(("", "key"));
    /// The same for the releases of a series.
    SeriesKey = "key", Word, Some(("series", "key"));
    /// What an adversary knows.
    Knowledge = "knowledge", Word, None;
    /// The diversities that a comparison tries.
    Ls = "l", Words, None;
    /// The l of a series.
    SeriesL = "l", Number, Some(("series", "l"));
    /// The smallest number of values of m-invariance.
    SeriesM = "m", Number, Some(("series", "m"));
    /// The size of the largest subset that is looked at.
    MaxSize = "max-size", Number, None;
    /// The method of a series.
    Method = "method", Word, Some(("series", "method"));
    /// The loss that is kept small.
    Metric = "metric", Word, Some(("method", "metric"));
    /// Texts that mean a missing value.
    Missing = "missing", Words, Some(("read", "missing"));
    /// The most counterfeits in a class.
    MostCounterfeits = "most-counterfeits", Number, Some(("series", "most-counterfeits"));
    /// How numeric columns are published.
    Numeric = "numeric", Word, Some(("method", "numeric"));
    /// The table a release was made of.
    Original = "original", Word, None;
    /// The file of a release.
    Output = "output", Word, Some(("output", "release"));
    /// The plan.
    Plan = "plan", Word, None;
    /// The columns that say who is in which release.
    Presence = "presence", Words, None;
    /// Prints the plan that the flags amount to.
    PrintPlan = "print-plan", Switch, None;
    /// A table of people that anybody may have.
    Public = "public", Word, None;
    /// Columns that an outsider may know.
    Quasi = "quasi", Role, Some(("attributes", "quasi"));
    /// The character around a quoted cell.
    Quote = "quote", Word, Some(("read", "quote"));
    /// Another release of the same people.
    OtherRelease = "release2", Word, None;
    /// The page about a release.
    Report = "report", Word, Some(("output", "report"));
    /// The highest belief of a series.
    Rho = "rho", Number, Some(("series", "rho"));
    /// The share of the population in the table, for attacks.
    Sampled = "sampled", Share, None;
    /// The share of the population in the table, for a diagnosis.
    SamplingFraction = "sampling-fraction", Share, None;
    /// Columns whose value nobody may learn.
    Sensitive = "sensitive", Role, Some(("attributes", "sensitive"));
    /// The character between two cells.
    Separator = "separator", Word, Some(("read", "separator"));
    /// The name of a series.
    Series = "series", Word, Some(("series", "name"));
    /// Shows cells to a person on a terminal.
    ShowValues = "show-values", Switch, None;
    /// The lines before the header.
    SkipLines = "skip-lines", Number, Some(("read", "skip-lines"));
    /// The share of rho that a series aims at.
    Slack = "slack", Number, Some(("series", "slack"));
    /// A diagnosis as statements for a database.
    Sql = "sql", Word, None;
    /// Asks about subsets of the quasi-identifiers.
    Subsets = "subsets", Switch, None;
    /// The share of rows that a diagnosis leaves out.
    Suppress = "suppress", Share, None;
    /// What happens to suppressed rows.
    Suppressed = "suppressed", Word, Some(("output", "suppressed"));
    /// The share of rows that may be left out.
    Suppression = "suppression", Share, Some(("goal", "suppression"));
    /// What happens to people with a value that is too frequent.
    Surplus = "surplus", Word, Some(("series", "surplus"));
    /// The tree of values above a column.
    Taxonomy = "taxonomy", OfColumn, Some(("attributes", "taxonomy"));
    /// Whether promises hold against an adversary who knows the method.
    Transparent = "transparent", YesNo, Some(("method", "transparent"));
    /// The type of a column.
    Type = "type", OfColumn, Some(("attributes", "type"));
    /// What promises count: people or rows.
    Unit = "unit", Word, Some(("", "unit"));
    /// The most that a packed file may unpack to.
    UnpackedLimit = "unpacked-limit", Number, Some(("read", "unpacked-limit"));
}

impl Setting {
    /// The argument in Python, or the call that does it there.
    pub fn python(self) -> String {
        match self {
            Self::Data => "frame",
            Self::Format => "to_json()",
            Self::Help => "help()",
            Self::Identifier => "identifiers",
            Self::Ls => "ls",
            Self::OtherRelease => "others",
            Self::PrintPlan => "to_toml()",
            Self::Report => "report()",
            Self::Sql => "kohort.sql",
            Self::Taxonomy => "taxonomies",
            Self::Type => "types",
            other => return other.name().replace('-', "_"),
        }
        .to_owned()
    }
}

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident = $line:literal, $rust:literal, $python:literal;)*) => {
        /// What a person can have done: a command of the program, and a function of the libraries.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Command { $($(#[$doc])* $variant),* }

        impl Command {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The words of the command line, without the program's name.
            pub fn line(self) -> &'static str {
                match self { $(Self::$variant => $line),* }
            }

            /// The item of the Rust library.
            pub fn rust(self) -> &'static str {
                match self { $(Self::$variant => $rust),* }
            }

            /// The item of the Python package.
            pub fn python(self) -> &'static str {
                match self { $(Self::$variant => $python),* }
            }
        }
    };
}

commands! {
    /// Makes a release.
    Anonymize = "anonymize", "kohort::anonymize", "kohort.anonymize";
    /// Attacks releases.
    Attack = "attack", "kohort::attack", "kohort.attack";
    /// Says what a table gives away.
    Diagnose = "diagnose", "kohort::diagnose", "kohort.diagnose";
    /// Proposes roles.
    Inspect = "inspect", "kohort::inspect", "kohort.inspect";
    /// Lists the algorithms.
    ListAlgorithms = "list algorithms", "kohort::ALGORITHMS", "kohort.ALGORITHMS";
    /// Lists the attacks.
    ListAttacks = "list attacks", "kohort::ATTACKS", "kohort.ATTACKS";
    /// Lists the methods of series.
    ListMethods = "list methods", "kohort::SERIES_METHODS", "kohort.METHODS";
    /// Lists the metrics.
    ListMetrics = "list metrics", "kohort::METRICS", "kohort.METRICS";
    /// Makes the next release of a series.
    Publish = "publish", "kohort::series::publish", "kohort.publish";
    /// Prints what a plan may hold.
    Schema = "schema", "kohort::plan::schema", "kohort.schema";
    /// Checks a ledger.
    SeriesCheck = "series check", "kohort::series::Books::check", "kohort.Ledger.check";
    /// Checks a taxonomy.
    TaxonomyCheck = "taxonomy check", "kohort::taxonomy::check", "kohort.check_taxonomy";
    /// Judges releases.
    Verify = "verify", "kohort::verify", "kohort.verify";
}
