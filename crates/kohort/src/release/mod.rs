//! From a plan to a release: made, put aside, read back, judged, and only then there.
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
//! let release = kohort::anonymize(&table, &plan, &Cx::default())?;
//! println!("{}", release.receipt());
//!
//! // Anybody can judge a release by its plan; with the original, also whether it is truthful.
//! assert!(kohort::verify(&release, &plan, Some(&table), &Cx::default())?.verified);
//! # Ok::<(), kohort::Stop>(())
//! ```

mod center;
mod elimination;
mod file;
mod forewarning;
mod in_memory;
mod insensitive;
mod judge;
mod order;
mod overwrite;
mod perturbed;
mod pipeline;
mod publication;
mod published;
mod receipt;
mod render;
mod rounding;
mod sensitive;
mod sink;
mod unreached;
mod unused;
mod verify;

use std::path::{Path, PathBuf};

use kohort_algorithms::Form;
use kohort_core::{Ctx, Dataset, Message, Public, Ratio, Setting, message};
use kohort_verify::{ClassSizes, Findings, Reason};

pub(crate) use self::file::ReadStrictly;
pub use self::file::ReleaseFile;
pub use self::forewarning::forewarning;
pub(crate) use self::forewarning::{forewarning_of_all, n_distinct};
pub use self::in_memory::{
    Published, Release, anonymize as anonymize_table, verify as verify_published,
};
pub(crate) use self::insensitive::told as singled_out_told;
use self::judge::alone;
pub(crate) use self::judge::{Judgement, joined, without_blank_rows};
pub(crate) use self::order::{mark, mix, order};
pub use self::overwrite::{is_release, is_release_table};
pub(crate) use self::pipeline::{Made, make, or_opaque};
pub use self::publication::{Groups, Publication};
pub(crate) use self::publication::{counted, shown_alone};
pub(crate) use self::receipt::{AS_THEY_WERE, columns, figures};
use self::receipt::{form, judged_sizes, levels, risk, starred};
use self::render::Rendered;
pub(crate) use self::render::{COUNT, GROUP, numbered, text_of};
pub(crate) use self::rounding::rounding;
pub(crate) use self::sensitive::read_sensitive;
use self::sink::{Files, Parts, Sink};
pub(crate) use self::verify::beside_the_table;
pub use self::verify::verify;
use crate::diagnose::{GoalAnswer, SizeCount};
pub use crate::error::{NearestGoals, No, WithinReach};
pub use crate::job::is_anatomized;
use crate::job::{Job, Task, Terms};
use crate::people;
use crate::plan::Plan;
use crate::public::public;
use crate::wording::{count, grouped, percent};
use crate::{Error, Stop};
pub use kohort_report::page::is_report;
pub(crate) use kohort_report::release::Figures;
pub use kohort_report::release::{
    Columns, Compared, Elimination, GuessingAnswer, LevelAnswer, Receipt, RiskChange, Verdict,
    receipt_text, verdict_text,
};
use kohort_report::release::{masked_cells, uncovered};

/// What is asked for: a plan, the folder its paths are relative to, and where the release goes.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The release.
    pub target: &'a Path,
    /// Where what hides something is drawn from: from the system, and written nowhere.
    pub secret: [u8; 32],
}

/// The file of the sensitive values of an anatomized release: `release.csv` has them in
/// `release.sensitive.csv`.
pub fn values_file(target: &Path) -> PathBuf {
    beside(target, "sensitive")
}

/// The file that counts the counterfeits of a release of a series: `release.csv` has it in
/// `release.counterfeits.csv`.
pub fn counterfeits_file(target: &Path) -> PathBuf {
    beside(target, "counterfeits")
}

/// A file beside a release.
fn beside(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = name.split_once('.').unwrap_or((&name, "csv"));
    target.with_file_name(format!("{stem}.{what}.{extension}"))
}

/// A job with its table and the public table that it names.
pub(super) struct Resolved<'a> {
    job: &'a Job,
    dataset: &'a Dataset,
    public: Option<Public>,
    /// What is to be said of rows that are not people.
    unit: Option<Message>,
    secret: [u8; 32],
}

impl<'a> Resolved<'a> {
    /// What is asked for, checked against the table.
    fn new(job: &'a Job, dataset: &'a Dataset, secret: [u8; 32]) -> Result<Self, Error> {
        let unit = people::check(&job.terms.roles, dataset.table())?;
        let public = public(&job.terms, Some(dataset))?;
        Ok(Self { job, dataset, public, unit, secret })
    }

    fn task(&self) -> Result<Task<'_>, Error> {
        self.job.on(self.dataset, self.public.as_ref(), self.secret)
    }

    fn make(&self, ctx: &Ctx<'_>) -> Result<Made, Stop> {
        ctx.step("anonymize");
        let made = make(&self.task()?, ctx);
        ctx.check()?;
        made
    }

    /// Puts a release aside, reads it from there, judges and measures it, and hands it out.
    fn publish<S: Sink>(
        &self,
        made: &Made,
        rendered: Rendered,
        mut sink: S,
        ctx: &Ctx<'_>,
    ) -> Result<(Receipt, S::Published), Stop> {
        let task = self.task()?;
        let (terms, dataset) = (&self.job.terms, self.dataset);
        // What was put aside is read back: of what was rendered only whose rows they are is kept.
        let rows = sink.stage(rendered)?;
        ctx.check()?;
        ctx.step("verify");
        let release = sink.read(dataset.table().missing())?;
        let (judgement, permit) = made.judged(&task, &release, &rows)?;
        let elimination = made.elimination(&task, &release, &rows);
        let seen = insensitive::singled_out(&terms.roles, &release).into_iter();
        let seen: Vec<String> = seen.chain(sink.note(&release)).collect();
        let n_starred = starred(terms, judgement.findings());
        let published = made.published(&task, (&release, &rows), n_starred)?;
        let fewest = people::fewest(&terms.roles, (&release, &rows), dataset.table())?;
        // Figures are made of what the judge found.
        drop((release, rows));
        ctx.check()?;
        ctx.step("measure");
        let figures = made.figures(&task, &judgement);
        let loss_per_cell = made.loss(&task, &judgement);
        let loss = loss_in_unit(&task, made, &judgement, &figures);
        ctx.check()?;
        let handed_out = sink.publish(permit)?;
        let first = self.unit.iter().cloned().chain(fewest.map(Message::from)).collect();
        let notes = notes(terms, made, &judgement, first, seen);
        let mut receipt = Receipt {
            loss,
            loss_per_cell,
            published,
            notes,
            ..receipt(&task, made, &judgement, figures)
        };
        receipt.elimination = elimination;
        receipt.warnings.extend(receipt.elimination.as_ref().map(ToString::to_string));
        Ok((receipt, handed_out))
    }
}

/// Makes a release that keeps the goal of a plan, verifies the bytes written, and puts it in place. The answer
/// is no when the goal cannot be reached or the release that was made does not keep it: then nothing is
/// written.
pub fn anonymize(order: Order<'_>, dataset: &Dataset, ctx: &Ctx<'_>) -> Result<Receipt, Stop> {
    let Order { plan, target, secret } = order;
    // A place that cannot be written is found before the work.
    if let Some(n_parts) = plan.output.parts {
        let parts = Parts::new(target, plan, n_parts)?;
        return anonymize_into(parts, plan, secret, dataset, ctx);
    }
    let files = Files::new(target)?;
    anonymize_into(files, plan, secret, dataset, ctx)
}

/// The same into tables of a database: they are read back and judged before the transaction ends that puts them
/// in place.
pub fn anonymize_into_database(
    target: kohort_db::Target,
    (plan, secret): (&Plan, [u8; 32]),
    dataset: &Dataset,
    ctx: &Ctx<'_>,
) -> Result<Receipt, Stop> {
    anonymize_into(target, plan, secret, dataset, ctx)
}

fn anonymize_into<S: Sink<Published = Vec<String>>>(
    sink: S,
    plan: &Plan,
    secret: [u8; 32],
    dataset: &Dataset,
    ctx: &Ctx<'_>,
) -> Result<Receipt, Stop> {
    let job = Job::new(plan)?;
    let resolved = Resolved::new(&job, dataset, secret)?;
    let mut made = resolved.make(ctx)?;
    ctx.step("write");
    let rendered = made.rendered_at_last(&resolved.task()?, sink.tells());
    let (receipt, files) = resolved.publish(&made, rendered, sink, ctx)?;
    Ok(Receipt { files, ..receipt })
}

/// What a person should know about a release, after what comes first and before what was seen in its file.
fn notes(
    terms: &Terms,
    made: &Made,
    judgement: &Judgement,
    mut notes: Vec<Message>,
    seen: Vec<String>,
) -> Vec<Message> {
    notes.extend(made.notes.iter().cloned());
    let is_new = |note: &&Message| !notes.contains(note);
    let judged: Vec<Message> = judgement.notes.iter().filter(is_new).cloned().collect();
    notes.extend(judged);
    notes.extend(alone(terms, judgement));
    notes.extend(seen.into_iter().map(Message::from));
    if made.candidate.form == Form::Anatomized {
        notes.push(AS_THEY_WERE.into());
    }
    notes
}

/// The loss that was to be kept small, with the weights of the plan and in the unit of the bound.
pub(crate) fn loss_in_unit(
    task: &Task<'_>,
    made: &Made,
    judgement: &Judgement,
    (metrics, _): &Figures,
) -> Option<f64> {
    if made.sums_cells() {
        return made.loss(task, judgement).map(|loss| made.in_unit(task.dataset, loss));
    }
    metrics.get(&task.job.metric_id.replace('-', "_")).copied()
}

/// The classes that somebody is in: rows that are suppressed and stay are none.
pub(crate) fn class_sizes(terms: &Terms, findings: &Findings) -> ClassSizes {
    let mut sizes = judged_sizes(findings);
    let n_starred = starred(terms, findings);
    if let Some(at) = sizes.iter().position(|&size| size == n_starred) {
        sizes.remove(at);
    }
    sizes.into_iter().collect()
}

/// The rows that are in no class: they are not there, or stay as `*`.
pub(crate) fn n_suppressed(terms: &Terms, dataset: &Dataset, findings: &Findings) -> u64 {
    (dataset.n_rows() as u64).saturating_sub(findings.n_rows()) + starred(terms, findings)
}

fn receipt(
    task: &Task<'_>,
    made: &Made,
    judgement: &Judgement,
    (metrics, undefined): Figures,
) -> Receipt {
    let Task { job, dataset, .. } = *task;
    let (terms, findings, candidate) = (&job.terms, judgement.findings(), &made.candidate);
    // Values that were drawn anew or exchanged are in no class.
    let has_classes = candidate.form != Form::Perturbed;
    let disclosure = findings.disclosure().filter(|_| has_classes).map(Into::into);
    let guessing = findings.guessing().iter().map(Into::into);
    let rows_in = dataset.n_rows() as u64;
    let rows_out = findings.n_rows() + judgement.n_blank;
    let sizes = class_sizes(terms, findings);
    Receipt {
        table: dataset.table().name().to_owned(),
        algorithm: made.algorithm.spec().id,
        goal: judgement.goal.clone(),
        transparent: made.transparent,
        rows_in,
        rows_out,
        suppressed: n_suppressed(terms, dataset, findings),
        classes: sizes.n_classes(),
        k: findings.k().unwrap_or(0),
        class_sizes: SizeCount::all(&sizes),
        risk: risk(dataset, candidate.form, findings),
        guessing: guessing.filter(|_| disclosure.is_some()).collect(),
        disclosure,
        columns: columns(&terms.roles, dataset),
        suppression: findings.allowed_suppression().value(),
        form: form(candidate),
        levels: levels(dataset, &candidate.levels),
        loss: None,
        loss_per_cell: None,
        metric: job.metric_id.to_owned(),
        weighted: task.is_weighted(),
        metrics,
        undefined,
        lower_bound: made.lower_bound(dataset),
        bound_per_cell: candidate.lower_bound,
        verified: judgement.keeps(),
        truthful: findings.truth().is_some_and(kohort_verify::Truth::holds),
        warnings: sentences(judgement),
        besides: besides(judgement),
        elimination: None,
        published: None,
        confidential: true,
        seed: job.seed,
        files: Vec::new(),
        notes: Vec::new(),
        seconds: std::collections::BTreeMap::new(),
    }
}

/// The answer when the release that was made does not keep what it was to keep. `n_kept` of its rows are
/// suppressed and stay.
fn rejected(judgement: &Judgement, n_kept: u64) -> No {
    let hint = if n_kept > 0 {
        let rows = count(n_kept, "row that is kept as `*` is", "rows that are kept as `*` are");
        message!(
            "the {rows} a class as well: {} leaves such rows out",
            Setting::Suppressed.to("drop")
        )
    } else {
        let share = judgement.reasons().iter().find_map(|reason| match reason {
            Reason::Suppression { share, .. } => Some(share),
            _ => None,
        });
        let more = match share {
            Some(share) => {
                message!("allow as much with {}", Setting::Suppression.to(rounded_up(*share)))
            }
            None => "allow more suppression".into(),
        };
        message!("try another algorithm, such as {}, or {more}", Setting::Algorithm.to("auto"))
    };
    No {
        problem: "the release that was made does not keep its promise, and nothing was written"
            .into(),
        causes: sentences(judgement),
        hint,
        ..No::default()
    }
}

/// A share, rounded up to a percent.
pub(crate) fn rounded_up(share: Ratio) -> f64 {
    let percents = (u128::from(share.num()) * 100).div_ceil(u128::from(share.den()));
    u32::try_from(percents).map_or(1.0, |percents| f64::from(percents) / 100.0)
}

/// Why a release was rejected.
fn sentences(judgement: &Judgement) -> Vec<String> {
    // Reasons about promises stand in the order of the promises.
    let mut broken = judgement.goal.iter().filter(|goal| goal.violating_classes > 0);
    let told = judgement.reasons().iter().map(|reason| sentence(reason, judgement, &mut broken));
    told.chain(judgement.is_made_up.then(|| MADE_UP.to_owned())).collect()
}

/// Why a method that makes values up keeps no promise.
const MADE_UP: &str = "some of the values shown are made up: what holds for them says nothing \
                       about the true ones";

/// The reasons that are told neither with the promises nor with the comparison with the original.
fn besides(judgement: &Judgement) -> Vec<String> {
    let is_told =
        |reason: &Reason| matches!(reason, Reason::Model { .. } | Reason::Untruthful { .. });
    let reasons = judgement.reasons().iter().zip(sentences(judgement));
    let besides = reasons.filter(|(reason, _)| !is_told(reason)).map(|(_, sentence)| sentence);
    besides.chain(judgement.is_made_up.then(|| MADE_UP.to_owned())).collect()
}

/// That people who are not in a release break a promise.
fn left_out(people: u64, are_uncovered: bool) -> String {
    let who = if are_uncovered {
        format!("{} whom no released row covers", count(people, "person", "people"))
    } else {
        format!("{} not in the release", count(people, "person who is", "people who are"))
    };
    format!(
        "fails for the {who}, taken as a class: anybody who can tell that somebody is missing \
         learns more than was promised"
    )
}

/// What a promise is about, and with which parameters.
fn with(goal: &GoalAnswer) -> String {
    let of = goal.attribute.as_ref().map_or(String::new(), |name| format!(" of `{name}`"));
    format!("{of}{} with {}", goal.in_buckets(), goal.parameters)
}

fn sentence<'a>(
    reason: &Reason,
    judgement: &Judgement,
    broken: &mut impl Iterator<Item = &'a GoalAnswer>,
) -> String {
    let findings = judgement.findings();
    match reason {
        Reason::Identifier { column } => format!("the identifier `{column}` is in the release"),
        Reason::WithoutRole { column } => format!(
            "`{column}` is in the release but has no role in the plan, so nothing is promised about it"
        ),
        Reason::Model { id: "delta-presence", violations } => {
            // It is a promise like the others, in their order.
            broken.next();
            let members = findings.members();
            let people = count(members.map_or(0, |members| members.people), "person", "people");
            let rows = grouped(violations.rows);
            format!("`delta-presence` fails for {rows} of {people} of the public table")
        }
        Reason::Model { id, violations } => {
            let with = broken.next().map_or(String::new(), with);
            let rows = count(violations.rows, "row", "rows");
            let classes = count(violations.classes, "class", "classes");
            // The classes of LKC-privacy are those of every set of few columns.
            let of = if *id == "lkc-privacy" {
                String::new()
            } else {
                format!(" of {}", findings.n_classes())
            };
            let masked = match violations.masked {
                0 => String::new(),
                n => format!("; {} could be filled so that it fails", masked_cells(n)),
            };
            format!("`{id}`{with} fails in {classes}{of}, with {rows}{masked}")
        }
        Reason::LeftOut { id, promise, people, are_uncovered } => {
            let with = judgement.goal.get(*promise).map_or(String::new(), with);
            format!("`{id}`{with} {}", left_out(*people, *are_uncovered))
        }
        Reason::LeftOutUnknown { people } => format!(
            "the values of the {} not in the release are not known, because sensitive cells are masked",
            count(*people, "person", "people")
        ),
        Reason::Suppression { share, allowed } => format!(
            "{} of the rows are missing, but `suppression` is {}",
            percent(share.value()),
            percent(allowed.value())
        ),
        Reason::Nowhere { table, place, column } => format!(
            "{table}, {place}, column `{column}`: neither a value of the original nor a node of the \
             plan's taxonomy nor a range that holds one"
        ),
        Reason::Untruthful { rows } => uncovered(*rows),
        Reason::NoCenter { table, place, column } => format!(
            "{table}, {place}, column `{column}`: not a mean, median or value of the original's column"
        ),
        Reason::NoMeans { column } => {
            format!("column `{column}`: its numbers are not means of the original's")
        }
        Reason::Others { rows } => format!(
            "{} other values than the rows of the original in columns that are not quasi-identifiers",
            count(*rows, "released row has", "released rows have")
        ),
    }
}
