//! Attacks on a release: every one that what is at hand allows, on the release and, where the original is
//! known, on the raw table beside it.
//!
//! ```
//! use kohort::plan::{Goal, Plan};
//! use kohort::{Cx, Table};
//!
//! let rows = [["31", "flu"], ["34", "gout"], ["52", "flu"], ["55", "asthma"]];
//! let table = Table::from_rows(["age", "disease"], rows)?;
//! let plan = Plan::new()
//!     .quasi(["age"])
//!     .sensitive(["disease"])
//!     .goal(Goal { k_anonymity: Some(2), ..Goal::default() });
//! let cx = Cx::default();
//! let release = kohort::anonymize(&table, &plan, &cx)?;
//!
//! // With the original, guesses are measured against the truth.
//! let answer = kohort::attack(&release, &plan, Some(&table), &cx)?;
//! assert!(!answer.refuted);
//! println!("{}", kohort::attack::text(&answer));
//! # Ok::<(), kohort::Stop>(())
//! ```

mod again;
mod again_in_series;
mod knowledge;
mod lab;
mod other_releases;
mod people;
mod series_knowledge;
mod warnings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kohort_core::{
    Attribute, Command, Ctx, Dataset, Message, Ratio, Setting, Table, message, nearest,
};
use kohort_io::{Reading, is_file_there, read_table};
use kohort_report::attack::{criteria, not_run, weakest_first};
use kohort_verify::attack::{ATTACKS, Attack, Declared, RunAgain};

use self::again::Again;
use self::again_in_series::AgainInSeries;
use self::lab::Lab;
pub use self::other_releases::verify_beside;
use crate::Error;
use crate::error::refused;
use crate::error::suggestion;
use crate::goal::Asked;
use crate::job::{Job, Roles, Terms, is_of_series};
use crate::load::Loaded;
use crate::people as rows;
use crate::plan::{Plan, SeriesPlan};
use crate::release::{
    GROUP, ReadStrictly, ReleaseFile, counted, counterfeits_file, joined, shown_alone, values_file,
    without_blank_rows,
};
pub use crate::release::{Groups, Publication};
pub use kohort_report::attack::{
    Above, Answer, AttackAnswer, CriterionAnswer, NotRun, Score, Targets, text,
};

/// What is attacked, and with what.
pub struct Given<'a> {
    /// The roles, taxonomies, promises and algorithm of the release.
    pub plan: &'a Plan,
    /// The release, as `read` reads it.
    pub release: Publication,
    /// Other releases about the same people, the oldest first.
    pub others: Vec<Publication>,
    /// People of a population with their quasi-identifiers.
    pub public: Option<Table>,
    /// The table the release was made from: the truth that guesses are compared with.
    pub original: Option<Table>,
    /// The tables that the other releases of a series were made from, the oldest first: all, or none. They
    /// tell who is not in which release.
    pub earlier: Vec<Table>,
    /// Whether the other releases are earlier ones of a series, so that people may be in some and not in
    /// others.
    pub is_series: bool,
    /// The column that names people in all of these tables.
    pub key: Option<String>,
    /// A file of what is known of some people.
    pub knowledge: Option<PathBuf>,
    /// The columns of the table of people that say who is in which release, in the order of releases.
    pub presence: Vec<String>,
    /// A file of how sensitive values follow one another.
    pub correlations: Option<PathBuf>,
    /// The share of the population that is in the released table.
    pub sampled: Option<Ratio>,
    /// The secret from which the release was drawn, for an adversary who has it.
    pub secret: Option<[u8; 32]>,
    /// The ids of the attacks to run; none for all.
    pub only: Vec<String>,
}

impl<'a> Given<'a> {
    /// A release and its plan, and nothing else.
    pub fn new(plan: &'a Plan, release: Publication) -> Self {
        Self {
            plan,
            release,
            others: Vec::new(),
            public: None,
            original: None,
            earlier: Vec::new(),
            is_series: false,
            key: None,
            knowledge: None,
            presence: Vec::new(),
            correlations: None,
            sampled: None,
            secret: None,
            only: Vec::new(),
        }
    }
}

/// Whether a file is a knowledge file: it says something, and in a form that is understood.
pub fn check_knowledge(path: &Path) -> Result<(), Error> {
    knowledge::read(path).map(drop)
}

/// Reads a release; one of two files as one table. `sensitive` are the columns that will be sensitive. It is
/// anatomized where the plan says so, or where its sensitive values stand in a second file; in a series a
/// column of groups names classes, and a second file may count the counterfeits of each.
pub fn read<'a>(
    plan: &Plan,
    release: impl Into<ReleaseFile<'a>>,
    sensitive: &[String],
    is_in_series: bool,
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Publication>, Error> {
    let file = release.into();
    let release = file.path;
    let _reading = Reading::new(release, &[values_file(release), counterfeits_file(release)])?;
    let terms = Terms::new(plan)?;
    let expected: Vec<String> = plan.attributes.keys().chain(sensitive).cloned().collect();
    let ReadStrictly { read: found, options } = file.read(&plan.read, &expected, progress)?;
    let read = |path: &Path| read_table(&path.to_string_lossy(), &options, progress);
    let (mut table, mut metadata) = (found.table, found.metadata);
    let is_asked = terms.is_anatomized;
    let has_groups = table.column(GROUP).is_ok() && !terms.roles.has(GROUP);
    if is_asked && !has_groups {
        return Err(refused(
            format!("an anatomized release is asked for, and this one has no column `{GROUP}`"),
            "name the algorithm of the release, or leave it out",
        ));
    }
    // Releases of a series may show other sensitive columns than those of the plan, and name their classes.
    let is_in_series = is_in_series || is_of_series(plan);
    let shows_none = !sensitive.iter().any(|name| table.column(name).is_ok());
    let is_apart = has_groups
        && !sensitive.is_empty()
        && shows_none
        && (!is_in_series || values_file(release).exists());
    if is_apart {
        let values = values_file(release);
        is_file_there(&values)?;
        let values = read(&values)?;
        metadata.extend(values.metadata);
        table = joined(&table, &values.table)?;
    }
    let mut notes = found.notes;
    if let Some(rows) = without_blank_rows(&terms, &table).filter(|_| !has_groups) {
        table = shown_alone(&table, &rows, &mut notes);
    }
    let mut counterfeits = BTreeMap::new();
    let groups = match (is_asked || is_apart, has_groups && is_in_series) {
        (true, _) => Groups::Anatomized,
        (false, true) => Groups::Classes,
        (false, false) => Groups::None,
    };
    let beside = counterfeits_file(release);
    if groups == Groups::Classes && is_file_there(&beside)? {
        let beside = read(&beside)?;
        metadata.extend(beside.metadata);
        counterfeits = counted(&beside.table)?;
    }
    if has_groups && groups == Groups::None {
        notes.push(message!(
            "`{GROUP}` is treated as an ordinary column; if it has the groups of an anatomized release, say \
             {}",
            Setting::Algorithm.to("anatomy")
        ));
    }
    Ok(Loaded { value: Publication { table, groups, counterfeits, metadata }, notes })
}

/// The largest probability of a value that a series promises, by whatever method it may choose.
fn promised_by(series: &SeriesPlan) -> Option<f64> {
    let one_in = |n: Option<u32>| n.map(|n| 1.0 / f64::from(n));
    let of = |method: &str| match method {
        "m-invariance" | "e-equivalence" => one_in(series.m),
        "rho-different" => series.rho,
        "xy-linkability" => series.confidence,
        "global-guarantee" => one_in(series.l),
        _ => None,
    };
    match series.method.as_deref() {
        None | Some("auto") => {
            let methods = ["m-invariance", "rho-different", "xy-linkability", "global-guarantee"];
            methods.into_iter().filter_map(of).reduce(f64::max)
        }
        Some(method) => of(method),
    }
}

/// The method of a series that promises how many values or rows are left, and no probability.
fn counting(series: &SeriesPlan) -> Option<&str> {
    let method = series.method.as_deref().unwrap_or("auto");
    let counts = matches!(method, "auto" | "xy-anonymity" | "bcf-anonymity");
    (counts && series.k.is_some() && promised_by(series).is_none()).then_some(method)
}

/// What is promised, by the ids of models and of the method of a series.
fn promised(asked: &Asked, series: &SeriesPlan) -> Vec<String> {
    let bounding = promised_by(series).map(|_| series.method.as_deref().unwrap_or("auto"));
    let of_table = asked.about().iter().map(|about| about.model().to_owned());
    of_table.chain(bounding.or(counting(series)).map(str::to_owned)).collect()
}

/// What no attack is measured by.
fn not_measured(method: &str) -> Message {
    message!(
        "`{method}` of the series promises how many values or rows are left, and no probability: no attack \
         is measured by it, and {} judges it",
        Command::Verify
    )
}

/// Runs the attacks that what is given allows.
pub fn attack(given: Given<'_>, ctx: &Ctx<'_>) -> Result<Answer, Error> {
    let attacks = chosen(&given.only)?;
    let known_of_method = (given.secret, !given.only.is_empty());
    let unit = unit(&given)?;
    let job = Job::new(given.plan).ok();
    let is_in_series = is_of_series(given.plan);
    let lab = Lab::new(given)?;
    let sensitive = lab.release.sensitive();
    let asked = Asked::new(&lab.terms.principles, &sensitive)?;
    let mut notes: Vec<Message> = unit.into_iter().chain(lab.notes.iter().cloned()).collect();
    notes.extend(asked.notes().iter().cloned());
    let buckets = buckets(&sensitive);
    notes.extend(buckets.iter().map(|(name, form)| guessed_in(name, form)));
    let known = lab.bind(&sensitive)?;
    notes.extend(known.notes.iter().cloned());
    let algorithm = lab.terms.algorithm.as_deref();
    let high = lab.terms.high(&lab.release);
    let high = high.as_ref().map(|high| (high.attribute, &high.codes[..]));
    let (models, series) = (asked.models(), promised_by(&lab.terms.series));
    notes.extend(counting(&lab.terms.series).map(not_measured));
    let (texts, taxonomies) = (&lab.texts[..], &lab.taxonomies[..]);
    let declared = Declared { algorithm, models, series, high, texts, taxonomies };
    let others = lab.others.iter().map(|(other, shown)| lab.released(other, shown));
    let others = others.collect::<Result<_, _>>()?;
    ctx.progress("finding people in the release", 0, 1);
    let mut scene = lab.scene(lab.released(&lab.release, &lab.shown)?, known, declared, others)?;
    scene.correlated.clone_from(&lab.correlated);
    scene.is_presence_assumed = lab.is_presence_assumed(&scene);
    let runs = job.as_ref().map(|job| Runs::new(&lab, job, is_in_series, known_of_method));
    if let Some(runs) = &runs {
        scene.method = runs.again();
    }
    notes.extend(lab.uncovered(&scene));
    let findings = lab.run(ctx, &attacks, &scene)?;
    let raw = match &lab.original {
        None => None,
        Some(original) => {
            let found = lab.run_raw(ctx, &attacks, original)?;
            Some(weakest_first(&found, &original.sensitive()))
        }
    };
    let attacks = weakest_first(&findings, &sensitive);
    let name = |table: Option<&Dataset>| table.map(|table| table.table().name().to_owned());
    Ok(Answer {
        release: lab.release.table().name().to_owned(),
        rows: lab.release.n_rows() as u64,
        public: name(lab.public.as_ref().filter(|_| !lab.has_all_originals)),
        original: name(lab.original.as_ref()),
        targets: lab.targets(),
        quasi: lab.quasi.clone(),
        sensitive: sensitive.iter().map(|attribute| attribute.name().to_owned()).collect(),
        buckets,
        promised: promised(&asked, &lab.terms.series),
        refuted: attacks.iter().any(|attack| attack.score.is_refuted()),
        criteria: criteria(&attacks),
        not_run: not_run(&findings),
        attacks,
        raw,
        notes,
        unit: ("row", "rows"),
    })
}

/// The method of a release or of a series, to be run again; or what is needed to run it.
enum Runs<'a> {
    Once(Result<Again<'a>, Message>),
    Series(Result<AgainInSeries<'a>, Message>),
}

impl<'a> Runs<'a> {
    fn new(
        lab: &'a Lab,
        job: &'a Job,
        is_in_series: bool,
        known: (Option<[u8; 32]>, bool),
    ) -> Self {
        if is_in_series {
            Self::Series(AgainInSeries::new(lab, job))
        } else {
            Self::Once(Again::new(lab, job, known))
        }
    }

    fn again(&self) -> Result<RunAgain<'_>, Message> {
        match self {
            Self::Once(Ok(method)) => Ok(RunAgain::Once(method)),
            Self::Series(Ok(methods)) => Ok(RunAgain::Series(methods)),
            Self::Once(Err(needs)) | Self::Series(Err(needs)) => Err(needs.clone()),
        }
    }
}

/// What people are in the figures, where that needs saying. Refused where people have several rows and the
/// plan does not decide.
fn unit(given: &Given<'_>) -> Result<Option<Message>, Error> {
    let Some(original) = &given.original else { return Ok(None) };
    let key = given.key.clone().filter(|key| original.column(key).is_ok());
    let mut roles = Roles::new(given.plan);
    roles.key = key.or(roles.key);
    rows::check(&roles, original)
}

/// What the buckets of each attribute are that has some.
fn buckets(sensitive: &[&Attribute]) -> BTreeMap<String, String> {
    let form = |attribute: &&Attribute| {
        Some((attribute.name().to_owned(), attribute.buckets()?.form().to_owned()))
    };
    sensitive.iter().filter_map(form).collect()
}

/// That buckets of an attribute are guessed.
pub(crate) fn guessed_in(name: &str, form: &str) -> Message {
    message!(
        "`{name}` is guessed in {form}: a guess is a bucket, and right where the value is in it"
    )
}

/// The attacks that are asked for.
fn chosen(only: &[String]) -> Result<Vec<&'static dyn Attack>, Error> {
    let find = |id: &String| {
        ATTACKS.iter().find(|attack| attack.spec().id == id).copied().ok_or_else(|| {
            let ids = ATTACKS.iter().map(|attack| attack.spec().id);
            let likely = suggestion(nearest(id, ids));
            refused(
                format!("there is no attack `{id}`{likely}"),
                message!("{} lists them", Command::ListAttacks),
            )
        })
    };
    if only.is_empty() { Ok(ATTACKS.to_vec()) } else { only.iter().map(find).collect() }
}
