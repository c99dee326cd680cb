//! `kohort demo --releases`: tables of the same people, again and again, and a walk through publishing them.

use std::path::Path;

use kohort::demo::{Data, series};

use super::demo::keep;
use super::write_text;
use crate::args::{Args, Common, Demo};
use crate::printer::{Failure, Outcome, Printer, usage};

pub(super) fn run(
    data: Data,
    demo: &Demo,
    common: &Common,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    let releases = demo.releases.unwrap_or(1);
    if data != Data::Hospital || releases == 0 {
        return Err(usage(
            "`--releases` is for the hospital, and at least 1",
            "say `kohort demo --data hospital --releases 5`",
        ));
    }
    let place = Path::new(demo.output.as_deref().unwrap_or("kohort-series"));
    let files = series(demo.rows, releases, demo.seed);
    if !demo.force {
        for file in &files {
            keep(&place.join(&file.name), |found| found == file.text)?;
        }
    }
    kohort::create_folder(place)?;
    for file in &files {
        let path = place.join(&file.name);
        write_text(&path, &file.text)?;
        printer.note(&format!("wrote {}", path.display()));
    }
    if demo.tour { tour(place, releases, demo, (common, printer)) } else { Ok(Outcome::Done) }
}

/// Publishes one table after the other, and looks into the ledger.
fn tour(
    place: &Path,
    releases: u32,
    demo: &Demo,
    (common, printer): (&Common, &Printer),
) -> Result<Outcome, Failure> {
    let at = |name: &str| place.join(name).display().to_string();
    let (plan, key, ledger) = (at("plan.toml"), at("demo.key"), at("kohort.ledger"));
    if !Path::new(&key).exists() {
        let bytes = super::secret(None)?;
        kohort::write_privately(Path::new(&key), &mut |out| out.write_all(&bytes))?;
    }
    let publish = |release: u32| {
        let mut words = vec!["publish".to_owned(), plan.clone(), "--input".into()];
        words.extend([at(&format!("stays-{release}.csv")), "--key-file".into(), key.clone()]);
        words.extend(demo.force.then(|| "--force".to_owned()));
        let why = match release {
            1 => "Release 1, the first in the ledger:".to_owned(),
            _ => format!("Release {release}, made against the earlier ones:"),
        };
        (why, words)
    };
    let look = |why: &str, words: &[&str]| {
        let opened = ["--ledger", &ledger, "--key-file", &key];
        let words = words.iter().chain(&opened).map(|word| (*word).to_owned());
        (why.to_owned(), words.collect())
    };
    let mut steps: Vec<(String, Vec<String>)> = (1..=releases).map(publish).collect();
    steps.push(look("What is in the ledger?", &["series", "show", "stays"]));
    steps.push(look("Are they what was written?", &["series", "check"]));
    for (why, words) in steps {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        printer.note("");
        printer.note(&why);
        printer.note(&format!("$ kohort {}", words.join(" ")));
        printer.note("");
        if super::dispatch(Args::of(&words), common, printer)? == Outcome::No {
            return Ok(Outcome::No);
        }
    }
    Ok(Outcome::Done)
}
