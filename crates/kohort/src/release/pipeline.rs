//! A candidate from a plan and a dataset, in memory: made, shown, judged and measured. Nothing is written.

use std::borrow::Cow;

use kohort_algorithms::{
    Algorithm, Candidate, Failure, Form, Membership, Metric, Problem, SUPPRESSED, Settings,
    Together, anonymize,
};
use kohort_core::{
    Attribute, Cell, Cells, Command, Ctx, Dataset, Message, Ratio, Setting, Table, Told, message,
};
use kohort_models::{CellMetric, Measured};

use super::elimination::elimination;
use super::judge::{
    Judgement, changes_values, check_hidden, joined, judge, nothing_promised, shows_all,
};
use super::receipt::{figures, form, judged_sizes, left_out, sizes_of, starred, without_starred};
use super::render::{COUNT, GROUP, Rendered, Shown, render};
use super::rounding::rounding;
use super::unreached::{out_of_reach, told_by_dropping, unfound};
use super::unused::unused;
use super::{Elimination, Figures, rejected};
use crate::error::No;
use crate::error::refused;
use crate::goal::{Asked, Infeasible, Principle, feasible, feasible_presence, unreached};
use crate::job::{Job, Task, Terms};
use crate::load::refuse_stars;
use crate::permit::Permit;
use crate::plan::{AnatomyName, FormName};
use crate::{Error, Kind, Stop};

/// A release that was made and that nobody has judged.
pub(crate) struct Made {
    /// How it was made.
    pub(crate) algorithm: &'static dyn Algorithm,
    /// What was made.
    pub(crate) candidate: Candidate,
    /// The rows in no class.
    pub(crate) n_suppressed: u64,
    /// The loss that was to be kept small.
    pub(super) metric: Metric,
    /// Whether promises about sensitive values are made against an adversary who knows the method; none where
    /// there are no such promises.
    pub(crate) transparent: Option<bool>,
    /// No class of fewer rows keeps the goal.
    pub(super) smallest: u64,
    /// What a person should know, in sentences without a closing stop.
    pub(super) notes: Vec<Message>,
}

const AUTO_IS_OPTIMAL: &str =
    "`delta-presence` is kept by recoding the whole domain: `auto` is `optimal`";

const DROPS_NOBODY: &str = "the transparent mode drops no row: `suppression` is not used";

/// Makes a release that keeps the goal of a plan. The answer is no when the goal cannot be reached.
///
/// People who are left out keep the promises about values as a class. Where no such release is found and the
/// plan allows what is unsafe, rows of too frequent values are dropped: the judge finds that, and says so.
pub(crate) fn make(task: &Task<'_>, ctx: &Ctx<'_>) -> Result<Made, Stop> {
    let settings = task.settings.clone();
    let drops = settings.suppression > 0 && !settings.keeps_suppressed;
    // A transparent release drops nobody.
    let transparent = task.job.terms.transparent == Some(true);
    let may_tell = Settings { dropped_may_tell: true, transparent, ..settings.clone() };
    match make_with(task, settings, ctx) {
        Err(Stop::No(_)) if drops && task.job.terms.allow_unsafe.is_given() => {
            make_with(task, may_tell, ctx)
        }
        made => made,
    }
}

fn make_with(task: &Task<'_>, settings: Settings, ctx: &Ctx<'_>) -> Result<Made, Stop> {
    let Task { job, dataset, public, .. } = *task;
    let (terms, algorithm) = (&job.terms, job.algorithm);
    let sensitive = dataset.sensitive();
    if dataset.quasi().is_empty() {
        return Err(Kind::NothingAsked.into());
    }
    let principles = &terms.principles[..];
    let mut asked = Asked::new(principles, &sensitive)?;
    if asked.is_empty() {
        return Err(nothing_promised().into());
    }
    check_hidden(principles)?;
    check_columns(job, dataset)?;
    refuse_stars(dataset)?;
    if let Some(no) = out_of_form(terms).filter(|_| algorithm.facts().is_safe) {
        return Err(no.into());
    }
    let is_about_values = asked.models().iter().any(|model| model.needs_values());
    let transparent = is_about_values.then_some(settings.transparent);
    let mut notes = asked.notes().to_vec();
    notes.extend(unused(job, dataset).into_iter().chain(of_mode(job, &settings, transparent)));
    let n_rows = dataset.n_rows() as u64;
    let membership = asked.presence().zip(public);
    let membership = membership.map(|((_, model), public)| Membership { model: *model, public });
    // Rows that are kept as `*` are in the table as well, and members.
    let rows = Droppable {
        allowed: if settings.keeps_suppressed { 0 } else { settings.suppression },
        may_tell: settings.dropped_may_tell,
    };
    let reachable = feasible(&asked, &sensitive, n_rows, rows.until_it_is_kept()).and_then(|()| {
        let Some(Membership { model, public, .. }) = &membership else { return Ok(()) };
        feasible_presence(model, public.n_people() as u64, n_rows, rows.allowed)
    });
    if let Err(infeasible) = reachable {
        let infeasible = told_by_dropping(infeasible, rows.may_tell);
        return Err(out_of_reach("no release reaches the goal", infeasible, terms).into());
    }
    let metric = settings.metric;
    notes.extend((membership.is_some() && job.is_auto).then(|| AUTO_IS_OPTIMAL.into()));
    let (sizes, population) = (asked.take_sizes(), asked.population().zip(public));
    let problem = Problem::new(dataset, asked.into_promises(&sensitive), settings)
        .with_membership(membership)
        .with_together(Together { sizes: &sizes, population });
    let candidate = match anonymize(algorithm, ctx, &problem) {
        Ok(candidate) => candidate,
        Err(Failure::Infeasible { reason }) => {
            let asked = Asked::new(principles, &sensitive)?;
            let infeasible = not_found(reason, &asked, dataset, membership.as_ref(), rows);
            return Err(unreachable_by(job, infeasible, &problem).into());
        }
        Err(Failure::Error(error)) => return Err(error.into()),
    };
    let candidate = in_form(job, candidate)?;
    check_buckets(algorithm, &sensitive, &candidate)?;
    notes.extend(candidate.notes.iter().cloned().map(Message::from));
    notes.extend(rounding(shown_as_ranges(dataset, &candidate)));
    let smallest = problem.promises().smallest();
    let n_suppressed = n_suppressed(&candidate);
    Ok(Made { algorithm, candidate, n_suppressed, metric, transparent, smallest, notes })
}

/// Refuses buckets of values that the method does not publish as they are.
fn check_buckets(
    algorithm: &dyn Algorithm,
    sensitive: &[&Attribute],
    candidate: &Candidate,
) -> Result<(), Error> {
    let has_buckets = sensitive.iter().any(|attribute| attribute.buckets().is_some());
    if has_buckets && !candidate.sensitive.is_empty() {
        return Err(changes_values(algorithm.spec().id));
    }
    Ok(())
}

/// What is to be known of how promises about sensitive values are kept, where there are any.
fn of_mode(job: &Job, settings: &Settings, transparent: Option<bool>) -> Vec<Message> {
    let is_judged = transparent.is_some() && job.algorithm.facts().is_safe;
    let note = job.mode().note().filter(|_| is_judged);
    let is_unused = transparent == Some(true) && settings.suppression > 0;
    note.into_iter().chain(is_unused.then(|| DROPS_NOBODY.into())).collect()
}

/// The quasi-identifiers that a candidate shows ranges of.
fn shown_as_ranges<'a>(
    dataset: &'a Dataset,
    candidate: &Candidate,
) -> impl Iterator<Item = &'a Attribute> {
    let is_range = |cell: &Cell| matches!(cell, Cell::Rounded { .. });
    let is_shown: Vec<bool> = (candidate.cells.columns().iter())
        .map(|column| candidate.form == Form::Generalized && column.distinct().iter().any(is_range))
        .collect();
    let shown = dataset.quasi().into_iter().zip(is_shown).filter(|(_, is_shown)| *is_shown);
    shown.map(|(attribute, _)| attribute).collect::<Vec<_>>().into_iter()
}

/// How many rows may be dropped, and whether who is dropped may tell something.
#[derive(Clone, Copy)]
struct Droppable {
    allowed: u64,
    may_tell: bool,
}

impl Droppable {
    /// How many may be dropped until the others keep the goal: what the whole table does not keep, the
    /// people who are left out do not keep either.
    fn until_it_is_kept(self) -> u64 {
        if self.may_tell { self.allowed } else { 0 }
    }
}

/// Why a method found no release.
fn not_found(
    reason: String,
    asked: &Asked,
    dataset: &Dataset,
    membership: Option<&Membership<'_>>,
    rows: Droppable,
) -> Infeasible {
    let n_rows = dataset.n_rows() as u64;
    unreached(asked, &dataset.sensitive(), n_rows, rows.until_it_is_kept()).map_or_else(
        || unfound(reason, asked, dataset, membership, rows.allowed),
        |infeasible| told_by_dropping(infeasible, rows.may_tell),
    )
}

fn n_suppressed(candidate: &Candidate) -> u64 {
    let is_suppressed = |group: &&u32| **group == SUPPRESSED;
    candidate.group_of_row.iter().filter(is_suppressed).count() as u64
}

/// The answer where an algorithm finds no release.
fn unreachable_by(job: &Job, infeasible: Infeasible, problem: &Problem<'_>) -> No {
    let id = job.algorithm.spec().id;
    let no_release = format!("`{id}` finds no release that reaches the goal");
    let mut no = out_of_reach(&no_release, infeasible, &job.terms);
    if !problem.promises().is_monotone() && !job.is_auto {
        // What the table as one class does not keep, its classes may.
        no.hint = message!("try {}, {}", Setting::Algorithm.to("auto"), no.hint);
    }
    if problem.settings().transparent && problem.promises().needs_values() {
        no.hint = or_opaque(&no.hint);
    }
    no
}

/// What to do where there is no transparent release.
pub(crate) fn or_opaque(hint: &Message) -> Message {
    message!(
        "with {} there may be one, whose promises do not hold against an adversary who runs the method again; \
         or {}",
        Setting::Transparent.to("no"),
        hint.clone()
    )
}

/// The answer to a goal that no anatomized release keeps.
fn out_of_form(terms: &Terms) -> Option<No> {
    let is_of_rows = |asked: &&Principle| asked.hides_rows() || asked.is_of_all_classes();
    let mut asked = terms.principles.iter().filter(|_| terms.is_anatomized);
    let unkept = asked.find(is_of_rows)?;
    Some(No {
        problem: "no anatomized release reaches the goal".to_owned(),
        causes: vec![shows_all(unkept)],
        hint: message!(
            "ask for a diversity alone ({} makes groups of five and more), or let the quasi-identifiers be \
             generalized",
            Setting::FrequencyL.to(5)
        ),
        promise: Some(unkept.id()),
        ..No::default()
    })
}

/// Refuses to set nothing apart, and a table with a column that an anatomized release has for itself.
fn check_columns(job: &Job, dataset: &Dataset) -> Result<(), Error> {
    if job.form == Some(FormName::Anatomized) && dataset.sensitive().is_empty() {
        return Err(refused(
            "`form` is `anatomized`, but no column is sensitive: nothing would be hidden",
            message!("name the sensitive columns with {}", Setting::Sensitive),
        ));
    }
    let is_taken = |name: &&&str| job.terms.is_anatomized && dataset.table().column(name).is_ok();
    let Some(name) = [GROUP, COUNT].iter().find(is_taken) else { return Ok(()) };
    Err(refused(
        format!("an anatomized release has a column `{name}` of its own, and the table has one"),
        "rename the column of the table, or choose another algorithm",
    ))
}

/// The candidate in the form that the plan asks for.
fn in_form(job: &Job, candidate: Candidate) -> Result<Candidate, Error> {
    let id = job.algorithm.spec().id;
    match (job.form, candidate.form) {
        (None, _)
        | (Some(FormName::Generalized), Form::Generalized)
        | (Some(FormName::Anatomized), Form::Anatomized) => Ok(candidate),
        (Some(FormName::Anatomized), Form::Generalized) if job.algorithm.facts().is_safe => {
            Ok(candidate.anatomized())
        }
        (Some(asked), _) => {
            let asked = if asked == FormName::Generalized { "generalized" } else { "anatomized" };
            let found = form(&candidate);
            Err(refused(
                format!("`form` is `{asked}`, but a release of `{id}` is {found}"),
                message!(
                    "leave `form` out, or choose another algorithm: {}",
                    Command::ListAlgorithms
                ),
            ))
        }
    }
}

impl Made {
    /// The release as tables, for files of a format that tells so much of a value besides its text.
    pub(crate) fn rendered(&self, task: &Task<'_>, told: Told) -> Rendered {
        Self::shown(task, Cow::Borrowed(&self.candidate), told)
    }

    /// The same, and gives back what was made where the judge finds it in the file.
    pub(super) fn rendered_at_last(&mut self, task: &Task<'_>, told: Told) -> Rendered {
        if !self.is_compared() {
            return self.rendered(task, told);
        }
        let Candidate { form, lower_bound, .. } = self.candidate;
        let levels = std::mem::take(&mut self.candidate.levels);
        let empty = Candidate::new(Vec::new(), Cells::default());
        let left = Candidate { form, lower_bound, levels, ..empty };
        let made = std::mem::replace(&mut self.candidate, left);
        Self::shown(task, Cow::Owned(made), told)
    }

    fn shown(task: &Task<'_>, candidate: Cow<'_, Candidate>, told: Told) -> Rendered {
        let Task { job, dataset, .. } = *task;
        let shown = Shown {
            left_out: &left_out(&job.terms.roles, dataset),
            suppressed: job.terms.suppressed,
            one_file: job.anatomy == Some(AnatomyName::OneFile),
            told,
            seed: job.seed,
        };
        render(dataset, candidate, shown)
    }

    /// Whether the judge compares the release with the original. Quasi-identifiers that are published as
    /// they are can be compared whatever else is made up.
    fn is_compared(&self) -> bool {
        let facts = self.algorithm.facts();
        facts.is_truthful || facts.is_anatomized
    }

    /// What the judge says about the release, as it was read; `rows` says which row of the original each
    /// of its rows is, with the permit to publish it. The answer is no when a method that keeps its promise did not.
    pub(crate) fn judged(
        &self,
        task: &Task<'_>,
        release: &Table,
        rows: &[u32],
    ) -> Result<(Judgement, Permit), Stop> {
        let Task { job, dataset, public, .. } = *task;
        let against = self.is_compared().then_some((dataset, Some(rows)));
        let judgement = judge(&job.terms, release, public, against)?;
        let permit = match &judgement.verdict {
            Ok(verified) => Some(Permit::of_table(verified)),
            Err(rejected) => {
                let is_safe = self.algorithm.facts().is_safe;
                let may_be = !is_safe || judgement.is_unsafe_by_who_is_left_out();
                Permit::of_unsafe_table(rejected, job.terms.allow_unsafe).filter(|_| may_be)
            }
        };
        if let Some(permit) = permit {
            return Ok((judgement, permit));
        }
        let n_dropped = dataset.n_rows() - rows.len();
        let n_left_out = n_dropped as u64 + judgement.n_blank;
        let n_kept = self.n_suppressed.saturating_sub(n_left_out);
        Err(rejected(&judgement, n_kept).into())
    }

    /// Who is found out by who is not there, where the method does not keep the goal for everybody.
    pub(super) fn elimination(
        &self,
        task: &Task<'_>,
        release: &Table,
        rows: &[u32],
    ) -> Option<Elimination> {
        let is_split = self.candidate.form == Form::Generalized && !self.algorithm.facts().is_safe;
        let high = task.settings.high.as_ref().filter(|_| is_split)?;
        Some(elimination(release, rows, task.dataset, high))
    }

    /// What the release costs, by every metric.
    pub(crate) fn figures(&self, task: &Task<'_>, judgement: &Judgement) -> Figures {
        self.measured(task, judgement, figures).unwrap_or_default()
    }

    /// The loss that was to be kept small, per cell; none where the metric is no sum over cells.
    pub(super) fn loss(&self, task: &Task<'_>, judgement: &Judgement) -> Option<f64> {
        let Metric::Cells(metric) = self.metric else { return None };
        self.measured(task, judgement, |measured| measured.loss(metric).ok())?
    }

    /// Whether the metric asked for is a sum over cells.
    pub(super) fn sums_cells(&self) -> bool {
        matches!(self.metric, Metric::Cells(_))
    }

    /// The least that a release can lose in the metric asked for.
    pub(crate) fn lower_bound(&self, dataset: &Dataset) -> Option<f64> {
        self.candidate.lower_bound.map(|bound| self.in_unit(dataset, bound))
    }

    /// A loss per cell in the unit of the metric: some are sums over cells, not means.
    pub(super) fn in_unit(&self, dataset: &Dataset, per_cell: f64) -> f64 {
        let n_cells = Ratio::whole((dataset.n_rows() * dataset.quasi().len()) as u64).value();
        match self.metric {
            Metric::Cells(CellMetric::Byun | CellMetric::Whd | CellMetric::WhdBeta) => {
                per_cell * n_cells
            }
            _ => per_cell,
        }
    }

    /// Measures the release, from what the judge read; from its groups where nothing covers the
    /// original; not at all where it has no groups.
    fn measured<T>(
        &self,
        task: &Task<'_>,
        judgement: &Judgement,
        measure: impl FnOnce(&Measured<'_>) -> T,
    ) -> Option<T> {
        let Self { candidate, smallest: k, .. } = self;
        if candidate.form == Form::Perturbed {
            return None;
        }
        let Task { job, dataset, settings, .. } = task;
        let (quasi, weights) = (dataset.quasi(), &settings.weights[..]);
        let n_rows = dataset.n_rows() as u64;
        let findings = judgement.findings();
        let of_candidate = sizes_of(&candidate.group_of_row, &candidate.cells);
        let truth = findings.truth();
        let (cells, sizes) = match truth {
            Some(truth) => (truth.cells(), truth.sizes()),
            None => (&candidate.cells, &of_candidate[..]),
        };
        let n_starred = starred(&job.terms, findings);
        let (cells, sizes) = without_starred(cells, sizes, n_starred);
        let n_suppressed = n_rows.saturating_sub(findings.n_rows()) + n_starred;
        // Where cells are not what is shown, classes are what the judge saw alike.
        let judged = judged_sizes(findings);
        let is_judged = candidate.form == Form::Anatomized || truth.is_none();
        let groups = if is_judged { &judged[..] } else { &sizes[..] };
        let (quasi, k, cells, sizes) = (&quasi, *k, &*cells, &sizes[..]);
        Some(measure(&Measured { quasi, weights, n_rows, cells, sizes, groups, n_suppressed, k }))
    }
}

impl Rendered {
    /// The release as somebody would read it, without a file: its texts alone.
    pub(crate) fn as_read(&self) -> Result<Table, Error> {
        let table = self.table.as_read();
        match &self.values {
            Some(values) => joined(&table, &values.as_read()),
            None => Ok(table),
        }
    }
}
