//! Plans across the border: JSON that has the fields of a plan file.

use std::path::Path;

use kohort::plan::Plan;
use kohort::{Error, Kind, Surface};
use pyo3::prelude::*;

use crate::failure::{failed, plan_error};

/// A plan of JSON; its paths are relative to a folder.
pub(crate) fn read(py: Python<'_>, json: &str, folder: &str) -> PyResult<Plan> {
    let value: toml::Table = serde_json::from_str(json)
        .map_err(|_| plan_error(py, "a plan is made of texts, numbers, lists and dicts", None))?;
    let text = toml::to_string(&value)
        .map_err(|_| plan_error(py, "a plan is made of texts, numbers, lists and dicts", None))?;
    let plan = Plan::parse("plan", &text).map_err(|error| match error.kind() {
        Kind::Plan { line, problem, nearest: None, .. } => {
            plan_error(py, &with_field(problem, text.lines().nth(line - 1)), None)
        }
        _ => failed(py, &error),
    })?;
    Ok(plan.in_folder(folder))
}

/// A problem with the field that is on its line, where it does not name one: who gave keywords sees no lines.
fn with_field(problem: &str, line: Option<&str>) -> String {
    match line.and_then(|line| line.split_once(" = ")) {
        Some((field, _)) if !problem.contains('`') || problem.starts_with("invalid ") => {
            format!("`{field}`: {problem}")
        }
        _ => problem.to_owned(),
    }
}

/// The plan as JSON, as the library spells it.
pub(crate) fn spelled(py: Python<'_>, plan: &Plan) -> PyResult<String> {
    let value: toml::Table = plan.to_toml().parse().expect("a plan writes TOML");
    serde_json::to_string(&value).map_err(|error| plan_error(py, &error.to_string(), None))
}

/// Checks a plan, and spells it as the library does.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, json: &str) -> PyResult<String> {
    spelled(py, &read(py, json, "")?)
}

/// A plan as the text of its file.
#[pyfunction]
pub(crate) fn plan_toml(py: Python<'_>, json: &str) -> PyResult<String> {
    Ok(read(py, json, "")?.to_toml())
}

/// A plan of a file.
#[pyfunction]
pub(crate) fn plan_load(py: Python<'_>, path: &str) -> PyResult<String> {
    of_text(py, Plan::open(Path::new(path)))
}

/// A plan of the text of its file.
#[pyfunction]
pub(crate) fn plan_read(py: Python<'_>, text: &str) -> PyResult<String> {
    of_text(py, Plan::parse("plan", text))
}

/// A plan that somebody wrote: its text has lines to point at.
fn of_text(py: Python<'_>, plan: Result<Plan, Error>) -> PyResult<String> {
    let plan = plan.map_err(|error| match error.kind() {
        Kind::Plan { .. } => {
            let hint = error.hint().map(|hint| hint.on(Surface::Python));
            plan_error(py, &error.to_string(), hint.as_deref())
        }
        _ => failed(py, &error),
    })?;
    spelled(py, &plan)
}
