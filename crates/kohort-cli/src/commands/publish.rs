//! `kohort publish`: the next release of a series, made against the books and recorded in them.

use std::path::{Path, PathBuf};

use kohort::load::{Loaded, assign_roles, without_role};
use kohort::plan::Plan;
use kohort::report::series_html;
use kohort::series::{SeriesOrder, SeriesReceipt, publish, series_text};
use kohort::{Ctx, Ratio};

use super::anonymize::{refuse_parts, word};
use super::secrets::{kept_head, now, secret};
use super::settings::{input_from_here, path_from_here, printed};
use super::{inputs, keep_inputs, read_input, refuse_open_folders, roles, settings, write_page};
use crate::args::{Common, Publish};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::{Bar, Stopwatch};

pub(crate) fn run(args: &Publish, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let watch = Stopwatch::new("read");
    let mut plan = settings::plan(&args.columns)?;
    apply(&mut plan, args)?;
    refuse_nested(&plan)?;
    let table = read_input(&plan, common, printer)?;
    roles::apply(&mut plan, &args.columns, &table)?;
    roles::forget_others(&mut plan, &args.columns, &table)?;
    let mut notes = roles::unused_settings(&plan, &args.columns, &table)?;
    if args.print_plan {
        print(&printed(&plan)?)?;
        printer.notes(&notes);
        return Ok(Outcome::Done);
    }
    let series = plan.series.name.clone().ok_or_else(|| {
        usage("no series is named", "name it with `--series`, or `name` in the plan's `[series]`")
    })?;
    let ledger = ledger(args, &plan)?;
    let output = output(&plan, &series)?;
    let numbered =
        |name: &str, release: u32| PathBuf::from(name.replace("{release}", &release.to_string()));
    let target = |release: u32| numbered(&output, release);
    let report = report(&plan)?;
    let report = |release: u32| report.as_deref().map(|name| numbered(name, release));
    refuse_open_folders([&*ledger, &target(1)], args.trust_folder, printer)?;
    notes.extend(without_role(&plan, &table, "left out of the release"));
    if plan.goal != kohort::plan::Goal::default() {
        notes.push(
            "the plan's `[goal]` is for `anonymize`: a series promises what its method does".into(),
        );
    }
    let Loaded { value: dataset, notes: odd } = assign_roles(&plan, table)?;
    notes.extend(odd);
    printer.notes(&notes);
    let secret = secret(&args.key, !ledger.exists())?;
    let bar = Bar::new(common);
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let step = |step| watch.step(step);
    let ctx = Ctx::new(&|| false, &progress).with_steps(&step);
    let order = SeriesOrder {
        plan: &plan,
        series: &series,
        ledger: &ledger,
        secret: &secret,
        head: &kept_head(&args.key),
        target: &target,
        report: &report,
        force: args.force,
        inputs: &inputs(&args.columns.source, &plan),
        now: now(),
    };
    let answer = publish(&order, &dataset, &ctx);
    drop(bar);
    match answer {
        Ok(mut receipt) => {
            receipt.seconds = watch.seconds();
            told(&receipt, report(receipt.release).as_deref(), printer)
        }
        Err(stop) => printer.stopped(stop),
    }
}

/// Says what was published, and writes the report. The receipt comes first: its head is needed whatever
/// becomes of the page.
fn told(
    receipt: &SeriesReceipt,
    report: Option<&Path>,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    printer.notes(&receipt.notes);
    printer.data(receipt, || series_text(receipt))?;
    if let Some(report) = report {
        write_page(report, &series_html(receipt))?;
        printer.note(&format!("report written to {}", report.display()));
    }
    Ok(Outcome::Done)
}

/// Refuses records inside records.
fn refuse_nested(plan: &Plan) -> Result<(), Failure> {
    if kohort::nested::is_nested(plan)? {
        return Err(usage(
            "series are for tables, and this input has nested records",
            "publish a table with one row for each person; `kohort anonymize` makes single \
             releases of nested records",
        ));
    }
    Ok(())
}

/// What flags say about the series, the input and the output.
fn apply(plan: &mut Plan, args: &Publish) -> Result<(), Failure> {
    let folder = plan.folder.clone();
    let from_here = |file: &String| path_from_here(file.clone(), &folder);
    let given = args.input.as_deref().map(|input| input_from_here(input.into(), &folder));
    plan.input = given.or(plan.input.take());
    // `--key` names the column of a series here, and the one of related tables elsewhere.
    if let Some(key) = &args.columns.related.key {
        plan.key = None;
        plan.series.key = Some(key.clone());
    }
    let (series, flags) = (&mut plan.series, &args.series);
    series.name = flags.name.clone().or(series.name.take());
    series.ledger = args.key.ledger.as_ref().map(from_here).or(series.ledger.take());
    series.method = flags.method.clone().or(series.method.take());
    series.m = flags.m.or(series.m);
    series.e = flags.e.or(series.e);
    series.k = flags.k.or(series.k);
    series.l = flags.l.or(series.l);
    series.horizon = flags.horizon.or(series.horizon);
    series.rho = flags.rho.map(Ratio::value).or(series.rho);
    series.confidence = flags.confidence.map(Ratio::value).or(series.confidence);
    series.correlations = flags.correlations.as_ref().map(from_here).or(series.correlations.take());
    series.surplus = word("surplus", flags.surplus.as_deref())?.or(series.surplus);
    series.slack = flags.slack.map(Ratio::value).or(series.slack);
    series.most_counterfeits = flags.most_counterfeits.or(series.most_counterfeits);
    plan.method.seed = args.seed.or(plan.method.seed);
    let output = &mut plan.output;
    // The report that a plan names is about the release that it names.
    let is_elsewhere = args.output.is_some() && output.release.is_some();
    let planned = output.report.take().filter(|_| !is_elsewhere);
    output.release = args.output.as_ref().map(from_here).or(output.release.take());
    output.report = args.report.as_ref().map(from_here).or(planned);
    Ok(())
}

/// The ledger: where the plan or a flag says, or beside the plan.
fn ledger(args: &Publish, plan: &Plan) -> Result<PathBuf, Failure> {
    let name = plan.series.ledger.as_deref().unwrap_or("kohort.ledger");
    let path = absolute(&plan.path(name))?;
    let read = inputs(&args.columns.source, plan);
    keep_inputs(&path.to_string_lossy(), read.iter().map(AsRef::as_ref))?;
    Ok(path)
}

/// Where releases go: where the plan or a flag says, or beside the plan.
fn output(plan: &Plan, series: &str) -> Result<String, Failure> {
    refuse_parts(plan, "a release of a series is one file")?;
    let default = || format!("{series}-{{release}}.csv");
    let name = plan.output.release.clone().unwrap_or_else(default);
    Ok(absolute(&plan.path(name))?.to_string_lossy().into_owned())
}

/// Where the report goes, where one is asked for.
fn report(plan: &Plan) -> Result<Option<String>, Failure> {
    let Some(name) = &plan.output.report else { return Ok(None) };
    Ok(Some(absolute(&plan.path(name))?.to_string_lossy().into_owned()))
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        usage(format!("{}: {error}", path.display()), "name a file that can be written")
    })
}
