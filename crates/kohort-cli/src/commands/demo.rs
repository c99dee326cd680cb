//! `kohort demo`: a first look with made-up data, or made-up data to work with.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kohort::demo::{Data, companions, write};
use serde_json::Value;

use super::{demo_series, folder, keep_others, write_text};
use crate::args::{Args, Common, Demo, Format};
use crate::printer::{Failure, Outcome, Printer, usage};

pub(crate) fn run(demo: &Demo, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    if demo.rows == 0 {
        return Err(usage("`rows` must be at least 1, but is 0", "leave it out for 1000 rows"));
    }
    match demo.data {
        Some(data) if demo.releases.is_some() => demo_series::run(data, demo, common, printer),
        Some(data) => {
            let data = data.with_issues(demo.issues).with_depth(demo.depth);
            if demo.tour {
                nested_tour(data, demo, common, printer)
            } else {
                write_data(data, demo, printer)
            }
        }
        None if demo.output.as_deref() == Some("-") => write_data(Data::Hospital, demo, printer),
        None => tour(demo, common, printer),
    }
}

fn write_data(data: Data, demo: &Demo, printer: &Printer) -> Result<Outcome, Failure> {
    let Some(output) = demo.output.as_deref().filter(|output| *output != "-") else {
        let mut out = io::BufWriter::new(io::stdout().lock());
        write(data, "-", demo.rows, demo.seed, &mut out).and_then(|()| out.flush()).or_else(
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

/// Writes a table and, beside it, its taxonomies and a plan: all of them, or none when one would
/// destroy another file.
fn write_files(data: Data, demo: &Demo, output: &Path) -> Result<Vec<String>, Failure> {
    let beside = folder(&output.to_string_lossy());
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let files: Vec<(PathBuf, String)> = companions(data, &name, demo.rows, demo.seed)
        .into_iter()
        .map(|file| (beside.join(file.name), file.text))
        .collect();
    if files.iter().any(|(path, _)| path == output) {
        return Err(usage(
            format!("{} is the name of the plan that goes with the table", output.display()),
            "give the table another name, such as `-o patients.csv`",
        ));
    }
    if !demo.force {
        keep(output, |text| is_same(text, data, &name, demo))?;
        for (path, text) in &files {
            keep(path, |found| found == text)?;
        }
    }
    kohort::create_folder(&beside)?;
    kohort::write_atomically(output, &mut |out| write(data, &name, demo.rows, demo.seed, out))?;
    let mut written = vec![output.display().to_string()];
    for (path, text) in files {
        kohort::create_folder(&folder(&path.to_string_lossy()))?;
        write_text(&path, &text)?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

/// Refuses to write over a file that holds something else.
pub(super) fn keep(path: &Path, is_same: impl FnOnce(&str) -> bool) -> Result<(), Failure> {
    if !path.exists() || kohort::read_text(path).is_ok_and(|text| is_same(&text)) {
        return Ok(());
    }
    Err(usage(
        format!("{} already exists and holds something else", path.display()),
        "name another place with `-o`, or overwrite with `--force`",
    ))
}

/// Whether a text is the table that would be written.
fn is_same(text: &str, data: Data, name: &str, demo: &Demo) -> bool {
    let mut same = Same { rest: text.as_bytes() };
    write(data, name, demo.rows, demo.seed, &mut same).is_ok() && same.rest.is_empty()
}

/// Takes only what it has already.
struct Same<'a> {
    rest: &'a [u8],
}

impl Write for Same<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest = self.rest.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a text is a release of the hospital: its columns without the names.
fn is_release(text: &str) -> bool {
    text.starts_with("age,sex,zip,admission,ward,disease,cost\n")
}

/// Makes a hospital table, diagnoses it, makes a release, verifies it, attacks both, and leaves the reports.
fn tour(demo: &Demo, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let place = Path::new(demo.output.as_deref().unwrap_or("kohort-demo"));
    let at = |name: &str| place.join(name).display().to_string();
    let [table, plan, report] = ["patients.csv", "plan.toml", "report.html"].map(at);
    let [release, page, attacks] = ["release.csv", "release.html", "attack.html"].map(at);
    if !demo.force {
        for page in [&report, &page, &attacks] {
            keep_others(page)?;
        }
        keep(Path::new(&release), is_release)?;
    }
    let written = write_files(Data::Hospital, demo, Path::new(&table))?;
    printer.note(&format!("made {} rows of a hospital that does not exist:", demo.rows));
    for file in &written {
        printer.note(&format!("  {file}"));
    }
    let steps = [
        ("What does the table give away?", vec!["diagnose", &plan, "--report", &report]),
        ("Make a release that keeps the promises of the plan:", vec!["anonymize", &plan]),
        (
            "Does it keep them? The judge does not know how it was made:",
            vec!["verify", &release, "--plan", &plan, "--original", &table],
        ),
        (
            "How far does an adversary get with the raw table, and how far with the release?",
            vec!["attack", &release, "--plan", &plan, "--original", &table, "--report", &attacks],
        ),
    ];
    if take(&steps, &["diagnosis", "release", "verdict", "attack"], demo, common)? == Outcome::No {
        return Ok(Outcome::No);
    }
    printer.note("");
    printer.note(&format!("open {report}, {page} and {attacks} in a browser, and compare"));
    printer.note(&format!("{release} with {table}; then try:"));
    printer.note(&format!("  kohort inspect {table}"));
    printer.note(&format!("  kohort diagnose {plan} --subsets --k 5"));
    printer.note(&format!("  kohort diagnose {plan} --find-suppression"));
    Ok(Outcome::Done)
}

/// Makes students or patients, and takes the same steps with them.
fn nested_tour(
    data: Data,
    demo: &Demo,
    common: &Common,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    if !data.is_nested() {
        return Err(usage(
            format!("`--tour` is for students and patients, not for `{}`", data.id()),
            "leave `--data` and `--tour` out for a tour of a hospital",
        ));
    }
    let place = Path::new(demo.output.as_deref().unwrap_or("kohort-demo"));
    let at = |name: &str| place.join(name).display().to_string();
    let records = at(&format!("{}.json", data.id()));
    let [plan, release] = ["plan.toml", "release.json"].map(at);
    let [page, attacks] = ["release.html", "attack.html"].map(at);
    if !demo.force {
        keep_others(&page)?;
        keep_others(&attacks)?;
        keep(Path::new(&release), |_| false)?;
    }
    let written = write_files(data, demo, Path::new(&records))?;
    printer.note(&format!("made {} {} who do not exist:", demo.rows, data.id()));
    for file in &written {
        printer.note(&format!("  {file}"));
    }
    let steps = [
        ("What is each path?", vec!["inspect", &records]),
        ("What do the records give away?", vec!["diagnose", &plan]),
        (
            "Make a release that keeps the promises of the plan:",
            vec!["anonymize", &plan, "--report", &page],
        ),
        (
            "Does it keep them? The judge does not know how it was made:",
            vec!["verify", &release, "--plan", &plan, "--original", &records],
        ),
        (
            "How far does an adversary get with the raw records, and how far with the release?",
            vec!["attack", &release, "--plan", &plan, "--original", &records, "--report", &attacks],
        ),
    ];
    let names = ["inspection", "diagnosis", "release", "verdict", "attack"];
    let outcome = take(&steps, &names, demo, common)?;
    if outcome == Outcome::Done {
        printer.note("");
        printer.note(&format!("open {page} and {attacks} in a browser, and compare"));
        printer.note(&format!("{release} with {records}; then try:"));
        printer.note(&format!(
            "  kohort anonymize {plan} --algorithm vertex-anatomy -o {}",
            at("anatomy.json")
        ));
    }
    Ok(outcome)
}

/// Takes one step after the other, up to one whose answer is no. For programs, their answers are one
/// object.
fn take(
    steps: &[(&str, Vec<&str>)],
    names: &[&str],
    demo: &Demo,
    common: &Common,
) -> Result<Outcome, Failure> {
    let printer = Printer::keeping(common);
    let mut outcome = Outcome::Done;
    for (why, words) in steps {
        let mut words = words.clone();
        printer.note("");
        printer.note(why);
        printer.note(&format!("$ kohort {}", words.join(" ")));
        printer.note("");
        let may_write = words[0] == "anonymize" || words.contains(&"--report");
        words.extend((demo.force && may_write).then_some("--force"));
        let answer = super::dispatch(Args::of(&words), common, &printer)?;
        // What attacks find is what there is to see.
        if answer == Outcome::No && words[0] != "attack" {
            outcome = Outcome::No;
            break;
        }
    }
    if common.format == Format::Json {
        let answers: BTreeMap<&str, Value> = names.iter().copied().zip(printer.kept()).collect();
        Printer::new(common).data(&answers, String::new)?;
    }
    Ok(outcome)
}
