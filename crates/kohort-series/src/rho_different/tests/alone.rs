//! Values that do not follow the correlations: who reads one release alone is within rho, too.

use super::*;

#[test]
fn a_value_that_fills_a_part_of_the_table_against_the_correlations_fills_no_class() {
    // Whoever is 48 or older gets the value 3, which the correlations call rare: 19 of 40 rows have it.
    let mut pairs = Vec::new();
    for x in 0..4 {
        let of = |y| match (x, y) {
            (3, _) => 25,
            (_, 3) => 1,
            _ if x == y => 85,
            _ => 7,
        };
        pairs.extend((0..4).map(|y| (x, y, Ratio::new(of(y), 100))));
    }
    let maker =
        RhoDifferentMaker::new(Ratio::new(1, 2), Correlations::new(&pairs).unwrap()).unwrap();
    let first: Vec<Row> = (0..40).map(|person| (person, [20 + person, 0], person % 4)).collect();
    let second = first.iter().map(|&(p, quasi, v)| (p, quasi, if p >= 28 { 3 } else { v }));
    let second: Vec<Row> = second.collect();
    let mut history = History { n_values: 4, releases: Vec::new() };
    let (next, released) = made(&maker, &history, &first, 1).unwrap();
    history.releases.push(released);
    let maker = maker.with_standing(next.counterfeits, 100);
    let (next, released) = made(&maker, &history, &second, 2).unwrap();
    for class in &released.classes {
        let n = class.values.iter().filter(|&&value| value == 3).count();
        assert!(2 * n <= class.values.len(), "{n} of {} rows", class.values.len());
    }
    assert!(next.n_held_back() <= 4, "{} are held back", next.n_held_back());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn who_reads_one_release_alone_is_within_rho_while_values_drift_against_the_correlations(
        town in towns()
    ) {
        // In one corner of the town everybody gets the same value, whatever is listed.
        let drift = |_: &Transition<'_>, ([age, _], value): ([u32; 2], u32), draw| {
            if age >= 6 && draw < 0.8 { 3 } else { value }
        };
        for (rows, history, next) in changing(&town, false, drift) {
            for class in history.releases.iter().flat_map(|release| &release.classes) {
                let most = class.values.chunk_by(|a, b| a == b).map(<[u32]>::len).max();
                prop_assert!(2 * most.unwrap_or(0) <= class.values.len(), "{:?}", class.values);
            }
            for (row, _) in rows.iter().zip(&next.class_of_row).filter(|(_, c)| **c != ABSENT) {
                let highest = highest_belief(&history, &town.pairs, row.0);
                prop_assert!(highest <= 0.5 + 1e-9, "{highest} of {}", row.0);
            }
        }
    }
}
