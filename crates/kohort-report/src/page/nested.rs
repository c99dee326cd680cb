//! The report of a nested release: what was promised and with which evidence, what it cost by path and by
//! place, what is not promised, and how to check it.

use kohort_models::SPECS;
use kohort_models::nested::NESTED_METRICS;
use maud::{Markup, html};

use super::Page;
use super::classes::histogram;
use super::figures::{is_within, part};
use super::markup::{
    KeyFigure, Table, figure, key, list, note, of, paragraph, section, shortened, text,
};
use super::release::{care, how_to_check, mark, what_a_class_is};
use super::svg::{Bar, Svg};
use crate::nested::{NestedReceipt, PromiseAnswer, RuleAnswer};
use crate::release::rounded;
use crate::wording::visible;
use crate::wording::{count, grouped, percent, percents, share};

/// The report of a nested release as one HTML page.
pub fn nested_html(receipt: &NestedReceipt) -> String {
    // What is shown around has two digits: losses are shares of all that there was.
    let mut shown = receipt.clone();
    for value in shown.metrics.values_mut() {
        *value = rounded(*value);
    }
    let receipt = &shown;
    let not_promised = list(not_promised(receipt));
    let first_file = receipt.files.first().map_or("", String::as_str);
    Page {
        title: format!("Release of {}", receipt.table),
        style: "",
        header: header(receipt),
        parts: &[
            ("promised", "Promised", promised(receipt)),
            ("cost", "Cost", cost(receipt)),
            ("sizes", "Class sizes", sizes(receipt)),
            ("not-promised", "Not promised", section("not-promised", "What is not promised", &not_promised)),
            ("check", "Check it yourself", how_to_check(first_file, &receipt.table)),
        ],
        parameters: None,
        shows: "This page shows paths, counts and figures; no value of the original or of the release is in \
                it, and it loads nothing.",
    }
    .finish()
}

fn header(receipt: &NestedReceipt) -> Markup {
    let verdict = if receipt.verified {
        "The release keeps every promise of its plan"
    } else {
        "This release does not keep the promise of its plan"
    };
    html! {
        header {
            p class="kicker" { "Release of " bdi { (text(&receipt.table)) } }
            h1 { (verdict) }
            @for warning in &receipt.warnings {
                p class="warning" { strong { "Not safe." } " What is broken: " (text(warning)) "." }
            }
            @if is_anatomized(receipt) {
                p class="warning" {
                    strong { "Membership is not hidden." }
                    " Quasi-identifiers are published as they are, so anybody who knows them finds the \
                     record. What is protected is the link to sensitive values."
                }
            }
            (care("these promises and these paths"))
            (key_figures(receipt))
        }
    }
}

fn is_anatomized(receipt: &NestedReceipt) -> bool {
    matches!(receipt.form, "tree-anatomy" | "vertex-anatomy")
}

fn key_figures(receipt: &NestedReceipt) -> Markup {
    let promised = &receipt.promised;
    let goal = promised.goal.iter().map(|promise| promise.holds);
    let all: Vec<bool> = goal.chain(promised.rules.iter().map(|rule| rule.holds)).collect();
    let held = all.iter().filter(|holds| **holds).count();
    let records = count(receipt.records_in, "record", "records");
    let mut figures = vec![
        KeyFigure::new(
            "Promises kept",
            format!("{held} of {}", all.len()),
            "decided from the bytes written",
            held < all.len(),
        ),
        KeyFigure::new(
            "Records",
            grouped(promised.records_out),
            format!("of {records}, in {}", count(promised.classes, "class", "classes")),
            false,
        ),
        KeyFigure::new(
            "Vertices kept",
            share(promised.vertices_out, receipt.vertices_in),
            format!("{} of {}", grouped(promised.vertices_out), grouped(receipt.vertices_in)),
            false,
        ),
    ];
    if let Some(k) = promised.k {
        let is_hidden = receipt.form == "generalized";
        let told = if is_hidden { "in the smallest class" } else { "at least look alike" };
        figures.push(KeyFigure::new("k", grouped(k), told, is_hidden && k <= 1));
    }
    if let Some(l) = promised.l {
        figures.push(KeyFigure::new("l", grouped(l), "of every sensitive attribute", l <= 1));
    }
    if let Some(lm) = receipt.metrics.get("lm") {
        let of = "of every quasi-identifier";
        figures.push(KeyFigure::new("Information lost", percent(*lm), of, false));
    }
    key(&figures)
}

/// Every promise and rule with its answer.
fn promised(receipt: &NestedReceipt) -> Markup {
    let class = if is_anatomized(receipt) {
        "of people whose sensitive values are published as one list"
    } else {
        "of people whose published trees are alike, whatever the order of siblings"
    };
    let head = ["Promise", "Wanted", "Answer", "In plain words"];
    let mut table = Table::new("Promises of the plan", "promises", &head);
    for promise in &receipt.promised.goal {
        add_promise(&mut table, promise);
    }
    for rule in &receipt.promised.rules {
        add_rule(&mut table, rule);
    }
    table.row(&[
        &"suppression",
        &format!("at most {}", percent(receipt.suppression)),
        &mark(
            is_within(receipt.suppressed, receipt.records_in, receipt.suppression),
            &format!("{} dropped", share(receipt.suppressed, receipt.records_in)),
        ),
        &"no more people than this are missing from the release",
    ]);
    table.row(&[
        &"truthfulness",
        &"every record",
        &mark(receipt.truthful, "decided"),
        &"every published record is one of the original, pruned and generalized; nothing was added or moved",
    ]);
    let body = html! {
        (what_a_class_is(class, "files"))
        (table.finish())
        @if let Some(against) = receipt.against() {
            p { "Promises about sensitive values hold against " (text(against)) "." }
        }
    };
    section("promised", "What was promised, and the evidence", &body)
}

fn add_promise(table: &mut Table, promise: &PromiseAnswer) {
    let PromiseAnswer { model, parameters, holds, violating, attribute, buckets } = promise;
    let about = html! {
        (model) (of(attribute.as_ref()))
        @if let Some(form) = buckets { " (in " (form) ")" }
    };
    let meaning = SPECS.iter().find(|spec| spec.id == *model).map_or("", |spec| spec.promise);
    let evidence = match violating {
        0 => "decided".to_owned(),
        n => format!("in {}", count(*n, "place", "places")),
    };
    table.row(&[&about, &text(parameters), &mark(*holds, &evidence), &text(meaning)]);
}

fn add_rule(table: &mut Table, rule: &RuleAnswer) {
    let often = count(u64::from(rule.at_least), "occurrence", "occurrences");
    let asked = &rule.probability_exact;
    let evidence = match rule.people {
        0 => format!("reaches {}", percent(rule.reached)),
        n => format!("reaches {}, for {}", percent(rule.reached), count(n, "person", "people")),
    };
    table.row(&[
        &html! { "rule " (rule.rule) (of(rule.attribute.as_ref())) },
        &format!("at least {often} with at most {}/{}", asked.num, asked.den),
        &mark(rule.holds, &evidence),
        &"nobody can be shown to have the value that often with a higher probability",
    ]);
}

/// What readers of the release do without.
fn cost(receipt: &NestedReceipt) -> Markup {
    let words = if is_anatomized(receipt) {
        "Trees of a group were cut to a common structure; quasi-identifiers are as they were. What \
         readers do without is what was cut off, and which sensitive value belongs to whom in a group."
    } else {
        "Trees of a class were aligned: labels were generalized, and parts without a counterpart \
         were pruned."
    };
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
    let of_loss = "How much of what a label said is lost, on average (LM): 0 % is the value itself, \
                   100 % says nothing or was pruned.";
    let of_kept = "The objects, elements or rows that are published, by their place.";
    let body = html! {
        (paragraph(words))
        div class="pair" {
            (bars(("by-path", "Loss by path, largest first"), &lost, of_loss))
            (bars(("kept", "What is kept of each place"), &kept, of_kept))
        }
        (metrics(receipt))
    };
    section("cost", "What it cost", &body)
}

fn bars((id, title): (&str, &str), of: &[(String, f64)], words: &str) -> Markup {
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
    figure(title, &drawing, &note(words))
}

/// Every metric with its sentence.
fn metrics(receipt: &NestedReceipt) -> Markup {
    let head = ["Metric", "#Value", "What it means"];
    let mut table = Table::new("Every metric of the release", "metrics", &head);
    for metric in NESTED_METRICS {
        let id = metric.id.replace('-', "_");
        let (value, told) = match (receipt.metrics.get(&id), receipt.undefined.get(&id)) {
            (Some(&value), _) => (shown(metric.id, value), metric.reads_as),
            (None, Some(reason)) => ("–".into(), *reason),
            (None, None) => continue,
        };
        let title = html! { (metric.title) " " span class="aside" { (metric.id) } };
        table.row(&[&title, &html! { strong { (value) } }, &text(told)]);
    }
    html! { h3 { "In numbers that can be compared" } (table.finish()) }
}

fn shown(id: &str, value: f64) -> String {
    match id {
        "lm" => percent(value),
        "suppression-accuracy" | "query-accuracy" => percent(value / 100.0),
        _ => format!("{value:.4}"),
    }
}

fn sizes(receipt: &NestedReceipt) -> Markup {
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
        "Values that no rule names may occur often in the records of one person, and an outsider may find out.",
    ];
    if receipt.transparent != Some(true) {
        list.push(
            "Promises about sensitive values hold against an outsider who finds a person's class, not against \
             one who also runs the method again and compares what comes out.",
        );
    }
    list
}
