//! `kohort verify`: judges somebody's release, or the releases of a series, against a plan.

use std::path::{Path, PathBuf};

use kohort::attack;
use kohort::attack::verify_beside;
use kohort::load::{Loaded, assign_roles};
use kohort::plan::{Plan, RoleName};
use kohort::release::{Published, ReleaseFile, Verdict, verdict_text, verify};
use kohort::series::{self, Made, is_of_series, series_verdict_text};
use kohort::{Cx, Dataset};

use super::{nested, place, read_original, reading};
use crate::args::{Common, Verify};
use crate::printer::{Failure, Outcome, Printer, failed, usage};

pub(crate) fn run(args: &Verify, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let plan = Plan::open(Path::new(&args.plan))?;
    check_originals(args)?;
    let n_releases = args.releases.len();
    let is_one_table = n_releases == 1 && !is_of_series(&plan);
    let is_nested = nested::is_release_of((&args.releases[0], args.original.first()), &plan)?;
    if !args.release2.is_empty() && (!is_one_table || is_nested) {
        return Err(usage(
            "`--release2` is for one release of a table",
            "name the releases of a series in order, without it",
        ));
    }
    if is_nested {
        if n_releases > 1 {
            return Err(usage(
                "series are for tables, and this release has nested records",
                "name one release",
            ));
        }
        return nested::verify(args, &plan, (common, printer));
    }
    if n_releases > 1 || is_of_series(&plan) {
        return verify_series(args, &plan, (common, printer));
    }
    let original = match args.original.first() {
        None => None,
        Some(original) => {
            let table = original_of(original, &plan, (common, printer))?;
            let Loaded { value, notes } = assign_roles(&plan, table)?;
            printer.notes(&notes);
            Some(value)
        }
    };
    let asked = of_release(&plan, args);
    let release = ReleaseFile { path: Path::new(&args.releases[0]), said: reading(&args.reading) };
    let mut verdict = judged(&release, &asked, original.as_ref(), (common, printer))?;
    if !args.release2.is_empty() {
        let sensitive = sensitive(&plan);
        // Another release need not be written as this one is.
        let either = Plan { read: reading(&args.reading).or(&asked.read), ..asked.clone() };
        let read = |plan: &Plan, file: ReleaseFile<'_>| {
            let name = file.path.to_string_lossy();
            match place::published(&name, plan, (common, printer))? {
                Some(stored) => Ok::<_, Failure>(stored),
                None => Ok(attack::read(plan, file, &sensitive, false, &|_, _| {})?.value),
            }
        };
        let others = args.release2.iter().map(|file| read(&either, Path::new(file).into()));
        let others = others.collect::<Result<Vec<_>, _>>()?;
        let original = original.map(|original| original.table().clone());
        let own = read(&asked, release)?;
        verify_beside(&mut verdict, &plan, (own, others), original)?;
    }
    printer.notes(&verdict.notes);
    printer.data(&verdict, || verdict_text(&verdict))?;
    Ok(if verdict.verified { Outcome::Done } else { Outcome::No })
}

/// Judges a release in a file or in a database.
fn judged(
    release: &ReleaseFile<'_>,
    plan: &Plan,
    original: Option<&Dataset>,
    surface: (&Common, &Printer),
) -> Result<Verdict, Failure> {
    let name = release.path.to_string_lossy();
    Ok(match place::in_database(&name, plan, surface)? {
        Some((table, values)) => {
            let published = Published { table: &table, values: values.as_ref() };
            let original = original.map(Dataset::table);
            kohort::verify(published, plan, original, &Cx::default()).map_err(failed)?
        }
        None => verify(plan, release.clone(), original)?,
    })
}

/// Refuses originals that are not one for each release.
fn check_originals(args: &Verify) -> Result<(), Failure> {
    let (n_releases, n_originals) = (args.releases.len(), args.original.len());
    if n_originals == 0 || n_originals == n_releases {
        return Ok(());
    }
    Err(usage(
        format!(
            "`original` must be given once for each release, but is given {n_originals} times for \
             {n_releases}"
        ),
        "name the table of each release, in their order: `--original T1 --original T2`",
    ))
}

fn verify_series(
    args: &Verify,
    plan: &Plan,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    let sensitive = sensitive(plan);
    let mut made = Vec::new();
    for (at, file) in args.releases.iter().enumerate() {
        let release = ReleaseFile { path: Path::new(file), said: reading(&args.reading) };
        let found = attack::read(plan, release, &sensitive, true, &|_, _| {})?;
        printer.notes(&found.notes);
        let original = args.original.get(at);
        let original = original.map(|file| original_of(file, plan, (common, printer)));
        made.push(Made { release: found.value, original: original.transpose()? });
    }
    let verdict = series::verify(&of_release(plan, args), &made)?;
    printer.notes(&verdict.notes);
    printer.data(&verdict, || series_verdict_text(&verdict))?;
    Ok(if verdict.verified { Outcome::Done } else { Outcome::No })
}

/// The sensitive columns of a plan.
fn sensitive(plan: &Plan) -> Vec<String> {
    (plan.attributes.iter())
        .filter(|(_, attribute)| attribute.full().role == RoleName::Sensitive)
        .map(|(name, _)| name.clone())
        .collect()
}

fn original_of(
    file: &str,
    plan: &Plan,
    (common, printer): (&Common, &Printer),
) -> Result<kohort::Table, Failure> {
    let (input, folder) = (Some(file.into()), PathBuf::new());
    let here = Plan { input, folder, ..plan.clone() };
    read_original(&here, common, printer)
}

/// The plan with what stands for missing in the release.
fn of_release(plan: &Plan, args: &Verify) -> Plan {
    let mut plan = plan.clone();
    plan.read.missing = args.reading.missing.clone().or(plan.read.missing);
    plan
}
