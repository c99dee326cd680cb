//! How many sensitive values must be deleted to delete every row of a class: the smallest hitting set.
//!
//! # Method
//! 1. Rows of which no two share a value need a deletion each. Take them greedily; as many as l decide.
//! 2. One attribute: the rows of step 1 are its values, and nothing is left to decide.
//! 3. Two attributes: values are the two sides of a bipartite graph, rows its edges, and the smallest
//!    cover is as large as the largest matching (König): augmenting paths until l are matched.
//! 4. More: branch and bound. One of the values of some row must go; step 1 is the lower bound.
//!
//! # Cost
//! O(n·l·d) for step 1, O(n·l) for step 3; step 4 is exponential in l at worst, d^(l − 1).
//!
//! # References
//! Abdalaal, Privacy Preserving Data Publishing with Multiple Sensitive Attributes, 2012.

use std::collections::BTreeMap;

use kohort_core::Attribute;

/// Whether at least `l` values must be deleted to delete all of these rows.
pub(crate) fn needs_deletions(sensitive: &[&Attribute], rows: &[u32], l: usize) -> bool {
    let d = sensitive.len();
    let mut packed: Vec<u32> = Vec::new();
    let mut n_packed = 0;
    for &row in rows {
        let code = |attribute: &&Attribute| attribute.codes().get(row as usize);
        let meets = |chosen: &[u32]| sensitive.iter().zip(chosen).any(|(a, &c)| code(a) == c);
        if n_packed >= l {
            break;
        }
        if !packed.chunks(d).any(meets) {
            packed.extend(sensitive.iter().map(code));
            n_packed += 1;
        }
    }
    if n_packed >= l || d < 2 {
        return n_packed >= l;
    }
    let tuple = |&row: &u32| sensitive.iter().map(|a| a.codes().get(row as usize)).collect();
    let mut tuples: Vec<Vec<u32>> = rows.iter().map(tuple).collect();
    tuples.sort_unstable();
    tuples.dedup();
    if d == 2 {
        return has_matching(&tuples, l);
    }
    !has_cover(&tuples.iter().map(Vec::as_slice).collect::<Vec<_>>(), l - 1)
}

/// Step 3: whether `l` rows share no value.
fn has_matching(pairs: &[Vec<u32>], l: usize) -> bool {
    let mut of_left: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for pair in pairs {
        of_left.entry(pair[0]).or_default().push(pair[1]);
    }
    let mut left_of: BTreeMap<u32, u32> = BTreeMap::new();
    let mut n_matched = 0;
    for &left in of_left.keys() {
        n_matched += usize::from(augment(left, &of_left, &mut left_of, &mut Vec::new()));
        if n_matched >= l {
            return true;
        }
    }
    false
}

/// Finds a partner for a value of the first attribute, moving others to theirs where needed.
fn augment(
    left: u32,
    of_left: &BTreeMap<u32, Vec<u32>>,
    left_of: &mut BTreeMap<u32, u32>,
    tried: &mut Vec<u32>,
) -> bool {
    for &right in &of_left[&left] {
        if tried.contains(&right) {
            continue;
        }
        tried.push(right);
        let holder = left_of.get(&right).copied();
        if holder.is_none_or(|holder| augment(holder, of_left, left_of, tried)) {
            left_of.insert(right, left);
            return true;
        }
    }
    false
}

/// Step 4: whether deleting `most` values can delete every row.
fn has_cover(rows: &[&[u32]], most: usize) -> bool {
    let Some(&first) = rows.first() else { return true };
    if most == 0 || packed(rows, most + 1) > most {
        return false;
    }
    let without = |attribute: usize| -> Vec<&[u32]> {
        rows.iter().copied().filter(|row| row[attribute] != first[attribute]).collect()
    };
    let mut branches: Vec<Vec<&[u32]>> = (0..first.len()).map(without).collect();
    branches.sort_by_key(Vec::len);
    branches.iter().any(|rest| has_cover(rest, most - 1))
}

/// How many rows that share no value are found, up to `enough`.
fn packed(rows: &[&[u32]], enough: usize) -> usize {
    let mut chosen: Vec<&[u32]> = Vec::new();
    for row in rows {
        let meets = |other: &&[u32]| other.iter().zip(*row).any(|(a, b)| a == b);
        if chosen.len() >= enough {
            break;
        }
        if !chosen.iter().any(meets) {
            chosen.push(row);
        }
    }
    chosen.len()
}

/// The size of the smallest hitting set.
#[cfg(test)]
pub(crate) fn deletions(sensitive: &[&Attribute], rows: &[u32]) -> usize {
    (1..=rows.len()).take_while(|&l| needs_deletions(sensitive, rows, l)).count()
}

#[cfg(test)]
mod tests {
    use kohort_core::{Dataset, Role};
    use proptest::prelude::*;

    use super::*;
    use crate::tests::tables::{Given, dataset, voters};

    // Table 2, the second class of Table 22, and the two halves of the zip codes.
    #[test]
    fn table_2_needs_2_deletions_table_22_3_and_the_halves_by_zip_3_and_2() {
        let table_2 = dataset(&[
            Given::flat("i1", Role::Sensitive, &["b", "c", "a", "c"]),
            Given::flat("i2", Role::Sensitive, &["w", "x", "w", "y"]),
        ]);
        assert_eq!(deletions(&table_2.sensitive(), &[0, 1, 2, 3]), 2);
        let nine = voters();
        let of = |rows: &[u32]| deletions(&nine.sensitive(), rows);
        assert_eq!(of(&[5, 6, 7, 8]), 3);
        assert_eq!((of(&[0, 1, 2, 4, 7]), of(&[3, 5, 6, 8])), (3, 2));
    }

    /// Every set of values is tried, smallest first.
    fn plain(data: &Dataset) -> usize {
        let sensitive = data.sensitive();
        let mut values: Vec<(usize, u32)> = Vec::new();
        for (index, attribute) in sensitive.iter().enumerate() {
            values.extend((0..attribute.n_codes()).map(|code| (index, code)));
        }
        let deletes_all = |set: u32| {
            (0..data.n_rows()).all(|row| {
                let is_hit = |(at, &(index, code)): (usize, &(usize, u32))| {
                    set >> at & 1 == 1 && sensitive[index].codes().get(row) == code
                };
                values.iter().enumerate().any(is_hit)
            })
        };
        let sets = (0..1_u32 << values.len()).filter(|&set| deletes_all(set));
        sets.map(|set| set.count_ones() as usize).min().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn fast_equals_plain(
            rows in prop::collection::vec(prop::array::uniform4(0_u8..4), 1..9),
            d in 1_usize..5,
        ) {
            let names = ["i1", "i2", "i3", "i4"];
            let column = |at: usize| {
                let values: Vec<u8> = rows.iter().map(|row| row[at]).collect();
                Given::flat(names[at], Role::Sensitive, &values)
            };
            let data = dataset(&(0..d).map(column).collect::<Vec<_>>());
            let all: Vec<u32> = (0..).take(rows.len()).collect();
            prop_assert_eq!(deletions(&data.sensitive(), &all), plain(&data));
        }
    }
}
