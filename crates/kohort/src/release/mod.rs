//! From a plan to a release: made, written beside its target, read back, judged, and only then there.

mod center;
mod judge;
mod made;
mod method;
mod order;
mod perturbed;
mod receipt;
mod render;
mod text;

use std::path::{Path, PathBuf};

use kohort_algorithms::{Candidate, Form};
use kohort_core::{Ctx, Dataset, Role, Table};
use kohort_io::{Format, Options, Staged, commit_all, read_table, write_table};
use kohort_models::Measured;
use kohort_verify::{Against, Reason};

pub(crate) use self::judge::Judgement;
use self::judge::{joined, judge, names, suppression};
pub(crate) use self::made::{Made, make};
use self::method::weights;
pub(crate) use self::method::{algorithm, metric_id, seed, settings};
pub(crate) use self::receipt::Figures;
pub use self::receipt::{Columns, Compared, No, Receipt, RiskChange, Verdict};
use self::receipt::{figures, form};
use self::render::{GROUP, Rendered};
pub use self::text::{receipt_text, verdict_text};
use crate::Error;
use crate::diagnose::{SizeCount, count, percent};
use crate::load::refused;
use crate::plan::{AnatomyName, Plan};

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
    let format = Format::of(target)?;
    step("anonymize");
    let made = match make(plan, dataset, secret, ctx)? {
        Ok(made) => made,
        Err(no) => return Ok(Err(no)),
    };
    step("write");
    let rendered = made.rendered(plan, dataset);
    let staged = stage(target, format, &rendered)?;
    step("verify");
    let release = read_back(&staged, dataset)?;
    let judgement = match made.judged((plan, base), dataset, &release, &rendered.rows)? {
        Ok(judgement) => judgement,
        Err(no) => return Ok(Err(no)),
    };
    step("measure");
    let figures = made.figures(plan, dataset, &judgement);
    let loss = made.loss(plan, dataset, &judgement);
    commit_all(staged)?;
    let mut notes = made.notes.clone();
    notes.extend(
        judgement.notes.iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>(),
    );
    let receipt = Receipt {
        loss,
        notes,
        ..receipt(order, made.algorithm.spec().id, dataset, &made.candidate, &judgement, figures)
    };
    Ok(Ok(receipt))
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

fn receipt(
    order: Order<'_>,
    algorithm: &'static str,
    dataset: &Dataset,
    candidate: &Candidate,
    judgement: &Judgement,
    (metrics, undefined): Figures,
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
        suppressed: rows_in.saturating_sub(rows_out) + findings.starred_rows(),
        classes: findings.n_classes(),
        k: findings.k().unwrap_or(0),
        class_sizes: SizeCount::all(findings.sizes()),
        risk: RiskChange::new(dataset, candidate.form, findings),
        columns: Columns::new(order.plan, dataset),
        suppression: findings.allowed_suppression().value(),
        form: form(candidate),
        loss: None,
        metric: metric_id(order.plan).to_owned(),
        metrics,
        undefined,
        lower_bound: candidate.lower_bound,
        verified: judgement.verdict.is_ok(),
        truthful: findings.truth().is_some_and(kohort_verify::Truth::holds),
        warnings: judgement.reasons().iter().map(|reason| sentence(reason, judgement)).collect(),
        seed: seed(order.plan),
        files,
        notes: Vec::new(),
        seconds: std::collections::BTreeMap::new(),
    }
}

/// The answer when the release that was made does not keep what it was to keep.
fn rejected(judgement: &Judgement) -> No {
    let sentences = judgement.reasons().iter().map(|reason| sentence(reason, judgement));
    No {
        problem: "the release that was made does not keep its promise, and nothing was written"
            .into(),
        causes: sentences.collect(),
        hint: "try another algorithm, such as `--algorithm auto`, or allow more suppression with \
               `--suppression 0.02`"
            .into(),
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
            format!("`{id}`{with} fails in {classes} of {n_classes}, which have {rows}")
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

/// Judges somebody's release against a plan, and where it is there against the original.
pub fn verify(
    plan: &Plan,
    base: &Path,
    release: &Path,
    original: Option<&Dataset>,
) -> Result<Verdict, Error> {
    let mut options = crate::load::options(&plan.read)?;
    // How the original was written says nothing about the release.
    options = Options { missing: options.missing, ..Options::default() };
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
    let judgement = judge(plan, base, &table, against)?;
    let findings = judgement.findings();
    let compared = original.zip(findings.truth()).map(|(original, truth)| {
        let quasi = original.quasi();
        let (metrics, undefined) = figures(&Measured {
            quasi: &quasi,
            weights: &weights(plan, original),
            n_rows: original.n_rows() as u64,
            cells: truth.cells(),
            sizes: truth.sizes(),
            n_suppressed: truth.n_dropped(),
            k: plan.goal.k_anonymity.unwrap_or(1),
        });
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
