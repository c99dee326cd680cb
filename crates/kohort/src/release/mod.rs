//! From a plan to a release: made, written beside its target, read back, judged, and only then there.

mod center;
mod elimination;
mod judge;
mod method;
mod order;
mod perturbed;
mod receipt;
mod render;
mod text;

use std::path::{Path, PathBuf};

use kohort_algorithms::{Candidate, Failure, Form, Metric, Problem, SUPPRESSED, Settings};
use kohort_core::{Ctx, Dataset, Role, Table};
use kohort_io::{Format, Options, Staged, commit_all, read_table, write_table};
use kohort_models::Measured;
use kohort_verify::{Against, Reason};

pub use self::elimination::Elimination;
use self::judge::{Judgement, is_truthful, joined, judge, names, nothing_promised, suppression};
use self::method::{algorithm, metric_id, seed, settings, weights};
pub use self::receipt::{Columns, Compared, No, Receipt, RiskChange, Verdict};
use self::receipt::{Figures, figures, form, left_out, sizes_of};
use self::render::{GROUP, Rendered, Shown, render};
pub use self::text::{receipt_text, verdict_text};
use crate::diagnose::{SizeCount, count, percent};
use crate::goal::{Asked, feasible, principles};
use crate::load::refused;
use crate::plan::{AnatomyName, Plan, SuppressedName};
use crate::{Error, Kind};

/// What is asked for: a plan, the folder its paths are relative to, and where the release goes.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The folder its paths are relative to.
    pub base: &'a Path,
    /// The release.
    pub target: &'a Path,
    /// Where what hides something is drawn from: from the system, and written nowhere.
    pub secret: [u8; 32],
}

/// The file of the sensitive values of an anatomized release: `release.csv` has them in
/// `release.sensitive.csv`.
pub fn values_file(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = name.split_once('.').unwrap_or((&name, "csv"));
    target.with_file_name(format!("{stem}.sensitive.{extension}"))
}

/// Makes a release that keeps the goal of a plan, verifies the bytes written, and puts it in place.
/// `step` is told when a step begins. The answer is no when the goal cannot be reached or the release
/// that was made does not keep it: then nothing is written.
pub fn anonymize(
    order: Order<'_>,
    dataset: &Dataset,
    ctx: &Ctx<'_>,
    step: &dyn Fn(&'static str),
) -> Result<Result<Receipt, No>, Error> {
    let Order { plan, base, target, secret } = order;
    let algorithm = algorithm(plan)?;
    let format = Format::of(target)?;
    let settings = settings(plan, dataset, secret)?;
    let (quasi, sensitive) = (dataset.quasi(), dataset.sensitive());
    if quasi.is_empty() {
        return Err(Kind::NothingAsked.into());
    }
    let asked = Asked::new(&principles(&plan.goal)?, &sensitive)?;
    if asked.models().is_empty() && asked.presence().is_empty() {
        return Err(nothing_promised());
    }
    // A place that cannot be written is found before the work.
    drop(Staged::write(target, &mut |_| Ok(()))?);
    let mut notes = asked.notes().to_vec();
    let n_rows = dataset.n_rows() as u64;
    if let Err(infeasible) = feasible(&asked, &sensitive, n_rows, settings.suppression) {
        let causes = infeasible.nearest.into_iter().collect();
        return Ok(Err(no("no release reaches the goal", infeasible.reason, causes)));
    }
    step("anonymize");
    let problem = Problem::new(dataset, asked.into_promises(&sensitive)?, settings);
    let candidate = match algorithm.anonymize(ctx, &problem) {
        Ok(candidate) => candidate,
        Err(Failure::Infeasible { reason }) => {
            let problem =
                format!("`{}` finds no release that reaches the goal", algorithm.spec().id);
            return Ok(Err(no(&problem, reason, Vec::new())));
        }
        Err(Failure::Error(error)) => return Err(error.into()),
    };
    notes.extend(candidate.notes.iter().cloned());
    step("write");
    let rendered = render(dataset, &candidate, shown(plan, &left_out(plan, dataset)));
    let staged = stage(target, format, &rendered)?;
    step("verify");
    let release = read_back(&staged, dataset)?;
    let is_truthful = algorithm.facts().is_truthful;
    let certificate = Some(&rendered.rows[..]);
    let against = is_truthful.then_some(Against { original: dataset, certificate });
    let judgement = judge(plan, base, &release, against)?;
    let is_safe = algorithm.facts().is_safe;
    if judgement.verdict.is_err() && is_safe {
        return Ok(Err(rejected(&judgement, n_suppressed(&candidate), n_rows)));
    }
    step("measure");
    let measured = measure(&problem, &candidate, &judgement);
    commit_all(staged)?;
    notes.extend(
        judgement.notes.iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>(),
    );
    let mut receipt = Receipt {
        notes,
        ..receipt(order, algorithm.spec().id, dataset, &candidate, &judgement, measured)
    };
    let high = problem.settings().high.as_ref().filter(|_| !is_safe);
    receipt.elimination = high.map(|h| Elimination::new(&release, &rendered.rows, dataset, h));
    receipt.warnings.extend(receipt.elimination.as_ref().map(ToString::to_string));
    Ok(Ok(receipt))
}

fn no(problem: &str, reason: String, more: Vec<String>) -> No {
    let hint =
        "ask for less, allow more suppression with `--suppression 0.02`, or see what the table \
                has: `kohort diagnose`"
            .to_owned();
    let causes = std::iter::once(reason).chain(more).collect();
    No { problem: problem.to_owned(), causes, hint }
}

/// How the release of a plan is shown.
fn shown<'a>(plan: &Plan, left_out: &'a [String]) -> Shown<'a> {
    Shown {
        left_out,
        keeps_suppressed: plan.output.suppressed == Some(SuppressedName::Keep),
        one_file: plan.output.anatomy == Some(AnatomyName::OneFile),
        seed: seed(plan),
    }
}

/// Writes the files of a release beside their targets.
fn stage(target: &Path, format: Format, rendered: &Rendered) -> Result<Vec<Staged>, Error> {
    let write = |path: &Path, table: &Table| {
        Staged::write(path, &mut |out| Ok(write_table(table, format, out)?))
    };
    let mut staged = vec![write(target, &rendered.table)?];
    if let Some(values) = &rendered.values {
        staged.push(write(&values_file(target), values)?);
    }
    Ok(staged)
}

/// Reads the files of a release as anybody would.
fn read_back(staged: &[Staged], dataset: &Dataset) -> Result<Table, Error> {
    let missing = dataset.table().missing().clone();
    let options = Options { missing, ..Options::as_written() };
    let read = |file: &Staged| read_table(&file.path().to_string_lossy(), &options, &|_, _| {});
    let table = read(&staged[0])?.table;
    match staged.get(1) {
        Some(values) => joined(&table, &read(values)?.table),
        None => Ok(table),
    }
}

/// What a release costs, and the loss that was to be kept small where it is a sum over cells: from what
/// the judge read; from its groups where nothing covers the original.
fn measure(
    problem: &Problem<'_>,
    candidate: &Candidate,
    judgement: &Judgement,
) -> (Figures, Option<f64>) {
    if candidate.form == Form::Perturbed {
        return (Figures::default(), None);
    }
    let (quasi, Settings { weights, metric, .. }) = (problem.quasi(), problem.settings());
    let n_rows = problem.n_rows() as u64;
    let n_suppressed = n_rows.saturating_sub(judgement.findings().n_rows());
    let k = problem.promises().smallest();
    let groups = sizes_of(&candidate.group_of_row, &candidate.cells, quasi.len());
    let (cells, sizes) = match judgement.findings().truth() {
        Some(truth) => (truth.cells(), truth.sizes()),
        None => (&candidate.cells[..], &groups[..]),
    };
    let measured = Measured { quasi, weights, n_rows, cells, sizes, n_suppressed, k };
    let loss = match metric {
        Metric::Cells(metric) => measured.loss(*metric).ok(),
        Metric::Discernibility | Metric::AverageClassSize => None,
    };
    (figures(&measured), loss)
}

fn receipt(
    order: Order<'_>,
    algorithm: &'static str,
    dataset: &Dataset,
    candidate: &Candidate,
    judgement: &Judgement,
    ((metrics, undefined), loss): (Figures, Option<f64>),
) -> Receipt {
    let findings = judgement.findings();
    let (rows_in, rows_out) = (dataset.n_rows() as u64, findings.n_rows());
    let mut files = vec![order.target.display().to_string()];
    let is_apart = order.plan.output.anatomy != Some(AnatomyName::OneFile);
    if candidate.form == Form::Anatomized && is_apart {
        files.push(values_file(order.target).display().to_string());
    }
    Receipt {
        table: dataset.table().name().to_owned(),
        algorithm,
        goal: judgement.goal.clone(),
        rows_in,
        rows_out,
        suppressed: n_suppressed(candidate),
        classes: findings.n_classes(),
        k: findings.k().unwrap_or(0),
        class_sizes: SizeCount::all(findings.sizes()),
        risk: RiskChange::new(dataset, candidate.form, findings),
        columns: Columns::new(order.plan, dataset),
        suppression: findings.allowed_suppression().value(),
        form: form(candidate),
        loss,
        metric: metric_id(order.plan).to_owned(),
        metrics,
        undefined,
        lower_bound: candidate.lower_bound,
        verified: judgement.verdict.is_ok(),
        truthful: findings.truth().is_some_and(kohort_verify::Truth::holds),
        warnings: judgement.reasons().iter().map(|reason| sentence(reason, judgement)).collect(),
        elimination: None,
        seed: seed(order.plan),
        files,
        notes: Vec::new(),
        seconds: std::collections::BTreeMap::new(),
    }
}

/// The rows in no class.
fn n_suppressed(candidate: &Candidate) -> u64 {
    candidate.group_of_row.iter().filter(|&&group| group == SUPPRESSED).count() as u64
}

/// The answer when the release that was made does not keep what it was to keep. `n_suppressed` of
/// the `n_rows` rows of the original are in no class; some of them may be kept.
fn rejected(judgement: &Judgement, n_suppressed: u64, n_rows: u64) -> No {
    let n_dropped = n_rows.saturating_sub(judgement.findings().n_rows());
    let n_kept = n_suppressed.saturating_sub(n_dropped);
    let sentences = judgement.reasons().iter().map(|reason| sentence(reason, judgement));
    let hint = if n_kept > 0 {
        let rows = count(n_kept, "row that is kept as `*` is", "rows that are kept as `*` are");
        format!("the {rows} a class as well: `--suppressed drop` leaves such rows out")
    } else {
        "try another algorithm, such as `--algorithm auto`, or allow more suppression with \
         `--suppression 0.02`"
            .into()
    };
    No {
        problem: "the release that was made does not keep its promise, and nothing was written"
            .into(),
        causes: sentences.collect(),
        hint,
    }
}

/// Why a release was rejected.
fn sentence(reason: &Reason, judgement: &Judgement) -> String {
    let n_classes = judgement.findings().n_classes();
    match reason {
        Reason::Identifier { column } => format!("the identifier `{column}` is in the release"),
        Reason::Model { id, violations } => {
            let about = judgement.goal.iter().find(|goal| goal.model == *id && !goal.holds);
            let with = about.map_or(String::new(), |goal| {
                let of =
                    goal.attribute.as_ref().map_or(String::new(), |name| format!(" of `{name}`"));
                format!("{of} with {}", goal.parameters)
            });
            let rows = count(violations.rows, "row", "rows");
            let classes = count(violations.classes, "class", "classes");
            format!("`{id}`{with} fails in {classes} of {n_classes}, with {rows}")
        }
        Reason::Suppression { share, allowed } => format!(
            "{} of the rows are missing, but `suppression` is {}",
            percent(share.value()),
            percent(allowed.value())
        ),
        Reason::Untruthful { rows } => {
            let rows = count(*rows, "released row covers", "released rows cover");
            format!("{rows} no row of the original that is left for it")
        }
        _ => "the release was rejected".to_owned(),
    }
}

/// Judges somebody's release against a plan, and where it is there against the original. What the plan
/// says about reading is about the release.
pub fn verify(
    plan: &Plan,
    base: &Path,
    release: &Path,
    original: Option<&Dataset>,
) -> Result<Verdict, Error> {
    let options = crate::load::options(&plan.read)?;
    let read = |path: &Path| read_table(&path.to_string_lossy(), &options, &|_, _| {});
    let found = read(release)?;
    let mut table = found.table;
    let is_anatomized = plan.method.algorithm.as_deref() == Some("anatomy");
    let is_sensitive = |name: &String| table.columns().iter().any(|c| c.name() == name);
    if is_anatomized && !names(plan, Role::Sensitive).iter().all(is_sensitive) {
        table = joined(&table, &read(&values_file(release))?.table)?;
    }
    if is_anatomized && table.column(GROUP).is_err() {
        return Err(refused(
            format!(
                "the plan asks for an anatomized release, and this one has no column `{GROUP}`"
            ),
            "name the algorithm of the release in the plan, or leave it out",
        ));
    }
    let against = original.map(|original| Against { original, certificate: None });
    if let Some(original) = original {
        let is_known = |name: &str| original.table().column(name).is_ok();
        let mut names = table.columns().iter().map(kohort_core::Column::name);
        let is_group = |name: &str| is_anatomized && name == GROUP;
        if let Some(name) = names.find(|name| !is_known(name) && !is_group(name)) {
            return Err(refused(
                format!("the original has no column `{name}`, and the release has"),
                "leave it out of the release, or judge the release without `--original`",
            ));
        }
    }
    let judgement = judge(plan, base, &table, against)?;
    let findings = judgement.findings();
    let compared = original.zip(findings.truth()).map(|(original, truth)| {
        let quasi = original.quasi();
        // Cells that cover nothing say nothing about what is lost.
        let measured = is_truthful(plan).then(|| {
            figures(&Measured {
                quasi: &quasi,
                weights: &weights(plan, original),
                n_rows: original.n_rows() as u64,
                cells: truth.cells(),
                sizes: truth.sizes(),
                n_suppressed: truth.n_dropped(),
                k: plan.goal.k_anonymity.unwrap_or(1),
            })
        });
        let (metrics, undefined) = measured.unwrap_or_default();
        Compared {
            rows: original.n_rows() as u64,
            dropped: truth.n_dropped(),
            truthful: truth.holds(),
            uncovered: truth.uncovered_rows(),
            changed: truth.changed().iter().cloned().collect(),
            metrics,
            undefined,
        }
    });
    let mut notes = found.notes;
    notes.extend(judgement.notes.iter().cloned());
    if original.is_none() && suppression(plan)? > kohort_core::Ratio::whole(0) {
        notes.push("how many rows were dropped cannot be told without `--original`".into());
    }
    Ok(Verdict {
        verified: judgement.verdict.is_ok(),
        goal: judgement.goal.clone(),
        rows: findings.n_rows(),
        classes: findings.n_classes(),
        k: findings.k(),
        starred: findings.starred_rows(),
        reasons: judgement.reasons().iter().map(|reason| sentence(reason, &judgement)).collect(),
        original: compared,
        notes,
    })
}
