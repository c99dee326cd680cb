//! `kohort inspect` of a whole database or schema: every table with its rows and proposed roles.

use std::fmt::Write;

use kohort::catalog::{self, FIRST_ROWS, Listed};
use kohort::plan::Plan;
use serde::Serialize;

use super::passwords;
use crate::args::Common;
use crate::printer::{Failure, Outcome, Printer};
use crate::progress::Bar;

#[derive(Serialize)]
struct Answer<'a> {
    tables: Vec<Shown<'a>>,
    /// How many rows of each table the proposals come from, at most.
    looked_at: u64,
}

#[derive(Serialize)]
struct Shown<'a> {
    table: &'a str,
    /// None where the table could not be read, for this reason.
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    columns: Vec<Column<'a>>,
}

#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    value_type: &'a str,
    role: Option<&'static str>,
    reason: &'a str,
}

/// Why a column has no proposal.
const UNREAD: &str =
    "its values are no single values: leave it out, or turn it into text in a query";

/// The tables, where the input is a database and no single table of it.
pub(super) fn tables(plan: &Plan, common: &Common) -> Result<Option<Vec<Listed>>, Failure> {
    passwords::reading(plan, |plan| {
        let bar = Bar::new(common);
        catalog::tables(plan, &|done, total| bar.report("looking at tables", done, total))
    })
}

pub(super) fn list(listed: &[Listed], printer: &Printer) -> Result<Outcome, Failure> {
    let tables = listed.iter().map(table).collect();
    let answer = Answer { tables, looked_at: FIRST_ROWS };
    printer.data(&answer, || text(&answer))?;
    Ok(Outcome::Done)
}

fn table(listed: &Listed) -> Shown<'_> {
    let table = &listed.name;
    let seen = match &listed.seen {
        Ok(seen) => seen,
        Err(error) => {
            let problem = Some(error.to_string());
            return Shown { table, rows: None, problem, columns: Vec::new() };
        }
    };
    let proposed = seen.proposals.iter().map(|proposal| Column {
        name: &proposal.column,
        value_type: proposal.value_type.id(),
        role: proposal.role.map(kohort::Role::id),
        reason: &proposal.reason,
    });
    let unread = seen.unread.iter().map(|(name, value_type)| Column {
        name,
        value_type,
        role: None,
        reason: UNREAD,
    });
    let columns = proposed.chain(unread).collect();
    Shown { table, rows: Some(seen.n_rows), problem: None, columns }
}

fn text(answer: &Answer<'_>) -> String {
    let mut out = String::new();
    for table in &answer.tables {
        let (Some(rows), None) = (table.rows, &table.problem) else {
            let problem = table.problem.as_deref().unwrap_or_default();
            let _ = writeln!(out, "{}: cannot be read\n  {problem}\n", table.table);
            continue;
        };
        let _ = writeln!(out, "{}: {rows} rows", table.table);
        let width = |of: &dyn Fn(&Column<'_>) -> usize| {
            table.columns.iter().map(of).max().unwrap_or_default()
        };
        let name = width(&|column| column.name.chars().count());
        let value_type = width(&|column| column.value_type.chars().count());
        for column in &table.columns {
            let role = column.role.unwrap_or("left out");
            let _ = writeln!(
                out,
                "  {:<name$}  {:<value_type$}  {role:<12} {}",
                column.name, column.value_type, column.reason
            );
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "These are proposals from the first {} rows of each table: nothing is decided until your plan says so.",
        answer.looked_at
    );
    out
}
