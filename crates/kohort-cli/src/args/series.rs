//! The flags of the commands about series of releases.

use clap::{Args as ClapArgs, Subcommand};
use kohort::Ratio;

use super::Columns;
use super::values::{share, whole};

const PUBLISH_EXAMPLES: &str = "\
Examples:
  The first release of a series, which hides everybody among three diseases:
    kohort publish plan.toml --series stays --key patient --m 3 -o stays-{release}.csv
  Half a year later, from the current table:
    kohort publish plan.toml --series stays --input july.csv
  Diseases change, and it is known how they follow one another:
    kohort publish plan.toml --series stays --correlations follows.csv --rho 0.5

The passphrase of the ledger comes from --passphrase-file, --key-file or the environment variable
KOHORT_LEDGER_PASSPHRASE, or is asked for on a terminal.";

const REKEY_EXAMPLES: &str = "\
Examples:
  From a passphrase to a key file:
    (umask 077; head -c 32 /dev/urandom > ledger.key)
    kohort series rekey --new-key-file ledger.key
  After a copy of the ledger and its passphrase fell into the wrong hands:
    kohort series rekey --reseal

Without a file, the new passphrase comes from the environment variable
KOHORT_LEDGER_NEW_PASSPHRASE, or is asked for on a terminal.";

/// What is published of a table about people who were published before.
#[derive(ClapArgs)]
#[command(allow_negative_numbers = true, after_help = PUBLISH_EXAMPLES)]
#[command(
    mut_arg("source", |arg| arg.help("The table, or a plan (.toml) that names it. Series are for tables only")),
    mut_arg("key", |arg| arg.help("The identifier of people, the same in every release")),
    mut_arg("insensitive", |arg| arg.help(
        "The insensitive columns; left out, since they would link rows across releases"
    )),
    mut_arg("tables", |arg| arg.hide(true)),
    mut_arg("records", |arg| arg.hide(true)),
)]
pub(crate) struct Publish {
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// The table to publish, instead of the one that the plan names.
    #[arg(long, value_name = "DATA")]
    pub(crate) input: Option<String>,
    #[command(flatten)]
    pub(crate) series: Series,
    #[command(flatten)]
    pub(crate) key: LedgerKey,
    /// The same data, plan, seed and history give the same classes [default: 7].
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) seed: Option<u64>,
    /// The release: .csv or .tsv (also .gz, .zst), .parquet, .jsonl or .arrow; `{release}` in its name is
    /// the number of the release [default: SERIES-{release}.csv beside the plan].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Write the report to this HTML file; `{release}` in its name is the number of the release.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<String>,
    /// Overwrite existing files. Input files are never overwritten.
    #[arg(long)]
    pub(crate) force: bool,
    /// Also write to a folder that others may write to. They could put files there that look like this
    /// program's.
    #[arg(long)]
    pub(crate) trust_folder: bool,
    /// Print the plan that the flags amount to, and publish nothing.
    #[arg(long)]
    pub(crate) print_plan: bool,
}

/// How a series goes on, as in a plan's `[series]`.
#[derive(ClapArgs)]
#[command(next_help_heading = "The series")]
pub(crate) struct Series {
    /// The name of the series.
    #[arg(long = "series", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The method; `kohort list methods` lists them [default: auto, by what changed].
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// The smallest number of values among which anybody's value is hidden (m-invariance, e-equivalence).
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) m: Option<u32>,
    /// The smallest number of people who may be shown to have the same values as equally many others
    /// (e-equivalence).
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) e: Option<u32>,
    /// The smallest number of rows or values that comparing releases leaves (bcf-anonymity, xy-anonymity).
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) k: Option<u32>,
    /// 1/l is the largest probability of ever having had a value (global-guarantee).
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) l: Option<u32>,
    /// The planned number of releases (global-guarantee; rho-different assumes ten by default, and makes
    /// smaller classes for fewer).
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) horizon: Option<u32>,
    /// The highest belief allowed: 0.5 or 50% (rho-different).
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) rho: Option<Ratio>,
    /// The largest share that a value may have in a join (xy-linkability).
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) confidence: Option<Ratio>,
    /// How values follow one another: a CSV file with the columns from, to and probability.
    #[arg(long, value_name = "FILE")]
    pub(crate) correlations: Option<String>,
    /// Hold back people with a value that is too frequent, or publish them together with counterfeits
    /// [default: hold-back].
    #[arg(long, value_name = "hold-back|counterfeits")]
    pub(crate) surplus: Option<String>,
    /// The share of rho that rho-different aims at [default: 1/6].
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) slack: Option<Ratio>,
    /// The most counterfeits that rho-different puts into a class [default: 0].
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) most_counterfeits: Option<u32>,
}

/// The ledger, and what opens it.
#[derive(ClapArgs)]
#[command(next_help_heading = "The ledger")]
pub(crate) struct LedgerKey {
    /// The ledger [default: kohort.ledger, beside the plan].
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<String>,
    /// The first line of this file is the passphrase; only its owner may read it.
    #[arg(long, value_name = "FILE", conflicts_with = "key_file")]
    pub(crate) passphrase_file: Option<String>,
    /// The bytes of this file, at least 32, are the key; only its owner may read it.
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<String>,
    /// A head that the ledger must have had, or the file that stores it: an older copy of the ledger is
    /// refused. The file is updated with every release [default: a file in kohort/heads of your state folder,
    /// $XDG_STATE_HOME or ~/.local/state].
    #[arg(long, value_name = "HASH|FILE")]
    pub(crate) head: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum SeriesCommand {
    /// List the series of the ledger.
    List {
        #[command(flatten)]
        key: LedgerKey,
    },
    /// Show the releases of a series: when, how, what changed, what it cost.
    Show {
        /// The series.
        #[arg(value_name = "SERIES")]
        series: String,
        #[command(flatten)]
        key: LedgerKey,
    },
    /// Check that the ledger and the releases are unaltered. If not, name the entry or the file, with exit
    /// status 1.
    Check {
        /// The series [default: all].
        #[arg(value_name = "SERIES")]
        series: Option<String>,
        #[command(flatten)]
        key: LedgerKey,
    },
    /// List every use of the ledger.
    History {
        #[command(flatten)]
        key: LedgerKey,
    },
    /// Erase what identifies a person, and keep what protects the others.
    Forget {
        /// The series.
        #[arg(value_name = "SERIES")]
        series: String,
        /// The first line of this file is the person's key; `-` reads it from standard input.
        #[arg(long, value_name = "FILE", required_unless_present = "person")]
        person_file: Option<String>,
        /// The person's key. Other users of the machine can see it while the command runs.
        #[arg(long, value_name = "KEY", conflicts_with = "person_file")]
        person: Option<String>,
        #[command(flatten)]
        key: LedgerKey,
    },
    /// Change the passphrase or key file of the ledger. The old one no longer opens it.
    #[command(after_help = REKEY_EXAMPLES)]
    Rekey {
        #[command(flatten)]
        key: LedgerKey,
        /// The first line of this file is the new passphrase.
        #[arg(long, value_name = "FILE", conflicts_with = "new_key_file")]
        new_passphrase_file: Option<String>,
        /// The bytes of this file, at least 32, are the new key.
        #[arg(long, value_name = "FILE")]
        new_key_file: Option<String>,
        /// Seal everything again with a new internal key: an older copy and its secret no longer read what is
        /// written from now on.
        #[arg(long)]
        reseal: bool,
    },
}

impl SeriesCommand {
    /// The ledger, and what opens it.
    pub(crate) fn key(&self) -> &LedgerKey {
        match self {
            Self::List { key }
            | Self::Show { key, .. }
            | Self::Check { key, .. }
            | Self::History { key }
            | Self::Rekey { key, .. }
            | Self::Forget { key, .. } => key,
        }
    }
}
