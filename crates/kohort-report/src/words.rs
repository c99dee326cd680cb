//! The program's own words in its answers: ids, titles and sentences, which an answer that is read back has
//! as well.
//!
//! An answer names the program's words as `&'static str`. When it is read from JSON, each word is looked up
//! among those read before and kept for good if it is new. The vocabulary is small, so what is kept is, too:
//! more or longer words than any answer has are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

/// A word or sentence of the program. (An alias, as serde would have a reference borrow from its input.)
pub type Words = &'static str;

/// More words than the program has.
const MOST: usize = 10_000;

/// More bytes than its longest sentence has.
const LONGEST: usize = 2_000;

static READ: Mutex<BTreeSet<Words>> = Mutex::new(BTreeSet::new());

/// Reads a field that consists of words, or has them inside.
pub fn read<'de, D: Deserializer<'de>, T: OfWords>(deserializer: D) -> Result<T, D::Error> {
    let found = T::Owned::deserialize(deserializer)?;
    T::known(found).ok_or_else(|| D::Error::custom("a text that is not one of the program's"))
}

/// The word that reads like this.
fn known(text: String) -> Option<Words> {
    let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&word) = all.get(text.as_str()) {
        return Some(word);
    }
    if all.len() >= MOST || text.len() > LONGEST {
        return None;
    }
    let word: Words = text.leak();
    all.insert(word);
    Some(word)
}

/// What consists of words.
pub trait OfWords: Sized {
    /// The same as it is read.
    type Owned: DeserializeOwned;

    /// The same in words that are kept.
    fn known(found: Self::Owned) -> Option<Self>;
}

impl OfWords for Words {
    type Owned = String;

    fn known(found: String) -> Option<Self> {
        known(found)
    }
}

impl OfWords for Option<Words> {
    type Owned = Option<String>;

    fn known(found: Option<String>) -> Option<Self> {
        found.map_or(Some(None), |text| known(text).map(Some))
    }
}

impl OfWords for Vec<Words> {
    type Owned = Vec<String>;

    fn known(found: Vec<String>) -> Option<Self> {
        found.into_iter().map(known).collect()
    }
}

impl<Value: DeserializeOwned> OfWords for BTreeMap<Words, Value> {
    type Owned = BTreeMap<String, Value>;

    fn known(found: BTreeMap<String, Value>) -> Option<Self> {
        found.into_iter().map(|(word, value)| Some((known(word)?, value))).collect()
    }
}

impl OfWords for BTreeMap<String, Words> {
    type Owned = BTreeMap<String, String>;

    fn known(found: BTreeMap<String, String>) -> Option<Self> {
        found.into_iter().map(|(name, word)| Some((name, known(word)?))).collect()
    }
}
