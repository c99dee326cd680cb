//! Laws of attacks on random tables: models bound them, and probabilities are probabilities.

use std::collections::{BTreeMap, BTreeSet};

use kohort_core::{Ctx, Dataset, Ratio};
use kohort_models::{ClassModel, FrequencyLDiversity, KAnonymity};
use kohort_verify::attack::{
    ATTACKS, Declared, Guesses, Known, People, Rate, Says, Scene, Truth, Verdict, run, wilson,
};
use proptest::prelude::*;

use crate::lab::{people, released, table};

/// Two quasi-identifiers and a sensitive value.
type Row = (u32, u32, u32);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0_u32..12, 0_u32..5, 0_u32..4), 6..40)
}

fn texts(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// The table as it is.
fn original(rows: &[Row]) -> Dataset {
    let lines: Vec<String> = rows.iter().map(|(a, b, s)| format!("{a};{b};{s}")).collect();
    table(&texts(&lines))
}

/// Ranges over groups of at least `k` rows, in the order of one quasi-identifier or the other.
fn generalized(rows: &[Row], k: usize, by_second: bool) -> Vec<(String, u32)> {
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|&(a, b, _)| if by_second { (b, a) } else { (a, b) });
    let n_groups = (rows.len() / k).max(1);
    let mut lines = Vec::new();
    for group in 0..n_groups {
        let end = if group + 1 == n_groups { rows.len() } else { (group + 1) * k };
        let members = &sorted[group * k..end];
        let range = |value: fn(&Row) -> u32| {
            let (lo, hi) = (members.iter().map(value).min(), members.iter().map(value).max());
            format!("[{},{}]", lo.unwrap(), hi.unwrap())
        };
        let cells = format!("{};{}", range(|row| row.0), range(|row| row.1));
        lines.extend(members.iter().map(|row| (cells.clone(), row.2)));
    }
    lines
}

fn as_table(lines: &[(String, u32)]) -> Dataset {
    let lines: Vec<String> = lines.iter().map(|(cells, s)| format!("{cells};{s}")).collect();
    table(&texts(&lines))
}

/// The size of the smallest class, and the smallest ratio of a class to its most frequent value, from the
/// definitions.
fn levels(lines: &[(String, u32)]) -> (u64, Ratio) {
    let mut classes: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    for (cells, s) in lines {
        *classes.entry(cells).or_default().entry(*s).or_default() += 1;
    }
    let sizes = classes.values().map(|counts| counts.values().sum::<u64>());
    let l = classes
        .values()
        .map(|counts| Ratio::new(counts.values().sum::<u64>(), *counts.values().max().unwrap()));
    (sizes.min().unwrap(), l.min().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn promises_bound_the_prosecutor_and_homogeneity(
        rows in rows(), k in 2_usize..5, by_second: bool, knows_people: bool,
    ) {
        let lines = generalized(&rows, k, by_second);
        let (release, original) = (as_table(&lines), original(&rows));
        let (k, l) = levels(&lines);
        let mut models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
        if l > Ratio::whole(1) {
            models.push(Box::new(FrequencyLDiversity::new(0, l).unwrap()));
        }
        let everybody = knows_people.then(|| People::new(&original, true));
        let mut scene = Scene::new(released(&release), everybody).unwrap();
        scene.declared = Declared { models: &models, ..Declared::default() };
        let row_of_person: Vec<Option<u32>> = (0..).take(rows.len()).map(Some).collect();
        let truth = Truth::of_release(&scene.release);
        let truth = truth.with_people(&scene.release, &original, &row_of_person);
        let attacks: Vec<_> = (ATTACKS.iter().copied())
            .filter(|attack| ["prosecutor", "homogeneity"].contains(&attack.spec().id))
            .collect();
        let findings = run(&Ctx::quiet(), &attacks, &scene, &truth).unwrap();
        let [prosecutor, homogeneity] = &findings.found[..] else { panic!("both run") };
        let (of_records, of_values) = (prosecutor.weakest(), homogeneity.weakest());
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (k, l) = (k as f64, l.value());
        prop_assert!(of_records.rate.max_probability <= 1.0 / k + 1e-9);
        prop_assert!(of_values.rate.max_probability <= 1.0 / l + 1e-9);
        prop_assert!(of_records.verdict != Verdict::Refuted);
        prop_assert!(of_values.verdict != Verdict::Refuted);
        if !knows_people {
            // The smallest and the least diverse class reach the bounds.
            prop_assert!((of_records.rate.max_probability - 1.0 / k).abs() < 1e-9);
            prop_assert!((of_values.rate.max_probability - 1.0 / l).abs() < 1e-9);
        }
    }

    #[test]
    fn posteriors_sum_to_one(rows in rows(), k in 1_usize..5, by_second: bool) {
        let (release, original) = (as_table(&generalized(&rows, k, by_second)), original(&rows));
        let scene = Scene::new(released(&release), Some(People::new(&original, true))).unwrap();
        for sight in [scene.rows(), scene.crowd().unwrap()] {
            for view in sight.views() {
                prop_assert!(!view.shapes.is_empty(), "everybody is covered");
                let sum: f64 = scene.posterior(view, 0).iter().map(|(_, p)| p).sum();
                prop_assert!((sum - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn membership_is_a_probability(
        rows in rows(), k in 1_usize..5, others in prop::collection::vec((0_u32..14, 0_u32..6), 0..20),
    ) {
        let release = as_table(&generalized(&rows, k, false));
        let pairs = rows.iter().map(|&(a, b, _)| (a, b)).chain(others);
        let lines: Vec<String> = pairs.map(|(a, b)| format!("{a};{b}")).collect();
        let public = people(&texts(&lines));
        let scene = Scene::new(released(&release), Some(People::new(&public, false))).unwrap();
        let attack = ATTACKS.iter().find(|attack| attack.spec().id == "membership").unwrap();
        let guesses = attack.guess(&Ctx::quiet(), &scene).unwrap();
        prop_assert_eq!(guesses[0].guesses.len(), lines.len());
        for guess in &guesses[0].guesses {
            prop_assert!((0.5..=1.0).contains(&guess.probability));
            // Who is in the table is covered: nobody is sure that they are not.
            let is_member = (guess.target as usize) < rows.len();
            prop_assert!(!is_member || guess.says == Says::Member(true) || guess.probability < 1.0);
        }
    }

    // Both releases cover everybody truthfully: what is left for sure is true.
    #[test]
    fn what_is_sure_is_right(rows in rows(), k in 1_usize..4, is_turned: bool) {
        let (this, other) =
            (as_table(&generalized(&rows, k, is_turned)), as_table(&generalized(&rows, k, !is_turned)));
        let original = original(&rows);
        let mut scene = Scene::new(released(&this), Some(People::new(&original, true))).unwrap();
        scene.others.push(released(&other));
        let ids = ["homogeneity", "complementary-release", "temporal"];
        for attack in ATTACKS.iter().filter(|attack| ids.contains(&attack.spec().id)) {
            for guesses in attack.guess(&Ctx::quiet(), &scene).unwrap() {
                let sure = guesses.guesses.iter().filter(|guess| guess.probability > 1.0 - 1e-9);
                for guess in sure.filter(|_| guesses.attribute.is_some()) {
                    let value = rows[guess.target as usize].2.to_string();
                    let code = scene.release.sensitive()[0].code_of(&value).unwrap();
                    prop_assert_eq!(guess.says, Says::Value(code, code), "{}", attack.spec().id);
                }
            }
        }
    }

    // Every attack of the registry, on whatever scene it can run.
    #[test]
    fn guesses_are_probabilities_and_one_for_each_target(
        rows in rows(), k in 1_usize..4, scene in 0..3,
    ) {
        let (this, other) =
            (as_table(&generalized(&rows, k, false)), as_table(&generalized(&rows, k, true)));
        let original = original(&rows);
        let crowd = (scene > 0).then(|| People::new(&original, scene == 1));
        let mut scene = Scene::new(released(&this), crowd).unwrap();
        scene.others.push(released(&other));
        for attack in ATTACKS.iter().filter(|attack| attack.needs(&scene).is_none()) {
            for guesses in attack.guess(&Ctx::quiet(), &scene).unwrap() {
                check(attack.spec().id, &guesses)?;
            }
        }
    }
}

fn check(id: &str, guesses: &Guesses) -> Result<(), TestCaseError> {
    let Guesses { guesses, without, .. } = guesses;
    let targets: BTreeSet<u32> = guesses.iter().map(|guess| guess.target).collect();
    prop_assert_eq!(targets.len(), guesses.len(), "{}", id);
    for guess in guesses.iter().chain(without) {
        prop_assert!((0.0..=1.0 + 1e-9).contains(&guess.probability), "{} {:?}", id, guess);
    }
    if !without.is_empty() {
        let both =
            guesses.iter().zip(without).filter(|(guess, other)| guess.target == other.target);
        prop_assert_eq!(both.count(), guesses.len(), "{}", id);
        prop_assert_eq!(without.len(), guesses.len(), "{}", id);
    }
    Ok(())
}

#[test]
fn nothing_succeeds_where_nothing_is_right() {
    for targets in 1..3000 {
        let interval = wilson(0.0, targets);
        assert!(interval.0 <= 0.0 && wilson(1.0, targets).1 >= 1.0, "{targets}: {interval:?}");
        let rate = Rate {
            targets,
            success: 0.0,
            baseline: 0.0,
            interval,
            max_probability: 0.0,
            above: [0; 3],
            known: Known::Measured,
        };
        assert_eq!(Verdict::new(&rate, 0.0, None), Verdict::NotRefuted, "{targets}");
    }
}
