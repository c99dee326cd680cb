//! What a maker of the next release is to its caller.

use kohort_core::{Ctx, Spec};

use crate::{Failure, Next, Turn};

/// A way to make the next release of a series. What it needs beside the turn (parameters, boxes of
/// earlier releases, correlations) is in the maker.
pub trait SeriesMethod: Sync {
    /// What it is: the promise that it keeps, by the same id as the model.
    fn spec(&self) -> &'static Spec;

    /// Makes a release which, after all those of the history, keeps the promise. People for whom there
    /// is no way are held back.
    fn make(&self, ctx: &Ctx<'_>, turn: &Turn<'_>) -> Result<Next, Failure>;
}
