//! Complete disjoint projections: every set of sensitive attributes that go together is published by
//! itself, its rows shuffled in each class.
//!
//! # Guarantee
//! Every class has at least l values of every sensitive attribute, and keeps every other promise; what is
//! known about the attributes of one projection tells nothing about those of another. There is no bound on
//! a probability: neither l-pdiversity nor l-mdiversity is kept. How attributes of different projections go
//! together is lost.
//!
//! # Method
//! 1. Put sensitive attributes into one set that are strongly associated (Cramér's V of at least 1/2), and
//!    those that are with one of them.
//! 2. Cut the table by Mondrian while every class has l values of every sensitive attribute.
//! 3. Project: in every class the rows of each set are put in random order, for each set by itself.
//!
//! # Notation
//! The association-loss ratio → the share of the pairs of attributes that are in different sets, weighted
//! by their association.
//!
//! # Cost
//! That of Mondrian, O(n·d²) for the associations, O(n·d) memory.
//!
//! # Deviations
//! - All projections have the same classes. So they are one table in which each set is shuffled within
//!   the class, and joining them again tells nothing that the classes do not: classes of their own would
//!   meet in smaller ones.
//! - The paper asks for t-closeness or any other condition in a projection: the distinct l of the goal.
//! - Step 1 and the ratio are reconstructed.
//! - The paper's measure of privacy, the information-exposure ratio, is not here: its abstract names it,
//!   and no document at hand defines it. What the release exposes is measured as for every method: the
//!   largest probability of a guess, the levels of l-pdiversity and l-mdiversity, and the attacks.
//!
//! # References
//! Fang et al. 2011, as described in section 3.7 of Abdalaal 2012.

use kohort_core::{Attribute, Cell, Ctx, Spec, group};

use crate::Draw;
use crate::shared_l::{distinct_each, instead, l_of_all};
use crate::{Algorithm, Candidate, Facts, Failure, Problem, mondrian};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "codip",
    title: "complete disjoint projections",
    paper: "Fang et al. 2011",
    promise: "sensitive attributes that are not correlated are shuffled separately, with l \
              values of each in a class; no bound on a probability, and links between attributes \
              are lost",
    parameters: &[],
};

/// Attributes with at least this association are published together.
const STRONG: f64 = 0.5;

/// Complete disjoint projections.
pub(crate) struct Codip;

impl Algorithm for Codip {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_truthful: false, is_drawn: true, ..Facts::RIVAL }
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let l = l_of_all(problem, SPEC.id)?;
        let (set_of_attribute, lost) = sets(problem);
        let own = instead(problem, distinct_each(problem, l)?);
        let classes = mondrian::classes(&own, false)?;
        let mut candidate = Candidate::of_groups(problem, &classes);
        candidate.sensitive = shuffled(problem, &classes, &set_of_attribute);
        candidate.notes.push(
            "sensitive values are shuffled within each class: what is not in one set is of several people"
                .into(),
        );
        let n_sets = set_of_attribute.iter().max().map_or(0, |&last| last + 1);
        let share = 100.0 * lost;
        candidate.notes.push(format!(
            "sets of sensitive attributes that stay together: {n_sets}; association lost between them: \
             {share:.0} %"
        ));
        Ok(candidate)
    }
}

/// Step 1: the set of each attribute, numbered as they appear, and the association-loss ratio.
fn sets(problem: &Problem<'_>) -> (Vec<usize>, f64) {
    let sensitive = problem.sensitive();
    let mut set: Vec<usize> = (0..sensitive.len()).collect();
    let mut pairs: Vec<(usize, usize, f64)> = Vec::new();
    for (b, other) in sensitive.iter().enumerate() {
        for (a, attribute) in sensitive[..b].iter().enumerate() {
            let v = association(attribute, other);
            pairs.push((a, b, v));
            if v >= STRONG {
                let (kept, joined) = (set[a].min(set[b]), set[a].max(set[b]));
                set.iter_mut().filter(|s| **s == joined).for_each(|s| *s = kept);
            }
        }
    }
    let all: f64 = pairs.iter().map(|pair| pair.2).sum();
    let lost: f64 = pairs.iter().filter(|pair| set[pair.0] != set[pair.1]).map(|pair| pair.2).sum();
    let mut numbers: Vec<usize> = set.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let number = |s: &usize| numbers.binary_search(s).expect("every set has a number");
    (set.iter().map(number).collect(), if all > 0.0 { lost / all } else { 0.0 })
}

/// Cramér's V: the square root of χ²/n over the smaller number of values less one.
fn association(a: &Attribute, b: &Attribute) -> f64 {
    let n = a.codes().len();
    let few = (a.n_codes().min(b.n_codes())).saturating_sub(1);
    if few == 0 || n == 0 {
        return 0.0;
    }
    let pairs = group(n, [(a.codes(), a.n_codes()), (b.codes(), b.n_codes())]);
    let of_pair = |(&row, size): (&u32, u32)| {
        let count = |x: &Attribute| f64::from(x.counts()[x.codes().get(row as usize) as usize]);
        f64::from(size) * f64::from(size) / (count(a) * count(b))
    };
    let sum: f64 = pairs.first_rows().iter().zip(pairs.sizes()).map(of_pair).sum();
    ((sum - 1.0).max(0.0) / f64::from(few)).sqrt()
}

/// Step 3: what each row shows.
fn shuffled(
    problem: &Problem<'_>,
    classes: &[Vec<u32>],
    set_of_attribute: &[usize],
) -> Vec<Vec<Cell>> {
    let sensitive = problem.sensitive();
    let mut cells = vec![vec![Cell::ANY; problem.n_rows()]; sensitive.len()];
    let mut draw = Draw::hidden(problem.settings().secret.0);
    let n_sets = set_of_attribute.iter().max().map_or(0, |&last| last + 1);
    for class in classes {
        for set in 0..n_sets {
            let mut from = class.clone();
            draw.shuffle(&mut from);
            let attributes = sensitive.iter().zip(&mut cells).zip(set_of_attribute);
            for ((attribute, cells), _) in attributes.filter(|(_, of)| **of == set) {
                for (&row, &other) in class.iter().zip(&from) {
                    cells[row as usize] = Cell::Leaf(attribute.codes().get(other as usize));
                }
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use kohort_core::Role;
    use kohort_models::{ClassModel, LMdiversity};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::laws::several;
    use crate::tests::tables::{Given, classes_of, dataset, problem, settings};

    fn models(l: u64) -> Vec<Box<dyn ClassModel>> {
        vec![Box::new(LMdiversity::new(l).unwrap())]
    }

    #[test]
    fn what_goes_together_stays_together() {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &[1, 2, 3, 4]),
            Given::flat("crossed", Role::Sensitive, &["a", "b", "a", "b"]),
            Given::flat("drug", Role::Sensitive, &["v", "v", "w", "w"]),
            Given::flat("illness", Role::Sensitive, &["x", "x", "y", "y"]),
        ]);
        let problem = problem(&data, models(2), settings(1));
        let [crossed, drug, illness] = problem.sensitive() else { panic!("three attributes") };
        assert!(association(crossed, drug).abs() < 1e-12);
        assert!((association(drug, illness) - 1.0).abs() < 1e-12);
        assert_eq!(sets(&problem), (vec![0, 1, 1], 0.0));
        let candidate = Codip.anonymize(&Ctx::quiet(), &problem).unwrap();
        assert_eq!(candidate.sensitive[1], candidate.sensitive[2]);
        assert_eq!(
            candidate.notes[1],
            "sets of sensitive attributes that stay together: 2; association lost between them: 0 %"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn a_class_keeps_the_rows_of_every_projection(data in several(), l in 2_u64..4) {
            let problem = problem(&data, models(l), settings(2));
            let Ok(candidate) = Codip.anonymize(&Ctx::quiet(), &problem) else { return Ok(()) };
            let (set_of_attribute, lost) = sets(&problem);
            prop_assert!((0.0..=1.0).contains(&lost));
            for rows in classes_of(&problem, &candidate) {
                for set in 0..3 {
                    let of_set = |at: &usize| set_of_attribute[*at] == set;
                    let tuple = |row: u32, is_shown: bool| -> Vec<Cell> {
                        let value = |at: usize| {
                            let code = problem.sensitive()[at].codes().get(row as usize);
                            if is_shown {
                                candidate.sensitive[at][row as usize]
                            } else {
                                Cell::Leaf(code)
                            }
                        };
                        (0..set_of_attribute.len()).filter(of_set).map(value).collect()
                    };
                    let sorted = |is_shown: bool| {
                        let mut all: Vec<_> =
                            rows.iter().map(|&row| tuple(row, is_shown)).collect();
                        all.sort_unstable();
                        all
                    };
                    prop_assert_eq!(sorted(true), sorted(false));
                }
            }
        }
    }
}
