//! A diagnosis for the terminal.

mod sets;

use std::fmt::Write;

use kohort_core::{Ratio, Setting};

use super::{
    Diagnosis, GoalAnswer, Line, NOT_PROMISED, UniquesAnswer, level_lines, sensitive_lines,
};
use crate::wording::{count, grouped, percents, share, visible};

/// How many sets, subsets or points of a list are printed; the JSON has all.
const MOST: usize = 40;

/// The diagnosis as text, readable without color: the verdict, then the figures.
pub fn text(answer: &Diagnosis) -> String {
    let mut out = String::new();
    if let Some(verdict) = answer.findings().first() {
        let _ = writeln!(out, "{verdict}\n");
    }
    let _ = writeln!(
        out,
        "{}: {}{}, {} {}",
        visible(&answer.table),
        count(answer.rows, "row", "rows"),
        answer.people.as_ref().map_or(String::new(), |found| {
            format!(" of {}", count(found.people, "person", "people"))
        }),
        if answer.quasi.len() == 1 { "quasi-identifier" } else { "quasi-identifiers" },
        joined(&answer.quasi, ", ")
    );
    if let Some(people) = &answer.people {
        section(&mut out, "People");
        lines(&mut out, &people.lines());
        bullets(&mut out, std::iter::once(people.caveat()));
    }
    section(&mut out, "Levels");
    lines(&mut out, &level_lines(answer));
    for sensitive in &answer.sensitive {
        let values = sensitive.n_values();
        section(&mut out, &format!("Sensitive: {} ({values})", visible(&sensitive.attribute)));
        lines(&mut out, &sensitive_lines(answer, sensitive));
    }
    asked(&mut out, answer);
    risk(&mut out, answer);
    if let Some(found) = &answer.uniques {
        uniques(&mut out, answer, found);
    }
    suppression(&mut out, answer);
    if let Some(subsets) = &answer.subsets {
        section(&mut out, &format!("Subsets ({})", grouped(subsets.len() as u64)));
        for left_out in answer.left_out_subsets() {
            let _ = writeln!(out, "  left out: {}", visible(left_out));
        }
        sets::every_subset(&mut out, subsets, answer.rows);
    }
    if let Some(found) = &answer.borders {
        sets::borders(&mut out, answer, found);
    }
    if !answer.left_out.is_empty() {
        section(&mut out, "Left out");
        bullets(&mut out, answer.left_out.iter().map(|left_out| visible(left_out)));
    }
    section(&mut out, "Not promised");
    bullets(&mut out, NOT_PROMISED.iter().map(|&said| said.to_owned()));
    out
}

fn section(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n{title}");
}

/// Names with something between them.
fn joined(names: &[String], between: &str) -> String {
    names.iter().map(|name| visible(name)).collect::<Vec<_>>().join(between)
}

/// Wraps text after a two-space bullet at 98 characters.
fn bullets(out: &mut String, items: impl Iterator<Item = String>) {
    for item in items {
        let mut column = 2;
        out.push_str("  -");
        for word in item.split_whitespace() {
            if column + 1 + word.chars().count() > 98 {
                out.push_str("\n   ");
                column = 2;
            }
            out.push(' ');
            out.push_str(word);
            column += 1 + word.chars().count();
        }
        out.push('\n');
    }
}

fn lines(out: &mut String, lines: &[Line]) {
    let width = |of: fn(&Line) -> &str| {
        lines.iter().map(|line| of(line).chars().count()).max().unwrap_or(0)
    };
    let (name, value) = (width(|line| &line.name), width(|line| &line.value));
    for line in lines {
        let _ = writeln!(out, "  {:<name$}  {:<value$}  {}", line.name, line.value, line.meaning);
    }
}

/// What was asked for, with its answer, and how the plan's goal stands.
fn asked(out: &mut String, answer: &Diagnosis) {
    let (asked, goal) = answer.promises();
    let describe = |items: &[GoalAnswer]| -> Vec<Line> {
        items.iter().map(|item| promise(answer, item)).collect()
    };
    if !asked.is_empty() || answer.holds.is_some() {
        section(out, "Asked for");
        lines(out, &describe(asked));
        let _ = match (answer.suppression_verdict(), answer.holds) {
            (Some(verdict), _) => writeln!(out, "  {verdict}"),
            (None, Some(holds)) => writeln!(out, "  answer: {}", if holds { "yes" } else { "no" }),
            (None, None) => Ok(()),
        };
    }
    if !goal.is_empty() {
        section(out, "The plan's goal, judged on the table as it is");
        let _ = writeln!(out, "  A goal is for a release: the raw table need not keep it.");
        lines(out, &describe(goal));
    }
}

fn promise(answer: &Diagnosis, item: &GoalAnswer) -> Line {
    Line {
        name: match &item.attribute {
            Some(attribute) => {
                format!("{} of {}{}", item.model, visible(attribute), item.in_buckets())
            }
            None => format!("{}{}", item.model, item.in_buckets()),
        },
        value: item.parameters.clone(),
        meaning: if item.holds {
            "holds".into()
        } else {
            format!(
                "does not hold: {} of {} break it, with {} ({})",
                grouped(item.violating_classes),
                count(answer.classes, "class", "classes"),
                count(item.violating_rows, "row", "rows"),
                share(item.violating_rows, answer.rows)
            )
        },
    }
}

fn risk(out: &mut String, answer: &Diagnosis) {
    section(out, "Risk of being linked");
    let prosecutor = &answer.risk.prosecutor;
    let mut found: Vec<(String, f64, String)> = vec![
        (
            "prosecutor, highest".into(),
            prosecutor.max_value,
            "against somebody who knows that the person is in the table".into(),
        ),
        (
            "prosecutor, mean".into(),
            prosecutor.mean_value,
            "the same, on average over all rows".into(),
        ),
    ];
    for above in &prosecutor.above {
        let rows = count(above.rows, "row", "rows");
        found.push((
            format!("above 1/{}", above.one_in),
            above.share,
            format!("{rows} in classes of fewer than {}", above.one_in),
        ));
    }
    let others = [
        (
            "journalist, highest",
            answer.risk.journalist,
            "against somebody who knows only that the person is in the population",
        ),
        (
            "marketer",
            answer.risk.marketer,
            "the share of right links when everybody is linked at random within their class",
        ),
    ];
    for (name, figure, meaning) in others {
        if let Some(figure) = figure {
            found.push((name.into(), figure.value, format!("{meaning}{}", figure.caveat())));
        }
    }
    let population = answer.risk.population.as_ref();
    for (name, value, meaning) in population.iter().flat_map(|found| found.figures()) {
        found.push((name.into(), value, meaning));
    }
    let values = percents(&found.iter().map(|(_, value, _)| *value).collect::<Vec<_>>());
    let widest = values.iter().map(String::len).max().unwrap_or(0);
    let found: Vec<Line> = found
        .into_iter()
        .zip(values)
        .map(|((name, _, meaning), value)| Line {
            name,
            value: format!("{value:>widest$}"),
            meaning,
        })
        .collect();
    lines(out, &found);
    bullets(out, population.iter().map(|found| found.of_models()));
    not_covered(out, answer);
}

/// What is odd about the public table.
fn not_covered(out: &mut String, answer: &Diagnosis) {
    if let Some(presence) = answer.presence.as_ref().filter(|p| p.rows_not_covered > 0) {
        let rows = count(presence.rows_not_covered, "row", "rows");
        let _ =
            writeln!(out, "  note: the public table lists fewer people than this one for {rows}");
    }
}

fn uniques(out: &mut String, answer: &Diagnosis, found: &UniquesAnswer) {
    section(out, "Unique rows");
    let alone = found.by_fewest(answer);
    if alone.is_empty() {
        let _ = writeln!(out, "  no row is unique");
    }
    for (rows, by) in alone {
        let unit = if rows == 1 { "row" } else { "rows" };
        let _ = writeln!(out, "  {:>12} {unit} {by}", grouped(rows));
    }
    let mut columns: Vec<_> = found.by_column.iter().chain(&found.by_pair).collect();
    columns.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.attributes.cmp(&b.attributes)));
    // The only row of a table needs no column to stand alone.
    columns.retain(|count| count.rows > 0 && answer.rows > 1);
    if !columns.is_empty() {
        let _ = writeln!(out, "  columns and pairs that make most rows unique:");
    }
    for count in columns.iter().take(8) {
        let _ =
            writeln!(out, "  {:>12}  {}", grouped(count.rows), joined(&count.attributes, " + "));
    }
    if !found.riskiest.is_empty() {
        let _ = writeln!(
            out,
            "  riskiest rows (numbered without the header), by what singles them out:"
        );
    }
    for singled in &found.riskiest {
        let mut sets: Vec<String> =
            singled.sets.iter().take(4).map(|set| joined(set, " + ")).collect();
        if singled.sets.len() > 4 {
            sets.push(format!("{} more", grouped(singled.sets.len() as u64 - 4)));
        }
        let by = singled.without_sets(answer).unwrap_or_else(|| sets.join("; "));
        let _ = writeln!(out, "  row {:>8}  {by}", grouped(singled.row));
    }
}

fn suppression(out: &mut String, answer: &Diagnosis) {
    let said = answer.suppression_lines();
    let curve = answer.suppression.curve.as_deref().unwrap_or_default();
    if said.is_empty() && curve.is_empty() {
        return;
    }
    section(out, "With suppression");
    for line in said {
        let _ = writeln!(out, "  {line}");
    }
    let Some(last) = curve.last() else { return };
    let _ = writeln!(out, "  {:>10}  {:>12}", "k", "rows dropped");
    let part = |rows| Ratio::new(rows, answer.rows.max(1)).value();
    let shown = &curve[..curve.len().min(MOST)];
    let shares = percents(&shown.iter().map(|point| part(point.suppressed)).collect::<Vec<_>>());
    for (point, share) in shown.iter().zip(shares) {
        let (k, dropped) = (grouped(point.k), grouped(point.suppressed));
        let _ = writeln!(out, "  {k:>10}  {dropped:>12}  ({share})");
    }
    more(out, curve.len());
    let _ = writeln!(out, "  any k above {}: nothing would be left", grouped(last.k));
}

fn more(out: &mut String, n: usize) {
    if n > MOST {
        let left = grouped((n - MOST) as u64);
        let _ = writeln!(
            out,
            "  … and {left} more; {format} has all",
            format = Setting::Format.to("json")
        );
    }
}
