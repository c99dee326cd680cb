//! Releases: made, judged, handed out.

use std::sync::Arc;

use kohort::release::verdict_text;
use kohort::{Published, Surface};
use pyo3::prelude::*;

use crate::failure::stopped;
use crate::frame::Table;
use crate::job::{self, json_of};
use crate::planned;

/// A release that was made here and judged.
#[pyclass(frozen, module = "kohort._kohort")]
pub(crate) struct Release {
    release: Arc<kohort::Release>,
    like: Option<arrow_schema::SchemaRef>,
}

#[pymethods]
impl Release {
    #[getter]
    fn table(&self) -> Table {
        self.shown(self.release.table())
    }

    #[getter]
    fn values(&self) -> Option<Table> {
        self.release.values().map(|values| self.shown(values))
    }

    #[getter]
    fn receipt(&self) -> String {
        Surface::Python.speak(|| json_of(self.release.receipt()))
    }

    #[getter]
    fn text(&self) -> String {
        Surface::Python.speak(|| self.release.receipt().to_string())
    }

    #[getter]
    fn page(&self) -> String {
        Surface::Python.speak(|| self.release.report())
    }

    /// Writes a file, reads it back and judges it again before it appears.
    fn write(&self, py: Python<'_>, path: &str) -> PyResult<String> {
        let write = || Ok(json_of(&self.release.write(path)?));
        py.detach(|| Surface::Python.speak(write)).map_err(|stop| stopped(py, &stop))
    }
}

impl Release {
    fn shown(&self, table: &kohort::Table) -> Table {
        Table::out(table.clone(), self.like.clone())
    }
}

/// Makes a release of a table that keeps the goal of a plan.
#[pyfunction]
#[pyo3(signature = (table, plan, folder, secret=None, progress=None))]
pub(crate) fn anonymize(
    py: Python<'_>,
    table: &Table,
    plan: &str,
    folder: &str,
    secret: Option<[u8; 32]>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Release> {
    let plan = planned::read(py, plan, folder)?;
    let original = Arc::clone(&table.table);
    let release = job::run(py, progress, move |cx| {
        let cx = secret.map_or_else(|| cx.clone(), |secret| cx.clone().with_secret(secret));
        kohort::anonymize(&original, &plan, &cx)
    })?;
    Ok(Release { release: Arc::new(release), like: table.like.clone() })
}

/// Judges a release: the verdict as JSON and as a text.
#[pyfunction]
#[pyo3(signature = (release, plan, folder, values=None, original=None, progress=None))]
pub(crate) fn verify(
    py: Python<'_>,
    release: &Table,
    plan: &str,
    folder: &str,
    values: Option<&Table>,
    original: Option<&Table>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let plan = planned::read(py, plan, folder)?;
    let table = Arc::clone(&release.table);
    let of = |table: Option<&Table>| table.map(|table| Arc::clone(&table.table));
    let (values, original) = (of(values), of(original));
    job::run(py, progress, move |_| {
        let release = Published { table: &table, values: values.as_deref() };
        let verdict = kohort::verify(release, &plan, original.as_deref())?;
        Ok((json_of(&verdict), verdict_text(&verdict)))
    })
}
