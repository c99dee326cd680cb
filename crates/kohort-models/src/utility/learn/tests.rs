//! Learners against what can be computed by hand or by trying everything.

use kohort_core::Role;
use proptest::prelude::*;

use super::stump::{Question, best};
use super::*;
use crate::utility::tests::{Drawn, Given, Release, dataset, drawn, grouped, part, quick, table};

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    let all = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < tolerance);
    assert!(all && found.len() == expected.len(), "{found:?} is not {expected:?}");
}

/// The training sample of a whole release.
fn sample(release: &Release) -> (Encoder, Sample) {
    let view = release.view();
    let target = target(&view, &Learning::default()).unwrap();
    let rows: Vec<u32> = (0..).take(view.dataset.n_rows()).collect();
    let sample = Sample::of_release(&view, &view.bounds().unwrap(), &rows, &target);
    (Encoder::new(&view.dataset.quasi()), sample)
}

/// Two values of x with classes a, a, a, b and a, b, b, b.
fn eight() -> Release {
    Release::identity(dataset(&[
        Given::flat("x", Role::Quasi, &["u", "u", "u", "u", "v", "v", "v", "v"]),
        Given::flat("class", Role::Sensitive, &["a", "a", "a", "b", "a", "b", "b", "b"]),
    ]))
}

#[test]
fn logistic_of_one_question_gives_the_shares() {
    let (encoder, sample) = sample(&eight());
    let model = logistic::fit(&encoder, &sample, 1e-9);
    near(&model.predict(&[(0, 0)]), &[0.75, 0.25], 1e-5);
    near(&model.predict(&[(1, 1)]), &[0.25, 0.75], 1e-5);
    // A cell that covers both stands halfway: log odds of 0.
    near(&model.predict(&[(0, 1)]), &[0.5, 0.5], 1e-5);
}

#[test]
fn logistic_of_three_classes_gives_the_shares() {
    let (encoder, sample) = sample(&Release::identity(dataset(&[
        Given::flat("x", Role::Quasi, &["u", "u", "u", "u", "v", "v", "v", "v", "v"]),
        Given::flat("c", Role::Sensitive, &["a", "a", "b", "c", "a", "b", "b", "b", "c"]),
    ])));
    let model = logistic::fit(&encoder, &sample, 1e-9);
    near(&model.predict(&[(0, 0)]), &[0.5, 0.25, 0.25], 1e-5);
    near(&model.predict(&[(1, 1)]), &[0.2, 0.6, 0.2], 1e-5);
}

#[test]
fn naive_bayes_counts_shares_of_cells() {
    // The last group shows u or v for one `a` and one `b`: half a row of each.
    let dataset = dataset(&[
        Given::flat("x", Role::Quasi, &["u", "u", "v", "u", "v"]),
        Given::flat("class", Role::Sensitive, &["a", "a", "b", "a", "b"]),
    ]);
    let (encoder, sample) =
        sample(&Release::of_groups(dataset, &[vec![0], vec![1], vec![2], vec![3, 4]]));
    let model = naive_bayes::fit(&encoder, &sample);
    // n(u, a) = 2.5 of 3, n(u, b) = 0.5 of 2; one more row of each is counted everywhere.
    let (a, b) = (4.0 / 7.0 * 3.5 / 5.0, 3.0 / 7.0 * 1.5 / 4.0);
    near(&model.predict(&[(0, 0)]), &[a / (a + b), b / (a + b)], 1e-12);
}

#[test]
fn a_stump_asks_the_question_that_tells_most() {
    let release = Release::identity(dataset(&[
        Given::flat("noise", Role::Quasi, &["p", "q", "p", "q", "p", "q"]),
        Given::flat("age", Role::Quasi, &["20", "30", "40", "50", "60", "?"]),
        Given::flat("class", Role::Sensitive, &["a", "a", "b", "b", "b", "a"]),
    ]));
    let (encoder, sample) = sample(&release);
    let found = best(&encoder, &sample).unwrap();
    // Between 30 and 40, in shares of 20 to 60.
    assert_eq!((found.axis, found.question), (1, Question::Below(0.375)));
    assert_eq!(found.branches, [vec![2.0, 0.0], vec![0.0, 3.0], vec![1.0, 0.0]]);
    let model = stump::fit(&encoder, &sample);
    near(&model.predict(&[(0, 0), (0, 0)]), &[0.75, 0.25], 1e-12);
    near(&model.predict(&[(0, 0), (4, 4)]), &[0.2, 0.8], 1e-12);
    near(&model.predict(&[(0, 0), (5, 5)]), &[2.0 / 3.0, 1.0 / 3.0], 1e-12);
}

#[test]
fn a_tree_learns_what_a_stump_cannot() {
    // The class is whether x and y agree, which no single column tells; 9 of 10 rows for x = u break
    // the tie at the root.
    let mut texts = Vec::new();
    for (x, y, n) in [("u", "u", 40), ("u", "v", 30), ("v", "u", 20), ("v", "v", 30)] {
        texts.extend(std::iter::repeat_n((x, y, if x == y { "same" } else { "other" }), n));
    }
    let column = |pick: fn(&(&'static str, &'static str, &'static str)) -> &'static str| {
        texts.iter().map(pick).collect::<Vec<_>>()
    };
    let release = Release::identity(dataset(&[
        Given::flat("x", Role::Quasi, &column(|row| row.0)),
        Given::flat("y", Role::Quasi, &column(|row| row.1)),
        Given::flat("class", Role::Sensitive, &column(|row| row.2)),
    ]));
    let options = quick();
    let tree = release.score("accuracy-cart", &options).unwrap();
    assert!(tree.value > 0.999, "{tree:?}");
    let stump = release.score("accuracy-stump", &options).unwrap();
    assert!(stump.value < 0.8, "{stump:?}");
}

// Nobody who is tested shows a range or a node: a tree that asks how much a cell covers sends them all
// where few rows went.
#[test]
fn a_tree_asks_nothing_about_how_much_a_cell_covers() {
    // Ten rows that show their value are `yes`; the others, who show everything, are `no`.
    let n = 100_usize;
    for column in ["age", "sex"] {
        let is_age = column == "age";
        let age = |row| if is_age { row % 50 } else { 1 };
        let sex = |row: usize| if is_age { "m" } else { ["m", "f", "x"][row % 3] };
        // Those who show their age are 0 to 9, those who show their sex are `m`.
        let is_alone =
            |row: &usize| if is_age { *row < 10 } else { row.is_multiple_of(3) && *row < 30 };
        let (alone, rest): (Vec<usize>, Vec<usize>) = (0..n).partition(is_alone);
        let ages: Vec<usize> = (0..n).map(age).collect();
        let sexes: Vec<&str> = (0..n).map(sex).collect();
        let classes: Vec<&str> =
            (0..n).map(|row| if is_alone(&row) { "yes" } else { "no" }).collect();
        let mut groups: Vec<Vec<usize>> = alone.into_iter().map(|row| vec![row]).collect();
        groups.push(rest);
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &ages),
            Given::flat("sex", Role::Quasi, &sexes),
            Given::flat("class", Role::Sensitive, &classes),
        ]);
        let release = Release::of_groups(data, &groups);
        let (encoder, sample) = sample(&release);
        let model = cart::fit(&encoder, &sample, 6);
        let quasi = release.dataset.quasi();
        let right = (0..n).filter(|&row| {
            let bounds: Vec<(u32, u32)> =
                quasi.iter().map(|a| (a.codes().get(row), a.codes().get(row))).collect();
            let predicted = model.predict(&bounds);
            let no = release.dataset.sensitive()[0].code_of("no").unwrap() as usize;
            (predicted[no] > 0.5) == (classes[row] == "no")
        });
        let right = right.count();
        assert!(right >= 70, "{column}: {right} of {n}");
    }
}

#[test]
fn what_cannot_be_predicted_is_said() {
    let release = eight();
    let why = |target: &str| {
        let learning = Learning { target: Some(target.into()), ..Learning::default() };
        release.score("accuracy-stump", &Options { learning, ..quick() }).unwrap_err().0
    };
    assert_eq!(why("x"), "predicts no quasi-identifier, whose values are generalized");
    assert_eq!(why("y"), "names no column of the table");
    let floor = release.score("accuracy-majority", &quick()).unwrap();
    assert_eq!(part(&floor, "normalized"), None);
}

#[test]
fn everything_at_the_root_leaves_the_floor() {
    let mut release = eight();
    release.cells = kohort_core::Cells::from_rows(1, [kohort_core::Cell::ANY]);
    release.group_of_row = vec![0; 8];
    for id in ["accuracy-stump", "accuracy-cart", "accuracy-naive-bayes", "accuracy-logistic"] {
        let score = release.score(id, &quick()).unwrap();
        assert_eq!(Some(score.value), part(&score, "floor"), "{id}");
        assert!(part(&score, "normalized").is_none_or(|u| u.abs() < 1e-12));
    }
}

#[test]
fn suppressed_rows_are_left_out_of_what_is_shown() {
    let texts = ["u", "v"].repeat(20);
    let dataset = dataset(&[
        Given::flat("x", Role::Quasi, &texts),
        Given::flat("class", Role::Sensitive, &texts),
    ]);
    // One row in forty is suppressed; all others show what they are.
    let rows: Vec<Vec<usize>> = (1..40).map(|row| vec![row]).collect();
    let release = Release::of_groups(dataset, &rows);
    let score = release.score("accuracy-stump", &quick()).unwrap();
    assert_eq!(part(&score, "shown"), Some(1.0));
    // A release of training rows shows no test row: another one does.
    let view = release.view();
    let none = vec![u32::MAX; 40];
    let (train, test): (Vec<u32>, Vec<u32>) = ((1..20).collect(), (20..40).collect());
    let of = |shown| [Fold { view, shown, train: train.clone(), test: test.clone() }];
    let learned = |shown| {
        let score = classification(&of(shown), &Learning::default(), Learner::Stump).unwrap();
        part(&score, "shown")
    };
    assert_eq!(learned(view), Some(1.0));
    assert_eq!(learned(View { group_of_row: &none, ..view }), None);
}

#[test]
fn folds_hold_every_row_once() {
    let learning = Learning { n_folds: 3, ..Learning::default() };
    let dealt = folds(10, &learning, 5);
    let mut tested: Vec<u32> = dealt.iter().flat_map(|fold| fold.1.clone()).collect();
    tested.sort_unstable();
    assert_eq!(tested, (0..10).collect::<Vec<_>>());
    for (train, test) in &dealt {
        assert_eq!(train.len() + test.len(), 10);
        assert!(test.iter().all(|row| !train.contains(row)));
    }
    assert!(folds(2, &learning, 5).is_empty());
    let few = Learning { max_rows: 6, ..learning };
    assert_eq!(folds(10, &few, 5).iter().map(|fold| fold.1.len()).sum::<usize>(), 6);
}

/// The least entropy of any question, every row written out value by value.
fn least_entropy(release: &Release, rows: &Drawn) -> Option<f64> {
    let quasi = release.dataset.quasi();
    let class = |row: usize| release.dataset.sensitive()[0].codes().get(row);
    let n_classes = release.dataset.sensitive()[0].n_codes();
    let entropy = |side: &[(u32, f64)]| {
        let total: f64 = side.iter().map(|row| row.1).sum();
        let of = |c| side.iter().filter(|row| row.0 == c).map(|row| row.1).sum::<f64>();
        let classes = (0..n_classes).map(of).filter(|n| *n > 1e-12);
        classes.map(|n| -n * (n / total).log2()).sum::<f64>()
    };
    let mut least: Option<f64> = None;
    for (axis, attribute) in quasi.iter().enumerate() {
        // Each row: its middle or each of its values with a share, or missing.
        let mut shown: Vec<(Option<f64>, u32, f64)> = Vec::new();
        for row in 0..rows.len() {
            let group = release.group_of_row[row];
            if group == u32::MAX {
                continue;
            }
            let (lo, hi) = attribute.codes_of(release.cells.column(axis).get(group as usize));
            let numbers: Vec<f64> = (lo..=hi).filter_map(|c| attribute.number(c)).collect();
            if attribute.value_type().is_ordered() {
                let (first, last) = (numbers.first(), numbers.last());
                shown.push((first.zip(last).map(|(a, b)| f64::midpoint(*a, *b)), class(row), 1.0));
                continue;
            }
            for code in lo..=hi {
                let value = (Some(code) != attribute.missing()).then_some(f64::from(code));
                shown.push((value, class(row), 1.0 / f64::from(hi - lo + 1)));
            }
        }
        let side = |keep: &dyn Fn(Option<f64>) -> bool| {
            let kept = shown.iter().filter(|row| keep(row.0)).map(|row| (row.1, row.2));
            kept.collect::<Vec<_>>()
        };
        for &(value, ..) in &shown {
            let Some(value) = value else { continue };
            let is_first = |other: f64| {
                if attribute.value_type().is_ordered() {
                    other <= value
                } else {
                    (other - value).abs() < 0.5
                }
            };
            let first = side(&|other| other.is_some_and(is_first));
            let rest = side(&|other| other.is_some_and(|other| !is_first(other)));
            if first.is_empty() || rest.is_empty() {
                continue;
            }
            let found = entropy(&first) + entropy(&rest) + entropy(&side(&|other| other.is_none()));
            least = Some(least.map_or(found, |least| least.min(found)));
        }
    }
    least
}

/// The greatest purity of any threshold on any feature.
fn greatest_purity(encoder: &Encoder, sample: &Sample) -> f64 {
    let features: Vec<Vec<f64>> = (0..sample.len())
        .map(|entry| {
            let mut values = vec![0.0; encoder.n_features()];
            encoder.features(sample.bounds(entry), |feature, value| values[feature] = value);
            values
        })
        .collect();
    let purity = |entries: &[usize]| {
        let mut counts = vec![0.0; sample.n_classes];
        entries.iter().flat_map(|&e| sample.classes(e)).for_each(|&(c, n)| counts[c] += n);
        let total: f64 = counts.iter().sum();
        (counts.iter().map(|n| n * n).sum::<f64>() / f64::max(total, 1e-12), total)
    };
    let everything: Vec<usize> = (0..sample.len()).collect();
    let mut greatest = purity(&everything).0;
    let pairs = |feature: usize| (0..sample.len()).map(move |entry| (feature, entry));
    for (feature, entry) in (0..encoder.n_features()).flat_map(pairs) {
        let is_low = |other: usize| features[other][feature] <= features[entry][feature];
        let (low, high): (Vec<usize>, Vec<usize>) = everything.iter().partition(|e| is_low(**e));
        let (low, high) = (purity(&low), purity(&high));
        if low.1 >= 5.0 && high.1 >= 5.0 {
            greatest = greatest.max(low.0 + high.0);
        }
    }
    greatest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_question_tells_more_than_the_stump_s(rows in drawn()) {
        let release = grouped(&rows);
        prop_assume!(!release.cells.is_empty() && release.dataset.sensitive()[0].n_codes() > 1);
        let (encoder, sample) = sample(&release);
        let found = best(&encoder, &sample).map(|split| split.entropy);
        let expected = least_entropy(&release, &rows);
        prop_assert_eq!(found.is_some(), expected.is_some());
        let (found, expected) = (found.unwrap_or(0.0), expected.unwrap_or(0.0));
        prop_assert!((found - expected).abs() < 1e-6, "{} is not {}", found, expected);
    }

    #[test]
    fn no_threshold_is_purer_than_the_tree_s(rows in drawn()) {
        let release = Release::identity(table(&rows));
        prop_assume!(release.dataset.sensitive()[0].n_codes() > 1);
        let (encoder, sample) = sample(&release);
        let model = cart::fit(&encoder, &sample, 1);
        // The leaves of a tree of depth 1 are told by what they predict.
        let mut leaves: std::collections::BTreeMap<String, Vec<f64>> = std::collections::BTreeMap::new();
        for entry in 0..sample.len() {
            let leaf = format!("{:?}", model.predict(sample.bounds(entry)));
            let counts = leaves.entry(leaf).or_insert_with(|| vec![0.0; sample.n_classes]);
            sample.classes(entry).iter().for_each(|&(class, n)| counts[class] += n);
        }
        let purity = |counts: &Vec<f64>| {
            counts.iter().map(|n| n * n).sum::<f64>() / counts.iter().sum::<f64>()
        };
        let found: f64 = leaves.values().map(purity).sum();
        prop_assert!((found - greatest_purity(&encoder, &sample)).abs() < 1e-6);
    }

    #[test]
    fn the_logistic_gradient_is_zero_where_it_ends(rows in drawn()) {
        let release = grouped(&rows);
        prop_assume!(!release.cells.is_empty() && release.dataset.sensitive()[0].n_codes() > 1);
        let (encoder, sample) = sample(&release);
        // A class that does not occur is believed in less and less, without an end.
        prop_assume!(sample.totals().iter().all(|n| *n > 0.0));
        // With an intercept that costs nothing, beliefs sum to the rows of each class.
        let model = logistic::fit(&encoder, &sample, 1.0);
        let mut sums = vec![0.0; sample.n_classes];
        for entry in 0..sample.len() {
            let n: f64 = sample.classes(entry).iter().map(|class| class.1).sum();
            let shares = model.predict(sample.bounds(entry));
            sums.iter_mut().zip(shares).for_each(|(sum, p)| *sum += n * p);
        }
        near(&sums, &sample.totals(), 1e-3);
    }
}
