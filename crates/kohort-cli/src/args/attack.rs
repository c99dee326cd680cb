//! The flags of `kohort attack`.

use clap::Args as ClapArgs;
use kohort::Ratio;

use super::values::share;
use super::{Levels, Reading};

const EXAMPLES: &str = "Examples:
  What does a release give away, compared with its original? \
                        With a page (confidential):
    kohort attack release.csv --plan \
                        plan.toml --original patients.csv --report attack.html
  Can people of a \
                        voter list be found in it? Some are in the table; nobody knows which:
   \
                        kohort attack release.csv --plan plan.toml --public voters.csv
  The \
                        same with the truth to compare guesses with; `id` names people in both:
 \
                        kohort attack release.csv --plan plan.toml --public voters.csv \
                        --original patients.csv --key id
  A release without a plan, as seen by \
                        somebody who has only the file:
    kohort attack release.csv --quasi \
                        age,sex,zip --sensitive disease --k 5
  Nested records, by the \
                        structure, labels and repeated values of people's trees:
    kohort \
                        attack release.json --plan plan.toml --original patients.json
  Two \
                        releases of the same people, and only the attacks you name:
    kohort \
                        attack july.csv --plan plan.toml --release2 june.csv --only \
                        prosecutor,homogeneity
  A series, oldest first, against an adversary \
                        who knows who is in which release:
    kohort attack r1.csv r2.csv \
                        r3.csv --plan plan.toml --public everybody.csv --presence in1,in2,in3
  \
                        The same if it is also known how diseases follow one another (columns \
                        from, to, probability):
    kohort attack r1.csv r2.csv --plan plan.toml \
                        --public everybody.csv --correlations follows.csv

A knowledge file says \
                        what the adversary knows about some people. As CSV:
    \
                        person,attribute,relation,value
    4711,disease,is-not,flu
    \
                        4711,,in-table,
    4712,disease,is,gout
    4712,,not-in-release,1
    \
                        4712,,same-as,4711
  relation is one of is, is-not, in-table, \
                        not-in-table, in-release, not-in-release (with the number of a
  release \
                        of a series, from 1) and same-as (with a person who has the same \
                        sensitive values). As TOML:
    [[person]]
    key = \"4711\"
    member \
                        = true
    is-not = { disease = [\"flu\"] }
    [[person]]
    key = \
                        \"4712\"
    is = { disease = \"gout\" }
    not-in-release = [1]
    \
                        same-as = [\"4711\"]

Attack reports show where a release is weak: store \
                        them like the microdata.";

/// What is attacked, and with what.
#[derive(ClapArgs)]
#[command(allow_negative_numbers = true, after_help = EXAMPLES)]
pub(crate) struct Attack {
    /// The release, whoever made it: CSV (also .gz, .zst), Parquet, JSON Lines or Arrow, or nested records.
    /// The sensitive values of an anatomized release may be in a second file, release.sensitive.csv. Several
    /// releases are a series, oldest first: the last one is attacked with all others. A column `group` names
    /// their classes, and a file release.counterfeits.csv gives the number of counterfeits in each class.
    #[arg(value_name = "RELEASE", required = true)]
    pub(crate) releases: Vec<String>,
    /// The plan it was made by: roles, taxonomies, promises and algorithm.
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<String>,
    /// The quasi-identifiers: columns that others may know. `*` means every column that is not sensitive;
    /// write `\,` for a comma in a name.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) quasi: Vec<String>,
    /// The sensitive columns: what nobody should learn about a person.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) sensitive: Vec<String>,
    /// A column's taxonomy: a file in ARX's layout, `mask`, `mask-left`, or TOML such as
    /// '{ widths = [5, 10] }'.
    #[arg(long, value_name = "COLUMN=SOURCE")]
    pub(crate) taxonomy: Vec<String>,
    /// Buckets that promises about a sensitive column count instead of its values, as TOML such as '{ widths
    /// = 1000 }'.
    #[arg(long, value_name = "COLUMN=BUCKETS")]
    pub(crate) buckets: Vec<String>,
    /// A column's type: integer, decimal, date, boolean or text.
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    pub(crate) types: Vec<String>,
    /// How to read a missing cell of a sensitive column: value, ignored or unprotected [default: ignored].
    #[arg(long, value_name = "COLUMN=READING")]
    pub(crate) missing_as: Vec<String>,
    /// The algorithm that made the release, if the adversary knows it; some attacks use that.
    #[arg(long, value_name = "NAME")]
    pub(crate) algorithm: Option<String>,
    #[command(flatten)]
    pub(crate) levels: Levels,
    /// A rule for nested records, in addition to those of the plan: a value that nobody may be known to have
    /// often; such as '{ value = "AIDS", at-least = 1, probability = "1/2" }'.
    #[arg(long, value_name = "TOML")]
    pub(crate) rules: Vec<String>,
    #[command(flatten)]
    pub(crate) background: Background,
    /// Run only these attacks; `kohort list attacks` lists them.
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Write the report to this HTML file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<String>,
    /// Overwrite the file of --report even if it is not a kohort report.
    #[arg(long, requires = "report")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl Attack {
    /// The release that is attacked.
    pub(crate) fn newest(&self) -> &str {
        self.releases.last().expect("a release is required")
    }

    /// The releases of the series before it, the oldest first.
    pub(crate) fn earlier(&self) -> &[String] {
        &self.releases[..self.releases.len() - 1]
    }
}

/// What the adversary has beside the release, and the truth.
#[derive(ClapArgs)]
#[command(next_help_heading = "What the adversary has, and the truth")]
pub(crate) struct Background {
    /// A table of the population with exact quasi-identifiers; if some are missing, people are looked up by
    /// the others.
    #[arg(long, value_name = "FILE")]
    pub(crate) public: Option<String>,
    /// The table the release was made from. Guesses are compared with it, and it is attacked as well, to show
    /// what anonymization achieved. Without --public, its people are the targets, and are known to be in it.
    /// For a series it is the table of the newest release: earlier values are not compared, and people who
    /// have left are targets only with --public, and not measured. Repeat it for each release, in order, to
    /// target the people of all tables: each is measured by the last table with that person, and people who
    /// are not in a table are not in its release.
    #[arg(long, value_name = "DATA")]
    pub(crate) original: Vec<String>,
    /// The column that identifies people in --public, --original and --knowledge [default: an identifier of
    /// the plan that is in both; otherwise, people with unique quasi-identifiers are matched by these].
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key: Option<String>,
    /// What is known about some people: values they have or do not have, whether they are in the table or in
    /// a release of a series, and who has the same values (CSV or TOML, see below).
    #[arg(long, value_name = "FILE")]
    pub(crate) knowledge: Option<String>,
    /// Another release about the same people; may be repeated, oldest first.
    #[arg(long, value_name = "FILE")]
    pub(crate) release2: Vec<String>,
    /// Who is in which release of a series: columns of --public or --original with yes or no, 1 or 0, one for
    /// each release in order. If this is not known, not from --knowledge or the tables of all releases
    /// either, everybody covered by a release is assumed to be in it, and conclusions from that refute no
    /// promise.
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) presence: Vec<String>,
    /// How likely one sensitive value is to be followed by another in the next release: a table with the
    /// columns from, to and probability.
    #[arg(long, value_name = "FILE")]
    pub(crate) correlations: Option<String>,
    /// The file of the secret that the release was drawn from, for an adversary who has it.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<String>,
    /// The share of the population that is in the table, if there is no public table: 0.1 or 10%.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) sampled: Option<Ratio>,
}
