//! Every method for series by `publish` itself, on small random histories: what its ledger and its files say
//! is held against the promise by brute force and by the attacks.

#![expect(clippy::panic, reason = "a method without a law is wrong")]
#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::disallowed_methods, reason = "a test writes its own tables")]
#![expect(clippy::cast_precision_loss, reason = "numbers of rows")]

use std::fmt::Write;
use std::io::{self, Read};
use std::path::PathBuf;

use kohort::attack::{AttackAnswer, Given, attack};
use kohort::plan::Plan;
use kohort::series::{
    Counted, Hardness, KeptHead, Made, Secret, SeriesOrder, SeriesReceipt, SeriesVerdict, publish,
    verify,
};
use kohort::{Ctx, Stop, Table, read_table};
use kohort_core::{History, Ratio};
use kohort_ledger::{Files, Ledger};
use kohort_series::SERIES_METHODS;
use proptest::prelude::*;

const N_VALUES: u32 = 4;
const N_RELEASES: usize = 3;

/// Somebody: age, zip, and for each release whether the person is there and the value.
type Person = (u32, u32, Vec<(bool, u32)>);

/// What a method is asked for, and which tables it is for.
struct Case {
    asked: &'static str,
    values_change: bool,
    people_leave: bool,
    columns_change: bool,
}

fn case(method: &str) -> Case {
    let (asked, [values_change, people_leave, columns_change]) = match method {
        "m-invariance" => ("m = 2", [false, true, false]),
        "e-equivalence" => ("m = 2\ne = 2\nsurplus = \"counterfeits\"", [false, true, false]),
        "rho-different" => ("rho = 0.6\ncorrelations = \"follows.csv\"", [true, true, false]),
        "bcf-anonymity" => ("k = 2", [false, false, false]),
        "xy-anonymity" => ("k = 2", [false, true, true]),
        "xy-linkability" => ("confidence = 0.5", [false, true, true]),
        "global-guarantee" => ("l = 2\nhorizon = 2", [true, true, false]),
        other => panic!("no law for `{other}`"),
    };
    Case { asked, values_change, people_leave, columns_change }
}

/// A series as it was published.
struct Published {
    folder: tempfile::TempDir,
    plans: Vec<Plan>,
    receipts: Vec<SeriesReceipt>,
    history: History,
    people: Vec<Person>,
    // The tables of which there is a release.
    tables: Vec<usize>,
}

struct NoFiles;

impl Files for NoFiles {
    fn open(&self, _: &str) -> io::Result<Option<Box<dyn Read>>> {
        Ok(None)
    }

    fn put_in_place(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

fn secret() -> Secret {
    Secret::passphrase("a passphrase").unwrap().with_hardness(Hardness::LIGHT)
}

const FOLLOWS: [(u32, u32, u64); 8] =
    [(0, 0, 5), (0, 1, 3), (1, 1, 5), (1, 2, 3), (2, 2, 5), (2, 3, 3), (3, 3, 5), (3, 0, 3)];

/// Publishes a table after the other; a table for which the answer is no is left out.
fn published(method: &str, drawn: &[Person]) -> Published {
    let case = case(method);
    // Two people with each value stay, so that values have their numbers from the first release on.
    let steady = (0..2 * N_VALUES).map(|n| (n * 5 % 20, n, vec![(true, n % N_VALUES); N_RELEASES]));
    let mut people: Vec<Person> = steady.chain(drawn.iter().cloned()).collect();
    for (_, _, times) in &mut people {
        let first = times[0].1;
        let mut was = false;
        for (is_here, value) in times {
            *value = if case.values_change { *value } else { first };
            *is_here |= was && !case.people_leave;
            was = *is_here;
        }
    }
    let mut series = Published::of(people);
    for at in 0..N_RELEASES {
        series.publish(&case, method, at);
    }
    if !series.receipts.is_empty() {
        let path = series.path("kohort.ledger");
        let mut ledger = Ledger::open(&path, &secret(), Box::new(NoFiles), 1_800_000_000).unwrap();
        series.history = ledger.history("law").unwrap();
    }
    series
}

impl Published {
    /// Before the first release.
    fn of(people: Vec<Person>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tenths = FOLLOWS.map(|(from, to, p)| format!("d{from},d{to},0.{p}\n")).concat();
        let text = format!("from,to,probability\n{tenths}");
        std::fs::write(folder.path().join("follows.csv"), text).unwrap();
        let (plans, receipts, tables) = (Vec::new(), Vec::new(), Vec::new());
        Self { folder, plans, receipts, history: History::default(), people, tables }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn publish(&mut self, case: &Case, method: &str, at: usize) {
        let mut table = String::from("person,age,zip,disease\n");
        for (person, (age, zip, times)) in self.people.iter().enumerate() {
            if let (true, value) = times[at] {
                let _ = writeln!(table, "p{person:03},{age},{zip},d{value}");
            }
        }
        std::fs::write(self.path(&format!("table-{at}.csv")), &table).unwrap();
        std::fs::write(self.path("table.csv"), table).unwrap();
        let mut text = String::from(
            "input = \"table.csv\"\n[attributes]\nperson = \"identifier\"\ndisease = \"sensitive\"\n",
        );
        for (column, name) in ["age", "zip"].iter().enumerate() {
            if !case.columns_change || at % 3 == 2 || at % 3 == column {
                let _ = writeln!(text, "{name} = {{ role = \"quasi\", type = \"integer\" }}");
            }
        }
        let _ = write!(text, "[series]\nkey = \"person\"\nmethod = \"{method}\"\n{}\n", case.asked);
        let plan = Plan::parse("plan.toml", &text).unwrap().in_folder(self.folder.path());
        let dataset = kohort::load::load(&plan, &|_, _| {}).unwrap().value;
        let order = SeriesOrder {
            plan: &plan,
            series: "law",
            ledger: &self.path("kohort.ledger"),
            secret: &secret(),
            head: &KeptHead::Nowhere,
            target: &|release| self.path(&format!("release-{release}.csv")),
            report: &|_| None,
            force: false,
            inputs: &[],
            now: 1_800_000_000,
        };
        // A no is not what this is about; a table that does not fit the method is.
        let answer = publish(&order, &dataset, &Ctx::quiet());
        assert!(matches!(answer, Ok(_) | Err(Stop::No(_))), "{answer:?}");
        if let Ok(receipt) = answer {
            self.receipts.push(receipt);
            self.plans.push(plan);
            self.tables.push(at);
        }
    }

    /// Whether who is in a table is in its release: the books number people so that nobody can tell who was
    /// held back.
    fn has_everybody(&self) -> bool {
        self.receipts.iter().all(|receipt| receipt.held_back == 0)
    }

    /// What an attack finds from the files of the first releases, for anyone who knows everybody's
    /// quasi-identifiers and who is in which release.
    fn attacked(&self, id: &str, n_releases: usize) -> AttackAnswer {
        assert!(self.has_everybody());
        let mut text = String::from("person,age,zip");
        (0..n_releases).for_each(|at| write!(text, ",in{at}").unwrap());
        for (person, (age, zip, times)) in self.people.iter().enumerate() {
            let _ = write!(text, "\np{person:03},{age},{zip}");
            for &table in &self.tables[..n_releases] {
                let _ = write!(text, ",{}", u8::from(times[table].0));
            }
        }
        std::fs::write(self.path("people.csv"), text + "\n").unwrap();
        let read = |name: &str| -> Table {
            let path = self.path(name);
            let options = kohort::Options::default();
            read_table(&path.to_string_lossy(), &options, &|_, _| {}).unwrap().table
        };
        let plan = &self.plans[n_releases - 1];
        let release = |number: usize| {
            let path = self.path(&format!("release-{number}.csv"));
            let sensitive = ["disease".to_owned()];
            kohort::attack::read(plan, &path, &sensitive, true, &|_, _| {}).unwrap().value
        };
        let given = Given {
            plan,
            release: release(n_releases),
            others: (1..n_releases).map(release).collect(),
            public: Some(read("people.csv")),
            original: None,
            earlier: Vec::new(),
            is_series: true,
            key: Some("person".into()),
            knowledge: None,
            presence: (0..n_releases).map(|at| format!("in{at}")).collect(),
            correlations: None,
            sampled: None,
            secret: None,
            only: vec![id.to_owned()],
        };
        attack(given, &Ctx::quiet()).unwrap().attacks.pop().unwrap()
    }

    /// The attacks on the files that refute the promise, for anyone who has the last of the tables they were made
    /// from, this many of them, and does not run the method again: series are opaque, and say so.
    fn refuted_by_tables(&self, n_tables: usize) -> Vec<&'static str> {
        let plan = self.plans.last().unwrap();
        let mut releases: Vec<_> = (1..=self.tables.len())
            .map(|number| {
                let path = self.path(&format!("release-{number}.csv"));
                let sensitive = ["disease".to_owned()];
                kohort::attack::read(plan, &path, &sensitive, true, &|_, _| {}).unwrap().value
            })
            .collect();
        let first = self.tables.len() - n_tables;
        let mut tables: Vec<Table> = (self.tables[first..].iter())
            .map(|at| {
                let path = self.path(&format!("table-{at}.csv"));
                let (name, options) = (path.to_string_lossy(), kohort::Options::default());
                read_table(&name, &options, &|_, _| {}).unwrap().table
            })
            .collect();
        let given = Given {
            plan,
            release: releases.pop().unwrap(),
            others: releases,
            public: None,
            original: tables.pop(),
            earlier: tables,
            is_series: true,
            key: None,
            knowledge: None,
            presence: Vec::new(),
            correlations: None,
            sampled: None,
            secret: None,
            only: Vec::new(),
        };
        let attacks = attack(given, &Ctx::quiet()).unwrap().attacks;
        let is_refuted = |id: &str, verdict: &str| verdict == "refuted" && id != "re-execution";
        let refuted = attacks.iter().filter(|one| is_refuted(one.id, one.score.verdict));
        refuted.map(|one| one.id).collect()
    }

    /// What the judge says of the files and the tables they were made from.
    fn judged(&self) -> SeriesVerdict {
        let plan = self.plans.last().unwrap();
        let made: Vec<Made> = (1..)
            .zip(&self.tables)
            .map(|(number, at)| {
                let path = self.path(&format!("release-{number}.csv"));
                let sensitive = ["disease".to_owned()];
                let found = kohort::attack::read(plan, &path, &sensitive, true, &|_, _| {});
                let table = self.path(&format!("table-{at}.csv"));
                let (name, options) = (table.to_string_lossy(), kohort::Options::default());
                let original = read_table(&name, &options, &|_, _| {}).unwrap().table;
                Made { release: found.unwrap().value, original: Some(original) }
            })
            .collect();
        verify(plan, &made).unwrap()
    }

    /// For everybody, how many rows each value has in the join of the classes.
    fn in_common(&self) -> Vec<Vec<usize>> {
        let of = |person: u32| {
            let classes: Vec<&[u32]> = (self.history.releases.iter())
                .filter_map(|release| Some(&release.classes[release.class_of(person)? as usize]))
                .map(|class| &class.values[..])
                .collect();
            let n = |value: u32| {
                let in_class = |class: &&[u32]| class.iter().filter(|v| **v == value).count();
                classes.iter().map(in_class).product()
            };
            let found: Vec<usize> = (0..N_VALUES).map(n).collect();
            (!classes.is_empty()).then_some(found)
        };
        (0..).take(self.history.n_people()).filter_map(of).collect()
    }
}

/// For each person how many worlds give the person each value: worlds give everybody one value for all
/// releases, and rows of one value are different rows.
fn worlds(history: &History) -> Vec<Vec<f64>> {
    let counted = |values: &[u32]| {
        let mut left = vec![0_u32; N_VALUES as usize];
        for &value in values {
            left[value as usize] += 1;
        }
        left
    };
    let left: Vec<Vec<Vec<u32>>> = (history.releases.iter())
        .map(|release| release.classes.iter().map(|class| counted(&class.values)).collect())
        .collect();
    let n = history.n_people();
    let mut found = vec![vec![0.0; N_VALUES as usize]; n];
    // Who is alike is dealt with at once: the rows left are what matters.
    let mut layer = std::collections::BTreeMap::from([(left, (1.0, vec![vec![0.0; 4]; n]))]);
    for person in 0..u32::try_from(n).unwrap() {
        let places: Vec<(usize, usize)> = (history.releases.iter().enumerate())
            .filter_map(|(at, release)| Some((at, release.class_of(person)? as usize)))
            .collect();
        if places.is_empty() {
            continue;
        }
        let mut next = std::collections::BTreeMap::new();
        for (left, (weight, by_value)) in &layer {
            for value in 0..N_VALUES as usize {
                let rows = places.iter().map(|&(at, class)| f64::from(left[at][class][value]));
                let ways: f64 = rows.product();
                if ways > 0.0 {
                    let mut after = left.clone();
                    for &(at, class) in &places {
                        after[at][class][value] -= 1;
                    }
                    let zero = || (0.0, vec![vec![0.0; 4]; n]);
                    let sum: &mut (f64, Vec<Vec<f64>>) = next.entry(after).or_insert_with(zero);
                    sum.0 += weight * ways;
                    for (sum, more) in sum.1.iter_mut().flatten().zip(by_value.iter().flatten()) {
                        *sum += more * ways;
                    }
                    sum.1[person as usize][value] += weight * ways;
                }
            }
        }
        layer = next;
    }
    for (_, by_value) in layer.values() {
        for (sum, more) in found.iter_mut().flatten().zip(by_value.iter().flatten()) {
            *sum += more;
        }
    }
    found
}

/// The highest belief about anybody over all worlds.
fn highest(history: &History) -> f64 {
    let beliefs = worlds(history).into_iter().filter_map(|by_value| {
        let all: f64 = by_value.iter().sum();
        (all > 0.0).then(|| by_value.iter().copied().fold(0.0, f64::max) / all)
    });
    beliefs.fold(0.0, f64::max)
}

/// The highest belief about a person at any release the person is in, from every sequence of values.
fn followed(history: &History, person: u32) -> f64 {
    let count = |values: &[u32], value| values.iter().filter(|v| **v == value).count() as f64;
    let total = |at: usize, value: u32| -> f64 {
        history.releases[at].classes.iter().map(|class| count(&class.values, value)).sum()
    };
    let listed = |x, y| FOLLOWS.iter().find(|pair| (pair.0, pair.1) == (x, y));
    let step = |at: usize, x: u32, y: u32| {
        if let Some(&(.., tenths)) = listed(x, y) {
            return tenths as f64 / 10.0;
        }
        let others = (0..N_VALUES).filter(|&y| listed(x, y).is_none());
        0.2 * total(at, y) / others.map(|y| total(at, y)).sum::<f64>()
    };
    let class_at = |at: usize| history.releases[at].class_of(person);
    let n = history.releases.len();
    let Some(first) = (0..n).find(|&at| class_at(at).is_some()) else { return 0.0 };
    let mut sequences: Vec<(Vec<u32>, f64)> = vec![(Vec::new(), 1.0)];
    for at in first..n {
        let longer = sequences.iter().flat_map(|(values, weight)| {
            (0..N_VALUES).map(move |value| {
                let came = values.last().map_or(total(at, value), |&x| step(at, x, value));
                let says = class_at(at).map_or(1.0, |class| {
                    let shown = &history.releases[at].classes[class as usize].values;
                    count(shown, value) / total(at, value)
                });
                let values: Vec<u32> = values.iter().copied().chain([value]).collect();
                (values, weight * came * says)
            })
        });
        sequences = longer.collect();
    }
    let all: f64 = sequences.iter().map(|(_, weight)| weight).sum();
    let mut highest: f64 = 0.0;
    for at in (first..n).filter(|&at| class_at(at).is_some()) {
        for value in 0..N_VALUES {
            let with = sequences.iter().filter(|(values, _)| values[at - first] == value);
            highest = highest.max(with.map(|(_, weight)| weight).sum::<f64>() / all);
        }
    }
    highest
}

fn people(most: usize) -> impl Strategy<Value = Vec<Person>> {
    let times = prop::collection::vec((prop::bool::weighted(0.7), 0..N_VALUES), N_RELEASES);
    prop::collection::vec((0_u32..20, 0_u32..9, times), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn m_invariance_and_e_equivalence_leave_two_values_in_every_world(drawn in people(7)) {
        for method in ["m-invariance", "e-equivalence"] {
            let series = published(method, &drawn);
            prop_assert!(!series.receipts.is_empty(), "{method}");
            prop_assert!(highest(&series.history) <= 0.5 + 1e-9, "{method}");
            let is_enough = |n: &Vec<usize>| n.iter().filter(|n| **n > 0).count() >= 2;
            prop_assert!(series.in_common().iter().all(is_enough), "{method}");
            for id in ["value-association", "temporal", "record-linking", "correspondence"] {
                let is_for_one = id == "value-association";
                if series.has_everybody() && (series.tables.len() > 1 || is_for_one) {
                    let most = series.attacked(id, series.tables.len()).score.max_probability;
                    prop_assert!(most <= 0.5 + 1e-9, "{method}, {id}: {most}");
                }
            }
        }
    }

    #[test]
    fn the_highest_belief_is_that_of_all_worlds_or_above(drawn in people(7)) {
        for method in ["m-invariance", "e-equivalence", "bcf-anonymity", "xy-anonymity", "xy-linkability"] {
            let series = published(method, &drawn);
            let Some(receipt) = series.receipts.last() else { continue };
            let plain = highest(&series.history);
            prop_assert!(receipt.max_posterior >= plain - 1e-9, "{method}: {plain}");
            prop_assert!(receipt.max_posterior_is != Counted::OneByOne);
            if let [first] = &series.receipts[..] {
                prop_assert!((first.max_posterior - plain).abs() < 1e-9, "{method}: {plain}");
            }
        }
    }

    #[test]
    fn what_was_published_is_not_refuted_by_attacks_with_its_tables(drawn in people(16)) {
        for method in ["m-invariance", "e-equivalence", "rho-different"] {
            let series = published(method, &drawn);
            if series.tables.len() > 1 {
                for n_tables in [1, series.tables.len()] {
                    let refuted = series.refuted_by_tables(n_tables);
                    prop_assert!(refuted.is_empty(), "{method}, {n_tables}: {refuted:?}");
                }
            }
        }
    }

    #[test]
    fn what_was_published_is_not_refuted_by_its_files(drawn in people(24)) {
        for spec in SERIES_METHODS {
            let series = published(spec.id, &drawn);
            if !series.receipts.is_empty() {
                let verdict = series.judged();
                prop_assert!(verdict.verified, "{}: {:?}", spec.id, verdict.reasons);
            }
        }
    }

    #[test]
    fn rho_different_is_believed_with_rho_at_most(drawn in people(24)) {
        let series = published("rho-different", &drawn);
        prop_assert!(!series.receipts.is_empty());
        for person in 0..u32::try_from(series.history.n_people()).unwrap() {
            let highest = followed(&series.history, person);
            prop_assert!(highest <= 0.6 + 1e-9, "{highest} of {person}");
            prop_assert!(highest <= series.receipts.last().unwrap().max_posterior + 1e-9);
        }
    }

    #[test]
    fn a_value_that_drifts_against_the_correlations_fills_no_class(drawn in people(24)) {
        // After the first release everybody of 12 or older has the last value.
        let drifting = |&(age, zip, ref times): &Person| {
            let first = times[0].1;
            let value = if age >= 12 { N_VALUES - 1 } else { first };
            let times = times.iter().enumerate();
            (age, zip, times.map(|(at, t)| (t.0, if at == 0 { first } else { value })).collect())
        };
        let drawn: Vec<Person> = drawn.iter().map(drifting).collect();
        let series = published("rho-different", &drawn);
        prop_assert!(!series.receipts.is_empty());
        let told = series.receipts.last().unwrap().max_posterior;
        for class in series.history.releases.iter().flat_map(|release| &release.classes) {
            let most = class.values.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap();
            prop_assert!(10 * most <= 6 * class.values.len(), "{:?}", class.values);
            prop_assert!(most as f64 / class.values.len() as f64 <= told + 1e-9, "{told}");
        }
        let verdict = series.judged();
        prop_assert!(verdict.verified, "{:?}", verdict.reasons);
    }

    #[test]
    fn joins_leave_two_values_or_none_above_one_half(drawn in people(24)) {
        for method in ["xy-anonymity", "xy-linkability"] {
            let series = published(method, &drawn);
            prop_assert!(!series.receipts.is_empty(), "{method}");
            for rows in series.in_common() {
                let (all, most) = (rows.iter().sum::<usize>(), rows.iter().max().unwrap());
                let n_left = rows.iter().filter(|n| **n > 0).count();
                prop_assert!(n_left >= 2, "{method}: {rows:?}");
                prop_assert!(method == "xy-anonymity" || most * 2 <= all, "{rows:?}");
            }
            if series.tables.len() < 2 || !series.has_everybody() {
                continue;
            }
            // What reasoning about many at once leaves is not promised; it is said.
            let most = series.receipts.last().unwrap().max_posterior;
            let found = series.attacked("value-association", series.tables.len());
            prop_assert!(most > 1.0 - 1e-9 || found.score.above.certain == 0, "{method}: {most}");
        }
    }

    #[test]
    fn bcf_anonymity_leaves_two_rows(drawn in people(24)) {
        let series = published("bcf-anonymity", &drawn);
        prop_assert!(!series.receipts.is_empty());
        // The promise is of each two releases.
        if series.receipts.len() > 1 {
            let found = series.attacked("correspondence", 2);
            let records = found.per_attribute.iter().find(|score| score.attribute.is_none());
            let most = records.unwrap_or(&found.score).max_probability;
            prop_assert!(most <= 0.5 + 1e-9, "{most}");
        }
    }

    #[test]
    fn nobody_ever_had_a_value_with_more_than_one_half(drawn in people(24)) {
        let series = published("global-guarantee", &drawn);
        prop_assert!(!series.receipts.is_empty());
        for person in 0..u32::try_from(series.history.n_people()).unwrap() {
            let classes = (series.history.releases.iter())
                .filter_map(|release| Some(&release.classes[release.class_of(person)? as usize]));
            for value in 0..N_VALUES {
                let never = classes.clone().map(|class| {
                    let n = class.values.iter().filter(|v| **v == value).count() as u64;
                    1.0 - Ratio::new(n, class.values.len() as u64).value()
                });
                prop_assert!(1.0 - never.product::<f64>() <= 0.5 + 1e-9);
            }
        }
    }
}

/// The values of the rows of a release whose first cell covers a number.
fn beside(release: &str, number: u32) -> Vec<usize> {
    let mut counts = vec![0; 5];
    for line in release.lines().skip(1) {
        let mut fields = line.rsplitn(3, ',').skip(1);
        let (disease, cell) = (fields.next().unwrap(), fields.next().unwrap());
        let cell = cell.trim_matches(['"', '[', ']']);
        let (lo, hi) = cell.split_once(", ").unwrap_or((cell, cell));
        if (lo.parse().unwrap()..=hi.parse().unwrap()).contains(&number) {
            counts[disease.trim_start_matches('d').parse::<usize>().unwrap()] += 1;
        }
    }
    counts
}

/// Ages, then zips: who looks a person up by the boxes of both, without knowing the classes.
#[test]
fn who_looks_people_up_by_boxes_finds_no_likely_value() {
    for (method, asked) in [("xy-anonymity", "k = 3"), ("xy-linkability", "confidence = 0.6")] {
        let people = (0..60).map(|n| {
            let times = vec![(true, n % 5); N_RELEASES];
            (20 + n * 7 % 60, 10_000 + n * 37 % 900, times)
        });
        let mut series = Published::of(people.collect());
        let case = Case { asked, ..case(method) };
        (0..2).for_each(|at| series.publish(&case, method, at));
        assert_eq!(series.tables, [0, 1]);
        let [ages, zips] = [1, 2]
            .map(|n| std::fs::read_to_string(series.path(&format!("release-{n}.csv"))).unwrap());
        for (age, zip, _) in &series.people {
            let both = beside(&ages, *age).into_iter().zip(beside(&zips, *zip));
            let counts: Vec<usize> = both.map(|(a, b)| a.min(b)).collect();
            let (all, n_left) =
                (counts.iter().sum::<usize>(), counts.iter().filter(|n| **n > 0).count());
            assert!(n_left >= if method == "xy-anonymity" { 3 } else { 2 }, "{method} {counts:?}");
            let is_small = counts.iter().all(|n| n * 10 <= all * 6);
            assert!(method == "xy-anonymity" || is_small, "{age} {zip} {counts:?}");
        }
    }
}

/// A method without a law above is not for users.
#[test]
fn every_method_has_a_law() {
    for spec in SERIES_METHODS {
        assert!(!case(spec.id).asked.is_empty());
    }
}
