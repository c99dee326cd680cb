//! The report of a release of a series: what was promised and what all releases say together, who came and
//! left, what it cost beside the releases before it, and what is not promised.

use kohort_core::{Ask, Command, Setting};

use kohort_series::series_method;

use super::markup::{Table, escape, figure, name, paragraph, section};
use super::release::{class_sizes, commands, cost, key, listed, mark, names, quoted, risk};
use super::svg::{Bar, Svg};
use super::{list, page};
use crate::release::{Receipt, rounded};
use crate::series::{Counted, EarlierRelease, SeriesReceipt, believed, by_the_thesis};
use crate::wording::{count, grouped, percent};

/// The parts of the page.
const TITLES: [(&str, &str); 9] = [
    ("promised", "Promised"),
    ("people", "People"),
    ("releases", "Releases"),
    ("cost", "Cost"),
    ("risk", "Risk"),
    ("sizes", "Class sizes"),
    ("parameters", "Parameters"),
    ("not-promised", "Not promised"),
    ("check", "Check it yourself"),
];

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
    let told: Vec<String> = receipt.not_promised.iter().map(|text| sentence(text)).collect();
    let parts = [
        promised(receipt),
        people(receipt),
        releases(receipt),
        cost(&as_one),
        risk(&as_one),
        class_sizes(&as_one),
        parameters(receipt),
        section(
            "not-promised",
            "What is not promised",
            &list(told.iter().map(String::as_str).chain(ALWAYS)),
        ),
        check(receipt),
    ];
    page(
        &format!("Release {} of {}", receipt.release, escape(&receipt.series)),
        &header(receipt),
        &TITLES.iter().zip(&parts).collect::<Vec<_>>(),
        "</p>\n<p>This page shows column names, counts and figures; no cell of the original or of the \
         release is in it, and it loads nothing.</p>\n",
    )
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

/// The top of the page: the verdict and the key figures.
fn header(receipt: &SeriesReceipt) -> String {
    let (release, series) = (receipt.release, escape(&receipt.series));
    let (verdict, warning) = if receipt.verified {
        ("The series keeps its promise with this release", "")
    } else {
        (
            "An earlier release does not keep the promise of this one",
            "<p class=\"warning\"><strong>Without its promise.</strong> What earlier releases gave away \
             stays known: the promise is not true of the people they show. See the notes.</p>\n",
        )
    };
    let changed = receipt.promise_changed.as_ref().map_or(String::new(), |changed| {
        let told = escape(&sentence(changed));
        format!("<p class=\"warning\"><strong>Not as before.</strong> {told}</p>\n")
    });
    format!(
        "<header>\n<p class=\"kicker\">Release {release} of <bdi>{series}</bdi>, from <bdi>{}</bdi></p>\n\
         <h1>{verdict}</h1>\n{warning}{changed}<ul class=\"findings\">\n<li>{}: {}</li>\n</ul>\n\
         <p class=\"care\">The verdict was recomputed from the bytes written and from everything that was \
         published before, by code that does not know how they were made. It is about this promise and \
         these columns, and nothing else: see <a href=\"#not-promised\">what is not \
         promised</a>.</p>\n{}</header>\n",
        escape(&receipt.table),
        checked(receipt),
        escape(&believed(receipt)),
        key_figures(receipt),
    )
}

/// Against what the release was checked.
fn checked(receipt: &SeriesReceipt) -> String {
    match receipt.earlier.len() {
        0 => "There is no earlier release".to_owned(),
        1 => "Checked against the release before it".to_owned(),
        n => format!("Checked against all {n} releases before it"),
    }
}

fn key_figures(receipt: &SeriesReceipt) -> String {
    let how = match receipt.max_posterior_is {
        Counted::Exact => "exact, over everything that explains all releases",
        Counted::Bound => "a bound: no belief is higher",
        Counted::OneByOne => "people taken one by one",
    };
    let shown = receipt.rows_out - receipt.counterfeits;
    let mut figures = vec![
        (
            "Highest belief so far",
            percent(receipt.max_posterior),
            how.to_owned(),
            !receipt.verified || receipt.max_posterior >= 1.0,
        ),
        (
            "People shown",
            grouped(shown),
            format!(
                "of {}, in {}",
                grouped(receipt.rows_in),
                count(receipt.classes, "class", "classes")
            ),
            false,
        ),
        ("Held back", grouped(receipt.held_back), "in the table, not in the release".into(), false),
        ("Counterfeits", grouped(receipt.counterfeits), "rows that are nobody’s".into(), false),
    ];
    if let Some(loss) = receipt.loss {
        let metric = format!("of every cell, measured by {}", escape(&receipt.metric));
        figures.push(("Information lost", percent(loss), metric, false));
    }
    key(&figures)
}

/// The promise, the method and why it was taken.
fn promised(receipt: &SeriesReceipt) -> String {
    let mut body = paragraph(&format!(
        "Each release is made against all that were published before it. The method is \
         <strong>{}</strong>, because {}.",
        escape(receipt.method),
        escape(receipt.why)
    ));
    let head = ["Promise", "Wanted", "Answer", "In plain words"];
    let mut table = Table::new("The promise of the series", "promises", &head);
    let meaning = series_method(receipt.method).map_or("", |spec| spec.promise);
    for promise in &receipt.goal {
        let of =
            promise.attribute.as_ref().map_or(String::new(), |one| format!(" of {}", name(one)));
        let evidence = if promise.holds { "decided" } else { "for people in earlier releases" };
        table.row([
            &*format!("{}{of}", escape(&promise.model)),
            &*escape(&promise.parameters),
            &*mark(promise.holds, evidence),
            &*escape(meaning),
        ]);
    }
    table.row([
        "history",
        "all releases",
        &*mark(receipt.history_checked, "decided"),
        "the bytes were judged together with every release before them",
    ]);
    let rows = if receipt.truthful { "every row" } else { "rows that are somebody’s" };
    table.row([
        "truthfulness",
        rows,
        &*mark(true, "decided"),
        "every row that is somebody’s covers that person, with the person’s value",
    ]);
    body.push_str(&table.finish());
    if let Some(figure) = by_the_thesis(receipt) {
        body.push_str(&paragraph(&escape(&sentence(&figure))));
    }
    section("promised", "What was promised, and the evidence", &body)
}

/// Who came, left and stayed.
fn people(receipt: &SeriesReceipt) -> String {
    let mut table = Table::new("Since the release before", "changes", &["", "#people", "Who"]);
    let returned = "were in an earlier release, not in the one before";
    let rows = [
        ("new", receipt.inserted, "are in no earlier release"),
        ("came back", receipt.returned, returned),
        ("left", receipt.deleted, "were in the release before, and are not in the table"),
        ("have another value", receipt.updated, "than the last release that shows them said"),
        ("held back", receipt.held_back, "are in the table, and wait for a later release"),
    ];
    for (title, n, who) in rows {
        table.row([title, &*grouped(n), who]);
    }
    let mut body = table.finish();
    let counterfeits = match receipt.counterfeits {
        0 => "No row is a counterfeit: every row is somebody’s.".to_owned(),
        n => format!(
            "{} nobody’s: counterfeits fill in where people would be needed to hide others. {}",
            count(n, "row is", "rows are"),
            if receipt.method == "rho-different" {
                "How many a class has is not published."
            } else {
                "A separate file says how many each class has, but not which."
            }
        ),
    };
    body.push_str(&paragraph(&counterfeits));
    section("people", "Who came, left and stayed", &body)
}

/// This release beside those before it.
fn releases(receipt: &SeriesReceipt) -> String {
    let own = EarlierRelease::of(receipt);
    let all: Vec<&EarlierRelease> = receipt.earlier.iter().chain([&own]).collect();
    if all.len() < 2 {
        return String::new();
    }
    let head = ["Release", "Method", "#rows", "#held back", "#counterfeits", "#loss", "#belief"];
    let mut table = Table::new("All releases", "series", &head);
    let none = || "–".to_owned();
    for release in &all {
        table.row([
            &*release.release.to_string(),
            &*escape(&release.method),
            &*grouped(release.rows),
            &*grouped(release.held_back),
            &*grouped(release.counterfeits),
            &*release.loss.map_or_else(none, percent),
            &*percent(release.max_posterior),
        ]);
    }
    let drawn = &all[all.len().saturating_sub(MOST_DRAWN)..];
    let loss = |release: &EarlierRelease| release.loss.unwrap_or(0.0);
    let counterfeits = |release: &EarlierRelease| {
        kohort_core::Ratio::new(release.counterfeits, release.rows.max(1)).value()
    };
    let mut body = paragraph(
        "What was published cannot be taken back: each release is bound by all before it, so that their \
         figures belong together.",
    );
    body.push_str("<div class=\"pair\">\n");
    let note = "The loss of a cell, on average.";
    body.push_str(&bars(drawn, ("loss", "Loss by release", note), loss));
    let note = "The highest belief about anybody’s value, by this release and all before it: it never falls.";
    let belief = |release: &EarlierRelease| release.max_posterior;
    body.push_str(&bars(drawn, ("belief", "Highest belief so far", note), belief));
    let note = "Of all rows of the release, those that are nobody’s.";
    body.push_str(&bars(drawn, ("counterfeits", "Counterfeits by release", note), counterfeits));
    body.push_str("</div>\n");
    body.push_str(&table.finish());
    section("releases", "This release and those before it", &body)
}

/// A bar for each release.
fn bars(
    releases: &[&EarlierRelease],
    (id, title, note): (&str, &str, &str),
    share: impl Fn(&EarlierRelease) -> f64,
) -> String {
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
    figure(title, &drawing, &format!("<p class=\"note\">{note}</p>\n"))
}

fn parameters(receipt: &SeriesReceipt) -> String {
    let columns = &receipt.columns;
    let asked = receipt.goal.first().map_or("", |goal| goal.parameters.as_str());
    let before = receipt.previous_entry.as_deref();
    let before = before.map_or("none".into(), |hash| format!("<code>{}</code>", escape(hash)));
    let rows = [
        ("method", escape(receipt.method)),
        ("asked for", escape(asked)),
        ("metric kept small", escape(&receipt.metric)),
        ("seed", receipt.seed.to_string()),
        ("quasi-identifiers", names(&columns.quasi)),
        ("with a taxonomy", names(&columns.taxonomies)),
        ("sensitive", names(&columns.sensitive)),
        ("left out", names(&columns.left_out)),
        ("entry in the ledger", format!("<code>{}</code>", escape(&receipt.entry))),
        ("entry before it", before),
    ];
    listed(&rows, &receipt.notes)
}

/// The commands that judge the release without its maker.
fn check(receipt: &SeriesReceipt) -> String {
    let release = receipt.files.first().map_or("", String::as_str);
    let [alone, compared] = commands(release, &receipt.table);
    let series = Command::SeriesCheck.on(quoted(&receipt.series)).line();
    let body = format!(
        "{}<pre><code>{}</code></pre>\n{}",
        paragraph(
            "Anybody who has the releases and the plan can check them, and anybody who has the \
             originals can also check whether they are truthful. Neither needs to trust this \
             page or the ledger."
        ),
        escape(&[alone, compared, series].join("\n")),
        paragraph(&format!(
            "All releases together are judged by naming them one after the other, the oldest first, with \
             an <code>{}</code> for each. <code>{}</code> takes the same files.",
            Ask::from(Setting::Original).line(),
            Ask::from(Command::Attack).line()
        )),
    );
    section("check", "How to check it yourself", &body)
}
