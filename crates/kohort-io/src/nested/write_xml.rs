//! Nested records as XML: each on a line of its own.

use std::io::{self, Write};

use kohort_core::{Elements, Nested, Scalar};

use super::TEXT;
use super::walk::{Cells, Shape, Value, Walk, hand_on, shapes};
use super::xml_names::{is_text, name};
use crate::{Error, Kind};

/// Refuses values that XML has no way to write.
pub(super) fn check(nested: &Nested) -> Result<(), Error> {
    for column in nested.branches().iter().flat_map(|branch| branch.table().columns()) {
        let texts = column.dictionary().iter().zip(column.counts());
        let mut written = texts.filter(|&(_, n_rows)| n_rows > 0).map(|(text, _)| text);
        if !written.all(is_text) {
            let (name, path) = (nested.name().to_owned(), column.name().to_owned());
            return Err(Kind::NotXml { name, path }.into());
        }
    }
    Ok(())
}

pub(super) fn write(nested: &Nested, out: &mut dyn Write) -> io::Result<()> {
    let elements = nested.layout().elements.clone().unwrap_or_else(|| Elements {
        root: "records".to_owned(),
        namespaces: Vec::new(),
        record: "record".to_owned(),
    });
    let shapes: Vec<Names<'_>> = shapes(nested).into_iter().map(Names::of).collect();
    let mut writer = Writer { walk: Walk::new(nested), shapes: &shapes, buffer: Vec::new() };
    writer.push("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<");
    writer.push(&elements.root);
    for (key, value) in &elements.namespaces {
        writer.attribute(key, value);
    }
    writer.push(">\n");
    for row in 0..nested.n_records() {
        kohort_core::alive_at(row);
        writer.element(&elements.record, 0, row);
        writer.push("\n");
        hand_on(&mut writer.buffer, out)?;
    }
    writer.push("</");
    writer.push(&elements.root);
    writer.push(">\n");
    out.write_all(&writer.buffer)
}

/// What the elements of one branch have, with names for XML.
struct Names<'a> {
    attributes: Vec<(String, Cells<'a>)>,
    text: Option<Cells<'a>>,
    children: Vec<(String, Value<'a>)>,
    own: Option<Cells<'a>>,
    items: Option<usize>,
}

impl<'a> Names<'a> {
    fn of(shape: Shape<'a>) -> Self {
        let Shape { members, own, items } = shape;
        let (mut attributes, mut text, mut children) = (Vec::new(), None, Vec::new());
        for member in members {
            let attribute = member.name.strip_prefix('@').filter(|key| !key.is_empty());
            match (member.value, attribute) {
                (Value::Scalar(cells), Some(key)) => attributes.push((name(key), cells)),
                (Value::Scalar(cells), None) if member.name == TEXT => text = Some(cells),
                (value, _) => children.push((name(&member.name), value)),
            }
        }
        Self { attributes, text, children, own, items }
    }
}

struct Writer<'a> {
    walk: Walk<'a>,
    shapes: &'a [Names<'a>],
    buffer: Vec<u8>,
}

/// The text of a row; none if it is not there. A null is empty.
fn text_of<'a>(cells: &Cells<'a>, row: usize) -> Option<&'a str> {
    let (entry, scalar) = cells.get(row)?;
    Some(if scalar == Scalar::Null { "" } else { cells.column().dictionary().get(entry) })
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn element(&mut self, name: &str, branch: usize, row: usize) {
        let shape = &self.shapes[branch];
        self.push("<");
        self.push(name);
        for (key, cells) in &shape.attributes {
            if let Some(value) = text_of(cells, row) {
                self.attribute(key, value);
            }
        }
        self.push(">");
        let begins = self.buffer.len();
        for cells in [&shape.text, &shape.own].into_iter().flatten() {
            self.text(text_of(cells, row).unwrap_or_default());
        }
        for (name, value) in &shape.children {
            match value {
                Value::Scalar(cells) => {
                    if let Some(text) = text_of(cells, row) {
                        self.leaf(name, text);
                    }
                }
                Value::Object(branch) | Value::Array(branch) => self.elements(name, *branch, row),
            }
        }
        if let Some(items) = shape.items {
            self.elements("item", items, row);
        }
        self.close(name, begins);
    }

    fn elements(&mut self, name: &str, branch: usize, row: usize) {
        while let Some(row) = self.walk.next_in(branch, row) {
            self.element(name, branch, row);
        }
    }

    fn leaf(&mut self, name: &str, text: &str) {
        self.push("<");
        self.push(name);
        self.push(">");
        let begins = self.buffer.len();
        self.text(text);
        self.close(name, begins);
    }

    /// Closes an element whose content begins here.
    fn close(&mut self, name: &str, begins: usize) {
        if self.buffer.len() == begins {
            self.buffer.pop();
            return self.push("/>");
        }
        self.push("</");
        self.push(name);
        self.push(">");
    }

    fn attribute(&mut self, key: &str, value: &str) {
        self.push(" ");
        self.push(key);
        self.push("=\"");
        for c in value.chars() {
            match c {
                '"' => self.push("&quot;"),
                '\t' | '\n' => self.reference(c),
                c => self.character(c),
            }
        }
        self.push("\"");
    }

    fn text(&mut self, text: &str) {
        // Spaces alone would pass for those between tags.
        let is_space = text.bytes().all(|byte| byte.is_ascii_whitespace());
        for (at, c) in text.char_indices() {
            if is_space && at == 0 { self.reference(c) } else { self.character(c) }
        }
    }

    fn character(&mut self, c: char) {
        match c {
            '&' => self.push("&amp;"),
            '<' => self.push("&lt;"),
            '>' => self.push("&gt;"),
            '\r' => self.reference(c),
            c => self.push(c.encode_utf8(&mut [0; 4])),
        }
    }

    fn reference(&mut self, c: char) {
        self.push(&format!("&#{};", u32::from(c)));
    }
}
