//! What to know about a table before it is published: who is in it, and what is left out of it.

use kohort_core::{Dataset, Message, Role, Setting, message};
use kohort_ledger::Past;
use kohort_series::Changed;

use super::people::forgotten;
use crate::Error;
use crate::error::refused;
use crate::job::Roles;
use crate::release;

/// What it costs to begin another series, as part of a hint.
pub(super) fn begin_another() -> Message {
    message!(
        "begin another series with {}, at a cost: what was published of the same people in this one is not \
         looked at any more, and whoever compares both may learn what each hides",
        Setting::Series
    )
}

/// Refuses a table of which nobody was in the series.
pub(super) fn refuse_others(
    dataset: &Dataset,
    past: &Past,
    changed: &Changed,
) -> Result<(), Error> {
    let n_rows = dataset.n_rows() as u64;
    if !changed.is_of_others(n_rows, n_before(past)) {
        return Ok(());
    }
    Err(refused(
        format!(
            "nobody of the release before is in the table, and all {n_rows} keys are new to the series"
        ),
        message!(
            "if these are the same people, give the column that was the key so far with {}, its keys spelled \
             as before: otherwise what was published of them is not looked at; if they are others, give them \
             a series of their own with {}",
            Setting::SeriesKey,
            Setting::Series
        ),
    ))
}

/// What to know about the people and the columns of a table.
pub(super) fn notes(
    roles: &Roles,
    dataset: &Dataset,
    past: &Past,
    changed: &Changed,
) -> Vec<Message> {
    let others = changed.other_people(dataset.n_rows() as u64, n_before(past));
    let mut notes: Vec<Message> =
        others.into_iter().chain(forgotten(past)).map(Message::from).collect();
    let insensitive = roles.names(Role::Insensitive);
    if !insensitive.is_empty() {
        notes.push(message!(
            "`{}` is left out, though insensitive: in a series it would link a person's rows across \
             releases, and distinguish people from counterfeits",
            insensitive.join("`, `")
        ));
    }
    notes.extend(release::rounding(dataset.quasi()));
    notes
}

/// The people whom the last release shows.
fn n_before(past: &Past) -> u64 {
    past.history.releases.last().map_or(0, |last| last.n_people() as u64)
}
