//! Rows by the signature under which they are published: what m-invariance does before it looks at
//! quasi-identifiers.
//!
//! # Method
//! 1. Division: a bucket for each signature that somebody in the table has from the last release the
//!    person was in, with a slot for each of its values. Everybody else is waiting (S⁻).
//! 2. Those who wait must be m-eligible: no value is had by more than one in m. The largest part that is
//!    has at most c people per value, for the largest c with c·m ≤ Σ min(n_v, c). The others are spare.
//! 3. Leveling, where it is asked for: while a slot has more rows than others and one fewer in it saves more
//!    than `WORTH` counterfeits that nobody who waits can stand in for, somebody of it is held back.
//! 4. Balancing: a slot with fewer rows than the longest of its bucket is short. Spare people fill short
//!    slots first; then those who wait, the most frequent value first, as long as the rest stays
//!    m-eligible; then counterfeits. After leveling they fill short slots anyway: who is then not
//!    m-eligible is spare.
//! 5. Whoever is still spare is held back, or waits, and counterfeits of other values make those who wait
//!    m-eligible again.
//! 6. Assignment to the signatures there are, the largest bucket first: as many people of each of its
//!    values as wait and leave the rest m-eligible. A signature that is used again keeps its people close
//!    together; many signatures with few people each do not.
//! 7. Assignment to further signatures: with counts n₁ ≥ n₂ ≥ … of the values that wait and γ in all, take
//!    the smallest β ≥ m for which there is an α ≥ 1 with α ≤ n_β, (n₁ − α)·m ≤ γ − α·β and
//!    n_{β+1}·m ≤ γ − α·β, and the largest such α: α people of each of the β most frequent values go to
//!    the bucket of these values. What is left is m-eligible, so repeat.
//!
//! # References
//! Xiao, Tao: m-Invariance, SIGMOD 2007, §5. The choice of α and β is reconstructed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use kohort_algorithms::Draw;

use crate::rows::Rows;
use crate::{Failure, Turn};

/// In place of a row: a counterfeit.
pub(crate) const NOBODY: u32 = u32::MAX;

/// What becomes of people with a value that is too frequent among those who come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surplus {
    /// They wait for a later release.
    HoldBack,
    /// They are published beside counterfeits with other values.
    Counterfeit,
}

/// How many counterfeits somebody who is held back is worth.
const WORTH: usize = 8;

/// The rows with one signature.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    /// The values, in ascending order.
    pub(crate) signature: Vec<u32>,
    /// For each value as many rows, counterfeits among them.
    pub(crate) slots: Vec<Vec<u32>>,
}

impl Bucket {
    fn new(signature: Vec<u32>) -> Self {
        Self { slots: vec![Vec::new(); signature.len()], signature }
    }

    fn longest(&self) -> usize {
        self.slots.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The buckets of a turn, leveled or not. Whoever is in none is held back.
pub(crate) fn buckets(
    turn: &Turn<'_>,
    rows: &Rows,
    m: u32,
    surplus: Surplus,
    is_leveled: bool,
) -> Result<Vec<Bucket>, Failure> {
    let mut run = Run::divide(turn, rows, m)?;
    if is_leveled {
        run.level();
    }
    run.balance(is_leveled);
    run.settle_spare(surplus)?;
    run.assign_again();
    run.assign();
    run.buckets.iter_mut().for_each(drop_needless);
    run.buckets.retain(|bucket| bucket.longest() > 0);
    Ok(run.buckets)
}

/// That some people's values are not those that were published for them.
pub(crate) fn values_changed(n_changed: usize) -> Failure {
    Failure::infeasible(format!(
        "the values of {n_changed} people are not among those published for them before: \
         signatures can be kept only if values do not change"
    ))
}

/// Those who wait, the rows with each value, in buckets by how often each value occurs: steps 2, 5 and 7.
pub(crate) fn by_counts(
    waiting: Vec<Vec<u32>>,
    m: u32,
    surplus: Surplus,
) -> Result<Vec<Bucket>, Failure> {
    let mut run = Run {
        m: m as usize,
        buckets: Vec::new(),
        of_signature: BTreeMap::new(),
        spare: vec![0; waiting.len()],
        waiting,
    };
    run.find_spare();
    run.settle_spare(surplus)?;
    run.assign();
    run.buckets.iter_mut().for_each(drop_needless);
    run.buckets.retain(|bucket| bucket.longest() > 0);
    Ok(run.buckets)
}

/// How many of those who wait with each value are spare: step 2.
pub(crate) fn spare(waiting: &[Vec<u32>], m: usize) -> Vec<usize> {
    let total = |most: usize| waiting.iter().map(|w| w.len().min(most)).sum::<usize>();
    // Σ min(n_v, c) − c·m is concave in c and 0 at 0: it changes its sign once.
    let (mut most, mut above) = (0, waiting.iter().map(Vec::len).max().unwrap_or(0) + 1);
    while most + 1 < above {
        let middle = most.midpoint(above);
        if middle * m <= total(middle) {
            most = middle;
        } else {
            above = middle;
        }
    }
    waiting.iter().map(|waiting| waiting.len() - waiting.len().min(most)).collect()
}

/// A counterfeit in every slot protects nobody.
fn drop_needless(bucket: &mut Bucket) {
    let n_counterfeits = |slot: &Vec<u32>| slot.iter().filter(|&&row| row == NOBODY).count();
    let needless = bucket.slots.iter().map(n_counterfeits).min().unwrap_or(0);
    for slot in &mut bucket.slots {
        slot.sort_unstable();
        slot.truncate(slot.len() - needless);
    }
}

struct Run {
    m: usize,
    buckets: Vec<Bucket>,
    of_signature: BTreeMap<Vec<u32>, usize>,
    // S⁻: the rows with each value, in the order in which they are taken, the first last; and how many
    // of them are spare.
    waiting: Vec<Vec<u32>>,
    spare: Vec<usize>,
}

impl Run {
    /// Step 1.
    fn divide(turn: &Turn<'_>, rows: &Rows, m: u32) -> Result<Self, Failure> {
        let n_values = turn.value_of_row.iter().map(|&value| value + 1).max().unwrap_or(0);
        let n_values = n_values.max(turn.history.n_values) as usize;
        let mut run = Self {
            m: m as usize,
            buckets: Vec::new(),
            of_signature: BTreeMap::new(),
            waiting: vec![Vec::new(); n_values],
            spare: vec![0; n_values],
        };
        let mut order: Vec<u32> = (0..).take(turn.data.n_rows()).collect();
        order.sort_unstable_by_key(|&row| (rows.codes(row), turn.person_of_row[row as usize]));
        Draw::hidden(turn.secret).shuffle(&mut order);
        let mut bucket_of_class: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        let mut n_changed = 0;
        for row in order {
            let (person, value) =
                (turn.person_of_row[row as usize], turn.value_of_row[row as usize]);
            let Some((release, class)) = turn.history.last_class(person) else {
                run.waiting[value as usize].push(row);
                continue;
            };
            let id = turn.history.releases[release].class_of[person as usize];
            let bucket = *(bucket_of_class.entry((release, id)))
                .or_insert_with(|| run.bucket(class.signature()));
            let bucket = &mut run.buckets[bucket];
            match bucket.signature.binary_search(&value) {
                Ok(slot) => bucket.slots[slot].push(row),
                Err(_) => n_changed += 1,
            }
        }
        if n_changed > 0 {
            return Err(values_changed(n_changed));
        }
        run.find_spare();
        Ok(run)
    }

    /// The bucket of a signature.
    fn bucket(&mut self, signature: Vec<u32>) -> usize {
        *self.of_signature.entry(signature).or_insert_with_key(|signature| {
            self.buckets.push(Bucket::new(signature.clone()));
            self.buckets.len() - 1
        })
    }

    /// Step 2.
    fn find_spare(&mut self) {
        self.spare = spare(&self.waiting, self.m);
    }

    /// Step 3.
    fn level(&mut self) {
        let mut heights: Vec<usize> = self.buckets.iter().map(Bucket::longest).collect();
        // For each value how many rows are missing in short slots.
        let mut missing = vec![0; self.waiting.len()];
        for (bucket, height) in self.buckets.iter().zip(&heights) {
            for (slot, &value) in bucket.slots.iter().zip(&bucket.signature) {
                missing[value as usize] += height - slot.len();
            }
        }
        let saved = |missing: &[usize], (bucket, &height): (&Bucket, &usize)| {
            let slots = || bucket.slots.iter().map(Vec::len).zip(&bucket.signature);
            let is_missing =
                |value: u32| missing[value as usize] > self.waiting[value as usize].len();
            let saved = slots().filter(|&(n, &value)| n < height && is_missing(value)).count();
            let n_longest = slots().filter(|&(n, _)| n >= height).count();
            saved.saturating_sub(WORTH * n_longest)
        };
        loop {
            let of_buckets = self.buckets.iter().zip(&heights).map(|of| saved(&missing, of));
            let best = of_buckets.enumerate().max_by_key(|&(id, saved)| (saved, Reverse(id)));
            let Some((id, _)) = best.filter(|&(_, saved)| saved > 0) else { break };
            let Bucket { signature, slots } = &self.buckets[id];
            for (slot, &value) in slots.iter().zip(signature) {
                missing[value as usize] -= usize::from(slot.len() < heights[id]);
            }
            heights[id] -= 1;
        }
        for (bucket, height) in self.buckets.iter_mut().zip(heights) {
            bucket.slots.iter_mut().for_each(|slot| slot.truncate(height));
        }
    }

    /// Step 4.
    fn balance(&mut self, is_leveled: bool) {
        // For each value the slots that are short, each as often as rows are missing.
        let mut short: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.waiting.len()];
        for (id, bucket) in self.buckets.iter().enumerate() {
            let longest = bucket.longest();
            for (slot, &value) in bucket.signature.iter().enumerate() {
                let missing = longest - bucket.slots[slot].len();
                short[value as usize].extend(std::iter::repeat_n((id, slot), missing));
            }
        }
        for (value, short) in short.iter_mut().enumerate() {
            while self.spare[value] > 0
                && let Some(place) = short.pop()
            {
                self.spare[value] -= 1;
                self.fill(place, value);
            }
        }
        let count = |run: &Self, value: usize| run.waiting[value].len() - run.spare[value];
        let counts = |value| (count(self, value), Reverse(value));
        let mut counts: BTreeSet<(usize, Reverse<usize>)> = (0..short.len()).map(counts).collect();
        let mut in_need: BTreeSet<(usize, Reverse<usize>)> =
            counts.iter().copied().filter(|(_, value)| !short[value.0].is_empty()).collect();
        let mut n_waiting: usize = counts.iter().map(|(count, _)| count).sum();
        while let Some(most) = in_need.pop_last().filter(|&(count, _)| count > 0) {
            let (count, Reverse(value)) = most;
            counts.remove(&most);
            counts.insert((count - 1, Reverse(value)));
            let largest = counts.last().map_or(0, |&(count, _)| count);
            // If the most frequent value cannot be taken, no other can: the largest count stays.
            if !is_leveled && largest * self.m > n_waiting - 1 {
                break;
            }
            n_waiting -= 1;
            let place = short[value].pop().expect("a value in need has a short slot");
            self.fill(place, value);
            if !short[value].is_empty() {
                in_need.insert((count - 1, Reverse(value)));
            }
        }
        for (bucket, slot) in short.into_iter().flatten() {
            self.buckets[bucket].slots[slot].push(NOBODY);
        }
        if is_leveled {
            self.find_spare();
        }
    }

    /// Puts somebody who waits with a value into a short slot.
    fn fill(&mut self, (bucket, slot): (usize, usize), value: usize) {
        let row = self.waiting[value].pop().expect("it was counted");
        self.buckets[bucket].slots[slot].push(row);
    }

    /// Step 5.
    fn settle_spare(&mut self, surplus: Surplus) -> Result<(), Failure> {
        if surplus == Surplus::HoldBack {
            for (waiting, spare) in self.waiting.iter_mut().zip(&mut self.spare) {
                waiting.drain(..std::mem::take(spare));
            }
            return Ok(());
        }
        self.spare.fill(0);
        let largest = self.waiting.iter().map(Vec::len).max().unwrap_or(0);
        let n_waiting: usize = self.waiting.iter().map(Vec::len).sum();
        let mut missing = (self.m * largest).saturating_sub(n_waiting);
        if missing > 0 && self.waiting.len() < self.m {
            let (m, found) = (self.m, self.waiting.len());
            return Err(Failure::infeasible(format!(
                "classes need {m} different values, but only {found} occur in the series"
            )));
        }
        while missing > 0 {
            for waiting in self.waiting.iter_mut().filter(|waiting| waiting.len() < largest) {
                if missing > 0 {
                    missing -= 1;
                    waiting.push(NOBODY);
                }
            }
        }
        Ok(())
    }

    /// Step 6.
    fn assign_again(&mut self) {
        let is_enough = |&id: &usize| self.buckets[id].signature.len() >= self.m;
        let mut order: Vec<usize> = (0..self.buckets.len()).filter(is_enough).collect();
        order.sort_by_key(|&id| (Reverse(self.buckets[id].longest()), id));
        let mut total: usize = self.waiting.iter().map(Vec::len).sum();
        for id in order {
            let signature = self.buckets[id].signature.clone();
            let n = |&value: &u32| self.waiting[value as usize].len();
            let own: Vec<usize> = signature.iter().map(n).collect();
            let is_other = |value: &u32| signature.binary_search(value).is_err();
            let others = (0..).take(self.waiting.len()).filter(is_other);
            let next = others.map(|value| n(&value)).max().unwrap_or(0);
            let most = most_of_each(total, &own, next, self.m);
            total -= most * signature.len();
            self.move_to(id, most);
        }
    }

    /// Puts this many people of each value of a bucket into it.
    fn move_to(&mut self, bucket: usize, n: usize) {
        let Bucket { signature, slots } = &mut self.buckets[bucket];
        for (slot, &value) in slots.iter_mut().zip(&*signature) {
            let waiting = &mut self.waiting[value as usize];
            slot.extend(waiting.drain(waiting.len() - n..));
        }
    }

    /// Step 7.
    fn assign(&mut self) {
        let mut order: Vec<u32> = (0..).take(self.waiting.len()).collect();
        loop {
            // A sort that keeps what is in order is quick here: few counts change at a time.
            order.sort_by_key(|&value| (Reverse(self.waiting[value as usize].len()), value));
            order.retain(|&value| !self.waiting[value as usize].is_empty());
            let counts: Vec<usize> =
                order.iter().map(|&value| self.waiting[value as usize].len()).collect();
            if counts.is_empty() {
                break;
            }
            let (alpha, beta) = alpha_beta(&counts, self.m)
                .expect("counts that are m-eligible have a step that leaves them so");
            let mut signature = order[..beta].to_vec();
            signature.sort_unstable();
            let bucket = self.bucket(signature);
            self.move_to(bucket, alpha);
        }
    }
}

/// The most people of each of some values that can be taken so that the rest is m-eligible: α with α ≤ n_v
/// for each of these values, (n_v − α)·m ≤ γ − α·β, and n·m ≤ γ − α·β for the count n of any other value.
/// The counts are m-eligible, and there are m values or more; `next` is the largest count of the others.
fn most_of_each(total: usize, counts: &[usize], next: usize, m: usize) -> usize {
    let (fewest, largest) = (counts.iter().min(), counts.iter().max());
    let (fewest, largest) = (fewest.copied().unwrap_or(0), largest.copied().unwrap_or(0));
    let by_next = (total - next * m) / counts.len();
    let by_largest = match counts.len() - m {
        0 => usize::MAX,
        more => (total - largest * m) / more,
    };
    fewest.min(by_next).min(by_largest)
}

/// How many people of how many of the most frequent values to assign together. Counts descend, and none
/// is above 1/m of them all.
fn alpha_beta(counts: &[usize], m: usize) -> Option<(usize, usize)> {
    let total: usize = counts.iter().sum();
    (m..=counts.len()).find_map(|beta| {
        let next = counts.get(beta).copied().unwrap_or(0);
        let alpha = most_of_each(total, &counts[..beta], next, m);
        (alpha >= 1).then_some((alpha, beta))
    })
}

#[cfg(test)]
mod tests {
    use kohort_core::{History, ReleasedClass, SeriesRelease};

    use super::*;
    use crate::tests::people::{Person, with_turn};

    /// Three classes of the same `n` values were published; then the holders of the first value are there, and
    /// one of each other. Counterfeits and people who are held back.
    fn left_of_three(n: u32, is_leveled: bool) -> (usize, usize) {
        let people: Vec<Person> =
            (0..3 * n).map(|at| Person { quasi: [at / n, at % n], value: at % n }).collect();
        let class = ReleasedClass { values: (0..n).collect(), n_counterfeits: 0 };
        let class_of = (0..3 * n).map(|at| at / n).collect();
        let released = SeriesRelease { class_of, classes: vec![class; 3] };
        let history = History { n_values: n, releases: vec![released] };
        let present: Vec<u32> = (0..3 * n).filter(|at| *at < n || at % n == 0).collect();
        with_turn(&people, &present, &history, |turn| {
            let rows = Rows::new(turn);
            let found = buckets(turn, &rows, 2, Surplus::HoldBack, is_leveled).unwrap();
            let shown = || found.iter().flat_map(|bucket| &bucket.slots).flatten();
            let n_counterfeits = shown().filter(|&&row| row == NOBODY).count();
            (n_counterfeits, present.len() - (shown().count() - n_counterfeits))
        })
    }

    #[test]
    fn one_is_held_back_where_many_counterfeits_would_be_beside() {
        assert_eq!(left_of_three(10, false), (18, 0));
        assert_eq!(left_of_three(10, true), (0, 2));
        // Of nine values one fewer saves eight.
        assert_eq!(left_of_three(9, true), (16, 0));
    }

    /// Calls `look` with every descending list of up to `n` counts of at most `most`.
    fn each_counts(n: usize, most: usize, counts: &mut Vec<usize>, look: &mut dyn FnMut(&[usize])) {
        look(counts);
        if counts.len() < n {
            for count in 1..=counts.last().copied().unwrap_or(most) {
                counts.push(count);
                each_counts(n, most, counts, look);
                counts.pop();
            }
        }
    }

    // Existence of α and β, there on 2240 vectors of counts.
    #[test]
    fn a_step_exists_for_all_eligible_counts_and_is_the_first_and_largest() {
        let mut n_seen = 0;
        each_counts(6, 7, &mut Vec::new(), &mut |counts| {
            let total: usize = counts.iter().sum();
            for m in 2..=4 {
                if counts.is_empty() || counts[0] * m > total {
                    continue;
                }
                n_seen += 1;
                let is_eligible = |alpha: usize, beta: usize| {
                    let left = total - alpha * beta;
                    let rest = counts.iter().enumerate();
                    rest.map(|(at, &n)| if at < beta { n - alpha } else { n })
                        .all(|n| n * m <= left)
                };
                let plain = (m..=counts.len()).find_map(|beta| {
                    let alphas = (1..=counts[beta - 1]).rev();
                    alphas.into_iter().find(|&alpha| is_eligible(alpha, beta)).map(|a| (a, beta))
                });
                assert!(plain.is_some(), "{counts:?} {m}");
                assert_eq!(alpha_beta(counts, m), plain, "{counts:?} {m}");
            }
        });
        assert!(n_seen >= 2240, "{n_seen} lists of counts");
    }
}
