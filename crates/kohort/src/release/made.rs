//! A candidate from a plan and a dataset, in memory: made, shown, judged and measured. Nothing is written.

use std::borrow::Cow;

use kohort_algorithms::{
    Algorithm, Candidate, Failure, Form, Membership, Metric, Problem, SUPPRESSED, Settings,
    Together, anonymize,
};
use kohort_core::{
    Attribute, Cell, Cells, Command, Ctx, Dataset, Message, Public, Ratio, Setting, Table, Told,
    message,
};
use kohort_models::{CellMetric, Measured};

use super::elimination::Elimination;
use super::judge::{
    Judgement, changes_values, check_hidden, is_anatomized, joined, judge, nothing_promised,
    shows_all,
};
use super::method::{algorithm, high, seed, settings, weights};
use super::receipt::{
    Figures, No, figures, form, judged_sizes, left_out, sizes_of, starred, without_starred,
};
use super::rejected;
use super::render::{COUNT, GROUP, Rendered, Shown, render};
use super::rounding::rounding;
use super::unreached::{out_of_reach, told_by_dropping, unfound};
use super::unused::unused;
use crate::goal::{
    Asked, Infeasible, Principle, feasible, feasible_presence, principles, unreached,
};
use crate::load::{refuse_stars, refused};
use crate::permit::Permit;
use crate::plan::{AnatomyName, FormName, Plan, SuppressedName};
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
    /// No class of fewer rows keeps the goal.
    pub(super) smallest: u64,
    /// What a person should know, in sentences without a closing stop.
    pub(super) notes: Vec<Message>,
}

const AUTO_IS_OPTIMAL: &str =
    "`delta-presence` is kept by recoding the whole domain: `auto` is `optimal`";

/// Makes a release that keeps the goal of a plan. The answer is no when the goal cannot be reached.
/// `public` is the public table of the goal, where it names one.
///
/// People who are left out keep the promises about values as a class. Where no such release is found and the
/// plan allows what is unsafe, rows of too frequent values are dropped: the judge finds that, and says so.
pub(crate) fn make(
    plan: &Plan,
    dataset: &Dataset,
    public: Option<&Public>,
    secret: [u8; 32],
    ctx: &Ctx<'_>,
) -> Result<Made, Stop> {
    let settings = settings(plan, dataset, secret)?;
    let drops = settings.suppression > 0 && !settings.keeps_suppressed;
    let may_tell = Settings { dropped_may_tell: true, ..settings.clone() };
    match make_with(plan, dataset, public, settings, ctx) {
        Err(Stop::No(_)) if drops && plan.method.allow_unsafe => {
            make_with(plan, dataset, public, may_tell, ctx)
        }
        made => made,
    }
}

fn make_with(
    plan: &Plan,
    dataset: &Dataset,
    public: Option<&Public>,
    settings: Settings,
    ctx: &Ctx<'_>,
) -> Result<Made, Stop> {
    let algorithm = algorithm(plan)?;
    let sensitive = dataset.sensitive();
    if dataset.quasi().is_empty() {
        return Err(Kind::NothingAsked.into());
    }
    let principles = principles(&plan.goal)?;
    let mut asked = Asked::new(&principles, &sensitive)?;
    if asked.is_empty() {
        return Err(nothing_promised().into());
    }
    check_hidden(&principles)?;
    check_columns(plan, dataset)?;
    refuse_stars(dataset)?;
    if let Some(no) = out_of_form(plan, &principles).filter(|_| algorithm.facts().is_safe) {
        return Err(no.into());
    }
    let mut notes = asked.notes().to_vec();
    notes.extend(unused(plan, dataset, algorithm, settings.metric));
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
        return Err(out_of_reach("no release reaches the goal", infeasible, plan).into());
    }
    let metric = settings.metric;
    notes.extend((membership.is_some() && is_auto(plan)).then(|| AUTO_IS_OPTIMAL.into()));
    let (sizes, population) = (asked.take_sizes(), asked.population().zip(public));
    let problem = Problem::new(dataset, asked.into_promises(&sensitive), settings)
        .with_membership(membership)
        .with_together(Together { sizes: &sizes, population })
        .with_ctx(*ctx);
    let candidate = match anonymize(algorithm, ctx, &problem) {
        Ok(candidate) => candidate,
        Err(Failure::Infeasible { reason }) => {
            let asked = Asked::new(&principles, &sensitive)?;
            let infeasible = not_found(reason, &asked, dataset, membership.as_ref(), rows);
            return Err(unreachable_by(algorithm, infeasible, plan, &problem).into());
        }
        Err(Failure::Error(error)) => return Err(error.into()),
    };
    let candidate = in_form(plan, algorithm, candidate)?;
    let has_buckets = sensitive.iter().any(|attribute| attribute.buckets().is_some());
    if has_buckets && !candidate.sensitive.is_empty() {
        return Err(changes_values(algorithm.spec().id).into());
    }
    notes.extend(candidate.notes.iter().cloned().map(Message::from));
    notes.extend(rounding(shown_as_ranges(dataset, &candidate)));
    let smallest = problem.promises().smallest();
    let n_suppressed = n_suppressed(&candidate);
    Ok(Made { algorithm, candidate, n_suppressed, metric, smallest, notes })
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
fn unreachable_by(
    algorithm: &dyn Algorithm,
    infeasible: Infeasible,
    plan: &Plan,
    problem: &Problem<'_>,
) -> No {
    let id = algorithm.spec().id;
    let no_release = format!("`{id}` finds no release that reaches the goal");
    let mut no = out_of_reach(&no_release, infeasible, plan);
    if !problem.promises().is_monotone() && !is_auto(plan) {
        // What the table as one class does not keep, its classes may.
        no.hint = message!("try {}, {}", Setting::Algorithm.to("auto"), no.hint);
    }
    no
}

/// The answer to a goal that no anatomized release keeps.
fn out_of_form(plan: &Plan, principles: &[Principle]) -> Option<No> {
    let is_of_rows = |asked: &&Principle| asked.hides_rows() || asked.is_of_all_classes();
    let unkept = principles.iter().filter(|_| is_anatomized(plan)).find(is_of_rows)?;
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
fn check_columns(plan: &Plan, dataset: &Dataset) -> Result<(), Error> {
    if plan.method.form == Some(FormName::Anatomized) && dataset.sensitive().is_empty() {
        return Err(refused(
            "`form` is `anatomized`, but no column is sensitive: nothing would be hidden",
            message!("name the sensitive columns with {}", Setting::Sensitive),
        ));
    }
    let is_taken = |name: &&&str| is_anatomized(plan) && dataset.table().column(name).is_ok();
    let Some(name) = [GROUP, COUNT].iter().find(is_taken) else { return Ok(()) };
    Err(refused(
        format!("an anatomized release has a column `{name}` of its own, and the table has one"),
        "rename the column of the table, or choose another algorithm",
    ))
}

/// The candidate in the form that the plan asks for.
fn in_form(
    plan: &Plan,
    algorithm: &dyn Algorithm,
    candidate: Candidate,
) -> Result<Candidate, Error> {
    let id = algorithm.spec().id;
    match (plan.method.form, candidate.form) {
        (None, _)
        | (Some(FormName::Generalized), Form::Generalized)
        | (Some(FormName::Anatomized), Form::Anatomized) => Ok(candidate),
        (Some(FormName::Anatomized), Form::Generalized) if algorithm.facts().is_safe => {
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

/// Whether a plan leaves the choice of the algorithm to us.
pub(super) fn is_auto(plan: &Plan) -> bool {
    plan.method.algorithm.as_deref().is_none_or(|id| id == "auto")
}

impl Made {
    /// The release as tables, for files of a format that tells so much of a value besides its text.
    pub(crate) fn rendered(&self, plan: &Plan, dataset: &Dataset, told: Told) -> Rendered {
        Self::shown(plan, dataset, Cow::Borrowed(&self.candidate), told)
    }

    /// The same, and gives back what was made where the judge finds it in the file.
    pub(super) fn rendered_at_last(
        &mut self,
        plan: &Plan,
        dataset: &Dataset,
        told: Told,
    ) -> Rendered {
        if !self.is_compared() {
            return self.rendered(plan, dataset, told);
        }
        let Candidate { form, lower_bound, .. } = self.candidate;
        let levels = std::mem::take(&mut self.candidate.levels);
        let empty = Candidate::new(Vec::new(), Cells::default());
        let left = Candidate { form, lower_bound, levels, ..empty };
        let made = std::mem::replace(&mut self.candidate, left);
        Self::shown(plan, dataset, Cow::Owned(made), told)
    }

    fn shown(
        plan: &Plan,
        dataset: &Dataset,
        candidate: Cow<'_, Candidate>,
        told: Told,
    ) -> Rendered {
        let shown = Shown {
            left_out: &left_out(plan, dataset),
            suppressed: plan.output.suppressed.unwrap_or(SuppressedName::Drop),
            one_file: plan.output.anatomy == Some(AnatomyName::OneFile),
            told,
            seed: seed(plan),
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
        plan: &Plan,
        (dataset, public): (&Dataset, Option<&Public>),
        release: &Table,
        rows: &[u32],
    ) -> Result<(Judgement, Permit), Stop> {
        let against = self.is_compared().then_some((dataset, Some(rows)));
        let judgement = judge(plan, release, public, against)?;
        let permit = match &judgement.verdict {
            Ok(verified) => Some(Permit::of_table(verified)),
            Err(rejected) => {
                let is_safe = self.algorithm.facts().is_safe;
                let may_be = !is_safe || judgement.is_unsafe_by_who_is_left_out();
                Permit::of_unsafe_table(rejected, plan).filter(|_| may_be)
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
        plan: &Plan,
        dataset: &Dataset,
        release: &Table,
        rows: &[u32],
    ) -> Option<Elimination> {
        let is_split = self.candidate.form == Form::Generalized && !self.algorithm.facts().is_safe;
        let high = high(plan, dataset).filter(|_| is_split)?;
        Some(Elimination::new(release, rows, dataset, &high))
    }

    /// What the release costs, by every metric.
    pub(crate) fn figures(&self, plan: &Plan, dataset: &Dataset, judgement: &Judgement) -> Figures {
        self.measured(plan, dataset, judgement, figures).unwrap_or_default()
    }

    /// The loss that was to be kept small, per cell; none where the metric is no sum over cells.
    pub(super) fn loss(
        &self,
        plan: &Plan,
        dataset: &Dataset,
        judgement: &Judgement,
    ) -> Option<f64> {
        let Metric::Cells(metric) = self.metric else { return None };
        self.measured(plan, dataset, judgement, |measured| measured.loss(metric).ok())?
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
        plan: &Plan,
        dataset: &Dataset,
        judgement: &Judgement,
        measure: impl FnOnce(&Measured<'_>) -> T,
    ) -> Option<T> {
        let Self { candidate, smallest: k, .. } = self;
        if candidate.form == Form::Perturbed {
            return None;
        }
        let (quasi, weights) = (dataset.quasi(), &weights(plan, dataset)[..]);
        let n_rows = dataset.n_rows() as u64;
        let findings = judgement.findings();
        let of_candidate = sizes_of(&candidate.group_of_row, &candidate.cells);
        let truth = findings.truth();
        let (cells, sizes) = match truth {
            Some(truth) => (truth.cells(), truth.sizes()),
            None => (&candidate.cells, &of_candidate[..]),
        };
        let n_starred = starred(plan, findings);
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
