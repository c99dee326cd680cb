//! Top-down specialization: everything starts as `*`, and one value after another is told more exactly.
//!
//! # Guarantee
//! Every class keeps every promise, and each value of a column is published as the same cell in every
//! row. No cell of the result can be replaced by its children.
//!
//! # Method
//! 1. The cut of each column is the root of its taxonomy, or the whole range of numbers or dates. All
//!    rows are one class.
//! 2. A cell v of a cut may be replaced by its children, a range by two ranges, if every class keeps
//!    the promises afterwards. Of the points at which a range may be divided, the one that reduces the
//!    loss most is taken.
//! 3. Replace the cell with the largest Score(v): what this reduces the loss by, divided by how much
//!    smaller the smallest class becomes where it does. Ties: first column, first code.
//! 4. Only classes that contain v are parted. Go on until no cell may be replaced.
//!
//! # Notation
//! Cut → values with `is_in_cut`, R_v → `Value::classes`, InfoGain → `Value::gain`, A → `smallest`,
//! A_v → the smaller of A and `Value::smallest`, the smallest part of a class that contains v.
//!
//! # Cost
//! O(d) for each row of R_v when v is replaced: O(d² h n) with taxonomies of height h, and in practice
//! less; O(d n) memory for the points and the classes of each cell.
//!
//! # Deviations
//! - There is no class label: what is gained is loss (the NCP in place of InfoGain), so
//!   that every replacement is beneficial.
//! - A range that cannot be divided at its best point is divided at the next best; the paper gives up.
//! - The anonymity of the paper is k; promises about sensitive values are asked of each class besides.
//!
//! # References
//! Fung, Wang, Yu: Top-Down Specialization for Information and Privacy Preservation, ICDE 2005.
//! Sharma, Chaudhary, Mathuria and Chaudhary, Privacy Preserving Data Publishing Based on k-Anonymity by Categorization of Sensitive Values.

#[cfg(test)]
mod tests;

use kohort_core::{Cell, Cells, Ctx, Spec};
use kohort_models::Costs;

use crate::branches::{Branch, branches};
use crate::check::{Check, require_feasible};
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "top-down",
    title: "top-down specialization",
    paper: "Fung et al. 2005",
    promise: "each value of a column is published as the same cell in every row",
    parameters: &[],
};

/// Top-down specialization.
pub(crate) struct TopDown;

impl Algorithm for TopDown {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::PLAIN
    }

    fn anonymize(&self, ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        require_feasible(problem)?;
        let mut run = Run::new(problem);
        while let Some(value) = run.best() {
            if ctx.should_stop() {
                break;
            }
            run.specialize(value);
        }
        Ok(run.candidate())
    }
}

/// A cell of a cut.
struct Value {
    axis: usize,
    branch: Branch,
    // What replaces it, and what the loss is reduced by; nothing if nothing may.
    children: Vec<Branch>,
    gain: f64,
    // Of a range, the codes after which it may be divided, each with its gain, the best last.
    others: Vec<(f64, u32)>,
    is_in_cut: bool,
    // The classes with this cell, and some that are no more.
    classes: Vec<usize>,
    // The rows of the smallest part when those classes are parted by the children.
    smallest: usize,
}

/// The points with the same cells.
struct Class {
    points: Vec<u32>,
    n_rows: usize,
    // A value for each axis.
    values: Vec<usize>,
    is_parted: bool,
}

struct Run<'a, 'p> {
    problem: &'p Problem<'a>,
    check: Check<'a, 'p>,
    costs: Vec<Costs>,
    // For each axis and node, its children; nothing for numbers and dates published as ranges.
    branches: Vec<Vec<Vec<Branch>>>,
    // For each axis the number of rows with a code below each code.
    below: Vec<Vec<f64>>,
    values: Vec<Value>,
    classes: Vec<Class>,
    smallest: usize,
}

impl<'a, 'p> Run<'a, 'p> {
    /// Step 1.
    fn new(problem: &'p Problem<'a>) -> Self {
        let metric = problem.settings().metric.cells();
        let quasi = || problem.quasi().iter();
        let below = quasi().map(|attribute| {
            let mut below = vec![0.0];
            let counts = attribute.counts().iter().map(|&count| f64::from(count));
            below.extend(counts.scan(0.0, |sum, count| {
                *sum += count;
                Some(*sum)
            }));
            below
        });
        let mut run = Self {
            problem,
            check: Check::new(problem),
            costs: quasi().map(|attribute| Costs::new(attribute, metric)).collect(),
            branches: quasi().map(|attribute| branches(attribute.taxonomy())).collect(),
            below: below.collect(),
            values: Vec::new(),
            classes: Vec::new(),
            smallest: problem.n_rows(),
        };
        let whole = |(axis, attribute): (usize, &&kohort_core::Attribute)| {
            let last = attribute.n_codes() - 1;
            let is_range = attribute.is_ranged() && attribute.missing().is_none();
            let cell = if is_range { attribute.smallest_cell(0, last) } else { Cell::ANY };
            run.value(axis, Branch { first: 0, last, cell })
        };
        let values = quasi().enumerate().map(whole).collect();
        run.values = values;
        let points = (0..).take(problem.points().len()).collect();
        run.add_class(points, (0..problem.quasi().len()).collect());
        run
    }

    /// A cell of a cut with what may replace it, before it is known whether promises allow it.
    fn value(&self, axis: usize, branch: Branch) -> Value {
        let Branch { first, last, cell } = branch;
        let mut value = Value {
            axis,
            branch,
            children: Vec::new(),
            gain: 0.0,
            others: Vec::new(),
            is_in_cut: true,
            classes: Vec::new(),
            smallest: usize::MAX,
        };
        if self.problem.quasi()[axis].is_ranged() {
            let gain = |at| (self.gain(axis, branch, &self.divided(axis, branch, at)), at);
            value.others = (first..last).map(gain).collect();
            value.others.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            if let Some((gain, at)) = value.others.pop() {
                (value.gain, value.children) = (gain, self.divided(axis, branch, at).to_vec());
            }
        } else if let Cell::Node(node) = cell {
            value.children.clone_from(&self.branches[axis][node as usize]);
            value.gain = self.gain(axis, branch, &value.children);
        }
        value
    }

    /// A range in two, the first with the codes up to `at`.
    fn divided(&self, axis: usize, range: Branch, at: u32) -> [Branch; 2] {
        let attribute = self.problem.quasi()[axis];
        let part = |first, last| Branch { first, last, cell: attribute.smallest_cell(first, last) };
        [part(range.first, at), part(at + 1, range.last)]
    }

    /// What the loss is reduced by when a cell is replaced by its children.
    fn gain(&self, axis: usize, parent: Branch, children: &[Branch]) -> f64 {
        let weight = self.problem.space().axes()[axis].weight();
        let loss = |branch: &Branch| {
            let below = &self.below[axis];
            let n_rows = below[branch.last as usize + 1] - below[branch.first as usize];
            n_rows * weight * self.costs[axis].of(branch.cell)
        };
        loss(&parent) - children.iter().map(loss).sum::<f64>()
    }

    /// Step 3: the cell of a cut to replace.
    fn best(&self) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (index, value) in self.values.iter().enumerate() {
            if !value.is_in_cut || value.children.is_empty() {
                continue;
            }
            let loss_of_anonymity = self.smallest - value.smallest.min(self.smallest);
            let score = value.gain / loss_of_anonymity.max(1) as f64;
            let is_earlier = |other: usize| {
                let other = &self.values[other];
                (value.axis, value.branch.first) < (other.axis, other.branch.first)
            };
            if best.is_none_or(|(most, at)| score > most || (score >= most && is_earlier(at))) {
                best = Some((score, index));
            }
        }
        best.map(|(_, value)| value)
    }

    /// Step 4: replaces a cell by its children, in every class that has it.
    fn specialize(&mut self, index: usize) {
        let axis = self.values[index].axis;
        self.values[index].is_in_cut = false;
        let children = std::mem::take(&mut self.values[index].children);
        let first_child = self.values.len();
        for &child in &children {
            let value = self.value(axis, child);
            self.values.push(value);
        }
        for class in std::mem::take(&mut self.values[index].classes) {
            if self.classes[class].is_parted {
                continue;
            }
            self.classes[class].is_parted = true;
            let points = std::mem::take(&mut self.classes[class].points);
            let mut parts = vec![Vec::new(); children.len()];
            for point in points {
                let code = self.problem.points().codes(point as usize)[axis];
                parts[child_of(&children, code)].push(point);
            }
            for (child, points) in (first_child..).zip(parts) {
                if !points.is_empty() {
                    let mut values = self.classes[class].values.clone();
                    values[axis] = child;
                    self.add_class(points, values);
                }
            }
        }
    }

    /// Adds a class, and looks at what it means for each of its cells to be replaced.
    fn add_class(&mut self, points: Vec<u32>, values: Vec<usize>) {
        let n_rows =
            points.iter().map(|&p| self.problem.points().weight(p as usize) as usize).sum();
        let class = self.classes.len();
        self.smallest = self.smallest.min(n_rows);
        self.classes.push(Class { points, n_rows, values: values.clone(), is_parted: false });
        for value in values {
            self.values[value].classes.push(class);
            if !self.can_part(value, class) {
                self.retry(value);
            }
        }
    }

    /// Whether the parts of a class by the children of a value keep the promises; notes the smallest.
    fn can_part(&mut self, value: usize, class: usize) -> bool {
        let (value, class) = (&mut self.values[value], &self.classes[class]);
        let (points, children) = (self.problem.points(), &value.children);
        let child = |point: u32| child_of(children, points.codes(point as usize)[value.axis]);
        let promises = self.problem.promises();
        if children.len() < 2 {
            value.smallest = value.smallest.min(class.n_rows);
            return true;
        }
        let mut sizes = vec![0; children.len()];
        for &point in &class.points {
            sizes[child(point)] += points.weight(point as usize) as usize;
        }
        let smallest = sizes.iter().copied().filter(|&size| size > 0).min();
        value.smallest = value.smallest.min(smallest.unwrap_or(usize::MAX));
        let parts = || sizes.iter().filter(|&&size| size > 0);
        if value.smallest < self.problem.smallest() {
            return false;
        }
        if !promises.needs_values() {
            return parts().all(|&size| promises.holds(size as u64, &[]));
        }
        let mut rows = vec![Vec::new(); sizes.len()];
        for &point in &class.points {
            rows[child(point)].extend_from_slice(points.rows(point as usize));
        }
        rows.iter().filter(|rows| !rows.is_empty()).all(|rows| self.check.holds(rows))
    }

    /// Finds the next best children of a value that keep the promises in every class; else it has none.
    fn retry(&mut self, index: usize) {
        let mut classes = std::mem::take(&mut self.values[index].classes);
        classes.retain(|&class| !self.classes[class].is_parted);
        loop {
            let Value { axis, branch, .. } = self.values[index];
            let found = self.values[index].others.pop();
            let children = found.map(|(_, at)| self.divided(axis, branch, at).to_vec());
            let value = &mut self.values[index];
            (value.gain, value.children) =
                (found.unwrap_or_default().0, children.unwrap_or_default());
            value.smallest = usize::MAX;
            if found.is_none() || classes.iter().all(|&class| self.can_part(index, class)) {
                break;
            }
        }
        self.values[index].classes = classes;
    }

    /// The release: each class with the cells of the cuts.
    fn candidate(&self) -> Candidate {
        let mut group_of_row = vec![0; self.problem.n_rows()];
        let classes = || self.classes.iter().filter(|class| !class.is_parted);
        let values = classes().flat_map(|class| &class.values);
        let cells = values.map(|&value| self.values[value].branch.cell);
        let cells = Cells::from_rows(self.problem.quasi().len(), cells);
        for (group, class) in (0..).zip(classes()) {
            for &point in &class.points {
                for &row in self.problem.points().rows(point as usize) {
                    group_of_row[row as usize] = group;
                }
            }
        }
        Candidate::new(group_of_row, cells)
    }
}

/// The child that covers a code.
fn child_of(children: &[Branch], code: u32) -> usize {
    children.partition_point(|child| child.first <= code) - 1
}
