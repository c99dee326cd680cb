//! Recoding the whole domain, where that loses less: for LKC-privacy, and where rows may be dropped.
//!
//! Classes that differ from place to place keep LKC-privacy as if all columns were known: what such classes
//! show of a few columns has nothing in common that could be asked. With one level for each column it has
//! (`lattice/few.rs`), and many columns of few values may be published nearly as they are.
//!
//! A level for each column says of all rows at once which are outliers; a search by classes drops a few at a
//! time.

use kohort_core::Ctx;
use kohort_models::{Costs, METRICS, Measured};

use crate::lattice::Lattice;
use crate::merge_equal_cells::classes;
use crate::optimal::Optimal;
use crate::{Algorithm, Candidate, Metric, Problem, SUPPRESSED};

/// Up to this many distinct rows, times sets of columns, the search is quick.
const QUICK: u64 = 4_000_000;

/// Up to this many distinct rows, times combinations of levels, a search that visits them all is quick.
const FEW: u64 = 40_000_000;

/// A search never visits more combinations of levels than this.
const MOST_NODES: u64 = 100_000;

/// Why a release is not recoded class by class.
const NOTE: &str = "the whole domain is recoded, a level for each column: for `lkc-privacy` that loses less \
                    than recoding class by class";

/// The best full-domain generalization, where something is promised to who knows a few columns and the search
/// for it is quick.
pub(super) fn whole_domain(ctx: &Ctx<'_>, problem: &Problem<'_>) -> Option<Candidate> {
    let n_sets = problem.n_sets();
    let is_quick = n_sets.saturating_mul(problem.points().len() as u64) <= QUICK;
    if n_sets == 0 || !is_quick { None } else { best(ctx, problem) }
}

/// The best full-domain generalization that drops rows, where its classes are ones that a search by classes can
/// go on from and the search for it is quick.
pub(super) fn dropping(ctx: &Ctx<'_>, problem: &Problem<'_>) -> Option<Candidate> {
    let (settings, promises) = (problem.settings(), problem.promises());
    let may_drop = settings.suppression > 0 && !settings.keeps_suppressed;
    let is_cells = matches!(settings.metric, Metric::Cells(_));
    let is_plain = promises.is_monotone() && !promises.compares() && problem.n_sets() == 0;
    if !may_drop || !is_cells || !is_plain {
        return None;
    }
    let most_nodes = FEW / (problem.points().len() as u64).max(1);
    best_of(ctx, problem, most_nodes.min(MOST_NODES))
}

/// The best full-domain generalization, if there is one and not too much to choose from.
pub(super) fn best(ctx: &Ctx<'_>, problem: &Problem<'_>) -> Option<Candidate> {
    best_of(ctx, problem, MOST_NODES)
}

/// The same, of at most so many combinations of levels.
fn best_of(ctx: &Ctx<'_>, problem: &Problem<'_>, most_nodes: u64) -> Option<Candidate> {
    Lattice::new(problem).ok()?.n_nodes(most_nodes).ok()?;
    Optimal.anonymize(ctx, problem).ok()
}

/// The release that loses less.
pub(super) fn better(
    problem: &Problem<'_>,
    found: Candidate,
    whole: Option<Candidate>,
) -> Candidate {
    match whole {
        Some(mut whole) if loss(problem, &whole) < loss(problem, &found) => {
            whole.notes.push(NOTE.to_owned());
            whole
        }
        _ => found,
    }
}

/// A group of each class as a reader sees them, and the rows of the class. Suppressed rows that stay are no
/// class.
fn published(problem: &Problem<'_>, candidate: &Candidate) -> Vec<(u32, u64)> {
    let group = |rows: &Vec<u32>| {
        let mut groups = rows.iter().map(|&row| candidate.group_of_row[row as usize]);
        groups.find(|&group| group != SUPPRESSED).map(|group| (group, rows.len() as u64))
    };
    classes(problem, candidate).iter().filter_map(group).collect()
}

/// What a release loses in a metric of releases; nothing is worse than what has no figure.
fn measured(problem: &Problem<'_>, candidate: &Candidate, classes: &[(u32, u64)], id: &str) -> f64 {
    let n_rows = problem.n_rows() as u64;
    let (groups, sizes): (Vec<u32>, Vec<u64>) = classes.iter().copied().unzip();
    let cells = candidate.cells.select(&groups);
    let measured = Measured {
        quasi: problem.quasi(),
        weights: &problem.settings().weights,
        n_rows,
        cells: &cells,
        sizes: &sizes,
        groups: &sizes,
        n_suppressed: n_rows - sizes.iter().sum::<u64>(),
        k: problem.promises().smallest(),
    };
    let metric = METRICS.iter().find(|metric| metric.id == id).expect("it is in the box");
    (metric.measure)(&measured).map_or(f64::INFINITY, |score| score.value)
}

/// What a release loses in the metric asked for.
pub(super) fn loss(problem: &Problem<'_>, candidate: &Candidate) -> f64 {
    let (classes, n_rows) = (published(problem, candidate), problem.n_rows() as f64);
    let size = |class: &(u32, u64)| class.1 as f64;
    let n_suppressed = n_rows - classes.iter().map(size).sum::<f64>();
    match problem.settings().metric {
        Metric::Cells(metric) => {
            let costs: Vec<Costs> =
                problem.quasi().iter().map(|attribute| Costs::new(attribute, metric)).collect();
            let weights = problem.space().axes().iter().map(crate::Axis::weight);
            let costs: Vec<(Costs, f64)> = costs.into_iter().zip(weights).collect();
            let of_class = |class: &(u32, u64)| {
                let cells = costs.iter().zip(candidate.cells.class(class.0 as usize));
                size(class) * cells.map(|((costs, w), cell)| w * costs.of(cell)).sum::<f64>()
            };
            classes.iter().map(of_class).sum::<f64>() + n_suppressed
        }
        Metric::Discernibility => {
            classes.iter().map(|class| size(class).powi(2)).sum::<f64>() + n_rows * n_suppressed
        }
        Metric::AverageClassSize => n_rows / classes.len() as f64,
        Metric::Divergence => measured(problem, candidate, &classes, "kl"),
        Metric::MeanDivergence => measured(problem, candidate, &classes, "kl-attribute"),
    }
}
