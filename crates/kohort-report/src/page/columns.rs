//! Which columns, and which pairs of them, make rows unique.

use maud::{Markup, html};

use super::figures::{part, real};
use super::markup::{Table, chips, figure, joined, note, paragraph, section, shortened};
use super::svg::{Bar, Svg};
use crate::diagnose::{Diagnosis, Riskiest, UniqueCount, UniquesAnswer};
use crate::wording::visible;
use crate::wording::{count, grouped, percents};

/// How many columns have a bar.
const BARS: usize = 12;
/// How many columns the matrix of pairs has.
const MATRIX: usize = 8;
/// How many sets of one row are listed.
const SETS: usize = 6;

/// Rows that stand alone, by what singles them out.
pub(super) fn columns(answer: &Diagnosis) -> Markup {
    let Some(found) = &answer.uniques else { return Markup::default() };
    if answer.rows == 1 {
        let said = "The only row of the table is unique, whatever is known.";
        return section("columns", "Which columns single people out", &paragraph(said));
    }
    let mut ranked: Vec<&UniqueCount> = found.by_column.iter().collect();
    ranked.sort_by_key(|count| std::cmp::Reverse(count.rows));
    let has_pairs = found.by_pair.iter().any(|pair| pair.rows > 0) && ranked.len() > 1;
    let body = html! {
        (smallest(answer, found))
        div class="pair" {
            div {
                (bars(answer, &ranked))
                @if has_pairs { (pairs(answer, found)) }
            }
            @if has_pairs { (matrix(answer, found, &ranked)) }
        }
        @if !found.riskiest.is_empty() { (riskiest(answer, &found.riskiest)) }
    };
    section("columns", "Which columns single people out", &body)
}

/// How many columns it takes.
fn smallest(answer: &Diagnosis, found: &UniquesAnswer) -> Markup {
    let unique = answer.risk.prosecutor.unique;
    let explained: u64 = found.by_smallest_set.iter().sum();
    if unique == 0 && explained == 0 {
        return paragraph("No row is unique, so no set of these columns singles anybody out.");
    }
    let part = |(rows, by): (u64, String)| {
        html! { strong { (count(rows, "row", "rows")) } " " (by) }
    };
    let parts = joined(found.by_fewest(answer).into_iter().map(part), ", ");
    html! { p { "Counted by the fewest columns that single them out: " (parts) "." } }
}

/// A bar per column, the name above it so that it has room. The full width is the whole table.
fn bars(answer: &Diagnosis, ranked: &[&UniqueCount]) -> Markup {
    let n_drawn = ranked.iter().take(BARS).filter(|found| found.rows > 0).count();
    let mut svg = Svg::new(Bar::WIDTH, "chart");
    let mut said = Vec::new();
    let mut y = 0.0;
    let drawn = &ranked[..n_drawn];
    let shares: Vec<f64> = drawn.iter().map(|found| part(found.rows, answer.rows)).collect();
    for ((index, found), share) in drawn.iter().enumerate().zip(percents(&shares)) {
        let column = found.attributes.join(" + ");
        let hint = format!("{column}: {} unique", count(found.rows, "row", "rows"));
        let label = format!("{} {}", index + 1, shortened(&visible(&column), 29));
        let text = format!("{} · {}", grouped(found.rows), share);
        let bar = Bar { label: &label, text: &text, hint: &hint };
        bar.draw(&mut svg, y, part(found.rows, answer.rows), "bar");
        said.push(hint);
        y += Bar::LINE;
    }
    let drawing = svg.finish(y, "by-column", "Rows that one column makes unique", &said.join("; "));
    let others = grouped((ranked.len() - n_drawn) as u64);
    let words = match ranked.get(n_drawn) {
        None => String::new(),
        Some(_) if n_drawn == 0 => "No single column makes a row unique.".into(),
        Some(next) if next.rows > 0 => format!(
            "The {BARS} columns with the most are shown; each of the other {others} makes at most {} \
             unique.",
            count(next.rows, "row", "rows")
        ),
        Some(_) if others == "1" => "The other one makes no row unique.".into(),
        Some(_) => format!("The other {others} make no row unique."),
    };
    let below = if words.is_empty() { Markup::default() } else { note(words) };
    let drawing = if n_drawn == 0 { Markup::default() } else { drawing };
    figure("Rows that a single column makes unique", &drawing, &below)
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
fn matrix(answer: &Diagnosis, found: &UniquesAnswer, ranked: &[&UniqueCount]) -> Markup {
    const LEFT: f64 = 152.0;
    let shown: Vec<&UniqueCount> = ranked.iter().take(MATRIX).copied().collect();
    let cell = ((480.0 - LEFT) / real(shown.len() as u64)).min(56.0);
    let height = cell.min(40.0);
    let mut svg = Svg::new(480.0, "chart matrix");
    let mut y = 4.0;
    for (line, low) in shown.iter().enumerate() {
        let label = format!("{} {}", line + 1, shortened(&visible(&low.attributes.join("")), 13));
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
    let words = format!("In percent of the rows; the diagonal is the column alone.{left_out}");
    figure("Rows that two columns together make unique", &drawing, &note(words))
}

fn rows_of(found: &UniquesAnswer, a: Option<&String>, b: Option<&String>) -> u64 {
    let is = |pair: &&UniqueCount| {
        let both = (pair.attributes.first(), pair.attributes.last());
        both == (a, b) || both == (b, a)
    };
    found.by_pair.iter().find(is).map_or(0, |pair| pair.rows)
}

/// The pairs with the most unique rows.
fn pairs(answer: &Diagnosis, found: &UniquesAnswer) -> Markup {
    let mut ranked: Vec<&UniqueCount> = found.by_pair.iter().filter(|pair| pair.rows > 0).collect();
    ranked.sort_by_key(|pair| std::cmp::Reverse(pair.rows));
    let caption = if ranked.len() > 5 { "The five worst pairs" } else { "Pairs, worst first" };
    ranked.truncate(5);
    let mut table = Table::new(caption, "pairs", &["Pair", "#rows", "#share"]);
    let shares: Vec<f64> = ranked.iter().map(|pair| part(pair.rows, answer.rows)).collect();
    for (pair, share) in ranked.iter().zip(percents(&shares)) {
        table.row(&[&chips(&pair.attributes), &grouped(pair.rows), &share]);
    }
    table.finish()
}

fn riskiest(answer: &Diagnosis, rows: &[Riskiest]) -> Markup {
    let head = ["#Row", "Smallest sets of columns that single it out", "#SUDA score"];
    let mut table = Table::new("The riskiest rows, worst first", "riskiest", &head);
    for row in rows {
        let number = format!("{}{}", grouped(row.row), if row.limited { " *" } else { "" });
        table.row(&[&number, &singled_out(answer, row), &format!("{:.2}", row.score)]);
    }
    let looked = rows.iter().filter(|row| row.limited).map(|row| row.looked_up_to).min();
    html! {
        h3 { "Riskiest rows" }
        (table.finish())
        p class="note" {
            "Rows are counted from 1, without the header. The SUDA score (special uniques detection) adds \
             1 for a single column that singles the row out, and less for a larger set: a higher score \
             means fewer columns are needed, or more ways."
            @if let Some(most) = looked {
                " * Sets larger than " (count(most as u64, "column", "columns")) " were not searched."
            }
        }
    }
}

/// The sets of columns that single a row out.
fn singled_out(answer: &Diagnosis, row: &Riskiest) -> Markup {
    if let Some(words) = row.without_sets(answer) {
        return html! { (words) };
    }
    let sets = joined(row.sets.iter().take(SETS).map(|set| chips(set)), " ");
    let more = row.sets.len().saturating_sub(SETS);
    html! {
        (sets)
        @if more > 0 { " " span class="soft" { "and " (grouped(more as u64)) " more" } }
    }
}
