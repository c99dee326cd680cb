//! Rows of databases.

use std::path::Path;
use std::sync::Arc;

use kohort::plan::{Input, Plan, Reading};
use kohort::{Address, Password, in_pass_file};
use pyo3::prelude::*;

use crate::frame::Table;
use crate::job;

/// Reads rows of a database. `passwords` is the text of a pass file, where no password is given.
#[pyfunction]
#[pyo3(signature = (url, query=None, table=None, password=None, passwords=None, missing=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "as Python gives them")]
pub(crate) fn read_sql(
    py: Python<'_>,
    url: &str,
    query: Option<String>,
    table: Option<String>,
    password: Option<String>,
    passwords: Option<&str>,
    missing: Option<Vec<String>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let in_file = || {
        let (host, port, database, user) = Address::parse(url, Path::new("")).ok()?.account()?;
        in_pass_file(passwords?, (&host, port, &database, &user))
    };
    let mut input = Input::from(url);
    (input.query, input.table) = (query, table);
    input.password = password.map(Password::new).or_else(in_file);
    let read = Reading { missing, ..Reading::default() };
    let plan = Plan { input: Some(input), read, ..Plan::default() };
    let loaded = job::run(py, progress, move |cx| kohort::read(&plan, cx))?;
    let table = Arc::new(loaded.value);
    Ok(Table { table, like: None, notes: loaded.notes, ranges: Vec::new() })
}
