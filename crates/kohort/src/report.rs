//! The reports of a diagnosis, of releases, of attacks and of comparisons: one HTML page each that opens
//! without a network.
//!
//! A page has counts, levels, row numbers and the names of columns, and no cell of the table. The pages are
//! made by `kohort-report`, from answers alone.
//!
//! ```
//! use kohort::diagnose::Question;
//! use kohort::plan::Plan;
//! use kohort::{Cx, Table};
//!
//! let table = Table::from_rows(["age"], [["31"], ["34"], ["34"]])?;
//! let plan = Plan::new().quasi(["age"]);
//! let found = kohort::diagnose(&table, &plan, &Question::default(), &Cx::default())?;
//! let page = kohort::report::html(&found);
//! assert!(kohort::report::is_report(&page));
//! # Ok::<(), kohort::Stop>(())
//! ```

pub use kohort_report::page::{attack_html, comparison, html, is_report, nested_html, series_html};

use crate::goal::not_promised;
use crate::release::Receipt;

impl crate::Release {
    /// The page about the release, which may be shown around.
    pub fn report(&self) -> String {
        release_html(self.receipt())
    }
}

/// The report of a release as one HTML page, to be shown around: its figures are made of published rows.
pub fn release_html(receipt: &Receipt) -> String {
    kohort_report::page::release_html(receipt, not_promised)
}
