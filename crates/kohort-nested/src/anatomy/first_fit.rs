//! Merging a tree into a group by first fit: each position takes the first vertex that it may.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Algorithms 7 and 8.

use std::ops::Range;

use super::augmented::Augmented;
use super::host::Host;
use super::tally::Tally;
use crate::NestedProblem;

/// The positions and vertices that are matched (Merge); none where the roots are not.
pub(super) fn pairs(
    problem: &NestedProblem<'_>,
    host: &Host<'_>,
    record: u32,
) -> Option<Vec<(u32, u32)>> {
    let vertices = problem.forest.vertices(record as usize);
    let mut merge = MergeVertices {
        problem,
        host,
        group: host.group(),
        tally: Tally::of_group(host.judge(), host.group()),
        root: vertices.start,
        is_matched: vec![false; vertices.len()],
        pairs: Vec::with_capacity(vertices.len()),
    };
    merge.run(0..1, vertices.start..vertices.start + 1);
    (!merge.pairs.is_empty()).then_some(merge.pairs)
}

/// The state of one merge.
struct MergeVertices<'r> {
    problem: &'r NestedProblem<'r>,
    host: &'r Host<'r>,
    group: &'r Augmented<'r>,
    tally: Tally<'r>,
    root: u32,
    is_matched: Vec<bool>,
    pairs: Vec<(u32, u32)>,
}

impl MergeVertices<'_> {
    /// Matches positions with vertices, and all below them (MergeVertices).
    fn run(&mut self, positions: Range<u32>, vertices: Range<u32>) {
        for position in positions {
            let fit = vertices.clone().find(|&vertex| self.fits(position, vertex));
            if let Some(vertex) = fit {
                self.is_matched[(vertex - self.root) as usize] = true;
                self.pairs.push((position, vertex));
                let below = self.problem.forest.children(vertex);
                self.run(self.group.children(position), below);
            } else {
                self.suppress(position);
            }
        }
    }

    /// Whether a vertex may stand at a position; if so, its code is counted there.
    fn fits(&mut self, position: u32, vertex: u32) -> bool {
        let NestedProblem { forest, l, .. } = *self.problem;
        let kind = forest.kind(vertex);
        let at_most = self.host.at_most(l[kind]);
        if self.is_matched[(vertex - self.root) as usize]
            || kind != self.group.kind(position)
            || !self.group.has_room(position, vertex, at_most)
        {
            return false;
        }
        let code = forest.sensitive(vertex);
        let (member, already) = (self.group.members().len(), self.group.count(position, code));
        self.tally.add(kind, code, member, already);
        let fits = self.tally.broken().is_none();
        if !fits {
            self.tally.take(kind, code, member, already);
        }
        fits
    }

    /// Counts a position, and what is below it, no longer.
    fn suppress(&mut self, position: u32) {
        let (kind, values) = (self.group.kind(position), self.group.values(position));
        for (member, &code) in values.iter().enumerate().rev() {
            let already = values[..member].iter().filter(|&&other| other == code).count();
            self.tally.take(kind, code, member, already);
        }
        for child in self.group.children(position) {
            self.suppress(child);
        }
    }
}
