//! Columns that are published as they are, and what they add to the quasi-identifiers.

use kohort_core::{Dataset, Role};
use kohort_models::{ClassModel, KAnonymity};
use kohort_verify::attack::{Finding, People, Scene, Truth, Verdict};

use crate::given::{dataset, rows};
use crate::lab::{close, find, released};

/// Columns `a` (quasi), `s` (sensitive), `x` and `y`, which have no role here.
fn table(lines: &[&str]) -> Dataset {
    let roles = [
        ("a", Role::Quasi, None),
        ("s", Role::Sensitive, None),
        ("x", Role::Insensitive, None),
        ("y", Role::Insensitive, None),
    ];
    dataset(&roles, &rows(lines))
}

fn attacked(
    release: &Dataset,
    original: Option<&Dataset>,
    insensitive: &[&'static str],
) -> Finding {
    let people = original.map(|original| People::new(original, true));
    let mut scene = Scene::new(released(release), people).unwrap();
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(3).unwrap())];
    scene.declared.models = &models;
    scene.insensitive = insensitive.to_vec();
    let mut truth = Truth::of_release(&scene.release);
    if let Some(original) = original {
        let rows: Vec<Option<u32>> = (0..).take(original.n_rows()).map(Some).collect();
        truth = truth.with_people(&scene.release, original, &rows);
    }
    find("insensitive-columns", &scene, &truth)
}

const RELEASE: [&str; 6] = [
    "[1, 3];flu;p;1",
    "[1, 3];flu;p;2",
    "[1, 3];hiv;q;1",
    "[4, 6];flu;p;1",
    "[4, 6];flu;p;1",
    "[4, 6];hiv;p;1",
];
const ORIGINAL: [&str; 6] =
    ["1;flu;p;1", "2;flu;p;2", "3;hiv;q;1", "4;flu;p;1", "5;flu;p;1", "6;hiv;p;1"];

// By hand: in the first class x and y tell all three apart, in the second nobody; x alone tells one apart.
#[test]
fn who_also_knows_insensitive_columns_picks_out_whom_they_single_out() {
    let (release, original) = (table(&RELEASE), table(&ORIGINAL));
    for (columns, success, certain) in [
        (&["x", "y"][..], (3.0 + 3.0 / 3.0) / 6.0, 3),
        (&["x"][..], (2.0 / 2.0 + 1.0 + 3.0 / 3.0) / 6.0, 1),
    ] {
        for original in [None, Some(&original)] {
            let found = attacked(&release, original, columns);
            let scored = found.weakest();
            assert!(close(scored.rate.success, success), "{:?}", scored.rate);
            // The prosecutor picks one of three.
            assert!(close(scored.rate.baseline, 1.0 / 3.0), "{:?}", scored.rate);
            assert_eq!(scored.rate.above[2], certain);
            // 3-anonymity is kept: it promises nothing to who knows more than the quasi-identifiers.
            assert_eq!((scored.verdict, scored.bound), (Verdict::Succeeds, None));
        }
    }
}

#[test]
fn columns_that_tell_nobody_apart_add_nothing() {
    let release = table(&["[1, 3];flu;p;1", "[1, 3];flu;p;1", "[1, 3];hiv;p;1"]);
    let found = attacked(&release, None, &["x", "y"]);
    assert_eq!(found.weakest().verdict, Verdict::NotRefuted);
    assert!(close(found.weakest().rate.success, found.weakest().rate.baseline));
}
