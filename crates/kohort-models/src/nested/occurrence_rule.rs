//! (p,m)-privacy: nobody can tell with more than a stated probability that a value occurs often in the
//! records of one person.
//!
//! # Definition
//! A rule (s, m, p) holds for a group of people when, for every member, the probability that the value s
//! occurs at least m times in the member's tree is at most p. Each form of a release has its own formula:
//! - t-t anatomy: μ/|G|, where μ of the |G| sensitive trees have s at least m times;
//! - v-v anatomy: Pr[X ≥ m], where X sums independent draws, one for each list of sensitive values, that
//!   are s with the share of s in the list (a Poisson binomial);
//! - generalized trees: the share of the members of a class that have s at least m times.
//!
//! # Promise
//! Whoever knows all quasi-identifiers and the structure of a tree links it to m or more occurrences of s
//! with probability p at most.
//!
//! # What it does not promise
//! Nothing about values without a rule, nor about fewer than m occurrences. What holds for trees need not
//! hold for lists: two trees with s once each, at different places, have no tree with two occurrences,
//! but lists that give two of them with probability 1/4.
//!
//! # Parameters
//! `value`, `at-least` (m ≥ 1), `probability` (0 < p ≤ 1, a rational).
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017, Definitions 18, 19, 21 and 23.

use kohort_core::{Error, Kind, Parameter, Ratio, Spec};
use num_bigint::BigUint;

/// What the model is.
pub const SPEC: Spec = Spec {
    id: "pm-privacy",
    title: "(p,m)-privacy",
    paper: "Özalp 2017",
    promise: "nobody is known with a probability above p to have a value m times or more",
    parameters: &[
        Parameter { name: "value", range: "a sensitive value", doc: "the value of the rule" },
        Parameter {
            name: "at-least",
            range: "m ≥ 1",
            doc: "the number of occurrences in one person's records that discloses something",
        },
        Parameter {
            name: "probability",
            range: "0 < p ≤ 1",
            doc: "the largest probability with which somebody may be known to have that many",
        },
        Parameter {
            name: "attribute",
            range: "a sensitive attribute",
            doc: "the attribute that has the value; every such attribute by default",
        },
    ],
};

/// A discriminatory rule about one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccurrenceRule {
    code_of_kind: Vec<Option<u32>>,
    // Invariant: at least 1.
    at_least: u32,
    // Invariant: above 0 and at most 1.
    probability: Ratio,
}

impl OccurrenceRule {
    /// A rule about a value, given by its code in the sensitive attribute of each kind of vertex, none
    /// where it does not occur: that it occurs `at_least` so often (m) has at most this `probability` (p).
    pub fn new(
        code_of_kind: Vec<Option<u32>>,
        at_least: u32,
        probability: Ratio,
    ) -> Result<Self, Error> {
        if at_least == 0 {
            let found = at_least.to_string();
            return Err(Kind::Parameter { name: "at-least", found, expected: "at least 1" }.into());
        }
        if probability.num() == 0 || probability > Ratio::whole(1) {
            let found = probability.to_string();
            let expected = "above 0 and at most 1";
            return Err(Kind::Parameter { name: "probability", found, expected }.into());
        }
        Ok(Self { code_of_kind, at_least, probability })
    }

    /// How many occurrences disclose: m.
    pub fn at_least(&self) -> u32 {
        self.at_least
    }

    /// How likely that may be: p.
    pub fn probability(&self) -> Ratio {
        self.probability
    }

    /// The code of the value in the sensitive attribute of a kind; none where it does not occur.
    pub fn code_of_kind(&self, kind: usize) -> Option<u32> {
        self.code_of_kind[kind]
    }

    /// Whether a vertex of a kind with a sensitive code is an occurrence.
    pub fn is_occurrence(&self, kind: usize, code: u32) -> bool {
        self.code_of_kind[kind] == Some(code)
    }

    /// The probability in t-t anatomy: of so many members, so many have the value at least m times.
    ///
    /// # Panics
    /// When there is no member.
    pub fn tree_probability(n_violating: u64, n_members: u64) -> Ratio {
        Ratio::new(n_violating, n_members)
    }

    /// The probability in v-v anatomy. Each group is a list of sensitive values: how many are this value,
    /// and how many there are.
    ///
    /// Exact where the denominator fits; else rounded up to a denominator that p has, too, so that it is
    /// above p just when the exact probability is.
    ///
    /// # Panics
    /// When a list has more of the value than there are.
    pub fn vertex_probability(&self, groups: impl IntoIterator<Item = (u64, u64)>) -> Ratio {
        let groups: Vec<(u64, u64)> = groups.into_iter().filter(|&(count, _)| count > 0).collect();
        if groups.len() < self.at_least as usize {
            return Ratio::whole(0);
        }
        // fewer[j] / all is the probability of exactly j occurrences, for j < m.
        let mut fewer = vec![BigUint::ZERO; self.at_least as usize];
        fewer[0] = BigUint::from(1_u32);
        let mut all = BigUint::from(1_u32);
        for (count, size) in groups {
            assert!(count <= size, "a list has values, and some of them are this one");
            for occurrences in (0..fewer.len()).rev() {
                fewer[occurrences] *= size - count;
                if occurrences > 0 {
                    let one_less = &fewer[occurrences - 1] * count;
                    fewer[occurrences] += one_less;
                }
            }
            all *= size;
        }
        self.at_or_above(&(&all - fewer.into_iter().sum::<BigUint>()), &all)
    }

    fn at_or_above(&self, num: &BigUint, den: &BigUint) -> Ratio {
        if let (Ok(num), Ok(den)) = (u64::try_from(num), u64::try_from(den)) {
            return Ratio::new(num, den);
        }
        let common = u64::MAX / self.probability.den() * self.probability.den();
        let up = (num * common + den - 1_u32) / den;
        Ratio::new(u64::try_from(up).expect("a probability is at most 1"), common)
    }

    /// The probability in a class of generalized trees, from how often the value occurs in each member.
    ///
    /// # Panics
    /// When there is no member.
    pub fn generalized_probability(&self, occurrences: impl IntoIterator<Item = u32>) -> Ratio {
        let (mut n_violating, mut n_members) = (0, 0);
        for occurrences in occurrences {
            n_violating += u64::from(occurrences >= self.at_least);
            n_members += 1;
        }
        Ratio::new(n_violating, n_members)
    }

    /// Whether a probability is small enough.
    pub fn holds(&self, probability: Ratio) -> bool {
        probability <= self.probability
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(at_least: u32, num: u64, den: u64) -> OccurrenceRule {
        OccurrenceRule::new(vec![Some(0)], at_least, Ratio::new(num, den)).unwrap()
    }

    #[test]
    fn a_rule_about_no_occurrence_or_no_probability_is_refused() {
        let refused = |at_least, num, den| {
            let rule = OccurrenceRule::new(vec![], at_least, Ratio::new(num, den));
            rule.unwrap_err().to_string()
        };
        assert_eq!(refused(0, 1, 2), "`at-least` must be at least 1, but is 0");
        let expected = "`probability` must be above 0 and at most 1, but is";
        assert_eq!(refused(1, 0, 2), format!("{expected} 0"));
        assert_eq!(refused(1, 3, 2), format!("{expected} 3/2"));
    }

    #[test]
    fn section_5_1_largest_eta() {
        // (l, m, p) → the most lists of l values that may have the value once.
        let given = [
            (2, 2, (1, 2), 3),
            (3, 2, (1, 3), 3),
            (4, 2, (1, 4), 3),
            (2, 1, (1, 2), 1),
            (3, 3, (3, 4), 10),
            (2, 3, (3, 4), 6),
        ];
        for (l, m, (num, den), eta) in given {
            let rule = rule(m, num, den);
            let holds = |eta| rule.holds(rule.vertex_probability(vec![(1, l); eta]));
            assert!(holds(eta) && !holds(eta + 1), "l {l}, m {m}, p {num}/{den}");
        }
    }

    #[test]
    fn figure_3_4_aids_is_a_half_and_alcohol_a_quarter_or_three() {
        // {O+,AB−}, {Alcohol,AIDS}, {Alcohol,Flu}, {Diarrhoea,Cold}
        assert_eq!(rule(1, 1, 2).vertex_probability([(1, 2)]), Ratio::new(1, 2));
        assert_eq!(rule(2, 1, 2).vertex_probability([(1, 2), (1, 2)]), Ratio::new(1, 4));
        assert_eq!(rule(1, 1, 2).vertex_probability([(1, 2), (1, 2)]), Ratio::new(3, 4));
    }

    #[test]
    fn figure_3_3_both_rules_hold_for_trees() {
        // One tree has Alcohol twice and no AIDS, the other AIDS once.
        let (aids, alcohol) = (rule(1, 1, 2), rule(2, 1, 2));
        assert_eq!(aids.generalized_probability([0, 1]), Ratio::new(1, 2));
        assert!(aids.holds(OccurrenceRule::tree_probability(1, 2)));
        assert!(alcohol.holds(alcohol.generalized_probability([2, 0])));
    }

    #[test]
    fn trees_that_keep_a_rule_can_break_it_as_lists() {
        // l = 2: tree A has s at place 1 only, B at place 2 only; m = 2.
        let rule = rule(2, 1, 5);
        assert_eq!(rule.generalized_probability([1, 1]), Ratio::whole(0));
        let of_lists = rule.vertex_probability([(1, 2), (1, 2)]);
        assert_eq!(of_lists, Ratio::new(1, 4));
        assert!(!rule.holds(of_lists));
    }

    #[test]
    fn figure_3_12_a_third_is_more_than_0_33() {
        let of_trees = |n| OccurrenceRule::tree_probability(n, 3);
        let decimal = OccurrenceRule::new(vec![], 2, "0.33".parse().unwrap()).unwrap();
        assert!(decimal.holds(of_trees(0)) && !decimal.holds(of_trees(1)));
        let third = rule(2, 1, 3);
        assert!(third.holds(of_trees(1)) && !third.holds(of_trees(2)));
    }

    #[test]
    fn what_does_not_fit_is_rounded_up_and_still_decided_exactly() {
        let certain = |n| std::iter::repeat_n((7, 7), n);
        // Beside 90 lists of this value alone, one in which it is every third: exactly 1/3.
        let (at, below) = (rule(91, 1, 3), rule(91, 333_333_333, 1_000_000_000));
        let lists = || certain(90).chain([(1, 3)]);
        assert_eq!(at.vertex_probability(lists()), Ratio::new(1, 3));
        assert!(at.holds(at.vertex_probability(lists())));
        assert!(!below.holds(below.vertex_probability(lists())));
        // A 2^100th of a chance is above nothing.
        let tiny = rule(100, 1, 2).vertex_probability(vec![(1, 2); 100]);
        assert!(tiny > Ratio::whole(0) && tiny.value() < 1e-18);
        let almost = rule(1, 1, 1).vertex_probability(vec![(1, 3); 50]);
        assert!((almost.value() - (1.0 - (2.0_f64 / 3.0).powi(50))).abs() < 1e-15);
    }

    #[test]
    fn more_occurrences_than_lists_have_no_probability() {
        let lists = [(1, 2), (0, 2), (2, 2)];
        assert_eq!(rule(3, 1, 2).vertex_probability(lists), Ratio::whole(0));
        assert_eq!(rule(u32::MAX, 1, 2).vertex_probability(lists), Ratio::whole(0));
        assert_eq!(rule(2, 1, 2).vertex_probability(lists), Ratio::new(1, 2));
    }

    proptest! {
        #[test]
        fn the_formula_is_the_share_of_all_draws(
            lists in prop::collection::vec((0_u64..4, 0_u64..3), 0..7), at_least in 1_u32..5
        ) {
            let lists: Vec<(u64, u64)> =
                lists.iter().map(|&(count, others)| (count, (count + others).max(1))).collect();
            let all: u64 = lists.iter().map(|&(_, size)| size).product();
            let often = (0..all).filter(|&draw| {
                let mut rest = draw;
                let drawn = lists.iter().filter(|&&(count, size)| {
                    let value = rest % size;
                    rest /= size;
                    value < count
                });
                drawn.count() >= at_least as usize
            });
            let expected = Ratio::new(u64::try_from(often.count()).unwrap(), all);
            prop_assert_eq!(rule(at_least, 1, 2).vertex_probability(lists), expected);
        }
    }
}
