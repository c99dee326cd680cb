//! What publishing in series costs, and what independent releases of the same tables give away.
//!
//! `cargo bench -p kohort --bench publish -- people=100000 releases=10 m=3` makes series of made-up people
//! with every method that is for how they change, and beside each the same tables released one by one by
//! `auto` with the same m or k. It prints a line for each release, then as Markdown a line for each series
//! and a line for each attack on it. `only=m-invariance` makes the series with this in their names.
//!
//! Seconds are those of all threads on a processor. The highest belief is the publisher's; of independent
//! releases it is reckoned in the same way. "Who knows the classes" knows of everybody in which class of
//! each release the person is, and that values stay: which share of the people has fewer than m values left
//! then, or one. The attacks have the releases alone, and a table of everybody's quasi-identifiers and
//! presence.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock and writes its own tables"
)]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]
#![expect(clippy::cast_possible_truncation, reason = "releases are few")]

#[path = "publish/crowd.rs"]
mod crowd;
#[path = "publish/independent.rs"]
mod independent;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use kohort::attack::{AttackAnswer, Given, Publication, attack};
use kohort::plan::Plan;
use kohort::series::{Counted, KeptHead, Secret, SeriesOrder, publish};
use kohort::{Ctx, Dataset};
use kohort_core::History;
use kohort_ledger::Ledger;

use self::crowd::{COLUMNS, Change, Crowd, correlations};
use self::independent::{NoFiles, independent, smoothed};

/// What is made of a crowd.
struct Case {
    name: &'static str,
    change: Change,
    /// What a plan says about the series; none for independent releases.
    series: Option<String>,
    /// What a plan says is promised of each release by itself.
    goal: String,
}

fn main() {
    let given: BTreeMap<String, String> = std::env::args()
        .filter_map(|text| {
            let (name, value) = text.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        })
        .collect();
    let number = |name: &str, default| {
        given.get(name).map_or(default, |text| text.parse().expect("it is a number"))
    };
    let (people, releases, m) = (number("people", 1000), number("releases", 3), number("m", 3));
    let only = given.get("only").map_or("", String::as_str);
    let (mut series, mut attacks) = (Vec::new(), Vec::new());
    for case in cases(m, releases).iter().filter(|case| case.name.contains(only)) {
        println!("\n{} of {people} people", case.name);
        let run = Run::new(case, people, releases, m);
        let (line, found) = run.all();
        series.push(line);
        attacks.extend(found);
    }
    println!(
        "\n| series | people | CPU s | loss % | counterfeits | held back | highest belief | who knows \
         the classes: < m | one |\n|---|---|---|---|---|---|---|---|---|"
    );
    println!("{}", series.join("\n"));
    println!(
        "\n| series | attack | targets | success % | baseline % | highest | certain | CPU s |\n\
         |---|---|---|---|---|---|---|---|"
    );
    println!("{}", attacks.join("\n"));
}

fn cases(m: u64, releases: u64) -> Vec<Case> {
    let l = format!("[goal]\nfrequency-l-diversity = {{ l = {m}, attribute = \"disease\" }}\n");
    let k = 2 * m;
    let of = |name, change, series: Option<String>, goal: &str| Case {
        name,
        change,
        series,
        goal: goal.to_owned(),
    };
    let made = |method: &str, more: String| Some(format!("method = \"{method}\"\n{more}\n"));
    let correlated = "rho = 0.5\ncorrelations = \"follows.csv\"".to_owned();
    vec![
        of("m-invariance", Change::ComeAndGo, made("m-invariance", format!("m = {m}")), ""),
        of(
            "e-equivalence",
            Change::ComeAndGo,
            made("e-equivalence", format!("m = {m}\ne = 2")),
            "",
        ),
        of("independent, people come and go", Change::ComeAndGo, None, &l),
        of(
            "global-guarantee",
            Change::Values,
            made("global-guarantee", format!("l = 2\nhorizon = {releases}")),
            "",
        ),
        of("rho-different", Change::Values, made("rho-different", correlated), ""),
        of("independent, values change", Change::Values, None, &l),
        of("bcf-anonymity", Change::Come, made("bcf-anonymity", format!("k = {k}")), ""),
        of("independent, people come", Change::Come, None, &format!("[goal]\nk-anonymity = {k}\n")),
        of("xy-anonymity", Change::Columns, made("xy-anonymity", format!("k = {m}")), ""),
        of(
            "xy-linkability",
            Change::Columns,
            made("xy-linkability", format!("confidence = {}", 1.0 / m as f64)),
            "",
        ),
        of("independent, other columns", Change::Columns, None, &l),
    ]
}

/// A series as it is made.
struct Run<'a> {
    case: &'a Case,
    folder: tempfile::TempDir,
    crowd: Crowd,
    releases: u64,
    m: u64,
    /// What everybody has seen, of independent releases.
    history: History,
}

/// What the releases cost.
#[derive(Default)]
struct Cost {
    losses: Vec<f64>,
    counterfeits: u64,
    held_back: u64,
    belief: Option<String>,
    seconds: f64,
}

impl<'a> Run<'a> {
    fn new(case: &'a Case, people: u64, releases: u64, m: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let crowd = Crowd::new(people, case.change);
        std::fs::write(folder.path().join("follows.csv"), correlations()).expect("a file");
        Self { case, folder, crowd, releases, m, history: History::default() }
    }

    /// Every release, and the attacks: lines of tables.
    fn all(mut self) -> (String, Vec<String>) {
        let mut cost = Cost::default();
        for release in 1..=self.releases {
            self.crowd.pass(release);
            let table = self.folder.path().join("table.csv");
            std::fs::write(table, self.crowd.table()).expect("it can be written");
            let plan = self.plan(release);
            let before = cpu_seconds();
            let loaded = kohort::load::load(&plan, &|_, _| {});
            let dataset = loaded.expect("it is a table").value;
            if self.case.series.is_some() {
                self.publish(&plan, &dataset, &mut cost);
            } else {
                let target = self.target(release as u32);
                let made = independent(&plan, &dataset, &target, self.m);
                let (loss, released) = made.expect("it is feasible");
                cost.losses.push(loss);
                self.history.releases.push(released.in_order(self.crowd.rows()));
                self.history.n_values = 40;
            }
            let seconds = cpu_seconds() - before;
            cost.seconds += seconds;
            let loss = 100.0 * cost.losses.last().copied().unwrap_or(f64::NAN);
            let size = self.ledger().metadata().map_or(0, |found| found.len());
            println!(
                "  release {release}: {} rows, {seconds:.2} s, loss {loss:.2} %, {} counterfeits and {} \
                 held back so far, ledger {:.1} MiB",
                dataset.n_rows(),
                cost.counterfeits,
                cost.held_back,
                size as f64 / 1_048_576.0
            );
        }
        if self.case.series.is_some() {
            let secret = secret();
            let ledger = Ledger::open(&self.ledger(), &secret, Box::new(NoFiles), 1_800_000_000);
            self.history = ledger.and_then(|mut it| it.history("bench")).expect("it is there");
        }
        (self.line(&cost), self.attacks())
    }

    /// The plan of a release.
    fn plan(&self, release: u64) -> Plan {
        let mut text = String::from(
            "input = \"table.csv\"\n[attributes]\nperson = \"identifier\"\ndisease = \"sensitive\"\n",
        );
        for (at, name) in COLUMNS.iter().enumerate() {
            let is_shown = match self.case.change {
                // Three of five, other ones each time.
                Change::Columns => THREE_OF_FIVE[(release as usize - 1) % 10] >> at & 1 == 1,
                _ => at < 3,
            };
            let kind = if *name == "zip" { ", type = \"integer\"" } else { "" };
            if is_shown {
                let _ = writeln!(text, "{name} = {{ role = \"quasi\"{kind} }}");
            }
        }
        text += &self.case.goal;
        if let Some(series) = &self.case.series {
            let _ = write!(text, "[series]\nkey = \"person\"\n{series}");
        }
        let plan = Plan::parse("plan.toml", &text).expect("it is a plan");
        plan.in_folder(self.folder.path())
    }

    fn target(&self, release: u32) -> PathBuf {
        self.folder.path().join(format!("release-{release}.csv"))
    }

    fn ledger(&self) -> PathBuf {
        self.folder.path().join("kohort.ledger")
    }

    fn publish(&self, plan: &Plan, dataset: &Dataset, cost: &mut Cost) {
        let order = SeriesOrder {
            plan,
            series: "bench",
            ledger: &self.ledger(),
            secret: &secret(),
            head: &KeptHead::Nowhere,
            target: &|release| self.target(release),
            report: &|_| None,
            force: false,
            inputs: &[],
            now: 1_800_000_000,
        };
        let receipt = publish(&order, dataset, &Ctx::quiet()).expect("it can be published");
        cost.losses.extend(receipt.loss);
        cost.counterfeits += receipt.counterfeits;
        cost.held_back += receipt.held_back;
        cost.belief = Some(match (receipt.max_posterior_is, receipt.max_posterior) {
            (Counted::Bound, _) => format!("one by one {:.3}", receipt.max_posterior_one_by_one),
            (_, most) => format!("{most:.3}"),
        });
    }

    /// What the series cost, and what it gives away to anyone who knows the classes.
    fn line(&self, cost: &Cost) -> String {
        let changes = self.case.change == Change::Values;
        let left = candidates(&self.history);
        let share = |most: u64| {
            let few = left.iter().filter(|&&n| n as u64 <= most).count();
            format!("{:.2} %", 100.0 * few as f64 / left.len().max(1) as f64)
        };
        let (few, one) = match self.case.change {
            Change::ComeAndGo | Change::Columns => (share(self.m - 1), share(1)),
            _ => (String::new(), String::new()),
        };
        let reckoned = || match left.iter().min() {
            _ if changes => smoothed(&self.history),
            Some(&fewest) if self.case.change == Change::ComeAndGo => 1.0 / fewest as f64,
            _ => f64::NAN,
        };
        let (first, last) = (cost.losses.first(), cost.losses.last());
        let percent = |loss: Option<&f64>| 100.0 * loss.copied().unwrap_or(f64::NAN);
        format!(
            "| {} | {} | {:.1} | {:.1} to {:.1} | {} | {} | {} | {few} | {one} |",
            self.case.name,
            self.crowd.rows().count(),
            cost.seconds / self.releases as f64,
            percent(first),
            percent(last),
            cost.counterfeits,
            cost.held_back,
            cost.belief.clone().unwrap_or_else(|| format!("{:.3}", reckoned())),
        )
    }

    /// The attacks on the series, one line each.
    fn attacks(&self) -> Vec<String> {
        let folder = self.folder.path();
        let put = |name: &str, text: String| {
            std::fs::write(folder.join(name), text).expect("it can be written");
            let options = kohort::Options::default();
            let path = folder.join(name);
            kohort::read_table(&path.to_string_lossy(), &options, &|_, _| {}).expect("read").table
        };
        let (people, original) =
            (put("people.csv", self.crowd.people()), put("table.csv", self.crowd.table()));
        let mut plan = self.plan(self.releases);
        plan.goal = kohort::plan::Goal::default();
        let ids: &[&str] = match self.case.change {
            Change::ComeAndGo => {
                &["value-association", "value-equivalence", "tuple-equivalence", "temporal"]
            }
            Change::Values => &["correlation"],
            Change::Come => &["correspondence", "value-association", "temporal"],
            Change::Columns => &["record-linking", "value-association"],
        };
        let mut lines = Vec::new();
        for id in ids {
            let sensitive = ["disease".to_owned()];
            let read = |release: u64| -> Publication {
                let path = self.target(release as u32);
                let found = kohort::attack::read(&plan, &path, &sensitive, true, &|_, _| {});
                found.expect("it was written").value
            };
            let is_known = self.case.change == Change::Values;
            let before = cpu_seconds();
            let given = Given {
                plan: &plan,
                release: read(self.releases),
                others: (1..self.releases).map(read).collect(),
                public: Some(people.clone()),
                earlier: Vec::new(),
                is_series: true,
                original: Some(original.clone()),
                key: Some("person".into()),
                knowledge: None,
                presence: (1..=self.releases).map(|release| format!("in{release}")).collect(),
                correlations: is_known.then(|| folder.join("follows.csv")),
                sampled: None,
                secret: None,
                only: vec![(*id).to_owned()],
            };
            let answer = attack(given, &Ctx::quiet()).expect("it can be attacked");
            let seconds = cpu_seconds() - before;
            answer.attacks.iter().for_each(|found| self.told(found, seconds, &mut lines));
        }
        lines
    }

    /// What an attack found, a line for each way of guessing.
    fn told(&self, found: &AttackAnswer, seconds: f64, lines: &mut Vec<String>) {
        let scores = match &found.per_attribute[..] {
            [] => std::slice::from_ref(&found.score),
            all => all,
        };
        for score in scores {
            lines.push(format!(
                "| {} | {}{} | {} | {:.2} | {:.2} | {:.3} | {} | {seconds:.1} |",
                self.case.name,
                found.id,
                score.way.as_ref().map(|way| format!(" {way}")).unwrap_or_default(),
                score.targets,
                100.0 * score.success,
                100.0 * score.baseline,
                score.max_probability,
                score.above.certain,
            ));
            score.notes.iter().for_each(|note| println!("    {}: {note}", found.id));
        }
    }
}

/// The combinations of three of five columns, as bits, so that each shares some with the one before.
const THREE_OF_FIVE: [u8; 10] = [7, 11, 13, 14, 19, 21, 22, 25, 26, 28];

fn secret() -> Secret {
    Secret::passphrase("a passphrase").expect("it is long enough")
}

/// For everybody in a series, the number of values that all classes of the person show.
fn candidates(history: &History) -> Vec<usize> {
    let mut left: Vec<Option<Vec<u32>>> = vec![None; history.n_people()];
    for release in &history.releases {
        for (person, known) in (0..).zip(&mut left) {
            let Some(class) = release.class_of(person) else { continue };
            let signature = release.classes[class as usize].signature();
            match known {
                Some(known) => known.retain(|value| signature.contains(value)),
                None => *known = Some(signature),
            }
        }
    }
    left.into_iter().flatten().map(|known| known.len()).collect()
}

/// User and system time of this process so far.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string(Path::new("/proc/self/stat")).unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
