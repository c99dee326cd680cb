//! `kohort list`: what is in the box.

use std::fmt::Write;

use serde::Serialize;

use crate::args::{List, Listed};
use crate::printer::{Failure, Outcome, Printer};

#[derive(Serialize)]
struct Item {
    id: &'static str,
    title: &'static str,
    promise: &'static str,
    paper: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    facts: Option<String>,
    parameters: Vec<Parameter>,
}

impl Item {
    fn new(spec: &kohort::Spec, facts: Option<String>) -> Self {
        let parameter =
            |p: &kohort::Parameter| Parameter { name: p.name, range: p.range, doc: p.doc };
        Self {
            id: spec.id,
            title: spec.title,
            promise: spec.promise,
            paper: spec.paper,
            facts,
            parameters: spec.parameters.iter().map(parameter).collect(),
        }
    }
}

impl From<&kohort::Metric> for Item {
    fn from(metric: &kohort::Metric) -> Self {
        let kohort::Metric { id, title, paper, reads_as: promise, .. } = *metric;
        Self { id, title, promise, paper, facts: None, parameters: Vec::new() }
    }
}

impl From<&kohort::NestedMetric> for Item {
    fn from(metric: &kohort::NestedMetric) -> Self {
        let kohort::NestedMetric { id, title, paper, reads_as: promise, .. } = *metric;
        let facts = Some(NESTED.to_owned());
        Self { id, title, promise, paper, facts, parameters: Vec::new() }
    }
}

impl From<&kohort::Measure> for Item {
    fn from(measure: &kohort::Measure) -> Self {
        let kohort::Measure { id, title, paper, reads_as: promise, .. } = *measure;
        let facts = Some("utility: `kohort compare`".to_owned());
        Self { id, title, promise, paper, facts, parameters: Vec::new() }
    }
}

/// What is only for some data.
const NESTED: &str = "for records inside records";

/// Whether joining classes can break a promise.
fn monotone(model: &kohort::Spec) -> String {
    if kohort::NOT_MONOTONE.contains(&model.id) {
        "not monotone: two classes that keep it may not keep it as one".to_owned()
    } else {
        "monotone: two classes that keep it keep it as one".to_owned()
    }
}

/// What a user must know before choosing an algorithm.
fn facts(algorithm: &dyn kohort::Algorithm) -> String {
    let facts = algorithm.facts();
    let told = [
        (!facts.is_safe, "unsafe: does not keep the goal for everybody"),
        (!facts.is_truthful, "not truthful: cells do not cover the original values"),
        (facts.is_quadratic, "quadratic: time grows with the square of the distinct rows"),
    ];
    let told: Vec<&str> =
        told.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect();
    told.join("; ")
}

/// The same of one for records inside records.
fn nested_facts(algorithm: &dyn kohort::NestedAlgorithm) -> String {
    let told = [
        (true, NESTED),
        (!algorithm.is_safe(), "unsafe: does not keep the goal for everybody"),
        (algorithm.is_quadratic(), "quadratic: time grows with the square of the records"),
    ];
    let told: Vec<&str> =
        told.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect();
    told.join("; ")
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    range: &'static str,
    doc: &'static str,
}

pub(crate) fn run(list: &List, printer: &Printer) -> Result<Outcome, Failure> {
    let items: Vec<Item> = match list.what {
        Listed::Models => {
            kohort::MODELS.iter().map(|spec| Item::new(spec, Some(monotone(spec)))).collect()
        }
        Listed::Algorithms => (kohort::ALGORITHMS.iter())
            .map(|algorithm| Item::new(algorithm.spec(), Some(facts(*algorithm))))
            .chain(
                (kohort::NESTED_ALGORITHMS.iter())
                    .map(|algorithm| Item::new(algorithm.spec(), Some(nested_facts(*algorithm)))),
            )
            .collect(),
        Listed::Methods => (kohort::SERIES_METHODS.iter())
            .map(|spec| Item::new(spec, Some("for series of releases: `kohort publish`".into())))
            .collect(),
        Listed::Metrics => {
            let utility = kohort::MEASURES.iter().map(Item::from);
            let nested = kohort::NESTED_METRICS.iter().map(Item::from);
            kohort::METRICS.iter().map(Item::from).chain(utility).chain(nested).collect()
        }
        Listed::Attacks => (kohort::ATTACKS.iter())
            .map(|attack| Item::new(attack.spec(), Some(attack.criterion().title().to_owned())))
            .chain(kohort::nested::NESTED_ATTACKS.iter().map(|(spec, criterion)| {
                Item::new(spec, Some(format!("{}; {NESTED}", criterion.title())))
            }))
            .collect(),
    };
    printer.data(&items, || text(&items))?;
    Ok(Outcome::Done)
}

fn text(items: &[Item]) -> String {
    let mut out = String::new();
    for item in items {
        let _ = writeln!(out, "{} ({})\n  {}", item.id, item.paper, item.promise);
        if let Some(facts) = item.facts.as_deref().filter(|facts| !facts.is_empty()) {
            let _ = writeln!(out, "  {facts}");
        }
        for parameter in &item.parameters {
            let Parameter { name, range, doc } = parameter;
            let _ = writeln!(out, "  {name}: {doc} ({range})");
        }
    }
    out
}
