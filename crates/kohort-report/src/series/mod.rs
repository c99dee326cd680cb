//! What became of a release of a series: its receipt and its text.

mod receipt;

pub use self::receipt::{CountedForm, EarlierRelease, SeriesReceipt, series_text};
pub(crate) use self::receipt::{believed, by_the_thesis};
pub(crate) use kohort_verify::series::Counted;
