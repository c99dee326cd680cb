//! `kohort diagnose`: what a table already guarantees and what it gives away.

use std::path::Path;

use kohort::diagnose::{Diagnosis, Principle, Question, diagnose, text};
use kohort::goal::{Asked, principles};
use kohort::in_place::InPlace;
use kohort::load::{Loaded, assign_roles, load_table, without_role};
use kohort::people::{note, repeated};
use kohort::plan::{AttributePlan, Plan, RoleName, UnitName};
use kohort::sql::{Names, sql};
use kohort::{Ctx, Message, Table};

use super::{
    inputs, keep_inputs, keep_others, nested, passwords, plan_for, read_input, roles, settings,
    write_page,
};
use crate::args::{Common, Diagnose, Reading, list};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::Bar;

pub(crate) fn run(args: &Diagnose, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let mut plan = settings::plan(&args.columns)?;
    keep_report(args, &plan)?;
    if args.in_place {
        return in_place(args, plan, (common, printer));
    }
    if kohort::nested::is_nested(&plan)? {
        return nested::diagnose(args, plan, (common, printer));
    }
    let table = read_input(&plan, common, printer)?;
    roles::apply(&mut plan, &args.columns, &table)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &table)?;
    let new = new_columns(args, &plan, &table)?;
    notes.extend(new.clone());
    let mut question = question(args, &plan)?;
    if args.print_plan {
        settings::add_levels(&mut plan.goal, &args.question.levels);
        let suppress = args.question.suppress.map(kohort::Ratio::value);
        plan.goal.suppression = suppress.or(plan.goal.suppression);
        print(&settings::printed(&plan)?)?;
        printer.notes(&notes);
        return Ok(Outcome::Done);
    }
    let people = repeated(&plan, &table)?;
    notes.extend(note(&plan, &table, people.as_ref()));
    question.person = people.filter(|_| !question.rows).map(|people| people.column);
    let Loaded { value: dataset, notes: odd } = assign_roles(&plan, table)?;
    notes.extend(odd);
    question.border_k = border_k(args, &plan);
    let goal = goal(&plan, &question)?;
    notes.extend(Asked::new(&goal, &dataset.sensitive())?.notes().iter().cloned());
    if let Some(dialect) = args.sql {
        let table = stem(plan.input.as_deref().unwrap_or_default());
        let public = args.population.public.as_deref().map(stem);
        let names = Names::new(&dataset, &table, public.as_deref());
        print(&sql(dialect, &names, &question, &goal)?)?;
        printer.notes(&notes);
        return Ok(Outcome::Done);
    }
    let public = public(args, &plan.read)?;
    // The budget is for the search: its clock starts when everything is read.
    let bar = Bar::new(common);
    let budget = args.question.budget;
    let stop = || bar.is_past(budget);
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let ctx = Ctx::new(&stop, &progress);
    let answer = diagnose(&dataset, &question, &goal, public.as_ref(), &ctx)?;
    drop(bar);
    finish(args, &answer, (&notes, new.is_some()), printer)
}

/// The same, counted by the database that has the table.
fn in_place(
    args: &Diagnose,
    mut plan: Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    if kohort::nested::is_nested(&plan)? {
        return Err(usage(
            "nested records are not counted in a database",
            "leave `--in-place` out: kohort reads the tables",
        ));
    }
    let mut place = passwords::reading(&plan, InPlace::open)?;
    roles::apply(&mut plan, &args.columns, place.columns())?;
    let mut notes = roles::unused_settings(&plan, &args.columns, place.columns())?;
    let new = new_columns(args, &plan, place.columns())?;
    notes.extend(new.clone());
    let question = question(args, &plan)?;
    let goal = goal(&plan, &question)?;
    let bar = Bar::new(common);
    let stop = || false;
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let ctx = Ctx::new(&stop, &progress);
    let public = args.population.public.as_deref();
    let answer = place.diagnose(&plan, (&question, &goal), public, &ctx)?;
    drop(bar);
    finish(args, &answer, (&notes, new.is_some()), printer)
}

/// The columns that a plan gives no role, in words; none where no plan is named.
fn new_columns(args: &Diagnose, plan: &Plan, table: &Table) -> Result<Option<Message>, Failure> {
    if settings::is_plan(&args.columns.source) {
        return Ok(without_role(plan, table, "not looked at"));
    }
    if args.fail_on_new_columns {
        return Err(usage(
            "`--fail-on-new-columns` is about the columns that a plan does not name, and no plan is named",
            "give the plan instead of the table",
        ));
    }
    Ok(None)
}

/// Writes and prints an answer, which is no where columns are new and must not be.
fn finish(
    args: &Diagnose,
    answer: &Diagnosis,
    (notes, has_new_columns): (&[Message], bool),
    printer: &Printer,
) -> Result<Outcome, Failure> {
    printer.notes(notes);
    if let Some(report) = &args.report {
        write_page(Path::new(report), &kohort::report::html(answer))?;
        printer.note(&format!("report written to {report}"));
    }
    printer.data(answer, || text(answer))?;
    let is_new = args.fail_on_new_columns && has_new_columns;
    Ok(if answer.holds == Some(false) || is_new { Outcome::No } else { Outcome::Done })
}

/// Refuses a report that would overwrite an input or somebody's file.
fn keep_report(args: &Diagnose, plan: &Plan) -> Result<(), Failure> {
    let Some(report) = &args.report else { return Ok(()) };
    let mut inputs = inputs(&args.columns.source, plan);
    inputs.extend(args.population.public.as_deref().map(Into::into));
    keep_inputs(report, inputs.iter().map(AsRef::as_ref))?;
    if args.force { Ok(()) } else { keep_others(report) }
}

/// The k whose borders a report draws.
fn border_k(args: &Diagnose, plan: &Plan) -> Option<u64> {
    let k = args.question.levels.k().or(plan.goal.k_anonymity).unwrap_or(2);
    args.report.as_ref().map(|_| k)
}

/// The promises of the plan's goal. What the question asks for too is judged once, as asked.
fn goal(plan: &Plan, question: &Question) -> Result<Vec<Principle>, Failure> {
    let mut goal = principles(&plan.goal)?;
    if !question.subsets {
        let asked = question.asked();
        goal.retain(|promise| !asked.iter().any(|asked| asked.covers(promise)));
    }
    Ok(goal)
}

/// What a database would call the table of a file: `data/patients.csv.gz` is `patients`.
fn stem(file: &str) -> String {
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.into_owned(),
    }
}

fn question(args: &Diagnose, plan: &Plan) -> Result<Question, Failure> {
    let (asked, levels) = (&args.question, &args.question.levels);
    let is_k = |asked: &Principle| matches!(asked, Principle::KAnonymity(_));
    let principles = levels.asked().map(|(_, asked)| asked).filter(|asked| !is_k(asked)).collect();
    Ok(Question {
        subsets: asked.subsets,
        k: levels.k(),
        suppress: asked.suppress,
        find_suppression: asked.find_suppression,
        principles,
        max_size: asked.max_size,
        sampling_fraction: args.population.sampling_fraction,
        values: chosen_values(args, plan)?,
        riskiest: asked.riskiest,
        border_k: None,
        person: None,
        rows: plan.unit == Some(UnitName::Row),
    })
}

/// The values whose share is asked for, each with its column.
fn chosen_values(args: &Diagnose, plan: &Plan) -> Result<Vec<(String, String)>, Failure> {
    let is_sensitive = |plan: &AttributePlan| plan.full().role == RoleName::Sensitive;
    let sensitive = plan.attributes.iter().filter(|(_, attribute)| is_sensitive(attribute));
    let sensitive: Vec<&str> = sensitive.map(|(name, _)| name.as_str()).collect();
    let mut values = Vec::new();
    for setting in &args.question.values {
        let (name, given) = match (setting.split_once('='), &sensitive[..]) {
            (Some((name, given)), _) => (name.trim(), given),
            (None, [only]) => (*only, setting.as_str()),
            (None, _) => {
                return Err(usage(
                    "`values` must name its column when there is not exactly one sensitive one",
                    "write `--values disease=flu,cold`",
                ));
            }
        };
        values.extend(list(given).into_iter().map(|value| (name.to_owned(), value)));
    }
    Ok(values)
}

fn public(args: &Diagnose, read: &kohort::plan::Reading) -> Result<Option<Table>, Failure> {
    let Some(path) = &args.population.public else { return Ok(None) };
    let missing = Reading { missing: read.missing.clone(), ..Reading::default() };
    let plan = plan_for(path, &missing);
    Ok(Some(load_table(&plan, &|_, _| {})?.value))
}
