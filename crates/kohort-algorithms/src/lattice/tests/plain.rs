//! What a node is worth by the definitions alone, and in the units of its metric.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Cell};
use kohort_models::{ClassModel, Costs, LkcPrivacy};

use super::super::divergence::{Scale, TICKS};
use super::super::{ONE, TICK, cell_at};
use crate::tests::tables::{by_definition, counted, keeps};
use crate::{Metric, Problem};

/// What a node is worth by the definitions alone: outliers, and the loss with them suppressed.
pub(crate) fn plainly(problem: &Problem<'_>, node: &[u32]) -> (u64, f64) {
    let quasi = problem.quasi();
    let classes = classes_plainly(problem, node);
    let settings = problem.settings();
    let costs: Vec<Costs> = quasi.iter().map(|a| Costs::new(a, settings.metric.cells())).collect();
    let total: f64 = settings.weights.iter().sum();
    let n = problem.n_rows() as f64;
    let (mut outliers, mut lost, mut squares, mut kept) = (0, 0.0, 0.0, 0.0);
    let is_kept = keeping(problem, &classes);
    for ((cells, rows), &is_kept) in classes.iter().zip(&is_kept) {
        let size = rows.len() as f64;
        if is_kept {
            let weighted = costs.iter().zip(&settings.weights).zip(cells);
            lost += size * weighted.map(|((c, w), &cell)| w / total * c.of(cell)).sum::<f64>();
            squares += size * size;
            kept += 1.0;
        } else {
            outliers += rows.len() as u64;
        }
    }
    let loss = match settings.metric {
        Metric::Cells(_) => (lost + outliers as f64) / n,
        Metric::Discernibility => squares + n * outliers as f64,
        Metric::AverageClassSize => n / kept / problem.smallest() as f64,
        Metric::Divergence => {
            let all: Vec<usize> = (0..quasi.len()).collect();
            divergence_plainly(problem, &classes, &is_kept, &all)
        }
        Metric::MeanDivergence => {
            let of_axis = |axis| divergence_plainly(problem, &classes, &is_kept, &[axis]);
            (0..quasi.len()).map(of_axis).sum::<f64>() / quasi.len() as f64
        }
    };
    (outliers, loss)
}

/// The rows of each class of a node.
fn classes_plainly(problem: &Problem<'_>, node: &[u32]) -> BTreeMap<Vec<Cell>, Vec<usize>> {
    let mut classes: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
    for row in 0..problem.n_rows() {
        let cell = |(a, &level): (&&Attribute, &u32)| cell_at(a, a.codes().get(row), level);
        classes.entry(problem.quasi().iter().zip(node).map(cell).collect()).or_default().push(row);
    }
    classes
}

/// The rows of the classes of a node that do not keep the promises.
pub(crate) fn outliers_plainly(problem: &Problem<'_>, node: &[u32]) -> Vec<usize> {
    let classes = classes_plainly(problem, node);
    let is_kept = keeping(problem, &classes);
    let out = classes.values().zip(is_kept).filter(|(_, is_kept)| !is_kept);
    out.flat_map(|(rows, _)| rows.iter().copied()).collect()
}

/// Σ p1 ln(p1 / p2) over the rows of some axes: p2 spreads each class over its cells, and suppressed rows over
/// everything.
fn divergence_plainly(
    problem: &Problem<'_>,
    classes: &BTreeMap<Vec<Cell>, Vec<usize>>,
    is_kept: &[bool],
    axes: &[usize],
) -> f64 {
    let (quasi, n) = (problem.quasi(), problem.n_rows());
    let code = |row: usize, axis: usize| quasi[axis].codes().get(row);
    let everything: f64 = axes.iter().map(|&axis| f64::from(quasi[axis].n_codes())).product();
    let of_row = |row: usize| {
        let alike = |other: &usize| axes.iter().all(|&axis| code(row, axis) == code(*other, axis));
        let p1 = (0..n).filter(alike).count() as f64 / n as f64;
        let p2: f64 = classes
            .iter()
            .zip(is_kept)
            .map(|((cells, rows), is_kept)| {
                let share = rows.len() as f64 / n as f64;
                if !is_kept {
                    return share / everything;
                }
                let ends = |axis: usize| quasi[axis].codes_of(cells[axis]);
                let is_in = axes.iter().all(|&axis| {
                    let (lo, hi) = ends(axis);
                    lo <= code(row, axis) && code(row, axis) <= hi
                });
                let volume = |&axis: &usize| f64::from(ends(axis).1 - ends(axis).0) + 1.0;
                if is_in { share / axes.iter().map(volume).product::<f64>() } else { 0.0 }
            })
            .sum();
        (p1 / p2).ln() / n as f64
    };
    (0..n).map(of_row).sum()
}

/// Which classes keep the promises by themselves: those that do not are left out, and the others asked
/// again, beginning with those that are too small.
fn keeping(problem: &Problem<'_>, classes: &BTreeMap<Vec<Cell>, Vec<usize>>) -> Vec<bool> {
    let (d, (promises, few)) = (problem.quasi().len(), by_definition(problem));
    let mut is_kept: Vec<bool> =
        classes.values().map(|rows| rows.len() as u64 >= promises.smallest()).collect();
    let of_size = |model: &LkcPrivacy, rows: &[usize]| rows.len() as u64 >= model.smallest();
    while drop_few(classes, &few, &mut is_kept, d, &of_size) {}
    loop {
        let kept = classes.values().zip(&is_kept).filter(|(_, is_kept)| **is_kept);
        let kept: Vec<u32> =
            kept.flat_map(|(rows, _)| rows).map(|&row| u32::try_from(row).unwrap()).collect();
        let sensitive: Vec<Attribute> =
            problem.sensitive().iter().map(|attribute| attribute.select(&kept)).collect();
        let sensitive: Vec<&Attribute> = sensitive.iter().collect();
        let promises = promises.among(&sensitive);
        let holds = |rows: &Vec<usize>| promises.holds(rows.len() as u64, &counted(problem, rows));
        let before = is_kept.clone();
        is_kept.iter_mut().zip(classes.values()).for_each(|(kept, rows)| *kept &= holds(rows));
        let holds = |model: &LkcPrivacy, rows: &[usize]| keeps(problem, model, rows);
        while drop_few(classes, &few, &mut is_kept, d, &holds) {}
        if is_kept == before {
            return is_kept;
        }
    }
}

/// Drops the classes that do not hold and lie in one of at most l columns that does not; says whether
/// there was one.
fn drop_few(
    classes: &BTreeMap<Vec<Cell>, Vec<usize>>,
    few: &[&LkcPrivacy],
    is_kept: &mut [bool],
    d: usize,
    holds: &dyn Fn(&LkcPrivacy, &[usize]) -> bool,
) -> bool {
    let before = is_kept.to_vec();
    for model in few {
        for set in (0_u32..1 << d).filter(|set| set.count_ones() as usize <= model.l()) {
            let mut known: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
            let shown = |cells: &[Cell]| -> Vec<Cell> {
                (0..d).filter(|axis| set >> axis & 1 == 1).map(|axis| cells[axis]).collect()
            };
            for ((cells, rows), _) in classes.iter().zip(&before).filter(|(_, kept)| **kept) {
                known.entry(shown(cells)).or_default().extend(rows);
            }
            known.retain(|_, rows| !holds(model, rows));
            for ((cells, rows), is_kept) in classes.iter().zip(&mut *is_kept) {
                *is_kept &= !known.contains_key(&shown(cells)) || holds(model, rows);
            }
        }
    }
    before != is_kept
}

/// A loss of the lattice in the units of the metric.
pub(crate) fn in_words(problem: &Problem<'_>, loss: u128) -> f64 {
    match problem.settings().metric {
        Metric::Cells(_) => loss as f64 / (ONE / TICK) as f64,
        Metric::Discernibility => loss as f64,
        Metric::AverageClassSize => loss as f64 / ONE as f64 / problem.smallest() as f64,
        metric @ (Metric::Divergence | Metric::MeanDivergence) => {
            let (quasi, n) = (problem.quasi(), problem.n_rows());
            let all =
                loss as f64 / (ONE / TICK / TICKS) as f64 * Scale::new(metric, quasi, n).whole;
            // What the rows themselves tell.
            let told = |axes: &[usize]| -> f64 {
                let row = |row| axes.iter().map(move |&axis| quasi[axis].codes().get(row));
                let alike = |a| (0..n).filter(|&b| row(a).eq(row(b))).count() as f64;
                (0..n).map(|a| (alike(a) / n as f64).ln()).sum::<f64>() / n as f64
            };
            if metric == Metric::Divergence {
                return all + told(&(0..quasi.len()).collect::<Vec<_>>());
            }
            let told: f64 = (0..quasi.len()).map(|axis| told(&[axis])).sum();
            (all + told) / quasi.len() as f64
        }
    }
}
