//! Whoever is left over joins a group that keeps its promises as a larger one.

use std::collections::BTreeMap;
use std::rc::Rc;

use kohort_core::Ctx;

use super::augmented::Augmented;
use super::host::{Counts, Host};
use super::merge::Merge;
use super::tally::Judge;
use super::{PARTITION, TreeAnatomy};
use crate::{AlignedClass, NestedProblem};

/// Lets records join the groups that lose the fewest vertices with them, one after the other; tells the
/// groups, and whoever fits in none.
pub(super) fn join<'a>(
    ctx: &Ctx<'_>,
    problem: &'a NestedProblem<'a>,
    method: TreeAnatomy,
    counts: &'a Counts,
    (classes, mut left): (Vec<AlignedClass>, Vec<u32>),
) -> (Vec<AlignedClass>, Vec<u32>) {
    if left.is_empty() {
        return (classes, left);
    }
    let mut judges: BTreeMap<usize, Rc<Judge<'a>>> = BTreeMap::new();
    let mut host_of = |group: Augmented<'a>| {
        let size = group.members().len() + 1;
        let judge = judges.entry(size);
        let judge = judge.or_insert_with(|| Rc::new(Judge::new(problem, method.form, size)));
        Host::new(judge, counts, group)
    };
    let groups = classes.into_iter().map(|class| Augmented::new(problem.forest, class));
    let mut hosts: Vec<Host<'a>> = groups.map(&mut host_of).collect();
    let mut merge = Merge::new(problem, method.merging);
    // A group that grew may have a place for who found none before.
    let mut n_before = usize::MAX;
    while left.len() < n_before {
        n_before = left.len();
        let mut done = 0;
        left.retain(|&record| {
            ctx.progress("leftovers", done, n_before as u64);
            done += 1;
            let near = near(&hosts, problem, record);
            let offers = near.iter().map(|&number| (number, (&hosts[number as usize], record)));
            let Some(number) = merge.nearest(offers) else { return true };
            let host = &hosts[number as usize];
            let pairs = merge.pairs(host, record, &[]).expect("it was a candidate");
            hosts[number as usize] = host_of(host.group().joined(record, &pairs));
            false
        });
    }
    (hosts.into_iter().map(Host::into_class).collect(), left)
}

/// The groups with a place for a record's root whose trees are about as large as the record, as many as a
/// partition has records.
fn near(hosts: &[Host<'_>], problem: &NestedProblem<'_>, record: u32) -> Vec<u32> {
    let n_vertices = problem.forest.vertices(record as usize).len();
    let open = (0..).zip(hosts).filter(|(_, host)| host.has_room_for(record, problem.l));
    let distance = |(number, host): (u32, &Host<'_>)| {
        (host.group().n_positions().abs_diff(n_vertices), number)
    };
    let mut near: Vec<(usize, u32)> = open.map(distance).collect();
    near.sort_unstable();
    near.truncate(PARTITION);
    near.into_iter().map(|(_, number)| number).collect()
}
