//! The minimal nodes of the table of Sharma et al., and brute force over the lattice.

use super::*;
use crate::lattice::tests::{all_nodes, ask, asked, k_anonymous, plainly, table_2, tables};
use crate::tests::tables::{problem, settings};
use kohort_models::{ClassModel, KAnonymity};
use proptest::prelude::*;

fn minimal_of(problem: &Problem<'_>) -> Vec<Node> {
    let lattice = Lattice::new(problem).unwrap();
    minimal_nodes(&Ctx::quiet(), &lattice, &lattice.table()).unwrap()
}

// Minimal nodes for k = 2 and for k = 3 and 4; unchanged for suppression of up to 2 rows.
#[test]
fn section_9_minimal_nodes() {
    let data = table_2();
    assert_eq!(minimal_of(&k_anonymous(&data, 2)), [[1, 1, 1], [2, 2, 0]]);
    for k in [3, 4] {
        assert_eq!(minimal_of(&k_anonymous(&data, k)), [[2, 2, 1], [4, 3, 0]]);
    }
    for (k, suppression) in [(2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)] {
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
        let allowed = problem(&data, models, crate::Settings { suppression, ..settings(3) });
        assert_eq!(minimal_of(&allowed), minimal_of(&k_anonymous(&data, k)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn minimal_nodes_equal_brute_force(data in tables(), asked in asked()) {
        let problem = ask(&data, asked);
        let Ok(lattice) = Lattice::new(&problem) else { return Ok(()) };
        let allowed = problem.settings().suppression.min(data.n_rows() as u64 - 1);
        let ok: Vec<Node> = (all_nodes(&lattice).into_iter())
            .filter(|node| plainly(&problem, node).0 <= allowed)
            .collect();
        let below = |a: &Node, b: &Node| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
        let minimal: Vec<Node> =
            ok.iter().filter(|node| !ok.iter().any(|other| below(other, node))).cloned().collect();
        prop_assert_eq!(minimal_of(&problem), minimal);
    }
}
