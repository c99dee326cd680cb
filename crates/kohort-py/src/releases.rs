//! Releases: made, judged, handed out.

use std::sync::Arc;

use kohort::attack::{Publication, verify_beside};
use kohort::release::verdict_text;
use kohort::report::release_html;
use kohort::{Error, Published, Surface};
use pyo3::prelude::*;

use crate::failure::stopped;
use crate::frame::Table;
use crate::job::{self, json_of};
use crate::planned;
use crate::questions::{Answer, Shown};

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

    /// Writes a file, reads it back and judges it again before it appears: its receipt, a text and a page.
    fn write(&self, py: Python<'_>, path: &str) -> PyResult<Answer> {
        let write = || {
            let receipt = self.release.write(path)?;
            Ok((json_of(&receipt), receipt.to_string(), release_html(&receipt)))
        };
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

/// Judges a release, beside `others` of the same table that somebody may have: the verdict as JSON and as a
/// text.
#[pyfunction]
#[pyo3(signature = (release, plan, folder, original=None, others=Vec::new(), progress=None))]
#[expect(clippy::needless_pass_by_value, reason = "as Python gives them")]
pub(crate) fn verify(
    py: Python<'_>,
    release: Shown<'_>,
    plan: &str,
    folder: &str,
    original: Option<&Table>,
    others: Vec<Shown<'_>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let plan = planned::read(py, plan, folder)?;
    let of = |table: &Table| Arc::clone(&table.table);
    let tables =
        |(table, values): &Shown<'_>| (of(table), values.as_ref().map(|values| of(values)));
    let (release, original) = (tables(&release), original.map(of));
    let others: Vec<_> = others.iter().map(tables).collect();
    job::run(py, progress, move |cx| {
        let (table, values) = (&release.0, release.1.as_deref());
        let published = Published { table, values };
        let mut verdict = kohort::verify(published, &plan, original.as_deref(), cx)?;
        if !others.is_empty() {
            let published = |(table, values): &(Arc<kohort::Table>, Option<Arc<kohort::Table>>)| {
                let found = Publication::of_tables(&plan, table, values.as_deref())?;
                Ok::<_, Error>(found.value)
            };
            let own = published(&release)?;
            let others = others.iter().map(published).collect::<Result<_, _>>()?;
            let original = original.as_deref().cloned();
            verify_beside(&mut verdict, &plan, (own, others), original)?;
        }
        Ok((json_of(&verdict), verdict_text(&verdict)))
    })
}
