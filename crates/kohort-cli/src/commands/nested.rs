//! The commands for records inside records: the same words and flags as for tables.

use std::path::{Path, PathBuf};

use kohort::Ctx;
use kohort::compare::Caller;
use kohort::load::Loaded;
use kohort::nested::{
    self, Described, catalog, diagnosis_text, receipt_text, verdict_text, without_role,
};
use kohort::plan::{Input, Plan};
use kohort::release::ReleaseFile;
use kohort::report::comparison::nested_html as comparison_html;
use kohort::report::nested_html;

use super::attack::told;
use super::compare::{write_report, write_sheet};
use super::settings::{add_levels, budget, printed};
use super::{passwords, reading, roles, write_page};
use crate::args::{Anonymize, Attack, Common, Compare, Diagnose, Verify};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::{Bar, Stopwatch};

/// Reads the records of a plan, with progress and notes.
pub(super) fn read(
    plan: &Plan,
    (common, printer): (&Common, &Printer),
) -> Result<kohort::Nested, Failure> {
    let loaded = passwords::reading(plan, |plan| {
        let bar = Bar::new(common);
        let progress = |done, total| bar.report("reading", done, total);
        nested::read(plan, &progress)
    })?;
    printer.notes(&loaded.notes);
    Ok(loaded.value)
}

pub(super) fn anonymize(
    args: &Anonymize,
    mut plan: Plan,
    (target, report): (Option<PathBuf>, Option<PathBuf>),
    (common, printer): (&Common, &Printer),
    watch: &Stopwatch,
) -> Result<Outcome, Failure> {
    let records = read(&plan, (common, printer))?;
    let paths = catalog(&records);
    roles::apply(&mut plan, &args.columns, &paths)?;
    roles::forget_others(&mut plan, &args.columns, &paths)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &paths)?;
    if args.print_plan {
        print(&printed(&plan)?)?;
        printer.notes(&notes);
        return Ok(Outcome::Done);
    }
    let target = target.ok_or_else(|| {
        usage("no file is named for the release", "name it with `-o release.json`")
    })?;
    if !args.force {
        keep_release(&target, &plan)?;
    }
    notes.extend(without_role(&plan, &records, "left out of the release"));
    let Loaded { value: described, notes: odd } = Described::new(&plan, records)?;
    notes.extend(odd);
    printer.notes(&notes);
    let bar = Bar::new(common);
    let budget = budget(&plan)?;
    let stop = || budget.is_some_and(|budget| bar.is_past(budget));
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let step = |step| watch.step(step);
    let ctx = Ctx::new(&stop, &progress).with_steps(&step);
    let secret = super::secret(args.method.secret_file.as_deref())?;
    let answer = nested::anonymize((&plan, secret), &target, &described, &ctx);
    drop(bar);
    match answer {
        Ok(mut receipt) => {
            receipt.seconds = watch.seconds();
            printer.notes(&receipt.notes);
            if let Some(report) = &report {
                write_page(report, &nested_html(&receipt))?;
                printer.note(&format!("report written to {}", report.display()));
            }
            printer.data(&receipt, || receipt_text(&receipt))?;
            Ok(Outcome::Done)
        }
        Err(stop) => printer.stopped(stop),
    }
}

pub(super) fn diagnose(
    args: &Diagnose,
    mut plan: Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    check_question(args)?;
    let records = read(&plan, (common, printer))?;
    let paths = catalog(&records);
    roles::apply(&mut plan, &args.columns, &paths)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &paths)?;
    if args.print_plan {
        add_levels(&mut plan.goal, &args.question.levels);
        print(&printed(&plan)?)?;
        printer.notes(&notes);
        return Ok(Outcome::Done);
    }
    notes.extend(without_role(&plan, &records, "not looked at"));
    let Loaded { value: described, notes: odd } = Described::new(&plan, records)?;
    notes.extend(odd);
    printer.notes(&notes);
    let levels = &args.question.levels;
    let answer = nested::diagnose(&described, levels.k(), levels.frequency_l());
    printer.data(&answer, || diagnosis_text(&answer))?;
    Ok(if answer.holds == Some(false) { Outcome::No } else { Outcome::Done })
}

/// Refuses questions that are about tables only.
fn check_question(args: &Diagnose) -> Result<(), Failure> {
    let (asked, levels) = (&args.question, &args.question.levels);
    let of_tables =
        levels.asked().map(|(flag, _)| flag).find(|flag| !["k", "frequency-l"].contains(flag));
    let given = [
        ("subsets", asked.subsets),
        ("suppress", asked.suppress.is_some()),
        ("find-suppression", asked.find_suppression),
        ("values", !asked.values.is_empty()),
        (of_tables.unwrap_or_default(), of_tables.is_some()),
        ("public", args.population.public.is_some()),
        ("sampling-fraction", args.population.sampling_fraction.is_some()),
        ("sql", args.sql.is_some()),
    ];
    if args.report.is_some() {
        return Err(usage(
            "there is no report for the diagnosis of nested records",
            "leave `report` out: `--format json` has every figure",
        ));
    }
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(usage(
            format!("`{name}` cannot be asked about nested records"),
            "ask for levels with `--k` and `--frequency-l`",
        )),
    }
}

/// Refuses a release over a file that is no earlier release. An empty file holds nothing to lose.
fn keep_release(target: &Path, plan: &Plan) -> Result<(), Failure> {
    let holds_something = target.metadata().is_ok_and(|found| found.is_file() && found.len() > 0);
    if holds_something && !nested::is_release(target, plan) {
        return Err(usage(
            format!("{} already exists and is not a release of these records", target.display()),
            "name another file with `-o`, or overwrite it with `--force`",
        ));
    }
    Ok(())
}

/// Whether a release is taken for records inside records: as the original is, or the input of its plan, or
/// where neither is there, as its own file looks.
pub(super) fn is_release_of(
    (release, original): (&str, Option<&String>),
    plan: &Plan,
) -> Result<bool, Failure> {
    let input = original.map(PathBuf::from);
    let input = input.or_else(|| plan.input.as_ref().map(|input| plan.path(&**input)));
    let input = input.filter(|input| input.exists()).unwrap_or_else(|| release.into());
    let (input, folder) = (Some(input.to_string_lossy().into_owned().into()), PathBuf::new());
    Ok(nested::is_nested(&Plan { input, folder, ..plan.clone() })?)
}

/// Reads the original of a release, where it is named.
fn original(
    named: Option<&String>,
    plan: &Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Option<Described>, Failure> {
    let Some(named) = named else { return Ok(None) };
    let absolute = |path: &str| {
        std::path::absolute(path).map_or(path.into(), |path| path.to_string_lossy().into())
    };
    let input = Some(Input::from(named.as_str()).with_path(absolute));
    let records = read(&Plan { input, ..plan.clone() }, (common, printer))?;
    let Loaded { value, notes } = Described::new(plan, records)?;
    printer.notes(&notes);
    Ok(Some(value))
}

pub(super) fn verify(
    args: &Verify,
    plan: &Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    let original = original(args.original.first(), plan, (common, printer))?;
    let release = ReleaseFile { path: Path::new(&args.releases[0]), said: reading(&args.reading) };
    let verdict = nested::verify(plan, release, original.as_ref())?;
    printer.notes(&verdict.notes);
    printer.data(&verdict, || verdict_text(&verdict))?;
    Ok(if verdict.verified { Outcome::Done } else { Outcome::No })
}

pub(super) fn attack(
    args: &Attack,
    plan: &Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    check_background(args)?;
    let original = original(args.background.original.last(), plan, (common, printer))?;
    let only: Vec<String> = args.only.iter().map(|id| id.trim().to_owned()).collect();
    let bar = Bar::new(common);
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let ctx = Ctx::new(&|| false, &progress);
    if args.releases.len() > 1 {
        return Err(usage(
            "a series of releases is attacked as tables, and this one has nested records",
            "name one release",
        ));
    }
    let release = ReleaseFile { path: Path::new(args.newest()), said: reading(&args.reading) };
    let answer = nested::attack(plan, release, original.as_ref(), &only, &ctx)?;
    drop(bar);
    told(args, &answer, printer)
}

/// Refuses what is known about tables only.
fn check_background(args: &Attack) -> Result<(), Failure> {
    let background = &args.background;
    let given = [
        ("public", background.public.is_some()),
        ("key", background.key.is_some()),
        ("knowledge", background.knowledge.is_some()),
        ("release2", !background.release2.is_empty()),
        ("sampled", background.sampled.is_some()),
        ("quasi", !args.quasi.is_empty()),
        ("sensitive", !args.sensitive.is_empty()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None if args.plan.is_some() => Ok(()),
        None => Err(usage(
            "the roles of paths are not known",
            "name the plan that the release was made by: `--plan plan.toml`",
        )),
        Some((name, _)) => Err(usage(
            format!("`{name}` is for tables, and the release is nested records"),
            "`--plan` has the roles of paths, and `--original` the targets",
        )),
    }
}

pub(super) fn compare(
    args: &Compare,
    mut plan: Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    check_grid(args)?;
    let records = read(&plan, (common, printer))?;
    let paths = catalog(&records);
    roles::apply(&mut plan, &args.columns, &paths)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &paths)?;
    notes.extend(without_role(&plan, &records, "left out of every release"));
    let Loaded { value: described, notes: odd } = Described::new(&plan, records)?;
    notes.extend(odd);
    printer.notes(&notes);
    let flags = &args.grid;
    let grid = nested::NestedGrid {
        algorithms: flags.algorithms.iter().map(|name| name.trim().to_owned()).collect(),
        ks: flags.k.clone(),
        ls: flags.l.clone(),
        seeds: flags.seeds.map_or_else(Vec::new, |n| (1..=n).collect()),
        budget: budget(&plan)?.map(|budget| budget.as_secs_f64()),
        secret: super::secret(None)?,
    };
    let bar = Bar::new(common);
    let clock = || bar.seconds();
    let progress = |done, total| bar.report("comparing", done, total);
    let note = |text: &str| printer.note(text);
    let caller = Caller { clock: &clock, progress: &progress, note: &note };
    let answer = nested::compare(&plan, &described, &grid, caller)?;
    drop(bar);
    if let Some(file) = &args.csv {
        write_sheet(file, &nested::sheet(&answer), printer)?;
    }
    write_report(args, &|| comparison_html(&answer), printer)?;
    printer.data(&answer, || nested::compare_text(&answer))?;
    let is_any = answer.cells.iter().any(|cell| cell.release.is_some());
    Ok(if is_any { Outcome::Done } else { Outcome::No })
}

/// Refuses what is compared about tables only.
fn check_grid(args: &Compare) -> Result<(), Failure> {
    let no_learner = "nothing is predicted from nested records";
    let given = [
        ("attributes", !args.grid.attributes.is_empty(), "every sensitive attribute is published"),
        ("target", args.judged.target.is_some(), no_learner),
        ("folds", args.judged.folds.is_some(), no_learner),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((name, _, reason)) => Err(usage(
            format!("`{name}` cannot be compared for nested records: {reason}"),
            "leave it out: `query_accuracy` measures counting queries, and `--seeds` shows how \
             much a figure depends on the order of the people",
        )),
    }
}
