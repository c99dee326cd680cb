//! The report of a release: what was promised and with which evidence, what it cost, what is not
//! promised, and how to check it.

mod cost;
mod disclosure;
mod not_promised;
mod parameters;
mod people;
mod promised;

use kohort_core::{Ask, Command, Setting};
use std::fmt::Write;
use std::path::Path;

pub(super) use self::cost::cost;
pub(super) use self::disclosure::{BINS, bins};
pub(super) use self::parameters::{listed, names};
pub(super) use self::people::{class_sizes, risk};
pub(super) use self::promised::mark;
use super::markup::{escape, name, paragraph, section};
use super::{list, page};
use crate::release::Receipt;
use crate::wording::{count, grouped, percent, share};

/// The parts of the page.
const TITLES: [(&str, &str); 8] = [
    ("promised", "Promised"),
    ("cost", "Cost"),
    ("risk", "Risk"),
    ("disclosure", "Guessing"),
    ("sizes", "Class sizes"),
    ("parameters", "Parameters"),
    ("not-promised", "Not promised"),
    ("check", "Check it yourself"),
];

impl crate::Release {
    /// The page about the release, which may be shown around.
    pub fn report(&self) -> String {
        release_html(self.receipt())
    }
}

/// The report of a release as one HTML page, to be shown around: its figures are made of published rows.
pub fn release_html(receipt: &Receipt) -> String {
    let receipt = &receipt.shown_around();
    let parts = [
        promised::promised(receipt),
        cost(receipt),
        risk(receipt),
        disclosure::disclosure(receipt),
        class_sizes(receipt),
        parameters::parameters(receipt),
        not_promised(receipt),
        check(receipt),
    ];
    page(
        &format!("Release of {}", escape(&receipt.table)),
        &header(receipt),
        &TITLES.iter().zip(&parts).collect::<Vec<_>>(),
        "</p>\n<p>This page shows column names, counts and figures; no cell of the original or of the \
         release is in it, and it loads nothing.</p>\n",
    )
}

/// The top of the page: the verdict, what must be known first, and the key figures.
fn header(receipt: &Receipt) -> String {
    let verdict = if receipt.verified {
        "The release keeps every promise of its plan"
    } else {
        "This release does not keep the promise of its plan"
    };
    format!(
        "<header>\n<p class=\"kicker\">Release of <bdi>{}</bdi></p>\n<h1>{verdict}</h1>\n{}{}\
         <p class=\"care\">The verdict was recomputed from the bytes written, by code that does not know \
         how they were made. It is about these promises and these columns, and nothing else: see \
         <a href=\"#not-promised\">what is not promised</a>.</p>\n{}</header>\n",
        escape(&receipt.table),
        warnings(receipt),
        findings(receipt),
        key_figures(receipt),
    )
}

/// What must be known before anything else is read.
fn warnings(receipt: &Receipt) -> String {
    let mut told: Vec<String> = Vec::new();
    let is_safe = kohort_algorithms::algorithm(receipt.algorithm)
        .is_none_or(|algorithm| algorithm.facts().is_safe);
    if !is_safe {
        let algorithm = escape(receipt.algorithm);
        told.push(format!(
            "<strong>Unsafe method.</strong> {algorithm} does not keep the goal for everybody: it was \
             used because the plan allows it."
        ));
    }
    told.extend(
        receipt.warnings.iter().map(|warning| {
            format!("<strong>Not safe.</strong> What is broken: {}.", escape(warning))
        }),
    );
    if !receipt.truthful {
        let groups = if receipt.is_perturbed() {
            ""
        } else {
            " The figures of loss are those of the groups it was made from."
        };
        told.push(format!(
            "<strong>Not truthful.</strong> Published cells do not cover the original values: what a \
             row says need not be true of anybody.{groups}"
        ));
    }
    if receipt.is_anatomized() {
        told.push(
            "<strong>Membership is not hidden.</strong> The quasi-identifiers are published as \
             they are, so anybody who knows them finds the row. What is protected is the link to \
             a sensitive value."
                .into(),
        );
    }
    if !receipt.columns.insensitive.is_empty() {
        let columns = receipt.columns.insensitive.iter().map(|column| name(column));
        told.push(format!(
            "<strong>Published as they are,</strong> protected by nothing, because the plan calls them \
             insensitive: {}",
            columns.collect::<Vec<_>>().join(" ")
        ));
    }
    told.iter().fold(String::new(), |mut out, text| {
        let _ = writeln!(out, "<p class=\"warning\">{text}</p>");
        out
    })
}

/// The release in three sentences.
fn findings(receipt: &Receipt) -> String {
    let classes = if receipt.is_perturbed() {
        "with values drawn at random or swapped".to_owned()
    } else {
        let classes = count(receipt.classes, "class", "classes");
        format!("in {classes} of at least {}", grouped(receipt.smallest_class()))
    };
    let (rows, total) = (grouped(receipt.rows_out), count(receipt.rows_in, "row", "rows"));
    let mut told = vec![format!("{rows} of {total} are published, {classes}")];
    let suppressed = share(receipt.suppressed, receipt.rows_in);
    told.push(match receipt.suppressed {
        0 => "No row is suppressed".to_owned(),
        rows => format!("{} suppressed ({suppressed})", count(rows, "row is", "rows are")),
    });
    if let Some((loss, bound)) = receipt.loss_per_cell.zip(receipt.bound_per_cell) {
        told.push(cost::distance(loss, bound));
    }
    let items: String = told.iter().fold(String::new(), |mut out, text| {
        let _ = writeln!(out, "<li>{text}</li>");
        out
    });
    format!("<ul class=\"findings\">\n{items}</ul>\n")
}

fn key_figures(receipt: &Receipt) -> String {
    let held = receipt.goal.iter().filter(|promise| promise.holds).count();
    let mut figures = vec![(
        "Promises kept",
        format!("{held} of {}", receipt.goal.len()),
        "decided from the bytes written".to_owned(),
        held < receipt.goal.len(),
    )];
    if !receipt.is_perturbed() {
        let meaning = if receipt.is_anatomized() {
            "the fewest rows that show the same quasi-identifiers".to_owned()
        } else {
            format!("{} in the smallest class", count(receipt.k, "row", "rows"))
        };
        figures.push(("k", grouped(receipt.k), meaning, receipt.k <= 1));
    }
    if let (Some(before), Some(after)) = (&receipt.risk.original, &receipt.risk.release) {
        figures.push((
            "Highest linking risk",
            percent(after.max_value),
            format!("before: {}", percent(before.max_value)),
            after.max.num >= after.max.den,
        ));
    }
    let suppressed = share(receipt.suppressed, receipt.rows_in);
    let allowed = format!("allowed: {}", percent(receipt.suppression));
    figures.push(("Suppressed rows", suppressed, allowed, false));
    if let Some(loss) = receipt.loss_per_cell {
        let weighted = if receipt.weighted { ", columns weighted" } else { "" };
        let metric = format!("of every cell, measured by {}{weighted}", escape(&receipt.metric));
        figures.push(("Information lost", percent(loss), metric, false));
    }
    key(&figures)
}

/// Figures that are seen first: what each is, its value, what that means, and whether it is bad.
pub(super) fn key(figures: &[(&str, String, String, bool)]) -> String {
    let mut out = String::from("<dl class=\"key\">\n");
    for (name, value, meaning, is_bad) in figures {
        let class = if *is_bad { " class=\"bad\"" } else { "" };
        let _ = writeln!(
            out,
            "<div{class}><dt>{name}</dt><dd class=\"value\">{value}</dd><dd>{meaning}</dd></div>"
        );
    }
    out.push_str("</dl>\n");
    out
}

fn not_promised(receipt: &Receipt) -> String {
    section("not-promised", "What is not promised", &list(not_promised::sentences(receipt)))
}

/// The commands that judge the release without its maker.
fn check(receipt: &Receipt) -> String {
    how_to_check(receipt.files.first().map_or("", String::as_str), &receipt.table)
}

/// The commands that judge a release of an original.
pub(super) fn how_to_check(release: &str, original: &str) -> String {
    let body = format!(
        "{}<pre><code>{}</code></pre>\n{}",
        paragraph(
            "Anybody who has the release and its plan can check it, and anybody who has the \
             original can also check whether it is truthful. Neither needs to trust this page."
        ),
        escape(&commands(release, original).join("\n")),
        paragraph(&format!(
            "The plan is the file that says what is promised. A release that was made with flags has one \
             too: the same command with <code>{}</code> prints it.",
            Ask::from(Setting::PrintPlan).line()
        )),
    );
    section("check", "How to check it yourself", &body)
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
