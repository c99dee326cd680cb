//! A diagnosis for the terminal.

use std::fmt::Write;

use super::sentences::{decimal, grouped, percent, share};
use super::{
    BordersAnswer, Diagnosis, GoalAnswer, Line, NOT_PROMISED, Reached, Subset, SuppressionAnswer,
    UniquesAnswer, level_lines, sensitive_lines,
};

/// How many sets, subsets or points of a list are printed; the JSON has all.
const MOST: usize = 40;

/// The diagnosis as text, readable without color.
pub fn text(answer: &Diagnosis) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} rows, quasi-identifiers {}",
        answer.table,
        grouped(answer.rows),
        answer.quasi.join(", ")
    );
    section(&mut out, "Levels");
    lines(&mut out, &level_lines(answer));
    for sensitive in &answer.sensitive {
        let title =
            format!("Sensitive: {} ({} values)", sensitive.attribute, grouped(sensitive.values));
        section(&mut out, &title);
        lines(&mut out, &sensitive_lines(answer, sensitive));
    }
    goal(&mut out, answer);
    risk(&mut out, answer);
    if let Some(found) = &answer.uniques {
        uniques(&mut out, found);
    }
    suppression(&mut out, answer);
    if let Some(subsets) = &answer.subsets {
        section(&mut out, &format!("Subsets ({})", grouped(subsets.len() as u64)));
        every_subset(&mut out, subsets, answer.rows);
    }
    if let Some(found) = &answer.borders {
        borders(&mut out, found);
    }
    if !answer.left_out.is_empty() {
        section(&mut out, "Left out");
        bullets(&mut out, answer.left_out.iter().map(String::as_str));
    }
    section(&mut out, "Not promised");
    bullets(&mut out, NOT_PROMISED.iter().copied());
    out
}

fn section(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n{title}");
}

/// Wraps text after a two-space bullet at 98 characters.
fn bullets<'a>(out: &mut String, items: impl Iterator<Item = &'a str>) {
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

fn goal(out: &mut String, answer: &Diagnosis) {
    if answer.goal.is_empty() && answer.holds.is_none() {
        return;
    }
    section(out, "Asked for");
    let describe = |item: &GoalAnswer| Line {
        name: match &item.attribute {
            Some(attribute) => format!("{} of {attribute}", item.model),
            None => item.model.clone(),
        },
        value: item.parameters.clone(),
        meaning: if item.holds {
            "holds (decided)".into()
        } else {
            format!(
                "does not hold: {} of {} classes break it, with {} rows ({})",
                grouped(item.violating_classes),
                grouped(answer.classes),
                grouped(item.violating_rows),
                share(item.violating_rows, answer.rows)
            )
        },
    };
    lines(out, &answer.goal.iter().map(describe).collect::<Vec<_>>());
    if let Some(holds) = answer.holds {
        let _ = writeln!(out, "  answer: {}", if holds { "yes" } else { "no" });
    }
}

fn risk(out: &mut String, answer: &Diagnosis) {
    section(out, "Risk of being linked");
    let prosecutor = &answer.risk.prosecutor;
    let mut found = vec![
        Line {
            name: "prosecutor, highest".into(),
            value: percent(prosecutor.max_value),
            meaning: "against somebody who knows that the person is in the table".into(),
        },
        Line {
            name: "prosecutor, mean".into(),
            value: percent(prosecutor.mean_value),
            meaning: "over all rows".into(),
        },
    ];
    for above in &prosecutor.above {
        found.push(Line {
            name: format!("above 1/{}", above.one_in),
            value: percent(above.share),
            meaning: format!("{} rows", grouped(above.rows)),
        });
    }
    let others = [
        ("journalist, highest", answer.risk.journalist, "who knows only the population"),
        ("marketer", answer.risk.marketer, "who links everyone at random: share right"),
    ];
    for (name, figure, whom) in others {
        if let Some(figure) = figure {
            let estimate = if figure.estimate { " (an estimate)" } else { "" };
            found.push(Line {
                name: name.into(),
                value: percent(figure.value),
                meaning: format!("against somebody {whom}{estimate}"),
            });
        }
    }
    lines(out, &found);
    if let Some(presence) = answer.presence.as_ref().filter(|p| p.rows_not_covered > 0) {
        let _ = writeln!(
            out,
            "  note: the public table lists fewer people than this one for {} rows",
            grouped(presence.rows_not_covered)
        );
    }
}

fn uniques(out: &mut String, found: &UniquesAnswer) {
    section(out, "Standing alone");
    for (index, &rows) in found.by_smallest_set.iter().enumerate() {
        let columns = if index == 0 { "column" } else { "columns" };
        let _ = writeln!(out, "  {:>12} rows by {} {columns}", grouped(rows), index + 1);
    }
    let mut columns: Vec<_> = found.by_column.iter().chain(&found.by_pair).collect();
    columns.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.attributes.cmp(&b.attributes)));
    columns.retain(|count| count.rows > 0);
    if !columns.is_empty() {
        let _ = writeln!(out, "  columns and pairs that make most rows unique:");
    }
    for count in columns.iter().take(8) {
        let _ = writeln!(out, "  {:>12}  {}", grouped(count.rows), count.attributes.join(" + "));
    }
    if !found.riskiest.is_empty() {
        let _ = writeln!(
            out,
            "  riskiest rows (numbered without the header), by what singles them out:"
        );
    }
    for singled in &found.riskiest {
        let mut sets: Vec<String> =
            singled.sets.iter().take(4).map(|set| set.join(" + ")).collect();
        if singled.sets.len() > 4 {
            sets.push(format!("{} more", singled.sets.len() - 4));
        }
        let _ = writeln!(out, "  row {:>8}  {}", singled.row, sets.join("; "));
    }
}

fn suppression(out: &mut String, answer: &Diagnosis) {
    let found = &answer.suppression;
    let dropped = found
        .suppressed
        .map(|rows| format!("{} rows ({})", grouped(rows), share(rows, answer.rows)));
    match (found, dropped) {
        (SuppressionAnswer { k_after: Some(Reached(reached)), .. }, Some(dropped)) => {
            section(out, "With suppression");
            let _ = match reached {
                Some(k) => writeln!(out, "  dropping {dropped} gives k = {}", grouped(*k)),
                None => writeln!(out, "  every row may be dropped: nothing is left"),
            };
        }
        (SuppressionAnswer { curve: Some(curve), .. }, _) => {
            section(out, "With suppression");
            let _ = writeln!(out, "  {:>10}  {:>12}", "k", "rows dropped");
            for point in curve.iter().take(MOST) {
                let dropped = grouped(point.suppressed);
                let part = share(point.suppressed, answer.rows);
                let _ = writeln!(out, "  {:>10}  {dropped:>12}  ({part})", grouped(point.k));
            }
            more(out, curve.len());
        }
        (_, Some(dropped)) => {
            section(out, "With suppression");
            let _ = writeln!(out, "  {dropped} must be dropped");
        }
        _ => {}
    }
}

fn more(out: &mut String, n: usize) {
    if n > MOST {
        let _ = writeln!(out, "  … and {} more; `--format json` has all", n - MOST);
    }
}

fn every_subset(out: &mut String, subsets: &[Subset], rows: u64) {
    let name = |subset: &Subset| match subset.attributes.join(", ") {
        none if none.is_empty() => "(none)".to_owned(),
        names => names,
    };
    for subset in subsets.iter().take(MOST) {
        let mut figures = vec![format!("k = {}", grouped(subset.k))];
        let found = &subset.suppression;
        if let Some(Reached(reached)) = found.k_after {
            figures.push(reached.map_or("nothing left".into(), |k| format!("k after = {k}")));
        }
        if let Some(suppressed) = found.suppressed {
            figures.push(format!("drop {} ({})", grouped(suppressed), share(suppressed, rows)));
        }
        if let Some(curve) = &found.curve {
            let points = curve.iter().take(5).map(|p| format!("{} for {}", p.suppressed, p.k));
            figures.push(format!("drop {}", points.collect::<Vec<_>>().join(", ")));
        }
        for levels in &subset.sensitive {
            figures.push(format!(
                "{}: l = {}, {}, {}",
                levels.attribute,
                levels.distinct_l,
                decimal(levels.frequency_l_value),
                decimal(levels.entropy_l)
            ));
        }
        let _ = writeln!(out, "  {}: {}", name(subset), figures.join("; "));
    }
    if subsets.iter().any(|subset| !subset.sensitive.is_empty()) {
        let _ = writeln!(out, "  (l: distinct, frequency, entropy)");
    }
    more(out, subsets.len());
}

fn borders(out: &mut String, found: &BordersAnswer) {
    let name = |set: &Vec<String>| {
        if set.is_empty() { "(no attribute at all)".to_owned() } else { set.join(", ") }
    };
    let both = [
        (
            "Largest safe sets",
            &found.positive_border,
            "none: the promise fails for the whole table",
        ),
        ("Smallest unsafe sets", &found.negative_border, "none: every set is safe"),
    ];
    section(out, &format!("Which sets of columns keep {}", found.promise));
    for (title, sets, none) in both {
        section(out, &format!("{title} ({})", grouped(sets.len() as u64)));
        for set in sets.iter().take(MOST) {
            let _ = writeln!(out, "  {}", name(set));
        }
        if sets.is_empty() {
            let _ = writeln!(out, "  {none}");
        }
        more(out, sets.len());
    }
    let _ = writeln!(out, "\n{} sets tested ({})", grouped(found.evaluated), found.search);
}
