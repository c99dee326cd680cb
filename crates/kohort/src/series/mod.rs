//! The same people again: releases that are made against those before them, with a ledger.

mod books;
mod buckets;
mod correlations;
mod earlier;
mod figures;
mod files;
mod given;
mod held_back;
mod kept_head;
mod method;
mod noted;
mod people;
mod promise;
mod publish;
mod reasons;
mod receipt;
mod record;
mod render;
mod told;
mod verify;
mod weaker;

pub use self::books::{
    Books, CheckAnswer, ForgottenAnswer, PublishedFile, RekeyedAnswer, ReleaseAnswer, SeriesAnswer,
    UseAnswer, check,
};
pub use self::figures::Figures;
pub use self::kept_head::KeptHead;
pub use self::publish::{SeriesOrder, publish};
pub use self::told::{check_text, forgotten_text, list_text, rekeyed_text, show_text, uses_text};
pub use self::verify::{
    Made, OriginalAnswer, PromiseAnswer, ReleaseVerdict, SeriesVerdict, series_verdict_text, verify,
};
pub use crate::job::is_of_series;
pub use kohort_ledger::{Hardness, Hash, Secret};
pub use kohort_report::series::{EarlierRelease, SeriesReceipt, series_text};
pub use kohort_verify::series::Counted;
