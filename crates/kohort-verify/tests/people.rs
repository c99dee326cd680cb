//! Levels that count people, against the definition written down plainly.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tables;

use std::collections::BTreeSet;

use kohort_core::{Attribute, Grouping, Ratio, Role};
use kohort_verify::{PeopleDiversity, PeopleLevels, people_levels};
use proptest::prelude::*;
use tables::{attributes, table};

/// The levels of rows of a class, a person and a value.
fn found(rows: &[(u32, u32, u32)]) -> PeopleLevels {
    let texts: Vec<Vec<String>> = rows.iter().map(|row| vec![row.2.to_string()]).collect();
    let table = table(&["s"], &texts);
    let sensitive = attributes(&table, &["s"], Role::Sensitive);
    let sensitive: Vec<&Attribute> = sensitive.iter().collect();
    let classes: BTreeSet<u32> = rows.iter().map(|row| row.0).collect();
    let id = |class: u32| u32::try_from(classes.range(..class).count()).unwrap();
    let ids = rows.iter().map(|row| id(row.0)).collect();
    let n_classes = u32::try_from(classes.len()).unwrap();
    let people: Vec<u32> = rows.iter().map(|row| row.1).collect();
    people_levels(&Grouping { ids, n_classes }, &people, &sensitive)
}

/// The same by looking at every class, person and value.
fn plain(rows: &[(u32, u32, u32)]) -> PeopleLevels {
    let everybody: BTreeSet<u32> = rows.iter().map(|row| row.1).collect();
    let classes: BTreeSet<u32> = rows.iter().map(|row| row.0).collect();
    let values: BTreeSet<u32> = rows.iter().map(|row| row.2).collect();
    let people = |class: u32| -> BTreeSet<u32> {
        rows.iter().filter(|row| row.0 == class).map(|row| row.1).collect()
    };
    let with = |class: u32, value: u32| -> BTreeSet<u32> {
        rows.iter().filter(|row| row.0 == class && row.2 == value).map(|row| row.1).collect()
    };
    let most = |class: u32| values.iter().map(|&value| with(class, value).len()).max().unwrap();
    let those = |is_one: &dyn Fn(u32) -> bool| {
        let mut them = BTreeSet::new();
        for &class in classes.iter().filter(|&&class| is_one(class)) {
            them.extend(people(class));
        }
        them.len() as u64
    };
    PeopleLevels {
        n_people: everybody.len() as u64,
        k: classes.iter().map(|&class| people(class).len() as u64).min(),
        alone: those(&|class| people(class).len() == 1),
        sensitive: vec![PeopleDiversity {
            frequency_l: (classes.iter())
                .map(|&class| Ratio::new(people(class).len() as u64, most(class) as u64))
                .min()
                .unwrap(),
            disclosed: those(&|class| most(class) == people(class).len()),
        }],
    }
}

#[test]
fn five_rows_of_two_people_are_two_people() {
    // One person has four of the five rows, and both have the value 7.
    let found = found(&[(0, 1, 7), (0, 1, 8), (0, 1, 9), (0, 1, 7), (0, 2, 7)]);
    let sensitive = vec![PeopleDiversity { frequency_l: Ratio::whole(1), disclosed: 2 }];
    assert_eq!(found, PeopleLevels { n_people: 2, k: Some(2), alone: 0, sensitive });
}

proptest! {
    #[test]
    fn levels_are_the_plain_definition(
        rows in prop::collection::vec((0_u32..4, 0_u32..6, 0_u32..3), 1..40)
    ) {
        prop_assert_eq!(found(&rows), plain(&rows));
    }

    #[test]
    fn where_everybody_has_one_row_people_are_rows(
        classes in prop::collection::vec((0_u32..4, 0_u32..3), 1..40)
    ) {
        let rows: Vec<_> = (0..).zip(&classes).map(|(i, &(class, s))| (class, i, s)).collect();
        let size = |class: u32| classes.iter().filter(|row| row.0 == class).count() as u64;
        let smallest = classes.iter().map(|row| size(row.0)).min();
        prop_assert_eq!(found(&rows).k, smallest);
    }
}
