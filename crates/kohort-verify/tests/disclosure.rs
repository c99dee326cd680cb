//! What classes give away about several sensitive attributes, against each class on its own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kohort_core::{
    Attribute, Codes, Column, Dictionary, Domain, Grouping, Missing, Ratio, Role, Table,
};
use kohort_models::{Evidence, Posterior, worst_posterior};
use kohort_verify::{Disclosure, EvidenceCount, disclosure};
use proptest::prelude::*;

fn attribute(texts: impl Iterator<Item = String>) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for text in texts {
        codes.push(dictionary.intern(text.as_bytes(), 2).unwrap());
    }
    let column = Column::new("s".into(), dictionary, codes, &Missing::default());
    let table = Table::new("t".into(), vec![column], true, Missing::default());
    let domain = Domain::new(&table, &table.columns()[0], None, &|_| false).unwrap();
    Attribute::new(&table, "s", Role::Sensitive, domain, None).unwrap()
}

/// What these classes give away; a row is a word with a letter for each attribute.
fn of(classes: &[&[&str]]) -> Disclosure {
    let rows = || classes.iter().flat_map(|class| class.iter());
    let n_attributes = classes[0][0].len();
    let attributes: Vec<Attribute> =
        (0..n_attributes).map(|i| attribute(rows().map(move |row| row[i..=i].into()))).collect();
    let ids = (0..).zip(classes).flat_map(|(id, class)| vec![id; class.len()]).collect();
    let n_classes = u32::try_from(classes.len()).unwrap();
    let attributes: Vec<&Attribute> = attributes.iter().collect();
    disclosure(&Grouping { ids, n_classes }, &attributes).unwrap()
}

fn posterior((num, den): (u64, u64), evidence: Evidence) -> Posterior {
    Posterior { probability: Ratio::new(num, den), evidence }
}

// Nine tuples at 1/3.
#[test]
fn table_42_nine_rows_at_a_third() {
    let found = of(&[&["aw", "bz", "dx"], &["ay", "bx", "cw"], &["ax", "by", "cz"]]);
    assert_eq!(found.rows, [(Ratio::new(1, 3), 9)]);
    assert_eq!(found.classes, EvidenceCount { by_construction: 3, decided: 0, bounded: 0 });
    let expected = [(1, 3), (1, 2), (1, 1)].map(|p| posterior(p, Evidence::ByConstruction));
    assert_eq!((found.worst, found.l()), (expected, 3));
}

// Three at 1/3, four at 1/2; the two that are suppressed are in no class.
#[test]
fn table_22_three_rows_at_a_third_and_four_at_a_half() {
    let found = of(&[&["aw", "bz", "dx"], &["ay", "cz", "bx", "cw"]]);
    assert_eq!(found.rows, [(Ratio::new(1, 3), 3), (Ratio::new(1, 2), 4)]);
    assert_eq!(found.classes, EvidenceCount { by_construction: 1, decided: 1, bounded: 0 });
    let expected = [(1, 2), (2, 3), (1, 1)].map(|p| posterior(p, Evidence::Decided));
    assert_eq!((found.worst, found.l()), (expected, 2));
}

#[test]
fn a_class_too_large_to_try_gives_a_bound() {
    let large: Vec<String> = ('a'..='p').map(|letter| letter.to_string()).collect();
    let large: Vec<&str> = large.iter().chain(&large).map(String::as_str).collect();
    let found = of(&[&large, &["a", "b"].repeat(8)]);
    // Half of the second class can be excluded by one bit.
    let expected = [
        posterior((1, 2), Evidence::Decided),
        posterior((1, 1), Evidence::Bounded),
        posterior((1, 1), Evidence::Bounded),
    ];
    assert_eq!(found.worst, expected);
    assert_eq!(found.classes, EvidenceCount { by_construction: 0, decided: 0, bounded: 2 });
    assert_eq!(found.l(), 2);
}

/// A class of up to six rows with two attributes.
fn class() -> impl Strategy<Value = Vec<[u8; 2]>> {
    prop::collection::vec([0_u8..4, 0_u8..4], 1..=6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_worst_of_all_classes_is_the_largest_of_each(classes in prop::collection::vec(class(), 1..6)) {
        let rows: Vec<[u8; 2]> = classes.concat();
        let column = |i: usize| attribute(rows.iter().map(move |row| format!("v{}", row[i])));
        let attributes = [column(0), column(1)];
        let ids = (0..).zip(&classes).flat_map(|(id, class)| vec![id; class.len()]).collect();
        let grouping = Grouping { ids, n_classes: u32::try_from(classes.len()).unwrap() };
        let found = disclosure(&grouping, &[&attributes[0], &attributes[1]]).unwrap();
        for (bits, worst) in found.worst.iter().enumerate() {
            let of = |class: &Vec<[u8; 2]>| {
                let values: Vec<u32> = class.concat().into_iter().map(u32::from).collect();
                worst_posterior(&values, 2, bits).probability
            };
            prop_assert_eq!(worst.probability, classes.iter().map(of).max().unwrap());
            prop_assert_ne!(worst.evidence, Evidence::Bounded);
        }
        let n_rows: u64 = found.rows.iter().map(|&(_, rows)| rows).sum();
        prop_assert_eq!(n_rows, rows.len() as u64);
        prop_assert_eq!(found.rows.last().map(|&(share, _)| share), Some(found.max()));
        let EvidenceCount { by_construction, decided, bounded } = found.classes;
        prop_assert_eq!(by_construction + decided + bounded, classes.len() as u64);
    }
}
