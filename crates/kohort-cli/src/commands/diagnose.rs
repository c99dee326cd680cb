//! `kohort diagnose`: what a table already guarantees and what it gives away.

use std::path::Path;

use kohort::diagnose::{Principle, Question, diagnose, text};
use kohort::goal::{Asked, principles};
use kohort::load::{Loaded, assign_roles, load_table, without_role};
use kohort::people::{note, repeated};
use kohort::plan::{AttributePlan, Plan, RoleName, UnitName};
use kohort::sql::{Names, sql};
use kohort::{Ctx, Table};

use super::{
    inputs, keep_inputs, keep_others, nested, plan_for, read_input, roles, settings, write_page,
};
use crate::args::{Common, Diagnose, Reading, list};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::Bar;

pub(crate) fn run(args: &Diagnose, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let mut plan = settings::plan(&args.columns)?;
    keep_report(args, &plan)?;
    if kohort::nested::is_nested(&plan)? {
        return nested::diagnose(args, plan, (common, printer));
    }
    let table = read_input(&plan, common, printer)?;
    roles::apply(&mut plan, &args.columns, &table)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &table)?;
    if settings::is_plan(&args.columns.source) {
        notes.extend(without_role(&plan, &table, "not looked at"));
    }
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
    printer.notes(&notes);
    if let Some(report) = &args.report {
        write_page(Path::new(report), &kohort::report::html(&answer))?;
        printer.note(&format!("report written to {report}"));
    }
    printer.data(&answer, || text(&answer))?;
    Ok(if answer.holds == Some(false) { Outcome::No } else { Outcome::Done })
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
    let k = args.question.levels.k.or(plan.goal.k_anonymity).unwrap_or(2);
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
    let mut principles = Vec::new();
    principles.extend(levels.distinct_l.map(|l| Principle::DistinctL(l, None)));
    principles.extend(levels.frequency_l.map(|l| Principle::FrequencyL(l, None)));
    principles.extend(levels.entropy_l.map(|l| Principle::EntropyL(l, None)));
    principles.extend(levels.recursive.map(|(c, l)| Principle::Recursive(c, l, None)));
    principles.extend(levels.l_pdiversity.map(Principle::LPdiversity));
    principles.extend(levels.l_mdiversity.map(Principle::LMdiversity));
    principles.extend(levels.t.map(|t| Principle::T(t, settings::distance(levels), None)));
    Ok(Question {
        subsets: asked.subsets,
        k: levels.k,
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
