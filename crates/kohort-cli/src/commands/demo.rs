//! `kohort demo`: a first look with made-up data, or made-up data to work with.

use std::io::{self, Write};
use std::path::Path;

use kohort::demo::{Data, companions, write_csv};

use super::{folder, write_text};
use crate::args::{Common, Demo};
use crate::printer::{Failure, Outcome, Printer, usage};

pub(crate) fn run(demo: &Demo, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    if demo.rows == 0 {
        return Err(usage("`rows` must be at least 1, but is 0", "leave it out for 1000 rows"));
    }
    match demo.data {
        Some(data) => write_data(data, demo, printer),
        None => tour(demo, common, printer),
    }
}

fn write_data(data: Data, demo: &Demo, printer: &Printer) -> Result<Outcome, Failure> {
    let Some(output) = &demo.output else {
        let mut out = io::BufWriter::new(io::stdout().lock());
        write_csv(data, demo.rows, demo.seed, &mut out).and_then(|()| out.flush()).or_else(
            |error| match error.kind() {
                io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(Failure::Output(error)),
            },
        )?;
        return Ok(Outcome::Done);
    };
    let written = write_files(data, demo, Path::new(output))?;
    for file in written {
        printer.note(&format!("wrote {file}"));
    }
    Ok(Outcome::Done)
}

/// Writes a table and, beside it, its taxonomies and a plan.
fn write_files(data: Data, demo: &Demo, output: &Path) -> Result<Vec<String>, Failure> {
    let beside = folder(&output.to_string_lossy());
    kohort::create_folder(&beside)?;
    kohort::write_atomically(output, &mut |out| write_csv(data, demo.rows, demo.seed, out))?;
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let mut written = vec![output.display().to_string()];
    for file in companions(data, &name) {
        let path = beside.join(file.name);
        kohort::create_folder(&folder(&path.to_string_lossy()))?;
        write_text(&path, &file.text)?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

/// Makes a hospital table, looks at it, diagnoses it, and leaves a report.
fn tour(demo: &Demo, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let place = Path::new(demo.output.as_deref().unwrap_or("kohort-demo"));
    let table = place.join("patients.csv");
    let written = write_files(Data::Hospital, demo, &table)?;
    let (table, plan) =
        (table.display().to_string(), place.join("plan.toml").display().to_string());
    let report = place.join("report.html").display().to_string();
    printer.note(&format!("made {} rows of a hospital that does not exist:", demo.rows));
    for file in &written {
        printer.note(&format!("  {file}"));
    }
    printer.note("");
    printer.note(&format!("$ kohort diagnose {plan} --report {report}"));
    printer.note("");
    let diagnose = crate::args::Args::diagnose_with_report(&plan, &report);
    super::diagnose::run(&diagnose, common, printer)?;
    printer.note("");
    printer.note(&format!("open {report} in a browser; then try:"));
    printer.note(&format!("  kohort inspect {table}"));
    printer.note(&format!("  kohort diagnose {plan} --subsets --k 5"));
    printer.note(&format!("  kohort diagnose {plan} --find-suppression"));
    Ok(Outcome::Done)
}
