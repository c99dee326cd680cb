//! A seeded workload of counting queries.
//!
//! λ quasi-identifiers are chosen at random; with a target selectivity σ and p predicates (λ + 1 with a
//! sensitive attribute) each predicate is to keep σ^(1/p) of its column: a range of that share of a
//! numeric column's width at a random place (of whole numbers and days: of those from the least to the
//! greatest, one at least), or as many random values of another column, or a random node of its taxonomy.
//!
//! Around somebody (Abdalaal 2012, §6) the range has the number of a row in its middle, the values are the
//! neighbors of the row's in the order of the taxonomy, and the sensitive value is the row's. Rows take
//! turns in a random order: with as many queries as rows each has one.

use kohort_core::{Attribute, Dataset};

use crate::Draw;
use crate::utility::view::{Numbers, real};

/// What a workload looks like.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The number of queries.
    pub n_queries: usize,
    /// λ: the quasi-identifiers that a query names; at most all of them.
    pub n_quasi: usize,
    /// σ: the share of rows that a query is to keep.
    pub selectivity: f64,
    /// How a column without numbers is asked about.
    pub categories: Categories,
    /// Whether each query names a sensitive attribute, where there is one.
    pub sensitive: bool,
    /// Whether queries that no row satisfies are kept.
    pub keep_empty: bool,
    /// Whether each query is asked around a row, which satisfies it.
    pub around: bool,
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            n_queries: 1000,
            n_quasi: 2,
            selectivity: 0.05,
            categories: Categories::Leaves,
            sensitive: true,
            keep_empty: false,
            around: false,
        }
    }
}

/// How a query asks about a column without numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Categories {
    /// For some of its values.
    Leaves,
    /// For the values below a node of its taxonomy, or for a single value.
    Node,
}

/// A count that is asked for: all predicates must hold.
#[derive(Clone, Debug)]
pub struct Query {
    /// Quasi-identifiers, by their position, with what is asked of them.
    pub quasi: Vec<(usize, Predicate)>,
    /// A sensitive attribute, by its position, with what is asked of it.
    pub sensitive: Option<(usize, Predicate)>,
}

/// What is asked of a column.
#[derive(Clone, Debug)]
pub enum Predicate {
    /// A number between these, both included.
    Range(f64, f64),
    /// For each code, whether it is asked for.
    Codes(Vec<bool>),
}

impl Predicate {
    /// For each code of an attribute, whether it satisfies the predicate.
    pub(super) fn by_code(&self, attribute: &Attribute) -> Vec<bool> {
        match self {
            Self::Codes(asked) => asked.clone(),
            Self::Range(lo, hi) => (0..attribute.n_codes())
                .map(|code| attribute.number(code).is_some_and(|n| *lo <= n && n <= *hi))
                .collect(),
        }
    }
}

/// Empty queries are drawn again at most this many times as often as queries are wanted.
const PATIENCE: usize = 20;

/// The queries of a workload: fewer than wanted where hardly any has a row that satisfies it.
pub fn workload(dataset: &Dataset, wanted: &Workload, seed: u64) -> Vec<Query> {
    let (quasi, sensitive) = (dataset.quasi(), dataset.sensitive());
    let rows = Rows::new(dataset);
    let mut draw = Draw::new(seed);
    let mut queries = Vec::new();
    let n_quasi = wanted.n_quasi.min(quasi.len());
    let asks_sensitive = wanted.sensitive && !sensitive.is_empty();
    let n_predicates = n_quasi + usize::from(asks_sensitive);
    if n_predicates == 0 {
        return queries;
    }
    let numbers = |attributes: &[&Attribute]| -> Vec<Option<Numbers>> {
        attributes.iter().map(|attribute| Numbers::new(attribute)).collect()
    };
    let (quasi_numbers, sensitive_numbers) = (numbers(&quasi), numbers(&sensitive));
    let share = wanted.selectivity.clamp(0.0, 1.0).powf(1.0 / real(n_predicates));
    let mut turns: Vec<usize> = (0..if wanted.around { rows.n } else { 0 }).collect();
    let n_turns = wanted.n_queries.min(turns.len());
    draw.shuffle_first(&mut turns, n_turns);
    for turn in 0..wanted.n_queries.saturating_mul(PATIENCE) {
        if queries.len() == wanted.n_queries {
            break;
        }
        let mut axes: Vec<usize> = (0..quasi.len()).collect();
        draw.shuffle_first(&mut axes, n_quasi);
        axes.truncate(n_quasi);
        axes.sort_unstable();
        let secret = draw.below(sensitive.len().max(1));
        let row = turns.get(turn % n_turns.max(1)).copied();
        let mut ask = |attribute, numbers: &Option<Numbers>, share| match (row, numbers) {
            (Some(row), numbers) => around(attribute, numbers.as_ref(), row, share),
            (None, Some(numbers)) => range(&mut draw, numbers, share),
            (None, None) => codes(&mut draw, attribute, share, wanted.categories),
        };
        let mut query = Query { quasi: Vec::new(), sensitive: None };
        for axis in axes {
            query.quasi.push((axis, ask(quasi[axis], &quasi_numbers[axis], share)));
        }
        if asks_sensitive {
            // No share at all is the value itself.
            let share = if wanted.around { 0.0 } else { share };
            let predicate = ask(sensitive[secret], &sensitive_numbers[secret], share);
            query.sensitive = Some((secret, predicate));
        }
        if wanted.keep_empty || rows.matching(&query).next().is_some() {
            queries.push(query);
        }
    }
    queries
}

/// What a row has, with a share of the column around it.
fn around(attribute: &Attribute, numbers: Option<&Numbers>, row: usize, share: f64) -> Predicate {
    let code = attribute.codes().get(row);
    if let Some((numbers, number)) = numbers.zip(attribute.number(code)) {
        let half = (numbers.max - numbers.min) * share / 2.0;
        return Predicate::Range(number - half, number + half);
    }
    let n = attribute.n_codes() as usize;
    let n_asked = n_of_share(n, share);
    let first = (code as usize).saturating_sub(n_asked / 2).min(n - n_asked);
    Predicate::Codes((0..n).map(|code| first <= code && code < first + n_asked).collect())
}

/// ⌈n · share⌉, at least 1, counted up so that no number is cast.
fn n_of_share(n: usize, share: f64) -> usize {
    (1..n).find(|&m| real(m) >= real(n) * share).unwrap_or(n)
}

/// A share of a column's width; of whole numbers or days as many as that of those from the least to the
/// greatest, rounded up, so that each of them is asked for by some query.
fn range(draw: &mut Draw, numbers: &Numbers, share: f64) -> Predicate {
    if let Some(step) = numbers.step {
        let n = (numbers.max - numbers.min) / step + 1.0;
        let n_asked = (n * share).ceil().clamp(1.0, n);
        let n_before = (draw.unit() * (n - n_asked + 1.0)).floor();
        let lo = numbers.min + n_before * step;
        return Predicate::Range(lo, lo + (n_asked - 1.0) * step);
    }
    let width = (numbers.max - numbers.min) * share;
    let lo = numbers.min + draw.unit() * (numbers.max - numbers.min - width);
    Predicate::Range(lo, lo + width)
}

fn codes(draw: &mut Draw, attribute: &Attribute, share: f64, categories: Categories) -> Predicate {
    let n = attribute.n_codes() as usize;
    let mut asked = vec![false; n];
    match categories {
        Categories::Leaves => {
            let mut codes: Vec<usize> = (0..n).collect();
            let n_asked = n_of_share(n, share);
            draw.shuffle_first(&mut codes, n_asked);
            codes[..n_asked].iter().for_each(|&code| asked[code] = true);
        }
        Categories::Node => {
            // The root asks for nothing.
            let nodes = &attribute.taxonomy().nodes()[1..];
            let chosen = draw.below(nodes.len() + n);
            let (first, last) = nodes.get(chosen).map_or_else(
                || (chosen - nodes.len(), chosen - nodes.len()),
                |node| (node.first as usize, node.last as usize),
            );
            asked[first..=last].fill(true);
        }
    }
    Predicate::Codes(asked)
}

/// The codes of the original by column, as wide as they are fast to read.
pub(super) struct Rows<'a> {
    pub(super) quasi: Vec<(&'a Attribute, Vec<u32>)>,
    pub(super) sensitive: Vec<(&'a Attribute, Vec<u32>)>,
    n: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn new(dataset: &'a Dataset) -> Self {
        let with_codes = |attributes: Vec<&'a Attribute>| -> Vec<(&'a Attribute, Vec<u32>)> {
            attributes.into_iter().map(|a| (a, a.codes().iter().collect())).collect()
        };
        Self {
            quasi: with_codes(dataset.quasi()),
            sensitive: with_codes(dataset.sensitive()),
            n: dataset.n_rows(),
        }
    }

    /// The rows whose quasi-identifiers and sensitive values satisfy a query.
    pub(super) fn matching(&self, query: &Query) -> impl Iterator<Item = usize> {
        let asked = query.quasi.iter().map(|(axis, predicate)| (&self.quasi[*axis], predicate));
        let secret = query.sensitive.iter().map(|(axis, p)| (&self.sensitive[*axis], p));
        let tests: Vec<(&[u32], Vec<bool>)> = (asked.chain(secret))
            .map(|((attribute, codes), p)| (codes.as_slice(), p.by_code(attribute)))
            .collect();
        (0..self.n).filter(move |&row| tests.iter().all(|(codes, is)| is[codes[row] as usize]))
    }
}
