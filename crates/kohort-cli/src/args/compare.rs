//! The flags of `kohort compare`.

use clap::Args as ClapArgs;
use kohort::Ratio;
use kohort::compare::{RISKS, UTILITIES};

use super::Columns;
use super::values::{duration_text, share, whole, yes_or_no};

const EXAMPLES: &str = "\
Examples:
  Which algorithm loses least, and how does that grow with k?
    kohort compare patients.csv --quasi age,sex,zip --k 2,5,10,20 --seeds 3
  Two algorithms for k and l, with a page to show and a table for your own plots:
    kohort compare patients.csv --quasi age,sex,zip --sensitive disease \\
      --algorithms auto,mondrian --k 5,10 --l 2,3 --report compare.html --csv compare.csv
  What does each further sensitive attribute cost?
    kohort compare patients.csv --quasi age,sex,zip --sensitive disease,ward \\
      --algorithms mondrian --l 2,3 --attributes 1,2
  How well can the disease still be predicted, from releases made without the people tested?
    kohort compare plan.toml --k 5,10 --target disease --folds 3 --utility naive-bayes
  Nested records, including methods that do not keep the goal:
    kohort compare plan.toml --l 2,3 --allow-unsafe --csv compare.csv --report compare.html";

/// What is compared.
#[derive(ClapArgs)]
#[command(allow_negative_numbers = true, after_help = EXAMPLES)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) columns: Columns,
    #[command(flatten)]
    pub(crate) grid: GridArgs,
    #[command(flatten)]
    pub(crate) judged: Judged,
    /// Write every figure, with seeds and parameters, to this file: .csv, .tsv, .parquet, .jsonl or .arrow.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<String>,
    /// Write the report with its plots to this HTML file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<String>,
    /// Overwrite existing files that are not a kohort comparison.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Which releases are tried.
#[derive(ClapArgs)]
#[command(next_help_heading = "The grid")]
pub(crate) struct GridArgs {
    /// The algorithms; `all` means every safe one. Quadratic ones run on more than 20,000 distinct rows only
    /// when named [default: auto,mondrian,k-member,optimal,hilbert; for nested records
    /// ctoff,tree-anatomy,vertex-anatomy,dmiracle, and what --allow-unsafe allows].
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) algorithms: Vec<String>,
    /// The values of k to try [default: 2,5,10,20,50; only the goal's k with --l, or if the goal asks for
    /// l-mdiversity or l-pdiversity].
    #[arg(long, value_name = "K,…", value_delimiter = ',', value_parser = whole::<u64>)]
    pub(crate) k: Vec<u64>,
    /// The values of l to try: no sensitive value in more than 1/l of a class; l-mdiversity if several
    /// attributes are sensitive, or what the plan asks for [default: the plan's; for nested records 2,3,4,5].
    #[arg(long, value_name = "L,…", value_delimiter = ',')]
    pub(crate) l: Vec<Ratio>,
    /// The numbers of sensitive attributes to publish, such as 1,2,3, in the order of their names [default:
    /// all].
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = whole::<u64>)]
    pub(crate) attributes: Vec<u64>,
    /// Repeat everything with the seeds 1 to N, and show the mean, the smallest and the largest. For nested
    /// records a seed draws the order of the people.
    #[arg(long, value_name = "N", conflicts_with = "seed", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seeds: Option<u64>,
    /// The seed of everything random [default: 7].
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) seed: Option<u64>,
    /// At most this share of the rows may be dropped: 0.02 or 2%.
    #[arg(long, visible_alias = "suppress", value_name = "SHARE", value_parser = share)]
    pub(crate) suppression: Option<Ratio>,
    /// The loss to minimize, as for `kohort anonymize` [default: ncp].
    #[arg(long, value_name = "NAME")]
    pub(crate) metric: Option<String>,
    /// Publish numeric columns as exact ranges, or as nodes of their taxonomies if they have one.
    #[arg(long, value_name = "exact|taxonomy")]
    pub(crate) numeric: Option<String>,
    /// Round the bounds of ranges outward, or show the exact least and greatest value of each class [default:
    /// rounded].
    #[arg(long, value_name = "rounded|exact")]
    pub(crate) bounds: Option<String>,
    /// Search this long for each release, such as 10s [default: a time proportional to the table].
    #[arg(long, value_name = "TIME", value_parser = duration_text)]
    pub(crate) budget: Option<String>,
    /// The number of partitions for anatomies of nested records.
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) partitions: Option<u64>,
    /// Keep promises about sensitive values against an adversary who runs the method again, or not [default: yes,
    /// where the method and the goal allow it].
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no)]
    pub(crate) transparent: Option<bool>,
    /// Also compare named methods that do not keep the goal for everybody.
    #[arg(long)]
    pub(crate) allow_unsafe: bool,
}

/// How releases are compared.
#[derive(ClapArgs)]
#[command(next_help_heading = "Utility and risk")]
pub(crate) struct Judged {
    /// The column to predict, which must not be a quasi-identifier [default: the sensitive one with the
    /// fewest values]. With this flag, --folds, or a learner as --utility, every learner is tried; otherwise
    /// only naive Bayes, which is fast.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Predict in N folds, each from a release made only of its training rows and tested on original rows
    /// that it was made without. By default one release serves all folds, which looks slightly better than it
    /// is.
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub(crate) folds: Option<usize>,
    /// The utility to balance: ncp, queries, naive-bayes, stump, cart, logistic, pmse or correlations.
    #[arg(long, value_name = "NAME", default_value = "ncp", value_parser = utility)]
    pub(crate) utility: &'static str,
    /// The risk to balance: prosecutor-max, prosecutor-mean, attribute-max or attribute-mean.
    #[arg(long, value_name = "NAME", default_value = "prosecutor-max", value_parser = risk)]
    pub(crate) risk: &'static str,
    /// The largest acceptable risk; for the prosecutor, 20 % means k = 5.
    #[arg(long, value_name = "SHARE", default_value = "20%", value_parser = share)]
    pub(crate) risk_cap: Ratio,
}

fn utility(text: &str) -> Result<&'static str, String> {
    one_of(&UTILITIES, text)
}

fn risk(text: &str) -> Result<&'static str, String> {
    one_of(&RISKS, text)
}

/// One of the ids in the box.
fn one_of(known: &[(&'static str, &'static str)], text: &str) -> Result<&'static str, String> {
    let found = known.iter().find(|(id, _)| *id == text).map(|(id, _)| *id);
    let ids = || known.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| format!("expected one of {}", ids()))
}
