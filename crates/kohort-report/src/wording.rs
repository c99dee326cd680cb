//! Counts, shares and names as a person reads them: one style for the terminal and the page.

use std::fmt::{self, Write};

use kohort_core::Ratio;

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    separated(&number.to_string())
}

/// Whole digits with a comma before every third from the right.
fn separated(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A figure of no sign with this many digits behind the point, and no zeros at the end.
fn rounded(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    match rest.trim_end_matches('0') {
        "" => separated(whole),
        rest => format!("{}.{rest}", separated(whole)),
    }
}

/// A figure with at most four digits behind the point.
pub fn decimal(number: f64) -> String {
    rounded(number, 4)
}

/// An average: two digits behind the point, or one where it is 10 or more.
pub fn average(number: f64) -> String {
    if number > 0.0 && number < 0.005 {
        "under 0.01".into()
    } else {
        rounded(number, if number < 10.0 { 2 } else { 1 })
    }
}

/// A share as a percentage. What is not quite none or all is not rounded to it.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if share > 0.0 && percent < 0.1 {
        "under 0.1 %".into()
    } else if share < 1.0 && percent > 99.9 {
        "over 99.9 %".into()
    } else {
        format!("{} %", rounded(percent, 1))
    }
}

/// The shares of one column, all with the same number of digits.
pub fn percents(shares: &[f64]) -> Vec<String> {
    let mut texts: Vec<String> = shares.iter().map(|&share| percent(share)).collect();
    if texts.iter().any(|text| text.contains('.')) {
        for text in texts.iter_mut().filter(|text| !text.contains('.')) {
            *text = text.replace(" %", ".0 %");
        }
    }
    texts
}

/// A count as a share of another.
pub fn share(part: u64, whole: u64) -> String {
    percent(Ratio::new(part, whole.max(1)).value())
}

/// A share that somebody gave, which is repeated as it was: 0.0005 is 0.05 %.
pub fn given_share(share: f64) -> String {
    format!("{} %", rounded(share * 100.0, 6))
}

/// The number that a decimal stands for; none where it has too many digits.
pub fn exact(number: f64) -> Option<Ratio> {
    let text = format!("{number}");
    let simple = fraction(number).filter(|_| text.len() > 15);
    simple.or_else(|| text.parse().ok())
}

/// The simple fraction that a number is the nearest to, such as 1/9, which has no decimals of its own.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded and checked")]
#[expect(clippy::float_cmp, reason = "the same number, bit by bit")]
fn fraction(number: f64) -> Option<Ratio> {
    let over = |den: u32| Ratio::new((number * f64::from(den)).round() as u64, u64::from(den));
    (2..1000).map(over).find(|fraction| fraction.value() == number)
}

/// A number of things: `1 row`, `2 rows`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A name on one line, with nothing hidden in it: control characters, and those that are not seen or
/// turn the reading direction around, are written out as `\n` or `\u{202e}`.
pub fn visible(name: &str) -> String {
    if name.is_empty() { "(no name)".into() } else { written_out(name, is_hidden) }
}

/// A text of several lines with nothing hidden in it, whatever names of files and columns are in it: what
/// `visible` writes out is written out, but for the ends of lines.
pub fn visible_text(text: &str) -> String {
    written_out(text, |character| character != '\n' && is_hidden(character))
}

/// JSON with nothing hidden in it that means the same: hidden characters stand in its strings alone, where an
/// escape stands for them.
pub fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character != '\n' && is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

fn written_out(text: &str, is_written_out: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_written_out(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether a character is not seen, moves the cursor of a terminal or turns the reading direction around.
fn is_hidden(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    );
    is_format || character.is_control()
}

/// A sentence with the names of columns in it, which each surface writes in its own way.
#[derive(Clone, Debug, Default)]
pub struct Sentence(Vec<Part>);

/// A part of a sentence.
#[derive(Clone, Debug)]
pub enum Part {
    /// Words of the program.
    Words(String),
    /// The name of a column.
    Name(String),
}

impl Sentence {
    /// The sentence with more words at its end.
    #[must_use]
    pub fn and(mut self, words: impl Into<String>) -> Self {
        self.0.push(Part::Words(words.into()));
        self
    }

    /// The sentence with names of columns at its end: `a, b and c`.
    #[must_use]
    pub fn names<'a>(mut self, names: impl IntoIterator<Item = &'a String>) -> Self {
        let mut names = names.into_iter().peekable();
        let mut is_first = true;
        while let Some(name) = names.next() {
            if !is_first {
                self = self.and(if names.peek().is_some() { ", " } else { " and " });
            }
            self.0.push(Part::Name(name.clone()));
            is_first = false;
        }
        self
    }

    /// Its parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }
}

impl From<String> for Sentence {
    fn from(words: String) -> Self {
        Self::default().and(words)
    }
}

/// The sentence as plain text.
impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Words(words) => f.write_str(words),
            Part::Name(name) => f.write_str(&visible(name)),
        })
    }
}

/// Columns side by side; the first `n_texts` are texts, the others numbers.
pub fn align(out: &mut String, rows: &[Vec<String>], n_texts: usize) {
    let n_columns = rows.first().map_or(0, Vec::len);
    let width =
        |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            let _ = if at < n_texts {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
        assert_eq!(decimal(0.803_030_3), "0.803");
        assert_eq!(decimal(2.0), "2");
        assert_eq!(decimal(12_345.5), "12,345.5");
        assert_eq!(average(13_001.714), "13,001.7");
        assert_eq!(average(0.666_7), "0.67");
        assert_eq!(average(0.001), "under 0.01");
        assert_eq!(average(0.0), "0");
    }

    #[test]
    fn shares_are_not_rounded_to_none_or_all() {
        assert_eq!(percent(0.999_96), "over 99.9 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_01), "under 0.1 %");
        assert_eq!(percent(1.0 / 3.0), "33.3 %");
        assert_eq!(percent(0.499_99), "50 %");
        assert_eq!(percents(&[0.5, 1.0]), ["50 %", "100 %"]);
        assert_eq!(percents(&[0.5, 0.333, 1.0]), ["50.0 %", "33.3 %", "100.0 %"]);
        assert_eq!((given_share(0.0005), given_share(0.02)), ("0.05 %".into(), "2 %".into()));
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!(count(1, "person", "people"), "1 person");
        assert_eq!(count(1_200, "person", "people"), "1,200 people");
    }

    #[test]
    fn names_in_a_sentence_are_separated_and_visible() {
        let names = ["a".to_owned(), "b\n".to_owned(), String::new()];
        let said = Sentence::from("of ".to_owned()).names(&names).and(".");
        assert_eq!(said.to_string(), "of a, b\\n and (no name).");
        assert_eq!(Sentence::default().names(&names[..2]).to_string(), "a and b\\n");
    }

    #[test]
    fn nothing_is_hidden_in_a_name() {
        assert_eq!(visible("a\nb\t\u{1b}[31m"), "a\\nb\\t\\u{1b}[31m");
        assert_eq!(visible("\u{202e}gpj\u{feff}"), "\\u{202e}gpj\\u{feff}");
        assert_eq!(visible(""), "(no name)");
        assert_eq!(visible("Größe 年"), "Größe 年");
    }
}
