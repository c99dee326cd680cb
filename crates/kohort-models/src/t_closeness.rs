//! t-closeness: the sensitive values of every class are distributed nearly as in the whole table.
//!
//! # Definition
//! For every class E with distribution p and the table's q: EMD(p, q) ≤ t. The ground distance is
//! - equal: 1 between different values, so EMD = ½ Σ|pᵢ − qᵢ|;
//! - ordered: by rank, so EMD = (1/(m−1)) Σᵢ |Σ_{j≤i} (p_j − q_j)|; a missing value has no rank and is 1
//!   away from every other;
//! - hierarchical: height of the lowest common ancestor over the height of the taxonomy.
//!
//! # Promise
//! Finding a person's class tells at most t more about the value than the whole table does.
//!
//! # What it does not promise
//! What the whole table tells is public with the release.
//!
//! # References
//! Li, Li and Venkatasubramanian, ICDE 2007. Compared with 1e-9 in favour of "holds".

use std::collections::{BTreeMap, BinaryHeap};

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};

use crate::{Class, ClassModel, Counts};

/// What the model is.
pub(crate) const SPEC: Spec = Spec {
    id: "t-closeness",
    title: "t-closeness",
    paper: "Li, Li and Venkatasubramanian 2007",
    promise: "the values of every class are distributed as in the whole table, up to a distance \
              of t",
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
                Some(missing) => ordered_with_missing(counts, missing),
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
    if let Some(missing) = counts.table.attribute().missing()
        && counts.table.count(missing) > 0
    {
        return ordered_with_missing(counts, missing);
    }
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

/// The same where some values are missing. As much as the class has more of them than the table, or fewer,
/// crosses a distance of 1, and stands beside the values wherever it serves best. In units of one over the
/// product of both sizes, D(i) is what the values up to rank i lack; what stands in for it up to there, R(i),
/// rises from 0 to all of it. The least Σ |D(i) − R(i)| over rising R is found by keeping the largest D(j) in
/// a heap: one that is above the next is lowered to it. What lies outside of 0 and all is lost in any case.
#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
fn ordered_with_missing(counts: &Counts<'_>, missing: u32) -> f64 {
    let (size, n) = (i128::from(counts.size()), i128::from(counts.table.n()));
    let of_class = |code: u32| {
        let at = counts.cells.binary_search_by_key(&code, |cell| cell.0);
        at.map_or(0, |at| i128::from(counts.cells[at].1))
    };
    let surplus = |code: u32| of_class(code) * n - i128::from(counts.table.count(code)) * size;
    let all = surplus(missing);
    let mut values: Vec<(usize, u32)> = (0..counts.table.attribute().n_codes())
        .filter(|&code| code != missing && counts.table.count(code) > 0)
        .map(|code| (counts.table.rank(code), code))
        .collect();
    values.sort_unstable();
    let (mut lacking, mut work) = (0, 0);
    let mut highest = BinaryHeap::new();
    for &(_, code) in values.iter().take(values.len().saturating_sub(1)) {
        lacking -= surplus(code) * if all < 0 { -1 } else { 1 };
        let within = lacking.clamp(0, all.abs());
        work += (lacking - within).abs();
        highest.push(within);
        if let Some(most) = highest.peek().copied().filter(|&most| most > within) {
            work += most - within;
            highest.pop();
            highest.push(within);
        }
    }
    let units = (size * n) as f64;
    let steps = values.len().saturating_sub(1).max(1) as f64;
    all.abs() as f64 / units + work as f64 / units / steps
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

#[cfg(test)]
mod tests {
    use kohort_core::{
        Attribute, Codes, Column, Dictionary, Domain, Missing, Role, Table, ValueType,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::{Distribution, tally};

    /// A column of numbers, an empty text for a missing one.
    fn attribute(values: &[Option<u32>]) -> Attribute {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for value in values {
            let text = value.map_or(String::new(), |value| value.to_string());
            codes.push(dictionary.intern(text.as_bytes(), 1).unwrap());
        }
        let missing = Missing::default();
        let column = Column::new("s".into(), dictionary, codes, &missing);
        let table = Table::new("t".into(), vec![column], true, missing);
        let integer = Some(ValueType::Integer);
        let domain = Domain::new(&table, table.column("s").unwrap(), integer, &|_| false).unwrap();
        Attribute::new(&table, "s", Role::Sensitive, domain, None).unwrap()
    }

    fn distance(table: &[Option<u32>], class: &[usize]) -> f64 {
        let attribute = attribute(table);
        let distribution = Distribution::new(&attribute);
        let mut cells = Vec::new();
        let codes = class.iter().map(|&row| (attribute.codes().get(row), 1));
        tally(codes, attribute.n_codes() as usize, &mut cells);
        Distance::Ordered.of(&Counts { table: &distribution, cells: &cells })
    }

    /// Forty people of one value beside sixty whose value is missing, in a table of missing and low values:
    /// the missing ones are not near the highest value.
    #[test]
    fn a_missing_value_is_far_from_the_highest_one() {
        let mut table: Vec<Option<u32>> = (0..20).map(Some).collect();
        table.extend(vec![None; 20]);
        let highest = vec![19; 40];
        assert!(distance(&table, &highest) > 0.5, "{}", distance(&table, &highest));
        // Only missing ones: half of the table is elsewhere, as far away as can be.
        assert!((distance(&table, &[20]) - 0.5).abs() < 1e-12);
        // All there is of both.
        let all: Vec<usize> = (0..40).collect();
        assert!(distance(&table, &all).abs() < 1e-12);
    }

    type Cost<'a> = &'a dyn Fn(Option<u32>, Option<u32>) -> f64;

    /// The least cost of moving each of these to one of those, by trying every assignment.
    fn least(from: &[Option<u32>], to: &mut Vec<Option<u32>>, cost: Cost<'_>) -> f64 {
        let Some((&first, rest)) = from.split_first() else { return 0.0 };
        let mut best = f64::INFINITY;
        for at in 0..to.len() {
            let taken = to.remove(at);
            best = best.min(cost(first, taken) + least(rest, to, cost));
            to.insert(at, taken);
        }
        best
    }

    /// The least cost of moving the class to the table, by trying every assignment of equal parts.
    #[expect(clippy::cast_precision_loss, reason = "a few values")]
    fn by_assignments(table: &[Option<u32>], class: &[usize]) -> f64 {
        let mut values: Vec<u32> = table.iter().flatten().copied().collect();
        values.sort_unstable();
        values.dedup();
        let steps = values.len().saturating_sub(1).max(1) as f64;
        let rank = |value: u32| values.binary_search(&value).unwrap() as f64;
        let apart = |a: Option<u32>, b: Option<u32>| match (a, b) {
            (Some(a), Some(b)) => (rank(a) - rank(b)).abs() / steps,
            (None, None) => 0.0,
            _ => 1.0,
        };
        let parts = table.len() / class.len();
        let from: Vec<Option<u32>> =
            class.iter().flat_map(|&row| vec![table[row]; parts]).collect();
        least(&from, &mut table.to_vec(), &apart) / table.len() as f64
    }

    proptest! {
        #[test]
        fn missing_values_move_as_cheaply_as_any_assignment(
            table in prop::collection::vec(prop::option::of(0_u32..5), 6),
            class in prop::sample::select(vec![vec![0], vec![0, 1], vec![0, 1, 2], vec![3, 3, 4]]),
        ) {
            let (found, expected) = (distance(&table, &class), by_assignments(&table, &class));
            prop_assert!((found - expected).abs() < 1e-9, "{} is not {}", found, expected);
        }
    }
}
