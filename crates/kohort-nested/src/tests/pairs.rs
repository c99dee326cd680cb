//! Laws of laying records on classes.

use proptest::prelude::*;

use super::plain::Plain;
use super::{Asked, random};
use crate::{Cost, Mapping, Pairs, Representative, Scratch, TreeCosts};

/// Grows a class of the records in order, as far as their roots meet, and looks at each step.
fn grow(
    asked: &Asked,
    mapping: Mapping,
    mut look: impl FnMut(&Plain<'_>, &super::plain::PlainTree, u32, Cost),
) {
    let (problem, scratch) = (asked.problem(), &mut Scratch::default());
    let (costs, size) = (TreeCosts::new(&problem), problem.smallest());
    let pairs = Pairs::new(&costs, &problem, size, mapping);
    let plain = Plain { costs: &costs, problem, size, mapping };
    let (mut class, mut tree) = (Representative::of_record(&costs, 0), plain.record(0));
    for record in (1..).take(asked.forest.n_records() - 1) {
        if class.n_members() == size {
            break;
        }
        let found = pairs.cost(&class, record, Cost::MAX, scratch);
        assert_eq!(found.is_some(), plain.is_diverse(&tree, &plain.record(record)));
        let Some(cost) = found else { continue };
        assert_eq!(pairs.cost(&class, record, cost, scratch), found, "the limit itself is within");
        assert_eq!(pairs.cost(&class, record, cost - 1, scratch), None);
        look(&plain, &tree, record, cost);
        let merged = pairs.merge(&class, record, scratch).unwrap();
        assert_eq!(merged.cost(), class.cost() + cost, "costs add up");
        assert_eq!(merged.cost(), costs.of_class(merged.class()), "by the definition");
        merged.class().assert_aligned(&asked.forest);
        plain.diversify(&mut tree, &mut plain.record(record));
        let sorted = |mut places: Vec<Vec<u32>>| {
            places.sort();
            places
        };
        let places = merged.class().positions().map(<[u32]>::to_vec).collect();
        assert_eq!(sorted(places), sorted(tree.places()), "the plain alignment");
        class = merged;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn memoized_equals_plain(asked in random(6)) {
        for mapping in [Mapping::Greedy, Mapping::Assignment] {
            grow(&asked, mapping, |plain, tree, record, cost| {
                assert_eq!(cost, plain.added(tree, &plain.record(record)));
            });
        }
    }

    #[test]
    fn assignment_is_the_least_of_all_alignments_and_never_above_greedy(asked in random(4)) {
        grow(&asked, Mapping::Assignment, |plain, tree, record, cost| {
            let record = plain.record(record);
            assert_eq!(cost, plain.optimum(tree, &record));
            let greedy = Plain { mapping: Mapping::Greedy, ..*plain };
            assert!(cost <= greedy.added(tree, &record));
        });
    }
}
