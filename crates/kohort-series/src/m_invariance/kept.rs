//! The classes of those who were published before: who was together stays together where that is good.
//!
//! # Method
//! 1. Whoever was last seen in the same class of the same release begins a class; the values that nobody there
//!    has any more are gaps.
//! 2. Two classes of a signature that have no value twice are joined where that costs less than the gaps that
//!    go.
//! 3. Instead, all rows with a signature are divided anew into as few classes as there can be (see the parent)
//!    where that costs less, gaps counted.

use std::collections::BTreeMap;

use kohort_algorithms::Draw;
use kohort_core::Ctx;

use super::fill::worth_of_gap;
use super::{Class, divided};
use crate::buckets::{NOBODY, values_changed};
use crate::exchange::{exchange, loss};
use crate::rows::Rows;
use crate::{Failure, Turn};

/// With so many classes before it and after it a class is compared that may be joined with another.
const NEAR: usize = 128;

/// Who was published before, in classes with gaps, and the rows with each value of those who were not.
pub(super) struct Divided {
    pub(super) kept: Vec<Class>,
    pub(super) waiting: Vec<Vec<u32>>,
}

/// Step 1. The order of those who come is drawn.
pub(super) fn divide(turn: &Turn<'_>, rows: &Rows, draw: &mut Draw) -> Result<Divided, Failure> {
    let n_values = turn.value_of_row.iter().map(|&value| value + 1).max().unwrap_or(0);
    let n_values = n_values.max(turn.history.n_values) as usize;
    let mut order: Vec<u32> = (0..).take(turn.data.n_rows()).collect();
    order.sort_unstable_by_key(|&row| (rows.codes(row), turn.person_of_row[row as usize]));
    draw.shuffle(&mut order);
    let mut found = Divided { kept: Vec::new(), waiting: vec![Vec::new(); n_values] };
    let mut last: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    let mut n_changed = 0;
    for row in order {
        let (person, value) = (turn.person_of_row[row as usize], turn.value_of_row[row as usize]);
        let Some((release, class)) = turn.history.last_class(person) else {
            found.waiting[value as usize].push(row);
            continue;
        };
        let id = turn.history.releases[release].class_of[person as usize];
        let signature = class.signature();
        let Ok(slot) = signature.binary_search(&value) else {
            n_changed += 1;
            continue;
        };
        let at = last.get(&(release, id)).copied();
        if let Some(at) = at.filter(|&at| found.kept[at].rows[slot] == NOBODY) {
            found.kept[at].rows[slot] = row;
        } else {
            let mut class = Class { rows: vec![NOBODY; signature.len()], signature };
            class.rows[slot] = row;
            last.insert((release, id), found.kept.len());
            found.kept.push(class);
        }
    }
    if n_changed > 0 { Err(values_changed(n_changed)) } else { Ok(found) }
}

/// Steps 2 and 3.
pub(super) fn settled(
    ctx: &Ctx<'_>,
    turn: &Turn<'_>,
    rows: &Rows,
    (kept, m): (Vec<Class>, usize),
) -> Vec<Class> {
    // Some gaps are still filled.
    let gap = worth_of_gap(m) / 2.0;
    let mut of_signature: BTreeMap<Vec<u32>, Vec<Vec<u32>>> = BTreeMap::new();
    for Class { signature, rows } in kept {
        of_signature.entry(signature).or_default().push(rows);
    }
    let mut classes = Vec::new();
    let n_signatures = of_signature.len() as u64;
    for (done, (signature, line)) in (0..).zip(of_signature) {
        ctx.progress("dividing signatures into classes", done, n_signatures);
        let anew = divided(turn, rows, &slots(&line));
        let mut together = joined(turn, rows, line, gap);
        exchange(turn.space, rows, &mut together);
        let cost = |line: &[Vec<u32>]| {
            let gaps = line.iter().flatten().filter(|&&row| row == NOBODY).count();
            loss(turn.space, rows, line) + gap * gaps as f64
        };
        let line = if cost(&anew) < cost(&together) { anew } else { together };
        classes.extend(line.into_iter().map(|rows| Class { signature: signature.clone(), rows }));
    }
    classes
}

/// The rows of each value of some classes of one signature, filled up with nobody to as many as the most
/// frequent value has.
fn slots(line: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let slot = |at: usize| {
        let rows = line.iter().map(move |class| class[at]);
        rows.filter(|&row| row != NOBODY).collect::<Vec<u32>>()
    };
    let mut slots: Vec<Vec<u32>> = (0..line[0].len()).map(slot).collect();
    let longest = slots.iter().map(Vec::len).max().unwrap_or(0);
    for slot in &mut slots {
        slot.resize(longest, NOBODY);
    }
    slots
}

/// Step 2.
fn joined(turn: &Turn<'_>, rows: &Rows, mut line: Vec<Vec<u32>>, gap: f64) -> Vec<Vec<u32>> {
    let first = |class: &Vec<u32>| {
        let row = class.iter().copied().find(|&row| row != NOBODY);
        row.map(|row| rows.codes(row))
    };
    line.sort_by(|a, b| first(a).cmp(&first(b)));
    let cost = |class: &Vec<u32>| loss(turn.space, rows, std::slice::from_ref(class));
    loop {
        let gapped: Vec<usize> = (0..line.len()).filter(|&at| line[at].contains(&NOBODY)).collect();
        let mut gains: Vec<(f64, usize, usize)> = Vec::new();
        for (place, &a) in gapped.iter().enumerate() {
            for &b in gapped[place + 1..].iter().take(NEAR) {
                let Some(both) = union(&line[a], &line[b]) else { continue };
                let saved = gap * both.len() as f64;
                let gain = saved + cost(&line[a]) + cost(&line[b]) - cost(&both);
                if gain > 0.0 {
                    gains.push((gain, a, b));
                }
            }
        }
        if gains.is_empty() {
            return line;
        }
        gains.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut is_gone = vec![false; line.len()];
        let mut is_done = vec![false; line.len()];
        for (_, a, b) in gains {
            if !is_done[a] && !is_done[b] {
                line[a] = union(&line[a], &line[b]).expect("they have no value twice");
                (is_done[a], is_done[b], is_gone[b]) = (true, true, true);
            }
        }
        let mut gone = is_gone.into_iter();
        line.retain(|_| !gone.next().unwrap_or(false));
    }
}

/// The rows of two classes, if they have no value twice.
fn union(a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
    let both = a.iter().zip(b).map(|(&a, &b)| match (a, b) {
        (row, NOBODY) | (NOBODY, row) => Some(row),
        _ => None,
    });
    both.collect()
}
