//! Rows that are in no class yet, and which of them an open class takes at the least cost.

use crate::Draw;
use crate::diversity::Diversity;
use crate::extent::Extent;
use crate::{Problem, Space};

/// Costs that differ by less are equal: the first in order is taken.
const TIE: f64 = 1e-12;

/// The rows that are left. Rows that agree on quasi-identifiers and value are one item.
pub(crate) struct Pool<'p> {
    space: &'p Space,
    // Items in the order of their codes, then of their value; the codes are row-major.
    codes: Vec<u32>,
    values: Vec<u32>,
    // What is left of each item; the last row is taken first.
    rows: Vec<Vec<u32>>,
    left_of_value: Vec<u32>,
    n_left: usize,
    // The items with a row left when a seed was last chosen, and the cost of a box around each and the
    // seed: infinite once the item is used up. A box around more costs no less.
    items: Vec<u32>,
    bounds: Vec<f64>,
}

/// A row that left the pool.
pub(crate) struct Taken {
    pub(crate) row: u32,
    pub(crate) value: u32,
    pub(crate) codes: Vec<u32>,
}

impl<'p> Pool<'p> {
    /// The rows that have a value, which is below `n_values`.
    pub(crate) fn new(
        problem: &'p Problem<'_>,
        n_values: u32,
        value: impl Fn(u32) -> Option<u32>,
    ) -> Self {
        let points = problem.points();
        let mut pool = Self {
            space: problem.space(),
            codes: Vec::new(),
            values: Vec::new(),
            rows: Vec::new(),
            left_of_value: vec![0; n_values as usize],
            n_left: 0,
            items: Vec::new(),
            bounds: Vec::new(),
        };
        for point in 0..points.len() {
            let valued = points.rows(point).iter().filter_map(|&row| Some((value(row)?, row)));
            let mut valued: Vec<(u32, u32)> = valued.collect();
            valued.sort_by_key(|&(value, _)| value);
            for item in valued.chunk_by(|a, b| a.0 == b.0) {
                pool.codes.extend_from_slice(points.codes(point));
                pool.values.push(item[0].0);
                pool.rows.push(item.iter().rev().map(|&(_, row)| row).collect());
                pool.items.push(u32::try_from(pool.items.len()).expect("rows are counted in u32"));
                pool.left_of_value[item[0].0 as usize] += u32::try_from(item.len()).unwrap_or(0);
                pool.n_left += item.len();
            }
        }
        pool
    }

    /// How many rows are left.
    pub(crate) fn n_left(&self) -> usize {
        self.n_left
    }

    /// How many rows of each value are left.
    pub(crate) fn left_of_value(&self) -> &[u32] {
        &self.left_of_value
    }

    /// Measures from an item drawn at random, which stays in the pool.
    pub(crate) fn measure_from_any(&mut self, draw: &mut Draw) {
        if !self.items.is_empty() {
            let codes = self.codes(draw.below(self.items.len())).to_vec();
            self.measure_from(&codes);
        }
    }

    /// Measures the distance of every item from a point.
    fn measure_from(&mut self, seed: &[u32]) {
        let tables = self.space.axes().iter().zip(seed).map(|(axis, &from)| {
            (0..axis.n_codes()).map(|code| axis.cost(code.min(from), code.max(from))).collect()
        });
        let tables: Vec<Vec<f64>> = tables.collect();
        let (rows, codes, n_axes) = (&self.rows, &self.codes, self.space.n_axes());
        self.items.retain(|&item| !rows[item as usize].is_empty());
        self.bounds.clear();
        self.bounds.extend(self.items.iter().map(|&item| {
            let codes = &codes[item as usize * n_axes..][..n_axes];
            let costs = tables.iter().zip(codes).map(|(table, &code)| table[code as usize]);
            costs.sum::<f64>()
        }));
    }

    /// Takes the row furthest from the last seed as the next, among the values that may be taken.
    pub(crate) fn take_seed(&mut self, may_take: impl Fn(u32) -> bool) -> Option<Taken> {
        let mut best: Option<(f64, usize)> = None;
        for (at, (&item, &distance)) in self.items.iter().zip(&self.bounds).enumerate() {
            let is_further = best.is_none_or(|(most, _)| distance > most + TIE);
            if distance.is_finite() && is_further && may_take(self.values[item as usize]) {
                best = Some((distance, at));
            }
        }
        let seed = self.take(best?.1);
        self.measure_from(&seed.codes);
        Some(seed)
    }

    /// Takes the row whose box with an open class costs least, among the values that may be taken. The
    /// class has the last seed.
    pub(crate) fn take_nearest(
        &mut self,
        edges: &Extent,
        may_take: impl Fn(u32) -> bool,
    ) -> Option<Taken> {
        let mut best: Option<(f64, usize)> = None;
        let mut limit = f64::INFINITY;
        for (at, (&item, &bound)) in self.items.iter().zip(&self.bounds).enumerate() {
            if bound < limit && may_take(self.values[item as usize]) {
                let codes = self.codes(item as usize);
                let cost = edges.cost_with(self.space, codes, codes);
                if cost < limit {
                    best = Some((cost, at));
                    limit = cost - TIE;
                }
            }
        }
        Some(self.take(best?.1))
    }

    /// Takes every row that is left, in the order of the items.
    pub(crate) fn take_rest(&mut self) -> Vec<Taken> {
        let mut rest = Vec::with_capacity(self.n_left);
        for at in 0..self.items.len() {
            while !self.rows[self.items[at] as usize].is_empty() {
                rest.push(self.take(at));
            }
        }
        rest
    }

    fn take(&mut self, at: usize) -> Taken {
        let item = self.items[at] as usize;
        let value = self.values[item];
        let row = self.rows[item].pop().expect("an item in the list has a row left");
        if self.rows[item].is_empty()
            && let Some(bound) = self.bounds.get_mut(at)
        {
            *bound = f64::INFINITY;
        }
        self.left_of_value[value as usize] -= 1;
        self.n_left -= 1;
        Taken { row, value, codes: self.codes(item).to_vec() }
    }

    fn codes(&self, item: usize) -> &[u32] {
        let n_axes = self.space.n_axes();
        &self.codes[item * n_axes..][..n_axes]
    }
}

/// Rows that were taken for one class.
pub(crate) struct Cluster {
    pub(crate) rows: Vec<u32>,
    pub(crate) values: Vec<u32>,
    pub(crate) edges: Extent,
}

impl Cluster {
    /// The class of one row.
    pub(crate) fn of(seed: &Taken) -> Self {
        let edges = Extent::of(&seed.codes);
        Self { rows: vec![seed.row], values: vec![seed.value], edges }
    }

    /// Takes in a row.
    pub(crate) fn push(&mut self, space: &Space, taken: &Taken) {
        self.rows.push(taken.row);
        self.values.push(taken.value);
        self.edges.grow(space, &taken.codes);
    }

    /// What taking in a row adds to the loss: ΔIL.
    fn added(&self, space: &Space, taken: &Taken) -> f64 {
        let size = self.rows.len() as f64;
        let cost = self.edges.cost_with(space, &taken.codes, &taken.codes);
        (size + 1.0) * cost - size * self.edges.cost
    }

    fn is_loyal(&self, goal: &Diversity<'_>, taken: &Taken) -> bool {
        let count = self.values.iter().filter(|&&value| value == taken.value).count();
        goal.is_loyal(count, self.rows.len())
    }
}

/// The class that takes a row at the least loss, among those that stay loyal to the goal, if there is
/// one.
pub(crate) fn cheapest_cluster(
    space: &Space,
    clusters: &[Cluster],
    goal: Option<&Diversity<'_>>,
    taken: &Taken,
) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (at, cluster) in clusters.iter().enumerate() {
        if goal.is_none_or(|goal| cluster.is_loyal(goal, taken)) {
            let added = cluster.added(space, taken);
            if best.is_none_or(|(least, _)| added < least - TIE) {
                best = Some((added, at));
            }
        }
    }
    best.map(|(_, at)| at)
}
