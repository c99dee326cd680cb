//! What is asked about tables and releases. Options come as JSON, with the names of the Python arguments.

use std::path::PathBuf;
use std::sync::Arc;

use kohort::attack::{Given, Publication};
use kohort::classify::Proposal;
use kohort::compare::{Grid, RISKS, UTILITIES, sheet};
use kohort::diagnose::{Principle, Question};
use kohort::goal::principles;
use kohort::load::assign_roles;
use kohort::people::{RepeatedPeople, repeated};
use kohort::plan::{Input, Plan, UnitName};
use kohort::sql::{Dialect, Names};
use kohort::{Error, Ratio, Stop};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::{failed, plan_error};
use crate::frame::Table;
use crate::job::json_of;
use crate::{job, planned};

/// An answer as JSON, as a text, and as a page.
pub(crate) type Answer = (String, String, String);

/// The type and the proposed role of each column, with the reason; and a starter plan.
#[pyfunction]
pub(crate) fn inspect(py: Python<'_>, table: &Table, plan: &str) -> PyResult<(String, String)> {
    let table = Arc::clone(&table.table);
    let asked = planned::read(py, plan, "")?;
    job::run(py, None, move |_| {
        let proposals = kohort::inspect(&table);
        let input = Input::from(table.name().to_owned());
        let plan = kohort::classify::starter_plan(&table, &proposals, &input);
        let columns: Vec<_> = proposals.iter().map(column_of).collect();
        let ambiguous = proposals.iter().filter(|proposal| proposal.date_ambiguous);
        let mut notes: Vec<String> = ambiguous.map(|one| as_day_first(&one.column)).collect();
        let starter = Plan::parse("the starter plan", &plan)?;
        let people = repeated(&Plan { key: asked.key.clone(), ..starter }, &table)?;
        notes.extend(people.as_ref().map(several_rows));
        let (name, rows) = (table.name(), table.n_rows());
        let answer = json!({ "table": name, "rows": rows, "columns": columns, "notes": notes });
        Ok((answer.to_string(), plan))
    })
}

fn as_day_first(column: &str) -> String {
    format!("column `{column}`: day and month cannot be distinguished; read as day first")
}

/// That people have several rows, and how to look at them as people.
fn several_rows(RepeatedPeople { column, people, rows }: &RepeatedPeople) -> String {
    format!(
        "`{column}` has {people} values in {rows} rows: if rows with the same `{column}` are one person, nest \
         them: `key=\"{column}\", tables={{\"rows\": {{\"foreign-key\": \"{column}\"}}}}`"
    )
}

/// What is proposed for a column.
pub(crate) fn column_of(proposal: &Proposal) -> Value {
    json!({
        "name": proposal.column,
        "type": proposal.value_type.id(),
        "distinct": proposal.distinct,
        "missing": proposal.missing,
        "role": proposal.role.map(kohort::Role::id),
        "reason": proposal.reason,
        "buckets": proposal.buckets,
    })
}

/// What may be asked of a table.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    subsets: bool,
    suppress: Option<String>,
    find_suppression: bool,
    max_size: Option<usize>,
    sampling_fraction: Option<String>,
    values: Vec<(String, String)>,
    riskiest: Option<usize>,
    borders: Option<u64>,
    /// A plan whose goal is asked for, besides the goal of the plan.
    levels: Option<Value>,
}

pub(crate) fn options<'a, T: Deserialize<'a>>(py: Python<'_>, json: &'a str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| plan_error(py, &error.to_string(), None))
}

/// An exact share.
pub(crate) fn ratio(py: Python<'_>, name: &str, text: &str) -> PyResult<Ratio> {
    let message =
        || format!("`{name}` must be a number of at least 0, or a fraction such as \"1/3\"");
    text.parse().map_err(|_| plan_error(py, &message(), None))
}

impl Asked {
    fn question(self, py: Python<'_>, plan: &Plan, table: &kohort::Table) -> PyResult<Question> {
        let share = |name: &str, text: &Option<String>| {
            text.as_ref().map(|text| ratio(py, name, text)).transpose()
        };
        let goal = match &self.levels {
            Some(levels) => planned::read(py, &levels.to_string(), "")?.goal,
            None => kohort::plan::Goal::default(),
        };
        let is_k = |level: &Principle| matches!(level, Principle::KAnonymity(_));
        let mut levels = principles(&goal).map_err(|error| failed(py, &error))?;
        levels.retain(|level| !is_k(level));
        let person = repeated(plan, table).map_err(|error| failed(py, &error))?;
        let person = person.filter(|_| plan.unit != Some(UnitName::Row)).map(|found| found.column);
        Ok(Question {
            person,
            rows: plan.unit == Some(UnitName::Row),
            subsets: self.subsets,
            k: goal.k_anonymity,
            suppress: share("suppress", &self.suppress)?,
            find_suppression: self.find_suppression,
            principles: levels,
            max_size: self.max_size,
            sampling_fraction: share("sampling_fraction", &self.sampling_fraction)?,
            values: self.values,
            riskiest: self.riskiest.unwrap_or(10),
            border_k: self.borders,
        })
    }
}

/// What a table already guarantees and gives away.
#[pyfunction]
#[pyo3(signature = (table, plan, folder, asked, public=None, progress=None))]
pub(crate) fn diagnose(
    py: Python<'_>,
    table: &Table,
    plan: &str,
    folder: &str,
    asked: &str,
    public: Option<&Table>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let plan = planned::read(py, plan, folder)?;
    let table = Arc::clone(&table.table);
    let public = public.map(|public| Arc::clone(&public.table));
    let question = options::<Asked>(py, asked)?.question(py, &plan, &table)?;
    job::run(py, progress, move |cx| {
        let found = kohort::diagnose_in(&table, &plan, &question, public.as_deref(), cx)?;
        Ok((json_of(&found), kohort::diagnose::text(&found), kohort::report::html(&found)))
    })
}

/// SQL that answers the same question inside a database.
#[pyfunction]
#[pyo3(signature = (table, plan, folder, asked, dialect, public=None))]
pub(crate) fn sql(
    py: Python<'_>,
    table: &Table,
    plan: &str,
    folder: &str,
    asked: &str,
    dialect: &str,
    public: Option<&str>,
) -> PyResult<String> {
    let plan = planned::read(py, plan, folder)?;
    let question = options::<Asked>(py, asked)?.question(py, &plan, &table.table)?;
    let dialect = Dialect::from_id(dialect).ok_or_else(|| {
        let known: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.id()).collect();
        plan_error(py, &format!("there is no dialect `{dialect}`"), Some(&known.join(", ")))
    })?;
    let written = || -> Result<String, Error> {
        let dataset = assign_roles(&plan, (*table.table).clone())?.value;
        let names = Names::new(&dataset, table.table.name(), public);
        kohort::sql::sql(dialect, &names, &question, &principles(&plan.goal)?)
    };
    written().map_err(|error| failed(py, &error))
}

/// What an adversary has besides the release.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Background {
    key: Option<String>,
    knowledge: Option<PathBuf>,
    correlations: Option<PathBuf>,
    presence: Vec<String>,
    sampled: Option<String>,
    secret: Option<[u8; 32]>,
    only: Vec<String>,
    is_series: bool,
}

/// The tables of a release: of an anatomized one, the values by group are apart.
pub(crate) type Shown<'py> = (PyRef<'py, Table>, Option<PyRef<'py, Table>>);

/// Attacks a release. `releases` are in order, the newest last, as are their originals.
#[pyfunction]
#[pyo3(signature = (releases, plan, folder, background, originals, public=None, progress=None))]
#[expect(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "as Python gives them"
)]
pub(crate) fn attack(
    py: Python<'_>,
    releases: Vec<Shown<'_>>,
    plan: &str,
    folder: &str,
    background: &str,
    originals: Vec<PyRef<'_, Table>>,
    public: Option<&Table>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Answer> {
    let plan = planned::read(py, plan, folder)?;
    let known: Background = options(py, background)?;
    let sampled = known.sampled.as_ref().map(|text| ratio(py, "sampled", text)).transpose()?;
    let of = |table: &Table| Arc::clone(&table.table);
    let shown: Vec<_> = (releases.iter())
        .map(|(table, values)| (of(table), values.as_ref().map(|values| of(values))))
        .collect();
    let mut originals: Vec<kohort::Table> =
        originals.iter().map(|table| (*table.table).clone()).collect();
    let public = public.map(|public| (*public.table).clone());
    job::run(py, progress, move |cx| {
        let mut notes = Vec::new();
        let mut publications = Vec::new();
        for (table, values) in &shown {
            let values = values.as_deref();
            let loaded = if known.is_series || kohort::series::is_of_series(&plan) {
                Publication::of_series(&plan, table, values)?
            } else {
                Publication::of_tables(&plan, table, values)?
            };
            notes.extend(loaded.notes);
            publications.push(loaded.value);
        }
        let release = publications.pop().ok_or(Stop::Cancelled)?;
        let given = Given {
            plan: &plan,
            release,
            others: publications,
            public,
            original: originals.pop(),
            earlier: originals,
            is_series: known.is_series,
            key: known.key,
            knowledge: known.knowledge,
            presence: known.presence,
            correlations: known.correlations,
            sampled,
            secret: known.secret,
            only: known.only,
        };
        let mut answer = kohort::attack_with(given, cx)?;
        answer.notes.splice(0..0, notes);
        let text = kohort::attack::text(&answer);
        Ok((json_of(&answer), text, kohort::report::attack_html(&answer)))
    })
}

/// What is compared.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Compared {
    algorithms: Vec<String>,
    ks: Vec<u64>,
    ls: Vec<String>,
    attributes: Vec<u64>,
    seeds: Vec<u64>,
    folds: Option<usize>,
    target: Option<String>,
    utility: Option<String>,
    risk: Option<String>,
    risk_cap: Option<String>,
    secret: [u8; 32],
}

/// One of the ids of a list.
fn id(
    py: Python<'_>,
    name: &str,
    known: &[(&'static str, &'static str)],
    asked: Option<&str>,
) -> PyResult<&'static str> {
    let asked = asked.unwrap_or(known[0].0);
    let found = known.iter().find(|(id, _)| *id == asked).map(|(id, _)| *id);
    found.ok_or_else(|| {
        let ids: Vec<&str> = known.iter().map(|(id, _)| *id).collect();
        plan_error(py, &format!("there is no {name} `{asked}`"), Some(&ids.join(", ")))
    })
}

/// Algorithms and levels side by side; beside the answer a table with a row per release.
#[pyfunction]
#[pyo3(signature = (table, plan, folder, compared, progress=None))]
pub(crate) fn compare(
    py: Python<'_>,
    table: &Table,
    plan: &str,
    folder: &str,
    compared: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Answer, Table)> {
    let plan = planned::read(py, plan, folder)?;
    let table = Arc::clone(&table.table);
    let asked: Compared = options(py, compared)?;
    let ls = asked.ls.iter().map(|l| ratio(py, "l", l)).collect::<PyResult<_>>()?;
    let budget = plan.method.budget.as_deref().and_then(|text| kohort::plan::duration(text).ok());
    let grid = Grid {
        algorithms: asked.algorithms,
        ks: asked.ks,
        ls,
        attributes: asked.attributes,
        seeds: asked.seeds,
        folds: asked.folds,
        target: asked.target,
        utility: id(py, "utility", &UTILITIES, asked.utility.as_deref())?,
        risk: id(py, "risk", &RISKS, asked.risk.as_deref())?,
        risk_cap: ratio(py, "risk_cap", asked.risk_cap.as_deref().unwrap_or("0.2"))?,
        budget: budget.map(|budget| budget.as_secs_f64()),
        secret: asked.secret,
    };
    job::run(py, progress, move |cx| {
        let found = kohort::compare(&table, &plan, &grid, cx)?;
        let rows = Table::out(sheet(&found), None);
        let (text, page) =
            (kohort::compare::text(&found), kohort::report::comparison::html(&found));
        Ok(((json_of(&found), text, page), rows))
    })
}
