//! What the judge says about releases of a series, for people.

use std::fmt::Write;

use super::{PromiseAnswer, SeriesVerdict};
use crate::wording::{count, grouped};

/// What the judge says, for people.
pub fn series_verdict_text(verdict: &SeriesVerdict) -> String {
    let mut out = String::new();
    let is_all = verdict.not_judged.is_empty();
    let headline = match (verdict.verified, is_all) {
        (true, true) => "verified",
        (true, false) => "nothing that was judged fails",
        (false, _) => "rejected",
    };
    let _ = writeln!(out, "{headline}\n");
    for PromiseAnswer { model, parameters, attribute, holds } in &verdict.goal {
        let stands = match (holds, is_all) {
            (true, true) => "holds (decided)",
            (true, false) => "not refuted",
            (false, _) => "FAILS",
        };
        let _ = writeln!(out, "  {model} of {attribute}, {parameters}: {stands}");
    }
    for release in &verdict.releases {
        let _ = writeln!(
            out,
            "\n  release {}, {}: {} in {}, the smallest of {}; {}",
            release.release,
            release.file,
            count(release.rows, "row", "rows"),
            count(release.classes, "class", "classes"),
            grouped(release.k),
            release.counterfeits.map_or_else(
                || "counterfeits are not counted".to_owned(),
                |n| count(n, "counterfeit", "counterfeits")
            ),
        );
        for reason in &release.reasons {
            let _ = writeln!(out, "    FAILS: {reason}");
        }
        if let Some(original) = &release.original {
            let (held_back, all) = (grouped(original.held_back), grouped(original.rows));
            let placed = original.placed.map_or(String::new(), |placed| {
                format!("; the class of {} follows", grouped(placed))
            });
            let _ = writeln!(
                out,
                "    {held_back} of {all} people of the original are not in it{placed}"
            );
        }
    }
    if !is_all {
        let _ = writeln!(out, "\n  not judged:");
    }
    for sentence in &verdict.not_judged {
        let _ = writeln!(out, "  - {sentence}");
    }
    out
}
