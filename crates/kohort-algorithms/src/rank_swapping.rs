//! Rank swapping: rows exchange values with rows nearby in the order of the column.
//!
//! # Guarantee
//! None that a class could be judged by: every row is published, and there is no k. Every column keeps its
//! values exactly, each as often as before, so that all statistics of one column are exact. No value moves
//! further than the given share of the ranks.
//!
//! # Method
//! 1. Sort the rows by the column.
//! 2. In this order: a row without a partner exchanges its value with a row without a partner among the
//!    next p % of the ranks, each with the same probability.
//! 3. Do so for every ordered column by itself.
//!
//! # Notation
//! p → `swap`, as a share; p % of the ranks → `reach`, in rows; rows without a partner → `Window`.
//!
//! # Cost
//! O(n·log n) time per column, to sort; O(n) memory.
//!
//! # Deviations
//! - Values reach at least one rank far: in a small table p % of the ranks is less than a row.
//! - Rows with equal values are sorted as they stand.
//! - Missing values stay missing and have no rank. Columns of other types stay as they are.
//! - Of an odd number of rows one is left without a partner, near the end of the order.
//!
//! # References
//! Moore, Controlled data-swapping techniques for masking public use microdata sets, 1996.

use kohort_core::{Attribute, Ctx, Kind, Parameter, Spec};

use crate::Draw;
use crate::{Algorithm, Candidate, Facts, Failure, Perturbed, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "rank-swapping",
    title: "rank swapping",
    paper: "Moore 1996",
    promise: "values of similar rank are swapped, and every column keeps its values; gives no k",
    parameters: &[Parameter {
        name: "swap",
        range: "0 < p ≤ 1",
        doc: "the largest distance in rank over which values are swapped, as a share of all ranks",
    }],
};

/// Rank swapping.
pub(crate) struct RankSwapping;

impl Algorithm for RankSwapping {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::PERTURBED
    }

    fn anonymize(&self, _ctx: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let swap = problem.settings().swap;
        if !(swap > 0.0 && swap <= 1.0) {
            let (found, expected) = (swap.to_string(), "above 0 and at most 1");
            return Err(Kind::Parameter { name: "swap", found, expected }.into());
        }
        let is_ranked = |attribute: &Attribute| attribute.value_type().is_ordered();
        if !problem.quasi().iter().any(|attribute| is_ranked(attribute)) {
            let reason = "needs a quasi-identifier of numbers or dates".into();
            return Err(Kind::Unsuited { method: SPEC.id, reason }.into());
        }
        let mut draw = Draw::hidden(problem.settings().secret.0);
        let mut exchange = |attribute: &Attribute| {
            let from = exchange(attribute, swap, &mut draw);
            Perturbed::Codes(attribute.codes().select(&from))
        };
        let shown = problem.quasi().iter().map(|a| is_ranked(a).then(|| exchange(a)));
        let mut candidate = Candidate::perturbed(problem, shown.collect());
        if problem.n_rows() > 1 && reach(problem.n_rows(), swap) == 1 {
            let certain =
                "a value moves by one rank at most: whoever sorts the release can undo it";
            candidate.notes.push(certain.into());
        }
        candidate.notes.push(format!(
            "rows at most a share of {swap} of the ranks apart exchanged values: statistics of one column \
             are exact, and relations between columns are weaker"
        ));
        Ok(candidate)
    }
}

/// For each row, the row whose value it shows.
fn exchange(attribute: &Attribute, swap: f64, draw: &mut Draw) -> Vec<u32> {
    let mut from: Vec<u32> = (0..).take(attribute.codes().len()).collect();
    let code = |row: u32| attribute.codes().get(row as usize);
    let is_present = |row: &u32| attribute.missing() != Some(code(*row));
    let mut sorted: Vec<u32> = from.iter().copied().filter(is_present).collect();
    sorted.sort_by_key(|&row| attribute.value_of_code()[code(row) as usize]);
    for (rank, partner) in partners(sorted.len(), reach(sorted.len(), swap), draw) {
        from.swap(sorted[rank] as usize, sorted[partner] as usize);
    }
    from
}

/// How many ranks a value may move.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a number of rows is one"
)]
fn reach(n: usize, swap: f64) -> usize {
    ((n as f64 * swap) as usize).max(1)
}

/// Step 2: pairs of ranks at most `reach` apart, no rank in two.
fn partners(n: usize, reach: usize, draw: &mut Draw) -> Vec<(usize, usize)> {
    let mut window = Window { free: Vec::new(), place_of_rank: vec![None; n] };
    let mut pairs = Vec::with_capacity(n / 2);
    window.add(0..n.min(reach));
    for rank in 0..n {
        window.add(rank + reach..n.min(rank + reach + 1));
        if window.take(rank) && !window.free.is_empty() {
            let partner = window.free[draw.below(window.free.len())];
            window.take(partner);
            pairs.push((rank, partner));
        }
    }
    pairs
}

/// The ranks without a partner that are near enough, each found in one step.
struct Window {
    free: Vec<usize>,
    place_of_rank: Vec<Option<usize>>,
}

impl Window {
    fn add(&mut self, ranks: std::ops::Range<usize>) {
        for rank in ranks {
            self.place_of_rank[rank] = Some(self.free.len());
            self.free.push(rank);
        }
    }

    /// Takes a rank out, and says whether it was in.
    fn take(&mut self, rank: usize) -> bool {
        let Some(place) = self.place_of_rank[rank].take() else { return false };
        self.free.swap_remove(place);
        if let Some(&moved) = self.free.get(place) {
            self.place_of_rank[moved] = Some(place);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::{Dataset, Role};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::laws::{models, table};
    use crate::tests::tables::{Given, dataset, problem, settings};
    use crate::{Secret, Settings};

    fn swapped(data: &Dataset, swap: f64, secret: u8) -> (Vec<Vec<u32>>, Vec<String>) {
        let settings =
            Settings { swap, secret: Secret::new([secret; 32]), ..settings(data.quasi().len()) };
        let candidate = RankSwapping
            .anonymize(&Ctx::quiet(), &problem(data, models(2, None), settings))
            .unwrap();
        let codes = |shown: &Perturbed| match shown {
            Perturbed::Codes(codes) => codes.iter().collect(),
            Perturbed::Numbers(_) => panic!("values are exchanged, not made"),
        };
        (candidate.perturbed.iter().map(codes).collect(), candidate.notes)
    }

    #[test]
    fn with_a_reach_of_one_rank_neighbors_change_places() {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &["30", "10", "", "20", "50", "40"]),
            Given::flat("sex", Role::Quasi, &["f", "m", "f", "m", "f", "m"]),
        ]);
        let (shown, notes) = swapped(&data, 0.05, 1);
        // In order: 10 and 20, 30 and 40; 50 is left over, missing is the last code.
        assert_eq!(shown, [[3, 1, 5, 0, 4, 2], [0, 1, 0, 1, 0, 1]]);
        assert_eq!(
            notes,
            [
                "`sex` is published as it is: the method is not for its type",
                "a value moves by one rank at most: whoever sorts the release can undo it",
                "rows at most a share of 0.05 of the ranks apart exchanged values: statistics of one \
                 column are exact, and relations between columns are weaker",
            ]
        );
    }

    #[test]
    fn every_partner_within_reach_is_as_likely() {
        let mut counts = [0; 5];
        let mut draw = Draw::new(3);
        for _ in 0..4000 {
            counts[partners(8, 4, &mut draw)[0].1] += 1;
        }
        // A quarter each; four standard errors of a count are 110.
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|count| (890..=1110).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_share_of_nothing_and_categories_alone_are_refused() {
        let data = dataset(&[Given::flat("sex", Role::Quasi, &["f", "m"])]);
        let check = |swap, message: &str| {
            let problem = problem(&data, models(2, None), Settings { swap, ..settings(1) });
            let Err(Failure::Error(error)) = RankSwapping.anonymize(&Ctx::quiet(), &problem) else {
                panic!("it is refused")
            };
            assert_eq!(error.to_string(), message);
        };
        check(0.0, "`swap` must be above 0 and at most 1, but is 0");
        check(f64::NAN, "`swap` must be above 0 and at most 1, but is NaN");
        check(0.1, "`rank-swapping` needs a quasi-identifier of numbers or dates");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn ranks_are_paired_within_reach(n in 0_usize..200, reach in 1_usize..250, seed: u64) {
            let pairs = partners(n, reach, &mut Draw::new(seed));
            prop_assert!(pairs.iter().all(|(a, b)| a < b && b - a <= reach));
            let mut ranks: Vec<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
            ranks.sort_unstable();
            ranks.dedup();
            prop_assert_eq!(ranks.len(), n / 2 * 2);
        }

        #[test]
        fn columns_keep_their_values_and_none_moves_too_far(data in table(), swap in 0.01..1.0, secret: u8) {
            let quasi = data.quasi();
            prop_assume!(quasi[0].value_type().is_ordered());
            let (shown, _) = swapped(&data, swap, secret);
            for (attribute, shown) in quasi.iter().zip(&shown) {
                let sorted = |mut codes: Vec<u32>| { codes.sort_unstable(); codes };
                let before = sorted(attribute.codes().iter().collect());
                prop_assert_eq!(&sorted(shown.clone()), &before);
                if !attribute.value_type().is_ordered() {
                    continue;
                }
                // The nearest ranks of the two values; a column of numbers has its codes in order.
                let n = before.iter().filter(|code| attribute.missing() != Some(**code)).count();
                for (old, &new) in attribute.codes().iter().zip(shown) {
                    let (low, high) = (old.min(new), old.max(new));
                    let end = before.partition_point(|&code| code <= low);
                    let start = before.partition_point(|&code| code < high);
                    prop_assert!(low == high || start - (end - 1) <= reach(n, swap));
                }
            }
        }
    }
}
