//! The figures of every algorithm and level, and why some have none.

use crate::compare::{Comparison, Interval, Point, Predicted};
use crate::report::figures::{decimal, grouped};
use crate::report::markup::{Table, escape, section};

/// The table of all figures.
pub(super) fn figures(comparison: &Comparison) -> String {
    let metric = format!("#{}", escape(&comparison.metric));
    let head = [
        "Algorithm",
        "#k",
        "#l",
        &metric,
        "#bound",
        "#DM",
        "#C_AVG",
        "#classes",
        "#suppressed",
        "#utility",
        "#risk",
        "#privacy %",
        "#seconds",
    ];
    let mut table = Table::new("Every algorithm and level, means over the seeds", "grid", &head);
    let mut n_rows = 0;
    for point in comparison.points.iter().filter(|point| point.releases > 0) {
        let name = format!("{}{}", point.algorithm, if point.on_front { " *" } else { "" });
        let bound = point.lower_bound.map_or("–".into(), |bound| format!("{bound:.4}"));
        let cells = [
            name,
            grouped(point.k),
            point.l.map_or("–".into(), decimal),
            spanned(point.loss, 4),
            bound,
            spanned(point.dm, 0),
            spanned(point.c_avg, 2),
            spanned(point.classes, 0),
            spanned(point.suppressed, 0),
            spanned(point.utility, 4),
            spanned(point.risk, 4),
            spanned(point.privacy_percent, 1),
            spanned(point.seconds, 2),
        ];
        table.row(cells.iter().map(String::as_str));
        n_rows += 1;
    }
    if n_rows == 0 {
        return String::new();
    }
    let note = "<p class=\"note\">* on the Pareto front. Bound: no release that keeps the same promises loses \
                less. A second line spans what the seeds gave.</p>\n";
    section("figures", "Figures", &format!("{}{note}", table.finish()))
}

/// How well the target is predicted, where every learner was tried.
pub(super) fn predicted(comparison: &Comparison) -> String {
    let Some(found) = Predicted::of(comparison) else { return String::new() };
    let learners: Vec<String> = found.learners.iter().map(|id| format!("#{id}")).collect();
    let head: Vec<&str> =
        std::iter::once("Release").chain(learners.iter().map(String::as_str)).collect();
    let title = escape(&Predicted::title(comparison).replace('`', ""));
    let mut table = Table::new(&title, "predicted", &head);
    for (name, accuracies) in &found.rows {
        let shares = accuracies.iter().map(|a| a.map_or("–".into(), |a| format!("{a:.3}")));
        let cells: Vec<String> = std::iter::once(escape(name)).chain(shares).collect();
        table.row(cells.iter().map(String::as_str));
    }
    section("predicted", "What can be learned", &table.finish())
}

/// The mean, and what the seeds span where they differ.
fn spanned(figure: Option<Interval>, digits: usize) -> String {
    let Some(Interval { mean, low, high }) = figure else { return "–".into() };
    let [mean, low, high] = [mean, low, high].map(|figure| format!("{figure:.digits$}"));
    if low == high {
        mean
    } else {
        format!("{mean}<br><span class=\"soft\">{low} – {high}</span>")
    }
}

/// The algorithms and levels that have no release, with the reason.
pub(super) fn without_release(comparison: &Comparison) -> String {
    let n_seeds = comparison.seeds.len();
    let failed: Vec<&Point> = comparison.points.iter().filter(|p| p.releases < n_seeds).collect();
    if failed.is_empty() {
        return String::new();
    }
    let head = ["Algorithm", "#k", "#l", "#seeds without", "why"];
    let mut table = Table::new("Algorithms and levels without a release", "without", &head);
    for point in failed {
        let cells = [
            point.algorithm.to_owned(),
            grouped(point.k),
            point.l.map_or("–".into(), decimal),
            format!("{} of {n_seeds}", n_seeds - point.releases),
            escape(point.reason.as_deref().unwrap_or("no reason")),
        ];
        table.row(cells.iter().map(String::as_str));
    }
    section("without", "Without a release", &table.finish())
}
