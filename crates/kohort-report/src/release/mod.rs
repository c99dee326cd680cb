//! What became of a release: its receipt, the verdict on one, and their texts.

mod elimination;
mod receipt;
mod shown_around;
mod text;

use std::collections::BTreeMap;

pub use self::elimination::Elimination;
pub use self::receipt::{
    Columns, Compared, GuessingAnswer, LevelAnswer, OPAQUE, Receipt, RiskChange, TRANSPARENT,
    Verdict,
};
pub use self::shown_around::{PublishedFigures, rounded};
pub use self::text::{VACUOUS, masked_cells, receipt_text, uncovered, verdict_text};

/// Every metric of a release, and why some mean nothing for it.
pub type Figures = (BTreeMap<String, f64>, BTreeMap<String, &'static str>);
