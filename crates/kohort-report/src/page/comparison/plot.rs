//! A plot: axes, lines with what the seeds span, and dots that say what they are.

use maud::Markup;

use crate::page::svg::Svg;
use crate::wording::decimal;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 462.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 262.0;

/// Where figures lie along one side of a plot.
pub(super) struct Axis {
    title: String,
    low: f64,
    high: f64,
    is_logarithmic: bool,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0, or from near the smallest figure, to the largest, in even steps.
    pub(super) fn linear(title: &str, figures: impl Iterator<Item = f64>, from_zero: bool) -> Self {
        let (low, high) = ends(figures);
        let low = if from_zero { 0.0 } else { low };
        let step = step((high - low).max(1e-6) / 5.0);
        let (first, last) =
            ((low / step).floor(), (high / step).ceil().max((low / step).floor() + 1.0));
        let digits = digits(step);
        let mut ticks = Vec::new();
        let mut at = first;
        while at <= last {
            ticks.push((at * step, short(at * step, digits)));
            at += 1.0;
        }
        Self {
            title: title.into(),
            low: first * step,
            high: last * step,
            is_logarithmic: false,
            ticks,
        }
    }

    /// With a line at each of some figures above 0, in even factors or in even steps.
    pub(super) fn at(title: &str, marked: &[f64], is_logarithmic: bool) -> Self {
        let (low, high) = ends(marked.iter().copied());
        let (low, high) = (low.max(1.0), high.max(low + 1.0));
        let ticks = marked.iter().map(|&figure| (figure, decimal(figure))).collect();
        let title = if is_logarithmic { format!("{title} (logarithmic)") } else { title.into() };
        Self { title, low, high, is_logarithmic, ticks }
    }

    /// In even factors of ten where the figures span much, and from 0 where they do not.
    pub(super) fn spanning(title: &str, figures: &[f64]) -> Self {
        // What takes less time than this takes none.
        let seen = || figures.iter().map(|figure| figure.max(0.001));
        let (low, high) = ends(seen());
        if high < 20.0 * low {
            return Self::linear(title, figures.iter().copied(), true);
        }
        let (first, last) = (low.log10().floor(), high.log10().ceil());
        let mut ticks = Vec::new();
        let mut power = first;
        while power <= last {
            let figure = 10_f64.powf(power);
            ticks.push((figure, short(figure, digits(figure))));
            power += 1.0;
        }
        let (low, high) = (10_f64.powf(first), 10_f64.powf(last));
        Self { title: format!("{title} (logarithmic)"), low, high, is_logarithmic: true, ticks }
    }

    /// How far along the axis a figure lies, from 0 to 1.
    fn share(&self, figure: f64) -> f64 {
        let share = if self.is_logarithmic {
            (figure.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (figure - self.low) / (self.high - self.low)
        };
        share.clamp(0.0, 1.0)
    }
}

fn ends(figures: impl Iterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = figures.fold(start, |(low, high), f| (low.min(f), high.max(f)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// The smallest of 1, 2 and 5 times a power of ten that is no smaller than this.
fn step(least: f64) -> f64 {
    let ten = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * ten);
    steps.into_iter().find(|step| *step >= least * 0.999).unwrap_or(10.0 * ten)
}

/// A figure that has room beside an axis.
fn short(figure: f64, digits: usize) -> String {
    match figure {
        f if f >= 1e6 => format!("{}M", f / 1e6),
        f if f >= 1e4 => format!("{}k", f / 1e3),
        f => format!("{f:.digits$}"),
    }
}

/// The digits behind the point that tell multiples of a step apart.
fn digits(step: f64) -> usize {
    (0..9)
        .find(|&digits| step * 10_f64.powi(digits) > 0.999)
        .and_then(|n| n.try_into().ok())
        .unwrap_or(9)
}

/// A plot under construction.
pub(super) struct Plot {
    svg: Svg,
    x: Axis,
    y: Axis,
}

impl Plot {
    /// The axes with their lines.
    pub(super) fn new(x: Axis, y: Axis) -> Self {
        let mut plot = Self { svg: Svg::new(WIDTH, "chart"), x, y };
        let rows: Vec<(f64, String)> = plot.y.ticks.clone();
        for (figure, label) in rows {
            let (_, y) = plot.place((0.0, figure));
            plot.svg.line((LEFT, y), (RIGHT, y), "grid");
            plot.svg.text((LEFT - 8.0, y + 5.0), "end", &label);
        }
        let columns: Vec<(f64, String)> = plot.x.ticks.clone();
        let mut free = f64::NEG_INFINITY;
        for (figure, label) in columns {
            let (x, _) = plot.place((figure, 0.0));
            plot.svg.line((x, BOTTOM), (x, BOTTOM + 5.0), "axis");
            // Labels that would touch the one before are left out.
            if x >= free {
                plot.svg.text((x, BOTTOM + 22.0), "middle", &label);
                let n_letters = u32::try_from(label.len()).unwrap_or(9);
                free = x + 9.0 * f64::from(n_letters) + 6.0;
            }
        }
        plot.svg.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis");
        plot.svg.text((6.0, 18.0), "soft", &plot.y.title);
        let middle = f64::midpoint(LEFT, RIGHT);
        plot.svg.text((middle, BOTTOM + 46.0), "middle soft", &plot.x.title);
        plot
    }

    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (LEFT + (RIGHT - LEFT) * self.x.share(x), BOTTOM - (BOTTOM - TOP) * self.y.share(y))
    }

    /// A line through points.
    pub(super) fn line(&mut self, points: &[(f64, f64)], class: &str) {
        let places: Vec<(f64, f64)> = points.iter().map(|&point| self.place(point)).collect();
        if places.len() > 1 {
            self.svg.path(&places, class);
        }
    }

    /// A line from the bottom to the top.
    pub(super) fn upright(&mut self, x: f64, class: &str) {
        let (x, _) = self.place((x, 0.0));
        self.svg.line((x, TOP), (x, BOTTOM), class);
    }

    /// A line from the left to the right.
    pub(super) fn level(&mut self, y: f64, class: &str) {
        let (_, y) = self.place((0.0, y));
        self.svg.line((LEFT, y), (RIGHT, y), class);
    }

    /// What the seeds span at a point.
    pub(super) fn span(&mut self, x: f64, (low, high): (f64, f64), class: &str) {
        let (from, to) = (self.place((x, low)), self.place((x, high)));
        if (from.1 - to.1).abs() >= 1.0 {
            self.svg.line(from, to, class);
        }
    }

    /// A dot with a hint.
    pub(super) fn dot(&mut self, point: (f64, f64), radius: f64, class: &str, hint: &str) {
        let place = self.place(point);
        self.svg.dot(place, radius, class, hint);
    }

    /// Text beside a point, on the side where there is room.
    pub(super) fn label(&mut self, point: (f64, f64), text: &str) {
        let (x, y) = self.place(point);
        if x > f64::midpoint(LEFT, RIGHT) {
            self.svg.text((x - 9.0, y - 8.0), "end soft", text);
        } else {
            self.svg.text((x + 9.0, y + 16.0), "soft", text);
        }
    }

    /// The plot as HTML. `id` is unique on the page; the description says in words what is drawn.
    pub(super) fn finish(self, id: &str, title: &str, description: &str) -> Markup {
        self.svg.finish(HEIGHT, id, title, description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn axes_have_round_figures_that_span_the_data() {
        let axis = Axis::linear("loss", [0.07, 0.31].into_iter(), true);
        assert_eq!(labels(&axis), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        let axis = Axis::linear("utility", [0.71, 0.93].into_iter(), false);
        assert_eq!(labels(&axis), ["0.70", "0.75", "0.80", "0.85", "0.90", "0.95"]);
        assert_eq!(labels(&Axis::spanning("seconds", &[0.02, 3.0])), ["0.01", "0.1", "1", "10"]);
        assert_eq!(labels(&Axis::spanning("DM", &[2e4, 3e6])), ["10k", "100k", "1M", "10M"]);
        assert_eq!(labels(&Axis::at("k", &[2.0, 50.0], true)), ["2", "50"]);
    }

    #[test]
    fn figures_that_are_all_alike_still_have_an_axis() {
        for axis in [
            Axis::linear("loss", [0.5, 0.5].into_iter(), false),
            Axis::linear("loss", [0.0].into_iter(), true),
            Axis::linear("loss", [].into_iter(), true),
            Axis::at("k", &[5.0], false),
            Axis::spanning("seconds", &[0.0]),
        ] {
            assert!(axis.low < axis.high);
            assert!((0.0..=1.0).contains(&axis.share(0.5)));
        }
    }
}
