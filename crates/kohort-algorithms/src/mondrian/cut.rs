//! Where to cut a part.

use std::ops::Range;

use kohort_core::Cell;

use super::Run;
use crate::check::Check;

/// How many cuts on each side of the median are tried under promises about values.
const TRIES: usize = 16;

/// A cut along one axis.
pub(super) struct Cut {
    axis: usize,
    kind: Kind,
}

enum Kind {
    /// Codes from each start on go to a part; starts ascend, and the parts are 0 to the largest named.
    Codes(Vec<(u32, usize)>),
    /// The first half of the rows in code order, and the second: rows below the code of the middle, and
    /// the first so many of those that have it, are in the first.
    Half(u32, usize),
}

impl Cut {
    /// Puts the items of each part together, in their order, and gives the sizes of the parts.
    pub(super) fn part(
        &self,
        run: &Run<'_, '_>,
        items: &mut [u32],
        spare: &mut [u32],
    ) -> Vec<usize> {
        match &self.kind {
            Kind::Half(code, equal) => {
                let half = items.len().div_ceil(2);
                let (mut before, mut after, mut equal) = (0, half, *equal);
                for &item in &*items {
                    let found = run.codes(item)[self.axis];
                    let is_before = found < *code || (found == *code && equal > 0);
                    equal -= usize::from(is_before && found == *code);
                    let at = if is_before { &mut before } else { &mut after };
                    spare[*at] = item;
                    *at += 1;
                }
                items.copy_from_slice(spare);
                vec![half, items.len() - half]
            }
            Kind::Codes(starts) => {
                let part_of = |item: u32| {
                    let code = run.codes(item)[self.axis];
                    starts[starts.partition_point(|&(start, _)| start <= code) - 1].1
                };
                let n_parts = starts.iter().map(|&(_, part)| part + 1).max().unwrap_or(0);
                let mut sizes = vec![0; n_parts];
                for &item in &*items {
                    sizes[part_of(item)] += 1;
                }
                let mut next: Vec<usize> = (sizes.iter())
                    .scan(0, |sum, size| Some(std::mem::replace(sum, *sum + size)))
                    .collect();
                for &item in &*items {
                    let at = &mut next[part_of(item)];
                    spare[*at] = item;
                    *at += 1;
                }
                items.copy_from_slice(spare);
                sizes
            }
        }
    }
}

/// Where one part after another is looked at.
pub(super) struct Desk<'a, 'p, 'r> {
    run: &'r Run<'a, 'p>,
    check: Check<'a, 'p>,
    lo: Vec<u32>,
    hi: Vec<u32>,
    // Along one axis: the codes of the part, each with the number of rows up to and including it.
    codes: Vec<(u32, usize)>,
    // The rows in the order of those codes, where promises ask for values.
    rows: Vec<u32>,
}

impl<'a, 'p, 'r> Desk<'a, 'p, 'r> {
    pub(super) fn new(run: &'r Run<'a, 'p>) -> Self {
        let check = Check::new(run.problem);
        let (lo, hi, codes, rows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { run, check, lo, hi, codes, rows }
    }

    /// The first cut of a part, if there is any.
    pub(super) fn choose(&mut self, items: &[u32]) -> Option<Cut> {
        let run = self.run;
        let n_rows: usize = items.iter().map(|&item| run.weight(item) as usize).sum();
        if n_rows < 2 * run.problem.smallest() {
            return None;
        }
        self.measure(items);
        let axes = run.problem.space().axes().iter().zip(self.lo.iter().zip(&self.hi)).enumerate();
        let mut widths: Vec<(f64, usize)> = (axes)
            .map(|(index, (axis, (&lo, &hi)))| (axis.cost(lo, hi), index))
            .filter(|&(width, _)| width > 0.0)
            .collect();
        widths.sort_by(|a, b| b.0.total_cmp(&a.0));
        let axes = || widths.iter().map(|&(_, axis)| axis);
        if let Some(cut) = axes().find_map(|axis| self.along(items, axis)) {
            return Some(cut);
        }
        run.point_of_row.as_ref()?;
        axes().find_map(|axis| {
            self.order(items, axis);
            self.half().map(|kind| Cut { axis, kind })
        })
    }

    /// The box of a part.
    fn measure(&mut self, items: &[u32]) {
        let run = self.run;
        let first = items.first().map_or(&[][..], |&item| run.codes(item));
        for edge in [&mut self.lo, &mut self.hi] {
            edge.clear();
            edge.extend_from_slice(first);
        }
        for &item in items {
            for ((lo, hi), &code) in self.lo.iter_mut().zip(&mut self.hi).zip(run.codes(item)) {
                *lo = code.min(*lo);
                *hi = code.max(*hi);
            }
        }
    }

    /// The cut of a part along an axis.
    fn along(&mut self, items: &[u32], axis: usize) -> Option<Cut> {
        self.order(items, axis);
        let attribute = self.run.problem.quasi()[axis];
        let (lo, hi) = (self.lo[axis], self.hi[axis]);
        let kind = match attribute.smallest_cell(lo, hi) {
            Cell::Node(node) if !attribute.is_ranged() => self.children(axis, node as usize)?,
            _ => self.median(attribute.missing() == Some(hi))?,
        };
        Some(Cut { axis, kind })
    }

    /// Counts the codes of a part along an axis, and puts its rows in their order where needed.
    fn order(&mut self, items: &[u32], axis: usize) {
        let run = self.run;
        self.codes.clear();
        let (lo, hi) = (self.lo[axis] as usize, self.hi[axis] as usize);
        let needs_values = run.problem.promises().needs_values();
        if !needs_values && hi - lo <= 4 * items.len() {
            let mut counts = vec![0; hi - lo + 1];
            for &item in items {
                counts[run.codes(item)[axis] as usize - lo] += run.weight(item) as usize;
            }
            let found = (self.lo[axis]..).zip(counts).filter(|&(_, count)| count > 0);
            self.codes.extend(found);
        } else {
            let mut sorted: Vec<(u32, &u32)> =
                items.iter().map(|item| (run.codes(*item)[axis], item)).collect();
            sorted.sort_by_key(|&(code, _)| code);
            for same in sorted.chunk_by(|a, b| a.0 == b.0) {
                let count = same.iter().map(|&(_, &item)| run.weight(item) as usize).sum();
                self.codes.push((same[0].0, count));
            }
            if needs_values {
                self.rows.clear();
                self.rows.extend(sorted.iter().flat_map(|&(_, item)| run.rows(item)));
            }
        }
        let mut sum = 0;
        for (_, count) in &mut self.codes {
            sum += *count;
            *count = sum;
        }
    }

    fn n_rows(&self) -> usize {
        self.codes.last().map_or(0, |&(_, end)| end)
    }

    /// A cut in two at the median, or as near to it as promises allow.
    fn median(&mut self, has_missing: bool) -> Option<Kind> {
        let (n, last) = (self.n_rows(), self.codes.len() - 1);
        if has_missing && self.cut_holds(last - 1) {
            return Some(self.cut_after(last - 1));
        }
        if self.run.point_of_row.is_some()
            && let Some(half) = self.half()
        {
            return Some(half);
        }
        let middle = self.codes.partition_point(|&(_, end)| end < n.div_ceil(2));
        // By size alone, no cut holds if the one that is nearest to the middle does not.
        let tries = if self.run.problem.promises().needs_values() { TRIES } else { 1 };
        let mut nearest: Vec<usize> =
            (middle.saturating_sub(tries)..last.min(middle + tries + 1)).collect();
        nearest.sort_by_key(|&at| (at != middle, (2 * self.codes[at].1).abs_diff(n)));
        nearest.into_iter().find(|&at| self.cut_holds(at)).map(|at| self.cut_after(at))
    }

    fn cut_holds(&mut self, at: usize) -> bool {
        let (end, n) = (self.codes[at].1, self.n_rows());
        self.holds(0..end) && self.holds(end..n)
    }

    fn cut_after(&self, at: usize) -> Kind {
        Kind::Codes(vec![(0, 0), (self.codes[at].0 + 1, 1)])
    }

    /// A cut in the middle of the rows.
    fn half(&mut self) -> Option<Kind> {
        let (n, half) = (self.n_rows(), self.n_rows().div_ceil(2));
        let middle = self.codes.partition_point(|&(_, end)| end < half);
        let before = if middle == 0 { 0 } else { self.codes[middle - 1].1 };
        let holds = self.holds(0..half) && self.holds(half..n);
        holds.then(|| Kind::Half(self.codes[middle].0, half - before))
    }

    /// A part for each child of a node that keeps the promises, and one for what is left.
    fn children(&mut self, axis: usize, node: usize) -> Option<Kind> {
        let mut children: Vec<(u32, Range<usize>)> = Vec::new();
        let (mut at, mut start) = (0, 0);
        for branch in &self.run.branches[axis][node] {
            at += self.codes[at..].partition_point(|&(code, _)| code <= branch.last);
            let end = if at == 0 { 0 } else { self.codes[at - 1].1 };
            if start < end {
                children.push((branch.first, start..end));
            }
            start = end;
        }
        let mut is_apart: Vec<bool> =
            children.iter().map(|(_, rows)| self.holds(rows.clone())).collect();
        let mut joining: Vec<usize> = (0..children.len()).filter(|&c| is_apart[c]).collect();
        joining.sort_by_key(|&child| std::cmp::Reverse((children[child].1.len(), child)));
        loop {
            let rest = children.iter().zip(&is_apart).filter(|&(_, is_apart)| !is_apart);
            let rest: Vec<Range<usize>> = rest.map(|((_, rows), _)| rows.clone()).collect();
            if rest.is_empty() || self.hold_together(&rest) {
                break;
            }
            is_apart[joining.pop()?] = false;
        }
        let has_rest = usize::from(is_apart.contains(&false));
        let n_apart = is_apart.iter().filter(|&&is_apart| is_apart).count();
        if n_apart + has_rest < 2 {
            return None;
        }
        let mut next = has_rest..;
        let part = |is_apart: bool| if is_apart { next.next() } else { Some(0) };
        let parts: Vec<usize> = is_apart.into_iter().filter_map(part).collect();
        Some(Kind::Codes(children.iter().map(|(first, _)| *first).zip(parts).collect()))
    }

    /// Whether these rows, as one class, keep every promise.
    fn holds(&mut self, rows: Range<usize>) -> bool {
        let promises = self.run.problem.promises();
        if promises.needs_values() {
            self.check.holds(&self.rows[rows])
        } else {
            promises.holds(rows.len() as u64, &[])
        }
    }

    /// Whether all these rows, as one class, keep every promise.
    fn hold_together(&mut self, rows: &[Range<usize>]) -> bool {
        let promises = self.run.problem.promises();
        if promises.needs_values() {
            let rows: Vec<&[u32]> = rows.iter().map(|rows| &self.rows[rows.clone()]).collect();
            self.check.holds(&rows.concat())
        } else {
            let size: usize = rows.iter().map(ExactSizeIterator::len).sum();
            promises.holds(size as u64, &[])
        }
    }
}
