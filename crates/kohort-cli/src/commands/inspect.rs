//! `kohort inspect`: what the columns of a table are, and a plan to start from.

use std::fmt::Write;
use std::path::Path;

use kohort::classify::{Proposal, starter_plan};
use kohort::load::load_table;
use kohort::nested::{self, PathProposal};
use kohort::people::{RepeatedPeople, repeated};
use kohort::plan::{Input, Plan};
use serde::Serialize;

use super::settings::add_tables;
use super::{folder, passwords, plan_for, schema, write_text};
use crate::args::{Common, Inspect};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::Bar;

#[derive(Serialize)]
struct Answer<'a> {
    table: &'a str,
    rows: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertices: Option<usize>,
    columns: Vec<Column<'a>>,
}

#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    value_type: &'static str,
    distinct: u32,
    missing: u64,
    missing_share: f64,
    /// None where a release leaves the column out until a person gives it a role.
    role: Option<&'static str>,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    buckets: Option<&'a str>,
}

pub(crate) fn run(
    inspect: &Inspect,
    common: &Common,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    let file = inspect.plan.as_deref().filter(|plan| *plan != "-");
    if let Some(plan) = file.filter(|plan| Path::new(plan).exists()) {
        return Err(usage(
            format!("{plan} already exists, and a plan is not overwritten"),
            "name another file, or move this one",
        ));
    }
    let mut plan = plan_for(&inspect.data, &inspect.reading);
    add_tables(&mut plan, &inspect.related)?;
    if nested::is_nested(&plan)? {
        return nested_records(inspect, &plan, common, printer);
    }
    if let Some(tables) = schema::tables(&plan, common)? {
        if inspect.plan.is_some() {
            return Err(usage(
                "a plan is about one table, and none is named",
                format!("name a table after `#`, such as `{}`", tables[0].name),
            ));
        }
        return schema::list(&tables, printer);
    }
    let (loaded, proposals) = passwords::reading(&plan, |plan| {
        let bar = Bar::new(common);
        let loaded = load_table(plan, &|done, total| bar.report("reading", done, total))?;
        let proposals = kohort::catalog::proposals(plan, &loaded.value)?;
        Ok((loaded, proposals))
    })?;
    printer.notes(&loaded.notes);
    let table = loaded.value;
    let input = plan.input.take().unwrap_or_default();
    let is_printed = inspect.plan.as_deref() == Some("-");
    if !is_printed {
        let answer = answer(&table, &proposals);
        printer.data(&answer, || text(&answer))?;
    }
    for proposal in proposals.iter().filter(|proposal| proposal.date_ambiguous) {
        printer.note(&format!(
            "column `{}`: day and month cannot be distinguished; read as day first",
            proposal.column
        ));
    }
    let starter = Plan::parse("the starter plan", &starter_plan(&table, &proposals, &input))?;
    if let Some(found) = repeated(&Plan { key: plan.key.clone(), ..starter }, &table)? {
        printer.note(&several_rows(&found, &inspect.data));
    }
    if let Some(plan) = &inspect.plan {
        let input = input.with_path(|path| relative(path, plan));
        let text = starter_plan(&table, &proposals, &input);
        if is_printed {
            print(&text)?;
            return Ok(Outcome::Done);
        }
        write_text(Path::new(plan), &text)?;
        printer.note(&format!(
            "starter plan written to {plan}: read every line, then `kohort diagnose {plan}`"
        ));
    }
    Ok(Outcome::Done)
}

/// That people have several rows, and how to look at them as people.
fn several_rows(found: &RepeatedPeople, data: &str) -> String {
    let RepeatedPeople { column, people, rows } = found;
    format!(
        "`{column}` has {people} values in {rows} rows: if rows with the same `{column}` are one person, nest \
         them: `kohort inspect {data} --key {column} --tables 'rows={{ foreign-key = \"{column}\" }}'`"
    )
}

/// The same for records inside records.
fn nested_records(
    inspect: &Inspect,
    plan: &Plan,
    common: &Common,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    let records = super::nested::read(plan, (common, printer))?;
    let proposals = nested::propose(&records);
    let plan = |file: &str| {
        let mut plan = plan.clone();
        let beside = |input: Input| input.with_path(|path| relative(path, file));
        plan.input = plan.input.take().map(beside);
        for table in plan.tables.values_mut() {
            table.input = table.input.take().map(beside);
        }
        nested::starter_plan(&proposals, &plan)
    };
    if let Some("-") = inspect.plan.as_deref() {
        print(&plan("-"))?;
        return Ok(Outcome::Done);
    }
    let answer = nested_answer(&records, &proposals);
    printer.data(&answer, || text(&answer))?;
    if let Some(file) = &inspect.plan {
        write_text(Path::new(file), &plan(file))?;
        printer.note(&format!(
            "starter plan written to {file}: read every line, then `kohort diagnose {file}`"
        ));
    }
    Ok(Outcome::Done)
}

/// The table's path as seen from the plan's folder.
fn relative(data: &str, plan: &str) -> String {
    let (data_path, plan_folder) = (Path::new(data), folder(plan));
    if folder(data) == plan_folder {
        return data_path.file_name().map_or(data.into(), |name| name.to_string_lossy().into());
    }
    match std::path::absolute(data_path) {
        Ok(path) if !plan_folder.as_os_str().is_empty() => path.to_string_lossy().into_owned(),
        _ => data.to_owned(),
    }
}

fn answer<'a>(table: &'a kohort::Table, proposals: &'a [Proposal]) -> Answer<'a> {
    let rows = table.n_rows();
    let columns = proposals.iter().map(|proposal| column(proposal, rows as u64)).collect();
    Answer { table: table.name(), rows, vertices: None, columns }
}

fn nested_answer<'a>(records: &'a kohort::Nested, proposals: &'a [PathProposal]) -> Answer<'a> {
    let columns = proposals.iter().map(|path| column(&path.proposal, path.n_rows)).collect();
    let (rows, vertices) = (records.n_records(), Some(records.n_vertices()));
    Answer { table: records.name(), rows, vertices, columns }
}

#[expect(clippy::cast_precision_loss, reason = "a share for display")]
fn column(proposal: &Proposal, n_rows: u64) -> Column<'_> {
    Column {
        name: &proposal.column,
        value_type: proposal.value_type.id(),
        distinct: proposal.distinct,
        missing: proposal.missing,
        missing_share: proposal.missing as f64 / n_rows.max(1) as f64,
        role: proposal.role.map(kohort::Role::id),
        reason: &proposal.reason,
        buckets: proposal.buckets.as_deref(),
    }
}

fn text(answer: &Answer<'_>) -> String {
    let (rows, n) = (answer.rows, answer.columns.len());
    let mut out = match answer.vertices {
        None => format!("{}: {rows} rows, {n} columns\n\n", answer.table),
        Some(vertices) => {
            format!("{}: {rows} records with {vertices} vertices, {n} paths\n\n", answer.table)
        }
    };
    let width = |of: &dyn Fn(&Column<'_>) -> usize, title: &str| {
        answer.columns.iter().map(of).max().unwrap_or(0).max(title.len())
    };
    let name = width(&|column| column.name.chars().count(), "column");
    let distinct = width(&|column| column.distinct.to_string().len(), "distinct");
    let _ = writeln!(
        out,
        "{:<name$}  {:<8}{:>distinct$}  missing  {:<12} why",
        "column", "type", "distinct", "proposed"
    );
    for column in &answer.columns {
        let _ = writeln!(
            out,
            "{:<name$}  {:<8}{:>distinct$}  {:>5.1} %  {:<12} {}",
            column.name,
            column.value_type,
            column.distinct,
            column.missing_share * 100.0,
            column.role.unwrap_or("left out"),
            column.reason
        );
        if let Some(buckets) = column.buckets {
            let indent = name + distinct + 33;
            let _ = writeln!(
                out,
                "{:indent$}similar numbers disclose the same: buckets = {buckets}",
                ""
            );
        }
    }
    out.push_str("\nThese are proposals: nothing is decided until your plan says so.\n");
    out
}
