//! Releases of different columns by signatures: whoever is in classes of the same m values each time has
//! these values left in every join.
//!
//! # Method
//! 1. What the earlier classes of a person have in common is cut into sets of m values, those that are
//!    equally frequent together, and what is left over into the last. The set with the person's value is the
//!    signature. Who comes gets the signature with the value, and values that are in none are cut likewise:
//!    signatures have no value in common, so that the rows of several classes, which cover somebody
//!    together, are as balanced as those of one.
//! 2. m-invariance makes classes of one row of each value of a signature.
//! 3. Who is in a class with a counterfeit is held back, unless counterfeits were asked for. Nobody is put
//!    into a class that shows the value already: where everybody else's values balance, the one too many
//!    would be known.

use std::collections::BTreeMap;

use kohort_core::{ABSENT, Ctx, History, ReleasedClass, SeriesRelease};

use crate::m_invariance::by_buckets;
use crate::{Next, Surplus, Turn};

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
        // The one signature that has a value; none where several have it.
        let mut of_new: BTreeMap<u32, Option<usize>> = BTreeMap::new();
        for (signature, &number) in number_of.iter().filter(|(set, _)| set.len() >= m as usize) {
            for &value in signature {
                of_new.entry(value).and_modify(|found| *found = None).or_insert(Some(number));
            }
        }
        let rest: Vec<u32> = n_rows.keys().copied().filter(|v| !of_new.contains_key(v)).collect();
        if rest.len() >= m as usize {
            for set in cut(&rest, m as usize, |value| n_rows.get(&value).copied().unwrap_or(0)) {
                let n = number_of.len();
                of_new.extend(set.iter().map(|&value| (value, Some(n))));
                number_of.insert(set, n);
            }
        }
        let of_row = common_of.into_iter().zip(turn.value_of_row).map(|(common, value)| {
            let Some(common) = common else { return of_new.get(value).copied().flatten() };
            let alone = number_of.len();
            // A value that is none of those in common is a signature of its own, and too small.
            let found = of_value[common].get(value).copied();
            found.or_else(|| Some(*number_of.entry(vec![*value]).or_insert(alone)))
        });
        let of_row: Vec<Option<usize>> = of_row.collect();
        let mut signatures = vec![Vec::new(); number_of.len()];
        for (signature, number) in number_of {
            signatures[number] = signature;
        }
        Self { turn: *turn, m, signatures, of_row, is_wide }
    }

    /// Where everybody has a signature, nobody is there to fill what is short: of each, as many rows of a
    /// value as of its rarest stay, and the others are alone.
    fn hold_back_surplus(&mut self) {
        if self.of_row.contains(&None) {
            return;
        }
        let mut rows_of: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        for (row, signature) in self.of_row.iter().enumerate() {
            let key = signature.map(|signature| (signature, self.turn.value_of_row[row]));
            rows_of.entry(key.unwrap_or_default()).or_default().push(row);
        }
        let mut alone: BTreeMap<u32, usize> = BTreeMap::new();
        for number in 0..self.signatures.len() {
            let of_value =
                |value: &u32| rows_of.get(&(number, *value)).map_or(&[][..], Vec::as_slice);
            let signature = self.signatures[number].clone();
            let fewest = signature.iter().map(|value| of_value(value).len()).min().unwrap_or(0);
            for value in signature {
                for &row in of_value(&value).iter().skip(fewest) {
                    let signatures = &mut self.signatures;
                    self.of_row[row] = Some(*alone.entry(value).or_insert_with(|| {
                        signatures.push(vec![value]);
                        signatures.len() - 1
                    }));
                }
            }
        }
    }

    /// Steps 2 and 3; none where there is no class.
    pub(super) fn make(&mut self, ctx: &Ctx<'_>, surplus: Surplus) -> Option<Next> {
        if surplus == Surplus::HoldBack {
            self.hold_back_surplus();
        }
        let history = self.history();
        let turn = Turn { history: &history, ..self.turn };
        let mut next = by_buckets(ctx, &turn, self.m, surplus).ok()?;
        let classes = next.released(&self.turn).classes;
        let mut n_classes = 0;
        let number = |class: &ReleasedClass| {
            let is_true = surplus == Surplus::Counterfeit || class.n_counterfeits == 0;
            let is_whole = is_true && class.values.len() >= self.m as usize;
            n_classes += u32::from(is_whole);
            if is_whole { n_classes - 1 } else { ABSENT }
        };
        let number_of: Vec<u32> = classes.iter().map(number).collect();
        for class in next.class_of_row.iter_mut().filter(|class| **class != ABSENT) {
            *class = number_of[*class as usize];
        }
        next.counterfeits.retain_mut(|counterfeit| {
            counterfeit.class = number_of[counterfeit.class as usize];
            counterfeit.class != ABSENT
        });
        for (id, counterfeit) in (0..).zip(&mut next.counterfeits) {
            counterfeit.id = id;
        }
        (n_classes > 0).then_some(next)
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
    for set in &mut sets {
        set.sort_unstable();
    }
    sets
}
