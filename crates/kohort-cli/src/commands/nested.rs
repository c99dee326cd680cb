//! The commands for records inside records: the same words and flags as for tables.

use std::path::{Path, PathBuf};

use kohort::Ctx;
use kohort::load::Loaded;
use kohort::nested::{
    self, Described, catalog, diagnosis_text, receipt_text, verdict_text, without_role,
};
use kohort::plan::Plan;
use kohort::release::{No, Order};

use super::settings::{add_levels, printed};
use super::{reading, roles};
use crate::args::{Anonymize, Common, Diagnose, Verify, duration};
use crate::printer::{Failure, Outcome, Printer, no, print, usage};
use crate::progress::{Bar, Stopwatch};

/// Reads the records of a plan, with progress and notes.
pub(super) fn read(
    plan: &Plan,
    base: &Path,
    (common, printer): (&Common, &Printer),
) -> Result<kohort::Nested, Failure> {
    let bar = Bar::new(common);
    let progress = |done, total| bar.report("reading", done, total);
    let loaded = nested::read(plan, base, &progress)?;
    drop(bar);
    printer.notes(&loaded.notes);
    Ok(loaded.value)
}

pub(super) fn anonymize(
    args: &Anonymize,
    (mut plan, base): (Plan, &Path),
    target: Option<PathBuf>,
    (common, printer): (&Common, &Printer),
    watch: &Stopwatch,
) -> Result<Outcome, Failure> {
    let records = read(&plan, base, (common, printer))?;
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
    if plan.output.report.is_some() {
        return Err(no_report());
    }
    if !args.force {
        keep_release(&target, &plan)?;
    }
    notes.extend(without_role(&plan, &records, "left out of the release"));
    let Loaded { value: described, notes: odd } = Described::new(&plan, base, records)?;
    notes.extend(odd);
    printer.notes(&notes);
    let bar = Bar::new(common);
    let budget = plan.method.budget.as_deref().map(duration).transpose();
    let budget =
        budget.map_err(|problem| usage(format!("`budget`: {problem}"), "such as `10s`"))?;
    let stop = || budget.is_some_and(|budget| bar.is_past(budget));
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let ctx = Ctx::new(&stop, &progress);
    let secret = super::secret()?;
    let order = Order { plan: &plan, base, target: &target, secret };
    let answer = nested::anonymize(order, &described, &ctx, &|step| watch.step(step))?;
    drop(bar);
    match answer {
        Ok(mut receipt) => {
            receipt.seconds = watch.seconds();
            printer.notes(&receipt.notes);
            printer.data(&receipt, || receipt_text(&receipt))?;
            Ok(Outcome::Done)
        }
        Err(No { problem, causes, hint }) => Ok(no(&problem, &causes, &hint)),
    }
}

pub(super) fn diagnose(
    args: &Diagnose,
    (mut plan, base): (Plan, &Path),
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    check_question(args)?;
    let records = read(&plan, base, (common, printer))?;
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
    let Loaded { value: described, notes: odd } = Described::new(&plan, base, records)?;
    notes.extend(odd);
    printer.notes(&notes);
    let levels = &args.question.levels;
    let answer = nested::diagnose(&described, levels.k, levels.frequency_l);
    printer.data(&answer, || diagnosis_text(&answer))?;
    Ok(if answer.holds == Some(false) { Outcome::No } else { Outcome::Done })
}

/// Refuses questions that are about tables only.
fn check_question(args: &Diagnose) -> Result<(), Failure> {
    let (asked, levels) = (&args.question, &args.question.levels);
    let given = [
        ("subsets", asked.subsets),
        ("suppress", asked.suppress.is_some()),
        ("find-suppression", asked.find_suppression),
        ("values", !asked.values.is_empty()),
        ("distinct-l", levels.distinct_l.is_some()),
        ("entropy-l", levels.entropy_l.is_some()),
        ("recursive", levels.recursive.is_some()),
        ("l-pdiversity", levels.l_pdiversity.is_some()),
        ("l-mdiversity", levels.l_mdiversity.is_some()),
        ("t", levels.t.is_some()),
        ("public", args.population.public.is_some()),
        ("sampling-fraction", args.population.sampling_fraction.is_some()),
        ("sql", args.sql.is_some()),
    ];
    if args.report.is_some() {
        return Err(no_report());
    }
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(usage(
            format!("`{name}` cannot be asked about records inside records"),
            "ask for levels with `--k` and `--frequency-l`",
        )),
    }
}

/// Refuses what is there for tables only.
pub(super) fn refuse(command: &str, plan: &Plan, base: &Path) -> Result<(), Failure> {
    if !nested::is_nested(plan, base)? {
        return Ok(());
    }
    Err(usage(
        format!("`{command}` is for tables, and the input is records inside records"),
        "`kohort diagnose`, `anonymize` and `verify` take them",
    ))
}

fn no_report() -> Failure {
    usage(
        "there is no report about records inside records",
        "leave `report` out: `--format json` has every figure",
    )
}

/// Refuses a release over a file that is no earlier release. An empty file holds nothing to lose.
fn keep_release(target: &Path, plan: &Plan) -> Result<(), Failure> {
    let holds_something = target.metadata().is_ok_and(|found| found.is_file() && found.len() > 0);
    if holds_something && !nested::is_release(target, plan) {
        return Err(usage(
            format!("{} exists already and is no release of these records", target.display()),
            "name another file with `-o`, or overwrite it with `--force`",
        ));
    }
    Ok(())
}

/// Whether a release is judged as records inside records: as its plan's input is, or where that is not
/// there, as its own file looks.
pub(super) fn is_judged(args: &Verify, plan: &Plan, base: &Path) -> Result<bool, Failure> {
    let input = args.original.clone().map(|original| (original, PathBuf::new()));
    let input = input.or_else(|| Some((plan.input.clone()?, base.to_owned())));
    let is_there = |(input, base): &(String, PathBuf)| base.join(input).exists();
    let (input, base) = input.filter(is_there).unwrap_or((args.release.clone(), PathBuf::new()));
    Ok(nested::is_nested(&Plan { input: Some(input), ..plan.clone() }, &base)?)
}

pub(super) fn verify(
    args: &Verify,
    plan: &Plan,
    base: &Path,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    let original = match &args.original {
        None => None,
        Some(original) => {
            let input = std::path::absolute(original).unwrap_or_else(|_| original.into());
            let input = Some(input.to_string_lossy().into_owned());
            let records = read(&Plan { input, ..plan.clone() }, base, (common, printer))?;
            let Loaded { value, notes } = Described::new(plan, base, records)?;
            printer.notes(&notes);
            Some(value)
        }
    };
    // How the original was written says nothing about the release, but for what stands for missing, and
    // for what a record is called.
    let mut read = reading(&args.reading);
    read.missing = read.missing.or_else(|| plan.read.missing.clone());
    read.records = read.records.or_else(|| plan.read.records.clone());
    let asked = Plan { read, ..plan.clone() };
    let verdict = nested::verify(&asked, Path::new(&args.release), original.as_ref())?;
    printer.notes(&verdict.notes);
    printer.data(&verdict, || verdict_text(&verdict))?;
    Ok(if verdict.verified { Outcome::Done } else { Outcome::No })
}
