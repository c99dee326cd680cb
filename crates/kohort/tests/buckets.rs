//! Buckets of numbers: what is made and judged keeps its promise about buckets, by definitions that are
//! written out here and share no code with the models, on random tables.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::BTreeMap;
use std::path::Path;

use kohort::load::load;
use kohort::plan::Plan;
use kohort::release::{Order, anonymize, verify};
use kohort::{Ctx, Stop, write_atomically};

/// Random numbers that are the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Buckets as a plan writes them, and the bucket of a number by its definition.
type Kind = (&'static str, fn(i64) -> i64);

const KINDS: [Kind; 5] = [
    ("buckets = { widths = 10 }", |x| x.div_euclid(10)),
    ("buckets = { widths = [10], origin = 5 }", |x| (x - 5).div_euclid(10)),
    ("buckets = { ranges = [[-100, 0], [0, 15], [15, 100]] }", |x| {
        i64::from(x >= 0) + i64::from(x >= 15)
    }),
    ("buckets = { cuts = [-3, 20, 31] }", |x| {
        i64::from(x >= -3) + i64::from(x >= 20) + i64::from(x >= 31)
    }),
    ("taxonomy = { widths = [5, 20] }, buckets = { level = 2 }", |x| x.div_euclid(20)),
];

/// How often each bucket occurs in a class, the most frequent first.
fn counts(class: &[i64]) -> Vec<u64> {
    let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
    for bucket in class {
        *counts.entry(*bucket).or_default() += 1;
    }
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}

/// Whether the buckets of a class keep a promise.
type Definition = fn(&[i64]) -> bool;

const GOALS: [(&str, Definition); 8] = [
    ("distinct-l-diversity = 3", |class| counts(class).len() >= 3),
    ("frequency-l-diversity = 2", |class| 2 * counts(class)[0] <= class.len() as u64),
    ("entropy-l-diversity = 2", |class| {
        let float = |n: u64| f64::from(u32::try_from(n).unwrap());
        let share = |count: u64| float(count) / float(class.len() as u64);
        let entropy: f64 = counts(class).iter().map(|&c| -share(c) * share(c).ln()).sum();
        entropy >= 2_f64.ln() - 1e-9
    }),
    ("recursive-cl-diversity = { c = 2, l = 2 }", |class| {
        let counts = counts(class);
        counts[0] < 2 * counts[1..].iter().sum::<u64>()
    }),
    ("alpha-k-anonymity = { alpha = 0.5, k = 2, attribute = 's' }", |class| {
        class.len() >= 2 && 2 * counts(class)[0] <= class.len() as u64
    }),
    ("p-sensitive-k-anonymity = { p = 2, k = 3 }", |class| {
        class.len() >= 3 && counts(class).len() >= 2
    }),
    ("l-pdiversity = 2", |class| 2 * counts(class)[0] <= class.len() as u64),
    ("lkc-privacy = { l = 2, k = 2, c = 0.5, attribute = 's' }", |class| {
        class.len() >= 2 && 2 * counts(class)[0] <= class.len() as u64
    }),
];

fn write(path: &Path, text: &str) {
    write_atomically(path, &mut |out| out.write_all(text.as_bytes())).unwrap();
}

/// The buckets of each class of a release.
fn classes(release: &str, bucket: fn(i64) -> i64) -> BTreeMap<String, Vec<i64>> {
    let mut classes: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for line in release.lines().skip(1) {
        let (shown, number) = line.rsplit_once(',').unwrap();
        classes.entry(shown.to_owned()).or_default().push(bucket(number.parse().unwrap()));
    }
    classes
}

/// A plan for a table, whose sensitive attribute has these settings.
fn plan(settings: &str, goal: &str, algorithm: &str) -> Plan {
    let plan = format!(
        "input = 't.csv'\n[attributes]\na = 'quasi'\nb = 'quasi'\ns = {{ role = 'sensitive', {settings} }}\n\
         [goal]\n{goal}\nsuppression = 0.2\n[method]\nalgorithm = '{algorithm}'\n"
    );
    Plan::parse("plan.toml", &plan).unwrap()
}

fn table(draw: &mut Draw) -> String {
    let n = 12 + draw.below(20);
    let row = |_| {
        let s = i64::try_from(draw.below(70)).unwrap() - 20;
        format!("{},{},{s}\n", draw.below(6), draw.below(4))
    };
    let rows: String = (0..n).map(row).collect();
    format!("a,b,s\n{rows}")
}

#[test]
fn what_is_made_keeps_its_promise_about_buckets_and_shows_the_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let (base, target) = (folder.path(), folder.path().join("r.csv"));
    let mut draw = Draw(18);
    let mut n_made = 0;
    for round in 0..24 {
        let original = table(&mut draw);
        write(&base.join("t.csv"), &original);
        let (settings, bucket) = KINDS[round % KINDS.len()];
        for (at, (goal, holds)) in GOALS.iter().enumerate() {
            let algorithm = ["auto", "mondrian", "top-down"][(round + at) % 3];
            let plan = plan(settings, goal, algorithm).in_folder(base);
            let dataset = load(&plan, &|_, _| {}).unwrap().value;
            let order = Order { plan: &plan, target: &target, secret: [7; 32] };
            let receipt = match anonymize(order, &dataset, &Ctx::quiet()) {
                Ok(receipt) => receipt,
                Err(Stop::No(_)) => continue,
                Err(stop) => unreachable!("{stop}"),
            };
            n_made += 1;
            assert!(receipt.verified);
            assert!(receipt.goal[0].buckets.is_some(), "{goal}");
            let release = kohort::read_text(&target).unwrap();
            for (shown, class) in classes(&release, bucket) {
                assert!(holds(&class), "{settings}, {goal}, {algorithm}: {shown} has {class:?}");
            }
            // Every number is one of the original's, as it was spelled there.
            for line in release.lines().skip(1) {
                let number = line.rsplit(',').next().unwrap();
                assert!(original.lines().any(|row| row.rsplit(',').next() == Some(number)));
            }
        }
    }
    assert!(n_made > 150, "only {n_made} of 192 goals were reached");
}

#[test]
fn the_judge_says_of_any_release_what_the_definition_says_of_its_buckets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    let mut draw = Draw(1);
    let (mut n_yes, mut n_no) = (0, 0);
    for round in 0..60 {
        // Few classes, so that both answers come.
        let n = 4 + draw.below(10);
        let mut row =
            || format!("{},*,{}", draw.below(2), i64::try_from(draw.below(70)).unwrap() - 20);
        let rows = (0..n).map(|_| row()).collect::<Vec<_>>().join("\n");
        let release = format!("a,b,s\n{rows}");
        write(&file, &release);
        let (settings, bucket) = KINDS[round % KINDS.len()];
        for (goal, holds) in GOALS {
            // The classes of fewer columns are judged as well.
            if goal.starts_with("lkc") {
                continue;
            }
            let plan = plan(settings, goal, "auto");
            let verdict = verify(&plan, &file, None).unwrap();
            let expected = classes(&release, bucket).values().all(|class| holds(class));
            assert_eq!(verdict.verified, expected, "{settings}, {goal}\n{release}");
            if expected { n_yes += 1 } else { n_no += 1 }
        }
    }
    assert!(n_yes > 50 && n_no > 50, "{n_yes} times yes, {n_no} times no");
}

#[test]
fn numbers_at_the_border_fall_in_the_bucket_that_starts_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    let holds = |settings: &str, rows: &str| {
        write(&file, &format!("a,b,s\n{rows}"));
        let plan = plan(settings, "distinct-l-diversity = 2", "auto");
        verify(&plan, &file, None).unwrap().verified
    };
    let hundredths = "type = 'decimal', buckets = { widths = 0.1 }";
    assert!(
        holds(hundredths, "1,1,0.29\n1,1,0.3\n"),
        "0.3 starts a bucket, though 0.1 * 3 is above 0.3"
    );
    assert!(!holds(hundredths, "1,1,0.3\n1,1,0.39\n"));
    assert!(!holds(hundredths, "1,1,3e-1\n1,1,0.30\n"), "two spellings of one number");
    let ranges = "buckets = { ranges = [[0, 10], [10, 20]] }";
    assert!(holds(ranges, "1,1,9\n1,1,10\n"), "a range leaves its end to the next");
    assert!(!holds(ranges, "1,1,10\n1,1,20\n"), "the last one has its end");
    assert!(!holds("buckets = { widths = 10 }", "1,1,-10\n1,1,-1\n"));
    assert!(holds("buckets = { widths = 10 }", "1,1,-1\n1,1,0\n"));
    // Missing says nothing, unless it is a value of its own.
    assert!(!holds("buckets = { widths = 10 }", "1,1,5\n1,1,\n"));
    assert!(holds("buckets = { widths = 10 }, missing = 'value'", "1,1,5\n1,1,\n"));
}
