//! The arguments: every flag, with the help that teaches it.

mod attack;
mod columns;
mod compare;
mod goal;
mod release;
mod series;
mod values;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use kohort::Ratio;

pub(crate) use attack::{Attack, Background};
pub(crate) use columns::{Columns, Levels, RelatedTables};
pub(crate) use compare::Compare;
pub(crate) use release::{Anonymize, Verify};
pub(crate) use series::{LedgerKey, Publish, SeriesCommand};
pub(crate) use values::list;
use values::{data, depth, dialect, issues, separator, share, whole, yes_or_no};

const EXAMPLES: &str = "\
Examples:
  A first look, with people who do not exist:
    kohort demo
  What is each column? Propose it, and write a plan to correct:
    kohort inspect patients.csv --plan plan.toml
  What do three columns give away together, and about the disease?
    kohort diagnose patients.csv --quasi age,sex,zip --sensitive disease
  The same from a plan, as a page (confidential: it lists people at risk by row number):
    kohort diagnose plan.toml --report report.html
  Make a release in which everybody looks like four others:
    kohort anonymize patients.csv --quasi age,sex,zip --sensitive disease --k 5 -o release.csv";

const DIAGNOSE_EXAMPLES: &str = "\
Examples:
  Does everybody look like four others? Exit status 1 for no:
    kohort diagnose patients.csv --quasi age,sex,zip --k 5
  How many rows would have to be dropped for that?
    kohort diagnose patients.csv --quasi age,sex,zip --k 5 --find-suppression
  Which sets of columns may be known without breaking that?
    kohort diagnose patients.csv --quasi '*' --sensitive disease --subsets --k 5
  Everything about the columns of a plan, with a page (confidential, like the table itself):
    kohort diagnose plan.toml --report report.html";

/// Publish data about people without publishing the people.
///
/// Start with `kohort demo`, or with your own table: `kohort inspect DATA --plan plan.toml` proposes
/// a role for each column, you correct the plan, and `kohort diagnose plan.toml` shows what the table
/// gives away.
///
/// Data goes to standard output, everything else to standard error. Exit status: 0 done, 1 the
/// answer is no, 2 could not do it.
#[derive(Parser)]
#[command(name = "kohort", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(ClapArgs, Clone)]
#[command(next_help_heading = "Common flags")]
pub(crate) struct Common {
    /// Print for people or for programs.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Use at most this many threads; the answer does not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = whole::<usize>)]
    pub(crate) threads: Option<usize>,
    /// Print no notes and no progress on standard error.
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// Show progress bars on a terminal, or never.
    #[arg(long, global = true, value_enum, default_value_t = Progress::Auto)]
    pub(crate) progress: Progress,
    /// Show the cells that a message is about; for your own terminal only.
    #[arg(long, global = true)]
    pub(crate) show_values: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Progress {
    /// On a terminal, for work that takes longer than a second.
    Auto,
    /// Never.
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a tour with a made-up hospital: diagnose, release, verify, attack. Or write made-up data.
    Demo(Demo),
    /// Show each column's type, number of values and proposed role with the reason; write a starter plan.
    Inspect(Inspect),
    /// Measure what a table already guarantees and what it gives away
    ///
    /// Without further flags, it shows the levels of all quasi-identifiers together, the risk of being
    /// linked, and the unique rows. The twelve questions combine three choices:
    ///
    ///   --k K given, or asked for; all quasi-identifiers together, or --subsets;
    ///   no suppression, --suppress SHARE, or --find-suppression.
    ///
    /// A level without --subsets is a yes-or-no question, and the exit status is 1 for no. The goal of a
    /// plan is meant for a release: it is judged on the table as well, but does not change the exit status.
    #[command(verbatim_doc_comment)]
    Diagnose(Box<Diagnose>),
    /// Make a release that keeps a promise, verify it, and write it
    ///
    /// The release is written to a temporary file, read back, and judged by code that does not know how it
    /// was made. Only then does it appear. If the goal cannot be reached, nothing is written and the exit
    /// status is 1.
    #[command(verbatim_doc_comment)]
    Anonymize(Box<Anonymize>),
    /// Publish the next release of a series about the same people
    ///
    /// A ledger records what was released. The method is chosen by what has changed since: people who joined,
    /// left or returned, values that changed, other columns. The bytes of the release are judged against the
    /// whole history, and the release appears together with its entry in the ledger. If the promise cannot
    /// be kept, nothing is written and the exit status is 1.
    #[command(verbatim_doc_comment)]
    Publish(Box<Publish>),
    /// Inspect and maintain the ledger of series: list, show, check, history, forget, rekey.
    #[command(subcommand)]
    Series(SeriesCommand),
    /// Check somebody's release against a plan
    ///
    /// Every promise of the plan is recomputed from the release. With the original, it also checks that
    /// every released row covers a row of it, and measures what was lost. If a promise fails, the exit
    /// status is 1.
    ///
    /// If the plan has a `[series]` and no goal, or several releases are named, the promise of the series is
    /// judged: each release by itself and, with the originals, all of them together. What the files do not
    /// show is listed.
    #[command(verbatim_doc_comment)]
    Verify(Box<Verify>),
    /// Attack a release as an adversary would, and measure how far that gets
    ///
    /// Every attack that the given files allow is run; the others say what they need. An attack guesses
    /// from what an adversary has, and only then are its guesses compared with the truth. With the
    /// original, the raw table is attacked as well, to compare before and after.
    ///
    /// If an attack goes further than a promise of the plan allows, the exit status is 1. Otherwise the
    /// promise is "not refuted", which does not mean safe.
    #[command(verbatim_doc_comment)]
    Attack(Box<Attack>),
    /// Compare algorithms and levels by loss, utility, risk and time
    ///
    /// Every algorithm makes a release at every k and l. Each is judged as by `anonymize` and measured in
    /// memory; none is written. The result is a table, the balance between utility and privacy and, with
    /// --report, a page with plots of loss and time by k, and of utility by risk with the Pareto front.
    ///
    /// If there is no release at all, the exit status is 1.
    #[command(verbatim_doc_comment)]
    Compare(Box<Compare>),
    /// Check, show or propose the taxonomy of a column.
    #[command(subcommand)]
    Taxonomy(Taxonomy),
    /// Print the JSON Schema of a plan file, for your editor.
    Schema,
    /// List models, algorithms, methods for series, metrics and attacks.
    List(List),
}

/// How to read a text file.
#[derive(ClapArgs, Clone, Default)]
#[command(
    next_help_heading = "Reading (by default, the dialect of data is detected; a release is read as the plan says, or as kohort writes)"
)]
pub(crate) struct Reading {
    /// The character between two cells.
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<char>,
    /// The character around a quoted cell.
    #[arg(long, value_name = "CHAR")]
    pub(crate) quote: Option<char>,
    /// Whether the first line names the columns.
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) header: Option<bool>,
    /// utf-8, utf-16le, utf-16be or windows-1252.
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// The number of lines before the header.
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) skip_lines: Option<u64>,
    /// The most MiB that a packed file may unpack to [default: 512].
    #[arg(long, value_name = "MIB", value_parser = whole::<u64>)]
    pub(crate) unpacked_limit: Option<u64>,
    /// Texts that mean a missing value, in addition to the empty one [default: NA,N/A,n/a,?,NULL,null,NaN].
    #[arg(long, value_name = "TEXT,…", value_delimiter = ',')]
    pub(crate) missing: Option<Vec<String>>,
    /// The XML element, or the JSON member, that holds one record.
    #[arg(long, value_name = "NAME")]
    pub(crate) records: Option<String>,
    /// The table of a database, such as `patients` or `ward.patients`, where its address does not end in one.
    #[arg(long, value_name = "TABLE", conflicts_with = "query")]
    pub(crate) table: Option<String>,
    /// The query of a database whose rows are read.
    #[arg(long, value_name = "SQL")]
    pub(crate) query: Option<String>,
}

impl Reading {
    /// Puts the rows that flags name in a database into an input.
    pub(crate) fn name_rows(&self, input: &mut kohort::plan::Input) {
        if self.table.is_some() || self.query.is_some() {
            (input.table, input.query) = (self.table.clone(), self.query.clone());
        }
    }
}

#[derive(ClapArgs)]
pub(crate) struct Demo {
    /// Write made-up data of this kind instead of running the demonstration.
    #[arg(long, value_name = "hospital|census|poll|students|patients", value_parser = data)]
    pub(crate) data: Option<kohort::demo::Data>,
    /// The number of people.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole::<u64>)]
    pub(crate) rows: u64,
    /// The number of issues in a poll, each a sensitive attribute.
    #[arg(long, value_name = "N", default_value_t = kohort::demo::Data::ISSUES, value_parser = issues)]
    pub(crate) issues: u32,
    /// The number of levels in student and patient records, from 2 to 4.
    #[arg(long, value_name = "N", default_value_t = kohort::demo::Data::DEPTH, value_parser = depth)]
    pub(crate) depth: u32,
    /// The same seed gives the same table.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = whole::<u64>)]
    pub(crate) seed: u64,
    /// The table to write; taxonomies and a plan go beside it. Students and patients are written as nested
    /// records (`-o patients.json`) or as related tables (`-o patients.csv`). The demonstration takes a
    /// folder. `-` writes to standard output, and nothing else.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Write the tables for this many releases about the same patients, with a plan and a file of how
    /// diseases follow one another; `-o` names the folder. With --tour they are published as well.
    #[arg(long, value_name = "N", requires = "data", value_parser = whole::<u32>)]
    pub(crate) releases: Option<u32>,
    /// Run the demonstration with the students or patients of --data, or with the series of --releases.
    #[arg(long, requires = "data")]
    pub(crate) tour: bool,
    /// Overwrite existing files that hold something else.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(ClapArgs)]
pub(crate) struct Inspect {
    /// The table: CSV (also .gz, .zst), Parquet, JSON Lines or Arrow; `-` reads CSV from standard input. Or
    /// nested records: JSON, XML, or a folder of such files. Or a table of a database:
    /// `postgres://user@host/database#table`, `sqlite:FILE#table`; without a table, or with `#schema.*`, every
    /// table is listed.
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Write a starter plan with the proposed roles to this file; `-` prints the plan instead of the
    /// proposals.
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<String>,
    #[command(flatten)]
    pub(crate) related: RelatedTables,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// What is asked of a table.
#[derive(ClapArgs)]
#[command(
    allow_negative_numbers = true,
    after_help = DIAGNOSE_EXAMPLES
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Diagnose {
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) question: Questions,
    #[command(flatten)]
    pub(crate) population: Population,
    /// Write the report to this HTML file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<String>,
    /// Overwrite the file of --report even if it is not a kohort report.
    #[arg(long, requires = "report")]
    pub(crate) force: bool,
    /// Print SQL that answers the same question inside a database, and do not diagnose. The table is named
    /// after the file: `data/patients.csv` is `patients`.
    #[arg(long, value_name = "postgres|datafusion|sqlite|duckdb|spark", value_parser = dialect)]
    pub(crate) sql: Option<kohort::sql::Dialect>,
    /// Count in the database that has the table, PostgreSQL or SQLite, and read no row of it. --public then
    /// names a table of the same database.
    #[arg(long, conflicts_with_all = ["sql", "print_plan"])]
    pub(crate) in_place: bool,
    /// Exit with status 1 if the table has columns that the plan gives no role, for pipelines.
    #[arg(long)]
    pub(crate) fail_on_new_columns: bool,
    /// Print the plan that the flags amount to, with the requested levels as its goal, and do not diagnose.
    #[arg(long)]
    pub(crate) print_plan: bool,
}

/// What is asked.
#[derive(ClapArgs)]
#[command(next_help_heading = "The question")]
pub(crate) struct Questions {
    /// Search all subsets of the quasi-identifiers. With a level, find the largest safe and the smallest
    /// unsafe sets.
    #[arg(long)]
    pub(crate) subsets: bool,
    #[command(flatten)]
    pub(crate) levels: Levels,
    /// At most this share of the rows may be dropped: 0.02 or 2%.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) suppress: Option<Ratio>,
    /// Find how many rows must be dropped.
    #[arg(long)]
    pub(crate) find_suppression: bool,
    /// Report the largest share of these sensitive values in a class.
    #[arg(long, value_name = "COLUMN=VALUE,…")]
    pub(crate) values: Vec<String>,
    /// Search only sets of up to this many columns.
    #[arg(long, value_name = "N", requires = "subsets", value_parser = whole::<usize>)]
    pub(crate) max_size: Option<usize>,
    /// Stop a search over sets of columns after this time, and say what was left out.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = kohort::plan::duration)]
    pub(crate) budget: std::time::Duration,
    /// The number of riskiest rows to list.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<usize>)]
    pub(crate) riskiest: usize,
}

/// Who else there is.
#[derive(ClapArgs)]
#[command(next_help_heading = "The population")]
pub(crate) struct Population {
    /// A table of the population with the same columns, for membership, journalist and marketer risk.
    #[arg(long, value_name = "FILE")]
    pub(crate) public: Option<String>,
    /// The share of the population that is in the table, when there is no public table.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) sampling_fraction: Option<Ratio>,
}

#[derive(Subcommand)]
pub(crate) enum Taxonomy {
    /// Say what is wrong with a taxonomy file, with its lines.
    Check {
        /// The file, in ARX's layout: one line per value, leaf first, one column per level.
        file: String,
        /// The table whose column it is for.
        #[arg(long, requires = "column")]
        data: Option<String>,
        /// The column it is for.
        #[arg(long, requires = "data")]
        column: Option<String>,
        #[command(flatten)]
        reading: Reading,
    },
    /// Draw a taxonomy as a tree.
    Show {
        /// The file, in ARX's layout.
        file: String,
        /// Draw at most this many levels below the root.
        #[arg(long, default_value_t = 3, value_parser = whole::<usize>)]
        depth: usize,
        /// Draw at most this many lines.
        #[arg(long, default_value_t = 60, value_parser = whole::<usize>)]
        lines: usize,
    },
    /// Propose a taxonomy for a column: what a plan would say, and the file.
    Build {
        /// The table.
        data: String,
        /// The column.
        #[arg(long)]
        column: String,
        /// Write the file here instead of to standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<String>,
        #[command(flatten)]
        reading: Reading,
    },
}

#[derive(ClapArgs)]
pub(crate) struct List {
    /// What to list.
    #[arg(value_enum)]
    pub(crate) what: Listed,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Privacy models.
    Models,
    /// Algorithms that make a release.
    Algorithms,
    /// Methods that make the next release of a series.
    Methods,
    /// Measures of loss and utility.
    Metrics,
    /// Attacks on a release.
    Attacks,
}

impl Args {
    /// The command that these words are, after `kohort`.
    pub(crate) fn of(words: &[&str]) -> Command {
        Self::parse_from(["kohort"].iter().chain(words)).command
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use kohort::{Setting, ValueForm};

    use super::*;

    /// The flags of a command and of those inside it, with whether each takes a value.
    fn flags(command: &clap::Command, found: &mut Vec<(String, bool)>) {
        for argument in command.get_arguments() {
            let takes_value = argument.get_action().takes_values();
            let names = argument.get_long_and_visible_aliases().unwrap_or_default();
            found.extend(names.into_iter().map(|name| (name.to_owned(), takes_value)));
        }
        command.get_subcommands().for_each(|command| flags(command, found));
    }

    #[test]
    fn every_setting_has_its_flag() {
        let mut program = Args::command();
        program.build();
        let mut found = Vec::new();
        flags(&program, &mut found);
        for setting in Setting::ALL {
            let takes_value = setting.form() != ValueForm::Switch;
            let flag = (setting.name().to_owned(), takes_value);
            assert!(found.contains(&flag), "{setting:?} is not `--{}`", setting.name());
        }
    }

    #[test]
    fn every_command_of_a_text_is_one_of_the_program() {
        for command in kohort::Command::ALL {
            let program = Args::command();
            let mut found = &program;
            for word in command.line().split(' ') {
                let inside = found.get_subcommands().find(|inside| inside.get_name() == word);
                // What is listed is a value, not a command.
                match inside {
                    Some(inside) => found = inside,
                    None => assert!(found.get_name() == "list", "{command:?}"),
                }
            }
        }
    }
}
