//! The report of attacks: the three risks with the weakest point first, every attack before and after, what
//! was not tried, and what this does not show.

use maud::{Markup, Render, html};

use super::Page;
use super::markup::{
    KeyFigure, Table, figure, joined, key, list, named, note, notice, of, paragraph, section, text,
};
use super::svg::Svg;
use crate::attack::{Answer, AttackAnswer, NOT_SHOWN, Score, gain, headline, interval, targets};
use crate::wording::{count, decimal, grouped, percent};

/// What attacks found as one HTML page.
pub fn attack_html(answer: &Answer) -> String {
    Page {
        title: format!("Attacks on {}", answer.release),
        style: "",
        header: header(answer),
        parts: &[
            ("bars", "How far", bars(answer)),
            ("attacks", "Every attack", attacks(answer)),
            ("meaning", "What it means", meaning(answer)),
            ("not-run", "Not run", not_run(answer)),
            ("not-shown", "Not shown", section("not-shown", "What this does not show", &list(NOT_SHOWN))),
        ],
        parameters: Some(parameters(answer)),
        shows: "This page shows column names and figures; no cell of any table is in it, and it loads nothing.",
    }
    .finish()
}

/// The top of the page: the answer, the three risks, and what must be known first.
fn header(answer: &Answer) -> Markup {
    let headline = headline(answer);
    let mut letters = headline.chars();
    let first = letters.next().map_or(String::new(), |letter| letter.to_uppercase().to_string());
    html! {
        header {
            p class="kicker" { "Attacks on " bdi { (text(&answer.release)) } }
            h1 { (text(&format!("{first}{}", letters.as_str()))) }
            p class="warning" {
                strong { "Confidential." }
                " An attack report shows where a release is weak. Store it like the microdata, and do not \
                 publish it with the release."
            }
            p class="care" { (text(&targets(answer))) }
            @for note in &answer.notes { (notice(&note.to_string())) }
            (risks(answer))
        }
    }
}

/// Singling out, linkability and inference, each with its weakest attack.
fn risks(answer: &Answer) -> Markup {
    let figures = answer.criteria.iter().map(|risk| {
        let attack = risk.weakest.and_then(|id| answer.attack(id));
        let is_bad = attack.is_some_and(|attack| attack.score.is_refuted());
        let mut title = risk.title.to_owned();
        title[..1].make_ascii_uppercase();
        let value = attack.map_or("–".into(), |attack| percent(attack.score.success));
        let meaning = html! {
            @if let Some(attack) = attack { (weakest(answer, attack)) } @else { "no attack ran" }
        };
        KeyFigure::new(&title, value, meaning, is_bad)
    });
    key(&figures.collect::<Vec<_>>())
}

/// The weakest attack of a risk in words.
fn weakest(answer: &Answer, attack: &AttackAnswer) -> Markup {
    let score = &attack.score;
    let before = answer.before(attack.id, score);
    html! {
        (titled(attack, score))
        br;
        @if let Some(before) = before { "before " (percent(before.success)) ", " }
        "blind guess " (percent(score.baseline))
        br;
        (verdict(score))
    }
}

/// An attack and the attribute it is about.
fn titled(attack: &AttackAnswer, score: &Score) -> Markup {
    html! { (text(attack.id)) (about(score)) }
}

/// The attribute a score is about, and the way of guessing.
fn about(score: &Score) -> Markup {
    html! {
        (of(score.attribute.as_ref()))
        @if let Some(way) = &score.way { " " (text(way)) }
    }
}

/// A verdict; only a broken promise has a color of its own.
fn verdict(score: &Score) -> Markup {
    html! {
        @match score.verdict {
            "refuted" => span class="fails" { (score.verdict) },
            "succeeds" => strong { (score.verdict) },
            other => (other),
        }
    }
}

/// How a success is known.
fn success(score: &Score) -> String {
    let mark = if score.known == "expected" { "~" } else { "" };
    format!("{mark}{}", percent(score.success))
}

/// How often each attack is right, before and after.
fn bars(answer: &Answer) -> Markup {
    const WIDTH: f64 = 480.0;
    const BAR: f64 = 13.0;
    if answer.attacks.is_empty() {
        return Markup::default();
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
    let after = if has_raw { "after: the release" } else { "the release" };
    let legend = html! {
        ul class="legend" {
            @if has_raw { li { span class="mark bar-soft" {} "before: the raw table" } }
            li { span class="mark bar" {} (after) }
            li { span class="mark alone" {} "a promise is refuted" }
            li { "upright stroke: a blind guess" }
        }
    };
    let title = if has_raw { "What anonymization bought" } else { "How far each attack gets" };
    section("bars", title, &figure("The share of targets guessed right", &drawing, &legend))
}

/// The table of attacks.
fn attacks(answer: &Answer) -> Markup {
    if answer.attacks.is_empty() {
        return Markup::default();
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
        let before = || answer.before(attack.id, score).map_or("–".into(), success);
        cells.extend(has_raw.then(|| before().render()));
        let above = [score.above.half, score.above.most, score.above.certain].map(grouped);
        cells.extend([
            html! { (success(score)) br; span class="soft" { (interval(score)) } },
            percent(score.baseline).render(),
            gain(score).render(),
            decimal(score.max_probability).render(),
            score.bound.map_or("–".into(), decimal).render(),
            grouped(score.targets).render(),
            above.join(", ").render(),
            verdict(score),
        ]);
        table.row_of(&cells);
    }
    let body = html! {
        (table.finish())
        (note(
            "~ expected by the adversary, not measured against the truth. Gain is in points above a blind \
             guess; below the success is its 95 % interval. Largest is the highest probability a guess \
             has, allowed what the promises allow; above 0.5, above 0.8 and certain count the targets \
             with a guess of that probability."
        ))
    };
    section("attacks", "Every attack", &body)
}

/// What each attack means, in words.
fn meaning(answer: &Answer) -> Markup {
    if answer.attacks.is_empty() {
        return Markup::default();
    }
    let body = html! {
        ul class="plain" {
            @for attack in &answer.attacks {
                li {
                    strong { (text(attack.title)) (about(&attack.score)) }
                    ": " (text(&attack.meaning)) "."
                    @for note in &attack.score.notes {
                        " " span class="soft" { (text(&note.to_string())) "." }
                    }
                }
            }
        }
    };
    section("meaning", "What it means", &body)
}

/// The attacks that could not run.
fn not_run(answer: &Answer) -> Markup {
    if answer.not_run.is_empty() {
        return Markup::default();
    }
    let mut table = Table::new("Attacks that did not run", "not-run", &["Attack", "Needs"]);
    for attack in &answer.not_run {
        table.row(&[&text(attack.id), &text(&attack.needs.to_string())]);
    }
    let body = html! {
        (paragraph("An attack that did not run shows nothing either way."))
        (table.finish())
    };
    section("not-run", "What was not run, and what it needs", &body)
}

/// What was attacked, and by what it was judged.
fn parameters(answer: &Answer) -> Markup {
    let mut parameters = vec![
        html! { "release " bdi { (text(&answer.release)) } },
        count(answer.rows, "row", "rows").render(),
        html! { "quasi-identifiers " (named(&answer.quasi, ", ")) },
    ];
    if !answer.sensitive.is_empty() {
        parameters.push(html! { "sensitive " (named(&answer.sensitive, ", ")) });
    }
    for (what, table) in [("public table", &answer.public), ("original", &answer.original)] {
        parameters.extend(table.iter().map(|table| html! { (what) " " bdi { (text(table)) } }));
    }
    parameters.extend(answer.promised.iter().map(|model| html! { "goal " (text(model)) }));
    joined(parameters, "; ")
}
