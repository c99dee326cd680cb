//! A comparison of nested releases for people to read, and as a table to write.

use std::collections::BTreeSet;
use std::fmt::Write;

use kohort_core::{Codes, Column, Dictionary, Missing, Table};

use super::comparison::{NestedCell, NestedComparison, NestedPoint, NestedSummary};
use crate::compare::{Interval, yes_or_no};
use crate::wording::align;
use crate::wording::{count, percent, visible};

/// The comparison for people.
pub fn compare_text(comparison: &NestedComparison) -> String {
    let mut out = format!(
        "{}: {} with {}\n\n",
        visible(&comparison.table),
        count(comparison.records, "record", "records"),
        count(comparison.vertices, "vertex", "vertices")
    );
    let mut head = vec!["algorithm", "k", "l", "LM"];
    let has_seeds = comparison.seeds.len() > 1;
    head.extend(has_seeds.then_some("min – max"));
    head.extend([
        "sup. acc.",
        "KL",
        "queries",
        "vertices",
        "records",
        "linked",
        "transparent",
        "seconds",
    ]);
    let mut rows: Vec<Vec<String>> = vec![head.into_iter().map(str::to_owned).collect()];
    rows.extend(comparison.points.iter().map(|point| row(point, has_seeds)));
    align(&mut out, &rows, 1);
    let _ = writeln!(
        out,
        "\nsup. acc.: vertices kept, mean over records; queries: accuracy of counting queries, mean of \
         {};\nlinked: people whose values an adversary learns from their whole trees ({} in the raw records);\n\
         transparent: whether promises about sensitive values hold against an adversary who runs the method again.",
        count(comparison.n_families(), "family", "families"),
        percent(comparison.raw_linked)
    );
    if has_seeds {
        let n = comparison.seeds.len();
        let _ = writeln!(
            out,
            "figures are means over {n} orders of the people, which break ties; min – max is \
             their range."
        );
    }
    fails(&mut out, comparison);
    out
}

fn row(point: &NestedPoint, has_seeds: bool) -> Vec<String> {
    let level = |level: Option<u64>| level.map_or("–".to_owned(), |level| level.to_string());
    let figure = |id: &str, spelled: fn(f64) -> String| {
        point.figures.get(id).map_or("–".into(), |figure| spelled(figure.mean))
    };
    let hundredth = |value: f64| percent(value / 100.0);
    let range = |span: &Interval| format!("{} – {}", percent(span.low), percent(span.high));
    let is_broken = point.releases > 0 && !point.verified;
    let mut row = vec![
        format!("{}{}", point.algorithm, if is_broken { " (fails)" } else { "" }),
        level(point.k),
        level(point.l),
        figure("lm", percent),
    ];
    row.extend(has_seeds.then(|| point.figures.get("lm").map_or("–".into(), range)));
    row.extend([
        figure("suppression_accuracy", hundredth),
        figure("kl", |value| format!("{value:.4}")),
        figure("query_accuracy", hundredth),
        figure("vertices_kept", percent),
        figure("records_kept", percent),
        figure("linked", percent),
        yes_or_no(point.transparent).to_owned(),
        figure("seconds", |value| format!("{value:.2}")),
    ]);
    row
}

/// What fails, and why there is no release.
fn fails(out: &mut String, comparison: &NestedComparison) {
    let told = (comparison.points.iter())
        .flat_map(|point| point.fails.iter().map(move |text| (point, text)));
    let mut told = told.peekable();
    if told.peek().is_some() {
        let _ = writeln!(out, "\nWhat fails");
    }
    for (point, text) in told {
        let _ = writeln!(out, "  {}{}: {text}", point.algorithm, point.words());
    }
}

impl NestedPoint {
    /// The levels after a name, such as `, k = 5, l = 2`; nothing where nothing is asked.
    pub fn words(&self) -> String {
        let level = |name: &str, level: Option<u64>| {
            level.map_or(String::new(), |level| format!(", {name} = {level}"))
        };
        format!("{}{}", level("k", self.k), level("l", self.l))
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
        ("seed", Box::new(move |cell| level(cell.seed))),
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
        (
            "transparent",
            of_release(|release| release.transparent.map_or(String::new(), |is| is.to_string())),
        ),
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
