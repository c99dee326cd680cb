//! The distinct texts of a column, numbered in the order they first appear.

use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// The distinct texts of one column. Entry `i` is the `i`-th text to appear; the dictionary keeps the
/// bytes exactly as they were read.
#[derive(Clone, Default)]
pub struct Dictionary {
    text: String,
    ends: Vec<usize>,
    first_lines: Vec<u32>,
    index: HashTable<u32>,
    hasher: FixedState,
}

// The texts are cells: a debug print must not show them.
impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} texts", self.ends.len())
    }
}

/// Why bytes are not a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadText {
    /// The bytes are not UTF-8 from this offset on.
    NotUtf8(usize),
    /// There is a NUL byte at this offset.
    Nul(usize),
    /// There are more than `u32::MAX` distinct texts.
    TooMany,
}

impl Dictionary {
    /// The entry of this text, added if it is not there yet; `line` is remembered as the place where
    /// it first stood.
    #[inline]
    pub fn intern(&mut self, bytes: &[u8], line: u64) -> Result<u32, BadText> {
        let hash = self.hasher.hash_one(bytes);
        let same = |&entry: &u32| self.bytes(entry) == bytes;
        match self.index.find(hash, same) {
            Some(&entry) => Ok(entry),
            None => self.insert(bytes, hash, line),
        }
    }

    #[cold]
    fn insert(&mut self, bytes: &[u8], hash: u64, line: u64) -> Result<u32, BadText> {
        let text = str::from_utf8(bytes).map_err(|error| BadText::NotUtf8(error.valid_up_to()))?;
        if let Some(offset) = text.bytes().position(|byte| byte == 0) {
            return Err(BadText::Nul(offset));
        }
        let entry = u32::try_from(self.ends.len()).map_err(|_| BadText::TooMany)?;
        if entry == u32::MAX {
            return Err(BadText::TooMany);
        }
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.first_lines.push(u32::try_from(line).unwrap_or(u32::MAX));
        let Self { text, ends, index, hasher, .. } = self;
        let rehash = |&other: &u32| hasher.hash_one(&text.as_bytes()[range(ends, other)]);
        index.insert_unique(hash, entry, rehash);
        Ok(entry)
    }

    /// The entry of a text, if it occurs.
    pub fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text.as_bytes());
        self.index.find(hash, |&entry| self.get(entry) == text).copied()
    }

    fn bytes(&self, entry: u32) -> &[u8] {
        &self.text.as_bytes()[range(&self.ends, entry)]
    }

    /// The text of an entry.
    ///
    /// # Panics
    /// When there is no such entry.
    pub fn get(&self, entry: u32) -> &str {
        &self.text[range(&self.ends, entry)]
    }

    /// The line (or row, for formats without lines) on which an entry first stood.
    ///
    /// # Panics
    /// When there is no such entry.
    pub fn first_line(&self, entry: u32) -> u64 {
        u64::from(self.first_lines[entry as usize])
    }

    /// The number of distinct texts.
    pub fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).expect("insert refuses more than u32::MAX entries")
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The texts in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|entry| self.get(entry))
    }
}

/// Where the text of an entry stands.
fn range(ends: &[usize], entry: u32) -> std::ops::Range<usize> {
    let entry = entry as usize;
    let start = if entry == 0 { 0 } else { ends[entry - 1] };
    start..ends[entry]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_entry_and_keep_their_first_line() {
        let mut dictionary = Dictionary::default();
        let entries: Vec<u32> = ["b", "a", "b", "", "a"]
            .iter()
            .zip(2..)
            .map(|(text, line)| dictionary.intern(text.as_bytes(), line).unwrap())
            .collect();
        assert_eq!(entries, [0, 1, 0, 2, 1]);
        assert_eq!(dictionary.iter().collect::<Vec<_>>(), ["b", "a", ""]);
        assert_eq!(dictionary.first_line(1), 3);
        assert_eq!(dictionary.find("a"), Some(1));
        assert_eq!(dictionary.find("c"), None);
    }

    #[test]
    fn bad_bytes_are_refused_with_their_offset() {
        let mut dictionary = Dictionary::default();
        assert_eq!(dictionary.intern(b"ab\xff", 1), Err(BadText::NotUtf8(2)));
        assert_eq!(dictionary.intern(b"a\0", 1), Err(BadText::Nul(1)));
        assert!(dictionary.is_empty());
    }
}
