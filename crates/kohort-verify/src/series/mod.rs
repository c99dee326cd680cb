//! Judging series of releases: what everything published about the same people says together.
//!
//! # Two judges
//! - [`verify`] judges the next release of a series before it is published. The publisher knows which row of
//!   the original each released row is, and the judge checks that. Classes come from the release, the promise
//!   from the plan.
//! - [`PublishedRelease`] and [`FollowedPeople`] judge anybody's releases, with or without the tables they
//!   were made from. Nobody says who is in which class: that is derived, and what cannot be derived is not
//!   judged.
//!
//! Both ask the same [`NextRelease`] whether a release keeps a promise after those before it. They know
//! models, and no method that makes a release.

mod belief;
mod boxes;
mod followed;
mod held_back;
mod next;
mod published;
mod read;
mod reason;
mod verdict;

pub use belief::{Belief, Counted};
pub use boxes::boxes_of_cells;
pub use followed::FollowedPeople;
pub use held_back::held_back_break;
pub use next::{NextRelease, first_broken};
pub use published::{AgainstOriginal, PublishedRelease, ReleaseFiles, SeriesValues};
pub use read::ReadClasses;
pub use reason::{SeriesReason, Uncounted};
pub use verdict::{
    SeriesClaims, SeriesEvidence, SeriesFindings, SeriesRejected, SeriesVerified, verify,
};

/// The column of a release of a series that numbers its classes.
pub const GROUP: &str = crate::nested::GROUP;
/// The column of the table of counterfeits that counts those of a class.
pub const COUNT: &str = "count";

use kohort_core::Column;

/// The texts of the rows of a column.
fn texts(column: &Column) -> impl Iterator<Item = &str> {
    column.codes().iter().map(|code| column.dictionary().get(code))
}
