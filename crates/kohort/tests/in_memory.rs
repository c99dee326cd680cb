//! Releases without a file: what is judged is what is handed out.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::sync::{Arc, Mutex};

use kohort::plan::{Goal, Method, Plan};
use kohort::release::Order;
use kohort::{Cancel, Ctx, Cx, Observer, Stop, Table, demo};

const DISEASES: [&str; 5] = ["flu", "gout", "asthma", "ulcer", "HIV"];

/// Sixty people of whom one is far from all others.
fn people() -> Table {
    let person = |n: u64| {
        let age = if n == 59 { 997 } else { 20 + n * 7 % 40 };
        let zip = 2_130 + n * 3 % 11;
        let disease = DISEASES[(n % 5) as usize];
        [format!("person {n}"), age.to_string(), zip.to_string(), disease.to_owned()]
    };
    Table::from_rows(["name", "age", "zip", "disease"], (0..60).map(person)).unwrap()
}

fn plan(goal: &str, algorithm: &str) -> Plan {
    let text =
        format!("[goal]\n{goal}\n[method]\nalgorithm = \"{algorithm}\"\nnumeric = \"exact\"\n");
    let plan = Plan::parse("plan", &text).unwrap();
    plan.identifiers(["name"]).quasi(["age", "zip"]).sensitive(["disease"])
}

fn texts(table: &Table) -> Vec<Vec<String>> {
    let cell = |row| {
        let text =
            |column: &kohort::Column| column.dictionary().get(column.codes().get(row)).to_owned();
        table.columns().iter().map(text).collect()
    };
    (0..table.n_rows()).map(cell).collect()
}

#[test]
fn a_release_in_memory_is_the_one_that_a_file_would_have() {
    let table = people();
    let folder = tempfile::tempdir().unwrap();
    let cx = Cx::default().with_secret([7; 32]);
    for algorithm in ["auto", "mondrian", "optimal", "hilbert", "anatomy", "mdav"] {
        let goal = match algorithm {
            "anatomy" => "frequency-l-diversity = { l = 3, attribute = \"disease\" }",
            "mdav" => "k-anonymity = 4",
            _ => "k-anonymity = 4\nsuppression = 0.1",
        };
        let plan = plan(goal, algorithm);
        let release = kohort::anonymize(&table, &plan, &cx).unwrap();
        assert!(release.receipt().verified || algorithm == "mdav", "{algorithm}");
        assert!(release.table().column("name").is_err());
        let verdict = kohort::verify(&release, &plan, Some(&table), &cx).unwrap();
        assert_eq!(verdict.verified, release.receipt().verified, "{algorithm}");
        // The same as from the file of another run.
        let (own, other) = (folder.path().join("own.csv"), folder.path().join("other.csv"));
        let receipt = release.write(&own).unwrap();
        let dataset = kohort::load::assign_roles(&plan, table.clone()).unwrap().value;
        let order = Order { plan: &plan, target: &other, secret: [7; 32] };
        kohort::release::anonymize(order, &dataset, &Ctx::quiet()).unwrap();
        let read = |path: &std::path::Path| kohort::read_text(path).unwrap();
        assert_eq!(read(&own), read(&other), "{algorithm}");
        assert_eq!(receipt.files.len(), if algorithm == "anatomy" { 2 } else { 1 });
        assert_eq!(receipt.metrics, release.receipt().metrics);
        let options = kohort::Options::default();
        let file = kohort::read_table(&own.to_string_lossy(), &options, &|_, _| {}).unwrap().table;
        assert_eq!(texts(&file), texts(release.table()), "{algorithm}");
    }
}

#[test]
fn a_table_in_memory_has_no_text_that_it_does_not_publish() {
    let plan = plan("k-anonymity = 4\nsuppression = 0.2", "auto");
    let release = kohort::anonymize(&people(), &plan, &Cx::default()).unwrap();
    assert!(release.receipt().suppressed > 0);
    let published = texts(release.table());
    for (at, column) in release.table().columns().iter().enumerate() {
        for text in column.dictionary().iter() {
            assert!(published.iter().any(|row| row[at] == text), "column `{}`", column.name());
        }
    }
    assert!(!format!("{release:?}").contains("person 1"));
}

#[test]
fn a_tampered_table_is_not_verified() {
    let (table, plan) = (people(), plan("k-anonymity = 4", "mondrian"));
    let release = kohort::anonymize(&table, &plan, &Cx::default()).unwrap();
    let mut rows = texts(release.table());
    rows[0][0] = "1".to_owned();
    let names = release.table().columns().iter().map(kohort::Column::name);
    let tampered = Table::from_rows(names, rows).unwrap();
    let verdict = kohort::verify(&tampered, &plan, Some(&table), &Cx::default()).unwrap();
    assert!(!verdict.verified);
}

#[test]
#[expect(clippy::too_many_lines, reason = "goals that can be kept, and then those that cannot")]
#[expect(clippy::disallowed_methods, reason = "taxonomies are files")]
fn nested_records_keep_the_models_of_tables() {
    use kohort::demo::Data;
    let data = Data::Patients(Data::DEPTH);
    let mut bytes = Vec::new();
    demo::write(data, "patients.json", 240, 7, &mut bytes).unwrap();
    let files = demo::companions(data, "patients.json", 240, 7);
    let folder = tempfile::tempdir().unwrap();
    for file in &files {
        let path = folder.path().join(&file.name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
    let plan = Plan::open(&folder.path().join("plan.toml")).unwrap();
    let records = kohort::nested::Held::Json(bytes.into()).records(&plan, "patients").unwrap();
    let described = kohort::nested::Described::new(&plan, records.value).unwrap().value;
    let path = "visits[].diagnoses[].disease";
    let by = |goal: &str, transparent: Option<bool>| {
        let asked = Plan::parse("goal", &format!("[goal]\n{goal}\nsuppression = 1")).unwrap();
        let method = Method { transparent, ..Method::default() };
        Plan { goal: asked.goal, method, ..plan.clone() }
    };
    let goals = [
        "distinct-l-diversity = 2".to_owned(),
        "entropy-l-diversity = 1.5".to_owned(),
        "recursive-cl-diversity = { c = 3, l = 2 }".to_owned(),
        format!("alpha-k-anonymity = {{ alpha = 0.7, k = 2, attribute = \"{path}\" }}"),
        "p-sensitive-k-anonymity = { p = 2, k = 3 }".to_owned(),
        "t-closeness = { t = 0.6 }".to_owned(),
    ];
    let cx = Cx::default();
    for goal in &goals {
        for transparent in [None, Some(false)] {
            let plan = by(goal, transparent);
            let made = kohort::nested::anonymize_held(&plan, &described, false, &cx);
            let (receipt, release) = made.unwrap_or_else(|stop| unreachable!("{goal}: {stop:?}"));
            assert!(receipt.verified && receipt.truthful, "{goal}");
            assert!(receipt.promised.goal.iter().all(|promise| promise.holds), "{goal}");
            let verdict =
                kohort::nested::verify_held(&plan, &release, Some(&described), &cx).unwrap();
            assert!(verdict.verified, "{goal}: {:?}", verdict.reasons);
            // The records as they are do not keep it.
            let is_opaque = transparent == Some(false) || goal.starts_with("t-");
            assert_eq!(receipt.transparent, Some(!is_opaque), "{goal}");
        }
    }
    for (goal, why) in [
        (
            format!("lkc-privacy = {{ l = 2, k = 2, c = 0.9, attribute = \"{path}\" }}"),
            "sets of a few columns",
        ),
        ("k-map = { k = 3, sampling-fraction = 0.1 }".to_owned(), "one sensitive attribute"),
        ("average-risk = 0.2".to_owned(), "all classes together"),
        ("l-mdiversity = 2".to_owned(), "one sensitive attribute"),
        (
            format!("epsilon-m-anonymity = {{ epsilon = 1, m = 2, attribute = \"{path}\" }}"),
            "as one",
        ),
    ] {
        let refused = kohort::nested::anonymize_held(&by(&goal, None), &described, false, &cx);
        let Err(Stop::Error(error)) = refused else { unreachable!("{goal}") };
        let text = error.to_string();
        assert!(text.contains("nested records: ") && text.contains(why), "{goal}: {text}");
    }
}

#[test]
fn no_is_a_value_with_the_nearest_goal() {
    let stop = kohort::anonymize(&people(), &plan("k-anonymity = 61", "auto"), &Cx::default());
    let Err(Stop::No(no)) = stop else { unreachable!("{stop:?}") };
    assert!(!no.causes.is_empty() && !no.hint.is_empty());
}

#[test]
fn a_plan_is_written_as_a_program_and_read_as_a_file() {
    let goal = Goal { k_anonymity: Some(3), ..Goal::default() };
    let method = Method { algorithm: Some("mondrian".into()), ..Method::default() };
    let plan = Plan::new().quasi(["age", "zip"]).goal(goal).method(method);
    let again = Plan::parse("plan.toml", &plan.to_toml()).unwrap();
    assert_eq!(plan.to_toml(), again.to_toml());
    let release = kohort::anonymize(&people(), &again, &Cx::default()).unwrap();
    assert_eq!(release.receipt().algorithm, "mondrian");
    // Columns without a role are left out, and a note says so.
    assert_eq!(release.table().columns().len(), 2);
    assert!(release.receipt().notes.iter().any(|note| note.contains("`disease`")));
}

#[derive(Default, Clone)]
struct Steps(Arc<Mutex<Vec<&'static str>>>);

impl Observer for Steps {
    fn step(&self, step: &'static str) {
        self.0.lock().unwrap().push(step);
    }
}

#[test]
fn an_observer_is_told_the_steps() {
    let steps = Steps::default();
    let cx = Cx::default().observed_by(steps.clone());
    kohort::anonymize(&people(), &plan("k-anonymity = 3", "auto"), &cx).unwrap();
    assert_eq!(*steps.0.lock().unwrap(), ["anonymize", "write", "verify", "measure"]);
}

/// Cancels when a step begins.
struct CancelAt(&'static str, Cancel);

impl Observer for CancelAt {
    fn step(&self, step: &'static str) {
        if step == self.0 {
            self.1.cancel();
        }
    }
}

#[test]
fn a_cancelled_job_gives_no_release_at_any_step() {
    for step in ["anonymize", "write", "verify", "measure"] {
        let cancel = Cancel::default();
        let cx = Cx::default().cancelled_by(&cancel).observed_by(CancelAt(step, cancel.clone()));
        let stop = kohort::anonymize(&people(), &plan("k-anonymity = 3", "auto"), &cx);
        assert!(matches!(stop, Err(Stop::Cancelled)), "{step}: {stop:?}");
    }
}
