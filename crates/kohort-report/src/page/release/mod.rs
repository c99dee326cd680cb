//! The report of a release: what was promised and with which evidence, what it cost, what is not
//! promised, and how to check it.

mod cost;
mod disclosure;
mod not_promised;
mod parameters;
mod people;
mod promised;

use std::path::Path;

use kohort_core::{Ask, Command, Setting};
use maud::{Markup, html};

use super::Page;
use super::markup::{KeyFigure, key, list, named, paragraph, section, text};
use crate::release::Receipt;
use crate::wording::{count, grouped, percent, share};

pub use self::not_promised::OfModel;

pub(super) use self::cost::cost;
pub(super) use self::disclosure::{BINS, GUESSED, bins};
pub(super) use self::parameters::{listed, names};
pub(super) use self::people::{class_sizes, risk};
pub(super) use self::promised::{mark, what_a_class_is};

/// The report of a release as one HTML page, to be shown around: its figures are made of published rows.
///
/// `not_promised` tells what each model does not promise: who declares the models knows.
pub fn release_html(receipt: &Receipt, not_promised: OfModel) -> String {
    let receipt = &receipt.shown_around();
    let first_file = receipt.files.first().map_or("", String::as_str);
    Page {
        title: format!("Release of {}", receipt.table),
        style: "",
        header: header(receipt),
        parts: &[
            ("promised", "Promised", promised::promised(receipt)),
            ("cost", "Cost", cost(receipt)),
            ("risk", "Risk", risk(receipt)),
            ("disclosure", "Guessing", disclosure::disclosure(receipt)),
            ("sizes", "Class sizes", class_sizes(receipt)),
            ("parameters", "Parameters", parameters::parameters(receipt)),
            ("not-promised", "Not promised", self::not_promised(receipt, not_promised)),
            ("check", "Check it yourself", how_to_check(first_file, &receipt.table)),
        ],
        parameters: None,
        shows: "This page shows column names, counts and figures; no cell of the original or of the release \
                is in it, and it loads nothing.",
    }
    .finish()
}

/// The top of the page: the verdict, what must be known first, and the key figures.
fn header(receipt: &Receipt) -> Markup {
    let verdict = if receipt.verified {
        "The release keeps every promise of its plan"
    } else {
        "This release does not keep the promise of its plan"
    };
    html! {
        header {
            p class="kicker" { "Release of " bdi { (text(&receipt.table)) } }
            h1 { (verdict) }
            (warnings(receipt))
            (findings(receipt))
            (care("these promises and these columns"))
            (key_figures(receipt))
        }
    }
}

/// What the verdict is about.
pub(super) fn care(about: &str) -> Markup {
    html! {
        p class="care" {
            "The verdict was recomputed from the bytes written, by code that does not know how they were \
             made. It is about " (about) ", and nothing else: see "
            a href="#not-promised" { "what is not promised" } "."
        }
    }
}

/// What must be known before anything else is read.
fn warnings(receipt: &Receipt) -> Markup {
    let is_safe = kohort_algorithms::algorithm(receipt.algorithm)
        .is_none_or(|algorithm| algorithm.facts().is_safe);
    let insensitive = &receipt.columns.insensitive;
    html! {
        @if !is_safe {
            p class="warning" {
                strong { "Unsafe method." } " " (text(receipt.algorithm))
                " does not keep the goal for everybody: it was used because the plan allows it."
            }
        }
        @for warning in &receipt.warnings {
            p class="warning" { strong { "Not safe." } " What is broken: " (text(warning)) "." }
        }
        @if !receipt.truthful {
            p class="warning" {
                strong { "Not truthful." }
                " Published cells do not cover the original values: what a row says need not be true of \
                 anybody."
                @if !receipt.is_perturbed() {
                    " The figures of loss are those of the groups it was made from."
                }
            }
        }
        @if receipt.is_anatomized() {
            p class="warning" {
                strong { "Membership is not hidden." }
                " The quasi-identifiers are published as they are, so anybody who knows them finds the \
                 row. What is protected is the link to a sensitive value."
            }
        }
        @if !insensitive.is_empty() {
            p class="warning" {
                strong { "Published as they are," }
                " protected by nothing, because the plan calls them insensitive: " (named(insensitive, " "))
            }
        }
    }
}

/// The release in three sentences.
fn findings(receipt: &Receipt) -> Markup {
    let classes = if receipt.is_perturbed() {
        "with values drawn at random or swapped".to_owned()
    } else {
        let classes = count(receipt.classes, "class", "classes");
        format!("in {classes} of at least {}", grouped(receipt.smallest_class()))
    };
    let (rows, total) = (grouped(receipt.rows_out), count(receipt.rows_in, "row", "rows"));
    let share = share(receipt.suppressed, receipt.rows_in);
    let suppressed = match receipt.suppressed {
        0 => "No row is suppressed".to_owned(),
        rows => format!("{} suppressed ({share})", count(rows, "row is", "rows are")),
    };
    html! {
        ul class="findings" {
            li { (rows) " of " (total) " are published, " (classes) }
            li { (suppressed) }
            @if let Some((loss, bound)) = receipt.loss_per_cell.zip(receipt.bound_per_cell) {
                li { (cost::distance(loss, bound)) }
            }
        }
    }
}

fn key_figures(receipt: &Receipt) -> Markup {
    let held = receipt.goal.iter().filter(|promise| promise.holds).count();
    let mut figures = vec![KeyFigure::new(
        "Promises kept",
        format!("{held} of {}", receipt.goal.len()),
        "decided from the bytes written",
        held < receipt.goal.len(),
    )];
    if !receipt.is_perturbed() {
        let meaning = if receipt.is_anatomized() {
            "the fewest rows that show the same quasi-identifiers".to_owned()
        } else {
            format!("{} in the smallest class", count(receipt.k, "row", "rows"))
        };
        figures.push(KeyFigure::new("k", grouped(receipt.k), meaning, receipt.k <= 1));
    }
    if let (Some(before), Some(after)) = (&receipt.risk.original, &receipt.risk.release) {
        figures.push(KeyFigure::new(
            "Highest linking risk",
            percent(after.max_value),
            format!("before: {}", percent(before.max_value)),
            after.max.num >= after.max.den,
        ));
    }
    let suppressed = share(receipt.suppressed, receipt.rows_in);
    let allowed = format!("allowed: {}", percent(receipt.suppression));
    figures.push(KeyFigure::new("Suppressed rows", suppressed, allowed, false));
    if let Some(loss) = receipt.loss_per_cell {
        let weighted = if receipt.weighted { ", columns weighted" } else { "" };
        let metric = format!("of every cell, measured by {}{weighted}", receipt.metric);
        figures.push(KeyFigure::new("Information lost", percent(loss), text(&metric), false));
    }
    key(&figures)
}

fn not_promised(receipt: &Receipt, of_model: OfModel) -> Markup {
    section(
        "not-promised",
        "What is not promised",
        &list(not_promised::sentences(receipt, of_model)),
    )
}

/// How anybody judges a release of an original without its maker.
pub(super) fn how_to_check(release: &str, original: &str) -> Markup {
    let body = html! {
        (paragraph(
            "Anybody who has the release and its plan can check it, and anybody who has the \
             original can also check whether it is truthful. Neither needs to trust this page."
        ))
        (lines(&commands(release, original)))
        p {
            "The plan is the file that says what is promised. A release that was made with flags has one \
             too: the same command with " code { (Ask::from(Setting::PrintPlan).line()) } " prints it."
        }
    };
    section("check", "How to check it yourself", &body)
}

/// Commands as they are typed, one below the other.
pub(super) fn lines(commands: &[String]) -> Markup {
    html! {
        pre {
            code {
                @for (index, command) in commands.iter().enumerate() {
                    @if index > 0 { "\n" }
                    (text(command))
                }
            }
        }
    }
}

/// The commands that judge a release, alone and by its original.
pub(super) fn commands(release: &str, original: &str) -> [String; 2] {
    let name =
        |path: &str| Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let alone = Command::Verify.on(quoted(&name(release))).and(Setting::Plan.to("plan.toml"));
    let compared = alone.clone().and(Setting::Original.to(name(original)));
    [alone.line(), compared.line()]
}

/// A name as a shell reads it.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.chars().all(is_plain) && !name.starts_with('-') {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "'\\''"))
}
