//! The numbers of a promise, as an answer has them.

use std::collections::BTreeMap;

use super::{LevelAsked, Principle};

/// The numbers that a level asks for, by their names.
pub(crate) fn levels_asked(asked: &Principle) -> BTreeMap<&'static str, LevelAsked> {
    asked.numbers().into_iter().map(|(name, level)| (name, level.into())).collect()
}
