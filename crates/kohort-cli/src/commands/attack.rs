//! `kohort attack`: runs every attack that what is at hand allows.

use std::path::{Path, PathBuf};

use kohort::attack::{Answer, Given, Publication, attack, read, text};
use kohort::plan::{self, Plan, RoleName};
use kohort::release::{ReleaseFile, counterfeits_file, values_file};
use kohort::report::attack_html;
use kohort::{Ctx, Table};

use super::{
    anonymize, keep_inputs, keep_others, nested, place, read_input, read_original, reading, roles,
    secret, settings, write_page,
};
use crate::args::{Attack, Background, Columns, Common, Reading, RelatedTables, list};
use crate::printer::{Failure, Outcome, Printer, usage};
use crate::progress::Bar;

pub(crate) fn run(args: &Attack, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    if args.background.sampled == Some(kohort::Ratio::whole(0)) {
        return Err(usage("`sampled` must be above 0, but is 0", "such as `--sampled 10%`"));
    }
    if args.releases.len() > 1 && !args.background.release2.is_empty() {
        return Err(usage(
            "`--release2` is for one release, and several are named",
            "name all releases in order, the oldest first",
        ));
    }
    let mut plan = plan_of(args)?;
    keep(args, &plan)?;
    check_originals(args)?;
    let about = (args.newest(), args.background.original.last());
    if nested::is_release_of(about, &plan)? {
        return nested::attack(args, &plan, (common, printer));
    }
    check_algorithm(&plan)?;
    let found = Found::read(args, &plan, common, printer)?;
    apply(&mut plan, args, &found)?;
    let bar = Bar::new(common);
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let given = Given {
        plan: &plan,
        release: found.release,
        others: found.others,
        public: found.public,
        original: found.original,
        earlier: found.earlier,
        is_series: args.releases.len() > 1,
        key: args.background.key.clone(),
        knowledge: args.background.knowledge.as_ref().map(PathBuf::from),
        presence: args.background.presence.iter().flat_map(|text| list(text)).collect(),
        correlations: correlations(args, &plan),
        sampled: args.background.sampled,
        secret: secret_of(args)?,
        only: args.only.iter().map(|id| id.trim().to_owned()).collect(),
    };
    let answer = attack(given, &Ctx::new(&|| false, &progress))?;
    drop(bar);
    told(args, &answer, printer)
}

/// The secret from which the release was drawn, where it is given.
fn secret_of(args: &Attack) -> Result<Option<[u8; 32]>, Failure> {
    args.background.secret_file.as_deref().map(|file| secret(Some(file))).transpose()
}

/// How values follow one another: what is said here, or in the plan of a series.
fn correlations(args: &Attack, plan: &Plan) -> Option<PathBuf> {
    let of_series = || plan.series.correlations.as_ref().map(|file| plan.path(file));
    args.background.correlations.as_ref().map(PathBuf::from).or_else(of_series)
}

/// Says what attacks found, and writes the report.
pub(super) fn told(args: &Attack, answer: &Answer, printer: &Printer) -> Result<Outcome, Failure> {
    printer.notes(&answer.notes);
    if let Some(report) = &args.report {
        write_page(Path::new(report), &attack_html(answer))?;
        printer.note(&format!("report written to {report}"));
    }
    printer.data(answer, || text(answer))?;
    Ok(if answer.refuted { Outcome::No } else { Outcome::Done })
}

/// The plan that a file and the flags amount to, but for the roles.
fn plan_of(args: &Attack) -> Result<Plan, Failure> {
    let opened = args.plan.as_ref().map(|file| Plan::open(Path::new(file)));
    let mut plan = opened.transpose()?.unwrap_or_default();
    settings::describe(&mut plan, &args.types, &args.taxonomy, &args.buckets)?;
    settings::read_missing(&mut plan, &args.missing_as)?;
    settings::add_levels(&mut plan.goal, &args.levels);
    anonymize::add_rules(&mut plan, &args.rules)?;
    plan.method.algorithm = args.algorithm.clone().or(plan.method.algorithm.take());
    Ok(plan)
}

/// Refuses originals that are not one for each release.
fn check_originals(args: &Attack) -> Result<(), Failure> {
    let (n, n_releases) = (args.background.original.len(), args.releases.len());
    if n < 2 || n == n_releases {
        return Ok(());
    }
    Err(usage(
        format!("`original` must be given once, or once for each release, but is given {n} times"),
        "name the table of the newest release, or one for each release in their order",
    ))
}

/// Refuses an algorithm for tables that is not there.
fn check_algorithm(plan: &Plan) -> Result<(), Failure> {
    let Some(name) = &plan.method.algorithm else { return Ok(()) };
    if kohort::ALGORITHMS.iter().any(|algorithm| algorithm.spec().id == name) {
        return Ok(());
    }
    Err(usage(
        format!("there is no algorithm `{name}`"),
        "`kohort list algorithms` lists them; leave it out if yours is not among them",
    ))
}

/// Gives the columns of the releases the roles that flags name: they may show different ones.
fn apply(plan: &mut Plan, args: &Attack, found: &Found) -> Result<(), Failure> {
    let columns = Columns {
        related: RelatedTables::default(),
        source: args.newest().to_owned(),
        quasi: args.quasi.clone(),
        sensitive: args.sensitive.clone(),
        identifier: Vec::new(),
        insensitive: Vec::new(),
        taxonomy: Vec::new(),
        buckets: Vec::new(),
        preset: None,
        types: Vec::new(),
        missing_as: Vec::new(),
        reading: Reading::default(),
    };
    let others = found.others.iter().map(|other| &other.table);
    let tables: Vec<&Table> = [&found.release.table].into_iter().chain(others).collect();
    roles::apply_to_any(plan, &columns, &tables)
}

/// Every table that is named.
struct Found {
    release: Publication,
    others: Vec<Publication>,
    public: Option<Table>,
    original: Option<Table>,
    earlier: Vec<Table>,
}

impl Found {
    fn read(
        args: &Attack,
        plan: &Plan,
        common: &Common,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let Attack { background, .. } = args;
        let flags = reading(&args.reading);
        let missing = flags.missing.clone().or_else(|| plan.read.missing.clone());
        let only_missing = plan::Reading { missing, ..plan::Reading::default() };
        let sensitive = sensitive(args, plan);
        let is_in_series = args.releases.len() > 1;
        let release = |file: &str, said: &plan::Reading, plan: &Plan| {
            if let Some(stored) = place::published(file, plan, (common, printer))? {
                return Ok(stored);
            }
            let bar = Bar::new(common);
            let progress = |done, total| bar.report("reading", done, total);
            let file = ReleaseFile { path: Path::new(file), said: said.clone() };
            let found = read(plan, file, &sensitive, is_in_series, &progress)?;
            drop(bar);
            printer.notes(&found.notes);
            Ok::<_, Failure>(found.value)
        };
        let table = |file: &String, read| {
            let plan = Plan { input: Some(file.as_str().into()), read, ..Plan::default() };
            read_input(&plan, common, printer)
        };
        let originals = background.original.iter().map(|file| {
            let read = plan.read.clone();
            let plan = Plan { input: Some(file.as_str().into()), read, ..Plan::default() };
            read_original(&plan, common, printer)
        });
        let mut originals: Vec<Table> = originals.collect::<Result<_, _>>()?;
        let public = background.public.as_ref();
        // The releases of a series are written alike; one that comes otherwise need not be.
        let either = Plan { read: flags.clone().or(&plan.read), ..plan.clone() };
        let release2 = |file: &String| release(file, &only_missing, &either);
        let others: Result<_, _> = match args.earlier() {
            [] => background.release2.iter().map(release2).collect(),
            earlier => earlier.iter().map(|file| release(file, &flags, plan)).collect(),
        };
        Ok(Self {
            others: others?,
            release: release(args.newest(), &flags, plan)?,
            public: public.map(|file| table(file, only_missing.clone())).transpose()?,
            original: originals.pop(),
            earlier: originals,
        })
    }
}

/// The columns that will be sensitive: those of the flags, or those of the plan.
fn sensitive(args: &Attack, plan: &Plan) -> Vec<String> {
    if !args.sensitive.is_empty() {
        return args.sensitive.iter().flat_map(|text| list(text)).collect();
    }
    let has = |(name, attribute): (&String, &plan::AttributePlan)| {
        (attribute.full().role == RoleName::Sensitive).then(|| name.clone())
    };
    plan.attributes.iter().filter_map(has).collect()
}

/// Refuses a report over one of the files that are read, and one over somebody's file.
fn keep(args: &Attack, plan: &Plan) -> Result<(), Failure> {
    let Some(report) = &args.report else { return Ok(()) };
    let Attack { background, .. } = args;
    let Background { public, original, knowledge, correlations, secret_file, .. } = background;
    let given = [&args.plan, public, knowledge, correlations, secret_file];
    let given = given.into_iter().flatten().chain(original);
    let mut inputs: Vec<PathBuf> = given.map(PathBuf::from).collect();
    let releases = background.release2.iter().chain(&args.releases).map(PathBuf::from);
    inputs.extend(
        releases.flat_map(|release| [values_file(&release), counterfeits_file(&release), release]),
    );
    let sources = plan.attributes.values().filter_map(|attribute| attribute.full().taxonomy);
    inputs.extend(sources.filter_map(|source| source.file().map(|file| plan.path(&file.path))));
    keep_inputs(report, inputs.iter().map(AsRef::as_ref))?;
    if args.force { Ok(()) } else { keep_others(report) }
}
