//! Merging records into groups, whatever way their children are matched.

use super::by_assignment::ByAssignment;
use super::first_fit;
use super::host::Host;
use crate::NestedProblem;

/// How children are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merging {
    FirstFit,
    Assignment,
}

/// The way, with its working space.
pub(super) enum Merge<'a> {
    FirstFit(&'a NestedProblem<'a>),
    Assignment(Box<ByAssignment<'a>>),
}

impl<'a> Merge<'a> {
    pub(super) fn new(problem: &'a NestedProblem<'a>, merging: Merging) -> Self {
        match merging {
            Merging::FirstFit => Self::FirstFit(problem),
            Merging::Assignment => Self::Assignment(Box::new(ByAssignment::new(problem))),
        }
    }

    /// Of groups and records, each pair with a number, the number of the pair that loses the fewest
    /// vertices, the lowest of several; none where no record fits.
    pub(super) fn nearest<'h>(
        &mut self,
        offers: impl Iterator<Item = (u32, (&'h Host<'a>, u32))>,
    ) -> Option<u32>
    where
        'a: 'h,
    {
        let bound = |(number, (host, record)): (u32, (&'h Host<'a>, u32))| {
            (host.least_lost(record), number, (host, record))
        };
        let mut offers: Vec<(u64, u32, (&Host<'_>, u32))> = offers.map(bound).collect();
        offers.sort_unstable_by_key(|&(least, number, _)| (least, number));
        let mut best: Option<(u64, u32)> = None;
        for (least, number, (host, record)) in offers {
            if best.is_some_and(|best| best <= (least, number)) {
                break;
            }
            let limit = best.map_or(u64::MAX, |(lost, _)| lost);
            let found = self.lost(host, record, limit).map(|lost| (lost, number));
            debug_assert!(found.is_none_or(|(lost, _)| least <= lost), "a bound is below the loss");
            best = best.into_iter().chain(found).min();
        }
        best.map(|(_, number)| number)
    }

    /// The vertices that a group and a record lose; none where their roots cannot be matched, and perhaps
    /// none where it is more than the limit.
    fn lost(&mut self, host: &Host<'_>, record: u32, limit: u64) -> Option<u64> {
        match self {
            Self::FirstFit(_) => {
                let pairs = self.pairs(host, record, &[])?;
                Some(host.group().lost(record, pairs.len()))
            }
            Self::Assignment(merge) => merge.lost(host, record, limit),
        }
    }

    /// The positions of a group and the vertices of a record that are matched; by assignment without some
    /// vertices and all below them.
    pub(super) fn pairs(
        &mut self,
        host: &Host<'_>,
        record: u32,
        without: &[u32],
    ) -> Option<Vec<(u32, u32)>> {
        match self {
            Self::FirstFit(problem) => first_fit::pairs(problem, host, record),
            Self::Assignment(merge) => merge.pairs(host, record, without),
        }
    }
}
