//! A comparison for people to read: one line for each algorithm and level, then the balance.

use std::fmt::Write;

use super::{
    Choice, Comparison, Curve, Dimension, Interval, Level, Point, Predicted, RISKS, UTILITIES,
    undefined,
};
use crate::diagnose::GoalAnswer;
use crate::wording::{align, count, decimal, given_share, grouped, visible};

/// What the query error is.
const AVRE: &str = "the average relative error of counts of rows around a person";

/// What was compared, for people.
pub fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} rows, {} quasi-identifiers, loss {}\n",
        visible(&comparison.table),
        grouped(comparison.rows),
        comparison.quasi.len(),
        comparison.loss_name()
    );
    figures(&mut out, comparison);
    broken(&mut out, comparison);
    without_release(&mut out, comparison);
    predicted(&mut out, comparison);
    let undefined = undefined(comparison);
    if !undefined.is_empty() {
        let _ = writeln!(out, "\nUndefined\n  {}", undefined.join("\n  "));
    }
    balance(&mut out, comparison);
    out
}

/// The table of figures.
fn figures(out: &mut String, comparison: &Comparison) {
    let shown: Vec<&Point> = comparison.points.iter().filter(|p| p.releases > 0).collect();
    if shown.is_empty() {
        return;
    }
    let has_seeds = comparison.seeds.len() > 1;
    let mut columns = levels(comparison);
    columns.extend(costs(comparison));
    columns.push(("utility", Box::new(|point| mean(point.utility, 4))));
    columns.push(("risk", Box::new(|point| mean(point.risk, 4))));
    columns.push(("front", Box::new(|point| if point.on_front { "*" } else { "" }.to_owned())));
    columns.push(("seconds", Box::new(|point| mean(point.seconds, 2))));
    let mut rows = vec![columns.iter().map(|(title, _)| (*title).to_owned()).collect::<Vec<_>>()];
    rows.extend(shown.iter().map(|point| columns.iter().map(|(_, get)| get(point)).collect()));
    align(out, &rows, 1);
    let title = |ids: &[(&str, &'static str)], id: &str| {
        ids.iter().find(|(other, _)| *other == id).map_or("", |(_, title)| *title)
    };
    out.push('\n');
    if comparison.sensitive.len() > 1 {
        let _ = writeln!(
            out,
            "AvRE: {AVRE}\ndisclosure: the largest probability with which anybody's sensitive \
             value is guessed"
        );
    }
    if shown.iter().any(|point| point.transparent.is_some()) {
        let _ = writeln!(
            out,
            "transparent: whether promises about sensitive values hold against an adversary who runs the method \
             again"
        );
    }
    let _ = writeln!(
        out,
        "pMSE: how well a simple model tells its rows from those of the original, 0 to \
         0.25\ncorr.: the average error of the correlation of two columns"
    );
    let _ = writeln!(out, "utility: {}", title(&UTILITIES, comparison.utility));
    let _ = writeln!(out, "risk: {}", title(&RISKS, comparison.risk));
    let than = if shown.iter().any(|point| point.level.attributes.is_some()) {
        " of as many attributes"
    } else {
        ""
    };
    let _ = writeln!(out, "*: no other release here{than} has more utility and less risk");
    if has_seeds {
        let n = comparison.seeds.len();
        let _ = writeln!(out, "figures are means over {n} seeds; min – max is their range");
    }
}

/// A column of the table: its title, and how it is read off a point.
type Column<'a> = (&'static str, Box<dyn Fn(&Point) -> String + 'a>);

/// The algorithm and the levels that were asked for.
fn levels(comparison: &Comparison) -> Vec<Column<'_>> {
    let has = |get: fn(&Level) -> bool| comparison.points.iter().any(|point| get(&point.level));
    let mut columns: Vec<Column<'_>> = vec![("algorithm", Box::new(|p| p.algorithm.to_owned()))];
    if has(|level| level.k.is_some()) {
        columns.push(("k", Box::new(|point| point.level.k.map_or("–".into(), grouped))));
    }
    if has(|level| level.l.is_some()) {
        columns.push(("l", Box::new(|point| level(point.level.l))));
    }
    if has(|level| level.attributes.is_some()) {
        let of = |point: &Point| point.level.attributes.map_or("–".into(), grouped);
        columns.push(("attributes", Box::new(of)));
    }
    if comparison.points.iter().any(|point| point.transparent.is_some()) {
        columns.push(("transparent", Box::new(|point| yes_or_no(point.transparent).to_owned())));
    }
    columns
}

/// What releases cost: with several sensitive attributes also what the queries and the guesses say.
fn costs(comparison: &Comparison) -> Vec<Column<'_>> {
    let digits = if comparison.metric == "dm" { 0 } else { 4 };
    let mut columns: Vec<Column<'_>> =
        vec![("loss", Box::new(move |point| mean(point.loss, digits)))];
    if comparison.seeds.len() > 1 {
        let range = move |i: Interval| format!("{:.digits$} – {:.digits$}", i.low, i.high);
        columns.push(("min – max", Box::new(move |p| p.loss.map_or("–".into(), range))));
    }
    let bound = move |bound: f64| format!("{bound:.digits$}");
    columns.push(("bound", Box::new(move |p| p.lower_bound.map_or("–".into(), bound))));
    let is_several = comparison.sensitive.len() > 1;
    if is_several {
        columns.push(("DM", Box::new(|point| mean(point.dm, 0))));
        columns.push(("AvRE", Box::new(|point| mean(point.avre, 4))));
    } else {
        columns.push(("C_AVG", Box::new(|point| mean(point.c_avg, 2))));
    }
    columns.push(("pMSE", Box::new(|point| mean(point.pmse, 4))));
    columns.push(("corr.", Box::new(|point| mean(point.correlation_difference, 4))));
    columns.push(("classes", Box::new(|point| mean(point.classes, 0))));
    columns.push(("suppressed", Box::new(|point| mean(point.suppressed, 0))));
    if is_several {
        columns.push(("disclosure", Box::new(|point| mean(point.max_disclosure, 4))));
    }
    columns
}

/// Whether promises hold against an adversary who runs the method again, in a word.
pub(crate) fn yes_or_no(is_transparent: Option<bool>) -> &'static str {
    is_transparent.map_or("–", |is| if is { "yes" } else { "no" })
}

fn mean(figure: Option<Interval>, digits: usize) -> String {
    figure.map_or("–".into(), |figure| format!("{:.digits$}", figure.mean))
}

fn level(l: Option<f64>) -> String {
    l.map_or("–".into(), decimal)
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
        let name = format!("  {}{}{seed}", cell.algorithm, cell.level.words());
        hidden.extend(release.hidden.iter().map(|note| format!("{name}: {note}")));
        let worst = release.guessing.iter().map(|guess| guess.max).reduce(f64::max);
        let worst = worst.map_or(String::new(), |share| {
            format!("; one sensitive value has up to {share:.3} of a class")
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

/// The cells that have no release, those with the same reason together.
fn without_release(out: &mut String, comparison: &Comparison) {
    let n_seeds = comparison.seeds.len();
    let mut cells_of_reason: Vec<(&str, Vec<String>)> = Vec::new();
    for point in comparison.points.iter().filter(|point| point.releases < n_seeds) {
        let some = match point.releases {
            0 => String::new(),
            _ => format!(" with {} of {n_seeds} seeds", n_seeds - point.releases),
        };
        let cell = format!("{}{}{some}", point.algorithm, point.level.words());
        let reason = point.reason.as_deref().unwrap_or("no reason");
        match cells_of_reason.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, cells)) => cells.push(cell),
            None => cells_of_reason.push((reason, vec![cell])),
        }
    }
    if !cells_of_reason.is_empty() {
        let _ = writeln!(out, "\nWithout a release");
    }
    for (reason, cells) in cells_of_reason {
        let _ = writeln!(out, "  {}: {reason}", cells.join("; "));
    }
}

/// How well the target is predicted.
fn predicted(out: &mut String, comparison: &Comparison) {
    let Some(found) = Predicted::of(comparison) else { return };
    let _ = writeln!(out, "\n{}", visible(&Predicted::title(comparison)));
    let head = std::iter::once("  ").chain(found.learners.iter().copied());
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<String>>()];
    for (name, accuracies) in found.rows {
        let shares = accuracies.into_iter().map(Predicted::shown);
        rows.push(std::iter::once(format!("  {name}")).chain(shares).collect());
    }
    align(out, &rows, 1);
}

/// The choices between the releases.
fn balance(out: &mut String, comparison: &Comparison) {
    choices(out, comparison);
    let cap = given_share(comparison.risk_cap);
    if comparison.points.iter().all(|point| point.utility.and(point.risk).is_none()) {
        return;
    }
    let _ = match &comparison.best {
        Some(best) => writeln!(
            out,
            "\nMost utility with a risk of at most {cap}: {}{} (utility {:.3}, risk {:.3})",
            best.algorithm,
            best.choice.level.words(),
            best.choice.utility,
            best.choice.risk
        ),
        None => writeln!(out, "\nNo release here has a risk of at most {cap}"),
    };
    let percents = comparison.points.iter().filter_map(|point| point.privacy_percent);
    if let Some(range) = Interval::of(percents.flat_map(|range| [range.low, range.high])) {
        let _ = writeln!(
            out,
            "Privacy % of Tandon and Jain 2010: {}; {}",
            range.spelled(1, " to "),
            comparison.privacy_percent_caveat
        );
    }
}

/// The level that each rule chooses.
fn choices(out: &mut String, comparison: &Comparison) {
    let is_known = |curve: &&Curve| curve.maximin.is_some();
    let curves: Vec<&Curve> = comparison.curves.iter().filter(is_known).collect();
    let Some(first) = curves.first() else { return };
    let over = first.over.names().1;
    let _ =
        writeln!(out, "\nBalance of utility and privacy (1 − risk): {over}, with utility / risk");
    let is_fixed = |along: &Dimension| curves.iter().any(|c| along.of(&c.level).is_some());
    let fixed: Vec<Dimension> = Dimension::ALL.into_iter().filter(is_fixed).collect();
    let mut head = vec!["algorithm".to_owned()];
    head.extend(fixed.iter().map(|along| along.names().0.to_owned()));
    let rules = ["crossing", "maximin", "Nash", "knee"];
    let cap = given_share(comparison.risk_cap);
    head.extend(rules.into_iter().map(str::to_owned).chain([format!("risk up to {cap}")]));
    let mut rows = vec![head];
    for curve in curves {
        let mut row = vec![curve.algorithm.to_owned()];
        row.extend(fixed.iter().map(|along| level(along.of(&curve.level))));
        row.push(crossing(curve));
        let chosen = [curve.maximin, curve.nash, curve.knee, curve.capped];
        row.extend(chosen.map(|chosen| choice(curve.over, chosen)));
        rows.push(row);
    }
    let mut table = String::new();
    align(&mut table, &rows, rows[0].len());
    table.lines().for_each(|line| {
        let _ = writeln!(out, "  {line}");
    });
}

fn crossing(curve: &Curve) -> String {
    let name = curve.over.names().0;
    match curve.crossing {
        None => "–".into(),
        Some(at) if at.crosses => format!("{name} = {:.2} at {:.3}", at.at, at.level),
        Some(at) => format!("none, nearest {}", curve.over.spelled(at.at)),
    }
}

fn choice(over: Dimension, choice: Option<Choice>) -> String {
    choice.map_or("–".into(), |Choice { level, utility, risk }| {
        let at = over.of(&level).map_or(String::new(), |at| format!("{}, ", over.spelled(at)));
        format!("{at}{utility:.3} / {risk:.3}")
    })
}
