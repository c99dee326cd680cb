//! What the ledger has, for people.

use std::fmt::Write;

use kohort_verify::series::Counted;

use super::books::{
    CheckAnswer, ForgottenAnswer, PublishedFile, RekeyedAnswer, ReleaseAnswer, SeriesAnswer,
    UseAnswer,
};
use crate::wording::{count, grouped, percent};

/// The series, for people.
pub fn list_text(series: &[SeriesAnswer]) -> String {
    let mut out = String::new();
    for found in series {
        let (releases, people) = (found.releases, grouped(found.people.into()));
        let releases = count(releases.into(), "release", "releases");
        let _ =
            writeln!(out, "{}: {releases}, {people} people, the last {}", found.series, found.last);
    }
    out
}

/// The releases of a series, for people.
pub fn show_text(series: &str, releases: &[ReleaseAnswer]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{series}");
    for found in releases {
        let figures = &found.figures;
        let (release, time, method) = (found.release, &found.time, &found.method);
        let _ = writeln!(out, "\n  release {release}, {time}, {method} ({})", found.parameters);
        let _ = writeln!(
            out,
            "    {} people in {}, {} held back, {}",
            grouped(found.shown.into()),
            count(found.classes.into(), "class", "classes"),
            grouped(found.held_back.into()),
            count(found.counterfeits.into(), "counterfeit", "counterfeits"),
        );
        let _ = writeln!(
            out,
            "    {} were new, {} came back, {} left, {} had another value",
            grouped(figures.inserted),
            grouped(figures.returned),
            grouped(figures.deleted),
            grouped(figures.updated),
        );
        let loss = figures.loss.map_or(String::new(), |loss| format!("loss {}, ", percent(loss)));
        let worst = percent(figures.max_posterior);
        let how = match figures.max_posterior_is {
            Counted::Bound if figures.max_posterior < 1.0 => " at most".to_owned(),
            Counted::Bound => {
                format!(" at most, one by one {}", percent(figures.max_posterior_one_by_one))
            }
            Counted::Exact | Counted::OneByOne => String::new(),
        };
        let _ = writeln!(out, "    {loss}highest belief so far {worst}{how}");
        for file in found.files.keys() {
            let _ = writeln!(out, "    {file}");
        }
    }
    out
}

/// Whether series are what was written, for people.
pub fn check_text(answers: &[CheckAnswer]) -> String {
    let mut out = String::new();
    for found in answers {
        let series = found.series.as_deref().unwrap_or("the ledger");
        let entries = count(found.entries as u64, "entry", "entries");
        let _ = match (&found.broken, found.broken_release) {
            (None, _) => writeln!(out, "{series}: {entries}, as they were written"),
            (Some(what), None) => writeln!(out, "{series}: BROKEN: {what}"),
            (Some(what), Some(release)) => {
                writeln!(out, "{series}: BROKEN at the entry of release {release}: {what}")
            }
        };
        for PublishedFile { release, file } in &found.altered_files {
            let _ = writeln!(out, "{series}: release {release}: {file} is NOT WHAT WAS PUBLISHED");
        }
    }
    out
}

/// The log, for people.
pub fn uses_text(uses: &[UseAnswer]) -> String {
    let mut out = String::new();
    for UseAnswer { time, what, outcome } in uses {
        let _ = writeln!(out, "{time}  {what}: {outcome}");
    }
    out
}

/// What forgetting costs, for people.
pub fn forgotten_text(found: &ForgottenAnswer) -> String {
    let mut out = String::new();
    let releases = count(found.releases.len() as u64, "release", "releases");
    let _ = writeln!(out, "forgotten: the person was in {releases} of `{}`\n", found.series);
    for cost in &found.costs {
        let _ = writeln!(out, "  - {cost}");
    }
    out
}

/// What another secret does not do, for people.
pub fn rekeyed_text(found: &RekeyedAnswer) -> String {
    let mut out =
        String::from("the ledger has another secret: the one so far does not open it\n\n");
    for cost in &found.costs {
        let _ = writeln!(out, "  - {cost}");
    }
    out
}
