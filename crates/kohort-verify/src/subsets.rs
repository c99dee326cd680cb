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
//! specs/01 §4 and §6.2; the merging step is the cube computation seen from above.

use kohort_core::{Ctx, Error, Ratio};
use kohort_models::{
    Counts, DistinctLDiversity, Distribution, EntropyLDiversity, FrequencyLDiversity, tally,
};

use crate::partition::{Block, Members, Partition, Scratch};
use crate::projection::{Projection, Suffix};
use crate::{AttributeSet, ClassSizes};

/// A subset of the quasi-identifiers with its class sizes.
#[derive(Clone, Debug)]
pub struct SubsetSizes {
    /// The attributes.
    pub set: AttributeSet,
    /// The sizes of its classes.
    pub sizes: ClassSizes,
}

/// A subset of the quasi-identifiers with the levels of each sensitive attribute.
#[derive(Clone, Debug)]
pub struct SubsetLevels {
    /// The attributes.
    pub set: AttributeSet,
    /// For each sensitive attribute: distinct l, frequency l and entropy l.
    pub levels: Vec<(u64, Ratio, f64)>,
}

/// The class sizes of every subset of the quasi-identifiers, the empty one included, by size and then
/// by attributes. Stops early, with fewer answers, when `ctx` says so.
pub fn all_subsets(projection: &Projection, ctx: &Ctx<'_>) -> Result<Vec<SubsetSizes>, Error> {
    let found = walk(projection, &ClassSizes::default(), ctx)?;
    Ok(found.into_iter().map(|(set, sizes)| SubsetSizes { set, sizes }).collect())
}

/// The levels of every subset for each sensitive attribute of the projection, in the same order.
pub fn all_subsets_levels(
    projection: &Projection,
    distributions: &[Distribution<'_>],
    ctx: &Ctx<'_>,
) -> Result<Vec<SubsetLevels>, Error> {
    let start = MinLevels { projection, distributions, levels: Vec::new() };
    let found = walk(projection, &start, ctx)?;
    Ok(found.into_iter().map(|(set, found)| SubsetLevels { set, levels: found.levels }).collect())
}

/// What is kept of the classes of one subset.
trait Tally: Clone + Send + Sync {
    fn add(&mut self, class: Members<'_>);

    /// Where the size of a class is all that counts, adds a class of this size; else answers false.
    fn add_size(&mut self, _size: u64) -> bool {
        false
    }
}

impl Tally for ClassSizes {
    fn add(&mut self, class: Members<'_>) {
        Self::add(self, class.size());
    }

    fn add_size(&mut self, size: u64) -> bool {
        Self::add(self, size);
        true
    }
}

#[derive(Clone)]
struct MinLevels<'a> {
    projection: &'a Projection,
    distributions: &'a [Distribution<'a>],
    levels: Vec<(u64, Ratio, f64)>,
}

impl Tally for MinLevels<'_> {
    fn add(&mut self, class: Members<'_>) {
        let mut cells = Vec::new();
        let first = self.levels.is_empty();
        for (index, table) in self.distributions.iter().enumerate() {
            let codes = &self.projection.sensitive()[index];
            let weighted = (class.rows.iter().zip(class.weights))
                .map(|(&row, &weight)| (codes[row as usize], u64::from(weight)));
            tally(weighted, table.n_values(), &mut cells);
            let counts = Counts { table, cells: &cells };
            let here = (
                DistinctLDiversity::level(&counts),
                FrequencyLDiversity::level(&counts),
                EntropyLDiversity::level(&counts),
            );
            if first {
                self.levels.push(here);
            } else {
                let least = &mut self.levels[index];
                *least = (least.0.min(here.0), least.1.min(here.1), least.2.min(here.2));
            }
        }
    }
}

fn walk<T: Tally>(
    projection: &Projection,
    start: &T,
    ctx: &Ctx<'_>,
) -> Result<Vec<(AttributeSet, T)>, Error> {
    AttributeSet::full(projection.n_quasi())?;
    let order = projection.finest_first();
    let later = projection.suffix_classes(&order);
    // Only where the sizes of classes are enough can the last attributes be counted as a block.
    let block = start.clone().add_size(1).then(|| Block::new(projection, &order));
    let walk = Walk { projection, order: &order, later: &later, block, ctx };
    let mut all = start.clone();
    let whole = Partition::whole(projection, &mut |class| {
        all.add(class);
        true
    });
    let mut found = vec![(AttributeSet::EMPTY, all)];
    let mut settled = start.clone();
    if let [_] = projection.weights() {
        settled = found[0].1.clone();
    }
    let node = Node { partition: &whole, settled: &settled, at: 0, set: AttributeSet::EMPTY };
    found.extend(walk.below(&node, &mut Pool::new(projection)));
    found.sort_by_key(|(set, _)| (set.len(), *set));
    Ok(found)
}

struct Walk<'a> {
    projection: &'a Projection,
    // The attributes in the order they are decided; `later[i]` groups by those from `i` on.
    order: &'a [usize],
    later: &'a [Suffix],
    block: Option<Block>,
    ctx: &'a Ctx<'a>,
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

impl Walk<'_> {
    /// The answers for every set that extends `node.set` by undecided attributes.
    fn below<T: Tally>(&self, node: &Node<'_, T>, pool: &mut Pool) -> Vec<(AttributeSet, T)> {
        let left = self.order.len() - node.at;
        if left == 0 || self.ctx.should_stop() {
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

    fn taking<T: Tally>(&self, node: &Node<'_, T>, pool: &mut Pool) -> Vec<(AttributeSet, T)> {
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
        let mut found = vec![(set, all)];
        let child = Node { partition: &partition, settled: &settled, at: node.at + 1, set };
        found.extend(self.below(&child, pool));
        pool.spare.push(partition);
        found
    }

    fn leaving<T: Tally>(&self, node: &Node<'_, T>, pool: &mut Pool) -> Vec<(AttributeSet, T)> {
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
    fn whole_block<T: Tally>(&self, node: &Node<'_, T>, block: &Block) -> Vec<(AttributeSet, T)> {
        let with = |positions: &Vec<usize>| {
            let attributes = positions.iter().map(|position| self.order[block.start + position]);
            attributes.fold(node.set, AttributeSet::with)
        };
        let mut found: Vec<(AttributeSet, T)> =
            block.sets.iter().map(|set| (with(set), node.settled.clone())).collect();
        node.partition.block_sizes(block, &mut |set, size| {
            found[set].1.add_size(size);
        });
        found
    }

    /// When nothing can be split any more, every superset has the answer of the set itself.
    fn all_alike<T: Tally>(&self, node: &Node<'_, T>) -> Vec<(AttributeSet, T)> {
        let left = &self.order[node.at..];
        (1..1_u64 << left.len())
            .map(|choice| {
                let chosen = left.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
                let set = chosen.fold(node.set, |set, (_, &attribute)| set.with(attribute));
                (set, node.settled.clone())
            })
            .collect()
    }
}
