//! Questions 4, 8, 10 and 12: the levels of every subset of the quasi-identifiers.
//!
//! # Method
//! 1. Merge equal rows; order the attributes finest first.
//! 2. Decide the attributes one after the other. Taking one splits the classes; leaving one out for
//!    good merges the rows of a class that agree on everything still undecided.
//! 3. The last attributes, while they have few combinations, are counted together in one pass.
//! 4. Classes of one distinct row are counted once for the whole subtree: nothing splits them.
//!
//! # Cost
//! Time about the sum over all subsets of the number of classes that can still be split; memory one
//! partition per attribute and thread. Nothing of a subset is kept but its answer.
//!
//! # References
//! The merging step is the cube computation seen from above.

use kohort_core::{Ctx, Error, Ratio};
use kohort_models::{
    Counts, DistinctLDiversity, Distribution, EntropyLDiversity, FrequencyLDiversity,
};

use crate::block::Block;
use crate::partition::{Members, Partition, Scratch};
use crate::projection::{Projection, Suffix};
use crate::{AttributeSet, ClassSizes};

/// The lowest distinct l, frequency l and entropy l of each sensitive attribute.
pub type LowestLevels = Vec<(u64, Ratio, f64)>;

/// What `answer` makes of the class sizes of every subset of up to `max_size` quasi-identifiers, the
/// empty one included, by size and then by attributes. Stops early, with fewer answers, when `ctx`
/// says so.
pub fn all_subsets<A: Send>(
    projection: &Projection,
    max_size: usize,
    ctx: &Ctx<'_>,
    answer: &(dyn Fn(&ClassSizes) -> A + Sync),
) -> Result<Vec<(AttributeSet, A)>, Error> {
    walk(projection, &ClassSizes::default(), max_size, ctx, answer)
}

/// The levels of every subset for each sensitive attribute of the projection, in the same order.
pub fn all_subsets_levels(
    projection: &Projection,
    distributions: &[Distribution<'_>],
    max_size: usize,
    ctx: &Ctx<'_>,
) -> Result<Vec<(AttributeSet, LowestLevels)>, Error> {
    let start = MinLevels { projection, distributions, levels: Vec::new() };
    let lowest = |level: &Option<_>| level.unwrap_or((0, Ratio::whole(0), 0.0));
    walk(projection, &start, max_size, ctx, &|found: &MinLevels<'_>| {
        found.levels.iter().map(lowest).collect()
    })
}

/// What is kept of the classes of one subset.
trait Tally: Clone + Send + Sync {
    fn add(&mut self, class: Members<'_>);

    /// Where the size of a class is all that counts, adds classes of this size; else answers false.
    fn add_size(&mut self, _size: u64, _times: u32) -> bool {
        false
    }
}

impl Tally for ClassSizes {
    fn add(&mut self, class: Members<'_>) {
        Self::add(self, class.size());
    }

    fn add_size(&mut self, size: u64, times: u32) -> bool {
        self.add_many(size, times);
        true
    }
}

#[derive(Clone)]
struct MinLevels<'a> {
    projection: &'a Projection,
    distributions: &'a [Distribution<'a>],
    // None where no class has had a value that could be learned.
    levels: Vec<Option<(u64, Ratio, f64)>>,
}

impl Tally for MinLevels<'_> {
    fn add(&mut self, class: Members<'_>) {
        let mut cells = Vec::new();
        self.levels.resize(self.distributions.len(), None);
        for (index, table) in self.distributions.iter().enumerate() {
            self.projection.count(class, index, table, &mut cells);
            let counts = Counts { table, cells: &cells };
            if counts.is_silent() {
                continue;
            }
            let here = (
                DistinctLDiversity::level(&counts),
                FrequencyLDiversity::level(&counts),
                EntropyLDiversity::level(&counts),
            );
            let least = self.levels[index].get_or_insert(here);
            *least = (least.0.min(here.0), least.1.min(here.1), least.2.min(here.2));
        }
    }
}

fn walk<T: Tally, A: Send>(
    projection: &Projection,
    start: &T,
    max_size: usize,
    ctx: &Ctx<'_>,
    answer: &(dyn Fn(&T) -> A + Sync),
) -> Result<Vec<(AttributeSet, A)>, Error> {
    AttributeSet::full(projection.n_quasi())?;
    let order = projection.finest_first();
    let later = projection.suffix_classes(&order);
    // Only where the sizes of classes are enough can the last attributes be counted as a block.
    let block = start.clone().add_size(1, 1).then(|| Block::new(projection, &order));
    let walk = Walk { projection, order: &order, later: &later, block, max_size, ctx, answer };
    let mut all = start.clone();
    let whole = Partition::whole(projection, &mut |class| {
        all.add(class);
        true
    });
    let mut found = vec![(AttributeSet::EMPTY, answer(&all))];
    let settled = if whole.is_settled() { &all } else { start };
    let node = Node { partition: &whole, settled, at: 0, set: AttributeSet::EMPTY };
    found.extend(walk.below(&node, &mut Pool::new(projection)));
    found.sort_by_key(|(set, _)| (set.len(), *set));
    Ok(found)
}

struct Walk<'a, T, A> {
    projection: &'a Projection,
    // The attributes in the order they are decided; `later[i]` groups by those from `i` on.
    order: &'a [usize],
    later: &'a [Suffix],
    block: Option<Block>,
    max_size: usize,
    ctx: &'a Ctx<'a>,
    answer: &'a (dyn Fn(&T) -> A + Sync),
}

/// A point of the walk: the attributes before `at` are decided, `set` has those taken.
struct Node<'a, T> {
    partition: &'a Partition,
    settled: &'a T,
    at: usize,
    set: AttributeSet,
}

/// Working memory of one thread.
struct Pool {
    scratch: Scratch,
    spare: Vec<Partition>,
}

impl Pool {
    fn new(projection: &Projection) -> Self {
        Self { scratch: Scratch::new(projection), spare: Vec::new() }
    }
}

impl<T: Tally, A: Send> Walk<'_, T, A> {
    /// The answers for every set that extends `node.set` by undecided attributes.
    fn below(&self, node: &Node<'_, T>, pool: &mut Pool) -> Vec<(AttributeSet, A)> {
        let left = self.order.len() - node.at;
        if left == 0 || node.set.len() == self.max_size || self.ctx.should_stop() {
            return Vec::new();
        }
        if node.partition.is_settled() {
            return self.all_alike(node);
        }
        if let Some(block) = self.block.as_ref().filter(|block| block.start == node.at) {
            return self.whole_block(node, block);
        }
        // Large subtrees are worth a thread.
        if left >= 6 && node.at < 5 {
            let (mut found, rest) = rayon::join(
                || self.taking(node, pool),
                || self.leaving(node, &mut Pool::new(self.projection)),
            );
            found.extend(rest);
            found
        } else {
            let mut found = self.taking(node, pool);
            found.extend(self.leaving(node, pool));
            found
        }
    }

    fn taking(&self, node: &Node<'_, T>, pool: &mut Pool) -> Vec<(AttributeSet, A)> {
        let attribute = self.order[node.at];
        let mut partition = pool.spare.pop().unwrap_or_default();
        let mut settled = node.settled.clone();
        node.partition.split(
            self.projection.quasi(attribute),
            &mut pool.scratch,
            &mut partition,
            &mut |class| {
                if class.is_closed() {
                    settled.add(class);
                }
                true
            },
        );
        let mut all = settled.clone();
        partition.classes().for_each(|class| all.add(class));
        let set = node.set.with(attribute);
        let mut found = vec![(set, (self.answer)(&all))];
        let child = Node { partition: &partition, settled: &settled, at: node.at + 1, set };
        found.extend(self.below(&child, pool));
        pool.spare.push(partition);
        found
    }

    fn leaving(&self, node: &Node<'_, T>, pool: &mut Pool) -> Vec<(AttributeSet, A)> {
        let at = node.at + 1;
        let later = &self.later[at];
        let can_shrink = (later.n_classes as usize) < self.projection.len();
        if self.order.len() - at < 3 || !can_shrink {
            return self.below(&Node { at, ..*node }, pool);
        }
        let mut partition = pool.spare.pop().unwrap_or_default();
        let mut settled = node.settled.clone();
        node.partition.thin(later, &mut pool.scratch, &mut partition, &mut |class| {
            settled.add(class);
        });
        let child = Node { partition: &partition, settled: &settled, at, set: node.set };
        let found = self.below(&child, pool);
        pool.spare.push(partition);
        found
    }

    /// The sets that the attributes of the block give, counted together.
    fn whole_block(&self, node: &Node<'_, T>, block: &Block) -> Vec<(AttributeSet, A)> {
        let with = |positions: &Vec<usize>| {
            let attributes = positions.iter().map(|position| self.order[block.start + position]);
            attributes.fold(node.set, AttributeSet::with)
        };
        let mut tallies = vec![node.settled.clone(); block.sets.len()];
        block.sizes(node.partition, &mut |set, size, times| {
            tallies[set].add_size(size, times);
        });
        let named = block.sets.iter().map(with).zip(&tallies);
        let wanted = named.filter(|(set, _)| set.len() <= self.max_size);
        wanted.map(|(set, tally)| (set, (self.answer)(tally))).collect()
    }

    /// When nothing can be split any more, every superset has the answer of the set itself.
    fn all_alike(&self, node: &Node<'_, T>) -> Vec<(AttributeSet, A)> {
        let mut found = Vec::new();
        let mut open = vec![(node.set, node.at)];
        while let Some((set, at)) = open.pop() {
            for next in at..self.order.len() {
                let larger = set.with(self.order[next]);
                found.push((larger, (self.answer)(node.settled)));
                if larger.len() < self.max_size {
                    open.push((larger, next + 1));
                }
            }
        }
        found
    }
}
