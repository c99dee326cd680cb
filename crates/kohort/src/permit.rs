//! What opens the door: the files or tables of a release are put in place only with a permit, and only the judge's
//! yes, or its no together with the plan's own word, is one.

use kohort_core::to_the_end;
use kohort_io::{Staged, StagedFolder, commit_all, commit_together};
use kohort_verify::nested::{NestedRejected, NestedVerified};
use kohort_verify::series::{SeriesRejected, SeriesVerified};
use kohort_verify::{Rejected, Verified};

use crate::Error;
use crate::plan::Plan;

/// The right to publish what the judge has read.
#[derive(Debug)]
pub(crate) struct Permit(());

/// The word of a plan on releases that break a promise: only its `allow-unsafe` lets them out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllowUnsafe(bool);

impl AllowUnsafe {
    /// What a plan says.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self(plan.method.allow_unsafe)
    }

    /// Whether such releases are allowed.
    pub(crate) fn is_given(self) -> bool {
        self.0
    }
}

impl Permit {
    /// A table that keeps every promise.
    pub(crate) fn of_table(_: &Verified) -> Self {
        Self(())
    }

    /// Nested records that keep every promise.
    pub(crate) fn of_records(_: &NestedVerified) -> Self {
        Self(())
    }

    /// A release of a series that keeps the promise together with all those before it.
    pub(crate) fn of_series(_: &SeriesVerified) -> Self {
        Self(())
    }

    /// A table that does not, where the plan says `allow-unsafe`.
    pub(crate) fn of_unsafe_table(_: &Rejected, allowed: AllowUnsafe) -> Option<Self> {
        allowed.0.then_some(Self(()))
    }

    /// Nested records that do not, where the plan says `allow-unsafe`.
    pub(crate) fn of_unsafe_records(_: &NestedRejected, allowed: AllowUnsafe) -> Option<Self> {
        allowed.0.then_some(Self(()))
    }

    /// A release of a series that does not, where the plan says `allow-unsafe`.
    pub(crate) fn of_unsafe_series(_: &SeriesRejected, allowed: AllowUnsafe) -> Option<Self> {
        allowed.0.then_some(Self(()))
    }
}

/// Puts the files of a release in place, all of them or none.
pub(crate) fn publish(mut files: Vec<Staged>, _: Permit) -> Result<(), Error> {
    Ok(to_the_end(|| commit_together(&mut files))?)
}

/// Puts the parts of a release in place, all of them or none.
pub(crate) fn publish_folder(folder: StagedFolder, _: Permit) -> Result<(), Error> {
    Ok(to_the_end(|| folder.commit())?)
}

/// Puts the tables of a release in place in a database, all of them or none, and says where.
pub(crate) fn publish_in_database(
    tables: kohort_db::Target,
    _: Permit,
) -> Result<Vec<String>, Error> {
    Ok(to_the_end(|| tables.publish())?)
}

/// Puts the files of a release of a series in place. The ledger has recorded them, and completes what is
/// interrupted.
pub(crate) fn publish_recorded(files: &mut [Staged], _: Permit) -> Result<(), kohort_io::Error> {
    to_the_end(|| commit_all(files))
}
