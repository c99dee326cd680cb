//! The distinct rows of a table on the attributes in question, each with its multiplicity.

use kohort_core::{Attribute, Codes, Grouping, group};
use kohort_models::{Distribution, tally};

use crate::partition::Members;

/// The distinct rows over some quasi-identifiers and sensitive attributes. Everything that looks at
/// many attribute sets works on these, usually far fewer, rows.
#[derive(Clone, Debug)]
pub struct Projection {
    quasi: Vec<Codes>,
    n_codes: Vec<u32>,
    sensitive: Vec<Vec<u32>>,
    weights: Vec<u32>,
    first_rows: Vec<u32>,
    n_rows: u64,
}

impl Projection {
    /// The distinct rows of `n_rows` rows over these attributes.
    pub fn new(n_rows: usize, quasi: &[&Attribute], sensitive: &[&Attribute]) -> Self {
        let columns = || quasi.iter().chain(sensitive).map(|a| (a.codes(), a.n_codes()));
        let grouping = group(n_rows, columns());
        let first_rows = grouping.first_rows();
        let of = |attribute: &&Attribute| -> Vec<u32> {
            first_rows.iter().map(|&row| attribute.codes().get(row as usize)).collect()
        };
        Self {
            quasi: quasi.iter().map(|a| a.codes().select(&first_rows)).collect(),
            n_codes: quasi.iter().map(|attribute| attribute.n_codes()).collect(),
            sensitive: sensitive.iter().map(of).collect(),
            weights: grouping.sizes(),
            n_rows: n_rows as u64,
            first_rows,
        }
    }

    /// The number of distinct rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The number of rows of the table.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The number of quasi-identifiers.
    pub fn n_quasi(&self) -> usize {
        self.quasi.len()
    }

    /// The codes of one quasi-identifier.
    pub fn quasi(&self, attribute: usize) -> &Codes {
        &self.quasi[attribute]
    }

    /// The number of codes of one quasi-identifier.
    pub fn n_codes(&self, attribute: usize) -> u32 {
        self.n_codes[attribute]
    }

    /// The codes of the sensitive attributes.
    pub fn sensitive(&self) -> &[Vec<u32>] {
        &self.sensitive
    }

    /// The number of table rows behind each distinct row.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The first table row behind each distinct row.
    pub fn first_rows(&self) -> &[u32] {
        &self.first_rows
    }

    /// The quasi-identifiers by falling number of codes: a walk that takes the finest first has few
    /// rows left to split further down.
    pub fn finest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.n_quasi()).collect();
        order.sort_by_key(|&attribute| std::cmp::Reverse(self.n_codes[attribute]));
        order
    }

    /// How often each value of a sensitive attribute occurs in a class, in code order.
    pub(crate) fn count(
        &self,
        class: Members<'_>,
        sensitive: usize,
        table: &Distribution<'_>,
        cells: &mut Vec<(u32, u64)>,
    ) {
        let codes = &self.sensitive[sensitive];
        let weighted = (class.rows.iter().zip(class.weights))
            .map(|(&row, &weight)| (codes[row as usize], u64::from(weight)));
        tally(weighted, table.attribute().n_codes() as usize, cells);
    }

    /// For each row, the class it falls into on the attributes of `order` from each position on.
    /// Entry `i` groups by `order[i..]` and the sensitive attributes; the last groups by those alone.
    pub(crate) fn suffix_classes(&self, order: &[usize]) -> Vec<Suffix> {
        let codes = |values: &[u32]| Codes::U32(values.to_vec());
        let largest = |values: &[u32]| values.iter().max().map_or(0, |&code| code + 1);
        let start =
            self.sensitive.iter().fold(Grouping::trivial(self.len()), |grouping, values| {
                grouping.refine(&codes(values), largest(values))
            });
        let mut groupings = vec![start];
        for &attribute in order.iter().rev() {
            let last = groupings[groupings.len() - 1].clone();
            groupings.push(last.refine(&self.quasi[attribute], self.n_codes[attribute]));
        }
        groupings.reverse();
        groupings
            .into_iter()
            .map(|grouping| {
                let mut ids = Codes::default();
                grouping.ids.iter().for_each(|&id| ids.push(id));
                Suffix { n_classes: grouping.n_classes, ids }
            })
            .collect()
    }
}

/// Which rows agree on the later attributes of a walk: once the others are decided, such rows of one
/// class can never be told apart and count as one.
pub(crate) struct Suffix {
    pub(crate) ids: Codes,
    pub(crate) n_classes: u32,
}
