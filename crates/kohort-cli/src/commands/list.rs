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
    /// What the same id is for records inside records, where it is for tables as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    nested: Option<Box<Item>>,
}

/// Items of tables and of records inside records, each id once.
fn joined(items: impl Iterator<Item = Item>, nested: impl Iterator<Item = Item>) -> Vec<Item> {
    let mut items: Vec<Item> = items.collect();
    for item in nested {
        match items.iter_mut().find(|other| other.id == item.id) {
            Some(other) => other.nested = Some(Box::new(item)),
            None => items.push(item),
        }
    }
    items
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
            nested: None,
        }
    }
}

impl From<&kohort::Metric> for Item {
    fn from(metric: &kohort::Metric) -> Self {
        let kohort::Metric { id, title, paper, reads_as: promise, .. } = *metric;
        Self { id, title, promise, paper, facts: None, parameters: Vec::new(), nested: None }
    }
}

impl From<&kohort::NestedMetric> for Item {
    fn from(metric: &kohort::NestedMetric) -> Self {
        let kohort::NestedMetric { id, title, paper, reads_as: promise, .. } = *metric;
        let facts = Some(NESTED.to_owned());
        Self { id, title, promise, paper, facts, parameters: Vec::new(), nested: None }
    }
}

impl From<&kohort::Measure> for Item {
    fn from(measure: &kohort::Measure) -> Self {
        let kohort::Measure { id, title, paper, reads_as: promise, .. } = *measure;
        let facts = Some("utility: `kohort compare`".to_owned());
        Self { id, title, promise, paper, facts, parameters: Vec::new(), nested: None }
    }
}

/// What a plan can promise: of one table, of records inside records, and of a series.
fn promises() -> impl Iterator<Item = Item> {
    let of_table = kohort::MODELS.iter().map(|spec| Item::new(spec, Some(monotone(spec))));
    let rule = Item::new(&kohort::OCCURRENCE_RULE, Some(format!("{NESTED}: `[[rules]]`")));
    let of_series = (kohort::SERIES_METHODS.iter())
        .map(|spec| Item::new(spec, Some("for series of releases: `[series]`".to_owned())));
    of_table.chain(std::iter::once(rule)).chain(of_series)
}

/// What is only for some data.
const NESTED: &str = "for nested records";

/// Whether joining classes can break a promise.
fn monotone(model: &kohort::Spec) -> String {
    if kohort::NOT_MONOTONE.contains(&model.id) {
        "not monotone: two classes that keep it may break it when merged".to_owned()
    } else {
        "monotone: two classes that keep it keep it when merged".to_owned()
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
        Listed::Models => promises().collect(),
        Listed::Algorithms => joined(
            (kohort::ALGORITHMS.iter())
                .map(|algorithm| Item::new(algorithm.spec(), Some(facts(*algorithm)))),
            (kohort::NESTED_ALGORITHMS.iter())
                .map(|algorithm| Item::new(algorithm.spec(), Some(nested_facts(*algorithm)))),
        ),
        Listed::Methods => (kohort::SERIES_METHODS.iter())
            .map(|spec| Item::new(spec, Some("for series of releases: `kohort publish`".into())))
            .collect(),
        Listed::Metrics => {
            let utility = kohort::MEASURES.iter().map(Item::from);
            let nested = kohort::NESTED_METRICS.iter().map(Item::from);
            joined(kohort::METRICS.iter().map(Item::from).chain(utility), nested)
        }
        Listed::Attacks => joined(
            (kohort::ATTACKS.iter()).map(|attack| {
                Item::new(attack.spec(), Some(attack.criterion().title().to_owned()))
            }),
            (kohort::nested::NESTED_ATTACKS.iter()).map(|(spec, criterion)| {
                Item::new(spec, Some(format!("{}; {NESTED}", criterion.title())))
            }),
        ),
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
        if let Some(nested) = &item.nested {
            let facts = nested.facts.as_deref().unwrap_or(NESTED);
            let _ = writeln!(out, "  {facts} ({}): {}", nested.paper, nested.promise);
        }
    }
    out
}
