//! A comparison of nested releases for people to read, and as a table to write.

use std::collections::BTreeSet;
use std::fmt::Write;

use kohort_core::{Codes, Column, Dictionary, Missing, Table};

use super::compare::{NestedCell, NestedComparison, NestedSummary};
use crate::compare::align;
use crate::diagnose::{count, percent, visible};

/// The comparison for people.
pub fn compare_text(comparison: &NestedComparison) -> String {
    let mut out = format!(
        "{}: {} with {}\n\n",
        visible(&comparison.table),
        count(comparison.records, "record", "records"),
        count(comparison.vertices, "vertex", "vertices")
    );
    let head = [
        "algorithm",
        "k",
        "l",
        "LM",
        "sup. acc.",
        "KL",
        "queries",
        "vertices",
        "records",
        "linked",
        "seconds",
    ];
    let mut rows: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    rows.extend(comparison.cells.iter().map(row));
    align(&mut out, &rows, 1);
    let _ = writeln!(
        out,
        "\nsup. acc.: vertices kept, mean over records; queries: accuracy of counting queries, mean of ten \
         families;\nlinked: people whose values are told by who knows their whole trees ({} in the raw \
         records).",
        percent(comparison.raw_linked)
    );
    fails(&mut out, comparison);
    out
}

fn row(cell: &NestedCell) -> Vec<String> {
    let level = |level: Option<u64>| level.map_or("–".to_owned(), |level| level.to_string());
    let of = |figure: &dyn Fn(&NestedSummary) -> Option<String>| {
        cell.release.as_ref().and_then(figure).unwrap_or_else(|| "–".into())
    };
    let metric = |id: &str, spelled: fn(f64) -> String| {
        of(&|release| release.metrics.get(id).map(|value| spelled(*value)))
    };
    let mark = cell.release.as_ref().is_some_and(|release| !release.verified);
    vec![
        format!("{}{}", cell.algorithm, if mark { " (fails)" } else { "" }),
        level(cell.k),
        level(cell.l),
        metric("lm", percent),
        metric("suppression_accuracy", |value| percent(value / 100.0)),
        metric("kl", |value| format!("{value:.4}")),
        metric("query_accuracy", |value| percent(value / 100.0)),
        of(&|release| Some(percent(release.vertices_kept))),
        of(&|release| Some(percent(release.records_kept))),
        of(&|release| Some(percent(release.linked))),
        format!("{:.2}", cell.seconds),
    ]
}

/// What fails, and why there is no release.
fn fails(out: &mut String, comparison: &NestedComparison) {
    let told = comparison.cells.iter().flat_map(|cell| {
        let broken = cell.release.iter().flat_map(|release| &release.fails);
        broken.chain(&cell.reason).map(move |text| (cell, text))
    });
    let mut told = told.peekable();
    if told.peek().is_some() {
        let _ = writeln!(out, "\nWhat fails");
    }
    for (cell, text) in told {
        let level = |name: &str, level: Option<u64>| {
            level.map_or(String::new(), |level| format!(", {name} = {level}"))
        };
        let (k, l) = (level("k", cell.k), level("l", cell.l));
        let _ = writeln!(out, "  {}{k}{l}: {text}", cell.algorithm);
    }
}

/// The comparison as a table to write: a row for each cell.
pub fn sheet(comparison: &NestedComparison) -> Table {
    let missing = Missing::default();
    let releases = || comparison.cells.iter().filter_map(|cell| cell.release.as_ref());
    let ids: BTreeSet<&String> = releases().flat_map(|release| release.metrics.keys()).collect();
    let level = |level: Option<u64>| level.map_or(String::new(), |level| level.to_string());
    let mut columns: Vec<(&str, Get<'_>)> = vec![
        ("algorithm", Box::new(|cell| cell.algorithm.to_owned())),
        ("k", Box::new(move |cell| level(cell.k))),
        ("l", Box::new(move |cell| level(cell.l))),
        ("records_in", Box::new(|_| comparison.records.to_string())),
        ("vertices_in", Box::new(|_| comparison.vertices.to_string())),
        ("seconds", Box::new(|cell| cell.seconds.to_string())),
        ("reason", Box::new(|cell| cell.reason.clone().unwrap_or_default())),
        ("verified", of_release(|release| release.verified.to_string())),
        ("fails", of_release(|release| release.fails.join("; "))),
        ("records_out", of_release(|release| release.records_out.to_string())),
        ("vertices_out", of_release(|release| release.vertices_out.to_string())),
        ("classes", of_release(|release| release.classes.to_string())),
        ("smallest_class", of_release(move |release| level(release.smallest_class))),
        ("linked", of_release(|release| release.linked.to_string())),
        ("linked_max", of_release(|release| release.linked_max.to_string())),
    ];
    for id in ids {
        let figure = move |release: &NestedSummary| {
            release.metrics.get(id).map_or(String::new(), f64::to_string)
        };
        columns.push((id, of_release(figure)));
    }
    let column = |(name, get): (&str, Get<'_>)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, cell) in (2..).zip(&comparison.cells) {
            let entry = dictionary.intern(get(cell).as_bytes(), line);
            codes.push(entry.expect("figures and sentences are short texts"));
        }
        Column::new(name.to_owned(), dictionary, codes, &missing)
    };
    let columns = columns.into_iter().map(column).collect();
    Table::new("comparison".into(), columns, true, missing.clone())
}

type Get<'a> = Box<dyn Fn(&NestedCell) -> String + 'a>;

/// A column that a cell without a release leaves empty.
fn of_release<'a>(get: impl Fn(&NestedSummary) -> String + 'a) -> Get<'a> {
    Box::new(move |cell| cell.release.as_ref().map_or(String::new(), &get))
}
