//! Top-down specialization against one that starts from nothing at every step.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Attribute, Cell, Ctx, Role};
use kohort_models::{CellMetric, Costs};
use proptest::prelude::*;

use super::TopDown;
use crate::tests::laws::{models, table};
use crate::tests::tables::{Given, dataset, judge, problem, settings, shown};
use crate::{Algorithm, Failure, Problem};

#[test]
fn a_taxonomy_is_told_as_exactly_as_every_class_allows() {
    let countries = ["at", "at", "de", "de", "pl", "cz"];
    let taxonomy = ["at;west;*", "de;west;*", "pl;east;*", "cz;east;*"];
    let data = dataset(&[Given::flat("country", Role::Quasi, &countries).with_taxonomy(&taxonomy)]);
    let problem = problem(&data, models(2, None), settings(1));
    let candidate = TopDown.anonymize(&Ctx::quiet(), &problem).unwrap();
    let (at, de) = (Cell::Leaf(0), Cell::Leaf(1));
    let cells: BTreeSet<Cell> = candidate.cells.column(0).iter().collect();
    assert_eq!(cells, BTreeSet::from([at, de, Cell::Node(2)]));
    assert!((judge(&problem, &candidate) - 2.0 / 6.0 * 2.0 / 4.0).abs() < 1e-12);
}

#[test]
fn fewer_rows_than_k_are_refused_and_equal_rows_are_told_exactly() {
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &[30; 7]),
        Given::flat("sex", Role::Quasi, &["f"; 7]),
    ]);
    let too_few = problem(&data, models(8, None), settings(2));
    let failure = TopDown.anonymize(&Ctx::quiet(), &too_few).unwrap_err();
    assert!(matches!(failure, Failure::Infeasible { .. }));
    let enough = problem(&data, models(3, None), settings(2));
    let candidate = TopDown.anonymize(&Ctx::quiet(), &enough).unwrap();
    assert_eq!(candidate.cells.n_classes(), 1);
    assert_eq!(shown(&candidate, 0), [Cell::Leaf(0), Cell::Leaf(0)]);
}

/// A cell with the codes it covers.
type Covered = (u32, u32, Cell);

/// The method read once more: cuts alone are kept, and everything else is counted at every step.
struct Plain<'a> {
    problem: &'a Problem<'a>,
    k: u64,
    l: Option<u64>,
    cuts: Vec<Vec<Covered>>,
}

impl Plain<'_> {
    fn attribute(&self, axis: usize) -> &Attribute {
        self.problem.quasi()[axis]
    }

    fn classes(&self, cuts: &[Vec<Covered>]) -> BTreeMap<Vec<Cell>, Vec<usize>> {
        let mut classes: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.problem.n_rows() {
            let cell = |(axis, cut): (usize, &Vec<Covered>)| {
                let code = self.attribute(axis).codes().get(row);
                cut.iter().find(|cell| cell.0 <= code && code <= cell.1).unwrap().2
            };
            classes.entry(cuts.iter().enumerate().map(cell).collect()).or_default().push(row);
        }
        classes
    }

    /// The size of the smallest class, if every class keeps the promises.
    fn smallest(&self, cuts: &[Vec<Covered>]) -> Option<u64> {
        let disease = self.problem.sensitive()[0];
        let sizes = self.classes(cuts).into_values().map(|rows| {
            let has = |code: u32| {
                rows.iter().filter(|&&row| disease.codes().get(row) == code).count() as u64
            };
            let (size, most) = (rows.len() as u64, (0..disease.n_codes()).map(has).max());
            (self.k <= size && self.l.is_none_or(|l| most.unwrap() * l <= size)).then_some(size)
        });
        sizes.min_by_key(|size| size.unwrap_or(0)).flatten()
    }

    fn loss(&self, axis: usize, &(first, last, cell): &Covered) -> f64 {
        let attribute = self.attribute(axis);
        let n_rows: u32 = (first..=last).map(|code| attribute.counts()[code as usize]).sum();
        let weight = self.problem.space().axes()[axis].weight();
        f64::from(n_rows) * weight * Costs::new(attribute, CellMetric::Ncp).of(cell)
    }

    /// Every way to replace a cell.
    fn replacements(&self, axis: usize, &(first, last, cell): &Covered) -> Vec<Vec<Covered>> {
        let attribute = self.attribute(axis);
        if attribute.is_ranged() {
            let part = |first, last| (first, last, attribute.smallest_cell(first, last));
            return (first..last).map(|at| vec![part(first, at), part(at + 1, last)]).collect();
        }
        let Cell::Node(node) = cell else { return Vec::new() };
        let taxonomy = attribute.taxonomy();
        let nodes = (0..).zip(taxonomy.nodes()).filter(|(_, child)| child.parent == Some(node));
        let mut children: Vec<Covered> =
            nodes.map(|(id, child)| (child.first, child.last, Cell::Node(id))).collect();
        let leaves = (first..=last).filter(|&code| taxonomy.parent(code) == node);
        children.extend(leaves.map(|code| (code, code, Cell::Leaf(code))));
        children.sort_unstable();
        vec![children]
    }

    fn step(&mut self) -> bool {
        let before = self.smallest(&self.cuts).unwrap();
        let mut best: Option<(f64, Vec<Vec<Covered>>)> = None;
        for axis in 0..self.cuts.len() {
            for at in 0..self.cuts[axis].len() {
                let parent = self.cuts[axis][at];
                // Of one cell, the replacement that gains most among those that are allowed.
                let mut found: Option<(f64, f64, Vec<Vec<Covered>>)> = None;
                for children in self.replacements(axis, &parent) {
                    let after: f64 = children.iter().map(|child| self.loss(axis, child)).sum();
                    let gain = self.loss(axis, &parent) - after;
                    let mut cuts = self.cuts.clone();
                    cuts[axis].splice(at..=at, children);
                    if let Some(smallest) = self.smallest(&cuts)
                        && found.as_ref().is_none_or(|(most, ..)| gain > *most)
                    {
                        found = Some((gain, gain / (before - smallest).max(1) as f64, cuts));
                    }
                }
                if let Some((_, score, cuts)) = found
                    && best.as_ref().is_none_or(|(most, _)| score > *most)
                {
                    best = Some((score, cuts));
                }
            }
        }
        let is_found = best.is_some();
        self.cuts = best.map_or(std::mem::take(&mut self.cuts), |(_, cuts)| cuts);
        is_found
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fast_equals_plain(data in table(), k in 2_u64..6, l in prop::option::of(2_u64..4)) {
        let problem = problem(&data, models(k, l), settings(3));
        let whole = |attribute: &&Attribute| {
            let last = attribute.n_codes() - 1;
            let is_range = attribute.is_ranged() && attribute.missing().is_none();
            vec![(0, last, if is_range { attribute.smallest_cell(0, last) } else { Cell::ANY })]
        };
        let cuts = problem.quasi().iter().map(whole).collect();
        let mut plain = Plain { problem: &problem, k, l, cuts };
        let found = TopDown.anonymize(&Ctx::quiet(), &problem);
        if plain.smallest(&plain.cuts).is_none() {
            let is_refused = matches!(found, Err(Failure::Infeasible { .. }));
            prop_assert!(is_refused);
            return Ok(());
        }
        while plain.step() {}
        let candidate = found.unwrap();
        judge(&problem, &candidate);
        let mut classes: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
        for (row, &group) in candidate.group_of_row.iter().enumerate() {
            classes.entry(shown(&candidate, group)).or_default().push(row);
        }
        prop_assert_eq!(classes, plain.classes(&plain.cuts));
    }
}
