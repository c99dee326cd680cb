//! What dropping rows buys: k as a step curve over the share of rows dropped.

use maud::{Markup, html};

use super::figures::{part, real, rows_below};
use super::markup::{Table, figure, note, text};
use super::svg::Svg;
use crate::diagnose::Diagnosis;
use crate::wording::{decimal, grouped, percents, share};

/// Right ends of the horizontal axis in tenths of a percent, each with its number of steps.
const ENDS: [(u64, u64); 7] = [(10, 5), (20, 4), (50, 5), (100, 5), (200, 4), (500, 5), (1000, 4)];
/// The values of k that are marked.
const MARKED: [u64; 3] = [2, 5, 10];
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 296.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 446.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 236.0;

/// A k that can be reached, and the rows dropped for it.
struct Step {
    k: u64,
    dropped: u64,
}

fn steps(sizes: &[(u64, u64)]) -> Vec<Step> {
    let mut dropped = 0;
    let step = |&(size, classes): &(u64, u64)| {
        let step = Step { k: size, dropped };
        dropped += size * classes;
        step
    };
    sizes.iter().map(step).collect()
}

/// The figure, its small table, and the answer about suppression where one was asked for.
pub(super) fn curve(answer: &Diagnosis, sizes: &[(u64, u64)]) -> Markup {
    let steps = steps(sizes);
    let scale = Scale::new(answer.rows, &steps);
    let mut svg = Svg::new(WIDTH, "chart");
    axes(&mut svg, &scale);
    let mut points = Vec::new();
    for step in &steps {
        let x = scale.x(part(step.dropped, answer.rows));
        if x > RIGHT {
            break;
        }
        if let Some(&(_, y)) = points.last() {
            points.push((x, y));
        }
        points.push((x, scale.y(step.k)));
    }
    if let Some(&(_, y)) = points.last() {
        points.push((RIGHT, y));
    }
    let mut area = points.clone();
    area.extend([(RIGHT, BOTTOM), (LEFT, BOTTOM)]);
    svg.path(&area, "area");
    svg.path(&points, "curve");
    let mut said = Vec::new();
    for k in MARKED {
        let Some(step) = steps.iter().find(|step| step.k >= k) else { continue };
        let cost = share(step.dropped, answer.rows);
        said.push(format!("k = {k} costs {cost} of the rows"));
        let x = scale.x(part(step.dropped, answer.rows));
        if x <= RIGHT && answer.k < k {
            svg.dot((x, scale.y(step.k)), 5.0, "mark", &format!("k = {k} for {cost} of the rows"));
        }
    }
    let drawing = svg.finish(HEIGHT, "curve", "k by the share of rows dropped", &said.join("; "));
    let below = html! { (costs(answer, sizes, &steps)) (asked(answer)) };
    figure("k, when the rows in the smallest classes are dropped", &drawing, &below)
}

/// Where shares and levels lie in the drawing.
struct Scale {
    /// The right end of the axis, in tenths of a percent, and its number of steps.
    end: (u64, u64),
    highest: u64,
    logarithmic: bool,
}

impl Scale {
    fn new(rows: u64, steps: &[Step]) -> Self {
        // As far as the dearest marked k that can be reached, or some steps on where all are there.
        let marked = MARKED.iter().rev().find_map(|k| steps.iter().find(|step| step.k >= *k));
        let wanted = marked
            .filter(|step| step.dropped > 0)
            .or_else(|| steps.get(8).or(steps.last()))
            .map_or(0, |step| step.dropped);
        let enough =
            |&&(end, _): &&(u64, u64)| steps.len() > 1 && part(wanted, rows) * 1150.0 <= real(end);
        let end = *ENDS.iter().find(enough).unwrap_or(&(1000, 4));
        let inside = |step: &&Step| part(step.dropped, rows) * 1000.0 <= real(end.0);
        let highest = steps.iter().rev().find(inside).map_or(1, |step| step.k).max(2);
        Self { end, highest, logarithmic: highest > 24 }
    }

    fn x(&self, share: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * share * 1000.0 / real(self.end.0)
    }

    fn y(&self, k: u64) -> f64 {
        let up = if self.logarithmic {
            real(k.max(1)).ln() / real(self.highest).ln()
        } else {
            real(k) / real(self.highest)
        };
        BOTTOM - (BOTTOM - TOP) * up
    }

    /// The values of k that have a line.
    fn ticks(&self) -> Vec<u64> {
        let decades = (0..19).map(|power| 10_u64.pow(power));
        let within = |k: &u64| *k <= self.highest;
        if self.logarithmic && self.highest > 250 {
            return decades.take_while(within).collect();
        }
        let nice = decades.flat_map(|ten| [ten, 2 * ten, 5 * ten]);
        if self.logarithmic {
            return nice.take_while(within).collect();
        }
        let width = nice.into_iter().find(|step| self.highest / step <= 6).unwrap_or(self.highest);
        (0..=self.highest / width).map(|index| index * width).collect()
    }
}

fn axes(svg: &mut Svg, scale: &Scale) {
    for k in scale.ticks() {
        let y = scale.y(k);
        svg.line((LEFT, y), (RIGHT, y), "grid");
        svg.text((LEFT - 8.0, y + 5.0), "end", &grouped(k));
    }
    let (end, n_steps) = scale.end;
    for index in 0..=n_steps {
        let tenths = end * index / n_steps;
        let x = scale.x(part(tenths, 1000));
        svg.line((x, BOTTOM), (x, BOTTOM + 5.0), "axis");
        let label = format!("{} %", decimal(part(tenths, 10)));
        svg.text((x, BOTTOM + 23.0), "middle", &label);
    }
    svg.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis");
    let title = if scale.logarithmic { "k reached (logarithmic)" } else { "k reached" };
    svg.text((6.0, 16.0), "soft", title);
    svg.text((f64::midpoint(LEFT, RIGHT), BOTTOM + 48.0), "middle soft", "share of rows dropped");
}

/// What k = 2, 5 and 10 cost, and the k asked for.
fn costs(answer: &Diagnosis, sizes: &[(u64, u64)], steps: &[Step]) -> Markup {
    let head = ["To reach", "#rows to drop", "#share", "then"];
    let mut table = Table::new("What dropping rows buys", "costs", &head);
    let mut levels = MARKED.to_vec();
    levels.extend(answer.asked.as_ref().and_then(|asked| asked.k));
    levels.sort_unstable();
    levels.dedup();
    let dropped: Vec<u64> = levels.iter().map(|&k| rows_below(sizes, k)).collect();
    let shares: Vec<f64> = dropped.iter().map(|&rows| part(rows, answer.rows)).collect();
    for ((k, dropped), share) in levels.into_iter().zip(dropped).zip(percents(&shares)) {
        let reached = match steps.iter().find(|step| step.k >= k) {
            None => "nothing is left".to_owned(),
            Some(step) if step.dropped == 0 => format!("k = {} already", grouped(step.k)),
            Some(step) => format!("k = {}", grouped(step.k)),
        };
        let label = format!("k = {}", grouped(k));
        table.row(&[&label, &grouped(dropped), &share, &reached]);
    }
    table.finish()
}

/// The answer to a question about suppression.
fn asked(answer: &Diagnosis) -> Markup {
    let said = answer.suppression_lines();
    if said.is_empty() {
        return Markup::default();
    }
    note(text(&format!("Asked about suppression: {}.", said.join("; "))))
}
