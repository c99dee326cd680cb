//! t-closeness: the earth mover's distance from the values of a class to those of the table is at most t
//! (Li, Li and Venkatasubramanian 2007).

use std::collections::{BTreeMap, BTreeSet};

use super::{counts, share};

/// How far apart two values are.
#[derive(Clone, Debug)]
pub(crate) enum Distance {
    /// 1 for different values.
    Equal,
    /// The difference of ranks over the largest one. The values in their order.
    Ordered(Vec<String>),
    /// The height of the lowest common ancestor over the height of the tree. For each value the nodes
    /// above it, one on each level, the lowest first.
    Hierarchical(BTreeMap<String, Vec<String>>),
}

impl Distance {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered(_) => "ordered",
            Self::Hierarchical(_) => "hierarchical",
        }
    }
}

pub(crate) fn holds(class: &[&str], table: &[&str], t: f64, distance: &Distance) -> bool {
    let (of_class, of_table) = (counts(class), counts(table));
    let values: BTreeSet<&str> = of_class.keys().chain(of_table.keys()).copied().collect();
    let of = |counts: &BTreeMap<&str, usize>, value: &str, n: usize| {
        share(counts.get(value).copied().unwrap_or(0), n)
    };
    let difference: BTreeMap<&str, f64> = values
        .iter()
        .map(|&value| {
            let p = of(&of_class, value, class.len());
            (value, p - of(&of_table, value, table.len()))
        })
        .collect();
    let moved = match distance {
        Distance::Equal => difference.values().map(|d| d.abs()).sum::<f64>() / 2.0,
        Distance::Ordered(order) => ordered(&difference, order),
        Distance::Hierarchical(above) => hierarchical(&difference, above),
    };
    moved <= t + 1e-9
}

fn ordered(difference: &BTreeMap<&str, f64>, order: &[String]) -> f64 {
    let ranked: Vec<f64> =
        (order.iter()).filter_map(|value| difference.get(value.as_str()).copied()).collect();
    assert_eq!(ranked.len(), difference.len(), "every value has a rank");
    let mut before = 0.0;
    let mut moved = 0.0;
    for d in &ranked {
        before += d;
        moved += f64::abs(before);
    }
    if ranked.len() < 2 { 0.0 } else { moved / (super::float(ranked.len()) - 1.0) }
}

/// What must cross the edge above a node is the sum of the differences under it: a unit that goes over
/// the top of a node of height h has climbed h steps, and comes down as many.
fn hierarchical(difference: &BTreeMap<&str, f64>, above: &BTreeMap<String, Vec<String>>) -> f64 {
    let height = above.values().map(Vec::len).max().unwrap_or(1);
    let mut moved: f64 = difference.values().map(|d| d.abs()).sum();
    // A node is named by the path from it to the root: labels may repeat.
    for level in 1..height {
        let mut sums: BTreeMap<&[String], f64> = BTreeMap::new();
        for (value, d) in difference {
            *sums.entry(&above[*value][level - 1..]).or_default() += d;
        }
        moved += sums.values().map(|d| d.abs()).sum::<f64>();
    }
    moved / 2.0 / super::float(height)
}
