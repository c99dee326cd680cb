//! Questions 2 and 6: the largest attribute sets that keep a promise and the smallest that break it.
//!
//! # Method
//! Level-wise: sets of i + 1 attributes are tested only when all their subsets of i keep the promise.
//! 1. Candidates of one level are sorted, so that neighbours share a prefix; each thread keeps the
//!    partitions of the current prefix on a stack and splits the top one for each candidate.
//! 2. A split stops at the first class that breaks the promise.
//! 3. No partition outlives its prefix: memory does not grow with the number of sets.
//!
//! A large safe set has all its subsets tested that way, so once a level has many candidates dualize and
//! advance is tried: grow maximal safe sets, and test the minimal transversals of their complements
//! until all of them are unsafe. Every transversal that is tested and unsafe is a minimal unsafe set:
//! what is one attribute smaller lies within a maximal safe set. So what a stopped search has found
//! stands.
//!
//! # Deviations
//! One may keep the partitions of a level; the prefix stack needs the same splits and no memory.
//!
//! # References
//! Mannila and Toivonen 1997; Gunopulos et al. 1997 (dualize and advance).

mod level_wise;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use kohort_core::{Ctx, Error, Kind};
use kohort_models::{Class, ClassModel, Counts, Distribution};
use rayon::prelude::*;

use self::level_wise::{Stack, join, without_supersets};
use crate::AttributeSet;
use crate::partition::{Members, Partition, Scratch};
use crate::projection::{Projection, Suffix};
use crate::set::extremes;
use crate::transversals::extend;

/// What a set of attributes must keep to be safe.
pub enum Promise<'a> {
    /// Every class keeps all of these models.
    EveryClass {
        /// The models; they index the distributions.
        models: Vec<Box<dyn ClassModel + 'a>>,
        /// The sensitive attributes of the projection, in its order.
        distributions: &'a [Distribution<'a>],
    },
    /// k-anonymity after dropping at most `budget` rows.
    Suppressing {
        /// The smallest class allowed.
        k: u64,
        /// The most rows that may be dropped.
        budget: u64,
    },
}

impl Promise<'_> {
    /// Only for a monotone promise do the borders say everything about the sets between them.
    fn check_monotone(&self) -> Result<(), Error> {
        let Self::EveryClass { models, .. } = self else { return Ok(()) };
        match models.iter().find(|model| !model.is_monotone()) {
            Some(model) => Err(Kind::NotMonotone { model: model.spec().id }.into()),
            None => Ok(()),
        }
    }
}

/// Which search found the borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Sets by rising size.
    LevelWise,
    /// Maximal safe sets and their transversals.
    DualizeAndAdvance,
}

/// The borders between the safe and the unsafe attribute sets.
#[derive(Clone, Debug)]
pub struct Borders {
    /// The maximal safe sets found; of an incomplete search also safe sets that may have safe supersets.
    pub positive: Vec<AttributeSet>,
    /// The minimal unsafe sets found.
    pub negative: Vec<AttributeSet>,
    /// How many sets were tested.
    pub evaluated: u64,
    /// All sets of up to this many attributes are decided.
    pub complete_to: usize,
    /// Whether the borders are complete: no set was left out.
    pub is_complete: bool,
    /// Safe sets that were found, may have safe supersets, and are too many to list.
    pub unlisted: u64,
    /// Which search found them.
    pub search: Search,
}

/// The borders of a monotone promise over the subsets of the projection's quasi-identifiers, up to
/// `max_size` attributes where given. When `ctx` says stop, what was found so far is returned with
/// `complete_to` saying how far it goes.
pub fn borders(
    projection: &Projection,
    promise: &Promise<'_>,
    max_size: Option<usize>,
    ctx: &Ctx<'_>,
) -> Result<Borders, Error> {
    AttributeSet::full(projection.n_quasi())?;
    promise.check_monotone()?;
    let order = projection.finest_first();
    let later = projection.suffix_classes(&order);
    let tester = Tester { projection, promise, order: &order, later: &later };
    let mut found = tester.search(max_size, ctx);
    for sets in [&mut found.positive, &mut found.negative] {
        for set in sets.iter_mut() {
            *set = set.renamed(&order);
        }
        sets.sort_by_key(|set| (set.len(), *set));
    }
    Ok(found)
}

/// Tests attribute sets. Inside, attributes are numbered by their position in `order`.
struct Tester<'a> {
    projection: &'a Projection,
    promise: &'a Promise<'a>,
    order: &'a [usize],
    later: &'a [Suffix],
}

/// With more candidates on a level than this, dualize and advance is tried.
const MANY: usize = 5_000;

/// Beyond this many sets a level is not gone on with, and not listed.
const TOO_MANY: usize = 3_000_000;

/// Sets that may not be maximal are listed up to this many.
const LISTED: usize = 10_000;

/// With fewer attributes than this, all sets are tested sooner than the full set is worth a test.
const FEW: usize = 12;

impl Tester<'_> {
    fn search(&self, max_size: Option<usize>, ctx: &Ctx<'_>) -> Borders {
        let mut scratch = Scratch::new(self.projection);
        let n = self.order.len();
        let full: AttributeSet = (0..n).collect();
        let mut found = Borders {
            positive: Vec::new(),
            negative: Vec::new(),
            evaluated: 1,
            complete_to: n,
            is_complete: true,
            unlisted: 0,
            search: Search::LevelWise,
        };
        if !self.keeps(AttributeSet::EMPTY, &mut scratch) {
            found.negative.push(AttributeSet::EMPTY);
            return found;
        }
        if n > FEW {
            found.evaluated += 1;
            if self.keeps(full, &mut scratch) {
                found.positive.push(full);
                return found;
            }
        }
        self.level_wise(found, max_size, ctx)
    }

    fn level_wise(&self, mut found: Borders, max_size: Option<usize>, ctx: &Ctx<'_>) -> Borders {
        let n = self.order.len();
        found.complete_to = 0;
        let mut safe = vec![AttributeSet::EMPTY];
        let mut candidates: Vec<AttributeSet> =
            (0..n).map(|attribute| AttributeSet::EMPTY.with(attribute)).collect();
        let mut has_jumped = max_size.is_some();
        let mut is_stopped = false;
        for size in 1..=max_size.unwrap_or(n).min(n) {
            if candidates.len() > MANY && !has_jumped {
                has_jumped = true;
                match self.dualize_and_advance(&safe, found.evaluated, ctx) {
                    Jump::Found(jumped) if jumped.is_complete => return jumped,
                    Jump::Found(jumped) => {
                        // What both searches have found is proved.
                        let Borders { complete_to, .. } = found;
                        let positive = extremes([found.positive, jumped.positive].concat(), true);
                        let negative = extremes([found.negative, jumped.negative].concat(), false);
                        return Borders { positive, negative, complete_to, ..jumped };
                    }
                    Jump::TooMany(evaluated) => found.evaluated = evaluated,
                }
            }
            let step = format!("attribute sets of size {size}");
            let Some(verdicts) = self.test_level(&candidates, &step, ctx) else {
                is_stopped = true;
                break;
            };
            found.evaluated += candidates.len() as u64;
            let keeping = |keeps: bool| {
                let verdicts = candidates.iter().zip(&verdicts);
                verdicts.filter(move |&(_, &v)| v == keeps).map(|(&set, _)| set)
            };
            found.negative.extend(keeping(false));
            let next: Vec<AttributeSet> = keeping(true).collect();
            found.positive.extend(without_supersets(&safe, &next));
            found.complete_to = size;
            safe = next;
            let Some(joined) = join(&safe, TOO_MANY, ctx) else {
                is_stopped = true;
                break;
            };
            candidates = joined;
            if candidates.is_empty() {
                break;
            }
        }
        found.is_complete = !is_stopped && candidates.is_empty();
        if found.is_complete {
            found.complete_to = n;
        }
        if found.is_complete || safe.len() <= LISTED {
            found.positive.extend(safe);
        } else {
            found.unlisted = safe.len() as u64;
        }
        found
    }

    /// Whether each candidate keeps the promise; `None` when the caller asked to stop.
    fn test_level(
        &self,
        candidates: &[AttributeSet],
        step: &str,
        ctx: &Ctx<'_>,
    ) -> Option<Vec<bool>> {
        const CHUNK: usize = 128;
        let done = AtomicU64::new(0);
        let chunks: Option<Vec<Vec<bool>>> = candidates
            .par_chunks(CHUNK)
            .map(|chunk| {
                if ctx.should_stop() {
                    return None;
                }
                let mut stack = Stack::new(self);
                let verdicts = chunk.iter().map(|&set| stack.test(set)).collect();
                let tested = chunk.len() as u64;
                let before = done.fetch_add(tested, Ordering::Relaxed);
                ctx.progress(step, before + tested, candidates.len() as u64);
                Some(verdicts)
            })
            .collect();
        chunks.map(|chunks| chunks.concat())
    }

    /// Finds the borders from above, starting from safe sets.
    fn dualize_and_advance(
        &self,
        safe: &[AttributeSet],
        mut evaluated: u64,
        ctx: &Ctx<'_>,
    ) -> Jump {
        // Beyond this many the border cannot be listed this way in useful time.
        const MOST_TRANSVERSALS: usize = 20_000;
        const SEEDS: usize = 32;
        let mut scratch = Scratch::new(self.projection);
        let n = self.order.len();
        let full: AttributeSet = (0..n).collect();
        let mut positive: Vec<AttributeSet> = Vec::new();
        let mut negative: BTreeSet<AttributeSet> = BTreeSet::new();
        let mut transversals = vec![AttributeSet::EMPTY];
        let mut seeds = safe.iter().step_by(safe.len().div_ceil(SEEDS).max(1)).copied();
        let is_complete = loop {
            let untested = transversals.iter().find(|set| !negative.contains(set)).copied();
            let next = seeds.next().filter(|set| !positive.iter().any(|top| set.is_within(*top)));
            let Some(set) = next.or(untested) else { break true };
            if transversals.len() > MOST_TRANSVERSALS {
                return Jump::TooMany(evaluated);
            }
            if ctx.should_stop() {
                break false;
            }
            ctx.progress("border sets", negative.len() as u64, transversals.len() as u64);
            let is_seed = next.is_some();
            evaluated += u64::from(!is_seed);
            if is_seed || self.keeps(set, &mut scratch) {
                let grown = self.grow(set, &mut scratch);
                evaluated += (n - set.len()) as u64;
                positive.push(grown);
                transversals = extend(&transversals, full.minus(grown));
            } else {
                negative.insert(set);
            }
        };
        Jump::Found(Borders {
            positive: extremes(positive, true),
            negative: if is_complete { transversals } else { negative.into_iter().collect() },
            evaluated,
            complete_to: if is_complete { n } else { 0 },
            is_complete,
            unlisted: 0,
            search: Search::DualizeAndAdvance,
        })
    }

    /// A maximal safe set that contains a safe one; coarse attributes are tried first.
    fn grow(&self, set: AttributeSet, scratch: &mut Scratch) -> AttributeSet {
        (0..self.order.len()).rev().filter(|&attribute| !set.has(attribute)).fold(
            set,
            |grown, attribute| {
                let more = grown.with(attribute);
                if self.keeps(more, scratch) { more } else { grown }
            },
        )
    }

    fn keeps(&self, set: AttributeSet, scratch: &mut Scratch) -> bool {
        let mut state = State::default();
        let mut holds = true;
        let mut partition = Partition::whole(self.projection, &mut |class| {
            // Only the classes of the set itself are judged.
            if set.is_empty() || class.is_closed() {
                holds = self.admits(class, &mut state);
            }
            true
        });
        let mut next = Partition::default();
        let last = set.iter().last();
        for attribute in set.iter() {
            let is_last = Some(attribute) == last;
            let codes = self.projection.quasi(self.order[attribute]);
            holds = holds
                && partition.split(codes, scratch, &mut next, &mut |class| {
                    !(is_last || class.is_closed()) || self.admits(class, &mut state)
                });
            std::mem::swap(&mut partition, &mut next);
        }
        holds
    }

    /// Whether a class leaves the promise standing.
    #[inline]
    fn admits(&self, class: Members<'_>, state: &mut State) -> bool {
        let size = class.size();
        match self.promise {
            Promise::Suppressing { k, budget } => {
                if size < *k {
                    state.dropped += size;
                }
                state.dropped <= *budget
            }
            Promise::EveryClass { models, distributions } => {
                state.cells.resize(distributions.len(), Vec::new());
                for (index, (table, cells)) in
                    distributions.iter().zip(&mut state.cells).enumerate()
                {
                    self.projection.count(class, index, table, cells);
                }
                let counts: Vec<Counts<'_>> = (distributions.iter().zip(&state.cells))
                    .map(|(table, cells)| Counts { table, cells })
                    .collect();
                let class = Class { size, sensitive: &counts };
                models.iter().all(|model| model.holds(&class))
            }
        }
    }
}

/// How dualize and advance ended.
enum Jump {
    /// With both borders, or, told to stop, with what it had found of them.
    Found(Borders),
    /// With more transversals than it goes on with, after so many tests.
    TooMany(u64),
}

/// What a test carries from class to class.
#[derive(Clone, Default)]
struct State {
    dropped: u64,
    // Working memory: the cells of the class at hand.
    cells: Vec<Vec<(u32, u64)>>,
}
