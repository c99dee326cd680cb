//! The flags of the commands that make and judge a release.

use clap::Args as ClapArgs;
use kohort::Ratio;

use super::goal::PlanFlags;
use super::values::{duration_text, share, whole, yes_or_no};
use super::{Columns, Levels, Reading};

const ANONYMIZE_EXAMPLES: &str = "\
Examples:
  Everybody looks like four others, and no disease is in more than a third of a class:
    kohort anonymize patients.csv --quasi age,sex,zip --sensitive disease --k 5 --frequency-l 3 \\
      -o release.csv
  The same from a plan, with a page to show around:
    kohort anonymize plan.toml --report release.html
  One recoding for the whole table, the best there is, with 2 % of the rows dropped:
    kohort anonymize plan.toml --algorithm optimal --suppression 2%
  Search longer:
    kohort anonymize plan.toml --budget 1m";

/// What is made of a table.
#[derive(ClapArgs)]
#[command(allow_negative_numbers = true, after_help = ANONYMIZE_EXAMPLES)]
pub(crate) struct Anonymize {
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// The weight of losses in a column; the others have 1.
    #[arg(long, value_name = "COLUMN=WEIGHT")]
    pub(crate) weight: Vec<String>,
    #[command(flatten)]
    pub(crate) levels: Levels,
    #[command(flatten)]
    pub(crate) promises: Promises,
    #[command(flatten)]
    pub(crate) method: Method,
    /// The release: .csv or .tsv (also .gz, .zst), .parquet, .jsonl or .arrow; .json, .jsonl or .xml for
    /// nested records; or a table of a database, `postgres://user@host/database#table` or `sqlite:FILE#table`.
    /// An earlier release is replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Cut the release into this many Parquet files: -o then names their folder.
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) parts: Option<u32>,
    /// Drop suppressed rows, or keep them with `*` in every column; `keep-values` publishes their sensitive
    /// values, with `*` for every quasi-identifier [default: drop].
    #[arg(long, value_name = "drop|keep|keep-values")]
    pub(crate) suppressed: Option<String>,
    /// Write an anatomized release as two files or as one.
    #[arg(long, value_name = "two-files|one-file")]
    pub(crate) anatomy: Option<String>,
    /// Write the report to this HTML file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<String>,
    /// Overwrite existing files that are not a release or report. A release is a table with columns of this
    /// one, without identifiers, in which no row is unique by the quasi-identifiers. Input files are never
    /// overwritten.
    #[arg(long)]
    pub(crate) force: bool,
    /// Also write to a folder that others may write to. They could put files there that look like this
    /// program's.
    #[arg(long)]
    pub(crate) trust_folder: bool,
    /// Print the plan that the flags amount to, and make nothing.
    #[arg(long)]
    pub(crate) print_plan: bool,
}

/// Further promises, as they stand in a plan's `[goal]`.
#[derive(ClapArgs)]
#[command(next_help_heading = "Further promises, written as in a plan")]
pub(crate) struct Promises {
    /// At most this share of the rows may be dropped: 0.02 or 2%.
    #[arg(long, visible_alias = "suppress", value_name = "SHARE", value_parser = share)]
    pub(crate) suppression: Option<Ratio>,
    #[command(flatten)]
    pub(crate) principles: PlanFlags,
    #[arg(
        long,
        value_name = "TOML",
        help = "For nested records, such as \
                '{ value = \"AIDS\", at-least = 1, probability = \"1/2\" }'"
    )]
    pub(crate) rules: Vec<String>,
}

/// How a release is made.
#[derive(ClapArgs)]
#[command(next_help_heading = "The method")]
pub(crate) struct Method {
    /// The algorithm; `kohort list algorithms` lists them [default: auto; for nested records with rules, the
    /// anatomy by tree or by vertex that keeps more vertices].
    #[arg(long, value_name = "NAME")]
    pub(crate) algorithm: Option<String>,
    /// The loss to minimize: ncp, lm, byun-il, dm, c-avg, prec, whd, whd-beta, kl or kl-attribute; `kohort
    /// list metrics` says what they mean [default: ncp].
    #[arg(long, value_name = "NAME")]
    pub(crate) metric: Option<String>,
    /// The seed for orders and ties that disclose nothing about sensitive values [default: 7].
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) seed: Option<u64>,
    /// Draw what must stay hidden, such as noise, from these 32 random bytes instead of the system's: the
    /// same data, plan, seed and file give the same bytes. Keep the file as secret as the original.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// Search this long, such as 10s; the bytes then depend on the machine [default: a time proportional to
    /// the table].
    #[arg(long, value_name = "TIME", value_parser = duration_text)]
    pub(crate) budget: Option<String>,
    /// Publish numeric columns as exact ranges, or as nodes of their taxonomies if they have one.
    #[arg(long, value_name = "exact|taxonomy")]
    pub(crate) numeric: Option<String>,
    /// Round the bounds of ranges outward, or show the exact least and greatest value of each class [default:
    /// rounded].
    #[arg(long, value_name = "rounded|exact")]
    pub(crate) bounds: Option<String>,
    /// How much a row may enlarge a class in the relaxed phase of two-phase clustering [default: 0].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) tau: Option<f64>,
    /// What replaces the numbers of a group in a microaggregated release [default: mean].
    #[arg(long, value_name = "mean|median")]
    pub(crate) center: Option<String>,
    /// Which combination of least height samarati takes [default: least-loss].
    #[arg(long, value_name = "least-loss|relative-distance|fewest-suppressed")]
    pub(crate) policy: Option<String>,
    /// Generalize the classes, or publish exact quasi-identifiers and sensitive values by group [default:
    /// depends on the algorithm].
    #[arg(long, value_name = "generalized|anatomized")]
    pub(crate) form: Option<String>,
    /// The noise of additive-noise, as a share of each column's standard deviation [default: 0.1].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) noise: Option<f64>,
    /// The share of cells that randomized-response keeps [default: 0.8].
    #[arg(long, value_name = "SHARE")]
    pub(crate) keep: Option<f64>,
    /// The largest distance in rank of a swap, as a share of all ranks [default: 0.05].
    #[arg(long, value_name = "SHARE")]
    pub(crate) swap: Option<f64>,
    /// The number of partitions for anatomies of nested records; more are faster and lose a little more
    /// [default: 512 records each].
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) partitions: Option<u64>,
    /// Keep promises about sensitive values against an adversary who knows the program, the plan and
    /// everybody's quasi-identifiers, and runs the program again. `no` loses less [default: yes, where the
    /// method and the goal allow it].
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) transparent: Option<bool>,
    /// Allow a method that does not keep the goal for everybody.
    #[arg(long)]
    pub(crate) allow_unsafe: bool,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  Somebody's release against the plan it was made with, and the table it was made from:
    kohort verify release.csv --plan plan.toml --original patients.csv
  The same, if somebody may have another release of that table:
    kohort verify k5.csv --plan plan.toml --original patients.csv --release2 k7.csv
  The releases of a series against the promise of the plan's `[series]`, with the table of each:
    kohort verify stays-1.csv stays-2.csv --plan plan.toml --original january.csv --original july.csv";

/// What is judged.
#[derive(ClapArgs)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct Verify {
    /// The release, whoever made it: CSV (also .gz, .zst), Parquet, JSON Lines or Arrow; or the releases of a
    /// series, oldest first.
    #[arg(value_name = "RELEASE", required = true)]
    pub(crate) releases: Vec<String>,
    /// The plan with the goal; for a series, with the promise in `[series]`.
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: String,
    /// The table it was made from; for a series, one for each release, in order.
    #[arg(long, value_name = "DATA")]
    pub(crate) original: Vec<String>,
    /// Another release of the same table that somebody may have; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) release2: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}
