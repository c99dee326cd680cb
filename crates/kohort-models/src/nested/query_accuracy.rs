//! Query accuracy: how right counts of people come out when they are asked of a nested release.
//!
//! # Formula
//! A query counts the people who have vertices one below the other with asked labels and an asked sensitive
//! value. 100 · the mean over queries of 1 − |Y − X| / X; X is the count in the original, Y what the
//! release lets one expect. The value is the mean over ten families ([`FAMILIES`]), the parts are the
//! families.
//!
//! A label is right with the share of its leaves that are asked. A sensitive value is right where it is
//! shown with the vertex (generalized); with the share of the values at its place, in the mean over the
//! trees of sensitive values of the group (t-t); with the share of its list (v-v). Vertices are taken to
//! be independent.
//!
//! # Range
//! At most 100 (every count comes out right), may be below 0; higher is better.
//!
//! # Reads as
//! How right a count of people with some properties is, on average, in percent.
//!
//! # Undefined when
//! There is nobody, or no family fits the schema.
//!
//! # Deviations
//! Özalp 2017 does not list its families; ours are combinations of labels and sensitive values by depth, each at
//! the lowest depth where the schema has them. Queries are drawn from people, so none counts nobody.
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, §2.4 and §3.5.

use kohort_core::{Attribute, Cell, Forest};

use super::{NestedMeasured, NestedMetric, ReleasedTrees, ReleasedValues};
use crate::Draw;
use crate::metrics::real;
use crate::{Better, Score, Undefined};

pub(super) const METRIC: NestedMetric = NestedMetric {
    id: "query-accuracy",
    title: "query accuracy",
    paper: "Özalp et al. 2016",
    reads_as: "how accurate counts of people with some properties are, on average, in percent",
    better: Better::Higher,
    measure,
};

/// The families of queries: what they ask of.
pub const FAMILIES: [&str; 10] = [
    "label of the person",
    "value of the person",
    "label and value of the person",
    "label below",
    "value below",
    "label and value below",
    "labels of the person and below",
    "labels of the person and below, value below",
    "labels of two below",
    "labels of two below, value of the upper",
];

/// What each family asks: the least depth of its lowest vertex, and (a label, a value) of vertices from
/// that one upward; the person last where two are asked of and the depth is 1.
const ASKED: [(usize, &[(bool, bool)]); 10] = [
    (0, &[(true, false)]),
    (0, &[(false, true)]),
    (0, &[(true, true)]),
    (1, &[(true, false)]),
    (1, &[(false, true)]),
    (1, &[(true, true)]),
    (1, &[(true, false), (true, false)]),
    (1, &[(true, true), (true, false)]),
    (2, &[(true, false), (true, false)]),
    (2, &[(true, false), (true, true)]),
];

/// The queries of a family.
const QUERIES: usize = 20;
const SEED: u64 = 3;

fn measure(measured: &NestedMeasured<'_>) -> Result<Score, Undefined> {
    if measured.original.n_records() == 0 {
        return Err(Undefined("means nothing without people"));
    }
    let workload = Workload::new(measured.original);
    let mut draw = Draw::new(SEED);
    let mut parts = Vec::new();
    for (name, (depth, asked)) in FAMILIES.iter().zip(ASKED) {
        let from = workload.vertices(depth, asked);
        if from.is_empty() {
            continue;
        }
        let mut sum = 0.0;
        for _ in 0..QUERIES {
            let query = workload.query(from[draw.below(from.len())], depth, asked, &mut draw);
            let right = real(count(measured.original, &query));
            sum += 1.0 - (estimate(measured, &query) - right).abs() / right;
        }
        parts.push(((*name).to_owned(), 100.0 * sum / real(QUERIES as u64)));
    }
    if parts.is_empty() {
        return Err(Undefined("found no query that the schema allows"));
    }
    let value = parts.iter().map(|part| part.1).sum::<f64>() / real(parts.len() as u64);
    Ok(Score { value, bounds: (f64::MIN, 100.0), parts })
}

/// What is asked of a vertex of a path that begins at a root.
pub(super) struct Step {
    pub(super) kind: usize,
    /// A quasi-identifier, and the codes from the first to the last that are asked.
    pub(super) label: Option<(usize, u32, u32)>,
    /// The sensitive codes that are asked.
    pub(super) values: Option<Vec<u32>>,
}

struct Workload<'a> {
    forest: &'a Forest,
    depth_of_kind: Vec<usize>,
}

impl<'a> Workload<'a> {
    fn new(forest: &'a Forest) -> Self {
        let mut depth_of_kind: Vec<usize> = Vec::new();
        for kind in forest.kinds() {
            depth_of_kind.push(kind.parent.map_or(0, |parent| depth_of_kind[parent] + 1));
        }
        Self { forest, depth_of_kind }
    }

    /// The vertices of which a family can ask, at the lowest depth where there are some.
    fn vertices(&self, depth: usize, asked: &[(bool, bool)]) -> Vec<u32> {
        let kinds = self.forest.kinds();
        let has = |kind: usize, (label, value): (bool, bool)| {
            (!label || !kinds[kind].quasi.is_empty()) && (!value || kinds[kind].sensitive.is_some())
        };
        let fits = |kind: usize| {
            let upper = if depth == 1 { Some(0) } else { kinds[kind].parent };
            let is_exact = depth == 0 && kind != 0;
            !is_exact
                && !kinds[kind].is_member
                && self.depth_of_kind[kind] >= depth
                && has(kind, asked[0])
                && asked.get(1).is_none_or(|&asked| upper.is_some_and(|upper| has(upper, asked)))
        };
        let fits: &[bool] = &(0..kinds.len()).map(fits).collect::<Vec<_>>();
        let of_depth = |at: usize| {
            let all = (0..self.forest.n_records()).flat_map(|record| self.forest.vertices(record));
            let is_there = move |&vertex: &u32| {
                let kind = self.forest.kind(vertex);
                fits[kind] && self.depth_of_kind[kind] == at
            };
            all.filter(is_there).collect::<Vec<u32>>()
        };
        let deepest = self.depth_of_kind.iter().copied().max().unwrap_or(0);
        let mut levels = (depth..=deepest).map(of_depth);
        levels.find(|vertices| !vertices.is_empty()).unwrap_or_default()
    }

    /// A query that the person of a vertex satisfies.
    fn query(
        &self,
        vertex: u32,
        depth: usize,
        asked: &[(bool, bool)],
        draw: &mut Draw,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = vertex;
        loop {
            let above = self.forest.parent(at);
            let is_root = above == at;
            let asked = match asked.get(1) {
                _ if steps.is_empty() => asked[0],
                Some(&upper) if depth == 1 && is_root => upper,
                Some(&upper) if depth > 1 && steps.len() == 1 => upper,
                _ => (false, false),
            };
            steps.push(self.step(at, asked, draw));
            if is_root {
                steps.reverse();
                return steps;
            }
            at = above;
        }
    }

    fn step(&self, vertex: u32, (label, value): (bool, bool), draw: &mut Draw) -> Step {
        let kind = self.forest.kind(vertex);
        let of_kind = &self.forest.kinds()[kind];
        let label = label.then(|| {
            let at = draw.below(of_kind.quasi.len());
            let (lo, hi) = around(&of_kind.quasi[at], self.forest.labels(vertex)[at], draw);
            (at, lo, hi)
        });
        let values = of_kind.sensitive.as_ref().filter(|_| value).map(|attribute| {
            let mut values = vec![self.forest.sensitive(vertex)];
            if draw.below(2) == 0 {
                let other = draw.below(attribute.n_codes() as usize);
                values.extend(u32::try_from(other));
            }
            values
        });
        Step { kind, label, values }
    }
}

/// A code itself, or what its taxonomy has right above it: a few codes beside it where it has nothing.
fn around(attribute: &Attribute, code: u32, draw: &mut Draw) -> (u32, u32) {
    if draw.below(2) == 0 {
        return (code, code);
    }
    match attribute.taxonomy().parent(code) {
        0 if attribute.is_ranged() => {
            (code.saturating_sub(1), (code + 1).min(attribute.n_codes() - 1))
        }
        0 => (code, code),
        node => attribute.codes_of(Cell::Node(node)),
    }
}

/// The people of the original who satisfy a query.
fn count(forest: &Forest, query: &[Step]) -> u64 {
    let satisfies = |&record: &usize| is_satisfied(forest, forest.root(record), query);
    (0..forest.n_records()).filter(satisfies).count() as u64
}

fn is_satisfied(forest: &Forest, vertex: u32, query: &[Step]) -> bool {
    let Some((step, rest)) = query.split_first() else { return true };
    let covers = |&(at, lo, hi): &(usize, u32, u32)| (lo..=hi).contains(&forest.labels(vertex)[at]);
    forest.kind(vertex) == step.kind
        && step.label.as_ref().is_none_or(covers)
        && step.values.as_ref().is_none_or(|asked| asked.contains(&forest.sensitive(vertex)))
        && (rest.is_empty()
            || forest.children(vertex).any(|child| is_satisfied(forest, child, rest)))
}

/// How many people one expects to satisfy a query who has the release.
pub(super) fn estimate(measured: &NestedMeasured<'_>, query: &[Step]) -> f64 {
    let run =
        Estimate { forest: measured.original, trees: measured.trees, values: measured.values };
    let of_tree = |(tree, &root): (usize, &u32)| match measured.values {
        ReleasedValues::Trees { group, sensitive, .. } => {
            let pool = &sensitive[group[tree] as usize];
            let each = pool.iter().map(|own| run.probability(root, query, own));
            each.sum::<f64>() / real(pool.len().max(1) as u64)
        }
        _ => run.probability(root, query, &[]),
    };
    measured.trees.roots().iter().enumerate().map(of_tree).sum()
}

struct Estimate<'a> {
    forest: &'a Forest,
    trees: &'a ReleasedTrees,
    values: &'a ReleasedValues,
}

impl Estimate<'_> {
    /// The probability that a vertex and some below it satisfy a query; `own` are the values of the
    /// person's tree, where there is one.
    fn probability(&self, vertex: u32, query: &[Step], own: &[(u64, u16, u32)]) -> f64 {
        let Some((step, rest)) = query.split_first() else { return 1.0 };
        if self.trees.kind(vertex) != step.kind {
            return 0.0;
        }
        let label = step.label.map_or(1.0, |(at, lo, hi)| {
            let attribute = &self.forest.kinds()[step.kind].quasi[at];
            let (first, last) = attribute.codes_of(self.trees.cells(vertex)[at]);
            let overlap = (hi.min(last) + 1).saturating_sub(lo.max(first));
            f64::from(overlap) / (f64::from(last - first) + 1.0)
        });
        if label == 0.0 {
            return 0.0;
        }
        let value = step.values.as_ref().map_or(1.0, |asked| self.value(vertex, asked, own));
        if rest.is_empty() || value == 0.0 {
            return label * value;
        }
        let none = |none: f64, child| none * (1.0 - self.probability(child, rest, own));
        label * value * (1.0 - self.trees.children(vertex).fold(1.0, none))
    }

    /// The probability that the value of a vertex is one of those asked.
    fn value(&self, vertex: u32, asked: &[u32], own: &[(u64, u16, u32)]) -> f64 {
        let share = |codes: &mut dyn Iterator<Item = u32>| {
            let (mut n, mut right) = (0, 0);
            for code in codes {
                n += 1;
                right += u64::from(asked.contains(&code));
            }
            real(right) / real(n.max(1))
        };
        match self.values {
            ReleasedValues::Own(values) => share(&mut [values[vertex as usize]].into_iter()),
            ReleasedValues::Trees { place, .. } => {
                let kind = u16::try_from(self.trees.kind(vertex)).expect("at most 65,535 kinds");
                let at = (place[vertex as usize], kind);
                let first = own.partition_point(|&(place, kind, _)| (place, kind) < at);
                let here = own[first..].iter().take_while(|&&(place, kind, _)| (place, kind) == at);
                share(&mut here.map(|&(.., code)| code))
            }
            ReleasedValues::Lists { list, lists } => {
                match lists.get(list[vertex as usize] as usize) {
                    Some((_, codes)) => share(&mut codes.iter().copied()),
                    None => 0.0,
                }
            }
        }
    }
}
