//! `kohort compare`: algorithms and levels against each other, and the balance between utility and risk.

use std::path::Path;

use kohort::Ratio;
use kohort::compare::{Caller, Comparison, Grid, compare, sheet, text};
use kohort::load::{Loaded, assign_roles, without_role};
use kohort::plan::Plan;

use super::anonymize::word;
use super::settings::budget;
use super::{
    inputs, keep_inputs, keep_others, nested, read_input, roles, secret, settings, write_page,
};
use crate::args::{Common, Compare};
use crate::printer::{Failure, Outcome, Printer, usage};
use crate::progress::Bar;

pub(crate) fn run(args: &Compare, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let mut plan = settings::plan(&args.columns)?;
    apply(&mut plan, args)?;
    keep(args, &plan)?;
    if kohort::nested::is_nested(&plan)? {
        return nested::compare(args, plan, (common, printer));
    }
    let table = read_input(&plan, common, printer)?;
    roles::apply(&mut plan, &args.columns, &table)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &table)?;
    if settings::is_plan(&args.columns.source) {
        notes.extend(without_role(&plan, &table, "left out of every release"));
    }
    let Loaded { value: dataset, notes: odd } = assign_roles(&plan, table)?;
    notes.extend(odd);
    printer.notes(&notes);
    let grid = grid(args, &plan)?;
    let bar = Bar::new(common);
    let clock = || bar.seconds();
    let progress = |done, total| bar.report("comparing", done, total);
    let note = |text: &str| printer.note(text);
    let caller = Caller { clock: &clock, progress: &progress, note: &note };
    let answer = compare(&plan, &dataset, &grid, caller)?;
    drop(bar);
    printer.notes(&answer.notes);
    write(args, &answer, printer)?;
    printer.data(&answer, || text(&answer))?;
    let is_any = answer.cells.iter().any(|cell| cell.release.is_some());
    Ok(if is_any { Outcome::Done } else { Outcome::No })
}

/// What flags say about the goal and the method.
fn apply(plan: &mut Plan, args: &Compare) -> Result<(), Failure> {
    let (method, flags) = (&mut plan.method, &args.grid);
    method.metric = flags.metric.clone().or(method.metric.take());
    method.seed = flags.seed.or(method.seed);
    method.budget = flags.budget.clone().or(method.budget.take());
    method.bounds = word("bounds", flags.bounds.as_deref())?.or(method.bounds);
    method.numeric = word("numeric", flags.numeric.as_deref())?.or(method.numeric);
    method.partitions = flags.partitions.or(method.partitions);
    method.transparent = flags.transparent.or(method.transparent);
    method.allow_unsafe |= flags.allow_unsafe;
    plan.goal.suppression = flags.suppression.map(Ratio::value).or(plan.goal.suppression);
    Ok(())
}

fn grid(args: &Compare, plan: &Plan) -> Result<Grid, Failure> {
    let (flags, judged) = (&args.grid, &args.judged);
    Ok(Grid {
        algorithms: flags.algorithms.iter().map(|name| name.trim().to_owned()).collect(),
        ks: flags.k.clone(),
        ls: flags.l.clone(),
        attributes: flags.attributes.clone(),
        seeds: flags.seeds.map_or_else(Vec::new, |n| (1..=n).collect()),
        folds: judged.folds,
        target: judged.target.clone(),
        utility: judged.utility,
        risk: judged.risk,
        risk_cap: judged.risk_cap,
        budget: budget(plan)?.map(|budget| budget.as_secs_f64()),
        secret: secret(None)?,
    })
}

/// Writes the sheet and the report.
fn write(args: &Compare, answer: &Comparison, printer: &Printer) -> Result<(), Failure> {
    if let Some(file) = &args.csv {
        write_sheet(file, &sheet(answer), printer)?;
    }
    write_report(args, &|| kohort::report::comparison::html(answer), printer)
}

/// Writes the report, where one is asked for.
pub(super) fn write_report(
    args: &Compare,
    html: &dyn Fn() -> String,
    printer: &Printer,
) -> Result<(), Failure> {
    let Some(report) = &args.report else { return Ok(()) };
    write_page(Path::new(report), &html())?;
    printer.note(&format!("report written to {report}"));
    Ok(())
}

/// Writes figures as a table.
pub(super) fn write_sheet(
    file: &str,
    sheet: &kohort::Table,
    printer: &Printer,
) -> Result<(), Failure> {
    let format = kohort::Format::of(Path::new(file))?;
    let staged = kohort::Staged::write(Path::new(file), &mut |out| {
        Ok(kohort::write_table(sheet, format, out)?)
    })?;
    staged.commit()?;
    printer.note(&format!("figures written to {file}"));
    Ok(())
}

/// Refuses outputs over one of the files that are read, over each other, or over somebody's file.
fn keep(args: &Compare, plan: &Plan) -> Result<(), Failure> {
    let inputs = inputs(&args.columns.source, plan);
    for output in [&args.csv, &args.report].into_iter().flatten() {
        keep_inputs(output, inputs.iter().map(AsRef::as_ref))?;
    }
    if let Some(file) = &args.csv {
        kohort::Format::of(Path::new(file))?;
        if !args.force {
            keep_tables(file)?;
        }
    }
    match &args.report {
        Some(report) if !args.force => keep_others(report),
        _ => Ok(()),
    }
}

/// Refuses a sheet over a table that is something else. An empty file holds nothing to lose.
fn keep_tables(file: &str) -> Result<(), Failure> {
    let path = Path::new(file);
    let is_empty = || path.metadata().is_ok_and(|found| found.len() == 0);
    if !path.is_file() || is_empty() {
        return Ok(());
    }
    let is_sheet = |table: &kohort::Table| {
        let starts = |names: &[&str]| {
            let found = table.columns().iter().map(kohort::Column::name);
            found.take(names.len()).eq(names.iter().copied())
        };
        starts(&["algorithm", "k", "l", "seed", "metric"])
            || starts(&["algorithm", "k", "l", "seed", "records_in", "vertices_in"])
    };
    match kohort::read_table(file, &kohort::Options::default(), &|_, _| {}) {
        Ok(read) if is_sheet(&read.table) => Ok(()),
        _ => Err(usage(
            format!("{file} already exists and is not a kohort comparison"),
            "name another file, or overwrite it with `--force`",
        )),
    }
}
