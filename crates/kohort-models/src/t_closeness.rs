//! t-closeness: the sensitive values of every class are distributed nearly as in the whole table.
//!
//! # Definition
//! For every class E with distribution p and the table's q: EMD(p, q) ≤ t. The ground distance is
//! - equal: 1 between different values, so EMD = ½ Σ|pᵢ − qᵢ|;
//! - ordered: by rank, so EMD = (1/(m−1)) Σᵢ |Σ_{j≤i} (p_j − q_j)|. Missing has no rank: it is 1 away from
//!   every value;
//! - hierarchical: height of the lowest common ancestor over the height of the taxonomy.
//!
//! # Promise
//! Finding a person's class tells at most t more about the value than the whole table does.
//!
//! # What it does not promise
//! What the whole table tells is public with the release.
//!
//! # References
//! Li, Li and Venkatasubramanian, ICDE 2007. specs/01 §2.1. Compared with 1e-9 in favour of "holds".

use std::collections::{BTreeMap, BinaryHeap};

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "t-closeness",
    title: "t-closeness",
    paper: "Li, Li and Venkatasubramanian 2007",
    promise: "no class tells more than t beyond what the whole table tells",
    parameters: &[
        Parameter { name: "t", range: "0 ≤ t ≤ 1", doc: "the largest distance allowed" },
        Parameter {
            name: "distance",
            range: "equal, ordered or hierarchical",
            doc: "how far apart two values are",
        },
    ],
};

const TOLERANCE: f64 = 1e-9;

/// How far apart two sensitive values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Any two values are 1 apart.
    Equal,
    /// By difference of rank.
    Ordered,
    /// By the lowest common ancestor in the taxonomy.
    Hierarchical,
}

impl Distance {
    /// The name used in plans and JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered => "ordered",
            Self::Hierarchical => "hierarchical",
        }
    }

    /// The earth mover's distance of a class from the whole table.
    pub fn of(self, counts: &Counts<'_>) -> f64 {
        let missing = counts.table.attribute().missing();
        match self {
            _ if counts.is_silent() => 0.0,
            Self::Equal => equal(counts),
            Self::Ordered => match missing.filter(|&code| counts.table.count(code) > 0) {
                Some(missing) => ordered_beside_missing(counts, missing),
                None => ordered(counts),
            },
            Self::Hierarchical => hierarchical(counts),
        }
    }
}

/// The t-closeness condition on one sensitive attribute.
#[derive(Clone, Copy, Debug)]
pub struct TCloseness {
    attribute: usize,
    // Invariant: t ≤ 1.
    t: Ratio,
    distance: Distance,
}

impl TCloseness {
    /// Asks for a distance of at most `t` of the sensitive attribute with this index.
    pub fn new(attribute: usize, t: Ratio, distance: Distance) -> Result<Self, Error> {
        if t > Ratio::whole(1) {
            let found = t.to_string();
            return Err(Kind::Parameter { name: "t", found, expected: "at most 1" }.into());
        }
        Ok(Self { attribute, t, distance })
    }
}

impl ClassModel for TCloseness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    // The distance from a fixed distribution is convex.
    fn is_monotone(&self) -> bool {
        true
    }

    fn compared(&self) -> Option<usize> {
        Some(self.attribute)
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.distance.of(&class.sensitive[self.attribute]) <= self.t.value() + TOLERANCE
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
fn share(count: u64, size: u64) -> f64 {
    count as f64 / size as f64
}

/// Only values of the class can have a positive difference, and those sum to the distance.
fn equal(counts: &Counts<'_>) -> f64 {
    let size = counts.size();
    let difference =
        |&(code, count)| share(count, size) - share(counts.table.count(code), counts.table.n());
    counts.values().iter().map(difference).filter(|d| *d > 0.0).sum()
}

/// Between two values of the class its cumulated share P is constant while the table's rises through
/// P at most once, so each stretch is two differences of sums: the cost follows the class, not the
/// domain.
#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
fn ordered(counts: &Counts<'_>) -> f64 {
    let m = counts.table.n_values();
    if m < 2 {
        return 0.0;
    }
    let (q, sums) = (counts.table.cumulated(), counts.table.cumulated_sums());
    // Σ |P − q_i| over the ranks from `from` up to, not including, `to`.
    let stretch = |p: f64, from: usize, to: usize| {
        let turn = from + q[from..to].partition_point(|&share| share < p);
        let below = p * (turn - from) as f64 - (sums[turn] - sums[from]);
        let above = (sums[to] - sums[turn]) - p * (to - turn) as f64;
        below + above
    };
    let mut by_rank: Vec<(usize, u64)> =
        counts.values().iter().map(|&(code, count)| (counts.table.rank(code), count)).collect();
    by_rank.sort_unstable();
    let size = counts.size();
    let (mut below, mut from, mut work) = (0, 0, 0.0);
    for (rank, count) in by_rank {
        work += stretch(share(below, size), from, rank);
        below += count;
        from = rank;
    }
    work += stretch(1.0, from, m);
    work.max(0.0) / (m - 1) as f64
}

/// The same where missing is a value. Let e = p − q at missing. Its surplus, or what it lacks, moves from or
/// to values, a distance of 1 whichever they are: that is |e|. What is left over of the others moves along
/// the ranks. With R_i the part of e that is exchanged up to rank i, Σ |R_i − T_i| / (m − 1) is moved,
/// T_i = Q_i − P_i (for e < 0 both with their signs changed), and R may be any sequence that rises from 0
/// to |e|: the least sum is that of a monotone regression, found with a heap. Counts are multiplied by both
/// sizes, so all of it is in integers.
#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
fn ordered_beside_missing(counts: &Counts<'_>, missing: u32) -> f64 {
    let (size, n) = (i128::from(counts.size()), i128::from(counts.table.n()));
    let attribute = counts.table.attribute();
    let mut surplus = vec![0_i128; attribute.value_of_code().len()];
    for (code, &rank) in (0..).zip(attribute.value_of_code()) {
        surplus[rank as usize] -= i128::from(counts.table.count(code)) * size;
    }
    for &(code, count) in counts.values() {
        surplus[attribute.value_of_code()[code as usize] as usize] += i128::from(count) * n;
    }
    // Values that occur in none of the rows have no rank.
    let is_there = |&code: &u32| code != missing && counts.table.count(code) > 0;
    let mut ranks: Vec<u32> = (0..attribute.n_codes()).filter(is_there).collect();
    ranks.sort_unstable_by_key(|&code| attribute.value_of_code()[code as usize]);
    let at = |code: u32| surplus[attribute.value_of_code()[code as usize] as usize];
    let exchanged = at(missing).abs();
    let sign = if at(missing) < 0 { -1 } else { 1 };
    let (mut left, mut moved) = (0, 0);
    let mut highest = BinaryHeap::new();
    for &code in ranks.iter().take(ranks.len().saturating_sub(1)) {
        left -= sign * at(code);
        let wanted = left.clamp(0, exchanged);
        moved += (left - wanted).abs();
        highest.push(wanted);
        if let Some(top) = highest.peek().copied().filter(|&top| top > wanted) {
            moved += top - wanted;
            highest.pop();
            highest.push(wanted);
        }
    }
    let n_steps = ranks.len().saturating_sub(1).max(1);
    (exchanged as f64 + moved as f64 / n_steps as f64) / (size * n) as f64
}

/// At a node N whose children have surplus e(c) = p(c) − q(c), min(Σ max(0, e), Σ max(0, −e)) is moved
/// between children. Only children that the class reaches can have a positive surplus, and the
/// negative sum is the positive one minus e(N): the cost follows the class, not the tree.
fn hierarchical(counts: &Counts<'_>) -> f64 {
    let taxonomy = counts.table.taxonomy();
    let (size, n) = (counts.size(), counts.table.n());
    // Nodes reached, with the class's count below and the positive surplus of the children.
    let mut reached: BTreeMap<u32, (u64, f64)> = BTreeMap::new();
    let reach = |reached: &mut BTreeMap<u32, (u64, f64)>, node, count, surplus: f64| {
        let node = reached.entry(node).or_default();
        node.0 += count;
        node.1 += surplus.max(0.0);
    };
    for &(code, count) in counts.values() {
        let surplus = share(count, size) - share(counts.table.count(code), n);
        reach(&mut reached, taxonomy.parent(code), count, surplus);
    }
    let mut work = 0.0;
    // Nodes are numbered parents first: the largest number has no reached node below it.
    while let Some((node, (count, positive))) = reached.pop_last() {
        let here = &taxonomy.nodes()[node as usize];
        let below = counts.table.count_between(here.first, here.last);
        let surplus = share(count, size) - share(below, n);
        let moved = positive.min(positive - surplus).max(0.0);
        work += f64::from(here.height) / f64::from(taxonomy.height()) * moved;
        if let Some(parent) = here.parent {
            reach(&mut reached, parent, count, surplus);
        }
    }
    work
}
