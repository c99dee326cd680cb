//! Records inside records: JSON, or frames joined by keys, in and out.

use std::collections::BTreeMap;
use std::sync::Arc;

use kohort::load::Loaded;
use kohort::nested::{
    self as trees, Described, Held, HeldRelease, NestedGrid, compare_text, diagnosis_text,
    receipt_text, verdict_text, without_role,
};
use kohort::plan::Plan;
use kohort::report::comparison::nested_html as comparison_html;
use kohort::report::{attack_html, nested_html};
use kohort::{Cx, Error, Message};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::frame::Table;
use crate::job::{self, json_of};
use crate::planned;
use crate::questions::{Answer, column_of, options, ratio};

/// Records as Python gives them: the text of JSON, or the frame of people and those of the plan's tables.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    Json(String),
    Tables(PyRef<'py, Table>, Vec<(String, PyRef<'py, Table>)>),
}

impl Given<'_> {
    fn held(&self, plan: &Plan) -> Result<Held, Error> {
        match self {
            Self::Json(text) => Ok(Held::Json(Arc::from(text.as_bytes()))),
            Self::Tables(people, tables) => {
                let table = |table: &Table| (*table.table).clone();
                let named = tables.iter().map(|(name, one)| (name.clone(), table(one)));
                Held::of_tables(plan, table(people), named.collect())
            }
        }
    }

    /// The types of the columns of the original's frames, by the names of the tables.
    fn like(&self) -> BTreeMap<String, arrow_schema::SchemaRef> {
        let Self::Tables(people, tables) = self else { return BTreeMap::new() };
        let people = people.like.clone().map(|like| (String::new(), like));
        let others =
            tables.iter().filter_map(|(name, table)| Some((name.clone(), table.like.clone()?)));
        people.into_iter().chain(others).collect()
    }
}

/// Records on the way out: the text of JSON, or tables by name, the one of people without a name.
type Handed = (Option<String>, Vec<(String, Table)>);

fn handed(held: &Held, plan: &Plan, like: &BTreeMap<String, arrow_schema::SchemaRef>) -> Handed {
    if let Held::Json(text) = held {
        return (Some(String::from_utf8_lossy(text).into_owned()), Vec::new());
    }
    // Of one frame whose rows the plan nests, all tables have its types.
    let of_one = like.get("").filter(|_| like.len() == 1);
    let table = |(name, table): (String, &kohort::Table)| {
        let like = like.get(&name).or(of_one).cloned();
        (name, Table::out(table.clone(), like))
    };
    (None, held.tables(plan).into_iter().map(table).collect())
}

/// Records whose paths have the roles of a plan, and what to know about them.
fn described(plan: &Plan, held: &Held, fate: &str) -> Result<Loaded<Described>, Error> {
    let Loaded { value: records, mut notes } = held.records(plan, "records")?;
    notes.extend(without_role(plan, &records, fate));
    let Loaded { value, notes: odd } = Described::new(plan, records)?;
    notes.extend(odd);
    Ok(Loaded { value, notes })
}

fn original(plan: &Plan, held: Option<Held>) -> Result<Option<Described>, Error> {
    let described = held.map(|held| described(plan, &held, "not looked at")).transpose()?;
    Ok(described.map(|loaded| loaded.value))
}

fn told(notes: &[Message]) -> Vec<String> {
    notes.iter().map(Message::to_string).collect()
}

/// A release: the receipt, a text and a page about it, notes, the records, and the values of their groups.
type Made = (Answer, Vec<String>, Handed, Option<Handed>);

/// Makes a release of records that keeps the goal of a plan.
#[pyfunction]
#[pyo3(signature = (records, plan, folder, progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn nested_anonymize(
    py: Python<'_>,
    records: Given<'_>,
    plan: &str,
    folder: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Made> {
    let plan = planned::read(py, plan, folder)?;
    let (held, like) = (records.held(&plan), records.like());
    let are_tables = matches!(records, Given::Tables(..));
    job::run(py, progress, move |cx| {
        let Loaded { value: people, notes } = described(&plan, &held?, "left out of the release")?;
        let (receipt, release) = trees::anonymize_held(&plan, &people, are_tables, cx)?;
        let notes = [notes, receipt.notes.clone()].concat();
        let values = release.values.as_ref().map(|values| handed(values, &plan, &BTreeMap::new()));
        let answer = (json_of(&receipt), receipt_text(&receipt), nested_html(&receipt));
        Ok((answer, told(&notes), handed(&release.trees, &plan, &like), values))
    })
}

fn release(
    plan: &Plan,
    (trees, values): (&Given<'_>, Option<&Given<'_>>),
) -> Result<HeldRelease, Error> {
    let values = values.map(|values| values.held(plan)).transpose()?;
    Ok(HeldRelease { trees: trees.held(plan)?, values })
}

/// Judges a release of records: the verdict as JSON and as a text.
#[pyfunction]
#[pyo3(signature = (records, values, plan, folder, original, progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn nested_verify(
    py: Python<'_>,
    records: Given<'_>,
    values: Option<Given<'_>>,
    plan: &str,
    folder: &str,
    original: Option<Given<'_>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let plan = planned::read(py, plan, folder)?;
    let release = release(&plan, (&records, values.as_ref()));
    let held = original.map(|original| original.held(&plan)).transpose();
    job::run(py, progress, move |cx| {
        let original = self::original(&plan, held?)?;
        let verdict = trees::verify_held(&plan, &release?, original.as_ref(), cx)?;
        Ok((json_of(&verdict), verdict_text(&verdict)))
    })
}

/// Attacks a release of records.
#[pyfunction]
#[pyo3(signature = (records, values, plan, folder, original, only, progress=None))]
#[expect(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "as Python gives them"
)]
pub(crate) fn nested_attack(
    py: Python<'_>,
    records: Given<'_>,
    values: Option<Given<'_>>,
    plan: &str,
    folder: &str,
    original: Option<Given<'_>>,
    only: Vec<String>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let plan = planned::read(py, plan, folder)?;
    let release = release(&plan, (&records, values.as_ref()));
    let held = original.map(|original| original.held(&plan)).transpose();
    job::run(py, progress, move |cx| {
        let (release, original) = (release?, self::original(&plan, held?)?);
        let answer = trees::attack_held(&plan, &release, original.as_ref(), &only, cx)?;
        Ok((json_of(&answer), kohort::attack::text(&answer), attack_html(&answer)))
    })
}

/// What records already guarantee: an answer as JSON and as a text.
#[pyfunction]
#[pyo3(signature = (records, plan, folder, k=None, l=None))]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn nested_diagnose(
    py: Python<'_>,
    records: Given<'_>,
    plan: &str,
    folder: &str,
    k: Option<u64>,
    l: Option<String>,
) -> PyResult<(String, String)> {
    let plan = planned::read(py, plan, folder)?;
    let l = l.map(|l| ratio(py, "l", &l)).transpose()?;
    let held = records.held(&plan);
    job::run(py, None, move |_| {
        let people = described(&plan, &held?, "not looked at")?.value;
        let answer = trees::diagnose(&people, k, l);
        Ok((json_of(&answer), diagnosis_text(&answer)))
    })
}

/// The type and the proposed role of each path, with the reason; and a starter plan.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn nested_inspect(
    py: Python<'_>,
    records: Given<'_>,
    plan: &str,
) -> PyResult<(String, String)> {
    let plan = planned::read(py, plan, "")?;
    let held = records.held(&plan);
    job::run(py, None, move |_| {
        let records = held?.records(&plan, "records")?.value;
        let proposals = trees::propose(&records);
        let columns: Vec<_> = proposals.iter().map(|path| column_of(&path.proposal)).collect();
        let n = records.n_records();
        let answer = json!({ "table": records.name(), "rows": n, "columns": columns });
        Ok((answer.to_string(), trees::starter_plan(&proposals, &plan)))
    })
}

/// What is compared.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Compared {
    algorithms: Vec<String>,
    ks: Vec<u64>,
    ls: Vec<String>,
    seeds: Vec<u64>,
}

/// Algorithms and levels side by side; beside the answer a table with a row per release.
#[pyfunction]
#[pyo3(signature = (records, plan, folder, compared, progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn nested_compare(
    py: Python<'_>,
    records: Given<'_>,
    plan: &str,
    folder: &str,
    compared: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Answer, Table)> {
    let plan = planned::read(py, plan, folder)?;
    let asked: Compared = options(py, compared)?;
    let ls = asked.ls.iter().map(|l| ratio(py, "l", l)).collect::<PyResult<_>>()?;
    let budget = plan.method.budget.as_deref().and_then(|text| kohort::plan::duration(text).ok());
    let budget = budget.map(|budget| budget.as_secs_f64());
    let Compared { algorithms, ks, seeds, .. } = asked;
    let grid = NestedGrid { algorithms, ks, ls, seeds, budget, ..NestedGrid::default() };
    let held = records.held(&plan);
    job::run(py, progress, move |cx: &Cx| {
        let people = described(&plan, &held?, "left out of every release")?.value;
        let found = kohort::compare_nested(&people, &plan, &grid, cx)?;
        let rows = Table::out(trees::sheet(&found), None);
        Ok(((json_of(&found), compare_text(&found), comparison_html(&found)), rows))
    })
}
