//! A comparison as a table: one row for each release that was tried, with everything that plots show.

use std::collections::BTreeSet;

use kohort_core::{Codes, Column, Dictionary, Missing, Table};

use super::{Cell, Comparison, RISKS, Release, UTILITIES};

type Get<'a> = Box<dyn Fn(&Cell) -> String + 'a>;

/// One figure of a guess.
type Part = fn(&super::Guess) -> f64;

/// The comparison as a table to write.
pub fn sheet(comparison: &Comparison) -> Table {
    let missing = Missing::default();
    let column = |(name, get): (String, Get<'_>)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, cell) in (2..).zip(&comparison.cells) {
            let text = get(cell);
            let entry = dictionary.intern(text.as_bytes(), line);
            codes.push(entry.expect("figures and sentences are short texts"));
        }
        Column::new(name, dictionary, codes, &missing)
    };
    let columns = columns(comparison).into_iter().map(column).collect();
    Table::new("comparison".into(), columns, true, missing)
}

/// The columns with how each is read off a cell: the parameters first.
fn columns(comparison: &Comparison) -> Vec<(String, Get<'_>)> {
    let mut columns: Vec<(String, Get<'_>)> = vec![
        ("algorithm".into(), Box::new(|cell| cell.algorithm.to_owned())),
        ("k".into(), Box::new(|cell| whole(cell.level.k))),
        ("l".into(), Box::new(|cell| number(cell.level.l))),
        ("seed".into(), Box::new(|cell| cell.seed.to_string())),
        ("metric".into(), Box::new(|_| comparison.metric.clone())),
        ("suppression".into(), Box::new(|_| comparison.suppression.to_string())),
        ("promised".into(), Box::new(|_| comparison.promised.join("; "))),
        ("target".into(), Box::new(|_| comparison.target.clone().unwrap_or_default())),
        ("folds".into(), Box::new(|_| comparison.folds.map_or(String::new(), |n| n.to_string()))),
        ("seconds".into(), Box::new(|cell| cell.seconds.to_string())),
        ("reason".into(), Box::new(|cell| cell.reason.clone().unwrap_or_default())),
        of_release("verified", |release| release.verified.to_string()),
        of_release("transparent", |release| {
            release.transparent.map_or(String::new(), |is| is.to_string())
        }),
        of_release("rows", |release| release.rows.to_string()),
        of_release("rows_suppressed", |release| release.suppressed.to_string()),
        of_release("classes", |release| release.classes.to_string()),
        of_release("smallest_class", |release| release.smallest_class.to_string()),
        of_release("lower_bound", |release| number(release.lower_bound)),
    ];
    let releases = || comparison.cells.iter().filter_map(|cell| cell.release.as_ref());
    let metrics: BTreeSet<&String> =
        releases().flat_map(|release| release.metrics.keys()).collect();
    for id in metrics {
        let figure = |release: &Release| number(release.metrics.get(id).copied());
        columns.push(of_release(id, figure));
    }
    for (id, _) in RISKS {
        let figure = |release: &Release| number(release.risk.get(id).copied());
        columns.push(of_release(&format!("risk.{id}"), figure));
    }
    for (index, name) in comparison.sensitive.iter().enumerate() {
        let parts: [(&str, Part); 3] = [
            ("baseline", |guess| guess.baseline),
            ("mean", |guess| guess.mean),
            ("max", |guess| guess.max),
        ];
        for (part, figure) in parts {
            let get = move |release: &Release| number(release.guessing.get(index).map(figure));
            columns.push(of_release(&format!("guessed.{name}.{part}"), get));
        }
    }
    columns.extend(learned(comparison));
    columns.push(of_release("avre", |release| number(release.avre)));
    columns.push(of_release("privacy_percent", |release| number(release.privacy_percent)));
    let on_front = |cell: &Cell| {
        let point = comparison.points.iter().find(|point| cell.is_of(point));
        point.map_or(String::new(), |point| point.on_front.to_string())
    };
    columns.push(("on_front".into(), Box::new(on_front)));
    columns.extend(disclosed().into_iter().chain(preserved(comparison)));
    columns.push(of_release("loss", |release| number(release.loss)));
    columns.push(of_release("avre_median", |release| number(release.avre_median)));
    columns.push(of_release("queries", |release| number(release.queries)));
    columns.extend(scores(comparison));
    columns
}

/// What can still be learned from releases.
fn learned(comparison: &Comparison) -> Vec<(String, Get<'_>)> {
    let releases = || comparison.cells.iter().filter_map(|cell| cell.release.as_ref());
    let mut columns: Vec<(String, Get<'_>)> = Vec::new();
    for (id, _) in UTILITIES {
        let figure = |release: &Release| number(release.utility.get(id).copied());
        columns.push(of_release(&format!("utility.{id}"), figure));
        if releases().any(|release| release.learned.contains_key(id)) {
            for (part, name) in
                [("accuracy", ""), ("lowest_fold", ".low"), ("highest_fold", ".high")]
            {
                let figure = move |release: &Release| {
                    number(release.learned.get(id).and_then(|parts| parts.get(part)).copied())
                };
                columns.push(of_release(&format!("accuracy.{id}{name}"), figure));
            }
        }
    }
    columns
}

/// The other figures of each learner that was tried.
fn scores(comparison: &Comparison) -> Vec<(String, Get<'_>)> {
    let releases = comparison.cells.iter().filter_map(|cell| cell.release.as_ref());
    let found = releases.flat_map(|release| &release.learned);
    let is_other =
        |part: &&String| !["accuracy", "lowest_fold", "highest_fold"].contains(&part.as_str());
    let names: BTreeSet<(&'static str, &String)> = found
        .flat_map(|(&id, parts)| parts.keys().filter(is_other).map(move |part| (id, part)))
        .collect();
    let figure = |id, part| {
        move |release: &Release| {
            number(release.learned.get(id).and_then(|parts| parts.get(part)).copied())
        }
    };
    names
        .into_iter()
        .map(|(id, part)| of_release(&format!("{part}.{id}"), figure(id, part)))
        .collect()
}

/// What releases keep of the distributions.
fn preserved(comparison: &Comparison) -> Vec<(String, Get<'_>)> {
    let releases = comparison.cells.iter().filter_map(|cell| cell.release.as_ref());
    let ids: BTreeSet<&String> = releases.flat_map(|release| release.preserved.keys()).collect();
    let figure = |id| move |release: &Release| number(release.preserved.get(id).copied());
    ids.into_iter().map(|id| of_release(id, figure(id))).collect()
}

/// What several sensitive attributes give away together. These stand last, where columns that were there
/// keep their places.
fn disclosed<'a>() -> [(String, Get<'a>); 4] {
    let broken = |release: &Release| release.goal.iter().map(|one| one.violating_classes).max();
    [
        ("attributes".into(), Box::new(|cell| whole(cell.level.attributes))),
        of_release("max_disclosure", |release| number(release.max_disclosure)),
        of_release("m_diversity", |release| whole(release.m_diversity)),
        of_release("violating_classes", move |release| whole(broken(release).or(Some(0)))),
    ]
}

/// A column that a cell without a release leaves empty.
fn of_release<'a>(name: &str, get: impl Fn(&Release) -> String + 'a) -> (String, Get<'a>) {
    let of = move |cell: &Cell| cell.release.as_ref().map_or(String::new(), &get);
    (name.to_owned(), Box::new(of))
}

fn number(figure: Option<f64>) -> String {
    figure.map_or(String::new(), |figure| figure.to_string())
}

fn whole(figure: Option<u64>) -> String {
    figure.map_or(String::new(), |figure| figure.to_string())
}
