//! Auto against the best partition of small tables, its bound, and the others in the box.

mod budgets;

use kohort_core::{Cell, Ctx, Dataset, Ratio, Role};
use kohort_models::{
    ClassModel, Distance, DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, KAnonymity,
    LMdiversity, PersonalizedPrivacy, TCloseness,
};
use proptest::prelude::*;

use super::Auto;
use super::carve::carve;
use super::class::{Class, Entry, Ground, merge};
use super::drop::drop_rows;
use super::pool::{Way, divide, exchange, place, polish};
use crate::Draw;
use crate::optimal::Optimal;
use crate::tests::clusters::{byun, nine_tuples, optimum, scattered, tables};
use crate::tests::laws::{models, several, table};
use crate::tests::tables::{Given, counted, dataset, judge, problem, settings};
use crate::tree::Tree;
use crate::{Algorithm, Candidate, Problem, SUPPRESSED, Settings, algorithm, anonymize};

fn made(problem: &Problem<'_>) -> Candidate {
    Auto.anonymize(&Ctx::quiet(), problem).unwrap()
}

fn k_anonymous(data: &Dataset, k: u64) -> Problem<'_> {
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
    problem(data, models, settings(data.quasi().len()))
}

// The optimum of the nine tuples is 31/7 for k = 2, 6 for k = 3 and 64/7 for k = 4.
#[test]
fn the_nine_tuples_of_spec_02_reach_their_optimum() {
    let data = nine_tuples();
    for (k, best) in [(2, 31.0 / 7.0), (3, 6.0), (4, 64.0 / 7.0)] {
        let problem = byun(&data, k, 0.0);
        let loss = judge(&problem, &made(&problem)) * 18.0;
        assert!((loss - best).abs() < 1e-9, "k = {k}: {loss}, but {best} is possible");
    }
}

#[test]
fn no_other_method_loses_less_on_a_scattered_table() {
    let data = scattered();
    let others = [
        "mondrian",
        "mondrian-relaxed",
        "hilbert",
        "k-member",
        "oka",
        "two-phase-a",
        "two-phase-b",
        "mdav",
        "optimal",
    ];
    for k in [2, 5, 20] {
        let problem = k_anonymous(&data, k);
        let loss = judge(&problem, &made(&problem));
        for id in others {
            let other = algorithm(id).unwrap().anonymize(&Ctx::quiet(), &problem).unwrap();
            assert!(loss < judge(&problem, &other), "{id} loses less at k = {k}");
        }
    }
}

#[test]
fn a_search_that_is_stopped_at_once_keeps_its_promise() {
    let data = scattered();
    let problem = k_anonymous(&data, 5);
    let ctx = Ctx::new(&|| true, &|_, _, _| {});
    let stopped = Auto.anonymize(&ctx, &problem).unwrap();
    assert!(judge(&problem, &made(&problem)) < judge(&problem, &stopped));
}

// At best the far row shares a class with its nearest: 3 · 4 + 2 · 54 of 60. Without it the others are two
// classes of 2 · 2 of 60 each, and the dropped row costs 1.
#[test]
fn a_row_far_from_all_others_is_dropped() {
    let data = dataset(&[Given::flat("age", Role::Quasi, &[30, 32, 34, 90, 36])]);
    for (suppression, n_dropped, loss) in [(0, 0, 2.0), (3, 1, 1.0 + 8.0 / 60.0)] {
        let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
        let problem = problem(&data, models, Settings { suppression, ..settings(1) });
        let candidate = made(&problem);
        assert!((judge(&problem, &candidate) * 5.0 - loss).abs() < 1e-9);
        let is_dropped = |group: &&u32| **group == SUPPRESSED;
        assert_eq!(candidate.group_of_row.iter().filter(is_dropped).count(), n_dropped);
    }
}

/// Cities of `n_rows` rows each, and some of one row.
fn cities(n_cities: usize, n_rows: usize, n_outliers: usize) -> Dataset {
    let cities = (0..n_cities * n_rows).map(|row| format!("c{}", row / n_rows));
    let outliers = (0..n_outliers).map(|at| format!("x{at}"));
    dataset(&[Given::flat("city", Role::Quasi, &cities.chain(outliers).collect::<Vec<_>>())])
}

// Nothing is gained until the last of the outliers is out of a class; where two of three may go, none does.
#[test]
fn outliers_that_cost_only_together_are_dropped_together() {
    for (n_cities, n_rows, n_outliers, suppression, n_dropped) in
        [(20, 50, 3, 50, 3), (1, 5, 3, 4, 3), (1, 5, 3, 2, 0), (3, 4, 3, 3, 3)]
    {
        let data = cities(n_cities, n_rows, n_outliers);
        let models: Vec<Box<dyn ClassModel>> =
            vec![Box::new(KAnonymity::new(n_rows as u64).unwrap())];
        let problem = problem(&data, models, Settings { suppression, ..settings(1) });
        let loss = judge(&problem, &made(&problem)) * problem.n_rows() as f64;
        let best = if n_dropped > 0 { n_dropped } else { problem.n_rows() } as f64;
        assert!((loss - best).abs() < 1e-9, "{loss}, but {best} is possible");
    }
}

// Each of two classes gains as much as the other, so that no price tells them apart, and only one can be rid of
// its three outliers: these cost 3, and the class of the others 8.
#[test]
fn what_may_be_dropped_goes_where_it_fits() {
    let data = cities(2, 5, 6);
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(5).unwrap())];
    let problem = problem(&data, models, Settings { suppression: 5, ..settings(1) });
    let ground = Ground::new(&problem);
    let class = |units: [u32; 4]| {
        let entry = |unit| Entry { unit, n_rows: ground.units.n_rows(unit) };
        Class::new(&ground, units.map(entry))
    };
    let classes = [class([0, 2, 3, 4]), class([1, 5, 6, 7])].into_iter().collect();
    let found = drop_rows(&Ctx::quiet(), &ground, classes, 0, 0);
    assert_eq!(found.n_rows(), 13);
    assert!((found.loss(&ground) - 8.0).abs() < 1e-9);
}

/// A table of ages and diseases, numbered, of which these values are guarded by the values from one to another.
fn guarded<'a>(data: &'a Dataset, k: u64, p: Ratio, nodes: &[Option<(u32, u32)>]) -> Problem<'a> {
    let nodes = nodes.iter().copied().take(data.sensitive()[0].n_codes() as usize).collect();
    let guards = PersonalizedPrivacy::new(0, p, 0, nodes).unwrap();
    let models: Vec<Box<dyn ClassModel>> =
        vec![Box::new(KAnonymity::new(k).unwrap()), Box::new(guards)];
    problem(data, models, settings(data.quasi().len()))
}

/// Whether some partition of the rows into classes that show different cells keeps every promise.
fn is_feasible(problem: &Problem<'_>, classes: &mut Vec<Vec<usize>>, row: usize) -> bool {
    if row == problem.n_rows() {
        let shown = |rows: &Vec<usize>| -> Vec<Cell> {
            let of = |a: &&kohort_core::Attribute| {
                let codes = || rows.iter().map(|&row| a.codes().get(row));
                a.smallest_cell(codes().min().unwrap(), codes().max().unwrap())
            };
            problem.quasi().iter().map(of).collect()
        };
        let cells: std::collections::BTreeSet<Vec<Cell>> = classes.iter().map(shown).collect();
        let holds = |rows: &Vec<usize>| {
            problem.promises().holds(rows.len() as u64, &counted(problem, rows))
        };
        return cells.len() == classes.len() && classes.iter().all(holds);
    }
    for at in 0..classes.len() {
        classes[at].push(row);
        let found = is_feasible(problem, classes, row + 1);
        classes[at].pop();
        if found {
            return true;
        }
    }
    classes.push(vec![row]);
    let found = is_feasible(problem, classes, row + 1);
    classes.pop();
    found
}

/// Half of the rows have flu, a quarter pneumonia, a quarter gastritis.
fn patients(n_rows: usize, age: fn(usize) -> usize) -> Dataset {
    let disease = |at: usize| ["0 flu", "0 flu", "1 pneumonia", "2 gastritis"][at % 4];
    dataset(&[
        Given::flat("age", Role::Quasi, &(0..n_rows).map(age).collect::<Vec<_>>()),
        Given::flat("disease", Role::Sensitive, &(0..n_rows).map(disease).collect::<Vec<_>>()),
    ])
}

/// Flu and pneumonia are respiratory, and only who has pneumonia minds: three of four rows are too many.
fn respiratory(data: &Dataset, k: u64) -> Problem<'_> {
    guarded(data, k, Ratio::new(1, 2), &[None, Some((0, 1)), None])
}

#[test]
fn values_are_told_apart_where_all_together_break_a_promise() {
    let apart = |at: usize| [20, 21, 30, 31][at % 4];
    let mixed = |at: usize| 20 + at * 7 % 50;
    for (data, k, most) in [
        (patients(4, apart), 2, 0.091),
        (patients(1000, apart), 5, 0.091),
        (patients(1000, mixed), 5, 0.1),
        (patients(1204, mixed), 7, 0.1),
    ] {
        let problem = respiratory(&data, k);
        let made = anonymize(&Auto, &Ctx::quiet(), &problem).unwrap();
        let loss = judge(&problem, &made);
        assert!(loss < most, "{} rows: {loss}", problem.n_rows());
        for id in ["mondrian", "k-member", "hilbert", "oka", "two-phase-a", "top-down"] {
            let refused = anonymize(algorithm(id).unwrap(), &Ctx::quiet(), &problem);
            let told = format!("{:?}", refused.unwrap_err());
            assert!(told.contains("not monotone") && told.contains("`auto`"), "{id}: {told}");
        }
    }
}

#[test]
fn classes_that_a_reader_cannot_tell_apart_are_no_way_out() {
    let data = patients(4, |at| 20 + at % 2);
    let problem = respiratory(&data, 2);
    assert!(!is_feasible(&problem, &mut Vec::new(), 0));
    assert!(anonymize(&Auto, &Ctx::quiet(), &problem).is_err());
}

/// So many rows of several kinds: columns tell the kind half of the time, and so does the sensitive one.
fn of_kinds(n_rows: usize) -> Dataset {
    let mut draw = Draw::new(5);
    let mut columns = vec![Vec::new(); 9];
    for _ in 0..n_rows {
        let kind = draw.below(12);
        for (at, column) in columns.iter_mut().enumerate() {
            let any = draw.below(4 + 2 * at);
            column.push(if draw.below(2) == 0 { kind % (4 + 2 * at) } else { any });
        }
    }
    let disease = columns.pop().unwrap();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let quasi = names.into_iter().zip(&columns).map(|(name, c)| Given::flat(name, Role::Quasi, c));
    let sensitive = Given::flat("disease", Role::Sensitive, &disease);
    dataset(&quasi.chain([sensitive]).collect::<Vec<_>>())
}

#[test]
fn partitions_lose_no_less_on_a_larger_table_whatever_is_promised() {
    let data = of_kinds(2500);
    let asked: [fn() -> Box<dyn ClassModel>; 5] = [
        || Box::new(KAnonymity::new(8).unwrap()),
        || Box::new(DistinctLDiversity::new(0, 3).unwrap()),
        || Box::new(FrequencyLDiversity::new(0, Ratio::whole(3)).unwrap()),
        || Box::new(EntropyLDiversity::new(0, Ratio::whole(3)).unwrap()),
        || Box::new(TCloseness::new(0, Ratio::new(3, 10), Distance::Equal).unwrap()),
    ];
    for (at, model) in asked.into_iter().enumerate() {
        let models = || vec![Box::new(KAnonymity::new(5).unwrap()) as Box<dyn ClassModel>, model()];
        let problem = problem(&data, models(), settings(8));
        let loss = judge(&problem, &made(&problem));
        for id in ["mondrian", "mondrian-relaxed", "top-down", "hilbert", "k-member"] {
            let other = anonymize(algorithm(id).unwrap(), &Ctx::quiet(), &problem).unwrap();
            let other = judge(&problem, &other);
            assert!(loss <= other + 1e-9, "promise {at}: {loss}, but {id} loses {other}");
        }
    }
}

// A class of many rows that all differ is divided box by box: comparing each with each would take minutes.
#[test]
fn texts_that_all_differ_take_no_quadratic_time() {
    let texts: Vec<String> = (0..60_000).map(|row| format!("t{row}")).collect();
    let data = dataset(&[Given::flat("name", Role::Quasi, &texts)]);
    let problem = k_anonymous(&data, 5);
    let candidate = made(&problem);
    assert!((judge(&problem, &candidate) - 1.0).abs() < 1e-9);
}

/// The distance within which `wanted` rows lie, by looking at all.
fn plain_reach(problem: &Problem<'_>, point: usize, wanted: u32) -> f64 {
    let (space, points) = (problem.space(), problem.points());
    let mut near: Vec<(f64, u32)> = (0..points.len())
        .map(|other| {
            (space.distance(points.codes(point), points.codes(other)), points.weight(other))
        })
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut n_rows = 0;
    for (distance, weight) in near {
        n_rows += weight;
        if n_rows >= wanted {
            return distance;
        }
    }
    f64::INFINITY
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_bound_is_below_the_best_partition_and_the_best_below_what_is_made(
        data in tables(10),
        k in 2_u64..5,
    ) {
        let problem = byun(&data, k, 0.0);
        if problem.n_rows() >= problem.smallest() {
            let candidate = made(&problem);
            let cells = (problem.n_rows() * problem.quasi().len()) as f64;
            let best = optimum(&problem) / cells;
            prop_assert!(candidate.lower_bound.unwrap() <= best + 1e-9);
            prop_assert!(best <= judge(&problem, &candidate) + 1e-9);
        }
    }

    #[test]
    fn no_other_method_loses_less_on_a_small_table(
        data in table(),
        k in 2_u64..5,
        l in prop::option::of(2_u64..3),
    ) {
        let problem = problem(&data, models(k, l), settings(3));
        if let Ok(candidate) = Auto.anonymize(&Ctx::quiet(), &problem) {
            let loss = judge(&problem, &candidate);
            for id in ["samarati", "datafly", "incognito", "optimal", "mondrian", "mondrian-relaxed",
                "top-down", "k-member", "oka", "two-phase-a", "two-phase-b", "hilbert", "bucket", "l-member", "msa-hilbert"]
            {
                if let Ok(other) = anonymize(algorithm(id).unwrap(), &Ctx::quiet(), &problem) {
                    prop_assert!(loss <= judge(&problem, &other) + 1e-9, "{}", id);
                }
            }
        }
    }

    #[test]
    fn dropping_rows_never_loses_and_the_bound_is_below_what_is_made(
        data in table(),
        k in 2_u64..5,
        l in prop::option::of(2_u64..3),
        suppression in 1_u64..9,
    ) {
        let with = |suppression| problem(&data, models(k, l), Settings { suppression, ..settings(3) });
        let (none, some) = (with(0), with(suppression));
        if let Ok(kept) = Auto.anonymize(&Ctx::quiet(), &none) {
            let dropped = made(&some);
            let loss = judge(&some, &dropped);
            prop_assert!(loss <= judge(&none, &kept) + 1e-9);
            prop_assert!(dropped.lower_bound.unwrap() <= loss + 1e-9);
        }
    }

    #[test]
    fn the_best_full_domain_generalization_that_drops_rows_loses_no_less(
        data in table(),
        k in 2_u64..8,
        l in prop::option::of(2_u64..3),
        suppression in prop_oneof![1_u64..6, 6_u64..40],
    ) {
        let problem = problem(&data, models(k, l), Settings { suppression, ..settings(3) });
        if let Ok(candidate) = Auto.anonymize(&Ctx::quiet(), &problem)
            && let Ok(whole) = Optimal.anonymize(&Ctx::quiet(), &problem)
        {
            prop_assert!(judge(&problem, &candidate) <= judge(&problem, &whole) + 1e-9);
        }
    }

    #[test]
    fn some_release_is_found_where_a_partition_of_few_rows_keeps_a_promise_that_is_not_monotone(
        rows in prop::collection::vec((0_u32..5, 0_u32..2, 0_u32..4), 2..7),
        k in 2_u64..4,
        p in prop_oneof![Just((1, 3)), Just((1, 2)), Just((2, 3))],
        nodes in prop::collection::vec(prop::option::of((0_u32..4, 0_u32..3)), 4),
    ) {
        let column = |of: &dyn Fn(&(u32, u32, u32)) -> u32| rows.iter().map(of).collect::<Vec<_>>();
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &column(&|row| row.0)),
            Given::flat("sex", Role::Quasi, &column(&|row| row.1)),
            Given::flat("disease", Role::Sensitive, &column(&|row| row.2)),
        ]);
        let nodes: Vec<_> = nodes.iter().map(|node| node.map(|(lo, n)| (lo, lo + n))).collect();
        let problem = guarded(&data, k, Ratio::new(p.0, p.1), &nodes);
        let made = anonymize(&Auto, &Ctx::quiet(), &problem);
        prop_assert_eq!(made.is_ok(), is_feasible(&problem, &mut Vec::new(), 0));
        if let Ok(made) = made {
            judge(&problem, &made);
        }
    }

    #[test]
    fn reaches_are_what_looking_at_all_finds(data in tables(60), k in 2_u32..9) {
        let problem = k_anonymous(&data, u64::from(k));
        let limits = vec![f64::INFINITY; problem.points().len()];
        let reaches = Tree::new(problem.space(), problem.points()).reaches(k, &limits);
        for (point, reach) in reaches.into_iter().enumerate() {
            let plain = plain_reach(&problem, point, k);
            prop_assert!((reach - plain).abs() < 1e-12 || reach >= plain && plain.is_infinite());
        }
    }

    #[test]
    fn steps_of_the_search_keep_rows_and_never_lose(data in tables(60), k in 2_u64..6, seed in 0_u64..9) {
        let problem = k_anonymous(&data, k);
        let ground = Ground::new(&problem);
        prop_assume!(problem.n_rows() >= problem.smallest());
        let all: Vec<Entry> = (0..u32::try_from(ground.units.len()).unwrap())
            .map(|unit| Entry { unit, n_rows: ground.units.n_rows(unit) })
            .collect();
        let way = Way { furthest: seed % 2 == 0, spread: false };
        let (mut classes, left) = divide(&ground, all.clone(), way, &mut Draw::new(seed));
        prop_assert!(place(&ground, &mut classes, left).is_empty());
        let loss = |classes: &[Class]| classes.iter().map(Class::loss).sum::<f64>();
        let divided = loss(&classes);
        if classes.len() > 1 {
            exchange(&ground, &mut classes, 0, 1);
        }
        let exchanged = loss(&classes);
        polish(&ground, &mut classes);
        prop_assert!(exchanged <= divided + 1e-9 && loss(&classes) <= exchanged + 1e-9);
        for class in &classes {
            let again = Class::new(&ground, class.entries.clone());
            prop_assert!(class.n_rows >= ground.k && class.n_rows == again.n_rows);
            prop_assert_eq!(&class.extent, &again.extent);
        }
        let rows = merge(classes.iter().flat_map(|class| class.entries.iter().copied()).collect());
        prop_assert_eq!(rows, all);
    }

    #[test]
    fn carved_classes_hold_and_have_all_rows(
        data in several(),
        l in 2_u64..4,
        k in 2_u64..6,
        seed in 0_u64..9,
    ) {
        let models: Vec<Box<dyn ClassModel>> =
            vec![Box::new(LMdiversity::new(l).unwrap()), Box::new(KAnonymity::new(k).unwrap())];
        let problem = problem(&data, models, settings(2));
        let ground = Ground::new(&problem);
        let units = 0..u32::try_from(ground.units.len()).unwrap();
        let all: Vec<Entry> =
            units.map(|unit| Entry { unit, n_rows: ground.units.n_rows(unit) }).collect();
        prop_assume!(!all.is_empty() && ground.holds(&all));
        if let Some(classes) = carve(&ground, &all, &mut Draw::new(seed)) {
            prop_assert!(classes.len() > 1);
            prop_assert!(classes.iter().all(|class| ground.holds(&class.entries)));
            let entries = classes.into_iter().flat_map(|class| class.entries);
            prop_assert_eq!(merge(entries.collect()), all);
        }
    }

    // The pairs at either end keep l = 2 by themselves: a pool as one class would lose 8.
    #[test]
    fn a_pool_of_two_ends_is_carved_in_two(seed in 0_u64..9) {
        let data = dataset(&[
            Given::flat("age", Role::Quasi, &[1, 1, 2, 2, 98, 98, 99, 99]),
            Given::flat("i1", Role::Sensitive, &["a", "b", "a", "b", "a", "b", "a", "b"]),
            Given::flat("i2", Role::Sensitive, &["x", "y", "x", "y", "y", "x", "y", "x"]),
        ]);
        let problem = problem(&data, vec![Box::new(LMdiversity::new(2).unwrap())], settings(1));
        let ground = Ground::new(&problem);
        let all: Vec<Entry> = (0..8).map(|unit| Entry { unit, n_rows: 1 }).collect();
        let classes = carve(&ground, &all, &mut Draw::new(seed)).unwrap();
        prop_assert!(classes.iter().map(Class::loss).sum::<f64>() < 4.0);
    }
}
