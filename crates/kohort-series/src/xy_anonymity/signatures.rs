//! Releases of different columns by signatures: whoever is in classes of the same m values each time has
//! these values left in every join.
//!
//! # Method
//! 1. What the earlier classes of a person have in common is cut into sets of m values, those that are
//!    equally frequent together, and what is left over into the last. The set with the person's value is the
//!    signature.
//! 2. m-invariance makes classes of one row of each value of a signature.
//! 3. A class with a counterfeit is dissolved, unless counterfeits were asked for. Where a class may show a
//!    value twice ((X,Y)-anonymity), whoever has no class goes into the one of the same signature that grows
//!    least; who has no signature, into one of that with the most classes which shows the value. Everybody
//!    else is held back.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Ctx, History, ReleasedClass, SeriesRelease};
use kohort_models::series::MInvariance;

use super::{XyMaker, XyModel};
use crate::rows::Rows;
use crate::{MInvariantMaker, Next, SeriesMethod, Surplus, Turn};

/// The signatures of a turn.
pub(super) struct BySignatures<'a> {
    turn: Turn<'a>,
    m: u32,
    signatures: Vec<Vec<u32>>,
    // The signature of each row; none for who is in no earlier release.
    of_row: Vec<Option<usize>>,
    /// Whether somebody's earlier classes have two signatures or more in common.
    pub(super) is_wide: bool,
}

impl<'a> BySignatures<'a> {
    /// Step 1.
    pub(super) fn new(turn: &Turn<'a>, earlier: &[&SeriesRelease], m: u32) -> Self {
        let (common_of, commons) = in_common(turn, earlier);
        let mut n_rows: BTreeMap<u32, usize> = BTreeMap::new();
        for value in turn.value_of_row {
            *n_rows.entry(*value).or_default() += 1;
        }
        let mut number_of: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let mut is_wide = false;
        let of_common = |common: &Vec<u32>| -> BTreeMap<u32, usize> {
            is_wide |= common.len() >= 2 * m as usize;
            let sets = cut(common, m as usize, |value| n_rows.get(&value).copied().unwrap_or(0));
            let numbered = sets.into_iter().flat_map(|set| {
                let n = number_of.len();
                let number = *number_of.entry(set.clone()).or_insert(n);
                set.into_iter().map(move |value| (value, number))
            });
            numbered.collect()
        };
        let of_value: Vec<BTreeMap<u32, usize>> = commons.iter().map(of_common).collect();
        let mut of_row = vec![None; turn.data.n_rows()];
        for (row, common) in common_of.into_iter().enumerate() {
            let Some(common) = common else { continue };
            let value = turn.value_of_row[row];
            let alone = number_of.len();
            // A value that is none of those in common is a signature of its own, and too small.
            of_row[row] = Some(
                of_value[common]
                    .get(&value)
                    .copied()
                    .unwrap_or_else(|| *number_of.entry(vec![value]).or_insert(alone)),
            );
        }
        let mut signatures = vec![Vec::new(); number_of.len()];
        for (signature, number) in number_of {
            signatures[number] = signature;
        }
        Self { turn: *turn, m, signatures, of_row, is_wide }
    }

    /// Steps 2 and 3; none where there is no class.
    pub(super) fn make(&self, ctx: &Ctx<'_>, maker: &XyMaker) -> Option<Next> {
        let model = MInvariance::new(self.m).expect("the models ask for two values or more");
        let m_invariance = MInvariantMaker { model, surplus: maker.surplus };
        let history = self.history();
        let next = m_invariance.make(ctx, &Turn { history: &history, ..self.turn }).ok()?;
        let mut classes = Classes::new(self, &next, maker.surplus);
        if matches!(maker.model, XyModel::Anonymity(_)) {
            classes.take_in(self);
        }
        classes.next(&next)
    }

    /// A history in which everybody has the signature.
    fn history(&self) -> History {
        let mut class_of = Vec::new();
        for (row, &signature) in self.of_row.iter().enumerate() {
            let Some(signature) = signature else { continue };
            let person = self.turn.person_of_row[row] as usize;
            class_of.resize(class_of.len().max(person + 1), ABSENT);
            class_of[person] = u32::try_from(signature).expect("signatures are fewer than rows");
        }
        let class = |values: &Vec<u32>| ReleasedClass { values: values.clone(), n_counterfeits: 0 };
        let classes = self.signatures.iter().map(class).collect();
        let n_values = self.turn.history.n_values;
        History { n_values, releases: vec![SeriesRelease { class_of, classes }] }
    }
}

/// The values that the earlier classes of each row's person have in common, as a place in a list; none for
/// who is in no earlier release.
fn in_common(turn: &Turn<'_>, earlier: &[&SeriesRelease]) -> (Vec<Option<usize>>, Vec<Vec<u32>>) {
    let mut common_of: Vec<Option<usize>> = vec![None; turn.data.n_rows()];
    let mut commons: Vec<Vec<u32>> = Vec::new();
    for release in earlier {
        let mut met: BTreeMap<(Option<usize>, u32), usize> = BTreeMap::new();
        for (common, &person) in common_of.iter_mut().zip(turn.person_of_row) {
            let Some(class) = release.class_of(person) else { continue };
            *common = Some(*met.entry((*common, class)).or_insert_with(|| {
                let mut values = release.classes[class as usize].signature();
                if let Some(before) = *common {
                    values.retain(|value| commons[before].binary_search(value).is_ok());
                }
                commons.push(values);
                commons.len() - 1
            }));
        }
    }
    (common_of, commons)
}

/// Sets of m values or, the last, up to 2m − 1; the most frequent together. One set where there are fewer.
fn cut(values: &[u32], m: usize, n_rows: impl Fn(u32) -> usize) -> Vec<Vec<u32>> {
    let mut order = values.to_vec();
    order.sort_by_key(|&value| (std::cmp::Reverse(n_rows(value)), value));
    let n_sets = (order.len() / m).max(1);
    let (firsts, last) = order.split_at(order.len().min((n_sets - 1) * m));
    let mut sets: Vec<Vec<u32>> = firsts.chunks(m).chain([last]).map(<[u32]>::to_vec).collect();
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets
}

/// Classes of whole signatures, and the rows that are in none.
struct Classes {
    // By signature: the classes, each with its rows and the edges of its box.
    of_signature: BTreeMap<Vec<u32>, Vec<Class>>,
    homeless: Vec<u32>,
    is_counterfeited: bool,
}

struct Class {
    number: u32,
    rows: Vec<u32>,
    edges: Vec<(u32, u32)>,
}

impl Classes {
    fn new(run: &BySignatures<'_>, next: &Next, surplus: Surplus) -> Self {
        let released = next.released(&run.turn);
        let is_counterfeited = surplus == Surplus::Counterfeit;
        let is_whole = |class: &ReleasedClass| {
            class.values.len() >= run.m as usize && (is_counterfeited || class.n_counterfeits == 0)
        };
        let rows = Rows::new(&run.turn);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); released.classes.len()];
        let mut homeless = Vec::new();
        for (row, &class) in (0..).zip(&next.class_of_row) {
            match released.classes.get(class as usize).filter(|class| is_whole(class)) {
                Some(_) => members[class as usize].push(row),
                None => homeless.push(row),
            }
        }
        let mut of_signature: BTreeMap<Vec<u32>, Vec<Class>> = BTreeMap::new();
        let whole = (0..).zip(released.classes).zip(members).filter(|((_, c), _)| is_whole(c));
        for ((number, class), members) in whole {
            let mut edges = vec![(u32::MAX, 0); run.turn.space.axes().len()];
            for &row in &members {
                grow(&mut edges, rows.codes(row));
            }
            let class_of_rows = Class { number, rows: members, edges };
            of_signature.entry(class.signature()).or_default().push(class_of_rows);
        }
        Self { of_signature, homeless, is_counterfeited }
    }

    /// Whoever has no class goes into one that shows the value already.
    fn take_in(&mut self, run: &BySignatures<'_>) {
        let rows = Rows::new(&run.turn);
        let axes = run.turn.space.axes();
        let loss = |edges: &[(u32, u32)]| -> f64 {
            edges.iter().zip(axes).map(|(&(lo, hi), axis)| axis.cost(lo, hi)).sum()
        };
        // For each value, the signature with the most classes that has it.
        let mut largest: BTreeMap<u32, (usize, Vec<u32>)> = BTreeMap::new();
        for (signature, classes) in &self.of_signature {
            for &value in signature {
                let found = largest.entry(value).or_default();
                if found.0 < classes.len() {
                    *found = (classes.len(), signature.clone());
                }
            }
        }
        for row in std::mem::take(&mut self.homeless) {
            let value = run.turn.value_of_row[row as usize];
            let signature = match run.of_row[row as usize] {
                Some(signature) => Some(&run.signatures[signature]),
                None => largest.get(&value).map(|(_, signature)| signature),
            };
            let classes = signature.and_then(|signature| self.of_signature.get_mut(signature));
            let growth = |class: &Class| {
                let mut edges = class.edges.clone();
                grow(&mut edges, rows.codes(row));
                let (n, codes) = (class.rows.len(), loss(&edges));
                #[expect(clippy::cast_precision_loss, reason = "rows of a class are few")]
                let before = n as f64 * loss(&class.edges);
                #[expect(clippy::cast_precision_loss, reason = "rows of a class are few")]
                let after = (n + 1) as f64 * codes;
                after - before
            };
            let best = classes.and_then(|classes| {
                classes.iter_mut().min_by(|a, b| growth(a).total_cmp(&growth(b)))
            });
            match best {
                Some(class) => {
                    grow(&mut class.edges, rows.codes(row));
                    class.rows.push(row);
                }
                None => self.homeless.push(row),
            }
        }
    }

    /// The release; none where there is no class.
    fn next(self, made: &Next) -> Option<Next> {
        let mut next = Next::of_classes(vec![ABSENT; made.class_of_row.len()]);
        let mut classes: Vec<Class> = self.of_signature.into_values().flatten().collect();
        classes.sort_unstable_by_key(|class| class.number);
        let mut number_of: BTreeMap<u32, u32> = BTreeMap::new();
        for (number, class) in (0..).zip(&classes) {
            number_of.insert(class.number, number);
            class.rows.iter().for_each(|&row| next.class_of_row[row as usize] = number);
        }
        if self.is_counterfeited {
            for counterfeit in &made.counterfeits {
                if let Some(&class) = number_of.get(&counterfeit.class) {
                    let id = u32::try_from(next.counterfeits.len()).expect("they are few");
                    next.counterfeits.push(crate::Counterfeit { class, id, ..*counterfeit });
                }
            }
        }
        (!classes.is_empty()).then_some(next)
    }
}

/// Makes a box cover one more row.
fn grow(edges: &mut [(u32, u32)], codes: &[u32]) {
    for ((lo, hi), &code) in edges.iter_mut().zip(codes) {
        (*lo, *hi) = ((*lo).min(code), (*hi).max(code));
    }
}
