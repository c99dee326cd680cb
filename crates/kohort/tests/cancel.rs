//! A cancelled job ends soon, whatever it is doing, and leaves nothing behind.
//!
//! `KOHORT_CANCEL_ROWS=1000000 cargo test --release -p kohort --test cancel -- --nocapture` prints how long each
//! algorithm takes to end at a million rows.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::disallowed_methods, reason = "it measures, and a person says how large")]

use std::time::{Duration, Instant};

use kohort::plan::{Goal, Method, Plan};
use kohort::{ALGORITHMS, Cancel, Cx, Stop, Table};

/// On a busy machine with a development build; alone, a release build ends within half a second.
const SOON: Duration = Duration::from_secs(5);

fn people(n_rows: u64) -> Table {
    let mut state = 7_u64;
    let mut below = |n: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut row = || [below(70), below(900), below(12), below(5), below(9)];
    let rows = (0..n_rows).map(|_| row().map(|number| number.to_string()));
    Table::from_rows(["age", "zip", "job", "sex", "disease"], rows).unwrap()
}

fn plan(algorithm: &str) -> Plan {
    let goal = Plan::parse(
        "goal",
        "[goal]\nk-anonymity = 5\nfrequency-l-diversity = { l = 3, attribute = \"disease\" }\n",
    );
    let is_anatomized = matches!(algorithm, "anatomy" | "decomposition" | "codip");
    let k_anonymity = goal.as_ref().unwrap().goal.k_anonymity.filter(|_| !is_anatomized);
    Plan::new()
        .quasi(["age", "zip", "job", "sex"])
        .sensitive(["disease"])
        .goal(Goal { k_anonymity, ..goal.unwrap().goal })
        .method(Method {
            algorithm: Some(algorithm.to_owned()),
            allow_unsafe: true,
            // Without an end of its own.
            budget: (algorithm == "auto").then(|| "60s".to_owned()),
            ..Method::default()
        })
}

#[test]
fn every_algorithm_ends_soon_when_it_is_cancelled() {
    let n_rows = std::env::var("KOHORT_CANCEL_ROWS").ok().and_then(|rows| rows.parse().ok());
    let table = people(n_rows.unwrap_or(4_000));
    let mut n_cancelled = 0;
    for algorithm in ALGORITHMS {
        let id = algorithm.spec().id;
        let cancel = Cancel::default();
        let cx = Cx::default().cancelled_by(&cancel);
        let (answer, late) = std::thread::scope(|scope| {
            let job = scope.spawn(|| {
                let answer = kohort::anonymize(&table, &plan(id), &cx);
                (answer.err(), Instant::now())
            });
            let started = Instant::now();
            let patience = Duration::from_millis(if n_rows.is_some() { 700 } else { 40 });
            while started.elapsed() < patience && !job.is_finished() {
                std::thread::sleep(Duration::from_millis(2));
            }
            let cancelled = Instant::now();
            cancel.cancel();
            let (answer, ended) = job.join().unwrap();
            (answer, ended.saturating_duration_since(cancelled))
        });
        if matches!(answer, Some(Stop::Cancelled)) {
            n_cancelled += 1;
            println!("{id}: {} ms", late.as_millis());
        }
        assert!(late < SOON, "{id} took {late:?} to end");
    }
    assert!(n_cancelled > 0, "nothing was cancelled");
}
