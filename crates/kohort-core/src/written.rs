//! How values stood in their file, beside their texts.
//!
//! A value means what its text says: `1` and `"1"` are one value, and so are `""` and null. Dictionaries,
//! codes and all that is made of them go by texts; how a value stood is only for who writes it again as it
//! was, and for who compares a copy with it.

use crate::Codes;

/// How a value stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Written {
    /// As a text, whatever it looks like; an empty one is no null.
    Text,
    /// Bare, as JSON has numbers and truth values.
    Bare,
    /// As null; its text is the empty one.
    Null,
}

impl Written {
    /// All of them, each at the place of its number.
    pub const ALL: [Self; 3] = [Self::Text, Self::Bare, Self::Null];
}

/// What a format tells of a value besides its text. Each tells what those before it do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// Nothing, as CSV; or the values were made.
    #[default]
    Nothing,
    /// The empty text from null, as a column of strings.
    Nulls,
    /// Texts from bare values too, value by value, as JSON.
    Kinds,
}

impl Told {
    /// What is told of a value that stood like this.
    pub fn shows(self, written: Option<Written>, text: &str) -> Option<Written> {
        match self {
            Self::Nothing => None,
            Self::Nulls => written.filter(|_| text.is_empty()),
            Self::Kinds => written,
        }
    }
}

/// How the values of a column stood: kept by text, and by row only once some text stood in several ways.
#[derive(Clone, Debug, Default)]
pub struct Writing {
    told: Told,
    // None for a text that stood in several ways; nothing where nothing is told.
    of_entry: Vec<Option<Written>>,
    // Empty while every text stood in one way.
    of_row: Vec<Written>,
}

impl Writing {
    /// That of a column without rows in a format that tells so much.
    pub fn new(told: Told) -> Self {
        Self { told, ..Self::default() }
    }

    /// That of a column whose dictionary entries stood like this, each in one way.
    pub fn of_entries(told: Told, ways: Vec<Written>) -> Self {
        Self { told, of_entry: ways.into_iter().map(Some).collect(), of_row: Vec::new() }
    }

    /// Adds how the value of one more row stood; `codes` are those of the rows before it.
    ///
    /// # Panics
    /// When entries do not appear in their order.
    pub fn push(&mut self, codes: &Codes, entry: u32, written: Written) {
        let at = entry as usize;
        if at == self.of_entry.len() {
            self.of_entry.push(Some(written));
        } else if self.of_entry[at] != Some(written) {
            if self.of_row.is_empty() {
                let way = |entry: u32| self.of_entry[entry as usize].expect("one way until here");
                self.of_row = codes.iter().map(way).collect();
            }
            self.of_entry[at] = None;
        }
        if !self.of_row.is_empty() {
            self.of_row.push(written);
        }
    }

    /// Whether every text stood in one way so far, and does with these rows, too.
    ///
    /// # Panics
    /// When entries do not appear in their order.
    pub fn is_one_way(&self, more: &[(u32, Written)]) -> bool {
        let mut ways = Vec::new();
        !self.is_by_row()
            && more.iter().all(|&(entry, written)| {
                let entry = entry as usize;
                if let Some(&before) = self.of_entry.get(entry) {
                    return before == Some(written);
                }
                let at = entry - self.of_entry.len();
                if at == ways.len() {
                    ways.push(written);
                }
                ways[at] == written
            })
    }

    /// What is told.
    pub fn told(&self) -> Told {
        self.told
    }

    /// Whether some text stood in several ways.
    pub fn is_by_row(&self) -> bool {
        !self.of_row.is_empty()
    }

    /// How an entry stood wherever it did; none where that is not told, or it stood in several ways.
    pub fn of_entry(&self, entry: u32) -> Option<Written> {
        self.of_entry.get(entry as usize).copied().flatten()
    }

    /// How the value of a row with this entry stood; none where that is not told.
    #[inline]
    pub fn of_row(&self, row: usize, entry: u32) -> Option<Written> {
        self.of_row.get(row).copied().or_else(|| self.of_entry(entry))
    }

    /// That of these rows only, in the order given.
    pub(crate) fn select(&self, rows: &[u32]) -> Self {
        let row = |&row: &u32| self.of_row[row as usize];
        let of_row = if self.is_by_row() { rows.iter().map(row).collect() } else { Vec::new() };
        Self { told: self.told, of_entry: self.of_entry.clone(), of_row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of these entries, each as it stood.
    fn column(rows: &[(u32, Written)]) -> (Codes, Writing) {
        let (mut codes, mut writing) = (Codes::default(), Writing::new(Told::Kinds));
        for &(entry, written) in rows {
            writing.push(&codes, entry, written);
            codes.push(entry);
        }
        (codes, writing)
    }

    fn ways(codes: &Codes, writing: &Writing) -> Vec<Written> {
        (0..codes.len()).filter_map(|row| writing.of_row(row, codes.get(row))).collect()
    }

    #[test]
    fn rows_are_kept_only_once_a_text_stands_in_two_ways() {
        use Written::{Bare, Null, Text};
        let rows = [(0, Null), (1, Bare), (0, Null), (2, Text), (1, Bare)];
        let (codes, writing) = column(&rows);
        assert!(!writing.is_by_row());
        assert_eq!(ways(&codes, &writing), [Null, Bare, Null, Text, Bare]);
        assert_eq!(writing.of_entry(1), Some(Bare));

        let rows = [(0, Null), (1, Bare), (0, Text), (1, Bare), (0, Null), (0, Null)];
        let (codes, writing) = column(&rows);
        assert!(writing.is_by_row());
        assert_eq!(ways(&codes, &writing), [Null, Bare, Text, Bare, Null, Null]);
        assert_eq!((writing.of_entry(0), writing.of_entry(1)), (None, Some(Bare)));
        let picked = [4, 2, 3];
        let few = writing.select(&picked);
        assert_eq!(ways(&codes.select(&picked), &few), [Null, Text, Bare]);
    }

    #[test]
    fn what_is_not_told_takes_no_room() {
        let writing = Writing::default();
        assert_eq!(writing.of_row(7, 3), None);
        assert_eq!(writing.told(), Told::Nothing);
        assert!(writing.of_entry.is_empty() && writing.of_row.is_empty());
    }
}
