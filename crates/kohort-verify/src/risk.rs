//! Linking risk: prosecutor, journalist and marketer.
//!
//! # References
//! El Emam and Dankar, Protecting privacy using k-anonymity, JAMIA 15(5), 2008.

use kohort_core::{Attribute, Grouping, MissingAs, Ratio};

use crate::{ClassSizes, Presence};

/// The risk against somebody who knows that the target is in the table.
#[derive(Clone, Debug)]
pub struct Prosecutor {
    /// The risk of the most exposed row: one over the smallest class.
    pub max: Ratio,
    /// The mean risk of a row: classes per row.
    pub mean: Ratio,
    /// For thresholds 1/5, 1/10 and 1/20: the rows whose risk is above.
    pub above: [(u64, u64); 3],
    /// The rows that are alone in their class.
    pub unique: u64,
}

/// The risk against somebody who only knows that the target is in a population.
#[derive(Clone, Debug)]
pub struct Linking {
    /// The journalist's risk: one over the smallest population class that the table shows.
    pub journalist_max: f64,
    /// The marketer's risk: the share of rows linked rightly at random.
    pub marketer: f64,
    /// Whether both are upper bounds: people of the population are not known.
    pub is_bound: bool,
}

/// The risk that a sensitive value is guessed by who finds the class of a person and names the value that
/// is most frequent there.
#[derive(Clone, Debug)]
pub struct Guessing {
    /// The sensitive attribute.
    pub attribute: String,
    /// The share of rows guessed rightly by who knows nothing but the whole table.
    pub baseline: Ratio,
    /// The same for who finds everybody's class.
    pub mean: Ratio,
    /// The same in the class where it is largest.
    pub max: Ratio,
}

impl Guessing {
    /// What a share of right guesses gains over the baseline, as a share of what there is to gain; 0
    /// where everybody has the same value, and nothing is left to guess.
    pub fn advantage(&self, success: Ratio) -> f64 {
        let baseline = self.baseline.value();
        if baseline < 1.0 { (success.value() - baseline) / (1.0 - baseline) } else { 0.0 }
    }
}

/// The risk that each sensitive value is guessed by who finds a class of a grouping. A masked cell may have
/// any value that it allows; a missing one is not guessed, unless it is a value.
pub fn guessing(grouping: &Grouping, sensitive: &[&Attribute]) -> Vec<Guessing> {
    let (rows, ends) = grouping.members();
    let starts = || std::iter::once(&0).chain(&ends);
    let of = |attribute: &&Attribute| {
        let mut shown = Shown::new(attribute);
        let (mut right, mut max) = (0, Ratio::whole(0));
        for (&start, &end) in starts().zip(&ends) {
            let (most, n) = shown.most(&rows[start as usize..end as usize]);
            right += most;
            max = max.max(Ratio::new(most, n.max(1)));
        }
        let (most, n) = shown.most(&rows);
        let baseline = Ratio::new(most, n.max(1));
        Guessing {
            attribute: attribute.name().to_owned(),
            baseline,
            mean: Ratio::new(right, n.max(1)),
            max,
        }
    };
    sensitive.iter().map(of).collect()
}

/// What rows show of a sensitive attribute.
pub(crate) struct Shown<'a> {
    attribute: &'a Attribute,
    codes: Vec<u32>,
}

impl<'a> Shown<'a> {
    pub(crate) fn new(attribute: &'a Attribute) -> Self {
        Self { attribute, codes: Vec::new() }
    }

    /// How many of the rows have the value that most of them have, however their masked cells are filled,
    /// and how many rows that share is of.
    pub(crate) fn most(&mut self, rows: &[u32]) -> (u64, u64) {
        let Self { attribute, codes } = self;
        let (silent, masked) = (attribute.silent(), attribute.masked());
        let is_value = |&code: &u32| Some(code) != silent;
        let is_shown = |row: u32| masked.is_none_or(|masked| masked.kind(row).is_none());
        codes.clear();
        let shown = rows.iter().filter(|&&row| is_shown(row));
        codes.extend(shown.map(|&row| attribute.codes().get(row as usize)));
        let n_silent = codes.iter().filter(|code| !is_value(code)).count();
        if let Some(masked) = masked {
            let kinds = rows.iter().filter_map(|&row| masked.kind(row));
            codes.extend(kinds.flat_map(|kind| masked.allowed(kind)));
        }
        codes.retain(is_value);
        codes.sort_unstable();
        let most = codes.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0) as u64;
        let hides = attribute.missing_as() == MissingAs::Unprotected;
        let n = if hides { rows.len() } else { rows.len() - n_silent };
        (most, n as u64)
    }

    /// Whether some of the rows do not show a value.
    pub(crate) fn is_partial(&self, rows: &[u32]) -> bool {
        let (silent, masked) = (self.attribute.silent(), self.attribute.masked());
        let is_silent = |row: u32| Some(self.attribute.codes().get(row as usize)) == silent;
        let is_masked = |row: u32| masked.is_some_and(|masked| masked.kind(row).is_some());
        (silent.is_some() || masked.is_some())
            && rows.iter().any(|&row| is_masked(row) || is_silent(row))
    }
}

/// The prosecutor's risk; `None` without a row.
pub fn prosecutor(sizes: &ClassSizes) -> Option<Prosecutor> {
    Some(Prosecutor {
        max: Ratio::new(1, sizes.k()?),
        mean: sizes.distinct_ratio(),
        above: [5, 10, 20].map(|threshold| (threshold, sizes.suppressed_for(threshold))),
        unique: sizes.suppressed_for(2),
    })
}

/// Journalist and marketer risk against a public table; `None` without a row. A public class smaller
/// than the table's is taken to be the table's: those people exist.
pub fn linking(presence: &Presence) -> Option<Linking> {
    let shown = presence.classes.iter().filter(|&&(members, _)| members > 0);
    let mut smallest = u64::MAX;
    let (mut n, mut expected) = (0, 0.0);
    for &(f, population) in shown {
        let population = population.max(f);
        smallest = smallest.min(population);
        n += f;
        expected += Ratio::new(f, population).value();
    }
    (n > 0).then(|| Linking {
        journalist_max: Ratio::new(1, smallest).value(),
        marketer: expected / Ratio::whole(n).value(),
        is_bound: presence.rows_not_covered() > 0,
    })
}

/// Journalist and marketer risk when nothing is known of the population but that the table is a part of it:
/// a class has no fewer people there than rows. Both are reached where it has no more.
pub fn linking_bound(sizes: &ClassSizes) -> Option<Linking> {
    Some(Linking {
        journalist_max: Ratio::new(1, sizes.k()?).value(),
        marketer: sizes.distinct_ratio().value(),
        is_bound: true,
    })
}

#[cfg(test)]
mod tests {
    use kohort_core::{Codes, Column, Dictionary, Domain, Missing, Role, Table};

    use super::*;

    // f = (2, 2, 5), F = (4, 10, 5).
    #[test]
    fn spec_7_1_to_3_prosecutor_journalist_marketer() {
        let presence = Presence { classes: vec![(2, 4), (2, 10), (5, 5)] };
        let risk = prosecutor(&presence.table_sizes()).unwrap();
        assert_eq!(risk.max, Ratio::new(1, 2));
        assert_eq!(risk.mean, Ratio::new(1, 3));
        assert_eq!(risk.above, [(5, 4), (10, 9), (20, 9)]);
        let linked = linking(&presence).unwrap();
        assert!((linked.journalist_max - 0.25).abs() < 1e-12);
        assert!((linked.marketer - 0.1889).abs() < 5e-5);
    }

    // The two people of the smallest class may be all there are of their kind, whatever share was sampled.
    #[test]
    fn without_a_population_a_class_has_no_fewer_people_than_rows() {
        let sizes: ClassSizes = [2, 2, 5].into_iter().collect();
        let linked = linking_bound(&sizes).unwrap();
        assert!((linked.journalist_max - 0.5).abs() < 1e-12);
        assert!((linked.marketer - 3.0 / 9.0).abs() < 1e-12);
        assert!(linked.is_bound);
    }

    // Classes a a b and b b c c: who finds them is right about 2 of 3 and 2 of 4.
    #[test]
    fn guessing_is_compared_with_the_most_frequent_value_of_the_table() {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for text in ["a", "a", "b", "b", "b", "c", "c"] {
            codes.push(dictionary.intern(text.as_bytes(), 1).unwrap());
        }
        let missing = Missing::default();
        let column = Column::new("s".into(), dictionary, codes, &missing);
        let table = Table::new("t".into(), vec![column], true, missing);
        let domain = Domain::new(&table, table.column("s").unwrap(), None, &|_| false).unwrap();
        let attribute = Attribute::new(&table, "s", Role::Sensitive, domain, None).unwrap();
        let grouping = Grouping { ids: vec![0, 0, 0, 1, 1, 1, 1], n_classes: 2 };
        let found = &guessing(&grouping, &[&attribute])[0];
        let expected = (Ratio::new(3, 7), Ratio::new(4, 7), Ratio::new(2, 3));
        assert_eq!((found.baseline, found.mean, found.max), expected);
        assert!((found.advantage(found.mean) - 0.25).abs() < 1e-12);
        assert!((found.advantage(found.max) - 5.0 / 12.0).abs() < 1e-12);
    }
}
