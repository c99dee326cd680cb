//! What opens the door: the files of a release are put in place only with a permit, and only the judge's
//! yes, or its no together with the plan's own word, is one.

use kohort_io::{Staged, commit_together};
use kohort_verify::nested::{NestedRejected, NestedVerified};
use kohort_verify::{Rejected, Verified};

use crate::Error;
use crate::plan::Plan;

/// The right to publish what the judge has read.
#[derive(Debug)]
pub(crate) struct Permit(());

impl Permit {
    /// A table that keeps every promise.
    pub(crate) fn of_table(_: &Verified) -> Self {
        Self(())
    }

    /// Nested records that keep every promise.
    pub(crate) fn of_records(_: &NestedVerified) -> Self {
        Self(())
    }

    /// A table that does not, where the plan says `allow-unsafe`.
    pub(crate) fn of_unsafe_table(_: &Rejected, plan: &Plan) -> Option<Self> {
        plan.method.allow_unsafe.then_some(Self(()))
    }

    /// Nested records that do not, where the plan says `allow-unsafe`.
    pub(crate) fn of_unsafe_records(_: &NestedRejected, plan: &Plan) -> Option<Self> {
        plan.method.allow_unsafe.then_some(Self(()))
    }
}

/// Puts the files of a release in place, all of them or none.
pub(crate) fn publish(mut files: Vec<Staged>, _: Permit) -> Result<(), Error> {
    Ok(commit_together(&mut files)?)
}
