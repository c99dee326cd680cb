//! Pieces of a page. Templates escape whatever is not markup, and what comes from outside passes through
//! [`text`], so that nothing in it is hidden either.

use maud::{Markup, PreEscaped, Render, html};

use crate::wording::visible;

/// Text from outside, inert in content and in attributes. Control characters, and those that turn the
/// reading direction around, are written out.
pub(super) struct Text<'a>(&'a str);

/// A text from outside, as a page shows it.
pub(super) fn text(text: &str) -> Text<'_> {
    Text(text)
}

impl Render for Text<'_> {
    fn render_to(&self, out: &mut String) {
        if self.0.is_empty() {
            return;
        }
        for character in visible(self.0).chars() {
            match character {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                other => out.push(other),
            }
        }
    }
}

/// The name of a column.
pub(super) fn name(column: &str) -> Markup {
    html! { bdi class="name" { (text(&visible(column))) } }
}

/// Pieces with a separator between them.
pub(super) fn joined(pieces: impl IntoIterator<Item = Markup>, separator: &str) -> Markup {
    let pieces = pieces.into_iter().enumerate();
    html! {
        @for (index, piece) in pieces {
            @if index > 0 { (separator) }
            (piece)
        }
    }
}

/// The names of columns with a separator between them.
pub(super) fn named(columns: &[String], separator: &str) -> Markup {
    joined(columns.iter().map(|column| name(column)), separator)
}

/// The name of an attribute that something is about, or nothing.
pub(super) fn of(attribute: Option<&String>) -> Markup {
    html! { @if let Some(attribute) = attribute { " of " (name(attribute)) } }
}

/// A set of columns; the empty one in words.
pub(super) fn chips(set: &[String]) -> Markup {
    html! {
        span class="set" {
            @if set.is_empty() { i { "no column at all" } }
            @for (index, column) in set.iter().enumerate() {
                @if index > 0 { " " span class="plus" { "+" } " " }
                (name(column))
            }
        }
    }
}

/// The beginning and the end of a text that has to fit into `width` letters.
pub(super) fn shortened(text: &str, width: usize) -> String {
    let wide = |c: char| if c >= '\u{1100}' { 2 } else { 1 };
    if text.chars().map(wide).sum::<usize>() <= width {
        return text.to_owned();
    }
    let fitting = |room: usize| {
        let mut used = 0;
        move |c: &char| {
            used += wide(*c);
            used <= room
        }
    };
    let end: Vec<char> = text.chars().rev().take_while(fitting((width - 1) / 2)).collect();
    let start = text.chars().take_while(fitting(width / 2));
    start.chain(['…']).chain(end.into_iter().rev()).collect()
}

/// A part of the page with its heading, in words of the program.
pub(super) fn section(id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (title) }
            (body)
        }
        "\n"
    }
}

/// A paragraph.
pub(super) fn paragraph(content: impl Render) -> Markup {
    html! { p { (content) } }
}

/// A remark in small type.
pub(super) fn note(content: impl Render) -> Markup {
    html! { p class="note" { (content) } }
}

/// What must be known before the part is read.
pub(super) fn notice(words: &str) -> Markup {
    html! { p class="notice" { (text(words)) @if !words.ends_with('?') { "." } } }
}

/// A list of texts.
pub(super) fn list<Item: AsRef<str>>(items: impl IntoIterator<Item = Item>) -> Markup {
    html! { ul class="plain" { @for item in items { li { (text(item.as_ref())) } } } }
}

/// How many items a list shows without a box of its own to scroll in.
const WITHOUT_SCROLLING: usize = 20;

/// The class of a list of this many items, and the hint below it: a long one scrolls in its own box.
pub(super) fn scrolling(n: usize) -> (&'static str, Markup) {
    if n > WITHOUT_SCROLLING {
        ("many", html! { p class="note hint" { "Scroll inside the box to see more." } })
    } else {
        ("", Markup::default())
    }
}

/// A drawing under its heading, with what belongs below it.
pub(super) fn figure(title: &str, drawing: &Markup, below: &Markup) -> Markup {
    html! { figure { figcaption { (text(title)) } (drawing) (below) } }
}

/// What the marks of a drawing mean: the class of each with its words.
pub(super) fn legend(marks: &[(&str, &str)]) -> Markup {
    html! {
        ul class="legend" {
            @for (class, words) in marks { li { span class={ "mark " (class) } {} (words) } }
        }
    }
}

/// A figure that is seen first.
pub(super) struct KeyFigure {
    name: String,
    value: String,
    meaning: Markup,
    is_bad: bool,
}

impl KeyFigure {
    /// A figure with its value, what that means, and whether it is bad.
    pub(super) fn new(name: &str, value: String, meaning: impl Render, is_bad: bool) -> Self {
        Self { name: name.to_owned(), value, meaning: meaning.render(), is_bad }
    }
}

/// The figures that are seen first.
pub(super) fn key(figures: &[KeyFigure]) -> Markup {
    html! {
        dl class="key" {
            @for KeyFigure { name, value, meaning, is_bad } in figures {
                div class=[is_bad.then_some("bad")] {
                    dt { (name) }
                    dd class="value" { (value) }
                    dd { (meaning) }
                }
            }
        }
    }
}

/// A table that scrolls inside its own box.
pub(super) struct Table {
    caption: String,
    class: &'static str,
    head: Vec<Heading>,
    rows: String,
}

struct Heading {
    title: Markup,
    is_number: bool,
}

impl Table {
    /// Headings that start with `#` are those of numbers.
    pub(super) fn new(caption: &str, class: &'static str, head: &[&str]) -> Self {
        let heading = |title: &&str| {
            let number = title.strip_prefix('#');
            let shown = text(number.unwrap_or(title)).render();
            Heading { title: shown, is_number: number.is_some() }
        };
        let head = head.iter().map(heading).collect();
        Self { caption: caption.to_owned(), class, head, rows: String::new() }
    }

    /// One more column, of texts.
    pub(super) fn heading(&mut self, title: Markup) {
        self.head.push(Heading { title, is_number: false });
    }

    /// One more row; its first cell names it.
    pub(super) fn row(&mut self, cells: &[&dyn Render]) {
        let class = |index: usize| {
            self.head.get(index).filter(|heading| heading.is_number).map(|_| "number")
        };
        let row = html! {
            tr {
                @for (index, cell) in cells.iter().enumerate() {
                    @if index == 0 {
                        th scope="row" class=[class(index)] { (cell) }
                    } @else {
                        td class=[class(index)] { (cell) }
                    }
                }
            }
            "\n"
        };
        self.rows.push_str(&row.into_string());
    }

    /// One more row, of cells that were made one by one.
    pub(super) fn row_of<Cell: Render>(&mut self, cells: &[Cell]) {
        self.row(&cells.iter().map(|cell| cell as &dyn Render).collect::<Vec<_>>());
    }

    /// The table as HTML.
    pub(super) fn finish(self) -> Markup {
        let Self { caption, class, head, rows } = self;
        html! {
            div class="scroll" role="region" aria-label=(text(&caption)) tabindex="0" {
                table class=(class) {
                    caption { (text(&caption)) }
                    thead {
                        tr {
                            @for Heading { title, is_number } in &head {
                                th scope="col" class=[is_number.then_some("number")] { (title) }
                            }
                        }
                    }
                    tbody { "\n" (PreEscaped(rows)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escape(shown: &str) -> String {
        text(shown).render().into_string()
    }

    #[test]
    fn markup_in_a_name_is_inert() {
        assert_eq!(escape("<b a='\"'>&"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b\nc"), "a\\u{202e}b\\nc");
        assert_eq!(escape(""), "");
    }

    #[test]
    fn markup_in_a_cell_is_inert_wherever_it_comes_from() {
        let mut table = Table::new("<b>", "c", &["<i>", "#<u>"]);
        table.row(&[&"<s>", &"<q>".to_owned()]);
        let html = table.finish().into_string();
        for tag in ["<b>", "<i>", "<u>", "<s>", "<q>"] {
            assert!(!html.contains(tag), "{tag} in {html}");
        }
    }

    #[test]
    fn long_names_are_cut_to_their_width() {
        assert_eq!(shortened("age", 3), "age");
        assert_eq!(shortened("birthday", 6), "bir…ay");
        assert_eq!(shortened("生年月日と場所", 7), "生…所");
    }
}
