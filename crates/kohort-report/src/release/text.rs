//! A receipt and a verdict for people to read.

use std::fmt::{self, Write};

use kohort_core::Setting;

use super::{Receipt, Verdict};
use crate::diagnose::{GoalAnswer, MembersAnswer};
use crate::wording::{count, grouped, percent, visible};

/// What was made, for people.
pub fn receipt_text(receipt: &Receipt) -> String {
    let mut out = String::new();
    let made = if receipt.verified { "verified" } else { "NOT SAFE" };
    let files = receipt.files.join(" and ");
    let _ = writeln!(out, "{files}: {made}\n");
    let (rows, total) = (grouped(receipt.rows_out), grouped(receipt.rows_in));
    let _ = writeln!(
        out,
        "  {rows} of {total} rows in {}, the smallest of {}; {} suppressed",
        count(receipt.classes, "class", "classes"),
        grouped(receipt.smallest_class()),
        grouped(receipt.suppressed)
    );
    goal(&mut out, &receipt.goal, receipt.classes);
    if let Some(against) = receipt.against() {
        let _ = writeln!(out, "  promises about sensitive values hold against {against}");
    }
    disclosed(&mut out, receipt);
    let told = receipt.elimination.as_ref().map(ToString::to_string);
    for warning in receipt.besides.iter().chain(&told) {
        let _ = writeln!(out, "  unsafe: {warning}");
    }
    if !receipt.truthful {
        let _ = writeln!(out, "  not truthful: cells do not cover the original values");
    }
    let _ = writeln!(out);
    if let (Some(loss), Some(bound)) = (receipt.loss_per_cell, receipt.bound_per_cell) {
        let _ = writeln!(
            out,
            "  loss ({}{}): {}; no release with this promise loses less than {}",
            receipt.metric,
            if receipt.weighted { ", columns weighted" } else { "" },
            percent(loss),
            percent(bound)
        );
    }
    for (name, title) in SHOWN {
        if let Some(value) = receipt.metrics.get(name) {
            let is_of_cells = matches!(name, "ncp" | "lm" | "prec");
            let all = if receipt.weighted && is_of_cells { ", columns alike" } else { "" };
            let title = format!("{title}{all}");
            let _ = writeln!(out, "  {title:<42} {}", figure(name, *value));
        }
    }
    if !receipt.levels.is_empty() {
        let levels = receipt.levels.iter().map(|level| visible(&level.to_string()));
        let _ = writeln!(out, "  levels: {}", levels.collect::<Vec<_>>().join(", "));
    }
    let seconds: f64 = receipt.seconds.values().sum();
    let _ = writeln!(out, "  made by {} in {seconds:.2} s", receipt.algorithm);
    if receipt.published.is_some() {
        let _ = writeln!(
            out,
            "  confidential: these figures include rows that were left out; {report} makes a page that can \
             be shown",
            report = Setting::Report
        );
    }
    out
}

/// The metrics that are shown, with their titles.
const SHOWN: [(&str, &str); 6] = [
    ("ncp", "NCP: information lost per cell"),
    ("lm", "LM: information lost per cell"),
    ("prec", "Prec: precision left"),
    ("dm", "DM: rows that look alike, summed"),
    ("c_avg", "C_AVG: average class over the smallest"),
    ("kl", "KL: distance from the original"),
];

fn figure(name: &str, value: f64) -> String {
    match name {
        "ncp" | "lm" | "prec" => percent(value),
        "dm" => format!("{value:.0}"),
        _ => format!("{value:.3}"),
    }
}

fn goal(out: &mut String, goal: &[GoalAnswer], n_classes: u64) {
    for promise in goal {
        let GoalAnswer { model, parameters, .. } = promise;
        let of = promise.attribute.as_ref().map_or(String::new(), |name| format!(" of {name}"));
        let of = format!("{of}{}", promise.in_buckets());
        let stands = if let Some(members) = &promise.members {
            present(members, promise.holds)
        } else if promise.holds {
            let how =
                promise.evidence.map_or(String::new(), |found| format!(": {}", found.words()));
            let what = if promise.vacuous { VACUOUS } else { promise.known() };
            format!("holds ({what}{how})")
        } else {
            let classes = |n: u64| count(n, "class", "classes");
            let rows = count(promise.violating_rows, "row", "rows");
            // The classes of LKC-privacy are those of every set of few columns.
            let broken = if model == "lkc-privacy" {
                classes(promise.violating_classes)
            } else {
                format!("{} of {}", grouped(promise.violating_classes), classes(n_classes))
            };
            let masked = match promise.masked_classes {
                0 => String::new(),
                n => format!("; {} could be filled so that it fails", masked_cells(n)),
            };
            match promise.left_out {
                Some(people) if promise.violating_classes == 0 => {
                    let people = count(people, "person", "people");
                    format!("FAILS for the {people} left out")
                }
                _ => format!("FAILS in {broken}, with {rows}{masked}"),
            }
        };
        let _ = writeln!(out, "  {model}{of}, {parameters}: {stands}");
    }
}

/// The masked cells of this many classes.
pub fn masked_cells(n_classes: u64) -> String {
    format!("masked cells of {}", count(n_classes, "class", "classes"))
}

/// How a promise holds that is about values which do not occur.
pub const VACUOUS: &str = "has no effect: none of the values it names occurs";

/// How delta-presence stands.
fn present(members: &MembersAnswer, holds: bool) -> String {
    let range = format!(
        "{} are members with {} to {}",
        count(members.people, "person", "people"),
        percent(members.lowest),
        percent(members.highest)
    );
    if holds {
        return format!("holds (decided), {range}");
    }
    let (below, above) = (grouped(members.below), grouped(members.above));
    format!("fails for {below} below the range and {above} above it, {range}")
}

/// How likely sensitive values are guessed, where there are several.
fn disclosed(out: &mut String, receipt: &Receipt) {
    let Some(found) = &receipt.disclosure else { return };
    let each = receipt
        .guessing
        .iter()
        .map(|guess| format!("{} {}", guess.attribute, percent(guess.max_disclosure)));
    let _ = writeln!(
        out,
        "  the most likely value of a class, harmless or not, is guessed with probability {} at \
         most: {}",
        percent(found.max_disclosure),
        each.collect::<Vec<_>>().join(", ")
    );
    // These promises are about values that the plan names.
    let names_values =
        ["alpha-k-anonymity", "lkc-privacy", "personalized-privacy", "sensitivity-classes"];
    let promised = receipt.goal.iter().filter(|goal| names_values.contains(&&*goal.model));
    for goal in promised.filter(|goal| goal.holds) {
        let model = &goal.model;
        let _ = writeln!(
            out,
            "  {model} bounds the probability of the values that it names, not of others"
        );
    }
}

/// What the judge says, for people.
pub fn verdict_text(verdict: &Verdict) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n", if verdict.verified { "verified" } else { "rejected" });
    let smallest = verdict.smallest_class.map_or_else(|| "0".to_owned(), grouped);
    let _ = writeln!(
        out,
        "  {} in {}, the smallest of {smallest}",
        count(verdict.rows, "row", "rows"),
        count(verdict.classes, "class", "classes"),
    );
    if verdict.starred > 0 {
        let rows = count(verdict.starred, "row shows", "rows show");
        let _ =
            writeln!(out, "  {rows} `*` for every quasi-identifier; they are judged as a class");
    }
    if verdict.blank > 0 {
        let rows = count(verdict.blank, "row shows", "rows show");
        let _ = writeln!(out, "  {rows} `*` in every column: suppressed, and in no class");
    }
    goal(&mut out, &verdict.goal, verdict.classes);
    for reason in &verdict.besides {
        let _ = writeln!(out, "  FAILS: {reason}");
    }
    if let Some(compared) = &verdict.original {
        let truth = match compared.uncovered {
            0 => "every row covers a row of it".into(),
            rows => {
                let told = uncovered(rows);
                let fails = if verdict.reasons.contains(&told) { "FAILS: " } else { "" };
                format!("{fails}{told}")
            }
        };
        let _ = writeln!(out, "\n  against the original: {truth}");
        let _ = writeln!(
            out,
            "  {} of {} rows are not in the release",
            grouped(compared.dropped),
            grouped(compared.rows)
        );
        for (column, cells) in &compared.changed {
            let cells = count(*cells, "cell", "cells");
            let _ = writeln!(out, "  column `{column}`: {cells} cannot come from the original");
        }
        for (name, title) in SHOWN {
            if let Some(value) = compared.metrics.get(name) {
                let _ = writeln!(out, "  {title:<42} {}", figure(name, *value));
            }
        }
    }
    out
}

/// That rows say what the original does not.
pub fn uncovered(rows: u64) -> String {
    match rows {
        1 => "1 released row covers no available row of the original".into(),
        n => format!("{} released rows cover no available row of the original", grouped(n)),
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&receipt_text(self))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&verdict_text(self))
    }
}
