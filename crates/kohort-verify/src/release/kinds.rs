//! The sensitive values that rows of an anatomized release may have: those of the original rows that they
//! cover.
//!
//! # Method
//! 1. A row whose cells cover one value each is joined with the original rows of these values.
//! 2. Another one finds the original rows that it covers in an index of its bucket.

use std::ops::Range;

use kohort_core::{Codes, Grouping, group};
use rayon::prelude::*;

use super::cells::Interval;
use super::index::{Index, Then};
use super::pooled::Kinds;
use super::tables::Tables;

/// A row that covers several people with more values than this may have any.
const MANY: usize = 1000;

/// How often each kind of rows has each value.
pub(super) struct Values {
    // Values with how often they occur; those of a kind are side by side and sorted.
    entries: Vec<(u32, u32)>,
    of_kind: Vec<Option<Range<usize>>>,
}

impl Values {
    /// The values of a kind, sorted, with how often it has each; none where it may have any.
    pub(super) fn of_kind(&self, kind: u32) -> Option<&[(u32, u32)]> {
        self.of_kind[kind as usize].clone().map(|range| &self.entries[range])
    }
}

impl Tables<'_> {
    /// The values that each kind of rows may have; `ids` are those of the rows of both tables.
    pub(super) fn values_of_kinds(&self, ids: &Grouping, kinds: &Kinds) -> Values {
        let rows = kinds.of_row.first_rows();
        let shape = |row: u32| {
            self.quasi.iter().map(move |q| q.published.covered(q.released.get(row as usize)))
        };
        let is_one = |row: u32| shape(row).all(|codes| matches!(codes, [(lo, hi)] if lo == hi));
        let (exact, wide): (Vec<u32>, Vec<u32>) =
            (0..kinds.of_row.n_classes).partition(|&kind| is_one(rows[kind as usize]));
        let mut values = Values { entries: Vec::new(), of_kind: vec![None; rows.len()] };
        self.join(&mut values, ids, kinds, (&exact, &rows));
        let bucket =
            |kind: &u32| kinds.buckets.ids[self.n_original + rows[*kind as usize] as usize];
        let mut wide: Vec<(u32, u32)> = wide.iter().map(|kind| (bucket(kind), *kind)).collect();
        wide.sort_unstable();
        let mut points: Vec<u32> = Vec::new();
        if !wide.is_empty() {
            points.extend((0..).zip(&kinds.buckets.ids[..self.n_original]).map(|(row, _)| row));
            points.par_sort_by_key(|&row| kinds.buckets.ids[row as usize]);
        }
        for kinds_of_bucket in wide.chunk_by(|a, b| a.0 == b.0) {
            let bucket = kinds_of_bucket[0].0;
            let start = points.partition_point(|&row| kinds.buckets.ids[row as usize] < bucket);
            let end = points.partition_point(|&row| kinds.buckets.ids[row as usize] <= bucket);
            let points = &points[start..end];
            let shapes = kinds_of_bucket.iter().flat_map(|it| shape(rows[it.1 as usize]));
            let found = self.search_values(points, &shapes.collect::<Vec<_>>(), &ids.ids);
            for (&(_, kind), found) in kinds_of_bucket.iter().zip(found) {
                values.of_kind[kind as usize] = found.map(|found| {
                    let start = values.entries.len();
                    values.entries.extend(found);
                    start..values.entries.len()
                });
            }
        }
        values
    }

    /// Step 1: `rows` has a row of each kind.
    fn join(
        &self,
        values: &mut Values,
        ids: &Grouping,
        kinds: &Kinds,
        (exact, rows): (&[u32], &[u32]),
    ) {
        let row_of = |kind: &u32| rows[*kind as usize] as usize;
        let columns = self.quasi.iter().map(|q| {
            let mut codes = Codes::default();
            q.attribute.codes().for_each(|code| codes.push(code));
            let code = |kind| q.published.covered(q.released.get(row_of(kind)))[0].0;
            for kind in exact {
                codes.push(code(kind));
            }
            (codes, q.attribute.n_codes())
        });
        let of_kinds = exact.iter().map(|kind| kinds.buckets.ids[self.n_original + row_of(kind)]);
        let of_original = kinds.buckets.ids[..self.n_original].iter().copied();
        let buckets = Codes::U32(of_original.chain(of_kinds).collect());
        let n_rows = self.n_original + exact.len();
        let points = columns
            .fold(group(n_rows, [(&buckets, kinds.buckets.n_classes)]), |points, (codes, n)| {
                points.refine(&codes, n)
            });
        let (of_original, of_kinds) = points.ids.split_at(self.n_original);
        let mut found: Vec<(u32, u32)> =
            of_original.iter().zip(&ids.ids).map(|(&point, &value)| (point, value)).collect();
        found.par_sort_unstable();
        let mut starts = vec![0; points.n_classes as usize + 1];
        for same in found.chunk_by(|a, b| a == b) {
            let n_rows = u32::try_from(same.len()).expect("rows are numbered by u32");
            values.entries.push((same[0].1, n_rows));
            starts[same[0].0 as usize + 1] += 1;
        }
        for point in 1..starts.len() {
            starts[point] += starts[point - 1];
        }
        for (&kind, &point) in exact.iter().zip(of_kinds) {
            let range = starts[point as usize]..starts[point as usize + 1];
            values.of_kind[kind as usize] = Some(range);
        }
    }

    /// Step 2: for each shape the values of the original rows inside, `points`, and how many have each;
    /// none where they are too many.
    fn search_values(
        &self,
        points: &[u32],
        shapes: &[&[Interval]],
        value_of_row: &[u32],
    ) -> Vec<Option<Vec<(u32, u32)>>> {
        let d = self.quasi.len();
        let code = |row: u32| self.quasi.iter().map(move |q| q.attribute.codes().get(row as usize));
        let codes: Vec<u32> = points.iter().flat_map(|&row| code(row)).collect();
        let mut index = Index::new(&codes, points.len(), d, shapes);
        let mut values = Vec::with_capacity(shapes.len() / d.max(1));
        for shape in shapes.chunks(d.max(1)) {
            let mut found: Vec<(u32, u32)> = Vec::new();
            index.search(shape, &mut |point| {
                found.push((value_of_row[points[point as usize] as usize], 1));
                if found.len() <= MANY { Then::Keep } else { Then::Stop }
            });
            let is_known = found.len() <= MANY;
            found.sort_unstable();
            found.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                kept.1 += u32::from(is_same);
                is_same
            });
            values.push(is_known.then_some(found));
        }
        values
    }
}
