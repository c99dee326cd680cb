//! Questions 4, 8, 10 and 12: an answer for every subset of the quasi-identifiers.

use std::collections::BTreeMap;

use kohort_core::{Ask, Ctx, Setting, message};
use kohort_models::Distribution;
use kohort_verify::{ClassSizes, Projection, all_subsets, all_subsets_levels};

use super::{Diagnosis, Question, Run, Subset, SubsetSensitive, suppression};
use crate::Error;
use crate::error::refused;

/// The most subsets that are listed.
const MOST: u64 = 1 << 20;

/// The number of subsets of `n` attributes that have at most `max_size` of them.
fn number_of_sets(n: usize, max_size: usize) -> u64 {
    let (mut sets, mut of_size) = (1_u64, 1_u64);
    for size in 1..=max_size as u64 {
        of_size = of_size.saturating_mul(n as u64 - size + 1) / size;
        sets = sets.saturating_add(of_size);
    }
    sets
}

impl Run<'_> {
    pub(super) fn every_subset(&self, answer: &mut Diagnosis, ctx: &Ctx<'_>) -> Result<(), Error> {
        let question = self.question;
        let n = self.quasi.len();
        let max_size = question.max_size.unwrap_or(n).min(n);
        let n_sets = number_of_sets(n, max_size);
        if n_sets > MOST {
            return Err(refused(
                format!("{n} quasi-identifiers have more subsets than the {MOST} that are listed"),
                message!(
                    "limit their size with {}, or ask for the borders of a k with {}, which does not visit \
                     every subset",
                    Setting::MaxSize.to(3),
                    Ask::from(Setting::Subsets).and(Setting::K.to(5))
                ),
            ));
        }
        let n_rows = self.dataset.n_rows();
        let projection = Projection::new(n_rows, &self.quasi, &[]);
        let of_sizes = |sizes: &_| subset_of_sizes(question, sizes);
        let found = all_subsets(&projection, max_size, ctx, &of_sizes)?;
        if (found.len() as u64) < n_sets {
            let missing = n_sets - found.len() as u64;
            answer.left_out.push(format!("{missing} of {n_sets} subsets: the time was up"));
        }
        let named = |(set, subset)| Subset { attributes: self.names(set), ..subset };
        let mut subsets: Vec<Subset> = found.into_iter().map(named).collect();
        subsets.sort_by(Subset::by_names);
        if !self.sensitive.is_empty() && question.suppress.is_none() && !question.find_suppression {
            self.add_levels(answer, &mut subsets, max_size, ctx)?;
        }
        answer.subsets = Some(subsets);
        Ok(())
    }

    fn add_levels(
        &self,
        answer: &mut Diagnosis,
        subsets: &mut [Subset],
        max_size: usize,
        ctx: &Ctx<'_>,
    ) -> Result<(), Error> {
        let projection = Projection::new(self.dataset.n_rows(), &self.quasi, &self.sensitive);
        let distributions: Vec<Distribution<'_>> =
            self.sensitive.iter().map(|attribute| Distribution::new(attribute)).collect();
        let mut found: BTreeMap<Vec<String>, _> =
            all_subsets_levels(&projection, &distributions, max_size, ctx)?
                .into_iter()
                .map(|(set, levels)| (self.names(set), levels))
                .collect();
        if found.len() < subsets.len() {
            let missing = subsets.len() - found.len();
            answer.left_out.push(format!("the l of {missing} subsets: the time was up"));
        }
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

/// What the sizes of the classes of a set say.
pub(crate) fn subset_of_sizes(question: &Question, sizes: &ClassSizes) -> Subset {
    Subset {
        attributes: Vec::new(),
        k: sizes.k().unwrap_or(0),
        classes: sizes.n_classes(),
        distinct_ratio: sizes.distinct_ratio().value(),
        separation_ratio: sizes.separation_ratio(),
        suppression: suppression(question, sizes),
        sensitive: Vec::new(),
    }
}
