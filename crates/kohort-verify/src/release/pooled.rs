//! Whose the sensitive values of anatomized groups are: those of their rows, and of nobody else.
//!
//! # Method
//! With a certificate, the values of each group must be those of the original rows of its rows. Without one:
//! 1. Quasi-identifiers are published as they are, so a row tells whose it may be: original rows that it
//!    covers and that agree with it on every other column. Rows that cover the same are a kind; it has the
//!    values of those original rows, each as often as they have it.
//! 2. In each group each row is given a value of the group, and no kind is given a value more often than it
//!    has it: the rows left over by a largest flow are not of the group's people.
//! 3. Over all groups no kind is given a value more often than it has it, as far as its groups leave no
//!    choice: a kind takes what its other values have no room for, and a value goes where it must when the
//!    other kinds have not enough of it.
//! 4. Over the whole release there are no more of any values than in the original.
//!
//! Several sensitive columns are taken together: a value is a combination of theirs.
//!
//! # What it decides
//! Where every cell covers one value and every kind is in one group only or has one value only, exactly
//! whether the values of each group are those of its rows. Where people look alike, are in several groups
//! and have several values, 2 to 4 are each necessary and together not sufficient: values may be exchanged
//! among those who look alike, and a choice that one group leaves may be needed by another. A row with a
//! cell that covers several values (`*`, or a missing one) may have those of everybody it covers; where
//! these are more than a thousand, any.
//!
//! # Cost
//! A row looks its original rows up in an index; a flow visits a group's kinds and values, which are few.

use std::collections::BTreeMap;

use kohort_core::{Codes, Grouping, group};
use rayon::prelude::*;

use super::cells::Interval;
use super::group_flow::{Forced, GroupFlow};
use super::tables::{Other, Quasi, Tables};

/// Released rows by whose they may be.
pub(super) struct Kinds {
    // Rows of both tables that agree on every column that is neither a quasi-identifier nor sensitive.
    pub(super) buckets: Grouping,
    pub(super) of_row: Grouping,
}

/// Rows of a group that are alike: the group, what they have in common, and how many they are.
type Run = (u32, u32, u32);

impl Tables<'_> {
    /// Released rows by whose they may be.
    pub(super) fn kinds(&self) -> Kinds {
        let buckets = self.joined(&self.others);
        let covered: Vec<(Codes, u32)> = self.quasi.iter().map(covered).collect();
        let bucket = Codes::U32(buckets.ids[self.n_original..].to_vec());
        let of_row = covered
            .iter()
            .fold(group(self.n_released, [(&bucket, buckets.n_classes)]), |rows, (codes, n)| {
                rows.refine(codes, *n)
            });
        Kinds { buckets, of_row }
    }

    /// The released rows with pooled cells that are not of their group's rows; `kinds` stand in for a
    /// certificate.
    pub(super) fn misplaced(
        &self,
        pooled: &[Other<'_>],
        certificate: Option<&[u32]>,
        kinds: Option<&Kinds>,
    ) -> u64 {
        let Some(groups) = self.groups else { return 0 };
        let ids = self.joined(pooled);
        let excess = self.excess(&ids.ids, groups, certificate);
        match kinds {
            Some(kinds) if !pooled.is_empty() => excess.max(self.foreign(&ids, groups, kinds)),
            _ => excess,
        }
    }

    /// The released rows with more of the same cells than the original rows of their group, or without a
    /// certificate than the original.
    fn excess(&self, ids: &[u32], groups: &Codes, certificate: Option<&[u32]>) -> u64 {
        let (original, released) = ids.split_at(self.n_original);
        let group = |row: usize| if certificate.is_some() { groups.get(row) } else { 0 };
        let mut wanted: Vec<(u32, u32)> =
            released.iter().enumerate().map(|(row, &id)| (group(row), id)).collect();
        let claimed = |(row, &at): (usize, &u32)| Some((group(row), *original.get(at as usize)?));
        let mut there: Vec<(u32, u32)> = match certificate {
            Some(rows) => {
                rows.iter().take(self.n_released).enumerate().filter_map(claimed).collect()
            }
            None => original.iter().map(|&id| (0, id)).collect(),
        };
        wanted.sort_unstable();
        there.sort_unstable();
        let mut there = there.into_iter().peekable();
        let mut is_met = |key: &(u32, u32)| {
            while there.next_if(|other| other < key).is_some() {}
            there.next_if(|other| other == key).is_some()
        };
        let n_met = wanted.iter().filter(|key| is_met(key)).count();
        (wanted.len() - n_met) as u64
    }

    /// Steps 2 and 3: the released rows that a group has no value for, and where there are none, how much
    /// more than there is the groups must have.
    fn foreign(&self, ids: &Grouping, groups: &Codes, kinds: &Kinds) -> u64 {
        let values = self.values_of_kinds(ids, kinds);
        let of_kinds = runs(groups, &kinds.of_row.ids);
        let of_values = runs(groups, &ids.ids[self.n_original..]);
        let same = |a: &Run, b: &Run| a.0 == b.0;
        // Every row has a group, a kind and a value, so that the groups of both are the same.
        let of_groups: Vec<(&[Run], &[Run])> =
            of_kinds.chunk_by(same).zip(of_values.chunk_by(same)).collect();
        let flows = of_groups.par_iter().map(|(kinds, present)| {
            let flow = GroupFlow::new(kinds, present, &values);
            (flow.n_unmatched(), flow.forced())
        });
        let found: Vec<(u64, Vec<Forced>)> = flows.collect();
        let unmatched = found.iter().map(|group| group.0).sum();
        if unmatched > 0 {
            return unmatched;
        }
        let mut forced: Vec<Forced> = found.into_iter().flat_map(|group| group.1).collect();
        forced.par_sort_unstable();
        let excess = |forced: &[Forced]| {
            let (kind, value, _) = forced[0];
            let values = values.of_kind(kind).unwrap_or_default();
            let found = values.binary_search_by_key(&value, |entry| entry.0);
            let there = found.map_or(0, |at| u64::from(values[at].1));
            forced.iter().map(|it| u64::from(it.2)).sum::<u64>().saturating_sub(there)
        };
        forced.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(excess).sum()
    }
}

/// A quasi-identifier by what its cells cover, and how many different things they do.
fn covered(quasi: &Quasi<'_>) -> (Codes, u32) {
    let mut known: BTreeMap<&[Interval], u32> = BTreeMap::new();
    let code = |entry| {
        let next = u32::try_from(known.len()).expect("texts are numbered by u32");
        *known.entry(quasi.published.covered(entry)).or_insert(next)
    };
    let to: Vec<u32> = (0..quasi.n_entries).map(code).collect();
    (quasi.released.recode(&to), u32::try_from(known.len()).expect("as many as texts at most"))
}

/// How many rows of each group have each id, sorted.
fn runs(groups: &Codes, ids: &[u32]) -> Vec<Run> {
    let mut rows: Vec<Run> = groups.iter().zip(ids).map(|(group, &id)| (group, id, 1)).collect();
    rows.par_sort_unstable();
    rows.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += u32::from(is_same);
        is_same
    });
    rows
}
