//! A comparison for people to read: one line for each algorithm and level, then the balance.

use std::fmt::Write;

use super::{Choice, Comparison, Curve, Interval, Point, Predicted, RISKS, UTILITIES};
use crate::diagnose::{GoalAnswer, count, decimal, given_share, grouped, visible};

/// What was compared, for people.
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} rows, {} quasi-identifiers, loss {}\n",
        visible(&comparison.table),
        grouped(comparison.rows),
        comparison.quasi.len(),
        comparison.metric
    );
    figures(&mut out, comparison);
    broken(&mut out, comparison);
    without_release(&mut out, comparison);
    predicted(&mut out, comparison);
    balance(&mut out, comparison);
    out
}

/// The table of figures.
fn figures(out: &mut String, comparison: &Comparison) {
    let has_l = comparison.points.iter().any(|point| point.l.is_some());
    let has_seeds = comparison.seeds.len() > 1;
    let mut head = vec!["algorithm", "k"];
    head.extend(has_l.then_some("l"));
    head.push("loss");
    head.extend(has_seeds.then_some("min – max"));
    head.extend(["bound", "C_AVG", "classes", "suppressed", "utility", "risk", "front", "seconds"]);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<String>>()];
    for point in comparison.points.iter().filter(|point| point.releases > 0) {
        let mean = |figure: Option<Interval>, digits: usize| {
            figure.map_or("–".into(), |figure| format!("{:.digits$}", figure.mean))
        };
        let loss_digits = if comparison.metric == "dm" { 0 } else { 4 };
        let mut row = vec![point.algorithm.to_owned(), grouped(point.k)];
        row.extend(has_l.then(|| level(point.l)));
        row.push(mean(point.loss, loss_digits));
        row.extend(has_seeds.then(|| {
            let range = |i: Interval| format!("{:.loss_digits$} – {:.loss_digits$}", i.low, i.high);
            point.loss.map_or("–".into(), range)
        }));
        row.push(point.lower_bound.map_or("–".into(), |bound| format!("{bound:.loss_digits$}")));
        row.extend([mean(point.c_avg, 2), mean(point.classes, 0), mean(point.suppressed, 0)]);
        row.extend([mean(point.utility, 4), mean(point.risk, 4)]);
        row.push(if point.on_front { "*" } else { "" }.to_owned());
        row.push(mean(point.seconds, 2));
        rows.push(row);
    }
    if rows.len() > 1 {
        align(out, &rows, 1);
        let title = |ids: &[(&str, &'static str)], id: &str| {
            ids.iter().find(|(other, _)| *other == id).map_or("", |(_, title)| *title)
        };
        let _ = writeln!(out, "\nutility: {}", title(&UTILITIES, comparison.utility));
        let _ = writeln!(out, "risk: {}", title(&RISKS, comparison.risk));
        let _ = writeln!(out, "*: no other release here has more utility and less risk");
        if has_seeds {
            let n = comparison.seeds.len();
            let _ =
                writeln!(out, "figures are means over {n} seeds; min – max is what the seeds gave");
        }
    }
}

/// Columns side by side; the first `n_texts` are texts, the others numbers.
pub(crate) fn align(out: &mut String, rows: &[Vec<String>], n_texts: usize) {
    let n_columns = rows.first().map_or(0, Vec::len);
    let width =
        |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            let _ = if at < n_texts {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn level(l: Option<f64>) -> String {
    l.map_or("–".into(), decimal)
}

/// An algorithm at a level.
fn named(algorithm: &str, k: u64, l: Option<f64>) -> String {
    let with = l.map_or(String::new(), |l| format!(", l = {}", decimal(l)));
    format!("{algorithm}, k = {}{with}", grouped(k))
}

/// The promises that releases break of methods that do not keep the goal for everybody, how much of a
/// class one sensitive cell fills, and what became of sensitive values that are not published as they are.
fn broken(out: &mut String, comparison: &Comparison) {
    let (mut told, mut hidden): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for cell in &comparison.cells {
        let Some(release) = &cell.release else { continue };
        let seed = match comparison.seeds.len() {
            1 => String::new(),
            _ => format!(", seed {}", cell.seed),
        };
        let name = format!("  {}{seed}", named(cell.algorithm, cell.k, cell.l));
        hidden.extend(release.hidden.iter().map(|note| format!("{name}: {note}")));
        let worst = release.guessing.iter().map(|guess| guess.max).reduce(f64::max);
        let worst = worst.map_or(String::new(), |share| {
            format!("; one sensitive cell fills up to {share:.3} of a class")
        });
        let broken: Vec<&GoalAnswer> = release.goal.iter().filter(|one| !one.holds).collect();
        for same in broken.chunk_by(|a, b| a.model == b.model && a.parameters == b.parameters) {
            let names: Vec<&str> = same.iter().filter_map(|one| one.attribute.as_deref()).collect();
            let of =
                if names.is_empty() { String::new() } else { format!(" of {}", names.join(", ")) };
            let most =
                |of: fn(&GoalAnswer) -> u64| same.iter().map(|one| of(one)).max().unwrap_or(0);
            told.push(format!(
                "{name}: {}{of}, {}, fails in {}{}, {}{worst}",
                same[0].model,
                same[0].parameters,
                if same.len() > 1 { "up to " } else { "" },
                count(most(|one| one.violating_classes), "class", "classes"),
                count(most(|one| one.violating_rows), "row", "rows"),
            ));
        }
    }
    for (title, lines) in [("Broken promises", told), ("Sensitive values", hidden)] {
        if !lines.is_empty() {
            let _ = writeln!(out, "\n{title}\n{}", lines.join("\n"));
        }
    }
}

/// The cells that have no release, with the reason.
fn without_release(out: &mut String, comparison: &Comparison) {
    let n_seeds = comparison.seeds.len();
    let failed: Vec<&Point> = comparison.points.iter().filter(|p| p.releases < n_seeds).collect();
    if failed.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nWithout a release");
    for point in failed {
        let name = named(point.algorithm, point.k, point.l);
        let some = match point.releases {
            0 => String::new(),
            _ => format!(" with {} of {n_seeds} seeds", n_seeds - point.releases),
        };
        let _ = writeln!(out, "  {name}{some}: {}", point.reason.as_deref().unwrap_or("no reason"));
    }
}

/// How well the target is predicted.
fn predicted(out: &mut String, comparison: &Comparison) {
    let Some(found) = Predicted::of(comparison) else { return };
    let _ = writeln!(out, "\n{}", visible(&Predicted::title(comparison)));
    let head = std::iter::once("  ").chain(found.learners.iter().copied());
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<String>>()];
    for (name, accuracies) in found.rows {
        let shares = accuracies.into_iter().map(|a| a.map_or("–".into(), |a| format!("{a:.3}")));
        rows.push(std::iter::once(format!("  {name}")).chain(shares).collect());
    }
    align(out, &rows, 1);
}

/// The choices between the releases.
fn balance(out: &mut String, comparison: &Comparison) {
    let is_known = |curve: &&Curve| curve.maximin.is_some();
    let curves: Vec<&Curve> = comparison.curves.iter().filter(is_known).collect();
    if curves.is_empty() {
        return;
    }
    let cap = given_share(comparison.risk_cap);
    let _ = writeln!(out, "\nBalance of utility and privacy (1 − risk): k, with utility / risk");
    let has_l = curves.iter().any(|curve| curve.l.is_some());
    let mut head = vec!["algorithm".to_owned()];
    head.extend(has_l.then(|| "l".to_owned()));
    let rules = ["crossing", "maximin", "Nash", "knee"];
    head.extend(rules.into_iter().map(str::to_owned).chain([format!("risk up to {cap}")]));
    let mut rows = vec![head];
    for curve in curves {
        let mut row = vec![curve.algorithm.to_owned()];
        row.extend(has_l.then(|| level(curve.l)));
        row.push(crossing(curve));
        row.extend([curve.maximin, curve.nash, curve.knee, curve.capped].map(choice));
        rows.push(row);
    }
    let mut table = String::new();
    align(&mut table, &rows, rows[0].len());
    table.lines().for_each(|line| {
        let _ = writeln!(out, "  {line}");
    });
    let _ = match &comparison.best {
        Some(best) => writeln!(
            out,
            "\nMost utility with a risk of at most {cap}: {}{}, {}",
            best.algorithm,
            best.l.map_or(String::new(), |l| format!(", l = {}", decimal(l))),
            format_args!(
                "k = {:.0} (utility {:.3}, risk {:.3})",
                best.choice.k, best.choice.utility, best.choice.risk
            )
        ),
        None => writeln!(out, "\nNo release here has a risk of at most {cap}"),
    };
    let percents = comparison.points.iter().filter_map(|point| point.privacy_percent);
    if let Some(range) = Interval::of(percents.flat_map(|range| [range.low, range.high])) {
        let _ = writeln!(
            out,
            "Privacy % of document 004: {}; {}",
            range.spelled(1, " to "),
            comparison.privacy_percent_caveat
        );
    }
}

fn crossing(curve: &Curve) -> String {
    match curve.crossing {
        None => "–".into(),
        Some(at) if at.crosses => format!("k = {:.2} at {:.3}", at.k, at.level),
        Some(at) => format!("none, nearest k = {:.0}", at.k),
    }
}

fn choice(choice: Option<Choice>) -> String {
    choice.map_or("–".into(), |at| format!("k = {:.0}, {:.3} / {:.3}", at.k, at.utility, at.risk))
}
