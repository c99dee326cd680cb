//! Questions 4, 8, 10 and 12: an answer for every subset of the quasi-identifiers.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use kohort_core::Ctx;
use kohort_models::Distribution;
use kohort_verify::{Projection, all_subsets, all_subsets_levels};

use super::{Diagnosis, Run, Subset, SubsetSensitive};
use crate::Error;
use crate::load::refused;

impl Run<'_> {
    pub(super) fn every_subset(&self, answer: &mut Diagnosis, ctx: &Ctx<'_>) -> Result<(), Error> {
        const MOST: usize = 20;
        let question = self.question;
        if self.quasi.len() > MOST {
            return Err(refused(
                format!(
                    "{} quasi-identifiers have more subsets than can be listed; {MOST} is the most",
                    self.quasi.len()
                ),
                "ask for the borders of a k with `--subsets --k 5`, which does not visit every subset",
            ));
        }
        let n_rows = self.dataset.n_rows();
        let projection = Projection::new(n_rows, &self.quasi, &[]);
        let found = all_subsets(&projection, ctx)?;
        let of_all = 1_usize << self.quasi.len();
        if found.len() < of_all {
            let missing = of_all - found.len();
            answer.left_out.push(format!("{missing} of {of_all} subsets: the time was up"));
        }
        let mut subsets: Vec<Subset> = found
            .into_iter()
            .filter(|subset| question.max_size.is_none_or(|most| subset.set.len() <= most))
            .map(|subset| Subset {
                attributes: self.names(subset.set),
                k: subset.sizes.k().unwrap_or(0),
                classes: subset.sizes.n_classes(),
                distinct_ratio: subset.sizes.distinct_ratio().value(),
                separation_ratio: subset.sizes.separation_ratio(),
                suppression: self.suppression(&subset.sizes),
                sensitive: Vec::new(),
            })
            .collect();
        subsets.sort_by(by_names);
        if !self.sensitive.is_empty() && question.suppress.is_none() && !question.find_suppression {
            self.add_levels(&mut subsets, ctx)?;
        }
        answer.subsets = Some(subsets);
        Ok(())
    }

    fn add_levels(&self, subsets: &mut [Subset], ctx: &Ctx<'_>) -> Result<(), Error> {
        let projection = Projection::new(self.dataset.n_rows(), &self.quasi, &self.sensitive);
        let distributions: Vec<Distribution<'_>> =
            self.sensitive.iter().map(|attribute| Distribution::new(attribute)).collect();
        let mut found: BTreeMap<Vec<String>, _> =
            all_subsets_levels(&projection, &distributions, ctx)?
                .into_iter()
                .map(|subset| (self.names(subset.set), subset.levels))
                .collect();
        for subset in subsets {
            let levels = found.remove(&subset.attributes).unwrap_or_default();
            subset.sensitive = (self.sensitive.iter().zip(levels))
                .map(|(attribute, (distinct_l, frequency_l, entropy_l))| SubsetSensitive {
                    attribute: attribute.name().to_owned(),
                    distinct_l,
                    frequency_l: frequency_l.into(),
                    frequency_l_value: frequency_l.value(),
                    entropy_l,
                })
                .collect();
        }
        Ok(())
    }
}

fn by_names(a: &Subset, b: &Subset) -> Ordering {
    a.attributes.len().cmp(&b.attributes.len()).then_with(|| a.attributes.cmp(&b.attributes))
}
