//! The figures of every algorithm and level, and why some have none.

use maud::{Markup, Render, html};

use super::curves::broken;
use crate::compare::{Comparison, Interval, Level, Point, Predicted, undefined, yes_or_no};
use crate::page::markup::{Table, note, notice, section, text};
use crate::wording::{decimal, grouped};

/// A column of the table: its title, and how it is read off a point.
type Column<'a> = (&'a str, Box<dyn Fn(&Point) -> Markup + 'a>);

/// The table of all figures.
pub(super) fn figures(comparison: &Comparison) -> Markup {
    let metric = format!("#{}", comparison.loss_name());
    let mut columns: Vec<Column<'_>> = vec![("Algorithm", Box::new(name))];
    columns.extend(levels(comparison));
    columns.push((&metric, Box::new(|point| spanned(point.loss, 4))));
    let bound =
        |point: &Point| point.lower_bound.map_or("–".into(), |b| format!("{b:.4}")).render();
    columns.push(("#bound", Box::new(bound)));
    columns.push(("#DM", Box::new(|point| spanned(point.dm, 0))));
    columns.push(("#C_AVG", Box::new(|point| spanned(point.c_avg, 2))));
    columns.push(("#AvRE", Box::new(|point| spanned(point.avre, 4))));
    columns.push(("#median", Box::new(|point| spanned(point.avre_median, 4))));
    columns.push(("#pMSE", Box::new(|point| spanned(point.pmse, 4))));
    columns.push(("#corr.", Box::new(|p| spanned(p.correlation_difference, 4))));
    columns.push(("#classes", Box::new(|point| spanned(point.classes, 0))));
    columns.push(("#suppressed", Box::new(|point| spanned(point.suppressed, 0))));
    if !comparison.sensitive.is_empty() {
        columns.push(("#disclosure", Box::new(|point| spanned(point.max_disclosure, 4))));
    }
    columns.push(("#utility", Box::new(|point| spanned(point.utility, 4))));
    columns.push(("#risk", Box::new(|point| spanned(point.risk, 4))));
    columns.push(("#privacy %", Box::new(|point| spanned(point.privacy_percent, 1))));
    columns.push(("#seconds", Box::new(|point| spanned(point.seconds, 2))));
    let shown: Vec<&Point> = comparison.points.iter().filter(|p| p.releases > 0).collect();
    if shown.is_empty() {
        return Markup::default();
    }
    let title = "Every algorithm and level, means over the seeds";
    let table = rows((title, "grid"), &columns, &shown);
    let body = html! {
        (table)
        (note(LEGEND))
        @for one in &undefined(comparison) { (notice(&format!("Undefined: {one}"))) }
    };
    section("figures", "Figures", &body)
}

/// What the columns of the table are.
const LEGEND: &str = "* on the Pareto front, of those with as many attributes. † does not keep what was asked for. Bound: no \
     release that keeps the same promises loses less. AvRE: how far off counting queries are on average, \
     as a share of the right count; median: of the same errors. pMSE: how surely a simple model tells rows \
     of the release from those of the original, 0 where it cannot and 0.25 where it always does. Corr.: \
     how far off the correlations of two columns are on average. Disclosure: the largest probability with \
     which anybody's sensitive value is guessed. Transparent: whether promises about sensitive values hold \
     against an adversary who runs the method again. A second line spans what the seeds gave.";

/// An algorithm with its marks.
fn name(point: &Point) -> Markup {
    let front = if point.on_front { " *" } else { "" };
    html! { (point.algorithm) (front) (broken(point.breaks.is_some())) }
}

/// The levels that were asked for.
fn levels<'a>(comparison: &Comparison) -> Vec<Column<'a>> {
    let has = |get: fn(&Level) -> bool| comparison.points.iter().any(|point| get(&point.level));
    let mut columns: Vec<Column<'a>> = Vec::new();
    if has(|level| level.k.is_some()) {
        columns.push(("#k", Box::new(|point| point.level.k.map_or("–".into(), grouped).render())));
    }
    if has(|level| level.l.is_some()) {
        columns.push(("#l", Box::new(|point| point.level.l.map_or("–".into(), decimal).render())));
    }
    if has(|level| level.attributes.is_some()) {
        let of = |point: &Point| point.level.attributes.map_or("–".into(), grouped).render();
        columns.push(("#attributes", Box::new(of)));
    }
    if comparison.points.iter().any(|point| point.transparent.is_some()) {
        columns.push(("transparent", Box::new(|point| yes_or_no(point.transparent).render())));
    }
    columns
}

/// How well the target is predicted, where every learner was tried.
pub(super) fn predicted(comparison: &Comparison) -> Markup {
    let Some(found) = Predicted::of(comparison) else { return Markup::default() };
    let learners: Vec<String> = found.learners.iter().map(|id| format!("#{id}")).collect();
    let head: Vec<&str> =
        std::iter::once("Release").chain(learners.iter().map(String::as_str)).collect();
    let title = Predicted::title(comparison).replace('`', "");
    let mut table = Table::new(&title, "predicted", &head);
    for (name, accuracies) in &found.rows {
        let shares = accuracies.iter().map(|&accuracy| Predicted::shown(accuracy));
        let shares = shares.map(|share| share.render());
        table.row_of(&std::iter::once(text(name).render()).chain(shares).collect::<Vec<_>>());
    }
    section("predicted", "What can be learned", &table.finish())
}

/// The mean, and what the seeds span where they differ.
pub(super) fn spanned(figure: Option<Interval>, digits: usize) -> Markup {
    let Some(Interval { mean, low, high }) = figure else { return "–".render() };
    let [mean, low, high] = [mean, low, high].map(|figure| format!("{figure:.digits$}"));
    html! {
        (mean)
        @if low != high { br; span class="soft" { (low) " – " (high) } }
    }
}

/// The algorithms and levels that have no release, with the reason.
pub(super) fn without_release(comparison: &Comparison) -> Markup {
    let n_seeds = comparison.seeds.len();
    let failed: Vec<&Point> = comparison.points.iter().filter(|p| p.releases < n_seeds).collect();
    if failed.is_empty() {
        return Markup::default();
    }
    let mut columns: Vec<Column<'_>> = vec![("Algorithm", Box::new(|p| p.algorithm.render()))];
    columns.extend(levels(comparison));
    let without = |point: &Point| html! { (n_seeds - point.releases) " of " (n_seeds) };
    columns.push(("#seeds without", Box::new(without)));
    columns.push(("why", Box::new(|p| text(p.reason.as_deref().unwrap_or("no reason")).render())));
    let title = "Algorithms and levels without a release";
    section("without", "Without a release", &rows((title, "without"), &columns, &failed))
}

/// The releases that do not keep what was asked for.
pub(super) fn without_goal(comparison: &Comparison) -> Markup {
    let broken: Vec<&Point> = comparison.points.iter().filter(|p| p.breaks.is_some()).collect();
    if broken.is_empty() {
        return Markup::default();
    }
    let mut columns: Vec<Column<'_>> = vec![("Algorithm", Box::new(|p| p.algorithm.render()))];
    columns.extend(levels(comparison));
    columns.push((
        "what it does",
        Box::new(|p| text(p.breaks.as_deref().unwrap_or_default()).render()),
    ));
    let title = "Algorithms and levels whose release breaks a promise";
    section(
        "broken",
        "Measured, but without the goal",
        &rows((title, "without"), &columns, &broken),
    )
}

/// A table with a row for each of some points.
fn rows((title, class): (&str, &'static str), columns: &[Column<'_>], points: &[&Point]) -> Markup {
    let head: Vec<&str> = columns.iter().map(|(title, _)| *title).collect();
    let mut table = Table::new(title, class, &head);
    for point in points {
        table.row_of(&columns.iter().map(|(_, get)| get(point)).collect::<Vec<_>>());
    }
    table.finish()
}
