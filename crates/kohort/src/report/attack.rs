//! The report of attacks: the three risks with the weakest point first, every attack before and after, what
//! was not tried, and what this does not show.

use std::fmt::Write;

use super::markup::{Table, escape, figure, name, notice, paragraph, section};
use super::svg::Svg;
use super::{list, page};
use crate::attack::{Answer, AttackAnswer, NOT_SHOWN, Score, gain, headline, interval, targets};
use crate::wording::{count, decimal, grouped, percent};

/// The parts of the page.
const TITLES: [(&str, &str); 5] = [
    ("bars", "How far"),
    ("attacks", "Every attack"),
    ("meaning", "What it means"),
    ("not-run", "Not run"),
    ("not-shown", "Not shown"),
];

/// What attacks found as one HTML page.
pub fn attack_html(answer: &Answer) -> String {
    let parts = [bars(answer), attacks(answer), meaning(answer), not_run(answer), not_shown()];
    page(
        &format!("Attacks on {}", escape(&answer.release)),
        &header(answer),
        &TITLES.iter().zip(&parts).collect::<Vec<_>>(),
        &footer(answer),
    )
}

/// The top of the page: the answer, the three risks, and what must be known first.
fn header(answer: &Answer) -> String {
    let headline = headline(answer);
    let mut letters = headline.chars();
    let first = letters.next().map_or(String::new(), |letter| letter.to_uppercase().to_string());
    let notes: String =
        answer.notes.iter().map(|note| notice(&escape(&note.to_string()))).collect();
    format!(
        "<header>\n<p class=\"kicker\">Attacks on <bdi>{}</bdi></p>\n<h1>{}</h1>\n<p \
         class=\"warning\"><strong>Confidential.</strong> An attack report shows where a release \
         is weak. Store it like the microdata, and do not publish it with the release.</p>\n<p \
         class=\"care\">{}</p>\n{notes}{}</header>\n",
        escape(&answer.release),
        escape(&format!("{first}{}", letters.as_str())),
        escape(&targets(answer)),
        risks(answer),
    )
}

/// Singling out, linkability and inference, each with its weakest attack.
fn risks(answer: &Answer) -> String {
    let mut out = String::from("<dl class=\"key\">\n");
    for risk in &answer.criteria {
        let attack = risk.weakest.and_then(|id| answer.attack(id));
        let class =
            if attack.is_some_and(|a| a.score.is_refuted()) { " class=\"bad\"" } else { "" };
        let mut title = risk.title.to_owned();
        title[..1].make_ascii_uppercase();
        let value = attack.map_or("–".into(), |attack| percent(attack.score.success));
        let _ = writeln!(
            out,
            "<div{class}><dt>{title}</dt><dd class=\"value\">{value}</dd><dd>{}</dd></div>",
            attack.map_or("no attack ran".into(), |attack| told(answer, attack))
        );
    }
    out.push_str("</dl>\n");
    out
}

/// The weakest attack of a risk in words.
fn told(answer: &Answer, attack: &AttackAnswer) -> String {
    let score = &attack.score;
    let before = answer.before(attack.id, score);
    let before = before.map_or(String::new(), |b| format!("before {}, ", percent(b.success)));
    format!(
        "{}<br>{before}blind guess {}<br>{}",
        titled(attack, score),
        percent(score.baseline),
        verdict(score)
    )
}

/// An attack and the attribute it is about.
fn titled(attack: &AttackAnswer, score: &Score) -> String {
    format!("{}{}", escape(attack.id), about(score))
}

/// The attribute a score is about, and the way of guessing.
fn about(score: &Score) -> String {
    let of = score.attribute.as_ref().map(|one| format!(" of {}", name(one)));
    let way = score.way.as_ref().map(|way| format!(" {}", escape(way)));
    of.unwrap_or_default() + &way.unwrap_or_default()
}

/// A verdict; only a broken promise has a color of its own.
fn verdict(score: &Score) -> String {
    match score.verdict {
        "refuted" => format!("<span class=\"fails\">{}</span>", score.verdict),
        "succeeds" => format!("<strong>{}</strong>", score.verdict),
        other => other.to_owned(),
    }
}

/// How a success is known.
fn success(score: &Score) -> String {
    let mark = if score.known == "expected" { "~" } else { "" };
    format!("{mark}{}", percent(score.success))
}

/// How often each attack is right, before and after.
fn bars(answer: &Answer) -> String {
    const WIDTH: f64 = 480.0;
    const BAR: f64 = 13.0;
    if answer.attacks.is_empty() {
        return String::new();
    }
    let mut svg = Svg::new(WIDTH, "attack-bars");
    let mut said = Vec::new();
    let mut y = 0.0;
    for (attack, score) in answer.scores() {
        let before = answer.before(attack.id, score);
        let shown = match before {
            Some(before) => format!("{} → {}", percent(before.success), percent(score.success)),
            None => percent(score.success),
        };
        let hint =
            format!("{}: {shown}, blind guess {}", attack.name(score), percent(score.baseline));
        svg.text((0.0, y + 16.0), "", &attack.name(score));
        svg.text((WIDTH, y + 16.0), "end", &shown);
        let top = y + 20.0;
        y += 25.0;
        let class = if score.is_refuted() { "alone" } else { "bar" };
        for (score, class) in before.map(|b| (b, "bar-soft")).into_iter().chain([(score, class)]) {
            let width = (WIDTH * score.success.clamp(0.0, 1.0)).max(2.0);
            svg.rect((0.0, y), (WIDTH, BAR - 2.0), "track", &hint);
            svg.rect((0.0, y), (width, BAR - 2.0), class, &hint);
            y += BAR;
        }
        let blind = WIDTH * score.baseline.clamp(0.0, 1.0);
        svg.line((blind, top), (blind, y + 3.0), "axis");
        said.push(hint);
        y += BAR;
    }
    let drawing = svg.finish(y, "ab", "How often each attack is right", &said.join("; "));
    let has_raw = answer.raw.is_some();
    let before = "<li><span class=\"mark bar-soft\"></span>before: the raw table</li>";
    let legend = format!(
        "<ul class=\"legend\">{}<li><span class=\"mark bar\"></span>{}the release</li>\
         <li><span class=\"mark alone\"></span>a promise is refuted</li>\
         <li>upright stroke: a blind guess</li></ul>\n",
        if has_raw { before } else { "" },
        if has_raw { "after: " } else { "" },
    );
    let title = if has_raw { "What anonymization bought" } else { "How far each attack gets" };
    section("bars", title, &figure("The share of targets guessed right", &drawing, &legend))
}

/// The table of attacks.
fn attacks(answer: &Answer) -> String {
    if answer.attacks.is_empty() {
        return String::new();
    }
    let has_raw = answer.raw.is_some();
    let mut head = vec!["Attack"];
    head.extend(has_raw.then_some("#before"));
    head.extend([
        if has_raw { "#after" } else { "#success" },
        "#blind guess",
        "#gain",
        "#largest",
        "#allowed",
        "#targets",
        "#above 0.5, 0.8, certain",
        "Verdict",
    ]);
    let mut table = Table::new("Every attack, the weakest point first", "attacks", &head);
    for (attack, score) in answer.scores() {
        let mut cells = vec![titled(attack, score)];
        cells.extend(has_raw.then(|| answer.before(attack.id, score).map_or("–".into(), success)));
        let above = [score.above.half, score.above.most, score.above.certain].map(grouped);
        cells.extend([
            format!("{}<br><span class=\"soft\">{}</span>", success(score), interval(score)),
            percent(score.baseline),
            gain(score),
            decimal(score.max_probability),
            score.bound.map_or("–".into(), decimal),
            grouped(score.targets),
            above.join(", "),
            verdict(score),
        ]);
        table.row(cells.iter().map(String::as_str));
    }
    let note = "<p class=\"note\">~ expected by the adversary, not measured against the truth. Gain is in \
                points above a blind guess; below the success is its 95 % interval. Largest is the highest probability a guess has, allowed what \
                the promises allow; above 0.5, above 0.8 and certain count the targets of whom a guess has such a probability.</p>\n";
    section("attacks", "Every attack", &format!("{}{note}", table.finish()))
}

/// What each attack means, in words.
fn meaning(answer: &Answer) -> String {
    if answer.attacks.is_empty() {
        return String::new();
    }
    let mut body = String::from("<ul class=\"plain\">\n");
    for attack in &answer.attacks {
        let score = &attack.score;
        let notes: String = score.notes.iter().fold(String::new(), |mut out, note| {
            let _ = write!(out, " <span class=\"soft\">{}.</span>", escape(&note.to_string()));
            out
        });
        let _ = writeln!(
            body,
            "<li><strong>{}{}</strong>: {}.{notes}</li>",
            escape(attack.title),
            about(score),
            escape(&attack.meaning),
        );
    }
    body.push_str("</ul>\n");
    section("meaning", "What it means", &body)
}

/// The attacks that could not run.
fn not_run(answer: &Answer) -> String {
    if answer.not_run.is_empty() {
        return String::new();
    }
    let mut table = Table::new("Attacks that did not run", "not-run", &["Attack", "Needs"]);
    for attack in &answer.not_run {
        table.row([&*escape(attack.id), &*escape(&attack.needs.to_string())]);
    }
    let body = format!(
        "{}{}",
        paragraph("An attack that did not run shows nothing either way."),
        table.finish()
    );
    section("not-run", "What was not run, and what it needs", &body)
}

fn not_shown() -> String {
    section("not-shown", "What this does not show", &list(NOT_SHOWN))
}

/// The version and the parameters, and no date.
fn footer(answer: &Answer) -> String {
    let names = |columns: &[String]| {
        columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ")
    };
    let mut parameters = vec![
        format!("release <bdi>{}</bdi>", escape(&answer.release)),
        count(answer.rows, "row", "rows"),
        format!("quasi-identifiers {}", names(&answer.quasi)),
    ];
    if !answer.sensitive.is_empty() {
        parameters.push(format!("sensitive {}", names(&answer.sensitive)));
    }
    for (what, table) in [("public table", &answer.public), ("original", &answer.original)] {
        parameters.extend(table.iter().map(|t| format!("{what} <bdi>{}</bdi>", escape(t))));
    }
    parameters.extend(answer.promised.iter().map(|model| format!("goal {}", escape(model))));
    format!(
        "Parameters: {}.</p>\n<p>This page shows column names and figures; no cell of any table is in it, \
         and it loads nothing.</p>\n",
        parameters.join("; ")
    )
}
