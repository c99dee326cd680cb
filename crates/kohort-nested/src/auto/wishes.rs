//! Where records would be better off: what each adds to the classes of its near records in somebody's place.

use rayon::prelude::*;

use super::classes::{Classes, NOWHERE};
use crate::Scratch;
use crate::costs::Cost;

/// A place is worth looking at where a record adds up to one in so many more than its class gains when it leaves: it may
/// be worse off, if others of a circle are better off.
const SLACK: Cost = 3;

/// The place of a member, and what a record adds to the rest of the class there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) added: Cost,
    pub(super) of: u32,
}

/// The places of a record.
#[derive(Clone, Default)]
pub(super) struct Wishes {
    /// What its class gains when it leaves; all of it where it is in none.
    pub(super) leaving: Cost,
    // The most that it adds to a place that is looked at: not much more than that.
    limit: Cost,
    /// The places where it adds no more, the best first.
    pub(super) places: Vec<Place>,
}

/// What happened to a class since the wishes were looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Nothing,
    /// A record took the place of another: for who takes its place in turn, nothing changed.
    Replaced {
        old: u32,
        by: u32,
    },
    /// It is another class.
    All,
}

/// Looks at the places of every record again that are in classes that changed.
pub(super) fn refresh(
    classes: &Classes<'_>,
    near: &[Vec<u32>],
    changes: &[Change],
    wishes: &mut [Wishes],
) {
    wishes.par_iter_mut().enumerate().for_each_init(Scratch::default, |scratch, (at, wishes)| {
        let record = u32::try_from(at).expect("records are numbered by u32");
        let found = look(classes, near, changes, record, wishes, scratch);
        *wishes = found.unwrap_or_default();
    });
}

fn look(
    classes: &Classes<'_>,
    near: &[Vec<u32>],
    changes: &[Change],
    record: u32,
    before: &Wishes,
    scratch: &mut Scratch,
) -> Option<Wishes> {
    let (leaving, limit) = if classes.is_out(record) {
        (classes.of_lost(record), classes.of_lost(record))
    } else {
        let (_, class) = classes.class_of(record)?;
        let leaving = class.cost() - classes.without(record, scratch)?.cost();
        (leaving, leaving + leaving / SLACK)
    };
    let mut places = Vec::with_capacity(before.places.len());
    for at in nearby(classes, near, record) {
        kohort_core::alive();
        let other = classes.all[at as usize].as_ref()?;
        let members = &other.class().members;
        // The places that are known are those of classes that were near before, up to the limit then.
        let known = match changes[at as usize] {
            _ if before.limit < limit => None,
            Change::Nothing => {
                let is_there = |place: &&Place| classes.of_record[place.of as usize] == at;
                places.extend(before.places.iter().filter(is_there));
                continue;
            }
            Change::Replaced { old, by } => {
                let was_member = |near: &u32| {
                    *near == old || (*near != by && classes.of_record[*near as usize] == at)
                };
                let was_near = old != record && near[record as usize].iter().any(was_member);
                was_near.then_some((old, by))
            }
            Change::All => None,
        };
        let pairs = classes.pairs(other.n_members())?;
        for &of in members {
            let added = match known {
                Some((old, by)) if by == of => {
                    let place = before.places.iter().find(|place| place.of == old);
                    place.map(|place| place.added).filter(|&added| added <= limit)
                }
                _ => {
                    let rest = classes.without(of, scratch);
                    rest.and_then(|rest| pairs.cost(rest, record, limit, scratch))
                }
            };
            places.extend(added.map(|added| Place { added, of }));
        }
    }
    places.sort_unstable();
    places.shrink_to_fit();
    Some(Wishes { leaving, limit, places })
}

/// The classes of the near records of a record beside its own.
pub(super) fn nearby(classes: &Classes<'_>, near: &[Vec<u32>], record: u32) -> Vec<u32> {
    let own = classes.of_record[record as usize];
    let of_near = near[record as usize].iter().map(|&other| classes.of_record[other as usize]);
    let mut found: Vec<u32> = of_near.filter(|&at| at != NOWHERE && at != own).collect();
    found.sort_unstable();
    found.dedup();
    found
}
