//! `kohort anonymize`: makes a release that keeps its promise, verifies it, and writes it.

use std::path::{Path, PathBuf};

use kohort::load::{Loaded, assign_roles, without_role};
use kohort::plan::{Goal, Plan, RoleName};
use kohort::release::{forewarning, receipt_text, values_file};
use kohort::report::release_html;
use kohort::{Ctx, Message, Ratio, message};

use super::place::Place;
use super::settings::{
    add_levels, attribute, budget, input_from_here, path_from_here, printed, split_setting, written,
};
use super::{
    inputs, keep_inputs, keep_others, nested, read_input, refuse_open_folders, roles, settings,
    write_page,
};
use crate::args::{Anonymize, Common};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::{Bar, Stopwatch};

pub(crate) fn run(
    args: &Anonymize,
    common: &Common,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    let watch = Stopwatch::new("read");
    let mut plan = settings::plan(&args.columns)?;
    apply(&mut plan, args)?;
    let place = place(args, &plan)?;
    let report = report(args, &plan);
    if !args.print_plan {
        keep(args, &plan, [place.as_ref().and_then(Place::file), report.as_deref()])?;
        let file = place.as_ref().and_then(Place::written_file);
        refuse_open_folders(file, args.trust_folder, printer)?;
    }
    if kohort::nested::is_nested(&plan)? {
        refuse_parts(&plan, "a release of nested records is one file, or a folder of tables")?;
        let file = file_of_records(place)?;
        return nested::anonymize(args, plan, (file, report), (common, printer), &watch);
    }
    let table = read_input(&plan, common, printer)?;
    roles::apply(&mut plan, &args.columns, &table)?;
    roles::forget_others(&mut plan, &args.columns, &table)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &table)?;
    notes.extend(unused_weights(&plan, args, &table)?);
    if args.print_plan {
        print(&printed(&plan)?)?;
        printer.notes(&notes);
        return Ok(Outcome::Done);
    }
    let (target, earlier) = opened(place, &plan)?.open(args.force, (&plan, &table))?;
    notes.extend(without_role(&plan, &table, "left out of the release"));
    let Loaded { value: dataset, notes: odd } = assign_roles(&plan, table)?;
    notes.extend(odd);
    notes.extend(forewarning(&plan, &dataset)?.map(Message::from));
    printer.notes(&notes);
    let bar = Bar::new(common);
    let budget = budget(&plan)?;
    let stop = || budget.is_some_and(|budget| bar.is_past(budget));
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let step = |step| watch.step(step);
    let used = || budget.map_or(0.0, |budget| bar.seconds() / budget.as_secs_f64());
    let ctx = Ctx::new(&stop, &progress).with_steps(&step).with_used(&used);
    let secret = super::secret(args.method.secret_file.as_deref())?;
    let answer = target.fill(&plan, secret, &dataset, &ctx);
    drop(bar);
    match answer {
        Ok(mut receipt) => {
            receipt.seconds = watch.seconds();
            receipt.notes.extend(earlier.replaced().map(Message::from));
            printer.notes(&receipt.notes);
            if let Some(report) = &report {
                write_page(report, &release_html(&receipt))?;
                printer.note(&format!("report written to {}", report.display()));
            }
            printer.data(&receipt, || receipt_text(&receipt))?;
            Ok(Outcome::Done)
        }
        Err(stop) => printer.stopped(stop),
    }
}

/// The place of the release, which must be named and take what the plan asks for.
fn opened(place: Option<Place>, plan: &Plan) -> Result<Place, Failure> {
    let place = place.ok_or_else(|| {
        usage("no file is named for the release", "name it with `-o release.csv`")
    })?;
    if place.file().is_none() {
        refuse_parts(plan, "a release in a database is one table")?;
    }
    Ok(place)
}

/// Refuses parts where the release has none.
pub(super) fn refuse_parts(plan: &Plan, why: &str) -> Result<(), Failure> {
    match plan.output.parts {
        Some(_) => Err(usage(format!("{why}, and has no parts"), "leave `--parts` out")),
        None => Ok(()),
    }
}

/// The file of a release of nested records: they have no place in a table of a database.
fn file_of_records(place: Option<Place>) -> Result<Option<PathBuf>, Failure> {
    match place {
        Some(Place::Database(_)) => Err(usage(
            "a release of nested records does not fit into one table of a database",
            "name a file or a folder with `-o`",
        )),
        Some(Place::File(file)) => Ok(Some(file)),
        None => Ok(None),
    }
}

/// Adds the rules that flags name.
pub(super) fn add_rules(plan: &mut Plan, rules: &[String]) -> Result<(), Failure> {
    for text in rules {
        let read = Plan::parse("--rules", &format!("rules = [{text}]\n"));
        plan.rules.extend(written("rules", read)?.rules);
    }
    Ok(())
}

/// What flags say about the goal, the method and the output.
fn apply(plan: &mut Plan, args: &Anonymize) -> Result<(), Failure> {
    for setting in &args.weight {
        let (name, text) = split_setting("weight", setting)?;
        let weight = text.parse::<f64>().ok().filter(|weight| *weight > 0.0 && *weight <= 1e9);
        attribute(plan, name).weight = Some(weight.ok_or_else(|| {
            usage(
                format!("`weight` of column `{name}` must be a number above 0, at most 1e9"),
                format!("write `--weight {name}=2`"),
            )
        })?);
    }
    add_levels(&mut plan.goal, &args.levels);
    add_promises(&mut plan.goal, args)?;
    add_rules(plan, &args.promises.rules)?;
    let folder = plan.folder.clone();
    let from_here = |file: &String| path_from_here(file.clone(), &folder);
    let is_asked = |id| args.promises.principles.has(id);
    if let Some(presence) = plan.goal.delta_presence.as_mut().filter(|_| is_asked("delta-presence"))
    {
        presence.public = from_here(&presence.public);
    }
    if let Some(k_map) = plan.goal.k_map.as_mut().filter(|_| is_asked("k-map")) {
        k_map.public = k_map.public.as_ref().map(from_here);
    }
    let (method, flags) = (&mut plan.method, &args.method);
    method.algorithm = flags.algorithm.clone().or(method.algorithm.take());
    method.metric = flags.metric.clone().or(method.metric.take());
    method.seed = flags.seed.or(method.seed);
    method.budget = flags.budget.clone().or(method.budget.take());
    method.tau = flags.tau.or(method.tau);
    method.noise = flags.noise.or(method.noise);
    method.keep = flags.keep.or(method.keep);
    method.swap = flags.swap.or(method.swap);
    method.partitions = flags.partitions.or(method.partitions);
    method.transparent = flags.transparent.or(method.transparent);
    method.allow_unsafe |= flags.allow_unsafe;
    method.bounds = word("bounds", flags.bounds.as_deref())?.or(method.bounds);
    method.numeric = word("numeric", flags.numeric.as_deref())?.or(method.numeric);
    method.center = word("center", flags.center.as_deref())?.or(method.center);
    method.policy = word("policy", flags.policy.as_deref())?.or(method.policy);
    method.form = word("form", flags.form.as_deref())?.or(method.form);
    let output = &mut plan.output;
    output.parts = args.parts.or(output.parts);
    output.suppressed = word("suppressed", args.suppressed.as_deref())?.or(output.suppressed);
    output.anatomy = word("anatomy", args.anatomy.as_deref())?.or(output.anatomy);
    // The report that a plan names is about the release that it names.
    let is_elsewhere = args.output.is_some() && output.release.is_some();
    let planned = output.report.take().filter(|_| !is_elsewhere);
    let place = |file: &String| input_from_here(file.as_str().into(), &folder).to_string();
    output.release = args.output.as_ref().map(place).or(output.release.take());
    output.report = args.report.as_ref().map(from_here).or(planned);
    Ok(())
}

/// Notes about weights of columns that lose nothing.
fn unused_weights(
    plan: &Plan,
    args: &Anonymize,
    table: &kohort::Table,
) -> Result<Vec<Message>, Failure> {
    let mut notes: Vec<Message> = Vec::new();
    for setting in &args.weight {
        let (name, _) = split_setting("weight", setting)?;
        table.column(name)?;
        let role = plan.attributes.get(name).map(|attribute| attribute.full().role);
        if role != Some(RoleName::Quasi) {
            notes.push(message!(
                "`--weight` of column `{name}` is not used: the column is not a quasi-identifier"
            ));
        }
    }
    Ok(notes)
}

/// A word of a plan, as a flag.
pub(super) fn word<T: std::str::FromStr<Err = String>>(
    flag: &str,
    text: Option<&str>,
) -> Result<Option<T>, Failure> {
    let read = |text: &str| {
        text.parse().map_err(|problem| {
            usage(
                format!("`{flag}` {problem}"),
                format!("see `kohort anonymize --help` for `--{flag}`"),
            )
        })
    };
    text.map(read).transpose()
}

/// Puts promises that are written as in a plan into a goal.
fn add_promises(goal: &mut Goal, args: &Anonymize) -> Result<(), Failure> {
    let given = &args.promises;
    for (name, text) in given.principles.iter() {
        let read = Plan::parse(&format!("--{name}"), &format!("[goal]\n{name} = {text}\n"));
        goal.take_from(written(name, read)?.goal);
    }
    goal.suppression = given.suppression.map(Ratio::value).or(goal.suppression);
    Ok(())
}

/// Where the release goes.
fn place(args: &Anonymize, plan: &Plan) -> Result<Option<Place>, Failure> {
    if args.output.as_deref() == Some("-") {
        return Err(usage(
            "a release is verified before it appears, which standard output does not allow",
            "name a file with `-o release.csv`",
        ));
    }
    Place::of(args.output.as_ref(), plan)
}

/// Where the report goes, by the same rule.
fn report(args: &Anonymize, plan: &Plan) -> Option<PathBuf> {
    let planned = || plan.output.report.as_ref().map(|report| plan.path(report));
    args.report.as_ref().map(PathBuf::from).or_else(planned)
}

/// Refuses a release or a report over one of the files that are read, a report over the release, and
/// a report over somebody's file.
fn keep(
    args: &Anonymize,
    plan: &Plan,
    [target, report]: [Option<&Path>; 2],
) -> Result<(), Failure> {
    let inputs = inputs(&args.columns.source, plan);
    let values = target.map(values_file);
    let releases = target.into_iter().chain(values.as_deref());
    for output in releases.clone().chain(report) {
        keep_inputs(&output.to_string_lossy(), inputs.iter().map(AsRef::as_ref))?;
    }
    let Some(report) = report else { return Ok(()) };
    if releases.into_iter().any(|release| release == report) {
        return Err(usage(
            format!("{} is where the release goes", report.display()),
            "name another file with `--report release.html`",
        ));
    }
    if args.force { Ok(()) } else { keep_others(&report.to_string_lossy()) }
}
