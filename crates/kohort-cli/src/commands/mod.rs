//! One file per command. A surface holds no logic: arguments in, an answer of the library out.

mod anonymize;
mod attack;
mod compare;
mod demo;
mod demo_series;
mod diagnose;
mod inspect;
mod list;
mod nested;
mod passwords;
mod place;
mod publish;
mod roles;
mod schema;
mod secrets;
mod series;
mod settings;
mod taxonomy;
mod verify;

use std::path::{Path, PathBuf};

use kohort::plan::{self, Plan};
use kohort::{Setting, Writers};

use crate::args::{Args, Command, Common, Reading};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::Bar;
use crate::threads;

pub(crate) fn run(args: Args, printer: &Printer) -> Result<Outcome, Failure> {
    if args.common.threads == Some(0) {
        return Err(usage(
            "`threads` must be at least 1, but is 0",
            "leave it out to use all cores",
        ));
    }
    threads::start(args.common.threads)
        .map_err(|error| usage(error.to_string(), "try `--threads 1`"))?;
    dispatch(args.command, &args.common, printer)
}

fn dispatch(command: Command, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    match command {
        Command::Demo(demo) => demo::run(&demo, common, printer),
        Command::Inspect(inspect) => inspect::run(&inspect, common, printer),
        Command::Diagnose(diagnose) => diagnose::run(&diagnose, common, printer),
        Command::Anonymize(anonymize) => anonymize::run(&anonymize, common, printer),
        Command::Verify(verify) => verify::run(&verify, common, printer),
        Command::Publish(publish) => publish::run(&publish, common, printer),
        Command::Series(series) => series::run(&series, printer),
        Command::Attack(attack) => attack::run(&attack, common, printer),
        Command::Compare(compare) => compare::run(&compare, common, printer),
        Command::Taxonomy(taxonomy) => taxonomy::run(&taxonomy, common, printer),
        Command::Schema => {
            let schema = plan::schema();
            let text = serde_json::to_string_pretty(&schema)
                .map_err(|error| Failure::Output(error.into()))?;
            print(&format!("{text}\n"))?;
            Ok(Outcome::Done)
        }
        Command::List(list) => list::run(&list, printer),
    }
}

/// The plan's part about reading that flags amount to.
fn reading(flags: &Reading) -> plan::Reading {
    plan::Reading {
        separator: flags.separator,
        quote: flags.quote,
        header: flags.header,
        encoding: flags.encoding.clone(),
        skip_lines: flags.skip_lines,
        unpacked_limit: flags.unpacked_limit,
        missing: flags.missing.clone(),
        records: flags.records.clone(),
    }
}

/// A plan that reads this table.
fn plan_for(data: &str, flags: &Reading) -> Plan {
    let mut input = data.into();
    flags.name_rows(&mut input);
    Plan { input: Some(input), read: reading(flags), ..Plan::default() }
}

/// Reads a table named on the command line.
fn read_table(
    data: &str,
    flags: &Reading,
    common: &Common,
    printer: &Printer,
) -> Result<kohort::Table, Failure> {
    read_input(&plan_for(data, flags), common, printer)
}

/// Reads the table of a plan, with progress and notes.
fn read_input(plan: &Plan, common: &Common, printer: &Printer) -> Result<kohort::Table, Failure> {
    let loaded = passwords::reading(plan, |plan| {
        let bar = Bar::new(common);
        let progress = |done, total| bar.report("reading", done, total);
        kohort::load::load_table(plan, &progress)
    })?;
    printer.notes(&loaded.notes);
    Ok(loaded.value)
}

/// Reads the original of a release. How it was written stands in the plan: flags are about the release.
fn read_original(
    plan: &Plan,
    common: &Common,
    printer: &Printer,
) -> Result<kohort::Table, Failure> {
    read_input(plan, common, printer).map_err(|failure| match failure {
        Failure::Kohort(error) if error.hint().is_some_and(|hint| hint.names(Setting::Encoding)) => {
            usage(
                error.to_string(),
                "say how the original was written in the plan, such as `encoding = \"windows-1252\"` in its \
                 `[read]`; `--encoding` is about the release",
            )
        }
        failure => failure,
    })
}

/// Bytes that nobody can guess, for what must not be undone: those of a file, or of the system.
fn secret(file: Option<&str>) -> Result<[u8; 32], Failure> {
    let mut secret = [0; 32];
    if let Some(file) = file {
        let bytes = zeroize::Zeroizing::new(kohort::read_secret(Path::new(file))?);
        let is_random = bytes.len() == secret.len() && bytes.iter().any(|byte| *byte != bytes[0]);
        if !is_random {
            return Err(usage(
                format!("{file}: a secret must be 32 random bytes"),
                "make one with `(umask 077; head -c 32 /dev/urandom > secret.key)`, and keep it as secret \
                 as the original",
            ));
        }
        secret.copy_from_slice(&bytes);
        return Ok(secret);
    }
    getrandom::fill(&mut secret).map_err(|error| {
        usage(
            format!("the system provides no random numbers: {error}"),
            "use a method that needs no secret randomness, such as `auto`",
        )
    })?;
    Ok(secret)
}

/// The folder of a file.
fn folder(file: &str) -> PathBuf {
    Path::new(file).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Writes a text file whole or not at all.
fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    kohort::write_atomically(path, &mut |out| out.write_all(text.as_bytes()))?;
    Ok(())
}

/// Refuses to write where anybody may put files that are taken for those of this program, unless the user says
/// so; says who else may where a group may.
fn refuse_open_folders<'a>(
    files: impl IntoIterator<Item = &'a Path>,
    is_trusted: bool,
    printer: &Printer,
) -> Result<(), Failure> {
    let mut found: Vec<_> = files.into_iter().filter_map(kohort::other_writers).collect();
    found.dedup();
    for (folder, writers) in found.into_iter().filter(|_| !is_trusted) {
        let folder = folder.display();
        match writers {
            Writers::Others => {
                return Err(usage(
                    format!(
                        "others may write to {folder}, and put files there that look like \
                         kohort's"
                    ),
                    "write to a folder of your own, or say `--trust-folder`",
                ));
            }
            Writers::Group => printer.note(&format!(
                "the group of {folder} may write to it, and put files there that look like \
                 kohort's: `chmod g-w {folder}`, or say `--trust-folder`"
            )),
        }
    }
    Ok(())
}

/// Writes a page about private data whole or not at all: only its owner may read it.
fn write_page(path: &Path, html: &str) -> Result<(), Failure> {
    kohort::write_privately(path, &mut |out| out.write_all(html.as_bytes()))?;
    Ok(())
}

/// The files that a plan reads, and the source named on the command line.
fn inputs(source: &str, plan: &Plan) -> Vec<PathBuf> {
    let mut inputs = vec![PathBuf::from(source)];
    inputs.extend(plan.input.as_ref().map(|input| plan.path(&**input)));
    let sources = plan.attributes.values().filter_map(|attribute| attribute.full().taxonomy);
    inputs.extend(sources.filter_map(|source| source.file().map(|file| plan.path(&file.path))));
    inputs.extend(kohort::nested::inputs(plan));
    inputs.extend(plan.series.correlations.as_ref().map(|file| plan.path(file)));
    inputs.extend(plan.goal.delta_presence.as_ref().map(|asked| plan.path(&asked.public)));
    let k_map = plan.goal.k_map.as_ref().and_then(|asked| asked.public.as_ref());
    inputs.extend(k_map.map(|public| plan.path(public)));
    inputs
}

/// Refuses an output that is one of the files that are read, or no file.
fn keep_inputs<'a>(
    output: &str,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    if output.is_empty() {
        return Err(usage("an output has an empty name", "name a file, or leave the flag out"));
    }
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    if let Some(input) = inputs.iter().find(|input| kohort::would_be_part(input, Path::new(output)))
    {
        return Err(usage(
            format!("{output} would be a part of {}, which is an input", input.display()),
            "name a file in another folder",
        ));
    }
    let Ok(target) = std::fs::canonicalize(output) else { return Ok(()) };
    let is_target = |input: &Path| std::fs::canonicalize(input).is_ok_and(|path| path == target);
    if inputs.into_iter().any(is_target) {
        return Err(usage(
            format!("{output} is an input of this command, and inputs are not overwritten"),
            "name another file",
        ));
    }
    Ok(())
}

/// Refuses a report over a file that is something else. An empty file holds nothing to lose.
fn keep_others(report: &str) -> Result<(), Failure> {
    let path = Path::new(report);
    if !path.is_file() {
        return Ok(());
    }
    match kohort::read_text(path) {
        Ok(text) if text.is_empty() || kohort::report::is_report(&text) => Ok(()),
        _ => Err(usage(
            format!("{report} already exists and is not a kohort report"),
            "name another file, or overwrite it with `--force`",
        )),
    }
}
