//! A drawing, element by element. Colors and type come from the page's style, so that they follow its
//! dark and printed forms.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

use super::markup::text;

/// A drawing under construction.
pub(super) struct Svg {
    width: f64,
    class: &'static str,
    body: String,
}

/// A bar with a line of text above it, so that long names have room on a small screen. Its full width,
/// which is shown, stands for the whole table.
pub(super) struct Bar<'a> {
    pub(super) label: &'a str,
    pub(super) text: &'a str,
    pub(super) hint: &'a str,
}

impl Bar<'_> {
    /// The height of a bar with its text.
    pub(super) const LINE: f64 = 46.0;
    /// The width of a drawing of bars.
    pub(super) const WIDTH: f64 = 480.0;

    /// Draws the bar; a share above 0 is never invisible.
    pub(super) fn draw(&self, svg: &mut Svg, y: f64, share: f64, class: &str) {
        let shown = if share > 0.0 { (Self::WIDTH * share).max(2.0) } else { 0.0 };
        svg.text((0.0, y + 16.0), "", self.label);
        svg.text((Self::WIDTH, y + 16.0), if share > 0.0 { "end" } else { "end soft" }, self.text);
        svg.rect((0.0, y + 23.0), (Self::WIDTH, 12.0), "track", self.hint);
        svg.rect((0.0, y + 23.0), (shown, 12.0), class, self.hint);
    }
}

/// A length with at most one digit behind the point.
fn at(length: f64) -> String {
    let text = format!("{length:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.to_owned() }
}

impl Svg {
    /// A drawing of this width, in the units of its coordinates.
    pub(super) fn new(width: f64, class: &'static str) -> Self {
        Self { width, class, body: String::new() }
    }

    fn add(&mut self, element: Markup) {
        self.body.push_str(&element.into_string());
        self.body.push('\n');
    }

    /// Text at a point; the class also says how it is anchored.
    pub(super) fn text(&mut self, (x, y): (f64, f64), class: &str, words: &str) {
        self.add(html! { text x=(at(x)) y=(at(y)) class=(class) { (text(words)) } });
    }

    /// A rectangle with a hint that shows under the pointer.
    pub(super) fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
        hint: &str,
    ) {
        self.add(html! {
            rect x=(at(x)) y=(at(y)) width=(at(width)) height=(at(height)) rx="2" class=(class) {
                title { (text(hint)) }
            }
        });
    }

    /// A straight line.
    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        self.add(html! {
            line x1=(at(x1)) y1=(at(y1)) x2=(at(x2)) y2=(at(y2)) class=(class) {}
        });
    }

    /// A line through points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], class: &str) {
        let mut d = String::new();
        let mut before = String::new();
        for (index, &(x, y)) in points.iter().enumerate() {
            let point = format!("{} {}", at(x), at(y));
            if point != before {
                let _ = write!(d, "{}{point}", if index == 0 { "M" } else { "L" });
                before = point;
            }
        }
        self.add(html! { path d=(d) class=(class) {} });
    }

    /// A dot with a hint.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), radius: f64, class: &str, hint: &str) {
        self.add(html! {
            circle cx=(at(x)) cy=(at(y)) r=(at(radius)) class=(class) {
                @if !hint.is_empty() { title { (text(hint)) } }
            }
        });
    }

    /// The drawing as HTML. `id` is unique on the page; the description says in words what is drawn.
    pub(super) fn finish(self, height: f64, id: &str, title: &str, description: &str) -> Markup {
        let Self { width, class, body } = self;
        html! {
            svg class=(class) viewBox={ "0 0 " (at(width)) " " (at(height)) } role="img"
                aria-labelledby={ (id) "-t " (id) "-d" }
            {
                title id={ (id) "-t" } { (text(title)) }
                desc id={ (id) "-d" } { (text(description)) }
                "\n"
                (PreEscaped(body))
            }
        }
    }
}
