//! Level-wise search: candidates of one more attribute, and the stack of partitions they share.

use kohort_core::Ctx;

use super::{State, Tester};
use crate::AttributeSet;
use crate::partition::{Partition, Scratch};

/// The partitions along the prefix of the set tested last.
pub(super) struct Stack<'a> {
    tester: &'a Tester<'a>,
    scratch: Scratch,
    prefix: Vec<Level>,
    spare: Vec<Partition>,
}

struct Level {
    attribute: usize,
    partition: Partition,
    // The state after the classes of this prefix that nothing splits any more.
    settled: State,
    // Whether those classes keep the promise.
    holds: bool,
}

impl<'a> Stack<'a> {
    pub(super) fn new(tester: &'a Tester<'a>) -> Self {
        let scratch = Scratch::new(tester.projection);
        Self { tester, scratch, prefix: Vec::new(), spare: Vec::new() }
    }

    /// Whether a set keeps the promise.
    pub(super) fn test(&mut self, set: AttributeSet) -> bool {
        let attributes: Vec<usize> = set.iter().collect();
        let (&last, prefix) = attributes.split_last().expect("candidates are not empty");
        let shared = (self.prefix.iter().zip(prefix))
            .take_while(|(level, attribute)| level.attribute == **attribute)
            .count();
        while self.prefix.len() > shared {
            self.spare.extend(self.prefix.pop().map(|level| level.partition));
        }
        for &attribute in &prefix[shared..] {
            let level = self.descend(attribute, false);
            self.prefix.push(level);
        }
        let tested = self.descend(last, true);
        self.spare.push(tested.partition);
        tested.holds
    }

    /// Splits the top partition by one more attribute, judging every class or, on the way to the set,
    /// only those that are settled.
    fn descend(&mut self, attribute: usize, judge_all: bool) -> Level {
        let mut out = self.spare.pop().unwrap_or_default();
        let tester = self.tester;
        let codes = tester.projection.quasi(tester.order[attribute]);
        let start = Level::base(tester, attribute, &mut self.scratch, self.prefix.is_empty());
        let above = self.prefix.last().or(start.as_ref()).expect("the first level has a base");
        let mut settled = above.settled.clone();
        let holds = above.holds
            && above.partition.split(codes, &mut self.scratch, &mut out, &mut |class| {
                !(judge_all || class.is_closed()) || tester.admits(class, &mut settled)
            });
        Level { attribute, partition: out, settled, holds }
    }
}

impl Level {
    /// The rows as one class, merged where they agree on every attribute from `attribute` on.
    fn base(
        tester: &Tester<'_>,
        attribute: usize,
        scratch: &mut Scratch,
        wanted: bool,
    ) -> Option<Self> {
        if !wanted {
            return None;
        }
        let mut state = State::default();
        let mut partition = Partition::default();
        let mut holds = true;
        let whole = Partition::whole(tester.projection, &mut |class| {
            if class.is_closed() {
                holds = tester.admits(class, &mut state);
            }
            true
        });
        whole.thin(&tester.later[attribute], scratch, &mut partition, &mut |class| {
            holds = tester.admits(class, &mut state);
        });
        Some(Self { attribute: usize::MAX, partition, settled: state, holds })
    }
}

/// The sets of one level with no superset in the next.
pub(super) fn without_supersets(
    level: &[AttributeSet],
    next: &[AttributeSet],
) -> Vec<AttributeSet> {
    let mut covered: Vec<AttributeSet> =
        next.iter().flat_map(|set| set.iter().map(|attribute| set.without(attribute))).collect();
    covered.sort_unstable();
    covered.dedup();
    level.iter().filter(|set| covered.binary_search(set).is_err()).copied().collect()
}

/// The sets of one more attribute whose subsets are all in `level`, in the order of their prefixes.
/// `None` when there are more than `most`, or the caller asked to stop.
pub(super) fn join(
    level: &[AttributeSet],
    most: usize,
    ctx: &Ctx<'_>,
) -> Option<Vec<AttributeSet>> {
    let mut sorted = level.to_vec();
    sorted.sort_unstable();
    // Grouped by all attributes but the last, in order of that prefix.
    let mut grouped: Vec<(Vec<usize>, usize)> = level
        .iter()
        .filter_map(|set| {
            let mut attributes: Vec<usize> = set.iter().collect();
            attributes.pop().map(|last| (attributes, last))
        })
        .collect();
    grouped.sort();
    let mut joined = Vec::new();
    for group in grouped.chunk_by(|a, b| a.0 == b.0) {
        if joined.len() > most || ctx.should_stop() {
            return None;
        }
        let prefix: AttributeSet = group[0].0.iter().copied().collect();
        for (index, &(_, first)) in group.iter().enumerate() {
            for &(_, second) in &group[index + 1..] {
                let set = prefix.with(first).with(second);
                let known = |attribute| sorted.binary_search(&set.without(attribute)).is_ok();
                if group[0].0.iter().copied().all(known) {
                    joined.push(set);
                }
            }
        }
    }
    Some(joined)
}
