//! MDAV: groups of k rows around the rows that lie furthest out, to publish a mean in place of each.
//!
//! # Guarantee
//! Every group has at least k rows and keeps every other promise as a class. What is published is not
//! truthful: a mean need not be anybody's value.
//!
//! # Method
//! 1. While 3k rows are left: x̄ is their average vector, x_r the row furthest from x̄.
//! 2. x_r and the k − 1 rows nearest to it are a group.
//! 3. x_s is the row furthest from x_r; x_s and the k − 1 rows nearest to it are a group.
//! 4. If 2k rows are left, one more group is made as in 1 and 2. The rest is a group.
//! 5. Join groups that break another promise with their neighbors.
//!
//! # Notation
//! x̄, x_r, x_s → the reference whose distances `Run::measure` takes.
//!
//! # Cost
//! O(n²·d / k) time for n different rows, O(n·d) memory.
//!
//! # Deviations
//! The distance is Euclidean over the places of numbers; on other axes it is the cost of the smallest cell
//! around two values, and the most frequent value stands for the average. A missing number is as far
//! from every number as the ends of the axis are from each other.
//!
//! # References
//! Domingo-Ferrer and Torra, DMKD 11(2), 2005, algorithm MDAV-generic.

use kohort_core::{Ctx, Parameter, Spec};

use crate::algorithm::seconds_per_cell;
use crate::repair::repair;
use crate::{Algorithm, Axis, Candidate, Facts, Failure, Form, Points, Problem, Space};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "mdav",
    title: "MDAV microaggregation",
    paper: "Domingo-Ferrer and Torra 2005",
    promise: "every published row represents at least k rows; values are averages",
    parameters: &[Parameter {
        name: "center",
        range: "mean or median; mean when left out",
        doc: "what numbers of a group are replaced by",
    }],
};

/// Maximum distance to average vector.
pub(crate) struct Mdav;

impl Algorithm for Mdav {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_truthful: false, is_averaged: true, is_quadratic: true, ..Facts::PLAIN }
    }

    fn seconds(&self, n_distinct: u64, n_quasi: u64, k: u64) -> f64 {
        seconds_per_cell(n_distinct, n_quasi, 3.3e-9) / kohort_core::Ratio::whole(k.max(1)).value()
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let groups = repair(problem, Run::new(problem).groups(ctx, problem.smallest()))?;
        let form = Form::Microaggregated(problem.settings().center);
        Ok(Candidate::of_groups(problem, &groups).with_form(form))
    }
}

struct Run<'p> {
    space: &'p Space,
    points: &'p Points,
    // How many rows of each point are left: the last ones.
    left: Vec<u32>,
    n_left: usize,
    // Points with a row left when distances were last measured, each with its distance.
    distances: Vec<(f64, u32)>,
}

/// The squared distance of each code of each axis from a reference.
type Tables = Vec<Vec<f64>>;

impl<'p> Run<'p> {
    fn new(problem: &'p Problem<'_>) -> Self {
        let points = problem.points();
        let left: Vec<u32> = (0..points.len()).map(|point| points.weight(point)).collect();
        let distances = (0..).zip(&left).map(|(point, _)| (0.0, point)).collect();
        Self { space: problem.space(), points, left, n_left: problem.n_rows(), distances }
    }

    /// Steps 1 to 4.
    fn groups(mut self, ctx: &Ctx<'_>, k: usize) -> Vec<Vec<u32>> {
        let n_rows = self.n_left;
        let mut groups = Vec::new();
        while self.n_left / 2 >= k {
            let is_pair = self.n_left / 3 >= k;
            self.measure(&self.average());
            self.measure(&self.distances_from(self.furthest()));
            groups.push(self.take_nearest(k));
            if is_pair {
                self.measure(&self.distances_from(self.furthest()));
                groups.push(self.take_nearest(k));
            }
            ctx.progress("grouping", (n_rows - self.n_left) as u64, n_rows as u64);
        }
        if self.n_left > 0 {
            groups.push(self.take_nearest(self.n_left));
        }
        groups
    }

    /// The average vector of the rows that are left.
    fn average(&self) -> Tables {
        let of_axis = |(index, axis): (usize, &Axis)| {
            let mut counts = vec![0_u32; axis.n_codes() as usize];
            for &(_, point) in &self.distances {
                let code = self.points.codes(point as usize)[index];
                counts[code as usize] += self.left[point as usize];
            }
            let (mut sum, mut n) = (0.0, 0.0);
            for (code, &count) in (0..).zip(&counts) {
                if let Some(place) = axis.place(code) {
                    sum += place * f64::from(count);
                    n += f64::from(count);
                }
            }
            if n > 0.0 {
                let distance = |place: f64| place - sum / n;
                let codes = 0..axis.n_codes();
                codes.map(|code| axis.place(code).map_or(axis.weight(), distance).powi(2)).collect()
            } else {
                let most = (0..axis.n_codes()).rev().max_by_key(|&code| counts[code as usize]);
                squares_from(axis, most.unwrap_or(0))
            }
        };
        self.space.axes().iter().enumerate().map(of_axis).collect()
    }

    fn distances_from(&self, point: u32) -> Tables {
        let codes = self.points.codes(point as usize);
        self.space.axes().iter().zip(codes).map(|(axis, &code)| squares_from(axis, code)).collect()
    }

    /// Measures the distance of every point with a row left.
    fn measure(&mut self, from: &Tables) {
        let (left, points) = (&self.left, self.points);
        self.distances.retain(|&(_, point)| left[point as usize] > 0);
        for (distance, point) in &mut self.distances {
            let codes = points.codes(*point as usize);
            *distance = from.iter().zip(codes).map(|(table, &code)| table[code as usize]).sum();
        }
    }

    /// The point with a row left that is furthest from the last reference.
    fn furthest(&self) -> u32 {
        let there = self.distances.iter().filter(|&&(_, point)| self.left[point as usize] > 0);
        let order = |a: &&(f64, u32), b: &&(f64, u32)| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1));
        there.max_by(order).expect("a row is left").1
    }

    /// Takes the `n` rows nearest to the last reference; as many are left.
    fn take_nearest(&mut self, n: usize) -> Vec<u32> {
        let mut near = self.distances.clone();
        near.retain(|&(_, point)| self.left[point as usize] > 0);
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if n < near.len() {
            near.select_nth_unstable_by(n, order);
            near.truncate(n);
        }
        near.sort_unstable_by(order);
        let mut rows = Vec::with_capacity(n);
        for (_, point) in near {
            let all = self.points.rows(point as usize);
            let left = &mut self.left[point as usize];
            let first = all.len() - *left as usize;
            let taken = &all[first..all.len().min(first + n - rows.len())];
            rows.extend_from_slice(taken);
            *left -= u32::try_from(taken.len()).expect("a point has its rows");
        }
        self.n_left -= rows.len();
        rows
    }
}

fn squares_from(axis: &Axis, from: u32) -> Vec<f64> {
    let codes = 0..axis.n_codes();
    codes.map(|code| axis.cost(code.min(from), code.max(from)).powi(2)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kohort_core::{Dataset, Role};
    use kohort_models::{ClassModel, KAnonymity};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::tables::{Given, dataset, groups_of, judge, problem, settings};

    fn groups(data: &Dataset, k: u64) -> BTreeSet<Vec<u32>> {
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
        let problem = problem(data, models, settings(data.quasi().len()));
        let candidate = Mdav.anonymize(&Ctx::quiet(), &problem).unwrap();
        judge(&problem, &candidate);
        groups_of(&candidate)
    }

    // The average is 11.3: 22 is furthest out, then 1 from 22.
    #[test]
    fn nine_numbers_fall_into_three_groups() {
        let data = dataset(&[Given::flat("x", Role::Quasi, &[1, 10, 20, 2, 11, 21, 3, 12, 22])]);
        assert_eq!(groups(&data, 3), [vec![0, 3, 6], vec![1, 4, 7], vec![2, 5, 8]].into());
        assert_eq!(groups(&data, 4), [vec![0, 1, 3, 4, 6], vec![2, 5, 7, 8]].into());
    }

    #[test]
    fn equal_rows_and_missing_numbers_are_grouped() {
        let equal = dataset(&[Given::flat("x", Role::Quasi, &["a"; 7])]);
        assert_eq!(groups(&equal, 2).len(), 3);
        let numbers = ["", "5", "", "6", "", "7"];
        let data = dataset(&[Given::flat("x", Role::Quasi, &numbers)]);
        assert_eq!(groups(&data, 3), [vec![0, 2, 4], vec![1, 3, 5]].into());
    }

    /// MDAV row by row on plain numbers.
    fn plain(rows: &[(u32, u32)], k: usize) -> BTreeSet<Vec<u32>> {
        let width = |column: fn(&(u32, u32)) -> u32| {
            let most = rows.iter().map(column).max().unwrap();
            f64::from(most - rows.iter().map(column).min().unwrap()).max(1.0)
        };
        let (wide, high) = (width(|row| row.0), width(|row| row.1));
        let at = |row: u32| {
            let (x, y) = rows[row as usize];
            (f64::from(x) / wide, f64::from(y) / high)
        };
        let far = |row: u32, (x, y): (f64, f64)| (at(row).0 - x).hypot(at(row).1 - y);
        let mut left: Vec<u32> = (0..u32::try_from(rows.len()).unwrap()).collect();
        let mut groups = BTreeSet::new();
        let take = |left: &mut Vec<u32>, n: usize, from: (f64, f64)| {
            left.sort_by(|&a, &b| far(a, from).total_cmp(&far(b, from)));
            left.drain(..n).collect::<BTreeSet<u32>>().into_iter().collect::<Vec<u32>>()
        };
        while left.len() >= 2 * k {
            let is_pair = left.len() >= 3 * k;
            let n = left.len() as f64;
            let sum = left.iter().fold((0.0, 0.0), |s, &row| (s.0 + at(row).0, s.1 + at(row).1));
            let middle = (sum.0 / n, sum.1 / n);
            let r =
                *left.iter().max_by(|&&a, &&b| far(a, middle).total_cmp(&far(b, middle))).unwrap();
            groups.insert(take(&mut left, k, at(r)));
            if is_pair {
                let s = *left.last().unwrap();
                groups.insert(take(&mut left, k, at(s)));
            }
        }
        let n = left.len();
        groups.insert(take(&mut left, n, (0.0, 0.0)));
        groups
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        // Numbers of a million leave no ties, for which the two differ.
        #[test]
        fn fast_equals_plain(
            rows in prop::collection::vec((0_u32..1_000_000, 0_u32..1_000_000), 6..60),
            k in 2_usize..4,
        ) {
            let (xs, ys): (Vec<u32>, Vec<u32>) = rows.iter().copied().unzip();
            let data =
                dataset(&[Given::flat("x", Role::Quasi, &xs), Given::flat("y", Role::Quasi, &ys)]);
            prop_assert_eq!(groups(&data, k as u64), plain(&rows, k));
        }
    }
}
