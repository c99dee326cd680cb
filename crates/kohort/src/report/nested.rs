//! The report of a nested release: what was promised and with which evidence, what it cost by path and by
//! place, what is not promised, and how to check it.

use std::fmt::Write;

use kohort_models::SPECS;
use kohort_models::nested::NESTED_METRICS;

use super::classes::histogram;
use super::figures::{is_within, part};
use super::markup::{Table, escape, figure, name, paragraph, section, shortened};
use super::release::{how_to_check, key, mark};
use super::svg::{Bar, Svg};
use super::{list, page};
use crate::nested::{NestedReceipt, PromiseAnswer, RuleAnswer};
use crate::release::rounded;
use crate::wording::visible;
use crate::wording::{count, grouped, percent, percents, share};

/// The parts of the page.
const TITLES: [(&str, &str); 5] = [
    ("promised", "Promised"),
    ("cost", "Cost"),
    ("sizes", "Class sizes"),
    ("not-promised", "Not promised"),
    ("check", "Check it yourself"),
];

/// The report of a nested release as one HTML page.
pub fn nested_html(receipt: &NestedReceipt) -> String {
    // What is shown around has two digits: losses are shares of all that there was.
    let mut shown = receipt.clone();
    for value in shown.metrics.values_mut() {
        *value = rounded(*value);
    }
    let receipt = &shown;
    let parts = [
        promised(receipt),
        cost(receipt),
        sizes(receipt),
        section("not-promised", "What is not promised", &list(not_promised(receipt))),
        how_to_check(receipt.files.first().map_or("", String::as_str), &receipt.table),
    ];
    page(
        &format!("Release of {}", escape(&receipt.table)),
        &header(receipt),
        &TITLES.iter().zip(&parts).collect::<Vec<_>>(),
        "</p>\n<p>This page shows paths, counts and figures; no value of the original or of the release \
         is in it, and it loads nothing.</p>\n",
    )
}

fn header(receipt: &NestedReceipt) -> String {
    let verdict = if receipt.verified {
        "The release keeps every promise of its plan"
    } else {
        "This release does not keep the promise of its plan"
    };
    let mut warnings = String::new();
    for warning in &receipt.warnings {
        let _ = writeln!(
            warnings,
            "<p class=\"warning\"><strong>Not safe.</strong> What is broken: {}.</p>",
            escape(warning)
        );
    }
    if is_anatomized(receipt) {
        warnings.push_str(
            "<p class=\"warning\"><strong>Membership is not hidden.</strong> Quasi-identifiers \
             are published as they are, so anybody who knows them finds the record. What is \
             protected is the link to sensitive values.</p>\n",
        );
    }
    format!(
        "<header>\n<p class=\"kicker\">Release of <bdi>{}</bdi></p>\n<h1>{verdict}</h1>\n{warnings}\
         <p class=\"care\">The verdict was recomputed from the bytes written, by code that does not know \
         how they were made. It is about these promises and these paths, and nothing else: see \
         <a href=\"#not-promised\">what is not promised</a>.</p>\n{}</header>\n",
        escape(&receipt.table),
        key_figures(receipt),
    )
}

fn is_anatomized(receipt: &NestedReceipt) -> bool {
    matches!(receipt.form, "tree-anatomy" | "vertex-anatomy")
}

fn key_figures(receipt: &NestedReceipt) -> String {
    let promised = &receipt.promised;
    let goal = promised.goal.iter().map(|promise| promise.holds);
    let all: Vec<bool> = goal.chain(promised.rules.iter().map(|rule| rule.holds)).collect();
    let held = all.iter().filter(|holds| **holds).count();
    let mut figures = vec![(
        "Promises kept",
        format!("{held} of {}", all.len()),
        "decided from the bytes written".to_owned(),
        held < all.len(),
    )];
    let records = count(receipt.records_in, "record", "records");
    figures.push((
        "Records",
        grouped(promised.records_out),
        format!("of {records}, in {}", count(promised.classes, "class", "classes")),
        false,
    ));
    figures.push((
        "Vertices kept",
        share(promised.vertices_out, receipt.vertices_in),
        format!("{} of {}", grouped(promised.vertices_out), grouped(receipt.vertices_in)),
        false,
    ));
    if let Some(k) = promised.k {
        let is_hidden = receipt.form == "generalized";
        let told = if is_hidden { "in the smallest class" } else { "at least look alike" };
        figures.push(("k", grouped(k), told.into(), is_hidden && k <= 1));
    }
    if let Some(l) = promised.l {
        figures.push(("l", grouped(l), "of every sensitive attribute".into(), l <= 1));
    }
    if let Some(lm) = receipt.metrics.get("lm") {
        figures.push(("Information lost", percent(*lm), "of every quasi-identifier".into(), false));
    }
    key(&figures)
}

/// Every promise and rule with its answer.
fn promised(receipt: &NestedReceipt) -> String {
    let class = if is_anatomized(receipt) {
        "of people whose sensitive values are told together, and not apart"
    } else {
        "of people whose published trees are alike, whatever the order of siblings"
    };
    let mut body = paragraph(&format!(
        "A <dfn>class</dfn> is a group {class}. <dfn>Decided</dfn> means that every class of the files \
         was looked at; nothing was estimated."
    ));
    let head = ["Promise", "Wanted", "Answer", "In plain words"];
    let mut table = Table::new("Promises of the plan", "promises", &head);
    for promise in &receipt.promised.goal {
        let PromiseAnswer { model, parameters, holds, violating, .. } = promise;
        let of = promise.about(name);
        let meaning = SPECS.iter().find(|spec| spec.id == *model).map_or("", |spec| spec.promise);
        let evidence = match violating {
            0 => "decided".to_owned(),
            n => format!("in {}", count(*n, "place", "places")),
        };
        table.row([
            &*format!("{model}{of}"),
            &*escape(parameters),
            &*mark(*holds, &evidence),
            &*escape(meaning),
        ]);
    }
    for rule in &receipt.promised.rules {
        add_rule(&mut table, rule);
    }
    table.row([
        "suppression",
        &*format!("at most {}", percent(receipt.suppression)),
        &*mark(
            is_within(receipt.suppressed, receipt.records_in, receipt.suppression),
            &format!("{} dropped", share(receipt.suppressed, receipt.records_in)),
        ),
        "no more people than this are missing from the release",
    ]);
    table.row([
        "truthfulness",
        "every record",
        &*mark(receipt.truthful, "decided"),
        "every published record is one of the original, pruned and generalized; nothing was added or moved",
    ]);
    body.push_str(&table.finish());
    if let Some(against) = receipt.against() {
        body.push_str(&paragraph(&format!(
            "Promises about sensitive values hold against {}.",
            escape(against)
        )));
    }
    section("promised", "What was promised, and the evidence", &body)
}

fn add_rule(table: &mut Table, rule: &RuleAnswer) {
    let of = rule.attribute.as_ref().map_or(String::new(), |path| format!(" of {}", name(path)));
    let often = count(u64::from(rule.at_least), "occurrence", "occurrences");
    let asked = &rule.probability_exact;
    let evidence = match rule.people {
        0 => format!("reaches {}", percent(rule.reached)),
        n => format!("reaches {}, for {}", percent(rule.reached), count(n, "person", "people")),
    };
    table.row([
        &*format!("rule {}{of}", rule.rule),
        &*format!("at least {often} with at most {}/{}", asked.num, asked.den),
        &*mark(rule.holds, &evidence),
        "nobody is known to have the value so often with more than this probability",
    ]);
}

/// What readers of the release do without.
fn cost(receipt: &NestedReceipt) -> String {
    let mut body = paragraph(if is_anatomized(receipt) {
        "Trees of a group were cut to a common structure; quasi-identifiers are as they were. What \
         readers do without is what was cut off, and which sensitive value belongs to whom in a group."
    } else {
        "Trees of a class were aligned: labels were generalized, and parts without a counterpart \
         were pruned."
    });
    let by_path = |(id, value): (&String, &f64)| Some((id.strip_prefix("lm.")?.to_owned(), *value));
    let mut lost: Vec<(String, f64)> = receipt.metrics.iter().filter_map(by_path).collect();
    lost.sort_by(|a, b| b.1.total_cmp(&a.1));
    let kept: Vec<(String, f64)> = (receipt.places.iter())
        .map(|place| {
            let (path, all) = (&place.path, place.vertices_in);
            let name = if path.is_empty() { "people" } else { path };
            let label = format!("{name} ({} of {})", grouped(place.vertices_out), grouped(all));
            (label, part(place.vertices_out, all))
        })
        .collect();
    let note = "How much of what a label said is lost, on average (LM): 0 % is the value itself, \
                100 % says nothing or was pruned.";
    body.push_str("<div class=\"pair\">\n");
    body.push_str(&bars(("by-path", "Loss by path, largest first"), &lost, note));
    let note = "The objects, elements or rows that are published, by their place.";
    body.push_str(&bars(("kept", "What is kept of each place"), &kept, note));
    body.push_str("</div>\n");
    body.push_str(&metrics(receipt));
    section("cost", "What it cost", &body)
}

fn bars((id, title): (&str, &str), of: &[(String, f64)], note: &str) -> String {
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let mut said = Vec::new();
    let mut y = 0.0;
    let shares = percents(&of.iter().map(|bar| bar.1).collect::<Vec<_>>());
    for ((label, value), text) in of.iter().zip(&shares) {
        let label = visible(label);
        let hint = format!("{label}: {text}");
        Bar { label: &shortened(&label, 40), text, hint: &hint }.draw(&mut svg, y, *value, "bar");
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, id, title, &said.join("; "));
    figure(title, &drawing, &format!("<p class=\"note\">{note}</p>\n"))
}

/// Every metric with its sentence.
fn metrics(receipt: &NestedReceipt) -> String {
    let head = ["Metric", "#Value", "What it means"];
    let mut table = Table::new("Every metric of the release", "metrics", &head);
    for metric in NESTED_METRICS {
        let id = metric.id.replace('-', "_");
        let title = format!("{} <span class=\"aside\">{}</span>", metric.title, metric.id);
        let (value, told) = match (receipt.metrics.get(&id), receipt.undefined.get(&id)) {
            (Some(&value), _) => (shown(metric.id, value), metric.reads_as.to_owned()),
            (None, Some(reason)) => ("–".into(), escape(reason)),
            (None, None) => continue,
        };
        table.row([&*title, &*format!("<strong>{value}</strong>"), &*told]);
    }
    format!("<h3>In numbers that can be compared</h3>\n{}", table.finish())
}

fn shown(id: &str, value: f64) -> String {
    match id {
        "lm" => percent(value),
        "suppression-accuracy" | "query-accuracy" => percent(value / 100.0),
        _ => format!("{value:.4}"),
    }
}

fn sizes(receipt: &NestedReceipt) -> String {
    let sizes: Vec<(u64, u64)> =
        receipt.promised.class_sizes.iter().map(|count| (count.size, count.classes)).collect();
    let body = histogram(&sizes, ("record", "records", "Records"));
    section("sizes", "How many people are like each person", &body)
}

/// What nobody should read into the page.
fn not_promised(receipt: &NestedReceipt) -> Vec<&'static str> {
    let of_form = match receipt.form {
        "tree-anatomy" => {
            "The sensitive values of one person stay together: anybody who knows one of them may \
             learn the rest."
        }
        "vertex-anatomy" => {
            "Exact trees show who is in the data and how their records are structured; links \
             between the sensitive values of one person are lost."
        }
        _ => {
            "All members of a class may have one value, at different places: what occurs often in \
             somebody's records is bounded by rules alone."
        }
    };
    let mut list = vec![
        of_form,
        "Nothing is promised against an adversary who knows sensitive values of others, another \
         release of the same people, or paths that the plan does not call quasi-identifiers.",
        "People with large or rare records are cut or left out more than others: counts about them are \
         too low.",
        "Values that no rule names may occur often in the records of one person, and be known to.",
    ];
    if receipt.transparent != Some(true) {
        list.push(
            "Promises about sensitive values hold against an outsider who finds a person's class, not against \
             one who also runs the method again and compares what comes out.",
        );
    }
    list
}
