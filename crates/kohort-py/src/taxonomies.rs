//! Taxonomies: proposed for a column, and checked.

use kohort::Surface;
use kohort::load::assign_roles;
use kohort::taxonomy::{FileText, Limits, check, load, propose, show, to_arx};
use pyo3::prelude::*;
use serde_json::json;

use crate::failure::{failed, plan_error};
use crate::frame::Table;
use crate::planned;

/// What a plan would say about a column, the file in ARX's layout, and why.
#[pyfunction]
pub(crate) fn taxonomy_build(
    py: Python<'_>,
    table: &Table,
    column: &str,
) -> PyResult<(String, String, String)> {
    let table = &table.table;
    let found = table.column(column).map_err(kohort::Error::from);
    let found = found.and_then(|column| propose(table, column, None));
    let found = found.map_err(|error| failed(py, &error))?;
    Ok((json!(found.source).to_string(), to_arx(&found.rows), found.reason))
}

/// All that is wrong with a text in ARX's layout, and what it does not cover of a column.
#[pyfunction]
#[pyo3(signature = (text, separator=None, against=None))]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn taxonomy_check(
    py: Python<'_>,
    text: &str,
    separator: Option<char>,
    against: Option<(PyRef<'_, Table>, String)>,
) -> PyResult<String> {
    let file = FileText { name: "taxonomy", text };
    let column = against.as_ref().map(|(table, name)| {
        table.table.column(name).map(|column| (&*table.table, column)).map_err(kohort::Error::from)
    });
    let found = column.transpose().and_then(|against| check(file, separator, against));
    let found = found.map_err(|error| failed(py, &error))?;
    let levels = found.levels.iter().map(|level| json!([level.name, level.n_nodes]));
    let problems = found.problems.iter();
    let problems = problems.map(|one| json!({ "lines": one.lines, "problem": one.problem }));
    let value = Surface::Python.speak(|| {
        json!({
        "is_tree": found.is_tree,
        "separator": found.separator,
        "levels": levels.collect::<Vec<_>>(),
        "leaves": found.n_leaves,
        "height": found.height,
        "problems": problems.collect::<Vec<_>>(),
        "warnings": found.warnings,
        "notes": found.notes,
        "values_without_leaf": found.n_values_without_leaf,
        })
        .to_string()
    });
    Ok(value)
}

/// Draws a text in ARX's layout as a tree, with its leaves.
#[pyfunction]
#[pyo3(signature = (text, separator, depth, lines))]
pub(crate) fn taxonomy_show(
    py: Python<'_>,
    text: &str,
    separator: Option<char>,
    depth: usize,
    lines: usize,
) -> PyResult<String> {
    let found = load(FileText { name: "taxonomy", text }, separator);
    let found = found.map_err(|error| failed(py, &error))?;
    Ok(show(&found.taxonomy, Some(&found.leaf_labels), Limits { depth, lines }))
}

/// Draws the taxonomy that a plan gives to a column, without its leaves: they are cells.
#[pyfunction]
pub(crate) fn taxonomy_of_column(
    py: Python<'_>,
    table: &Table,
    plan: &str,
    folder: &str,
    column: &str,
    depth: usize,
    lines: usize,
) -> PyResult<String> {
    let plan = planned::read(py, plan, folder)?;
    let found = assign_roles(&plan, (*table.table).clone());
    let dataset = found.map_err(|error| failed(py, &error))?.value;
    let attributes = [dataset.quasi(), dataset.sensitive()].concat();
    let attribute = attributes
        .into_iter()
        .find(|one| one.name() == column)
        .ok_or_else(|| plan_error(py, "the column has no taxonomy", None))?;
    Ok(show(attribute.taxonomy(), None, Limits { depth, lines }))
}
