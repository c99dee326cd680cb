//! Top-down specialization against a test of the whole release: everything starts as `*`, and one value
//! after another is told more exactly while the test holds.
//!
//! # Method
//! 1. The cut of each quasi-identifier is the root of its taxonomy, or the whole range of its numbers.
//! 2. Replace the cell of a cut whose children reduce the loss most by its children; a range by two
//!    ranges, at the point that reduces the loss most. Ties: first quasi-identifier, first code.
//! 3. If the release does not pass the test, undo it: a node stays for good, a range tries its next best
//!    points, `N_POINTS` in all.
//!
//! Every release on the way passes the test, whether or not the test can only fail further down.
//!
//! # References
//! Fung, Wang, Yu: Top-Down Specialization for Information and Privacy Preservation, ICDE 2005.

use kohort_algorithms::{Branch, branches};
use kohort_core::{Attribute, Cell, Ctx, number};
use kohort_models::series::ClassBox;

use crate::{Next, Turn};

/// At how many points a range is tried.
const N_POINTS: usize = 8;

/// A release as it is specialized.
struct Run<'a, 't> {
    turn: &'t Turn<'a>,
    quasi: Vec<&'a Attribute>,
    // For each quasi-identifier the children of each node, and the number of rows below each code.
    children: Vec<Vec<Vec<Branch>>>,
    n_below: Vec<Vec<usize>>,
    // For each quasi-identifier the cells of its cut, in code order.
    cuts: Vec<Vec<Value>>,
}

/// A cell of a cut with the ways to replace it, the best last, each with what it reduces the loss by.
struct Value {
    branch: Branch,
    ways: Vec<(f64, Vec<Branch>)>,
}

/// The release as specialized as the test allows; nothing if it does not even allow `*` everywhere.
pub(crate) fn specialize(
    ctx: &Ctx<'_>,
    turn: &Turn<'_>,
    holds: &dyn Fn(&Next, &[ClassBox]) -> bool,
) -> Option<Next> {
    let mut run = Run::new(turn);
    let (mut best, boxes) = run.shown();
    if !holds(&best, &boxes) {
        return None;
    }
    while let Some((axis, at)) = run.best()
        && !ctx.should_stop()
    {
        let (_, branches) = run.cuts[axis][at].ways.pop().expect("the best cell has a way");
        let n = branches.len();
        let values: Vec<Value> = branches.into_iter().map(|b| run.value(axis, b)).collect();
        let replaced: Vec<Value> = run.cuts[axis].splice(at..=at, values).collect();
        let (next, boxes) = run.shown();
        if holds(&next, &boxes) {
            best = next;
        } else {
            run.cuts[axis].splice(at..at + n, replaced);
        }
    }
    Some(best)
}

impl<'a, 't> Run<'a, 't> {
    /// Step 1.
    fn new(turn: &'t Turn<'a>) -> Self {
        let quasi = turn.data.quasi();
        let n_below = quasi.iter().map(|attribute| {
            let sums = attribute.counts().iter().scan(0, |sum, &count| {
                *sum += count as usize;
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        });
        let children = quasi.iter().map(|attribute| branches(attribute.taxonomy())).collect();
        let mut run = Self { turn, children, n_below: n_below.collect(), cuts: vec![], quasi };
        let whole = |(axis, attribute): (usize, &&Attribute)| {
            let last = attribute.n_codes() - 1;
            let is_range = attribute.is_ranged() && attribute.missing().is_none();
            let cell = if is_range { attribute.smallest_cell(0, last) } else { Cell::ANY };
            vec![run.value(axis, Branch { first: 0, last, cell })]
        };
        let roots = run.quasi.iter().enumerate().map(whole).collect();
        run.cuts = roots;
        run
    }

    /// A cell of a cut with the ways to replace it.
    fn value(&self, axis: usize, branch: Branch) -> Value {
        let attribute = self.quasi[axis];
        let Branch { first, last, cell } = branch;
        let gain = |children: &[Branch]| {
            self.loss(axis, branch) - children.iter().map(|&c| self.loss(axis, c)).sum::<f64>()
        };
        let mut ways: Vec<(f64, Vec<Branch>)> = Vec::new();
        if attribute.is_ranged() {
            let part =
                |first, last| Branch { first, last, cell: attribute.smallest_cell(first, last) };
            let mut points: Vec<(f64, u32)> = (first..last)
                .map(|at| (gain(&[part(first, at), part(at + 1, last)]), at))
                .collect();
            points.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            points.truncate(N_POINTS);
            let way = |(gain, at)| (gain, vec![part(first, at), part(at + 1, last)]);
            ways.extend(points.into_iter().rev().map(way));
        } else if let Cell::Node(node) = cell {
            let children = self.children[axis][node as usize].clone();
            ways.push((gain(&children), children));
        }
        Value { branch, ways }
    }

    /// The loss of the rows that show a cell.
    fn loss(&self, axis: usize, branch: Branch) -> f64 {
        let below = &self.n_below[axis];
        let n_rows = below[branch.last as usize + 1] - below[branch.first as usize];
        #[expect(clippy::cast_precision_loss, reason = "numbers of rows are far below 2^53")]
        let n_rows = n_rows as f64;
        n_rows * self.turn.space.axes()[axis].cost(branch.first, branch.last)
    }

    /// Step 2: the quasi-identifier and the place in its cut.
    fn best(&self) -> Option<(usize, usize)> {
        let mut best: Option<(f64, usize, usize)> = None;
        for (axis, cut) in self.cuts.iter().enumerate() {
            for (at, value) in cut.iter().enumerate() {
                if let Some(&(gain, _)) = value.ways.last()
                    && best.is_none_or(|(most, ..)| gain > most)
                {
                    best = Some((gain, axis, at));
                }
            }
        }
        best.map(|(_, axis, at)| (axis, at))
    }

    /// The release, and the box of each class.
    fn shown(&self) -> (Next, Vec<ClassBox>) {
        let n_rows = self.turn.data.n_rows();
        let mut ids = vec![0_u64; n_rows];
        let mut n_classes = 1;
        for (attribute, cut) in self.quasi.iter().zip(&self.cuts) {
            let mut place_of_code = vec![0_u64; attribute.n_codes() as usize];
            for (place, value) in (0..).zip(cut) {
                let codes = value.branch.first as usize..=value.branch.last as usize;
                place_of_code[codes].fill(place);
            }
            let n_places = cut.len() as u64;
            for (id, code) in ids.iter_mut().zip(attribute.codes().iter()) {
                *id = *id * n_places + place_of_code[code as usize];
            }
            n_classes = number(&mut ids, n_classes * n_places);
        }
        let class = |&id: &u64| u32::try_from(id).expect("classes are fewer than rows");
        let mut next = Next::of_classes(ids.iter().map(class).collect());
        let mut boxes = Vec::new();
        for (row, &class) in next.class_of_row.iter().enumerate() {
            if class as usize == boxes.len() {
                let mut shown = ClassBox { lo: Vec::new(), hi: Vec::new() };
                for (attribute, cut) in self.quasi.iter().zip(&self.cuts) {
                    let code = attribute.codes().get(row);
                    let at = cut.partition_point(|value| value.branch.first <= code) - 1;
                    shown.lo.push(cut[at].branch.first);
                    shown.hi.push(cut[at].branch.last);
                    next.cells.push(cut[at].branch.cell);
                }
                boxes.push(shown);
            }
        }
        (next, boxes)
    }
}
