//! Assignments of values that lead to a release: all of them, or some by exchanges.

use std::collections::BTreeMap;

use kohort_core::{Ctx, Error};

use super::super::{Scene, Sight};
use super::Method;

/// The most assignments that are tried one by one.
const MOST_ASSIGNMENTS: usize = 5_000;

/// Runs of a method that draws, over all assignments.
const DRAWN_RUNS: usize = 4_000;

/// Runs without a gain that end a search by exchanges; of this many exchanges that lose a little one is kept.
const PATIENCE: usize = 2_000;
const ONE_LOSS_OF: usize = 40;

/// Fewer releases than this tell nothing where each is drawn.
const FEWEST_DRAWN: u32 = 25;

/// How often each value of each person led to the release.
pub(super) struct Found {
    // By person, then by value.
    counts: Vec<BTreeMap<u32, u32>>,
    n: u32,
    n_runs: usize,
    // The most rows of the release that came out.
    n_rows: usize,
    is_drawn: bool,
    is_exact: bool,
}

impl Found {
    fn add(&mut self, values: &[u32]) {
        self.n += 1;
        for (counts, &code) in self.counts.iter_mut().zip(values) {
            *counts.entry(code).or_default() += 1;
        }
    }

    /// What is believed of a person of whose class these are the shares.
    pub(super) fn posterior(&self, person: usize, shares: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let n = f64::from(self.n);
        let fewest = if self.is_drawn { FEWEST_DRAWN } else { 1 };
        if self.n < fewest {
            return shares.to_vec();
        }
        let of = |&(code, share): &(u32, f64)| {
            let count = f64::from(self.counts[person].get(&code).copied().unwrap_or(0));
            if !self.is_exact {
                // The class counts as one more assignment.
                return (code, (count + share) / (n + 1.0));
            }
            let found = count / n;
            if !self.is_drawn {
                return (code, found);
            }
            // What is drawn is not taken for more than is sure.
            let error = (share.max(found) * (1.0 - share.min(found)) / n).sqrt();
            let sure = if found > share { (found - 4.0 * error).max(share) } else { found };
            (code, sure)
        };
        shares.iter().map(of).collect()
    }

    /// What was found, as a sentence without a closing stop.
    pub(super) fn told(&self) -> String {
        let Self { n, n_runs, .. } = self;
        match (self.is_exact, self.is_drawn) {
            (true, false) => {
                format!("of {n_runs} assignments that the release admits, {n} lead to it")
            }
            (true, true) => format!(
                "the method draws from a secret: {n} of {n_runs} runs lead to the release, and what is \
                 believed is the lower end of an estimate"
            ),
            (false, true) => {
                "the method draws from a secret, and the table is too large to try every assignment and draw: \
                 classes are all that is known"
                    .to_owned()
            }
            (false, false) => {
                let n_rows = self.n_rows;
                let all = if n_rows == self.counts.len() { " (all)" } else { "" };
                format!(
                    "there are too many assignments to try all: of {n_runs} runs the nearest gave {n_rows} \
                     rows of the release again{all}; what is believed is an estimate from {n} such assignments"
                )
            }
        }
    }
}

/// A search for assignments.
pub(super) struct Search<'s> {
    method: &'s dyn Method,
    // The pool that each person's value is from, and the values each person may have.
    pool_of_person: Vec<usize>,
    allowed: Vec<Vec<u32>>,
    // How often each value is in a pool.
    pools: Vec<BTreeMap<u32, u32>>,
    // The class of each released row, where pools are classes.
    class_of_row: Vec<u32>,
    draw: Draw,
}

impl<'s> Search<'s> {
    /// The assignments that a release admits. Where everybody is covered by one class alone, values stay in
    /// their class; else anybody may have any value of a class that covers them.
    pub(super) fn new(scene: &Scene<'_>, crowd: &Sight, method: &'s dyn Method) -> Self {
        let release = &scene.release;
        let n = release.n_rows();
        let is_told = crowd.views().all(|view| view.shapes.len() == 1);
        let values = |class: u32| release.values(0, class).iter().copied();
        let mut pools: Vec<BTreeMap<u32, u32>> =
            (0..).take(release.n_classes()).map(|class| values(class).collect()).collect();
        if !is_told {
            let mut all: BTreeMap<u32, u32> = BTreeMap::new();
            for (code, count) in pools.iter().flatten() {
                *all.entry(*code).or_default() += count;
            }
            pools = vec![all];
        }
        let (mut pool_of_person, mut allowed) = (vec![0; n], vec![Vec::new(); n]);
        for view in crowd.views() {
            let classes = view.shapes.iter().map(|&shape| release.class_of_shape(shape));
            let mut codes: Vec<u32> =
                classes.clone().flat_map(|class| values(class).map(|(code, _)| code)).collect();
            codes.sort_unstable();
            codes.dedup();
            for &person in view.targets {
                allowed[person as usize].clone_from(&codes);
                if is_told {
                    let class = classes.clone().next().unwrap_or(0);
                    pool_of_person[person as usize] = class as usize;
                }
            }
        }
        let class_of_row = release.shapes().ids.iter().map(|&shape| release.class_of_shape(shape));
        let class_of_row = if is_told { class_of_row.collect() } else { vec![0; n] };
        Self { method, pool_of_person, allowed, pools, class_of_row, draw: Draw(7) }
    }

    /// Tries every assignment; none where there are too many.
    pub(super) fn every_assignment(&mut self) -> Result<Option<Found>, Error> {
        let mut all = Vec::new();
        let mut given = Vec::with_capacity(self.allowed.len());
        let mut left = self.pools.clone();
        if !self.extend(&mut given, &mut left, &mut all) {
            return Ok(None);
        }
        let is_drawn = self.method.draws();
        let n_draws = if is_drawn { (DRAWN_RUNS / all.len().max(1)).clamp(1, 200) } else { 1 };
        let mut found = self.nothing(true);
        for values in &all {
            for _ in 0..n_draws {
                found.n_runs += 1;
                let rows = self.run(values)?;
                if rows.iter().all(|&is_there| is_there) {
                    found.add(values);
                }
            }
        }
        Ok(Some(found))
    }

    /// Adds every way to go on with an assignment; false where there are too many.
    fn extend(
        &self,
        given: &mut Vec<u32>,
        left: &mut [BTreeMap<u32, u32>],
        all: &mut Vec<Vec<u32>>,
    ) -> bool {
        let person = given.len();
        if person == self.allowed.len() {
            all.push(given.clone());
            return all.len() <= MOST_ASSIGNMENTS;
        }
        let pool = self.pool_of_person[person];
        for &code in &self.allowed[person] {
            let n_left = left[pool].get(&code).copied().unwrap_or(0);
            if n_left == 0 {
                continue;
            }
            left[pool].insert(code, n_left - 1);
            given.push(code);
            let goes_on = self.extend(given, left, all);
            given.pop();
            left[pool].insert(code, n_left);
            if !goes_on {
                return false;
            }
        }
        true
    }

    fn nothing(&self, is_exact: bool) -> Found {
        let counts = vec![BTreeMap::new(); self.allowed.len()];
        Found { counts, n: 0, n_runs: 0, n_rows: 0, is_drawn: self.method.draws(), is_exact }
    }

    /// Runs the method, and says which rows of the release came out.
    fn run(&mut self, values: &[u32]) -> Result<Vec<bool>, Error> {
        let draw = u32::try_from(self.draw.next() >> 32).expect("32 bits");
        self.method.run(values, draw)
    }

    /// Looks for assignments from random starts: those with most rows of the release count.
    pub(super) fn by_exchanges(&mut self, ctx: &Ctx<'_>) -> Result<Found, Error> {
        let mut found = self.nothing(false);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.pools.len()];
        for (person, &pool) in self.pool_of_person.iter().enumerate() {
            members[pool].push(person);
        }
        let most = self.method.most_runs();
        while found.n_runs < most && !found.is_drawn {
            ctx.progress(super::SPEC.id, found.n_runs as u64, most as u64);
            let mut values = self.random(&members);
            let mut rows = self.run(&values)?;
            found.n_runs += 1;
            let (mut since, mut best) = (0, count(&rows));
            while since < PATIENCE && found.n_runs < most && rows.contains(&false) {
                let Some((a, b)) = self.exchange(&values, &rows, &members) else { break };
                values.swap(a, b);
                let next = self.run(&values)?;
                found.n_runs += 1;
                let (before, after) = (count(&rows), count(&next));
                since = if after > best { 0 } else { since + 1 };
                best = best.max(after);
                let is_kept = after + 3 >= before && self.draw.below(ONE_LOSS_OF) == 0;
                if after >= before || is_kept {
                    rows = next;
                } else {
                    values.swap(a, b);
                }
            }
            let n_rows = count(&rows);
            if n_rows > found.n_rows {
                found = Found { n_runs: found.n_runs, n_rows, ..self.nothing(false) };
            }
            if n_rows > 0 && n_rows == found.n_rows {
                found.add(&values);
            }
        }
        Ok(found)
    }

    /// The values of each pool in random order.
    fn random(&mut self, members: &[Vec<usize>]) -> Vec<u32> {
        let mut values = vec![0; self.allowed.len()];
        for (pool, members) in self.pools.iter().zip(members) {
            let repeated = pool.iter().flat_map(|(&code, &n)| (0..n).map(move |_| code));
            let mut codes: Vec<u32> = repeated.collect();
            for last in (1..codes.len()).rev() {
                codes.swap(last, self.draw.below(last + 1));
            }
            for (&person, code) in members.iter().zip(codes) {
                values[person] = code;
            }
        }
        values
    }

    /// Two people of a pool with different values, mostly of a class that did not come out again.
    fn exchange(
        &mut self,
        values: &[u32],
        rows: &[bool],
        members: &[Vec<usize>],
    ) -> Option<(usize, usize)> {
        let mut is_there = vec![true; self.pools.len()];
        for (&class, &is_row_there) in self.class_of_row.iter().zip(rows) {
            is_there[class as usize] &= is_row_there;
        }
        for _ in 0..1_000 {
            let a = self.draw.below(values.len());
            let pool = self.pool_of_person[a];
            if is_there[pool] && self.draw.below(8) > 0 {
                continue;
            }
            let b = members[pool][self.draw.below(members[pool].len())];
            if values[a] != values[b] {
                return Some((a, b));
            }
        }
        None
    }
}

fn count(rows: &[bool]) -> usize {
    rows.iter().filter(|is_there| **is_there).count()
}

/// A generator of numbers that hide nothing (Steele, Lea and Flood 2014, SplitMix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, which is small.
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("it is below a usize")
    }
}
