//! Sets of columns for the terminal: every subset with its levels, or the borders of a promise.

use std::fmt::Write;

use super::{MOST, joined, more, section};
use crate::diagnose::{BordersAnswer, CurvePoint, Diagnosis, Reached, Subset};
use crate::wording::{count, decimal, grouped, share, visible};

pub(super) fn every_subset(out: &mut String, subsets: &[Subset], rows: u64) {
    for subset in subsets.iter().take(MOST) {
        let name = match &subset.attributes[..] {
            [] => "(none)".to_owned(),
            names => joined(names, ", "),
        };
        let mut figures = vec![format!("k = {}", grouped(subset.k))];
        let found = &subset.suppression;
        if let Some(Reached(reached)) = found.k_after {
            let said = |k| format!("k after = {}", grouped(k));
            figures.push(reached.map_or("nothing left".into(), said));
        }
        if let Some(suppressed) = found.suppressed {
            figures.push(format!("drop {} ({})", grouped(suppressed), share(suppressed, rows)));
        }
        if let Some(curve) = &found.curve {
            let point =
                |p: &CurvePoint| format!("{} for k = {}", grouped(p.suppressed), grouped(p.k));
            let points: Vec<String> = curve.iter().take(5).map(point).collect();
            figures.push(format!("drop {}", points.join(", ")));
        }
        for levels in &subset.sensitive {
            figures.push(format!(
                "l of {}: distinct {}, frequency {}, entropy {}",
                visible(&levels.attribute),
                grouped(levels.distinct_l),
                decimal(levels.frequency_l_value),
                decimal(levels.entropy_l)
            ));
        }
        let _ = writeln!(out, "  {name}: {}", figures.join("; "));
    }
    more(out, subsets.len());
}

pub(super) fn borders(out: &mut String, answer: &Diagnosis, found: &BordersAnswer) {
    section(out, &format!("Which sets of columns keep {}", visible(&found.promise)));
    if let Some(unfinished) = found.unfinished() {
        let _ = writeln!(out, "  {unfinished}");
    }
    if answer.borders_ignore_suppression() {
        let _ = writeln!(out, "  Judged on the table as it is: dropping rows is not counted here");
    }
    let both = [&found.positive_border, &found.negative_border];
    for (sets, (title, none)) in both.into_iter().zip(found.titles()) {
        let n = grouped(sets.len() as u64);
        let n = if found.complete { format!(" ({n})") } else { format!(": {n}") };
        section(out, &format!("{title}{n}"));
        for set in sets.iter().take(MOST) {
            let name = match &set[..] {
                [] => "(no attribute at all)".to_owned(),
                names => joined(names, ", "),
            };
            let _ = writeln!(out, "  {name}");
        }
        if sets.is_empty() {
            let _ = writeln!(out, "  {none}");
        }
        more(out, sets.len());
    }
    let tested = count(found.evaluated, "set", "sets");
    let _ = writeln!(out, "\n{tested} tested ({})", found.searched());
}
