//! People in another order.

use kohort_core::Forest;
use proptest::prelude::*;

use super::random;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn people_in_another_order_are_the_same_people(asked in random(12), turned in 0_usize..12) {
        let forest = &asked.forest;
        let mut order: Vec<u32> = (0..u32::try_from(forest.n_records()).unwrap()).rev().collect();
        let n = order.len();
        order.rotate_left(turned % n);
        let (other, which) = forest.reordered(&order);
        let trees = |forest: &Forest| -> Vec<_> {
            let order = forest.by_content();
            let vertices = order.iter().flat_map(|&record| forest.vertices(record as usize));
            vertices
                .map(|vertex| {
                    let below = forest.children(vertex).len();
                    (forest.kind(vertex), forest.labels(vertex).to_vec(), forest.sensitive(vertex), below)
                })
                .collect()
        };
        prop_assert_eq!(trees(forest), trees(&other));
        prop_assert_eq!((other.n_records(), other.n_vertices()), (n, forest.n_vertices()));
        prop_assert_eq!(other.n_labels(), forest.n_labels());
        for (record, &of) in order.iter().enumerate() {
            let vertices = other.vertices(record);
            let which_ones = vertices.clone().map(|vertex| which[vertex as usize]);
            prop_assert!(which_ones.eq(forest.vertices(of as usize)));
            for vertex in vertices {
                let was = which[vertex as usize];
                prop_assert_eq!(other.record_of(vertex), record);
                prop_assert_eq!(other.kind(vertex), forest.kind(was));
                prop_assert_eq!(other.row(vertex), forest.row(was));
                prop_assert_eq!(other.labels(vertex), forest.labels(was));
                prop_assert_eq!(other.sensitive(vertex), forest.sensitive(was));
                prop_assert_eq!(which[other.parent(vertex) as usize], forest.parent(was));
                let children = other.children(vertex).map(|child| which[child as usize]);
                prop_assert!(children.eq(forest.children(was)));
            }
        }
    }
}
