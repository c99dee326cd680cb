//! LKC-privacy of a release is judged by its definition, on the texts that are shown.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Dataset, Ratio, Role};
use kohort_models::{ClassModel, LkcPrivacy};
use kohort_verify::{Claims, Reason, Rejected, Shows, Verified, verify};
use proptest::prelude::*;

use super::given::{dataset, rows, table};

const NAMES: [&str; 3] = ["a", "b", "s"];

/// The sensitive column of a release.
fn sensitive(rows: &[Vec<String>]) -> Dataset {
    let columns = NAMES.map(|name| {
        let role = if name == "s" { Role::Sensitive } else { Role::Insensitive };
        (name, role, None)
    });
    dataset(&columns, rows)
}

fn judge(rows: &[Vec<String>], l: usize, k: u64, c: Ratio) -> Result<Verified, Rejected> {
    let data = sensitive(rows);
    let sensitive = data.sensitive();
    let codes = (0..sensitive[0].n_codes()).collect();
    let models: [Box<dyn ClassModel>; 1] = [Box::new(LkcPrivacy::new(0, l, k, c, codes).unwrap())];
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["a", "b"],
        group: None,
        sensitive: &sensitive,
        models: &models,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(0),
        shows: Shows::Rows,
    };
    verify(&table(&NAMES, rows), &claims, None).unwrap()
}

#[test]
fn a_release_that_only_the_class_model_rejects_is_accepted() {
    // One row alone shows [30, 39] and south, but who knows one of the two finds three rows.
    let lines = [
        "[20, 29];north;x",
        "[20, 29];north;y",
        "[20, 29];south;x",
        "[20, 29];south;y",
        "[30, 39];north;x",
        "[30, 39];north;y",
        "[30, 39];south;x",
    ];
    let c = Ratio::new(7, 10);
    let verified = judge(&rows(&lines), 1, 2, c).unwrap();
    assert_eq!(verified.findings().k(), Some(1));
    let rejected = judge(&rows(&lines), 2, 2, c).unwrap_err();
    let [Reason::Model { id: "lkc-privacy", violations }] = rejected.reasons() else { panic!() };
    assert_eq!((violations.classes, violations.rows), (1, 1));
    // Ranges that overlap are two values: each is found by one row alone.
    let rejected = judge(&rows(&["[20, 29];n;x", "[25, 34];n;y"]), 1, 2, c).unwrap_err();
    let [Reason::Model { violations, .. }] = rejected.reasons() else { panic!() };
    assert_eq!((violations.classes, violations.rows), (2, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_release_is_judged_by_every_set_of_few_columns(
        cells in prop::collection::vec((0_u8..3, 0_u8..3, 0_u8..3), 1..40),
        l in 1_usize..4,
        k in 1_u64..4,
        den in 1_u64..3,
    ) {
        let ranges = ["[0, 9]", "[5, 14]", "*"];
        let line = |&(a, b, s): &(u8, u8, u8)| {
            vec![ranges[usize::from(a)].to_owned(), format!("b{b}"), format!("s{s}")]
        };
        let rows: Vec<Vec<String>> = cells.iter().map(line).collect();
        let mut broken = 0;
        let mut members: BTreeSet<usize> = BTreeSet::new();
        for set in [vec![], vec![0], vec![1], vec![0, 1]] {
            if set.len() > l {
                continue;
            }
            let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
            for (index, row) in rows.iter().enumerate() {
                let key = set.iter().map(|&column: &usize| row[column].as_str()).collect();
                classes.entry(key).or_default().push(index);
            }
            for class in classes.values() {
                let count = |value: &str| class.iter().filter(|&&r| rows[r][2] == value).count();
                let most = ["s0", "s1", "s2"].map(count).into_iter().max().unwrap() as u64;
                let size = class.len() as u64;
                if size < k || most * den > size {
                    broken += 1;
                    members.extend(class);
                }
            }
        }
        match judge(&rows, l, k, Ratio::new(1, den)) {
            Ok(_) => prop_assert_eq!(broken, 0),
            Err(rejected) => {
                let [Reason::Model { violations, .. }] = rejected.reasons() else {
                    return Err(TestCaseError::fail("no other reason"));
                };
                let found = (violations.classes, violations.rows);
                prop_assert_eq!(found, (broken, members.len() as u64));
            }
        }
    }
}
