//! Anatomy: quasi-identifiers as they are in one table, sensitive values by group in another.
//!
//! # Guarantee
//! Every group is frequency-l-diverse, and keeps every other promise as a class. Who finds a person's row
//! guesses the sensitive value with probability at most 1/l.
//!
//! # Against an adversary who knows the method
//! Rows are dealt by a secret that stands in no file, and no step looks at a quasi-identifier. So the method treats people alike: exchange the values of two people of a group, and the
//! same groups come out with the same probability. Whoever knows the program, the plan and everybody's
//! quasi-identifiers, and takes all tables to be equally likely that differ by such exchanges, therefore
//! believes in no value of anybody more than its share of the group: at most 1/l. This does not hold where
//! rows were dropped because of their value.
//!
//! # Method
//! 1. Put the rows into buckets by their sensitive value. If a bucket has more than n/l rows, there is no
//!    release.
//! 2. While l buckets have a row: take a random row from each of the l largest, ties at random, as a
//!    group.
//! 3. Each row that is left over joins a random group without its value.
//! 4. If k is above l, ⌈k/l⌉ groups at a time are one. A group that breaks another promise is joined with
//!    random groups until it does not.
//!
//! # Notation
//! QIT and ST, the two tables that are published → made elsewhere from the groups.
//!
//! # Cost
//! O(n log n) time, O(n) memory.
//!
//! # Deviations
//! Step 4: the paper has no k.
//!
//! # References
//! Xiao and Tao, VLDB 2006, figure 3.

use std::collections::BinaryHeap;

use kohort_core::{Ctx, Spec};

use crate::Draw;
use crate::check::Check;
use crate::diversity::Diversity;
use crate::{Algorithm, Candidate, Facts, Failure, Problem};

/// What the algorithm is.
pub(crate) const SPEC: Spec = Spec {
    id: "anatomy",
    title: "Anatomy",
    paper: "Xiao and Tao 2006",
    promise: "in no group has a sensitive value more than 1/l of the rows (an adversary who \
              learns how values correlate with quasi-identifiers may guess better, as the attack \
              `definetti` measures); membership in the table is not hidden",
    parameters: &[],
};

/// Buckets of one size are in the order of a number below this that each draws.
const TIES: usize = 1 << 30;

/// Anatomy.
pub(crate) struct Anatomy;

impl Algorithm for Anatomy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn facts(&self) -> Facts {
        Facts { is_anatomized: true, is_drawn: true, ..Facts::PLAIN }
    }

    fn anonymize(&self, _: &Ctx<'_>, problem: &Problem<'_>) -> Result<Candidate, Failure> {
        let goal = Diversity::of(problem, SPEC.id)?;
        let mut draw = Draw::hidden(problem.settings().secret.0);
        let groups = deal(buckets(problem, &goal), goal.l, &mut draw);
        let at_a_time = problem.smallest().div_ceil(goal.l);
        let mut groups: Vec<Vec<u32>> = groups.chunks(at_a_time).map(<[_]>::concat).collect();
        join_failing(problem, &mut groups, &mut draw)?;
        Ok(Candidate::of_groups(problem, &groups).anatomized())
    }
}

/// Step 4.
fn join_failing(
    problem: &Problem<'_>,
    groups: &mut Vec<Vec<u32>>,
    draw: &mut Draw,
) -> Result<(), Failure> {
    let mut check = Check::new(problem);
    let (mut failing, mut holding): (Vec<_>, Vec<_>) =
        std::mem::take(groups).into_iter().partition(|group| !check.holds(group));
    while let Some(mut group) = failing.pop() {
        while !check.holds(&group) {
            let others = if failing.is_empty() { &mut holding } else { &mut failing };
            if others.is_empty() {
                return Err(Failure::infeasible("no group of rows keeps every promise"));
            }
            let other = draw.below(others.len());
            group.extend(others.swap_remove(other));
        }
        holding.push(group);
    }
    *groups = holding;
    Ok(())
}

/// Step 1. Rows are in the order of the points, so that the order of the table does not matter.
fn buckets(problem: &Problem<'_>, goal: &Diversity<'_>) -> Vec<Vec<u32>> {
    let points = problem.points();
    let mut buckets = vec![Vec::new(); goal.attribute.n_codes() as usize];
    for &row in (0..points.len()).flat_map(|point| points.rows(point)) {
        buckets[goal.value(row) as usize].push(row);
    }
    buckets
}

/// Steps 2 and 3; no bucket has more than n/l rows.
pub(crate) fn deal(mut buckets: Vec<Vec<u32>>, l: usize, draw: &mut Draw) -> Vec<Vec<u32>> {
    for bucket in &mut buckets {
        draw.shuffle(bucket);
    }
    let mut heap = BinaryHeap::new();
    for (value, bucket) in buckets.iter().enumerate().filter(|(_, bucket)| !bucket.is_empty()) {
        heap.push((bucket.len(), draw.below(TIES), value));
    }
    let (mut groups, mut values_of_group) = (Vec::new(), Vec::new());
    while heap.len() >= l {
        let largest: Vec<_> = (0..l).filter_map(|_| heap.pop()).collect();
        let mut values: Vec<usize> = largest.iter().map(|&(_, _, value)| value).collect();
        groups.push(values.iter().filter_map(|&value| buckets[value].pop()).collect::<Vec<u32>>());
        values.sort_unstable();
        values_of_group.push(values);
        for (count, _, value) in largest.into_iter().filter(|&(count, _, _)| count > 1) {
            heap.push((count - 1, draw.below(TIES), value));
        }
    }
    for (value, row) in
        (0..).zip(&buckets).flat_map(|(value, b)| b.iter().map(move |&r| (value, r)))
    {
        let free = (0..groups.len()).filter(|&g| !values_of_group[g].contains(&value));
        let free: Vec<usize> = free.collect();
        let group = free[draw.below(free.len())];
        groups[group].push(row);
        values_of_group[group].push(value);
    }
    groups
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use kohort_core::Ratio;
    use kohort_models::{ClassModel, FrequencyLDiversity, KAnonymity};

    use super::*;
    use crate::Form;
    use crate::tests::tables::{groups_of, judge, nine, problem, settings};

    /// All ways to write `n` as a sum of numbers up to `most`, largest first.
    fn partitions(n: usize, most: usize) -> Vec<Vec<usize>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let longer = |first: usize| {
            partitions(n - first, first).into_iter().map(move |rest| [&[first], &rest[..]].concat())
        };
        (1..=most.min(n)).flat_map(longer).collect()
    }

    // Checked for every table of up to 18 rows.
    #[test]
    fn groups_are_as_many_as_they_can_be_and_their_values_differ() {
        let mut n_tables = 0;
        for l in 2..=5 {
            for counts in (l..=18).flat_map(|n| partitions(n, n / l)) {
                let n: usize = counts.iter().sum();
                let mut value_of_row = Vec::new();
                let buckets = counts.iter().enumerate().map(|(value, &count)| {
                    let from = u32::try_from(value_of_row.len()).unwrap();
                    value_of_row.extend(vec![value; count]);
                    (from..u32::try_from(value_of_row.len()).unwrap()).collect()
                });
                let buckets = buckets.collect();
                let groups = deal(buckets, l, &mut Draw::new(n_tables));
                assert_eq!(groups.len(), n / l, "{counts:?}");
                for group in &groups {
                    let values: BTreeSet<_> =
                        group.iter().map(|&row| value_of_row[row as usize]).collect();
                    assert_eq!(values.len(), group.len(), "{counts:?}");
                }
                let rows: BTreeSet<u32> = groups.iter().flatten().copied().collect();
                assert_eq!((rows.len(), groups.iter().map(Vec::len).sum()), (n, n));
                n_tables += 1;
            }
        }
        assert_eq!(n_tables, 2406, "sums of up to 18 with no part above n/l");
    }

    /// How often each grouping of the rows comes out, over many secrets.
    fn groupings(values: &str, l: u64) -> BTreeMap<BTreeSet<Vec<u32>>, u32> {
        let data = nine(values);
        let mut found = BTreeMap::new();
        for number in 0_u32..20_000 {
            let mut bytes = [7; 32];
            bytes[..4].copy_from_slice(&number.to_le_bytes());
            let models: Vec<Box<dyn ClassModel>> =
                vec![Box::new(FrequencyLDiversity::new(0, Ratio::whole(l)).unwrap())];
            let settings = crate::Settings { secret: crate::Secret::new(bytes), ..settings(2) };
            let problem = problem(&data, models, settings);
            let candidate = Anatomy.anonymize(&Ctx::quiet(), &problem).unwrap();
            *found.entry(groups_of(&candidate)).or_default() += 1;
        }
        found
    }

    // The adversary who makes the release again: of two tables that differ by an exchange within a group,
    // neither makes the groups likelier. With 20,000 draws of each, a difference of five standard deviations
    // comes up by chance in fewer than one of a thousand runs of this test.
    #[test]
    fn exchanging_the_values_of_two_people_of_a_group_makes_the_groups_as_likely() {
        let (one, other) = (groupings("abdabacbc", 3), groupings("badabacbc", 3));
        let mut n_compared = 0;
        for (groups, &n) in &one {
            let is_exchange = groups.iter().any(|group| group.contains(&0) && group.contains(&1));
            if !is_exchange {
                continue;
            }
            let m = other.get(groups).copied().unwrap_or(0);
            let (difference, sum) = (f64::from(n.abs_diff(m)), f64::from(n + m));
            assert!(difference <= 5.0 * sum.sqrt(), "{groups:?}: {n} and {m}");
            n_compared += n;
        }
        assert!(n_compared > 4_000, "{n_compared}");
    }

    #[test]
    fn k_above_l_takes_several_groups_at_a_time() {
        let data = nine("abcabcabc");
        let models: Vec<Box<dyn ClassModel>> = vec![
            Box::new(FrequencyLDiversity::new(0, Ratio::whole(2)).unwrap()),
            Box::new(KAnonymity::new(4).unwrap()),
        ];
        let problem = problem(&data, models, settings(2));
        let candidate = Anatomy.anonymize(&Ctx::quiet(), &problem).unwrap();
        judge(&problem, &candidate);
        assert_eq!(groups_of(&candidate).len(), 2);
    }

    #[test]
    fn nine_tuples_are_dealt_into_three_groups_and_secrets_differ() {
        let data = nine("abdabacbc");
        let mut found = BTreeSet::new();
        for secret in 0..8 {
            let l = Ratio::whole(3);
            let models: Vec<Box<dyn ClassModel>> =
                vec![Box::new(FrequencyLDiversity::new(0, l).unwrap())];
            let secret = crate::Secret::new([secret; 32]);
            let problem = problem(&data, models, crate::Settings { secret, ..settings(2) });
            let candidate = Anatomy.anonymize(&Ctx::quiet(), &problem).unwrap();
            judge(&problem, &candidate);
            assert!(candidate.form == Form::Anatomized && candidate.cells.is_empty());
            assert_eq!(groups_of(&candidate).len(), 3);
            found.insert(groups_of(&candidate));
        }
        assert!(found.len() > 1);
    }
}
