//! Minimal transversals (hitting sets) of a family of sets, by Berge's multiplication.

use crate::AttributeSet;
use crate::set::extremes;

/// The minimal sets that meet every set of the family. An empty set in the family cannot be met, so
/// there is none; the empty family is met by the empty set.
pub fn minimal_transversals(family: &[AttributeSet]) -> Vec<AttributeSet> {
    family.iter().fold(vec![AttributeSet::EMPTY], |transversals, &edge| extend(&transversals, edge))
}

/// The minimal transversals of a family and one more set.
pub(crate) fn extend(transversals: &[AttributeSet], edge: AttributeSet) -> Vec<AttributeSet> {
    let (kept, missed): (Vec<_>, Vec<_>) =
        transversals.iter().partition(|set| !set.and(edge).is_empty());
    let mut all: Vec<AttributeSet> = kept.clone();
    for set in missed {
        for attribute in edge.iter() {
            let grown = set.with(attribute);
            // A transversal that met the edge already and lies within makes the grown one redundant.
            if !kept.iter().any(|other| other.is_within(grown)) {
                all.push(grown);
            }
        }
    }
    extremes(all, false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn transversals_equal_exhaustive_search(family in prop::collection::vec(0_u64..64, 0..7)) {
            let set = |bits: u64| (0..6).filter(|i| bits >> i & 1 == 1).collect::<AttributeSet>();
            let family: Vec<AttributeSet> = family.into_iter().map(set).collect();
            let hits = |candidate: AttributeSet| {
                family.iter().all(|&edge| !candidate.and(edge).is_empty())
            };
            let mut plain: Vec<AttributeSet> = (0..64)
                .map(set)
                .filter(|&s| hits(s) && s.iter().all(|attribute| !hits(s.without(attribute))))
                .collect();
            plain.sort();
            prop_assert_eq!(minimal_transversals(&family), plain);
        }
    }
}
