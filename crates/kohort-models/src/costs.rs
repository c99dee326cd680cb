//! What a published cell costs: the part of a loss metric that belongs to one attribute.
//!
//! # Formula
//! | metric | range [lo, hi] of numbers, W = max − min of the table | node of a taxonomy |
//! |---|---|---|
//! | NCP | (hi − lo) / W | 0 for a node with one leaf, else leaves(node) / leaves(root) |
//! | LM | (hi − lo) / W | (leaves(node) − 1) / (leaves(root) − 1) |
//! | Byun's IL | (hi − lo) / W | height(node) / height(root) |
//! | 1 − Prec | not defined | level(node) / level(root) |
//! | WHD | not defined | the weights of the steps up to it / those of all steps |
//!
//! A range costs what it is shown as: where its bounds are rounded, [lo, hi] are the rounded ones, as far as
//! they lie within the least and the greatest value of the table.
//!
//! A node with one leaf tells the value, whatever its label: NCP and LM charge nothing for it. Leaves are
//! those of the whole taxonomy, also values that the table does not have.
//!
//! Where the labels of a taxonomy are intervals ([`kohort_core::Labels::Intervals`]), a node of a numeric
//! column whose label is a range in brackets (`[20, 29]`, `[20-30]`) is published as that range and costs
//! what the range costs, where levels are not counted. Any other taxonomy is one of leaves, however its
//! labels look. A node costs at least what its children cost. One with the label of a node above it tells a
//! reader no more than that one, and costs as much.
//!
//! # Range
//! 0 (the value itself) to 1 (nothing is told).
//!
//! # References
//! Xu et al., KDD 2006 (NCP); Iyengar, KDD 2002 (LM); Byun et al., DASFAA 2007 (IL).

use kohort_core::{Attribute, Cell, Labels, Node, Taxonomy, ValueType};

/// A loss metric that is a sum over published cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellMetric {
    /// The normalized certainty penalty.
    Ncp,
    /// The loss metric of Iyengar.
    Lm,
    /// The information loss of Byun and others.
    Byun,
    /// What is missing of Sweeney's precision.
    Prec,
    /// The weighted hierarchical distance of Li and others, all steps alike.
    Whd,
    /// The same with steps near the root dear (β = 1).
    WhdBeta,
}

impl CellMetric {
    /// Whether it counts levels of taxonomies, on which no range stands.
    pub fn counts_levels(self) -> bool {
        matches!(self, Self::Prec | Self::Whd | Self::WhdBeta)
    }

    /// What a node so many levels above its values costs under a root so many levels above them.
    fn of_level(self, level: u32, height: u32) -> f64 {
        share_of_steps(level, height, if self == Self::WhdBeta { 1.0 } else { 0.0 })
    }
}

/// What so many steps up from the values weigh of all steps to the root, the step from level j to the one
/// above it 1 / (j − 1)^β.
pub(crate) fn share_of_steps(level: u32, height: u32, beta: f64) -> f64 {
    // The root is level 1, values are level h.
    let h = height + 1;
    let steps = |q: u32| (q + 1..=h).map(|j| f64::from(j - 1).powf(-beta)).sum::<f64>();
    steps(h - level) / steps(1)
}

/// What the cells of one attribute cost.
#[derive(Clone, Debug)]
pub struct Costs {
    of_node: Vec<f64>,
    // For columns published as ranges: the place of each code within the width of the column.
    places: Option<Vec<Place>>,
}

/// Where a number lies within the width of its column, from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The number itself.
    pub at: f64,
    /// Where a range that begins with it is shown to begin, if its bounds are rounded.
    pub start: f64,
    /// Where a range that ends with it is shown to end, if its bounds are rounded.
    pub end: f64,
}

impl Costs {
    /// The costs of an attribute under a metric.
    pub fn new(attribute: &Attribute, metric: CellMetric) -> Self {
        let numbers = Numbers::new(attribute);
        let taxonomy = attribute.taxonomy();
        let root = taxonomy.root();
        let height = taxonomy.n_levels() - 1;
        let labels = numbers.as_ref().filter(|_| !metric.counts_levels());
        let mut of_node: Vec<f64> = (0..taxonomy.nodes().len())
            .map(|node| as_read(taxonomy, node))
            .map(|node| match (labels.and_then(|n| n.of_label(&node.label)), metric) {
                (Some(share), _) => share,
                (None, CellMetric::Ncp) if node.size <= 1 => 0.0,
                (None, CellMetric::Ncp) => f64::from(node.size) / f64::from(root.size),
                (None, CellMetric::Lm) if root.size <= 1 => 0.0,
                (None, CellMetric::Lm) => f64::from(node.size - 1) / f64::from(root.size - 1),
                (None, CellMetric::Byun) => f64::from(node.height) / f64::from(root.height),
                // The root is the top even where the tree repeats it on lower levels.
                (None, metric) if node.parent.is_none() => metric.of_level(height, height),
                (None, metric) => metric.of_level(node.level, height),
            })
            .collect();
        // A single value is told by the root too: nothing is lost.
        if taxonomy.n_leaves() <= 1 && attribute.is_flat() {
            of_node[0] = 0.0;
        }
        // Nodes stand after their parents.
        for node in (1..of_node.len()).rev() {
            let parent = taxonomy.nodes()[node].parent.expect("only the root has none") as usize;
            of_node[parent] = of_node[parent].max(of_node[node]);
        }
        let places = numbers.filter(|_| attribute.is_ranged()).map(|numbers| {
            (0..attribute.n_codes()).map(|code| numbers.place_of(attribute, code)).collect()
        });
        Self { of_node, places }
    }

    /// Where a code of a column that is published as ranges lies.
    pub fn place(&self, code: u32) -> Option<Place> {
        self.places.as_ref().map(|places| places[code as usize])
    }

    /// What a cell costs.
    #[inline]
    pub fn of(&self, cell: Cell) -> f64 {
        match (cell, &self.places) {
            (Cell::Leaf(_), _) => 0.0,
            (Cell::Node(node), _) => self.of_node[node as usize],
            (Cell::Range { lo, hi }, Some(places)) => {
                places[hi as usize].at - places[lo as usize].at
            }
            (Cell::Rounded { lo, hi }, Some(places)) => {
                places[hi as usize].end - places[lo as usize].start
            }
            (Cell::Range { .. } | Cell::Rounded { .. }, None) => 1.0,
        }
    }
}

/// The node that a reader must take the label of a node for: the highest of those above it with the same.
fn as_read(taxonomy: &Taxonomy, node: usize) -> &Node {
    let nodes = taxonomy.nodes();
    let (own, mut found) = (&nodes[node], &nodes[node]);
    let mut above = own.parent;
    while let Some(parent) = above.map(|parent| &nodes[parent as usize]) {
        if parent.label == own.label {
            found = parent;
        }
        above = parent.parent;
    }
    found
}

/// The width of a numeric or date column.
struct Numbers {
    min: f64,
    width: f64,
    reads_labels: bool,
}

impl Numbers {
    fn new(attribute: &Attribute) -> Option<Self> {
        if !attribute.value_type().is_ordered() {
            return None;
        }
        let numbers = || (0..attribute.n_codes()).filter_map(|code| attribute.number(code));
        let min = numbers().fold(f64::INFINITY, f64::min);
        let max = numbers().fold(f64::NEG_INFINITY, f64::max);
        let reads_labels = attribute.value_type() != ValueType::Date
            && attribute.taxonomy().labels() == Labels::Intervals;
        (min <= max).then_some(Self { min, width: max - min, reads_labels })
    }

    fn place(&self, number: f64) -> f64 {
        if self.width > 0.0 { (number - self.min) / self.width } else { 0.0 }
    }

    /// Where a code lies; a missing one nowhere.
    fn place_of(&self, attribute: &Attribute, code: u32) -> Place {
        let n_values = attribute.n_codes() - u32::from(attribute.missing().is_some());
        match attribute.number(code) {
            // Values that are one float are apart all the same: their codes are in their order.
            Some(_) if self.width <= 0.0 && n_values > 1 => {
                let at = f64::from(code) / f64::from(n_values - 1);
                Place { at, start: at, end: at }
            }
            Some(number) => {
                let (start, end) = attribute.rounded_ends(code).unwrap_or((number, number));
                Place {
                    at: self.place(number),
                    start: self.place(start).max(0.0),
                    end: self.place(end).min(1.0),
                }
            }
            None => Place::default(),
        }
    }

    /// What a label that is a range in brackets costs.
    fn of_label(&self, label: &str) -> Option<f64> {
        let (lo, hi) = printed_range(label).filter(|_| self.reads_labels)?;
        Some((self.place(hi) - self.place(lo)).clamp(0.0, 1.0))
    }
}

/// The bounds of a label such as `[20, 29]`, `[20-30]` or `[20, 30)`.
pub fn printed_range(label: &str) -> Option<(f64, f64)> {
    let inside = label.trim().strip_prefix(['[', '(', ']'])?.strip_suffix([']', ')', '['])?;
    let (lo, hi) = inside.split_once(',').or_else(|| {
        // A minus at the beginning is a sign.
        let at = inside.get(1..)?.find('-')? + 1;
        Some((&inside[..at], &inside[at + 1..]))
    })?;
    let (lo, hi) = (lo.trim().parse::<f64>().ok()?, hi.trim().parse::<f64>().ok()?);
    (lo.is_finite() && hi.is_finite() && lo <= hi).then_some((lo, hi))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_brackets_are_ranges() {
        let check = |label, expected| assert_eq!(printed_range(label), expected, "{label}");
        check("[20, 29]", Some((20.0, 29.0)));
        check("[20-30]", Some((20.0, 30.0)));
        check("[-5--1]", Some((-5.0, -1.0)));
        check("[1.5, 2.5[", Some((1.5, 2.5)));
        check("20-30", None);
        check("*", None);
        check("[young]", None);
        check("[30, 20]", None);
        check("", None);
    }
}
