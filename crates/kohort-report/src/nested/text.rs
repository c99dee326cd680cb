//! A nested receipt and a nested verdict for people to read.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{NestedReceipt, NestedVerdict, PromiseAnswer, Promised, RuleAnswer};
use crate::wording::{count, grouped, percent};

/// What was made, for people.
pub fn receipt_text(receipt: &NestedReceipt) -> String {
    let mut out = String::new();
    let made = if receipt.verified { "verified" } else { "NOT SAFE" };
    let _ = writeln!(out, "{}: {made}\n", receipt.files.join(" and "));
    let promised = &receipt.promised;
    let _ = writeln!(
        out,
        "  {} of {} records with {} of {} vertices, in {}; {} suppressed",
        grouped(promised.records_out),
        grouped(receipt.records_in),
        grouped(promised.vertices_out),
        grouped(receipt.vertices_in),
        classes(promised),
        grouped(receipt.suppressed),
    );
    if receipt.values_cut > 0 {
        let cut = count(receipt.values_cut, "sensitive value was", "sensitive values were");
        let _ = writeln!(out, "  {cut} cut from vertices that are kept");
    }
    stands(&mut out, promised);
    if let Some(against) = receipt.against() {
        let _ = writeln!(out, "  promises about sensitive values hold against {against}");
    }
    for warning in &receipt.warnings {
        let _ = writeln!(out, "  unsafe: {warning}");
    }
    if !receipt.truthful {
        let _ = writeln!(out, "  not truthful: records do not cover the original ones");
    }
    let _ = writeln!(out);
    figures(&mut out, &receipt.metrics);
    let seconds: f64 = receipt.seconds.values().sum();
    let _ = writeln!(out, "  made by {} in {seconds:.2} s", receipt.algorithm);
    out
}

/// What the judge says, for people.
pub fn verdict_text(verdict: &NestedVerdict) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n", if verdict.verified { "verified" } else { "rejected" });
    let promised = &verdict.promised;
    let _ = writeln!(
        out,
        "  {} with {} in {}",
        count(promised.records_out, "record", "records"),
        count(promised.vertices_out, "vertex", "vertices"),
        classes(promised),
    );
    stands(&mut out, promised);
    for reason in &verdict.reasons {
        let _ = writeln!(out, "  FAILS: {reason}");
    }
    if let Some(compared) = &verdict.original {
        let truth = match compared.uncovered {
            0 if !compared.truthful => {
                "every record covers a record of it, but what the release says is not true"
                    .to_owned()
            }
            0 => "every record covers a record of it".to_owned(),
            n => format!("{} none", count(n, "record covers", "records cover")),
        };
        let _ = writeln!(out, "\n  against the original: {truth}");
        let _ = writeln!(
            out,
            "  {} of {} records are not in the release",
            grouped(compared.suppressed),
            grouped(compared.records_in)
        );
        figures(&mut out, &compared.metrics);
    }
    out
}

fn classes(promised: &Promised) -> String {
    let n = count(promised.classes, "class", "classes");
    let smallest = promised.class_sizes.first();
    smallest.map_or(n.clone(), |of| format!("{n}, the smallest of {}", grouped(of.size)))
}

/// How promises and rules stand.
fn stands(out: &mut String, promised: &Promised) {
    for promise in &promised.goal {
        let PromiseAnswer { model, parameters, attribute, holds, violating, .. } = promise;
        let of = promise.about();
        let is_of_l = *model == "frequency-l-diversity";
        let reached = attribute.as_ref().filter(|_| is_of_l).and_then(|path| {
            let of_path = |level: &&super::AttributeLevel| level.attribute == *path;
            promised.sensitive.iter().find(of_path)?.l
        });
        let stands = match (holds, reached) {
            (true, Some(l)) => format!("holds (decided), the least is {l}"),
            (true, None) => "holds (decided)".to_owned(),
            (false, _) => format!("FAILS in {}", count(*violating, "place", "places")),
        };
        let _ = writeln!(out, "  {model}{of}, {parameters}: {stands}");
    }
    for RuleAnswer { rule, at_least, probability_exact, reached, holds, people, .. } in
        &promised.rules
    {
        let asked = format!("{}/{}", probability_exact.num, probability_exact.den);
        let stands = if *holds {
            "holds (decided)".to_owned()
        } else {
            format!("FAILS for {}", count(*people, "person", "people"))
        };
        let often = count(u64::from(*at_least), "occurrence", "occurrences");
        let _ = writeln!(
            out,
            "  rule {rule}, at least {often} with at most {asked}: {stands}, reaches {}",
            percent(*reached)
        );
    }
}

/// The metrics that are shown, with their titles.
const SHOWN: [(&str, &str); 3] = [
    ("lm", "LM: information lost per quasi-identifier"),
    ("suppression_accuracy", "vertices kept, mean over records"),
    ("kl", "KL: distance of sensitive values"),
];

fn figures(out: &mut String, metrics: &BTreeMap<String, f64>) {
    for (name, title) in SHOWN {
        if let Some(value) = metrics.get(name) {
            let figure = match name {
                "kl" => format!("{value:.4}"),
                "suppression_accuracy" => percent(*value / 100.0),
                _ => percent(*value),
            };
            let _ = writeln!(out, "  {title:<42} {figure}");
        }
    }
}
