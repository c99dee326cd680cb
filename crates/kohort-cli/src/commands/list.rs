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
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    range: &'static str,
    doc: &'static str,
}

pub(crate) fn run(list: &List, printer: &Printer) -> Result<Outcome, Failure> {
    let specs = match list.what {
        Listed::Models => kohort::MODELS,
        Listed::Algorithms | Listed::Metrics | Listed::Attacks => &[],
    };
    let items: Vec<Item> = specs
        .iter()
        .map(|spec| Item {
            id: spec.id,
            title: spec.title,
            promise: spec.promise,
            paper: spec.paper,
            parameters: (spec.parameters.iter())
                .map(|p| Parameter { name: p.name, range: p.range, doc: p.doc })
                .collect(),
        })
        .collect();
    if items.is_empty() {
        printer.note("this version has none");
    }
    printer.data(&items, || text(&items))?;
    Ok(Outcome::Done)
}

fn text(items: &[Item]) -> String {
    let mut out = String::new();
    for item in items {
        let _ = writeln!(out, "{} ({})\n  {}", item.id, item.paper, item.promise);
        for parameter in &item.parameters {
            let Parameter { name, range, doc } = parameter;
            let _ = writeln!(out, "  {name}: {doc} ({range})");
        }
    }
    out
}
