//! The report of a release of a series: what was promised and what all releases say together, who came and
//! left, what it cost beside the releases before it, and what is not promised.

use kohort_core::{Ask, Command, Setting};
use kohort_series::series_method;
use maud::{Markup, Render, html};

use super::Page;
use super::markup::{KeyFigure, Table, figure, key, list, note, of, paragraph, section, text};
use super::release::{class_sizes, commands, cost, lines, listed, mark, names, quoted, risk};
use super::svg::{Bar, Svg};
use crate::release::{Receipt, rounded};
use crate::series::{Counted, EarlierRelease, SeriesReceipt, believed, by_the_thesis};
use crate::wording::{count, grouped, percent};

/// The most releases that are drawn.
const MOST_DRAWN: usize = 24;

/// The report of a release of a series as one HTML page.
pub fn series_html(receipt: &SeriesReceipt) -> String {
    // What is shown around has two digits: losses are shares of the whole table.
    let mut shown = receipt.clone();
    shown.loss = shown.loss.map(rounded);
    for release in &mut shown.earlier {
        release.loss = release.loss.map(rounded);
    }
    let receipt = &shown;
    let as_one: Receipt = receipt.as_one().shown_around();
    Page {
        title: format!("Release {} of {}", receipt.release, receipt.series),
        style: "",
        header: header(receipt),
        parts: &[
            ("promised", "Promised", promised(receipt)),
            ("people", "People", people(receipt)),
            ("releases", "Releases", releases(receipt)),
            ("cost", "Cost", cost(&as_one)),
            ("risk", "Risk", risk(&as_one)),
            ("sizes", "Class sizes", class_sizes(&as_one)),
            ("parameters", "Parameters", parameters(receipt)),
            ("not-promised", "Not promised", not_promised(receipt)),
            ("check", "Check it yourself", check(receipt)),
        ],
        parameters: None,
        shows: "This page shows column names, counts and figures; no cell of the original or of the release \
                is in it, and it loads nothing.",
    }
    .finish()
}

/// A sentence as it stands by itself.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// What no series promises.
const ALWAYS: [&str; 3] = [
    "The promise holds for the quasi-identifiers named here only: a column that an outsider knows and that \
     is not among them can undo it.",
    "It does not hide that somebody is in a table, nor what the tables say about everybody.",
    "It is about the key that names people: a person published under two keys is two people \
     here, and what both say together is not taken into account.",
];

fn not_promised(receipt: &SeriesReceipt) -> Markup {
    let own = receipt.not_promised.iter().map(|text| sentence(text));
    let all: Vec<String> = own.chain(ALWAYS.map(String::from)).collect();
    section("not-promised", "What is not promised", &list(all))
}

/// The top of the page: the verdict and the key figures.
fn header(receipt: &SeriesReceipt) -> Markup {
    let verdict = if receipt.verified {
        "The series keeps its promise with this release"
    } else {
        "An earlier release does not keep the promise of this one"
    };
    html! {
        header {
            p class="kicker" {
                "Release " (receipt.release) " of " bdi { (text(&receipt.series)) } ", from "
                bdi { (text(&receipt.table)) }
            }
            h1 { (verdict) }
            @if !receipt.verified {
                p class="warning" {
                    strong { "Without its promise." }
                    " What earlier releases gave away stays known: the promise is not true of the people \
                     they show. See the notes."
                }
            }
            @if let Some(changed) = &receipt.promise_changed {
                p class="warning" { strong { "Not as before." } " " (text(&sentence(changed))) }
            }
            ul class="findings" { li { (checked(receipt)) ": " (text(&believed(receipt))) } }
            p class="care" {
                "The verdict was recomputed from the bytes written and from everything published before, \
                 by code that does not know how they were made. It is about this promise and these \
                 columns, and nothing else: see " a href="#not-promised" { "what is not promised" } "."
            }
            (key_figures(receipt))
        }
    }
}

/// Against what the release was checked.
fn checked(receipt: &SeriesReceipt) -> String {
    match receipt.earlier.len() {
        0 => "There is no earlier release".to_owned(),
        1 => "Checked against the release before it".to_owned(),
        n => format!("Checked against all {n} releases before it"),
    }
}

fn key_figures(receipt: &SeriesReceipt) -> Markup {
    let how = match receipt.max_posterior_is {
        Counted::Exact => "exact, over everything that explains all releases",
        Counted::Bound => "a bound: no belief is higher",
        Counted::OneByOne => "people taken one by one",
    };
    let shown = receipt.rows_out - receipt.counterfeits;
    let classes = count(receipt.classes, "class", "classes");
    let mut figures = vec![
        KeyFigure::new(
            "Highest belief so far",
            percent(receipt.max_posterior),
            how,
            !receipt.verified || receipt.max_posterior >= 1.0,
        ),
        KeyFigure::new(
            "People shown",
            grouped(shown),
            format!("of {}, in {classes}", grouped(receipt.rows_in)),
            false,
        ),
        KeyFigure::new(
            "Held back",
            grouped(receipt.held_back),
            "in the table, not in the release",
            false,
        ),
        KeyFigure::new(
            "Counterfeits",
            grouped(receipt.counterfeits),
            "published rows that belong to nobody",
            false,
        ),
    ];
    if let Some(loss) = receipt.loss {
        let metric = format!("of every cell, measured by {}", receipt.metric);
        figures.push(KeyFigure::new("Information lost", percent(loss), text(&metric), false));
    }
    key(&figures)
}

/// The promise, the method and why it was taken.
fn promised(receipt: &SeriesReceipt) -> Markup {
    let head = ["Promise", "Wanted", "Answer", "In plain words"];
    let mut table = Table::new("The promise of the series", "promises", &head);
    let meaning = series_method(receipt.method).map_or("", |spec| spec.promise);
    for promise in &receipt.goal {
        let evidence = if promise.holds { "decided" } else { "for people in earlier releases" };
        table.row(&[
            &html! { (text(&promise.model)) (of(promise.attribute.as_ref())) },
            &text(&promise.parameters),
            &mark(promise.holds, evidence),
            &text(meaning),
        ]);
    }
    table.row(&[
        &"history",
        &"all releases",
        &mark(receipt.history_checked, "decided"),
        &"the bytes were judged together with every release before them",
    ]);
    let rows = if receipt.truthful { "every row" } else { "rows that belong to a person" };
    table.row(&[
        &"truthfulness",
        &rows,
        &mark(true, "decided"),
        &"every row that belongs to a person covers that person’s original row, with the person’s value",
    ]);
    let body = html! {
        p {
            "Each release is made against all that were published before it. The method is "
            strong { (text(receipt.method)) } ", because " (text(receipt.why)) "."
        }
        (table.finish())
        @if let Some(figure) = by_the_thesis(receipt) { (paragraph(text(&sentence(&figure)))) }
    };
    section("promised", "What was promised, and the evidence", &body)
}

/// Who came, left and stayed.
fn people(receipt: &SeriesReceipt) -> Markup {
    let mut table = Table::new("Since the release before", "changes", &["", "#people", "Who"]);
    let returned = "were in an earlier release, but not in the previous one";
    let rows = [
        ("new", receipt.inserted, "are in no earlier release"),
        ("came back", receipt.returned, returned),
        ("left", receipt.deleted, "were in the previous release, and are not in the table"),
        ("have another value", receipt.updated, "than the last release that shows them said"),
        ("held back", receipt.held_back, "are in the table, and wait for a later release"),
    ];
    for (title, n, who) in rows {
        table.row(&[&title, &grouped(n), &who]);
    }
    let counterfeits = match receipt.counterfeits {
        0 => "No row is a counterfeit: every row belongs to a person.".to_owned(),
        n => format!(
            "{} to nobody: counterfeits stand in for people who would be needed to hide others. {}",
            count(n, "row belongs", "rows belong"),
            if receipt.method == "rho-different" {
                "How many a class has is not published."
            } else {
                "A separate file says how many each class has, but not which."
            }
        ),
    };
    let body = html! { (table.finish()) (paragraph(counterfeits)) };
    section("people", "Who came, left and stayed", &body)
}

/// This release beside those before it.
fn releases(receipt: &SeriesReceipt) -> Markup {
    let own = EarlierRelease::of(receipt);
    let all: Vec<&EarlierRelease> = receipt.earlier.iter().chain([&own]).collect();
    if all.len() < 2 {
        return Markup::default();
    }
    let drawn = &all[all.len().saturating_sub(MOST_DRAWN)..];
    let loss = |release: &EarlierRelease| release.loss.unwrap_or(0.0);
    let belief = |release: &EarlierRelease| release.max_posterior;
    let counterfeits = |release: &EarlierRelease| {
        kohort_core::Ratio::new(release.counterfeits, release.rows.max(1)).value()
    };
    let of_loss = "The loss of a cell, on average.";
    let of_belief = "The highest belief about anybody’s value, by this release and all before it: it never falls.";
    let of_counterfeits = "The share of all rows that belong to nobody.";
    let body = html! {
        (paragraph(
            "What was published cannot be taken back: each release is bound by all before it, so that \
             their figures belong together."
        ))
        div class="pair" {
            (bars(drawn, ("loss", "Loss by release", of_loss), loss))
            (bars(drawn, ("belief", "Highest belief so far", of_belief), belief))
            (bars(drawn, ("counterfeits", "Counterfeits by release", of_counterfeits), counterfeits))
        }
        (table(&all))
    };
    section("releases", "This release and those before it", &body)
}

fn table(releases: &[&EarlierRelease]) -> Markup {
    let head = ["Release", "Method", "#rows", "#held back", "#counterfeits", "#loss", "#belief"];
    let mut table = Table::new("All releases", "series", &head);
    for release in releases {
        table.row(&[
            &release.release,
            &text(&release.method),
            &grouped(release.rows),
            &grouped(release.held_back),
            &grouped(release.counterfeits),
            &release.loss.map_or_else(|| "–".to_owned(), percent),
            &percent(release.max_posterior),
        ]);
    }
    table.finish()
}

/// A bar for each release.
fn bars(
    releases: &[&EarlierRelease],
    (id, title, words): (&str, &str, &str),
    share: impl Fn(&EarlierRelease) -> f64,
) -> Markup {
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let (mut y, mut said) = (0.0, Vec::new());
    for (at, release) in releases.iter().enumerate() {
        let (share, label) = (share(release), format!("release {}", release.release));
        let text = percent(share);
        let hint = format!("{label}: {text}");
        let class = if at + 1 == releases.len() { "bar" } else { "bar-soft" };
        Bar { label: &label, text: &text, hint: &hint }.draw(&mut svg, y, share, class);
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, id, title, &said.join("; "));
    figure(title, &drawing, &note(words))
}

fn parameters(receipt: &SeriesReceipt) -> Markup {
    let columns = &receipt.columns;
    let asked = receipt.goal.first().map_or("", |goal| goal.parameters.as_str());
    let entry = |hash: &str| html! { code { (text(hash)) } };
    let before = receipt.previous_entry.as_deref().map_or_else(|| "none".render(), entry);
    let rows = [
        ("method", text(receipt.method).render()),
        ("asked for", text(asked).render()),
        ("metric kept small", text(&receipt.metric).render()),
        ("seed", receipt.seed.render()),
        ("quasi-identifiers", names(&columns.quasi)),
        ("with a taxonomy", names(&columns.taxonomies)),
        ("sensitive", names(&columns.sensitive)),
        ("left out", names(&columns.left_out)),
        ("entry in the ledger", entry(&receipt.entry)),
        ("entry before it", before),
    ];
    listed(&rows, &receipt.notes)
}

/// The commands that judge the release without its maker.
fn check(receipt: &SeriesReceipt) -> Markup {
    let release = receipt.files.first().map_or("", String::as_str);
    let [alone, compared] = commands(release, &receipt.table);
    let series = Command::SeriesCheck.on(quoted(&receipt.series)).line();
    let body = html! {
        (paragraph(
            "Anybody who has the releases and the plan can check them, and anybody who has the \
             originals can also check whether they are truthful. Neither needs to trust this \
             page or the ledger."
        ))
        (lines(&[alone, compared, series]))
        p {
            "All releases together are judged by naming them one after the other, the oldest first, with \
             an " code { (Ask::from(Setting::Original).line()) } " for each. "
            code { (Ask::from(Command::Attack).line()) } " takes the same files."
        }
    };
    section("check", "How to check it yourself", &body)
}
