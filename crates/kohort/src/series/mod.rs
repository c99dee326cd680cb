//! The same people again: releases that are made against those before them, with a ledger.
//!
//! ```no_run
//! use kohort::plan::Plan;
//! use kohort::series::{KeptHead, Secret, SeriesOrder, series_text};
//! use kohort::{Cx, Table};
//!
//! let plan = Plan::open("plan.toml".as_ref())?; // with a section [series]
//! let table: Table = kohort::read(&plan, &Cx::default())?.value;
//! let secret = Secret::passphrase("from where secrets are kept").map_err(kohort::Error::from)?;
//! let order = SeriesOrder {
//!     plan: &plan,
//!     series: "patients",
//!     ledger: "patients.ledger".as_ref(),
//!     secret: &secret,
//!     head: &KeptHead::Nowhere,
//!     target: &|number| format!("release-{number}.csv").into(),
//!     report: &|_| None,
//!     force: false,
//!     inputs: &[],
//!     now: 1_800_000_000,
//! };
//! let receipt = kohort::publish(&order, &table, &Cx::default())?;
//! println!("{}", series_text(&receipt));
//! # Ok::<(), kohort::Stop>(())
//! ```

mod books;
mod buckets;
mod correlations;
mod figures;
mod files;
mod held_back;
mod kept_head;
mod ledger_text;
mod method;
mod parameters;
mod past_boxes;
mod people;
mod promise;
mod promise_change;
mod publish;
mod reasons;
mod receipt;
mod record;
mod render;
mod run_again;
mod verify;
mod warnings;

pub use self::books::{
    Books, CheckAnswer, ForgottenAnswer, PublishedFile, RekeyedAnswer, ReleaseAnswer, SeriesAnswer,
    UseAnswer, check,
};
pub use self::figures::Figures;
pub use self::kept_head::KeptHead;
pub use self::ledger_text::{
    check_text, forgotten_text, list_text, rekeyed_text, show_text, uses_text,
};
pub use self::publish::{SeriesOrder, publish};
pub(crate) use self::run_again::{RunAgain, Seen};
pub use self::verify::{
    Made, OriginalAnswer, PromiseAnswer, ReleaseVerdict, SeriesVerdict, series_verdict_text, verify,
};
pub use crate::job::is_of_series;
pub use kohort_ledger::{Hardness, Hash, Secret};
pub use kohort_report::series::{EarlierRelease, SeriesReceipt, series_text};
pub use kohort_verify::series::Counted;
