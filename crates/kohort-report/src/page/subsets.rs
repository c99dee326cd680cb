//! The level of every subset of the columns.

use maud::{Markup, html};

use super::figures::{part, real};
use super::lattice::{LARGEST, subsets_lattice};
use super::markup::{Table, chips, figure, legend, name, note, notice, section};
use super::svg::Svg;
use crate::diagnose::{Diagnosis, Reached, Subset, SuppressionAnswer};
use crate::wording::{count, decimal, grouped, share};

/// How many subsets are listed.
const MOST: usize = 60;
/// The bands of k, with their class in the drawing and their name.
const BANDS: [(u64, &str, &str); 4] = [
    (1, "alone", "k = 1"),
    (4, "few", "k = 2 to 4"),
    (9, "bar-soft", "k = 5 to 9"),
    (u64::MAX, "bar", "k = 10 or more"),
];

/// How k falls with the number of columns known, and the subsets one by one.
pub(super) fn subsets(answer: &Diagnosis) -> Markup {
    let Some(found) = &answer.subsets else { return Markup::default() };
    let body = html! {
        @for said in answer.left_out_subsets() { (notice(&format!("Left out: {said}"))) }
        (strips(found))
        @if answer.quasi.len() <= LARGEST { (subsets_lattice(answer, found)) }
        (list(answer, found))
    };
    section("subsets", "When an outsider knows only some of the columns", &body)
}

fn band(k: u64) -> usize {
    BANDS.iter().position(|(most, ..)| k <= *most).unwrap_or(BANDS.len() - 1)
}

/// For each size of subset, how many have which k.
fn strips(found: &[Subset]) -> Markup {
    const LONGEST: f64 = 400.0;
    let mut svg = Svg::new(480.0, "chart");
    let mut said = Vec::new();
    svg.text((0.0, 16.0), "soft", "columns known, and the sets of that many by their k");
    let mut y = 28.0;
    let largest = found.iter().map(|subset| subset.attributes.len()).max().unwrap_or(0);
    for size in 0..=largest {
        let mut counts = [0_u64; BANDS.len()];
        for subset in found.iter().filter(|subset| subset.attributes.len() == size) {
            counts[band(subset.k)] += 1;
        }
        let all: u64 = counts.iter().sum();
        let mut x = 36.0;
        svg.text((24.0, y + 17.0), "end", &size.to_string());
        for (&(_, class, title), &number) in BANDS.iter().zip(&counts) {
            let width = LONGEST * part(number, all);
            let hint = format!("{size} known: {} with {title}", count(number, "set", "sets"));
            if number > 0 {
                svg.rect((x, y), (width, 24.0), class, &hint);
                if width > 12.0 + 9.0 * real(grouped(number).len() as u64) {
                    let on = format!("middle on-{class}");
                    svg.text((x + width / 2.0, y + 17.0), &on, &grouped(number));
                }
                said.push(hint);
            }
            x += width;
        }
        y += 30.0;
    }
    let drawing = svg.finish(y, "strips", "k by the number of columns known", &said.join("; "));
    let marks = legend(&BANDS.map(|(_, class, title)| (class, title)));
    figure("How k falls as more columns are known", &drawing, &marks)
}

/// The subsets one by one, the smallest first.
fn list(answer: &Diagnosis, found: &[Subset]) -> Markup {
    let mut table =
        Table::new("k of each set of columns", "subsets", &["Columns known", "#k", "#classes"]);
    let with_suppression = found.iter().any(|subset| !suppression(answer, subset).is_empty());
    if with_suppression {
        table.heading(html! { "With suppression" });
    }
    let sensitive = found.first().map_or(&[][..], |subset| &subset.sensitive);
    for levels in sensitive {
        table.heading(html! { "l of " (name(&levels.attribute)) ": distinct, frequency, entropy" });
    }
    for subset in found.iter().take(MOST) {
        let (_, class, _) = BANDS[band(subset.k)];
        let mut cells = vec![
            chips(&subset.attributes),
            html! { span class={ "badge " (class) } { (grouped(subset.k)) } },
            html! { (grouped(subset.classes)) },
        ];
        if with_suppression {
            cells.push(html! { (suppression(answer, subset)) });
        }
        cells.extend(subset.sensitive.iter().map(|levels| {
            html! {
                (grouped(levels.distinct_l)) ", " (decimal(levels.frequency_l_value)) ", "
                (decimal(levels.entropy_l))
            }
        }));
        table.row_of(&cells);
    }
    html! {
        (table.finish())
        @if found.len() > MOST {
            (note(format!(
                "The first {MOST} of {} sets, smallest first; the other {} are left out here and are in \
                 the JSON answer.",
                grouped(found.len() as u64),
                grouped((found.len() - MOST) as u64)
            )))
        }
    }
}

fn suppression(answer: &Diagnosis, subset: &Subset) -> String {
    let SuppressionAnswer { k_after, suppressed, curve, .. } = &subset.suppression;
    let mut said = Vec::new();
    match k_after {
        Some(Reached(Some(k))) => said.push(format!("k = {}", grouped(*k))),
        Some(Reached(None)) => said.push("nothing left".into()),
        None => {}
    }
    if let Some(rows) = suppressed {
        said.push(format!("drop {} ({})", grouped(*rows), share(*rows, answer.rows)));
    }
    for point in curve.iter().flatten().take(4) {
        said.push(format!("k = {} for {}", grouped(point.k), grouped(point.suppressed)));
    }
    let more = curve.as_ref().map_or(0, |points| points.len().saturating_sub(4));
    if more > 0 {
        said.push(format!("{} more", grouped(more as u64)));
    }
    said.join("; ")
}
