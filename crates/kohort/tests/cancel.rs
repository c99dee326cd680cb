//! A cancelled job ends soon, whatever it is doing, and leaves nothing behind: every reader, writer, algorithm,
//! judge and attack, and every question.
//!
//! `KOHORT_CANCEL_ROWS=1000000 cargo test --release -p kohort --test cancel -- --nocapture` cancels each step at
//! a million rows at many more moments, and prints the longest that each took to end.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::disallowed_methods, reason = "it measures, and a person says how large")]
#![expect(clippy::print_stdout, reason = "what was measured is for whoever asks for it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kohort::attack::{Given, Groups, Publication};
use kohort::compare::Grid;
use kohort::demo::{self, Data};
use kohort::diagnose::Question;
use kohort::nested::{self, Described};
use kohort::plan::{Goal, Input, Method, Plan};
use kohort::series::{KeptHead, Made, Secret, SeriesOrder};
use kohort::{
    ALGORITHMS, ATTACKS, Address, Cancel, Cx, DatabaseTarget, Error, Format, Missing,
    NESTED_ALGORITHMS, Options, Ratio, Stop, Table,
};

/// On a busy machine with a development build; alone, a release build ends within half a second.
const SOON: Duration = Duration::from_secs(3);

/// The people of a table, where nobody says otherwise.
const ROWS: u64 = 60_000;

fn asked() -> Option<u64> {
    std::env::var("KOHORT_CANCEL_ROWS").ok().and_then(|rows| rows.parse().ok())
}

/// Something that takes long, and can be done again and again.
struct Step<'a> {
    name: String,
    run: Box<Run<'a>>,
}

type Run<'a> = dyn Fn(&Cx) -> Result<(), Stop> + Send + Sync + 'a;

fn step<'a, T>(
    name: impl Into<String>,
    run: impl Fn(&Cx) -> Result<T, Stop> + Send + Sync + 'a,
) -> Step<'a> {
    Step { name: name.into(), run: Box::new(move |cx| run(cx).map(drop)) }
}

/// When steps are cancelled after they began, in milliseconds; at 0 before they begin.
fn moments() -> &'static [u64] {
    if asked().is_some() { &[0, 1, 10, 40, 100, 250, 600, 1200, 2400, 4800] } else { &[0, 1, 60] }
}

/// Cancels every step at several moments. Each ends soon; a step that was at work then says so, and the folder
/// has the files that it had. A step that is refused is none.
fn cancel_each(steps: &[Step<'_>], folder: &Path) {
    let n_refused = cancel_those_that_can(steps, folder);
    assert_eq!(n_refused, 0, "every step does what it is asked");
}

/// The same, and how many are refused.
fn cancel_those_that_can(steps: &[Step<'_>], folder: &Path) -> usize {
    let mut n_refused = 0;
    let only = std::env::var("KOHORT_CANCEL_ONLY").unwrap_or_default();
    for Step { name, run } in steps.iter().filter(|step| step.name.contains(&only)) {
        let before = files(folder);
        let (mut n_cancelled, mut longest) = (0, (Duration::ZERO, 0));
        for &moment in moments() {
            let (answer, late) = cancelled_after(Duration::from_millis(moment), &**run);
            if let Err(stop @ (Stop::No(_) | Stop::Error(_))) = &answer {
                println!("{name} is refused: {stop}");
                n_refused += 1;
                n_cancelled += 1;
                break;
            }
            let Some(late) = late else { break };
            longest = longest.max((late, moment));
            assert!(late < SOON, "{name}, cancelled after {moment} ms, took {late:?} to end");
            // Or else it ended by itself in the meantime.
            n_cancelled += usize::from(answer.is_err());
            assert_eq!(files(folder), before, "{name} leaves something behind");
        }
        assert!(n_cancelled > 0, "{name} was not cancelled once");
        let (late, moment) = longest;
        println!("{name}: at most {} ms, cancelled after {moment} ms", late.as_millis());
    }
    n_refused
}

/// How a job ended that was cancelled after so long, and how long after that; nothing where it was over by then.
fn cancelled_after(
    moment: Duration,
    run: &(dyn Fn(&Cx) -> Result<(), Stop> + Sync),
) -> (Result<(), Stop>, Option<Duration>) {
    let cancel = Cancel::default();
    let cx = Cx::default().cancelled_by(&cancel);
    if moment.is_zero() {
        cancel.cancel();
    }
    std::thread::scope(|scope| {
        let job = scope.spawn(|| (run(&cx), Instant::now()));
        let started = Instant::now();
        while started.elapsed() < moment && !job.is_finished() {
            std::thread::sleep(Duration::from_micros(500));
        }
        let was_over = !moment.is_zero() && job.is_finished();
        let cancelled = Instant::now();
        cancel.cancel();
        let (answer, ended) = job.join().unwrap();
        let late = ended.saturating_duration_since(cancelled);
        (answer, (!was_over).then_some(late))
    })
}

/// The files of a folder and its folders, with their sizes.
fn files(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.insert(entry.path(), entry.metadata().unwrap().len());
        }
    }
    found
}

/// Made-up people of a census with their plan, whose taxonomies are in a folder.
fn census(folder: &Path, rows: u64) -> (Table, Plan) {
    for file in demo::companions(Data::Census, "people.csv", rows, 7) {
        let path = folder.join(&file.name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.text).unwrap();
    }
    let mut bytes = Vec::new();
    demo::write_csv(Data::Census, rows, 7, &mut bytes).unwrap();
    fs::write(folder.join("people.csv"), bytes).unwrap();
    let plan = Plan::open(&folder.join("plan.toml")).unwrap();
    (kohort::read(&plan, &Cx::default()).unwrap().value, plan)
}

fn goal(text: &str) -> Goal {
    Plan::parse("goal", &format!("[goal]\n{text}")).unwrap().goal
}

/// The plan with another goal and algorithm.
fn by(plan: &Plan, goal: Goal, algorithm: &str) -> Plan {
    let method = Method {
        algorithm: Some(algorithm.to_owned()),
        allow_unsafe: true,
        // Without an end of its own.
        budget: (algorithm == "auto").then(|| "60s".to_owned()),
        ..Method::default()
    };
    Plan { goal, method, ..plan.clone() }
}

#[test]
fn readers_and_writers_end_soon() {
    let folder = tempfile::tempdir().unwrap();
    let (table, plan) = census(folder.path(), asked().unwrap_or(ROWS));
    let written = |format: &str| {
        let path = folder.path().join(format!("people.{format}"));
        let mut out = Vec::new();
        kohort::write_table(&table, Format::of(&path).unwrap(), &mut out).unwrap();
        fs::write(&path, out).unwrap();
        path
    };
    let formats = ["csv", "csv.gz", "jsonl", "parquet", "arrow"];
    let paths: Vec<PathBuf> = formats.iter().map(|format| written(format)).collect();
    let mut steps = Vec::new();
    for (format, path) in formats.iter().zip(&paths) {
        steps.push(step(format!("read {format}"), move |cx: &Cx| {
            cx.within(|| {
                let (path, options) = (path.to_string_lossy(), Options::default());
                Ok(kohort::read_table(&path, &options, &|_, _| {}).map_err(Error::from)?)
            })
        }));
        let table = &table;
        steps.push(step(format!("write {format}"), move |cx: &Cx| {
            cx.within(|| {
                let format = Format::of(path).map_err(Error::from)?;
                let written = kohort::write_table(table, format, &mut std::io::sink());
                Ok(written.map_err(Error::from)?)
            })
        }));
    }
    steps.push(step("inspect", |cx: &Cx| cx.within(|| Ok(kohort::inspect(&table)))));
    steps.push(step("assign roles", |cx: &Cx| {
        cx.within(|| Ok(kohort::load::assign_roles(&plan, table.clone())?))
    }));
    steps.push(step("record batches", |cx: &Cx| {
        cx.within(|| {
            let batches = kohort::batches_of(&table, None).map_err(Error::from)?;
            let rows = batches.batches.into_iter().map(Ok);
            let read = kohort::table_of_batches("t", &batches.schema, rows, Missing::default());
            Ok(read.map_err(Error::from)?)
        })
    }));
    cancel_each(&steps, folder.path());
}

#[test]
fn databases_end_soon() {
    let folder = tempfile::tempdir().unwrap();
    let (table, plan) = census(folder.path(), asked().unwrap_or(ROWS));
    let plan = by(&plan, goal("k-anonymity = 5\nsuppression = 0.1"), "mondrian");
    let release = kohort::anonymize(&table, &plan, &Cx::default()).unwrap();
    let place = |name: &str| format!("sqlite:{}#people", folder.path().join(name).display());
    let target = |name: &str| {
        let address = Address::parse(&place(name), Path::new("")).map_err(Error::from)?;
        Ok::<_, Stop>(DatabaseTarget::open(&address, None).map_err(Error::from)?)
    };
    release.write_into(target("there.db").unwrap()).unwrap();
    let of_database = Plan { input: Some(Input::from(place("there.db"))), ..plan.clone() };
    let steps = [
        step("read sqlite", |cx: &Cx| kohort::read(&of_database, cx)),
        step("write sqlite", |cx: &Cx| cx.within(|| release.write_into(target("new.db")?))),
    ];
    cancel_each(&steps, folder.path());
}

/// A release that generalizes, as attacks see it.
fn published(release: &Table) -> Publication {
    let (counterfeits, metadata) = (BTreeMap::new(), Vec::new());
    Publication { table: release.clone(), groups: Groups::None, counterfeits, metadata }
}

fn grid() -> Grid {
    Grid {
        algorithms: vec!["mondrian".to_owned()],
        ks: vec![5, 10],
        ls: Vec::new(),
        attributes: Vec::new(),
        seeds: Vec::new(),
        folds: None,
        target: None,
        utility: "ncp",
        risk: "prosecutor-max",
        risk_cap: Ratio::new(1, 5),
        budget: None,
        secret: [1; 32],
    }
}

#[test]
fn questions_judges_and_attacks_end_soon() {
    let folder = tempfile::tempdir().unwrap();
    let (table, plan) = census(folder.path(), asked().unwrap_or(ROWS));
    let asked = goal(
        "k-anonymity = 5\ndistinct-l-diversity = 2\nt-closeness = { t = 0.5 }\nsuppression = 0.1\n\
         lkc-privacy = { l = 2, k = 5, c = 0.9, attribute = \"salary-class\" }",
    );
    let plan = by(&plan, asked, "mondrian");
    let release = kohort::anonymize(&table, &plan, &Cx::default()).unwrap();
    let question = |question: Question| {
        let (table, plan) = (&table, &plan);
        move |cx: &Cx| kohort::diagnose(table, plan, &question, cx)
    };
    let mut steps = vec![
        step("diagnose", question(Question::default())),
        step("diagnose subsets", question(Question { subsets: true, ..Question::default() })),
        step("borders", question(Question { border_k: Some(5), ..Question::default() })),
        step(
            "find suppression",
            question(Question {
                k: Some(5),
                subsets: true,
                find_suppression: true,
                ..Question::default()
            }),
        ),
        step("diagnose in a population", |cx: &Cx| {
            kohort::diagnose_in(&table, &plan, &Question::default(), Some(&table), cx)
        }),
        step("verify", |cx: &Cx| kohort::verify(&release, &plan, Some(&table), cx)),
        step("verify alone", |cx: &Cx| kohort::verify(&release, &plan, None, cx)),
        step("write a release", |cx: &Cx| {
            cx.within(|| release.write(folder.path().join("written.csv")))
        }),
        step("compare", |cx: &Cx| kohort::compare(&table, &plan, &grid(), cx)),
    ];
    let attacks: Vec<&str> = ATTACKS.iter().map(|attack| attack.spec().id).collect();
    for id in attacks {
        let (release, table, plan) = (release.table(), &table, &plan);
        steps.push(step(format!("attack {id}"), move |cx: &Cx| {
            let given = Given {
                original: Some(table.clone()),
                others: vec![published(release)],
                public: Some(table.clone()),
                only: vec![id.to_owned()],
                ..Given::new(plan, published(release))
            };
            kohort::attack_with(given, cx)
        }));
    }
    cancel_each(&steps, folder.path());
}

#[test]
fn algorithms_end_soon() {
    let folder = tempfile::tempdir().unwrap();
    let (table, plan) = census(folder.path(), asked().unwrap_or(ROWS));
    let steps: Vec<Step<'_>> = (ALGORITHMS.iter())
        .map(|algorithm| {
            let id = algorithm.spec().id;
            let asked = match id {
                "anatomy" | "decomposition" | "codip" => "frequency-l-diversity = 1.2",
                _ => "k-anonymity = 5\nfrequency-l-diversity = 1.2\nsuppression = 0.1",
            };
            let (table, plan) = (&table, by(&plan, goal(asked), id));
            step(id, move |cx: &Cx| kohort::anonymize(table, &plan, cx))
        })
        .collect();
    // Some are for several sensitive attributes, or for other goals.
    let n_refused = cancel_those_that_can(&steps, folder.path());
    assert!(n_refused * 2 < steps.len(), "{n_refused} of {} are refused", steps.len());
}

/// Made-up people with records inside records, as JSON, and their plan.
fn patients(folder: &Path, rows: u64, name: &str) -> (Arc<[u8]>, Plan) {
    let data = Data::Patients(Data::DEPTH);
    for file in demo::companions(data, name, rows, 7) {
        let path = folder.join(&file.name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.text).unwrap();
    }
    let mut bytes = Vec::new();
    demo::write(data, name, rows, 7, &mut bytes).unwrap();
    fs::write(folder.join(name), &bytes).unwrap();
    (bytes.into(), Plan::open(&folder.join("plan.toml")).unwrap())
}

#[test]
fn nested_records_end_soon() {
    let folder = tempfile::tempdir().unwrap();
    let rows = asked().unwrap_or(ROWS) / 10;
    let (xml, json) = (folder.path().join("xml"), folder.path().join("json"));
    fs::create_dir_all(&xml).unwrap();
    fs::create_dir_all(&json).unwrap();
    let (_, of_xml) = patients(&xml, rows, "patients.xml");
    let (_, plan) = patients(&json, rows, "patients.json");
    let records = nested::read(&plan, &|_, _| {}).unwrap().value;
    let described = Described::new(&plan, records.clone()).unwrap().value;
    let with = |algorithm: &str, transparent: Option<bool>| {
        let method = Method {
            algorithm: Some(algorithm.to_owned()),
            allow_unsafe: true,
            transparent,
            ..Method::default()
        };
        Plan { method, ..plan.clone() }
    };
    let opaque = with("auto", None);
    let (_, release) = nested::anonymize_held(&opaque, &described, false, &Cx::default()).unwrap();
    let read = |plan: Plan| move |cx: &Cx| cx.within(|| Ok(nested::read(&plan, &|_, _| {})?));
    let mut steps = vec![
        step("read json", read(plan.clone())),
        step("read xml", read(of_xml)),
        step("describe", |cx: &Cx| cx.within(|| Ok(Described::new(&plan, records.clone())?))),
        step("diagnose records", |cx: &Cx| {
            cx.within(|| Ok(nested::diagnose(&described, Some(5), None)))
        }),
        step("verify records", |cx: &Cx| {
            nested::verify_held(&opaque, &release, Some(&described), cx)
        }),
        step("attack records", |cx: &Cx| {
            nested::attack_held(&opaque, &release, Some(&described), &[], cx)
        }),
    ];
    for algorithm in NESTED_ALGORITHMS {
        let id = algorithm.spec().id;
        let (plan, described) = (with(id, Some(false)), &described);
        steps.push(step(id, move |cx: &Cx| nested::anonymize_held(&plan, described, false, cx)));
    }
    cancel_each(&steps, folder.path());
}

#[test]
#[expect(clippy::too_many_lines, reason = "what a series needs before it can be cancelled")]
fn series_end_soon() {
    let folder = tempfile::tempdir().unwrap();
    let rows = asked().unwrap_or(ROWS) / 10;
    let mut tables = Vec::new();
    let mut plan = String::new();
    for file in demo::series(rows, 2, 7) {
        let path = folder.path().join(&file.name);
        fs::write(&path, &file.text).unwrap();
        match file.name.strip_prefix("stays-") {
            Some(_) => tables.push(path),
            None if file.name == "plan.toml" => plan = file.text,
            None => {}
        }
    }
    let plans: BTreeMap<&str, Plan> = [
        ("rho-different", plan.clone()),
        ("m-invariance", plan.replace("rho = 0.5", "m = 2").replace("correlations", "# ")),
    ]
    .into_iter()
    .map(|(method, text)| {
        let text = text.replace("\"auto\"", &format!("\"{method}\""));
        let mut plan = Plan::parse("plan.toml", &text).unwrap();
        plan.folder = folder.path().to_owned();
        (method, plan)
    })
    .collect();
    let secret = Secret::passphrase("only for this test").unwrap();
    let publish = |method: &str, turn: usize, cx: &Cx| -> Result<(), Stop> {
        let plan = &plans[method];
        // Values change from one table to the next, which m-invariance is not for.
        let of_turn = if method == "m-invariance" { 0 } else { turn };
        let input = Input::from(tables[of_turn].display().to_string());
        let table = kohort::read(&Plan { input: Some(input), ..plan.clone() }, cx)?.value;
        let order = SeriesOrder {
            plan,
            series: "stays",
            ledger: &folder.path().join(format!("{method}.ledger")),
            secret: &secret,
            head: &KeptHead::Nowhere,
            target: &|number| folder.path().join(format!("{method}-{number}.csv")),
            report: &|_| None,
            force: false,
            inputs: &[],
            now: 1_800_000_000,
        };
        kohort::publish(&order, &table, cx).map(drop)
    };
    for method in plans.keys() {
        publish(method, 0, &Cx::default()).unwrap();
    }
    let published = |method: &str| {
        let path = folder.path().join(format!("{method}-1.csv"));
        let sensitive = ["disease".to_owned()];
        kohort::attack::read(&plans[method], &*path, &sensitive, true, &|_, _| {}).unwrap().value
    };
    let first = kohort::read_table(&tables[0].to_string_lossy(), &Options::default(), &|_, _| {});
    let first = first.unwrap().table;
    let releases = || {
        let is_ledger = |path: &PathBuf| path.to_string_lossy().contains(".ledger");
        files(folder.path()).into_keys().filter(|path| !is_ledger(path)).collect::<Vec<_>>()
    };
    let releases = &releases;
    let mut steps = Vec::new();
    for method in plans.keys() {
        let (publish, plan, release) = (&publish, &plans[method], published(method));
        steps.push(step(format!("publish {method}"), move |cx: &Cx| {
            let before = releases();
            let answer = publish(method, 1, cx);
            let is_cancelled = matches!(answer, Err(Stop::Cancelled));
            assert!(!is_cancelled || releases() == before, "{method} leaves something behind");
            answer
        }));
        let original = first.clone();
        steps.push(step(format!("verify {method}"), move |cx: &Cx| {
            let made = Made { release: release.clone(), original: Some(original.clone()) };
            cx.within(|| Ok(kohort::series::verify(plan, &[made])?))
        }));
    }
    // That somebody tried is on the books: the ledger grows. What else there is stays the same, as the steps say.
    let elsewhere = tempfile::tempdir().unwrap();
    cancel_each(&steps, elsewhere.path());
}
