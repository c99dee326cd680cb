//! What there is to choose from: the registries, the schema of a plan, and made-up data.

use kohort::demo::{Data, File, MOST_ISSUES, companions, series, write};
use kohort::{Command, Setting, Spec};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::failure::plan_error;

/// Models, algorithms, metrics and attacks, with their parameters, as JSON; and what hints name.
#[pyfunction]
pub(crate) fn registry() -> String {
    let metric = |id: &str, title: &str, promise: &str, paper: &str| json!({ "id": id, "title": title, "promise": promise, "paper": paper, "parameters": [] });
    let algorithms = kohort::ALGORITHMS.iter().map(|algorithm| {
        let (facts, mut item) = (algorithm.facts(), described(algorithm.spec()));
        item["safe"] = facts.is_safe.into();
        item["truthful"] = facts.is_truthful.into();
        item["quadratic"] = facts.is_quadratic.into();
        item
    });
    let attacks = kohort::ATTACKS.iter().map(|attack| {
        let mut item = described(attack.spec());
        item["criterion"] = attack.criterion().title().into();
        item
    });
    let measures = kohort::MEASURES.iter().map(|m| metric(m.id, m.title, m.reads_as, m.paper));
    let metrics = kohort::METRICS.iter().map(|m| metric(m.id, m.title, m.reads_as, m.paper));
    json!({
        "models": kohort::MODELS.iter().map(described).collect::<Vec<_>>(),
        "algorithms": algorithms.collect::<Vec<_>>(),
        "nested_algorithms":
            kohort::NESTED_ALGORITHMS.iter().map(|one| described(one.spec())).collect::<Vec<_>>(),
        "methods": kohort::SERIES_METHODS.iter().copied().map(described).collect::<Vec<_>>(),
        "metrics": metrics.chain(measures).collect::<Vec<_>>(),
        "attacks": attacks.collect::<Vec<_>>(),
        "settings": Setting::ALL.iter().map(|one| one.python()).collect::<Vec<_>>(),
        "commands": Command::ALL.iter().map(|one| one.python()).collect::<Vec<_>>(),
    })
    .to_string()
}

fn described(spec: &Spec) -> Value {
    let parameters = spec.parameters.iter();
    let parameters = parameters.map(|p| json!({ "name": p.name, "range": p.range, "doc": p.doc }));
    json!({
        "id": spec.id,
        "title": spec.title,
        "promise": spec.promise,
        "paper": spec.paper,
        "parameters": parameters.collect::<Vec<_>>(),
    })
}

/// The JSON Schema of a plan.
#[pyfunction]
pub(crate) fn schema() -> String {
    kohort::plan::schema().to_string()
}

/// Files by name.
type Files = Vec<(String, String)>;

/// Made-up data: the text of a file of this name, and the files beside it.
#[pyfunction]
#[pyo3(signature = (data, name, rows, seed, issues=None, depth=None))]
pub(crate) fn demo(
    py: Python<'_>,
    data: &str,
    name: &str,
    rows: u64,
    seed: u64,
    issues: Option<u32>,
    depth: Option<u32>,
) -> PyResult<(String, Files)> {
    let data = Data::from_id(data).ok_or_else(|| {
        let known: Vec<&str> = Data::ALL.iter().map(|data| data.id()).collect();
        plan_error(py, &format!("there is no demo data `{data}`"), Some(&known.join(", ")))
    })?;
    let (issues, depth) = (issues.unwrap_or(Data::ISSUES), depth.unwrap_or(Data::DEPTH));
    let most = ("issues", 1..=MOST_ISSUES, issues);
    for (name, range, found) in [most, ("depth", Data::DEPTHS, depth)] {
        if !range.contains(&found) {
            let (low, high) = range.into_inner();
            let rule = format!("`{name}` must be from {low} to {high}, but is {found}");
            return Err(plan_error(py, &rule, None));
        }
    }
    let data = data.with_issues(issues).with_depth(depth);
    let mut bytes = Vec::new();
    write(data, name, rows, seed, &mut bytes)?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), named(companions(data, name, rows, seed))))
}

/// Made-up tables of the same people, again and again, with a plan and how their diseases follow one another.
#[pyfunction]
pub(crate) fn demo_series(rows: u64, releases: u32, seed: u64) -> Files {
    named(series(rows, releases, seed))
}

fn named(files: Vec<File>) -> Files {
    files.into_iter().map(|file| (file.name, file.text)).collect()
}
