//! How sensitive values follow one another: listed pairs P(later | earlier), completed to a row for every
//! value.
//!
//! # Definition
//! A row lists what is known of the values that follow x. The mass that it leaves goes to the values it
//! does not list, in proportion to their share of the population; a pair listed with 0 never happens.
//! Where no unlisted value has a share, the listed pairs are scaled to a sum of 1.
//!
//! # References
//! Abdalaal 2012 §4.3, Table 37. The completion by population share is ours: Abdalaal 2012 spreads the
//! mass over the values of a class, so that publishing changes how diseases develop.

use std::collections::BTreeMap;

use kohort_core::{Error, Kind, Ratio};

/// Sums this close to 1 are 1: probabilities are decimals.
const NOISE: f64 = 1e-12;

/// Listed pairs P(later | earlier), by earlier value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Correlations {
    // One row per value up to the last that lists something; probabilities are from 0 to 1, rows sum to
    // at most 1, pairs are in ascending order of the later value.
    rows: Vec<Row>,
    // The earlier values that list each value as the later one, ascending, with the probabilities.
    columns: Vec<Vec<(u32, f64)>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    listed: Vec<(u32, f64)>,
    sum: f64,
}

impl Row {
    /// The mass that no pair has.
    fn rest(&self) -> f64 {
        if self.sum > 1.0 - NOISE { 0.0 } else { 1.0 - self.sum }
    }
}

impl Correlations {
    /// The table of these pairs: earlier value, later value, probability.
    pub fn new(pairs: &[(u32, u32, Ratio)]) -> Result<Self, Error> {
        let lines = (1..).zip(pairs.iter().copied());
        Self::of_lines("the correlations", lines)
    }

    /// The table of a file with a line number and the texts `from`, `to`, `probability` for each of its
    /// lines; `number_of` knows the values of the sensitive column.
    pub fn read<'t>(
        source_name: &str,
        column: &str,
        lines: impl IntoIterator<Item = (u64, [&'t str; 3])>,
        mut number_of: impl FnMut(&str) -> Option<u32>,
    ) -> Result<Self, Error> {
        let mut pairs = Vec::new();
        for (line, [from, to, probability]) in lines {
            let mut number = |field: &str, text: &str| {
                let unknown = || format!("`{field}` is not a value of column `{column}`");
                number_of(text).ok_or_else(|| fault(source_name, line, unknown()))
            };
            let (from, to) = (number("from", from)?, number("to", to)?);
            let probability = Ratio::share(probability).map_err(|expected| {
                fault(source_name, line, format!("`probability`: {expected}"))
            })?;
            pairs.push((line, (from, to, probability)));
        }
        Self::of_lines(source_name, pairs)
    }

    fn of_lines(
        source_name: &str,
        lines: impl IntoIterator<Item = (u64, (u32, u32, Ratio))>,
    ) -> Result<Self, Error> {
        let mut pairs = BTreeMap::new();
        for (line, (from, to, probability)) in lines {
            if Ratio::whole(1) < probability {
                let problem = "`probability` must be at most 1".to_owned();
                return Err(fault(source_name, line, problem));
            }
            if pairs.insert((from, to), (line, probability.value())).is_some() {
                let problem = "`from` and `to` are the pair of an earlier line".to_owned();
                return Err(fault(source_name, line, problem));
            }
        }
        let mut table = Self::default();
        for ((from, to), (line, probability)) in pairs {
            if table.rows.len() <= from as usize {
                table.rows.resize(from as usize + 1, Row::default());
            }
            if table.columns.len() <= to as usize {
                table.columns.resize(to as usize + 1, Vec::new());
            }
            let row = &mut table.rows[from as usize];
            row.listed.push((to, probability));
            row.sum += probability;
            table.columns[to as usize].push((from, probability));
            if row.sum > 1.0 + NOISE {
                let problem = "the probabilities of one `from` must sum to at most 1".to_owned();
                return Err(fault(source_name, line, problem));
            }
        }
        Ok(table)
    }

    /// One more than the highest value of any pair.
    pub fn n_values(&self) -> u32 {
        let n = self.rows.len().max(self.columns.len());
        u32::try_from(n).expect("values are numbered in u32")
    }

    /// Whether whoever has the value keeps it.
    pub fn is_permanent(&self, value: u32) -> bool {
        self.listed(value, value).is_some_and(|probability| probability > 1.0 - NOISE)
    }

    /// P(later | earlier), if the pair is listed.
    pub fn listed(&self, earlier: u32, later: u32) -> Option<f64> {
        let listed = self.row(earlier);
        let at = listed.binary_search_by_key(&later, |&(later, _)| later).ok()?;
        Some(listed[at].1)
    }

    /// The later values that a row lists, with their probabilities.
    pub fn row(&self, earlier: u32) -> &[(u32, f64)] {
        self.rows.get(earlier as usize).map_or(&[], |row| &row.listed)
    }

    /// The earlier values that list a later one, with their probabilities.
    pub fn column(&self, later: u32) -> &[(u32, f64)] {
        self.columns.get(later as usize).map_or(&[], Vec::as_slice)
    }

    /// The whole matrix, with the mass of unlisted pairs by these shares of the values.
    pub fn complete(&self, shares: Vec<f64>) -> Transition<'_> {
        let total: f64 = shares.iter().sum();
        let rows = (0..shares.len()).map(|earlier| {
            let Some(row) = self.rows.get(earlier) else { return (1.0 / total, 1.0) };
            let is_listed =
                |later: u32| row.listed.binary_search_by_key(&later, |&(later, _)| later).is_ok();
            let others = (0..).zip(&shares).filter(|&(later, _)| !is_listed(later));
            let unlisted: f64 = others.map(|(_, share)| share).sum();
            let rest = row.rest();
            if rest == 0.0 {
                (0.0, 1.0)
            } else if unlisted > 0.0 {
                (rest / unlisted, 1.0)
            } else {
                (0.0, if row.sum > 0.0 { 1.0 / row.sum } else { 0.0 })
            }
        });
        let (scale, lift) = rows.unzip();
        Transition { correlations: self, shares, scale, lift }
    }
}

fn fault(source_name: &str, line: u64, problem: String) -> Error {
    Kind::Correlations { source_name: source_name.to_owned(), line, problem }.into()
}

/// The chance of every step from one release to the next: a row-stochastic matrix.
#[derive(Clone, Debug)]
pub struct Transition<'a> {
    correlations: &'a Correlations,
    shares: Vec<f64>,
    // What an unlisted pair has for each unit of the later value's share, by earlier value.
    scale: Vec<f64>,
    // What a listed pair is multiplied with.
    lift: Vec<f64>,
}

impl Transition<'_> {
    /// The number of values.
    pub fn n_values(&self) -> u32 {
        u32::try_from(self.shares.len()).expect("values are numbered in u32")
    }

    /// P(later | earlier).
    #[inline]
    pub fn probability(&self, earlier: u32, later: u32) -> f64 {
        let unlisted = || self.shares[later as usize] * self.unlisted_rate(earlier);
        self.listed(earlier, later).unwrap_or_else(unlisted)
    }

    /// P(later | earlier) where the pair is listed.
    #[inline]
    pub fn listed(&self, earlier: u32, later: u32) -> Option<f64> {
        Some(self.correlations.listed(earlier, later)? * self.lift[earlier as usize])
    }

    /// What an unlisted pair has for each unit of the later value's share.
    #[inline]
    pub fn unlisted_rate(&self, earlier: u32) -> f64 {
        self.scale[earlier as usize]
    }

    /// The earlier values that list a later one, ascending, with P(later | earlier).
    pub fn listing(&self, later: u32) -> impl Iterator<Item = (u32, f64)> + Clone {
        let listed = self.correlations.column(later).iter();
        listed.map(|&(earlier, chance)| (earlier, chance * self.lift[earlier as usize]))
    }

    /// The later values that an earlier one lists, ascending, with P(later | earlier).
    pub fn listed_from(&self, earlier: u32) -> impl Iterator<Item = (u32, f64)> + Clone {
        let lift = self.lift[earlier as usize];
        self.correlations.row(earlier).iter().map(move |&(later, chance)| (later, chance * lift))
    }

    /// P(later | earlier) for these later values, which are ascending.
    pub fn steps(
        &self,
        earlier: u32,
        later: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = f64> {
        let rate = self.scale[earlier as usize];
        let mut listed = self.listed_from(earlier).peekable();
        later.map(move |later| {
            while listed.next_if(|&(value, _)| value < later).is_some() {}
            match listed.next_if(|&(value, _)| value == later) {
                Some((_, chance)) => chance,
                None => rate * self.shares[later as usize],
            }
        })
    }

    /// Adds what each earlier value expects of a later one with this weight.
    pub fn expect(&self, later: u32, weight: f64, expected: &mut [f64]) {
        let unlisted = weight * self.shares[later as usize];
        let listed = self.correlations.column(later);
        let before: Vec<f64> = listed.iter().map(|&(x, _)| expected[x as usize]).collect();
        for (expected, rate) in expected.iter_mut().zip(&self.scale) {
            *expected += unlisted * rate;
        }
        for (&(earlier, chance), before) in listed.iter().zip(before) {
            let earlier = earlier as usize;
            expected[earlier] = before + weight * (chance * self.lift[earlier]);
        }
    }

    /// The weights of later values, given those of earlier ones.
    pub fn push(
        &self,
        from: &[(u32, f64)],
        to: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = (u32, f64)> {
        let weights = Weights::new(from, &self.scale);
        to.map(move |later| {
            let listed = self.listing(later);
            (later, weights.sum(listed, &self.scale, self.shares[later as usize]))
        })
    }

    /// What earlier values expect of later ones with these weights.
    pub fn pull(
        &self,
        to: &[(u32, f64)],
        from: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = (u32, f64)> {
        let weights = Weights::new(to, &self.shares);
        from.map(move |earlier| {
            let listed = self.listed_from(earlier);
            (earlier, weights.sum(listed, &self.shares, self.scale[earlier as usize]))
        })
    }
}

/// Where so small a part of a sum is left after what is listed was taken out of it, the part is added up by
/// itself: a difference of near equals has few digits.
const SMALL: f64 = 0.125;

/// Weights of values, for sums in which few values have a chance of their own and all others a factor each:
/// the others are added up once for all sums.
struct Weights {
    of_value: Vec<f64>,
    others: f64,
}

impl Weights {
    fn new(weights: &[(u32, f64)], factors: &[f64]) -> Self {
        let mut of_value = vec![0.0; factors.len()];
        for &(value, weight) in weights {
            of_value[value as usize] = weight;
        }
        let others = weights.iter().map(|&(value, weight)| weight * factors[value as usize]).sum();
        Self { of_value, others }
    }

    /// The weights of the listed values with their chances, and those of the others with their factors and
    /// the rate.
    fn sum(
        &self,
        listed: impl Iterator<Item = (u32, f64)> + Clone,
        factors: &[f64],
        rate: f64,
    ) -> f64 {
        let (mut sum, mut others) = (0.0, self.others);
        for (value, chance) in listed.clone() {
            // A value beyond the matrix has no weight.
            let Some(weight) = self.of_value.get(value as usize) else { continue };
            sum += weight * chance;
            others -= weight * factors[value as usize];
        }
        if others < SMALL * self.others {
            others = 0.0;
            let mut listed = listed.map(|(value, _)| value).peekable();
            for (value, (weight, factor)) in (0..).zip(self.of_value.iter().zip(factors)) {
                if listed.next_if_eq(&value).is_none() {
                    others += weight * factor;
                }
            }
        }
        sum + rate * others
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &[[&str; 3]]) -> Result<Correlations, String> {
        let number_of = |text: &str| ["a", "b", "c"].iter().position(|v| *v == text);
        let number_of = |text: &str| number_of(text).and_then(|at| u32::try_from(at).ok());
        let lines = (2..).zip(lines.iter().copied());
        Correlations::read("c.csv", "disease", lines, number_of).map_err(|error| error.to_string())
    }

    #[test]
    fn what_a_row_leaves_goes_to_unlisted_values_by_share() {
        let table = read(&[["a", "b", "40%"], ["b", "b", "1"], ["c", "a", "0"]]).unwrap();
        let matrix = table.complete(vec![0.5, 0.3, 0.2]);
        let row = |from| [0, 1, 2].map(|to| matrix.probability(from, to));
        let near = |found: [f64; 3], expected: [f64; 3]| {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
            }
        };
        near(row(0), [0.6 * 5.0 / 7.0, 0.4, 0.6 * 2.0 / 7.0]);
        near(row(1), [0.0, 1.0, 0.0]);
        near(row(2), [0.0, 0.6, 0.4]);
        assert!(table.is_permanent(1) && !table.is_permanent(0) && !table.is_permanent(7));
    }

    #[test]
    fn faults_are_named_by_line_and_field_and_no_value_is_shown() {
        let check = |lines: &[[&str; 3]], expected: &str| {
            assert_eq!(read(lines).unwrap_err(), expected);
        };
        check(
            &[["a", "b", "1"], ["secret", "b", "1"]],
            "c.csv, line 3: `from` is not a value of column `disease`",
        );
        check(&[["a", "q", "1"]], "c.csv, line 2: `to` is not a value of column `disease`");
        check(
            &[["a", "b", "most"]],
            "c.csv, line 2: `probability`: expected a number such as 3, 0.02 or 1/3",
        );
        check(&[["a", "b", "1.01"]], "c.csv, line 2: `probability` must be at most 1");
        check(
            &[["a", "c", "0.6"], ["a", "b", "0.6"]],
            "c.csv, line 2: the probabilities of one `from` must sum to at most 1",
        );
        check(
            &[["a", "b", "0.1"], ["a", "b", "0.2"]],
            "c.csv, line 3: `from` and `to` are the pair of an earlier line",
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn rows_sum_to_one_and_push_and_pull_multiply_by_the_matrix(
            pairs in prop::collection::btree_map((0_u32..5, 0_u32..5), 0_u64..=4, 0..12),
            counts in prop::collection::vec(0_u32..4, 5),
            weights in prop::collection::vec(0_u32..4, 5),
        ) {
            prop_assume!(counts.iter().sum::<u32>() > 0);
            let pairs: Vec<(u32, u32, Ratio)> =
                pairs.into_iter().map(|((x, y), p)| (x, y, Ratio::new(p, 20))).collect();
            let table = Correlations::new(&pairs).unwrap();
            let matrix = table.complete(counts.iter().map(|&n| f64::from(n) / 7.0).collect());
            let message: Vec<(u32, f64)> = (0..).zip(weights.iter().map(|&n| f64::from(n))).collect();
            let pushed: Vec<(u32, f64)> = matrix.push(&message, 0..5).collect();
            let pulled: Vec<(u32, f64)> = matrix.pull(&message, 0..5).collect();
            for x in 0..5 {
                let sum: f64 = (0..5).map(|y| matrix.probability(x, y)).sum();
                let nowhere = table.row(x).iter().all(|&(_, p)| p == 0.0) && sum == 0.0;
                prop_assert!(nowhere || (sum - 1.0).abs() < 1e-9, "{sum}");
                let plain_push: f64 =
                    message.iter().map(|&(z, w)| w * matrix.probability(z, x)).sum();
                let plain_pull: f64 =
                    message.iter().map(|&(y, w)| w * matrix.probability(x, y)).sum();
                prop_assert!((pushed[x as usize].1 - plain_push).abs() < 1e-9);
                prop_assert!((pulled[x as usize].1 - plain_pull).abs() < 1e-9);
            }
        }
    }
}
