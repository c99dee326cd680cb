//! Pieces of HTML. Every name that comes from outside passes through [`escape`].

use std::fmt::Write;

use crate::wording::visible;

/// Text that is inert in HTML, in content and in quoted attributes. Control characters, and those that
/// turn the reading direction around, are written out.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    if text.is_empty() {
        return out;
    }
    for character in visible(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// The name of a column.
pub(super) fn name(column: &str) -> String {
    format!("<bdi class=\"name\">{}</bdi>", escape(&visible(column)))
}

/// A set of columns; the empty one in words.
pub(super) fn chips(set: &[String]) -> String {
    if set.is_empty() {
        return "<span class=\"set\"><i>no column at all</i></span>".into();
    }
    let names: Vec<String> = set.iter().map(|column| name(column)).collect();
    format!("<span class=\"set\">{}</span>", names.join(" <span class=\"plus\">+</span> "))
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

/// A part of the page with its heading.
pub(super) fn section(id: &str, title: &str, body: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n\
         {body}</section>\n"
    )
}

/// A paragraph.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{text}</p>\n")
}

/// What must be known before the part is read.
pub(super) fn notice(text: &str) -> String {
    let stop = if text.ends_with('?') { "" } else { "." };
    format!("<p class=\"notice\">{text}{stop}</p>\n")
}

/// How many items a list shows without a box of its own to scroll in.
const WITHOUT_SCROLLING: usize = 20;

/// The class of a list of this many items, and the hint below it: a long one scrolls in its own box.
pub(super) fn scrolling(n: usize) -> (&'static str, &'static str) {
    if n > WITHOUT_SCROLLING {
        ("many", "<p class=\"note hint\">Scroll inside the box to see more.</p>\n")
    } else {
        ("", "")
    }
}

/// A drawing under its heading, with what belongs below it.
pub(super) fn figure(title: &str, drawing: &str, below: &str) -> String {
    format!("<figure>\n<figcaption>{title}</figcaption>\n{drawing}\n{below}</figure>\n")
}

/// A table that scrolls inside its own box.
pub(super) struct Table {
    caption: String,
    class: &'static str,
    head: Vec<String>,
    rows: String,
}

impl Table {
    /// Headings that start with `#` stand over numbers.
    pub(super) fn new(caption: &str, class: &'static str, head: &[&str]) -> Self {
        let head = head.iter().map(|title| (*title).to_owned()).collect();
        Self { caption: caption.to_owned(), class, head, rows: String::new() }
    }

    /// One more column.
    pub(super) fn heading(&mut self, title: String) {
        self.head.push(title);
    }

    /// One more row, of cells that are HTML already; the first names the row.
    pub(super) fn row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        self.rows.push_str("<tr>");
        for (index, cell) in cells.into_iter().enumerate() {
            let number = self.head.get(index).is_some_and(|title| title.starts_with('#'));
            let class = if number { " class=\"number\"" } else { "" };
            let _ = if index == 0 {
                write!(self.rows, "<th scope=\"row\"{class}>{cell}</th>")
            } else {
                write!(self.rows, "<td{class}>{cell}</td>")
            };
        }
        self.rows.push_str("</tr>\n");
    }

    /// The table as HTML.
    pub(super) fn finish(self) -> String {
        let Self { caption, class, head, rows } = self;
        let mut titles = String::new();
        for title in &head {
            let _ = match title.strip_prefix('#') {
                Some(title) => write!(titles, "<th scope=\"col\" class=\"number\">{title}</th>"),
                None => write!(titles, "<th scope=\"col\">{title}</th>"),
            };
        }
        format!(
            "<div class=\"scroll\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n\
             <table class=\"{class}\">\n<caption>{caption}</caption>\n<thead><tr>{titles}</tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table>\n</div>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_name_is_inert() {
        assert_eq!(escape("<b a='\"'>&"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(escape("a\u{202e}b\nc"), "a\\u{202e}b\\nc");
        assert_eq!(escape(""), "");
    }

    #[test]
    fn long_names_are_cut_to_their_width() {
        assert_eq!(shortened("age", 3), "age");
        assert_eq!(shortened("birthday", 6), "bir…ay");
        assert_eq!(shortened("生年月日と場所", 7), "生…所");
    }
}
