//! Made-up people with records inside records: how levels of objects become JSON, XML or related tables.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::draw::Draw;
use super::lists::push_number;
use super::{BLOCK, File};

/// The objects at one level: what they are called, and what each of them has.
pub(super) struct Level {
    /// The array of them: `visits`. The first level's are the people.
    pub(super) array: &'static str,
    /// What names one of them, in a table.
    pub(super) key: &'static str,
    /// What they have, and whether it is a number.
    pub(super) fields: &'static [(&'static str, bool)],
}

/// An object, and those of the next level that stand in it.
pub(super) struct Object {
    pub(super) cells: Vec<String>,
    pub(super) below: Vec<Self>,
}

/// A maker of people.
pub(super) trait People {
    /// The levels, the people's first.
    fn levels(&self) -> &[Level];

    /// Draws one.
    fn draw(&self, draw: &mut Draw) -> Object;
}

/// Writes people as JSON, a record on each line: an array, or the lines alone.
pub(super) fn write_json(
    people: &dyn People,
    rows: u64,
    seed: u64,
    is_lines: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (open, next, close) = if is_lines { ("", "}\n", "") } else { ("[\n", "},\n", "]\n") };
    let mut draw = Draw::new(seed);
    let mut block = String::with_capacity(BLOCK + 4096);
    block.push_str(open);
    for number in 1..=rows {
        let _ = write!(block, "{{\"{}\": {number}, ", people.levels()[0].key);
        push_members(people.levels(), &people.draw(&mut draw), &mut block);
        block.push_str(if number < rows { next } else { "}\n" });
        if block.len() >= BLOCK {
            out.write_all(block.as_bytes())?;
            block.clear();
        }
    }
    block.push_str(close);
    out.write_all(block.as_bytes())
}

fn push_members(levels: &[Level], object: &Object, text: &mut String) {
    for (index, ((name, is_number), cell)) in levels[0].fields.iter().zip(&object.cells).enumerate()
    {
        let (comma, quote) =
            (if index > 0 { ", " } else { "" }, if *is_number { "" } else { "\"" });
        let _ = write!(text, "{comma}\"{name}\": {quote}{cell}{quote}");
    }
    if let Some(next) = levels.get(1).filter(|_| !object.below.is_empty()) {
        let _ = write!(text, ", \"{}\": [", next.array);
        for (index, below) in object.below.iter().enumerate() {
            text.push_str(if index > 0 { ", {" } else { "{" });
            push_members(&levels[1..], below, text);
            text.push('}');
        }
        text.push(']');
    }
}

/// Writes people as XML, a record on each line.
pub(super) fn write_xml(
    people: &dyn People,
    rows: u64,
    seed: u64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    let mut block = String::with_capacity(BLOCK + 4096);
    block.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n");
    for number in 1..=rows {
        let key = people.levels()[0].key;
        let _ = write!(block, "<record><{key}>{number}</{key}>");
        push_elements(people.levels(), &people.draw(&mut draw), &mut block);
        block.push_str("</record>\n");
        if block.len() >= BLOCK {
            out.write_all(block.as_bytes())?;
            block.clear();
        }
    }
    block.push_str("</records>\n");
    out.write_all(block.as_bytes())
}

fn push_elements(levels: &[Level], object: &Object, text: &mut String) {
    for ((name, _), cell) in levels[0].fields.iter().zip(&object.cells) {
        let cell = cell.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(text, "<{name}>{cell}</{name}>");
    }
    for below in &object.below {
        let array = levels[1].array;
        let _ = write!(text, "<{array}>");
        push_elements(&levels[1..], below, text);
        let _ = write!(text, "</{array}>");
    }
}

/// People as related tables: a CSV file for each level, the people's first.
pub(super) fn tables(people: &dyn People, rows: u64, seed: u64) -> Vec<File> {
    let mut draw = Draw::new(seed);
    let levels = people.levels();
    let mut tables: Vec<(String, u32)> =
        (0..levels.len()).map(|at| (header(levels, at), 0)).collect();
    for _ in 0..rows {
        let person = people.draw(&mut draw);
        push_rows(&person, 0, &mut tables);
    }
    let file = |(level, (text, _)): (&Level, (String, u32))| File {
        name: format!("{}.csv", level.array),
        text,
    };
    levels.iter().zip(tables).map(file).collect()
}

fn header(levels: &[Level], at: usize) -> String {
    let is_above = at + 1 < levels.len();
    let own = is_above.then_some(levels[at].key);
    let above = at.checked_sub(1).map(|above| levels[above].key);
    let fields = levels[at].fields.iter().map(|(name, _)| *name);
    let names: Vec<&str> = own.into_iter().chain(above).chain(fields).collect();
    names.join(",") + "\n"
}

fn push_rows(object: &Object, at: usize, tables: &mut [(String, u32)]) {
    let above = at.checked_sub(1).map(|above| tables[above].1);
    let is_above = at + 1 < tables.len();
    let (text, number) = &mut tables[at];
    *number += 1;
    for key in is_above.then_some(*number).into_iter().chain(above) {
        push_number(text, key);
        text.push(',');
    }
    text.push_str(&object.cells.join(","));
    text.push('\n');
    for below in &object.below {
        push_rows(below, at + 1, tables);
    }
}

/// The part of a plan that names the tables: `[tables]`, with the keys.
pub(super) fn plan_of_tables(levels: &[Level]) -> String {
    let mut plan = String::new();
    for (at, level) in levels.iter().enumerate().skip(1) {
        let _ = write!(
            plan,
            "\n[tables.{0}]\ninput = \"{0}.csv\"\nforeign-key = \"{1}\"\n",
            level.array,
            levels[at - 1].key
        );
        if at + 1 < levels.len() {
            let _ = writeln!(plan, "key = \"{}\"", level.key);
        }
        if at > 1 {
            let _ = writeln!(plan, "within = \"{}\"", levels[at - 1].array);
        }
    }
    plan
}

/// The path of a field of a level.
pub(super) fn path(levels: &[Level], at: usize, field: &str) -> String {
    let mut path = String::new();
    for level in &levels[1..=at] {
        path += level.array;
        path += "[].";
    }
    if at == 0 { field.to_owned() } else { format!("\"{path}{field}\"") }
}
