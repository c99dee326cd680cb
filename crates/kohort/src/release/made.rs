//! A candidate from a plan and a dataset, in memory: made, shown, judged and measured. Nothing is written.

use std::path::Path;

use kohort_algorithms::{Algorithm, Candidate, Failure, Form, Metric, Problem};
use kohort_core::{Codes, Column, Ctx, Dataset, Dictionary, Table};
use kohort_models::Measured;
use kohort_verify::Against;

use super::elimination::Elimination;
use super::judge::{Judgement, joined, judge, nothing_promised};
use super::method::{algorithm, high, seed, settings, weights};
use super::receipt::{Figures, No, figures, left_out, sizes_of};
use super::render::{Rendered, Shown, render};
use super::{n_suppressed, rejected};
use crate::goal::{Asked, feasible, principles};
use crate::plan::{AnatomyName, Plan, SuppressedName};
use crate::{Error, Kind};

/// A release that was made and that nobody has judged.
pub(crate) struct Made {
    /// How it was made.
    pub(crate) algorithm: &'static dyn Algorithm,
    /// What was made.
    pub(crate) candidate: Candidate,
    /// The loss that was to be kept small.
    metric: Metric,
    /// No class of fewer rows keeps the goal.
    pub(super) smallest: u64,
    /// What a person should know, in sentences without a closing stop.
    pub(super) notes: Vec<String>,
}

/// Makes a release that keeps the goal of a plan. The answer is no when the goal cannot be reached.
pub(crate) fn make(
    plan: &Plan,
    dataset: &Dataset,
    secret: [u8; 32],
    ctx: &Ctx<'_>,
) -> Result<Result<Made, No>, Error> {
    let algorithm = algorithm(plan)?;
    let settings = settings(plan, dataset, secret)?;
    let sensitive = dataset.sensitive();
    if dataset.quasi().is_empty() {
        return Err(Kind::NothingAsked.into());
    }
    let asked = Asked::new(&principles(&plan.goal)?, &sensitive)?;
    if asked.models().is_empty() && asked.presence().is_empty() {
        return Err(nothing_promised());
    }
    let mut notes = asked.notes().to_vec();
    let n_rows = dataset.n_rows() as u64;
    if let Err(infeasible) = feasible(&asked, &sensitive, n_rows, settings.suppression) {
        let causes = infeasible.nearest.into_iter().collect();
        return Ok(Err(out_of_reach("no release reaches the goal", infeasible.reason, causes)));
    }
    let metric = settings.metric;
    let problem = Problem::new(dataset, asked.into_promises(&sensitive)?, settings);
    let candidate = match algorithm.anonymize(ctx, &problem) {
        Ok(candidate) => candidate,
        Err(Failure::Infeasible { reason }) => {
            let id = algorithm.spec().id;
            let problem = format!("`{id}` finds no release that reaches the goal");
            return Ok(Err(out_of_reach(&problem, reason, Vec::new())));
        }
        Err(Failure::Error(error)) => return Err(error.into()),
    };
    notes.extend(candidate.notes.iter().cloned());
    let smallest = problem.promises().smallest();
    Ok(Ok(Made { algorithm, candidate, metric, smallest, notes }))
}

fn out_of_reach(problem: &str, reason: String, more: Vec<String>) -> No {
    let hint =
        "ask for less, allow more suppression with `--suppression 0.02`, or see what the table \
                has: `kohort diagnose`"
            .to_owned();
    let causes = std::iter::once(reason).chain(more).collect();
    No { problem: problem.to_owned(), causes, hint }
}

impl Made {
    /// The release as tables.
    pub(crate) fn rendered(&self, plan: &Plan, dataset: &Dataset) -> Rendered {
        let shown = Shown {
            left_out: &left_out(plan, dataset),
            keeps_suppressed: plan.output.suppressed == Some(SuppressedName::Keep),
            one_file: plan.output.anatomy == Some(AnatomyName::OneFile),
            seed: seed(plan),
        };
        render(dataset, &self.candidate, shown)
    }

    /// What the judge says about the release, as it was read; `rows` says which row of the original each
    /// of its rows is. The answer is no when a method that keeps its promise did not.
    pub(crate) fn judged(
        &self,
        (plan, base): (&Plan, &Path),
        dataset: &Dataset,
        release: &Table,
        rows: &[u32],
    ) -> Result<Result<Judgement, No>, Error> {
        let facts = self.algorithm.facts();
        let against = Against { original: dataset, certificate: Some(rows) };
        // Quasi-identifiers that are published as they are can be compared whatever else is made up.
        let is_compared = facts.is_truthful || facts.is_anatomized;
        let judgement = judge(plan, base, release, is_compared.then_some(against))?;
        let is_rejected = judgement.verdict.is_err() && facts.is_safe;
        let n_dropped = dataset.n_rows() - rows.len();
        let n_kept = n_suppressed(&self.candidate).saturating_sub(n_dropped as u64);
        Ok(if is_rejected { Err(rejected(&judgement, n_kept)) } else { Ok(judgement) })
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
        let n_suppressed = n_rows.saturating_sub(judgement.findings().n_rows());
        let groups = sizes_of(&candidate.group_of_row, &candidate.cells, quasi.len());
        let (cells, sizes) = match judgement.findings().truth() {
            Some(truth) => (truth.cells(), truth.sizes()),
            None => (&candidate.cells[..], &groups[..]),
        };
        let quasi = &quasi;
        Some(measure(&Measured { quasi, weights, n_rows, cells, sizes, n_suppressed, k: *k }))
    }
}

impl Rendered {
    /// The release as somebody would read it, without a file.
    pub(crate) fn as_read(&self) -> Result<Table, Error> {
        let table = as_read(&self.table);
        match &self.values {
            Some(values) => joined(&table, &as_read(values)),
            None => Ok(table),
        }
    }
}

/// A table that knows the texts of its own rows only, as a reader would.
fn as_read(table: &Table) -> Table {
    let missing = table.missing();
    let columns = table.columns().iter().map(|column| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        let mut known: Vec<Option<u32>> = vec![None; column.dictionary().len() as usize];
        for (line, entry) in (2..).zip(column.codes().iter()) {
            let code = *known[entry as usize].get_or_insert_with(|| {
                let text = column.dictionary().get(entry).as_bytes();
                dictionary.intern(text, line).expect("a text of a table is a text of a table")
            });
            codes.push(code);
        }
        Column::new(column.name().to_owned(), dictionary, codes, missing)
    });
    Table::new(table.name().to_owned(), columns.collect(), true, missing.clone())
}
