//! Naive diversity: l different values of each sensitive attribute, looked at by itself.
//!
//! # Guarantee
//! Every class has at least l values of every sensitive attribute, and keeps every other promise. There
//! is no bound on a probability, and one bit of non-membership knowledge about one attribute may tell
//! another for certain: neither l-pdiversity nor l-mdiversity is kept.
//!
//! # Method
//! 1. Put distinct l-diversity of each sensitive attribute in the place of the l of all.
//! 2. Cut the table by Mondrian while every class keeps that.
//!
//! # Notation
//! l → `l`, the one of l-mdiversity.
//!
//! # Cost
//! That of Mondrian with a promise for each sensitive attribute.
//!
//! # Deviations
//! None: it is what Abdalaal 2012 sets out from.
//!
//! # References
//! After Table 2 of Abdalaal 2012.

use kohort_core::{Ctx, Spec};

use crate::shared_l::{distinct_each, instead, l_of_all};
use crate::{Algorithm, Candidate, Facts, Failure, Problem, mondrian};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "msa-naive",
    title: "naive diversity of several sensitive attributes",
    paper: "Abdalaal 2012, table 2",
    promise: "every sensitive attribute by itself has l values in a class; no bound on a \
              probability, and ruling out one value may disclose another attribute",
    parameters: &[],
};

/// Naive diversity.
pub(crate) struct MsaNaive;

impl Algorithm for MsaNaive {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts::RIVAL
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let l = l_of_all(problem, SPEC.id)?;
        let own = instead(problem, distinct_each(problem, l)?);
        Ok(Candidate::of_groups(problem, &mondrian::classes(&own, false)?))
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::Role;
    use kohort_models::{ClassModel, LMdiversity, worst_posterior};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::laws::several;
    use crate::tests::tables::{Given, classes_of, dataset, groups_of, problem, settings, tuples};

    // Table 1 of Abdalaal 2012 becomes Table 2: one class, distinct-3-diverse, and one bit tells all.
    #[test]
    fn table_2_comes_out_and_one_bit_breaks_it() {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &[30, 20, 23, 27]),
            Given::flat("zip", Role::Quasi, &[1200, 2400, 1500, 3400]),
            Given::flat("i1", Role::Sensitive, &["b", "c", "a", "c"]),
            Given::flat("i2", Role::Sensitive, &["w", "x", "w", "y"]),
        ]);
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(LMdiversity::new(3).unwrap())];
        let problem = problem(&data, models, settings(2));
        let candidate = MsaNaive.anonymize(&Ctx::quiet(), &problem).unwrap();
        assert_eq!(groups_of(&candidate).into_iter().collect::<Vec<_>>(), [[0, 1, 2, 3]]);
        let certain = kohort_core::Ratio::whole(1);
        let class = tuples(&problem, &[0, 1, 2, 3]);
        assert_eq!(worst_posterior(&class, 2, 1).probability, certain);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn each_attribute_has_l_values_in_a_class(data in several(), l in 2_u64..4) {
            let models: Vec<Box<dyn ClassModel>> = vec![Box::new(LMdiversity::new(l).unwrap())];
            let problem = problem(&data, models, settings(2));
            let Ok(candidate) = MsaNaive.anonymize(&Ctx::quiet(), &problem) else {
                return Ok(());
            };
            for rows in classes_of(&problem, &candidate) {
                for attribute in problem.sensitive() {
                    let mut values: Vec<u32> =
                        rows.iter().map(|&row| attribute.codes().get(row as usize)).collect();
                    values.sort_unstable();
                    values.dedup();
                    prop_assert!(values.len() as u64 >= l);
                }
            }
        }
    }
}
