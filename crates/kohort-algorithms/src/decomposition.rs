//! Decomposition: groups that differ on one sensitive attribute, and for each group the set of values of
//! every attribute by itself.
//!
//! # Guarantee
//! Every group has at least l values of the primary attribute and keeps every other promise, and shows at
//! least l values of each attribute. Of the others some may be noise: values that nobody in the group has.
//! So the true values have no bound on their probability, and neither l-pdiversity nor l-mdiversity is
//! kept; sets do not tell how values of several attributes go together; that somebody is in the table is
//! not hidden.
//!
//! # Method
//! 1. The primary attribute is the one whose most frequent value is most frequent.
//! 2. Deal the rows into groups of l with different values of it, as in anatomy.
//! 3. If k is above l, ⌈k/l⌉ groups at a time are one. Join groups that break another promise with their
//!    neighbors.
//! 4. For each group and attribute: the set of its values, and where these are too few values of the table
//!    as noise, drawn at random.
//! 5. Publish the quasi-identifiers as they are, and the sets by group: as many cells as the group has
//!    rows, each value as often as any other.
//!
//! # Notation
//! SA-groups → `groups`; ℓ_i, the same for every attribute → `l`.
//!
//! # Cost
//! O(n·d·log n) time, O(n·d) memory.
//!
//! # Deviations
//! - A set is published as cells of the group's rows, so that it can be read like any anatomized release.
//!   Noise is added until no value fills more than 1/l of them, where the table has values enough.
//! - Steps 1 and 3: Abdalaal 2012 says nothing about either.
//!
//! # References
//! Ye et al. 2009, as described in section 3.6 of Abdalaal 2012.

use std::collections::BTreeSet;

use kohort_core::{Attribute, Cell, Cells, Ctx, Spec};
use kohort_models::DistinctLDiversity;

use crate::Draw;
use crate::anatomy::deal;
use crate::repair::repair;
use crate::shared_l::{instead, l_of_all};
use crate::{Algorithm, Candidate, Facts, Failure, Form, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "decomposition",
    title: "decomposition into sets of values",
    paper: "Ye et al. 2009",
    promise: "a group shows l values of each sensitive attribute, some of them noise; no bound \
              on the probability of a true value, links between attributes are lost, and \
              membership in the table is not hidden",
    parameters: &[],
};

/// Decomposition.
pub(crate) struct Decomposition;

impl Algorithm for Decomposition {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_truthful: false, is_anatomized: true, is_drawn: true, ..Facts::RIVAL }
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let l = l_of_all(problem, SPEC.id)?;
        let (primary, buckets) = buckets(problem, l)?;
        let mut draw = Draw::hidden(problem.settings().secret.0);
        let groups = deal(buckets, l, &mut draw);
        let own = instead(problem, vec![Box::new(DistinctLDiversity::new(primary, l as u64)?)]);
        let at_a_time = own.smallest().div_ceil(l);
        let groups = groups.chunks(at_a_time).map(<[_]>::concat).collect();
        let groups = repair(&own, groups)?;
        let mut candidate = Candidate::of_groups(problem, &groups).with_form(Form::Anatomized);
        candidate.cells = Cells::default();
        let mut sets = Sets { l, draw, n: 0, n_noise: 0 };
        for attribute in problem.sensitive() {
            candidate.sensitive.push(sets.cells(attribute, &groups));
        }
        let share = 100.0 * sets.n_noise as f64 / sets.n.max(1) as f64;
        candidate.notes = vec![
            "quasi-identifiers are published as they are: who is in the table is not hidden".into(),
            "sensitive values are published as a set for each group and attribute: their order \
             says nothing about rows"
                .into(),
            format!("values of these sets that nobody in the group has: {share:.0} %"),
        ];
        Ok(candidate)
    }
}

/// Step 1, and the rows by their value of the primary attribute, in the order of the points.
fn buckets(problem: &Problem<'_>, l: usize) -> Result<(usize, Vec<Vec<u32>>), Failure> {
    let most = |attribute: &Attribute| attribute.counts().iter().max().copied().unwrap_or(0);
    let (primary, attribute) = (problem.sensitive().iter().enumerate())
        .rev()
        .max_by_key(|(_, attribute)| most(attribute))
        .expect("there is a sensitive attribute");
    let n = problem.n_rows();
    if n == 0 || most(attribute) as usize > n / l {
        let name = attribute.name();
        let reason = format!("a value of `{name}` is too frequent for l = {l}");
        return Err(Failure::infeasible(reason));
    }
    let mut buckets = vec![Vec::new(); attribute.n_codes() as usize];
    for &row in problem.points().all_rows() {
        buckets[attribute.codes().get(row as usize) as usize].push(row);
    }
    Ok((primary, buckets))
}

/// Step 4: how sets are made, and how much of them is noise.
struct Sets {
    l: usize,
    draw: Draw,
    n: usize,
    n_noise: usize,
}

impl Sets {
    /// The cells of an attribute: those of a group are its set.
    fn cells(&mut self, attribute: &Attribute, groups: &[Vec<u32>]) -> Vec<Cell> {
        let mut cells: Vec<Cell> = attribute.codes().iter().map(Cell::Leaf).collect();
        for rows in groups {
            let set = self.set(attribute, rows);
            for (&row, &code) in rows.iter().zip(set.iter().cycle()) {
                cells[row as usize] = Cell::Leaf(code);
            }
        }
        cells
    }

    fn set(&mut self, attribute: &Attribute, rows: &[u32]) -> BTreeSet<u32> {
        let mut set: BTreeSet<u32> =
            rows.iter().map(|&row| attribute.codes().get(row as usize)).collect();
        let n_true = set.len();
        let n_codes = attribute.n_codes() as usize;
        let is_enough = |n: usize| rows.len().div_ceil(n) * self.l <= rows.len();
        while !is_enough(set.len()) && set.len() < n_codes {
            let free: Vec<u32> =
                (0..attribute.n_codes()).filter(|code| !set.contains(code)).collect();
            set.insert(free[self.draw.below(free.len())]);
        }
        self.n += set.len();
        self.n_noise += set.len() - n_true;
        set
    }
}

#[cfg(test)]
mod tests {
    use kohort_core::{Ratio, Role};
    use kohort_models::{ClassModel, KAnonymity, LMdiversity};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::laws::several;
    use crate::tests::tables::{Given, dataset, groups_of, problem, settings, voters};

    fn models(l: u64) -> Vec<Box<dyn ClassModel>> {
        vec![Box::new(LMdiversity::new(l).unwrap())]
    }

    // Table 25 of Abdalaal 2012: every group of two shows two values of each issue.
    #[test]
    fn table_25_shows_two_values_of_each_issue_in_each_group() {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &[30, 20, 23, 27]),
            Given::flat("zip", Role::Quasi, &[1200, 2400, 1500, 3400]),
            Given::flat("i1", Role::Sensitive, &["b", "c", "a", "c"]),
            Given::flat("i2", Role::Sensitive, &["w", "x", "w", "y"]),
        ]);
        let problem = problem(&data, models(2), settings(2));
        let candidate = Decomposition.anonymize(&Ctx::quiet(), &problem).unwrap();
        let groups = groups_of(&candidate);
        assert_eq!(groups.len(), 2);
        for rows in groups {
            let [a, b] = rows[..] else { panic!("groups have two rows") };
            for cells in &candidate.sensitive {
                assert_ne!(cells[a as usize], cells[b as usize]);
            }
            // The true values of the first issue are all there, and c is in both groups.
            let of = |row: u32| candidate.sensitive[0][row as usize];
            assert!([of(a), of(b)].contains(&Cell::Leaf(2)));
        }
    }

    #[test]
    fn k_above_l_takes_several_groups_at_a_time() {
        let data = voters();
        let mut models = models(3);
        models.push(Box::new(KAnonymity::new(4).unwrap()));
        let problem = problem(&data, models, settings(2));
        let candidate = Decomposition.anonymize(&Ctx::quiet(), &problem).unwrap();
        assert!(groups_of(&candidate).iter().all(|rows| rows.len() >= 4));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn sets_have_every_true_value_and_show_none_too_often(data in several(), l in 2_usize..4) {
            let problem = problem(&data, models(l as u64), settings(2));
            let Ok(candidate) = Decomposition.anonymize(&Ctx::quiet(), &problem) else {
                return Ok(());
            };
            for rows in groups_of(&candidate) {
                for (attribute, cells) in problem.sensitive().iter().zip(&candidate.sensitive) {
                    let shown: Vec<Cell> = rows.iter().map(|&row| cells[row as usize]).collect();
                    let truth = rows.iter().map(|&row| attribute.codes().get(row as usize));
                    for code in truth {
                        prop_assert!(shown.contains(&Cell::Leaf(code)));
                    }
                    let count = |cell: &Cell| shown.iter().filter(|c| *c == cell).count() as u64;
                    let most = shown.iter().map(count).max().unwrap();
                    let share = Ratio::new(most, shown.len() as u64);
                    let is_short = (attribute.n_codes() as usize) < rows.len();
                    prop_assert!(is_short || share <= Ratio::new(1, l as u64));
                }
            }
        }
    }
}
