//! Laws of searches that are told to stop: what is counted is how often a search asks, not a clock.

use std::sync::atomic::{AtomicUsize, Ordering};

use kohort_core::{Ctx, Dataset, Ratio};
use kohort_models::{
    ClassModel, Distance, DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, KAnonymity,
    TCloseness,
};
use proptest::prelude::*;

use super::of_kinds;
use crate::auto::Auto;
use crate::tests::laws::table;
use crate::tests::tables::{judge, problem, settings};
use crate::{Algorithm, Problem, Settings, algorithm, anonymize};

/// What `auto` loses where a search is told to stop when it asks for the `limit`th time, and how often it asked.
/// One thread: what was done until then is then the same each time.
fn stopped_after(problem: &Problem<'_>, limit: usize) -> Option<(f64, usize)> {
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= limit;
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let made = one.install(|| Auto.anonymize(&Ctx::new(&stop, &|_, _, _| {}), problem));
    let made = made.ok()?;
    Some((judge(problem, &made), asked.into_inner()))
}

fn of(data: &Dataset, models: Vec<Box<dyn ClassModel>>, until_stopped: bool) -> Problem<'_> {
    problem(data, models, Settings { until_stopped, ..settings(data.quasi().len()) })
}

/// That a search which is stopped later loses no more, none more than Mondrian, and none that goes on for longer
/// than the one without a limit more than that.
fn check(data: &Dataset, models: &dyn Fn() -> Vec<Box<dyn ClassModel>>) {
    let limited = of(data, models(), true);
    let Some((whole, n_asked)) = stopped_after(&of(data, models(), false), usize::MAX) else {
        return;
    };
    let mondrian = algorithm("mondrian").unwrap();
    let mondrian = anonymize(mondrian, &Ctx::quiet(), &limited).map(|it| judge(&limited, &it));
    let mut before = mondrian.unwrap_or(f64::INFINITY);
    let limits = (0..).map(|bit| (1_usize << bit) - 1).take_while(|&limit| limit < n_asked);
    for limit in limits.chain([n_asked, n_asked + n_asked / 4]) {
        let (loss, _) = stopped_after(&limited, limit).unwrap();
        assert!(
            loss <= before + 1e-9,
            "stopped after {limit} of {n_asked}: {loss}, before {before}"
        );
        before = loss;
    }
    assert!(before <= whole + 1e-9, "with a limit {before}, without one {whole}");
}

#[test]
fn more_time_never_loses_more_on_a_larger_table() {
    let data = of_kinds(1500);
    let asked: [fn() -> Box<dyn ClassModel>; 4] = [
        || Box::new(KAnonymity::new(10).unwrap()),
        || Box::new(DistinctLDiversity::new(0, 3).unwrap()),
        || Box::new(EntropyLDiversity::new(0, Ratio::whole(3)).unwrap()),
        || Box::new(TCloseness::new(0, Ratio::new(3, 10), Distance::Equal).unwrap()),
    ];
    for model in asked {
        check(&data, &|| vec![Box::new(KAnonymity::new(5).unwrap()), model()]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn more_time_never_loses_more(data in table(), k in 2_u64..6, l in prop::option::of(2_u64..3)) {
        check(&data, &|| crate::tests::laws::models(k, l));
    }
}

/// What `auto` loses.
fn lost(data: &Dataset, k: u64, model: Option<Box<dyn ClassModel>>) -> Option<f64> {
    let k: Box<dyn ClassModel> = Box::new(KAnonymity::new(k).unwrap());
    let problem = of(data, [k].into_iter().chain(model).collect(), false);
    let made = Auto.anonymize(&Ctx::quiet(), &problem).ok()?;
    Some(judge(&problem, &made))
}

#[test]
fn a_stricter_goal_loses_no_less_on_a_larger_table() {
    type Model = fn() -> Box<dyn ClassModel>;
    let data = &of_kinds(1500);
    let chain: [(u64, Option<Model>); 6] = [
        (2, None),
        (3, None),
        (3, Some(|| Box::new(DistinctLDiversity::new(0, 3).unwrap()))),
        (3, Some(|| Box::new(EntropyLDiversity::new(0, Ratio::whole(3)).unwrap()))),
        (3, Some(|| Box::new(FrequencyLDiversity::new(0, Ratio::whole(3)).unwrap()))),
        (5, Some(|| Box::new(FrequencyLDiversity::new(0, Ratio::whole(3)).unwrap()))),
    ];
    let losses: Vec<f64> =
        chain.iter().map_while(|&(k, model)| lost(data, k, model.map(|model| model()))).collect();
    assert!(losses.is_sorted_by(|a, b| *a <= *b + 1e-9), "{losses:?}");
    let close: Vec<f64> = [9, 5, 3, 2]
        .into_iter()
        .map_while(|tenths| {
            let model = TCloseness::new(0, Ratio::new(tenths, 10), Distance::Equal).unwrap();
            lost(data, 2, Some(Box::new(model)))
        })
        .collect();
    assert!(close.is_sorted_by(|a, b| *a <= *b + 1e-9), "{close:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    // Frequency l-diversity is stricter than both, and small tables are searched from what is found for it.
    #[test]
    fn frequency_l_diversity_loses_no_less_than_what_it_implies(data in table(), k in 2_u64..5) {
        let three = Ratio::whole(3);
        let frequency = lost(&data, k, Some(Box::new(FrequencyLDiversity::new(0, three).unwrap())));
        if let Some(frequency) = frequency {
            let implied: [Box<dyn ClassModel>; 2] = [
                Box::new(DistinctLDiversity::new(0, 3).unwrap()),
                Box::new(EntropyLDiversity::new(0, three).unwrap()),
            ];
            for model in implied {
                let loss = lost(&data, k, Some(model)).unwrap();
                prop_assert!(loss <= frequency + 1e-9, "{} above {}", loss, frequency);
            }
        }
    }
}
