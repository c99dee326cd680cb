//! The worst posterior, and l-mdiversity, against the definition: every world and every set of bits.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kohort_core::Ratio;
use kohort_models::{Evidence, Posterior, worst_posterior};
use proptest::prelude::*;

/// The rows of a class, one list of values for each.
type Rows = Vec<Vec<u32>>;

/// The worst posterior under at most so many bits, from the definition alone: a bit about a value that
/// no row has says nothing, so that fewer bits are among the choices.
fn by_definition(rows: &Rows, bits: usize) -> Ratio {
    let worlds = worlds(rows.len());
    let mut facts: Vec<Vec<bool>> = Vec::new();
    for person in 0..rows.len() {
        for attribute in 0..rows[0].len() {
            let mut values: Vec<u32> = rows.iter().map(|row| row[attribute]).collect();
            values.sort_unstable();
            values.dedup();
            for value in values {
                let has = |world: &Vec<usize>| rows[world[person]][attribute] == value;
                facts.push(worlds.iter().map(has).collect());
            }
        }
    }
    let facts: Vec<Vec<u64>> = facts.iter().map(|fact| packed(fact)).collect();
    let mut worst = Ratio::whole(0);
    with_bits(&packed(&vec![true; worlds.len()]), &facts, bits, &mut |left| {
        let n_left = count(left.iter().copied());
        for fact in &facts {
            let n_with = count(fact.iter().zip(left).map(|(with, left)| with & left));
            worst = worst.max(Ratio::new(n_with, n_left));
        }
    });
    worst
}

/// Every bijection: for each person, the row.
fn worlds(n: usize) -> Vec<Vec<usize>> {
    let mut worlds: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..n {
        let longer = worlds.iter().flat_map(|world| {
            let free = (0..n).filter(|row| !world.contains(row));
            free.map(|row| world.iter().copied().chain([row]).collect())
        });
        worlds = longer.collect();
    }
    worlds
}

fn packed(worlds: &[bool]) -> Vec<u64> {
    let word = |chunk: &[bool]| (0..).zip(chunk).map(|(bit, &is)| u64::from(is) << bit).sum();
    worlds.chunks(64).map(word).collect()
}

fn count(words: impl Iterator<Item = u64>) -> u64 {
    words.map(|word| u64::from(word.count_ones())).sum()
}

/// Calls `each` with the worlds that every consistent set of at most so many bits leaves.
fn with_bits(left: &[u64], facts: &[Vec<u64>], bits: usize, each: &mut impl FnMut(&[u64])) {
    if count(left.iter().copied()) == 0 {
        return;
    }
    each(left);
    if bits == 0 {
        return;
    }
    for (index, fact) in facts.iter().enumerate() {
        let without: Vec<u64> = left.iter().zip(fact).map(|(left, fact)| left & !fact).collect();
        with_bits(&without, &facts[index + 1..], bits - 1, each);
    }
}

fn found(rows: &Rows, bits: usize) -> Posterior {
    worst_posterior(&rows.concat(), rows[0].len(), bits)
}

/// Every way in which the values of one attribute can agree among `n` rows: value i + 1 does not occur
/// before value i.
fn agreements(n: usize) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..n {
        let longer = all.iter().flat_map(|values| {
            let next = values.iter().max().map_or(0, |most| most + 1);
            (0..=next).map(|value| values.iter().copied().chain([value]).collect())
        });
        all = longer.collect();
    }
    all
}

/// Every class of `n` rows over so many attributes, but for the names of values and the order of rows:
/// the values of the first attribute ascend.
fn classes(n: usize, n_attributes: usize) -> Vec<Rows> {
    let all = agreements(n);
    let first = all.iter().filter(|values| values.is_sorted());
    let mut classes: Vec<Rows> = first.map(|values| one_column(values)).collect();
    for _ in 1..n_attributes {
        let wider = classes.iter().flat_map(|rows| {
            all.iter().map(|values| {
                let with =
                    |(row, &value): (&Vec<u32>, &u32)| row.iter().copied().chain([value]).collect();
                rows.iter().zip(values).map(with).collect()
            })
        });
        classes = wider.collect();
    }
    classes
}

fn one_column(values: &[u32]) -> Rows {
    values.iter().map(|&value| vec![value]).collect()
}

/// How often the most frequent value of any attribute occurs.
fn most(rows: &Rows) -> u64 {
    let of = |attribute: usize| {
        let occurs = move |row: &Vec<u32>| {
            rows.iter().filter(|other| other[attribute] == row[attribute]).count() as u64
        };
        rows.iter().map(occurs).max().unwrap()
    };
    (0..rows[0].len()).map(of).max().unwrap()
}

/// Definition 3: no value exceeds a share of 1/l.
fn is_pdiverse(rows: &Rows, l: u64) -> bool {
    most(rows) * l <= rows.len() as u64
}

/// Definition 5, with the worst posterior under each number of bits. Under l − 1 bits everything is allowed.
fn is_mdiverse(rows: &Rows, l: u64, worst: impl Fn(&Rows, usize) -> Ratio) -> bool {
    (0..l - 1).all(|bits| worst(rows, usize::try_from(bits).unwrap()) <= Ratio::new(1, l - bits))
}

fn small() -> impl Iterator<Item = Rows> {
    let shapes = [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2)];
    shapes.into_iter().chain([(5, 1), (5, 2)]).flat_map(|(n, d)| classes(n, d))
}

#[test]
fn the_worst_posterior_of_every_small_class_is_that_of_the_definition() {
    for rows in small() {
        for bits in 0..=2 {
            let found = found(&rows, bits);
            assert_ne!(found.evidence, Evidence::Bounded, "{rows:?}, {bits} bits");
            assert_eq!(found.probability, by_definition(&rows, bits), "{rows:?}, {bits} bits");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_worst_posterior_is_that_of_the_definition(
        rows in prop::collection::vec(prop::collection::vec(0_u32..4, 3), 4..=5),
        bits in 0_usize..=2,
    ) {
        let found = found(&rows, bits);
        prop_assert_ne!(found.evidence, Evidence::Bounded);
        prop_assert_eq!(found.probability, by_definition(&rows, bits));
    }

    #[test]
    fn neither_the_order_of_rows_nor_the_names_of_values_matter(
        rows in prop::collection::vec(prop::collection::vec(0_u32..3, 2), 1..=7),
        bits in 0_usize..=2,
    ) {
        let other: Rows =
            rows.iter().rev().map(|row| vec![100 - row[1], 7 + 2 * row[0]]).collect();
        prop_assert_eq!(found(&rows, bits), found(&other, bits));
    }
}

/// Theorem 2: a class of g rows, no two of which agree, has posteriors of at most 1/(g − i).
fn check_theorem_2(n: u32, n_attributes: usize) {
    let rows: Rows = (0..n).map(|row| vec![row; n_attributes]).collect();
    for bits in 0..n {
        let bound = Ratio::new(1, u64::from(n - bits));
        let bits = usize::try_from(bits).unwrap();
        assert_eq!(by_definition(&rows, bits), bound, "{n} rows, {bits} bits");
        let by_theorem = Posterior { probability: bound, evidence: Evidence::ByConstruction };
        assert_eq!(found(&rows, bits), by_theorem);
    }
}

#[test]
fn theorem_2_holds_and_is_tight_for_up_to_four_rows_of_two_attributes() {
    for n in 1..=4 {
        check_theorem_2(n, 2);
    }
}

#[test]
fn theorem_2_holds_and_is_tight_for_five_rows_of_one_attribute() {
    check_theorem_2(5, 1);
}

#[test]
fn every_small_class_is_l_mdiverse_exactly_when_it_is_l_pdiverse() {
    for rows in small() {
        for l in 2..=rows.len() as u64 {
            let is_pdiverse = is_pdiverse(&rows, l);
            assert_eq!(is_mdiverse(&rows, l, by_definition), is_pdiverse, "{rows:?}, l = {l}");
        }
    }
}

// Up to five rows a class with c > 1 has l ≤ 2, and l = 2 says nothing about bits. The smallest class of
// which the theorem claims more than Theorem 2 has six rows, each value twice, and l = 3.
#[test]
fn six_rows_with_each_value_at_most_twice_are_3_mdiverse() {
    let classes = [classes(6, 1), classes(6, 2)].concat();
    let mut n_classes = 0;
    for rows in classes.iter().filter(|rows| most(rows) == 2) {
        assert!(is_mdiverse(rows, 3, by_definition), "{rows:?}");
        n_classes += 1;
    }
    assert!(n_classes > 200, "{n_classes}");
}

/// Classes in which the values of two attributes occur twice or three times each, but for the last.
fn balanced() -> impl Strategy<Value = Rows> {
    (6_u32..=9, 2_u32..=3).prop_flat_map(|(n, times)| {
        let values: Vec<u32> = (0..n).map(|row| row / times).collect();
        let column = Just(values).prop_shuffle();
        (column.clone(), column).prop_map(|(first, second)| {
            first.iter().zip(second).map(|(&a, b)| vec![a, b]).collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // Permanents instead of worlds: the tests above say that they are the same.
    #[test]
    fn larger_classes_are_l_mdiverse_exactly_when_they_are_l_pdiverse(
        rows in balanced(),
        l in 2_u64..=4,
    ) {
        let worst = |rows: &Rows, bits| found(rows, bits).probability;
        prop_assert_eq!(is_mdiverse(&rows, l, worst), is_pdiverse(&rows, l));
    }
}

/// The worst posteriors under 0, 1 and 2 bits of a class, written one word per row.
fn check(rows: &[&str], expected: [(u64, u64); 3], evidence: Evidence) {
    let rows: Rows = rows.iter().map(|row| row.bytes().map(u32::from).collect()).collect();
    for (bits, (num, den)) in expected.into_iter().enumerate() {
        let expected = Posterior { probability: Ratio::new(num, den), evidence };
        assert_eq!(found(&rows, bits), expected, "{bits} bits");
        if rows.len() <= 6 {
            assert_eq!(by_definition(&rows, bits), expected.probability, "{bits} bits");
        }
    }
}

// Abdalaal 2012's tables, with t8 = (b, x).
#[test]
fn table_42_each_class_is_sa_distinct() {
    for class in [["aw", "bz", "dx"], ["ay", "bx", "cw"], ["ax", "by", "cz"]] {
        check(&class, [(1, 3), (1, 2), (1, 1)], Evidence::ByConstruction);
    }
}

#[test]
fn table_2_gives_everything_away_under_one_bit() {
    check(&["bw", "cx", "aw", "cy"], [(1, 2), (1, 1), (1, 1)], Evidence::Decided);
}

#[test]
fn table_22_second_class_is_diverse_in_the_sense_of_gal_only() {
    check(&["aw", "bz", "dx"], [(1, 3), (1, 2), (1, 1)], Evidence::ByConstruction);
    check(&["ay", "cz", "bx", "cw"], [(1, 2), (2, 3), (1, 1)], Evidence::Decided);
}

// SA-distinct is sufficient, not necessary.
#[test]
fn six_rows_with_each_value_twice_are_as_good_as_three_distinct_ones() {
    let rows = ["ax", "by", "cz", "ay", "bz", "cx"];
    check(&rows, [(1, 3), (1, 2), (1, 1)], Evidence::Decided);
}
