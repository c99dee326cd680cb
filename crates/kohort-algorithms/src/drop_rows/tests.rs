//! What is dropped, against every way to drop rows of small tables.

use kohort_core::{Ctx, Dataset, Ratio, Role};
use kohort_models::{
    AlphaKAnonymity, ClassModel, Distance, EntropyLDiversity, FrequencyLDiversity, KAnonymity,
    LkcPrivacy, RecursiveClDiversity, SensitivityClasses, TCloseness,
};
use proptest::prelude::*;

use super::*;
use crate::tests::tables::{Given, dataset, judge, problem, settings};
use crate::{Candidate, Failure, SUPPRESSED, Settings, algorithm, anonymize};

type Models = Vec<Box<dyn ClassModel>>;

/// A name, and models that are made anew each time.
type Goal = (&'static str, Box<dyn Fn() -> Models>);

/// A table in which the values of one sensitive attribute, or of two, occur in these rows.
fn table(rows: &[(usize, usize)]) -> Dataset {
    let ages: Vec<usize> = (0..rows.len()).map(|row| row * row % 31).collect();
    let first: Vec<String> = rows.iter().map(|row| format!("v{}", row.0)).collect();
    let second: Vec<String> = rows.iter().map(|row| format!("w{}", row.1)).collect();
    dataset(&[
        Given::flat("age", Role::Quasi, &ages),
        Given::flat("first", Role::Sensitive, &first),
        Given::flat("second", Role::Sensitive, &second),
    ])
}

/// How many rows are dropped of a table with these models, when any number may be; none when no number
/// will do.
fn n_dropped(data: &Dataset, models: Models) -> Option<usize> {
    let n_rows = data.n_rows();
    let settings = Settings { suppression: n_rows as u64, dropped_may_tell: true, ..settings(1) };
    let problem = problem(data, models, settings);
    let all: Vec<u32> = (0..).take(n_rows).collect();
    if Check::new(&problem).holds(&all) {
        assert!(trim(&problem).is_none());
        return Some(0);
    }
    let kept = trim(&problem)?.kept;
    assert!(Check::new(&problem).holds(&kept), "what is left keeps the promises");
    Some(n_rows - kept.len())
}

/// The same by which a goal is told to be within reach.
fn n_dropped_by_kind(data: &Dataset, models: Models) -> Option<usize> {
    let problem = problem(data, models, settings(1));
    let dropped = Run::new(&problem, &reaches(&problem)).dropped_by_kind(data.n_rows())?;
    let is_left = |row: &u32| !dropped.contains(row);
    let kept: Vec<u32> = (0..).take(data.n_rows()).filter(is_left).collect();
    assert!(Check::new(&problem).holds(&kept), "what is left keeps the promises");
    Some(dropped.len())
}

/// The fewest rows to drop, by trying every number of rows of each pair of values.
fn fewest(data: &Dataset, models: Models) -> Option<usize> {
    let problem = problem(data, models, settings(1));
    let code = |at: usize, row: usize| problem.sensitive()[at].codes().get(row);
    let mut kinds: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for row in 0..data.n_rows() {
        let row_of = u32::try_from(row).unwrap();
        kinds.entry((code(0, row), code(1, row))).or_default().push(row_of);
    }
    let mut kept: Vec<Vec<u32>> = vec![Vec::new()];
    for rows in kinds.values() {
        let with = |chosen: &Vec<u32>| {
            let chosen = chosen.clone();
            (0..=rows.len()).map(move |n| [&chosen, &rows[..n]].concat()).collect::<Vec<_>>()
        };
        kept = kept.iter().flat_map(with).collect();
    }
    let mut check = Check::new(&problem);
    let holding = kept.iter().filter(|rows| check.holds(rows)).map(Vec::len);
    holding.max().map(|most| data.n_rows() - most)
}

fn k(k: u64) -> Box<dyn ClassModel> {
    Box::new(KAnonymity::new(k).unwrap())
}

fn frequency(attribute: usize, l: u64) -> Box<dyn ClassModel> {
    Box::new(FrequencyLDiversity::new(attribute, Ratio::new(l, 2)).unwrap())
}

/// The goals that dropping rows helps to reach, each with k = 2.
fn goals() -> Vec<Goal> {
    let half = Ratio::new(1, 2);
    vec![
        ("frequency", Box::new(|| vec![k(2), frequency(0, 5)])),
        (
            "entropy",
            Box::new(|| vec![k(2), Box::new(EntropyLDiversity::new(0, Ratio::new(5, 2)).unwrap())]),
        ),
        (
            "recursive",
            Box::new(|| {
                vec![k(2), Box::new(RecursiveClDiversity::new(0, Ratio::new(3, 2), 2).unwrap())]
            }),
        ),
        (
            "alpha-k",
            Box::new(|| {
                vec![Box::new(AlphaKAnonymity::new(0, Ratio::new(1, 4), 2, vec![1]).unwrap())]
            }),
        ),
        (
            "lkc",
            Box::new(move || vec![Box::new(LkcPrivacy::new(0, 1, 2, half, vec![0, 1]).unwrap())]),
        ),
        (
            "sensitivity-classes",
            Box::new(move || {
                let model = SensitivityClasses::new(0, vec![0, 1], half).unwrap();
                vec![Box::new(
                    model.with_l(Ratio::whole(3)).unwrap().with_l_low(Ratio::whole(2)).unwrap(),
                )]
            }),
        ),
    ]
}

#[test]
fn the_row_furthest_from_all_others_goes_first() {
    let ages = [30, 31, 32, 90, 33, 34];
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &ages),
        Given::flat("first", Role::Sensitive, &["a", "a", "a", "a", "b", "c"]),
    ]);
    let settings = Settings { suppression: 2, dropped_may_tell: true, ..settings(1) };
    let problem = problem(&data, vec![frequency(0, 4)], settings);
    let trimmed = trim(&problem).unwrap();
    assert_eq!(trimmed.kept.len(), 4);
    assert!(!trimmed.kept.contains(&3));
}

// Of 10 rows 6 have value 0, and 4 rows others: at most one in three are 2 of 6, which is not near 6 of 10.
#[test]
fn a_promise_that_compares_with_the_table_compares_with_what_is_left_too() {
    let rows: Vec<(usize, usize)> =
        (0..10_usize).map(|row| (row.saturating_sub(5), row % 2)).collect();
    let data = table(&rows);
    let made = |t: Ratio| {
        let closeness = TCloseness::new(0, t, Distance::Ordered).unwrap();
        let settings = Settings { suppression: 9, dropped_may_tell: true, ..settings(1) };
        let problem = problem(&data, vec![frequency(0, 6), Box::new(closeness)], settings);
        anonymize(algorithm("mondrian").unwrap(), &Ctx::quiet(), &problem)
    };
    assert!(matches!(made(Ratio::new(1, 100)), Err(Failure::Infeasible { .. })));
    let candidate = made(Ratio::new(1, 2)).unwrap();
    let n_dropped = candidate.group_of_row.iter().filter(|group| **group == SUPPRESSED).count();
    assert_eq!(n_dropped, 4);
    assert_eq!(candidate.notes, ["4 rows were dropped so that the goal can be reached"]);
}

// Of five rows three have one value: no level of a column helps, and dropping one of the three does.
#[test]
fn methods_that_recode_the_whole_domain_drop_rows_of_frequent_values_too() {
    let data = dataset(&[
        Given::flat("age", Role::Quasi, &[1, 2, 3, 4, 5]),
        Given::flat("first", Role::Sensitive, &["a", "a", "a", "b", "c"]),
    ]);
    for id in ["optimal", "samarati", "datafly", "incognito"] {
        let made = |suppression| {
            let settings = Settings { suppression, dropped_may_tell: true, ..settings(1) };
            let problem = problem(&data, vec![k(2), frequency(0, 4)], settings);
            let candidate = anonymize(algorithm(id).unwrap(), &Ctx::quiet(), &problem)?;
            judge(&problem, &candidate);
            Ok::<Candidate, Failure>(candidate)
        };
        assert!(matches!(made(0), Err(Failure::Infeasible { .. })), "{id}");
        for suppression in [1, 5] {
            let candidate = made(suppression).unwrap();
            let dropped = candidate.group_of_row.iter().filter(|group| **group == SUPPRESSED);
            assert_eq!(dropped.count(), 1, "{id}");
            let note = "1 row was dropped so that the goal can be reached";
            assert!(candidate.notes.iter().any(|said| said == note), "{id}");
        }
    }
}

#[test]
fn without_a_limit_nothing_is_dropped_and_nothing_is_reached() {
    let data = table(&[(0, 0), (0, 1), (0, 0), (1, 1)]);
    for suppression in [0, 1] {
        let settings = Settings { suppression, dropped_may_tell: true, ..settings(1) };
        let problem = problem(&data, vec![frequency(0, 4)], settings);
        assert!(trim(&problem).is_none());
        assert!(anonymize(algorithm("auto").unwrap(), &Ctx::quiet(), &problem).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_fewer_rows_would_do_for_one_attribute(
        rows in prop::collection::vec(0_usize..4, 1..14),
    ) {
        let rows: Vec<(usize, usize)> = rows.into_iter().map(|value| (value, 0)).collect();
        let data = table(&rows);
        for (name, models) in goals() {
            let least = fewest(&data, models());
            prop_assert_eq!(n_dropped(&data, models()), least, "{}", name);
            prop_assert_eq!(n_dropped_by_kind(&data, models()), least, "{}", name);
        }
    }

    #[test]
    fn two_attributes_are_trimmed_together_where_that_can_be_done(
        rows in prop::collection::vec((0_usize..3, 0_usize..3), 1..10),
    ) {
        let data = table(&rows);
        let models = || vec![frequency(0, 4), frequency(1, 4)];
        let (found, least) = (n_dropped(&data, models()), fewest(&data, models()));
        prop_assert!(found >= least, "{:?} are fewer than the fewest, {:?}", found, least);
        if let Some(n) = found {
            let settings = Settings { suppression: n as u64, dropped_may_tell: true, ..settings(1) };
            let problem = problem(&data, models(), settings);
            let candidate = anonymize(algorithm("auto").unwrap(), &Ctx::quiet(), &problem).unwrap();
            judge(&problem, &candidate);
        }
    }
}
