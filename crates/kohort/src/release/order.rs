//! The order of a release's rows: drawn from what is published and a seed, so that it tells nothing
//! about the order of the original, not even to anyone who knows the seed.

use std::borrow::Cow;

use kohort_core::{Column, Told, Written, alive, alive_at};

/// The rows in the order of a number made from their cells, as a format that tells so much shows them, and
/// the seed; equal rows, which look equal in any order, are spread.
pub(crate) fn order(
    mut rows: Vec<u32>,
    published: &[Cow<'_, Column>],
    told: Told,
    seed: u64,
) -> Vec<u32> {
    let marks: Vec<Vec<u64>> = (published.iter())
        .map(|column| column.dictionary().iter().map(|text| mark(text, seed)).collect())
        .collect();
    let n_rows = rows.iter().max().map_or(0, |&last| last as usize + 1);
    // By row: beside the rows, keys would take a third more memory.
    let mut keys = vec![mix(seed); n_rows];
    for (column, marks) in published.iter().zip(&marks) {
        for &row in &rows {
            alive_at(row as usize);
            let (key, row) = (&mut keys[row as usize], row as usize);
            let look = column.look(row, told).map_or(0, |written| written as u64);
            *key = mix(*key ^ marks[column.codes().get(row) as usize] ^ look);
        }
    }
    alive();
    rows.sort_unstable_by_key(|&row| (keys[row as usize], row));
    let mut equal: Option<(u64, u64)> = None;
    for &row in &rows {
        alive_at(row as usize);
        let key = &mut keys[row as usize];
        let number = equal.filter(|(other, _)| other == key).map_or(0, |(_, number)| number + 1);
        equal = Some((*key, number));
        *key = mix(*key ^ mix(number));
    }
    alive();
    rows.sort_unstable_by_key(|&row| (keys[row as usize], row));
    rows
}

/// For each row another row of its group, each once: whose sensitive values it is shown with. Within a
/// group the values stand in their own order, which nobody can undo.
pub(super) fn permute(
    rows: &[u32],
    group_of_row: &[u32],
    sensitive: &[Cow<'_, Column>],
    told: Told,
) -> Vec<u32> {
    let mut by_group: Vec<(u32, usize)> = group_of_row.iter().copied().zip(0..).collect();
    by_group.sort_unstable();
    let mut permuted = vec![0; rows.len()];
    for group in by_group.chunk_by(|a, b| a.0 == b.0) {
        alive();
        let mut sorted: Vec<u32> = group.iter().map(|&(_, at)| rows[at]).collect();
        sorted.sort_by_cached_key(|&row| shown(sensitive, row, told));
        for (&(_, at), row) in group.iter().zip(sorted) {
            permuted[at] = row;
        }
    }
    permuted
}

/// The cells of a row as a format that tells so much shows them.
pub(super) fn shown<'a>(
    columns: &'a [Cow<'_, Column>],
    row: u32,
    told: Told,
) -> Vec<(&'a str, Option<Written>)> {
    let row = row as usize;
    let cell = |column: &'a Cow<'_, Column>| {
        (column.dictionary().get(column.codes().get(row)), column.look(row, told))
    };
    columns.iter().map(cell).collect()
}

/// A number made from a text (FNV-1a, mixed).
pub(crate) fn mark(text: &str, seed: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(hash)
}

/// The finalizer of splitmix64.
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
