//! Which columns, and which pairs of them, make rows unique.

use std::fmt::Write;

use super::figures::{count, grouped, part, percent, real, share};
use super::markup::{Table, chips, escape, figure, paragraph, section, shortened};
use super::svg::{Bar, Svg};
use crate::diagnose::{Diagnosis, Riskiest, UniqueCount, UniquesAnswer};

/// How many columns have a bar.
const BARS: usize = 12;
/// How many columns the matrix of pairs has.
const MATRIX: usize = 8;
/// How many sets of one row are listed.
const SETS: usize = 6;

/// Rows that stand alone, by what singles them out.
pub(super) fn columns(answer: &Diagnosis) -> String {
    let Some(found) = &answer.uniques else { return String::new() };
    let mut ranked: Vec<&UniqueCount> = found.by_column.iter().collect();
    ranked.sort_by_key(|count| std::cmp::Reverse(count.rows));
    let mut body = smallest(answer, found);
    body.push_str("<div class=\"pair\">\n<div>\n");
    body.push_str(&bars(answer, &ranked));
    if found.by_pair.iter().any(|pair| pair.rows > 0) && ranked.len() > 1 {
        body.push_str(&pairs(answer, found));
        body.push_str("</div>\n");
        body.push_str(&matrix(answer, found, &ranked));
    } else {
        body.push_str("</div>\n");
    }
    body.push_str("</div>\n");
    if !found.riskiest.is_empty() {
        body.push_str(&riskiest(&found.riskiest));
    }
    section("columns", "Which columns single people out", &body)
}

/// How many columns it takes.
fn smallest(answer: &Diagnosis, found: &UniquesAnswer) -> String {
    let unique = answer.risk.prosecutor.unique;
    let explained: u64 = found.by_smallest_set.iter().sum();
    if unique == 0 && explained == 0 {
        return paragraph("No row stands alone, so no set of these columns singles anybody out.");
    }
    let mut parts = Vec::new();
    for (size, &rows) in (1..).zip(&found.by_smallest_set) {
        if rows > 0 {
            let few = if size == 1 { "one column alone".into() } else { format!("{size} columns") };
            parts.push(format!("<strong>{}</strong> by {few}", count(rows, "row", "rows")));
        }
    }
    let rest = unique.saturating_sub(explained);
    if rest > 0 {
        let more = found.by_smallest_set.len() + 1;
        parts.push(format!(
            "<strong>{}</strong> by {more} columns or more",
            count(rest, "row", "rows")
        ));
    }
    paragraph(&format!("Counted by the fewest columns that single them out: {}.", parts.join(", ")))
}

/// A bar per column, the name above it so that it has room.
fn bars(answer: &Diagnosis, ranked: &[&UniqueCount]) -> String {
    let highest = ranked.first().map_or(0, |count| count.rows);
    // Where every bar would be a sliver, the longest takes the width, and the note says so.
    let of_whole = highest == 0 || part(highest, answer.rows) >= 0.1;
    let width = if of_whole { answer.rows } else { highest };
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let mut said = Vec::new();
    let mut y = 0.0;
    for (index, found) in ranked.iter().enumerate().take(BARS) {
        let column = found.attributes.join(" + ");
        let hint = format!("{column}: {} unique", count(found.rows, "row", "rows"));
        let label = format!("{} {}", index + 1, shortened(&column, 29));
        let text = format!("{} · {}", grouped(found.rows), share(found.rows, answer.rows));
        let bar = Bar { label: &label, text: &text, hint: &hint, of_whole };
        bar.draw(&mut svg, y, part(found.rows, width), "bar");
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, "by-column", "Rows that one column makes unique", &said.join("; "));
    let mut note = String::new();
    if !of_whole {
        let longest = share(highest, answer.rows);
        let _ = writeln!(
            note,
            "<p class=\"note\">The longest bar stands for {longest} of the rows.</p>"
        );
    }
    if let Some(next) = ranked.get(BARS) {
        let _ = writeln!(
            note,
            "<p class=\"note\">The {BARS} columns with the most are shown; each of the other {} makes \
             at most {} unique.</p>",
            grouped((ranked.len() - BARS) as u64),
            count(next.rows, "row", "rows")
        );
    }
    figure("Rows that a single column makes unique", &drawing, &note)
}

/// The shade of a share.
fn shade(rows: u64, whole: u64) -> &'static str {
    match part(rows, whole) {
        _ if rows == 0 => "heat0",
        share if share < 0.01 => "heat1",
        share if share < 0.1 => "heat2",
        share if share < 0.5 => "heat3",
        share if share < 0.9 => "heat4",
        _ => "heat5",
    }
}

/// A share in at most four letters.
fn short_percent(rows: u64, whole: u64) -> String {
    match part(rows, whole) * 100.0 {
        _ if rows == 0 => "0".into(),
        share if share < 1.0 => "<1".into(),
        share if share > 99.0 && rows < whole => ">99".into(),
        share => format!("{share:.0}"),
    }
}

/// The pairs as a triangle; a column with itself is the column alone.
fn matrix(answer: &Diagnosis, found: &UniquesAnswer, ranked: &[&UniqueCount]) -> String {
    const LEFT: f64 = 152.0;
    let shown: Vec<&UniqueCount> = ranked.iter().take(MATRIX).copied().collect();
    let cell = ((480.0 - LEFT) / real(shown.len() as u64)).min(56.0);
    let height = cell.min(40.0);
    let mut svg = Svg::new(480.0, "chart matrix");
    let mut y = 4.0;
    for (line, low) in shown.iter().enumerate() {
        let label = format!("{} {}", line + 1, shortened(&low.attributes.join(""), 13));
        svg.text((0.0, y + height / 2.0 + 5.0), "", &label);
        for (column, high) in shown.iter().enumerate().take(line + 1) {
            let pair = (low.attributes.first(), high.attributes.first());
            let rows = if line == column { low.rows } else { rows_of(found, pair.0, pair.1) };
            let at = (LEFT + cell * real(column as u64), y);
            let hint = if line == column {
                format!("{} alone: {}", low.attributes.join(""), count(rows, "row", "rows"))
            } else {
                let (a, b) = (high.attributes.join(""), low.attributes.join(""));
                format!("{a} + {b}: {}", count(rows, "row", "rows"))
            };
            let class = shade(rows, answer.rows);
            svg.rect(at, (cell - 2.0, height - 2.0), &format!("cell {class}"), &hint);
            let middle = (at.0 + cell / 2.0 - 1.0, at.1 + height / 2.0 + 4.0);
            svg.text(middle, &format!("middle on-{class}"), &short_percent(rows, answer.rows));
        }
        y += height;
    }
    for column in 0..shown.len() {
        let x = LEFT + cell * (real(column as u64) + 0.5) - 1.0;
        svg.text((x, y + 18.0), "middle soft", &(column + 1).to_string());
    }
    let most = found.by_pair.iter().max_by_key(|pair| pair.rows);
    let said = most.map_or(String::new(), |pair| {
        let rows = count(pair.rows, "row", "rows");
        format!("the pair with the most is {} with {rows}", pair.attributes.join(" + "))
    });
    let drawing = svg.finish(y + 26.0, "by-pair", "Rows that a pair makes unique", &said);
    let left_out = if ranked.len() > MATRIX {
        format!(" Only the {MATRIX} columns with the most unique rows are drawn.")
    } else {
        String::new()
    };
    let note = format!(
        "<p class=\"note\">In percent of the rows; the diagonal is the column alone.{left_out}</p>\n"
    );
    figure("Rows that two columns together make unique", &drawing, &note)
}

fn rows_of(found: &UniquesAnswer, a: Option<&String>, b: Option<&String>) -> u64 {
    let is = |pair: &&UniqueCount| {
        let both = (pair.attributes.first(), pair.attributes.last());
        both == (a, b) || both == (b, a)
    };
    found.by_pair.iter().find(is).map_or(0, |pair| pair.rows)
}

/// The pairs with the most unique rows.
fn pairs(answer: &Diagnosis, found: &UniquesAnswer) -> String {
    let mut ranked: Vec<&UniqueCount> = found.by_pair.iter().filter(|pair| pair.rows > 0).collect();
    ranked.sort_by_key(|pair| std::cmp::Reverse(pair.rows));
    let caption = if ranked.len() > 5 { "The five worst pairs" } else { "Pairs, worst first" };
    let mut table = Table::new(caption, "pairs", &["Pair", "#rows", "#share"]);
    for pair in ranked.iter().take(5) {
        let share = percent(part(pair.rows, answer.rows));
        table.row([&*chips(&pair.attributes), &*grouped(pair.rows), &*share]);
    }
    table.finish()
}

fn riskiest(rows: &[Riskiest]) -> String {
    let head = ["#Row", "Smallest sets of columns that single it out", "#SUDA score"];
    let mut table = Table::new("The riskiest rows, worst first", "riskiest", &head);
    let mut limited = false;
    for row in rows {
        let mut sets: Vec<String> = row.sets.iter().take(SETS).map(|set| chips(set)).collect();
        if row.sets.len() > SETS {
            let more = grouped((row.sets.len() - SETS) as u64);
            sets.push(format!("<span class=\"soft\">and {more} more</span>"));
        }
        limited |= row.limited;
        let mark = if row.limited { " *" } else { "" };
        let number = format!("{}{mark}", grouped(row.row));
        table.row([&*number, &*sets.join(" "), &*escape(&format!("{:.2}", row.score))]);
    }
    let mut note = String::from(
        "Rows are counted from 1, without the header. A higher score means fewer columns are needed, \
         or more ways to single the row out.",
    );
    if limited {
        note.push_str(" * Only sets of up to four columns were looked for.");
    }
    format!("<h3>Riskiest rows</h3>\n{}<p class=\"note\">{note}</p>\n", table.finish())
}
