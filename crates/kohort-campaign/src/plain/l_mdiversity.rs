//! l-mdiversity: whoever knows i < l facts "this person does not have this value" about people of a class
//! believes no value of anybody with more than 1/(l − i) (Abdalaal 2012).
//!
//! By every world of small classes: every way to give the rows of the class to its people. For larger
//! classes by l-pdiversity, which it is equal to.

use std::collections::BTreeSet;

use super::{Fraction, frequency_l_diversity};

/// Classes of so many rows at most are decided by their worlds.
const FEW: usize = 4;

/// `rows` has for each row of a class its value of each sensitive attribute.
pub(crate) fn holds(rows: &[Vec<&str>], l: usize) -> bool {
    let n_attributes = rows.first().map_or(0, Vec::len);
    let has_p = (0..n_attributes).all(|attribute| {
        let values: Vec<&str> = rows.iter().map(|row| row[attribute]).collect();
        frequency_l_diversity::holds(&values, Fraction::whole(l))
    });
    if rows.len() > FEW {
        return has_p;
    }
    let worlds = permutations(rows.len());
    let facts: BTreeSet<(usize, usize, &str)> = (0..rows.len())
        .flat_map(|person| {
            rows.iter().flat_map(move |row| {
                row.iter().enumerate().map(move |(attribute, &value)| (person, attribute, value))
            })
        })
        .collect();
    let facts: Vec<(usize, usize, &str)> = facts.into_iter().collect();
    is_within(rows, &worlds.iter().collect::<Vec<_>>(), &facts, 0, l)
}

/// Whether no belief is above 1/l in these worlds, nor above 1/(l − 1) with one more fact, and so on; facts
/// are added from a place on, since their order says nothing.
fn is_within(
    rows: &[Vec<&str>],
    worlds: &[&Vec<usize>],
    facts: &[(usize, usize, &str)],
    from: usize,
    l: usize,
) -> bool {
    let is_so = |world: &[usize], &(person, attribute, value): &(usize, usize, &str)| {
        rows[world[person]][attribute] == value
    };
    let all_low = facts
        .iter()
        .all(|fact| worlds.iter().filter(|world| is_so(world, fact)).count() * l <= worlds.len());
    if !all_low || l == 1 {
        return all_low;
    }
    (from..facts.len()).all(|next| {
        let left: Vec<&Vec<usize>> =
            worlds.iter().copied().filter(|world| !is_so(world, &facts[next])).collect();
        left.is_empty() || is_within(rows, &left, facts, next + 1, l - 1)
    })
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for smaller in permutations(n - 1) {
        for place in 0..n {
            let mut permutation = smaller.clone();
            permutation.insert(place, n - 1);
            all.push(permutation);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_worlds_it_is_l_pdiversity() {
        for code in 0..256_usize {
            let rows: Vec<Vec<&str>> =
                (0..4).map(|row| vec![["a", "b", "c", "d"][(code >> (2 * row)) & 3]]).collect();
            let values: Vec<&str> = rows.iter().map(|row| row[0]).collect();
            for l in 2..=4 {
                let expected = frequency_l_diversity::holds(&values, Fraction::whole(l));
                assert_eq!(holds(&rows, l), expected, "{values:?} {l}");
            }
        }
    }
}
