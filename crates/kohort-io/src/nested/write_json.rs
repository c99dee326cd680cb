//! Nested records as JSON: each on a line of its own.

use std::io::{self, Write};

use kohort_core::{Empty, Nested, Scalar};

use super::json_tokens::{is_literal, is_too_large};
use super::walk::{Cells, Shape, Value, Walk, hand_on, shapes};

/// Writes records, with an array around them or without.
pub(super) fn write(nested: &Nested, is_array: bool, out: &mut dyn Write) -> io::Result<()> {
    let shapes = shapes(nested);
    let mut writer = Writer { walk: Walk::new(nested), shapes: &shapes, buffer: Vec::new() };
    if is_array {
        out.write_all(b"[\n")?;
    }
    let n_records = nested.n_records();
    for row in 0..n_records {
        kohort_core::alive_at(row);
        writer.object(0, row);
        let end: &[u8] = if is_array && row + 1 < n_records { b",\n" } else { b"\n" };
        writer.buffer.extend_from_slice(end);
        hand_on(&mut writer.buffer, out)?;
    }
    if is_array {
        writer.buffer.extend_from_slice(b"]\n");
    }
    out.write_all(&writer.buffer)
}

struct Writer<'a> {
    walk: Walk<'a>,
    shapes: &'a [Shape<'a>],
    buffer: Vec<u8>,
}

impl Writer<'_> {
    fn object(&mut self, branch: usize, row: usize) {
        let shapes = self.shapes;
        self.buffer.push(b'{');
        let begins = self.buffer.len();
        for member in &shapes[branch].members {
            let before = self.buffer.len();
            if before > begins {
                self.buffer.push(b',');
            }
            string(&member.name, &mut self.buffer);
            self.buffer.push(b':');
            let is_there = match &member.value {
                Value::Scalar(cells) => self.scalar(cells, row),
                Value::Object(branch) => self.member_object(*branch, row),
                Value::Array(branch) => self.array(*branch, row),
            };
            if !is_there {
                self.buffer.truncate(before);
            }
        }
        self.buffer.push(b'}');
    }

    fn scalar(&mut self, cells: &Cells<'_>, row: usize) -> bool {
        let Some((entry, scalar)) = cells.get(row) else { return false };
        let text = cells.column().dictionary().get(entry);
        match scalar {
            Scalar::Absent => return false,
            Scalar::Null => self.buffer.extend_from_slice(b"null"),
            Scalar::Bare if is_literal(text.as_bytes()) && !is_too_large(text) => {
                self.buffer.extend_from_slice(text.as_bytes());
            }
            Scalar::Bare | Scalar::Text => string(text, &mut self.buffer),
        }
        true
    }

    fn member_object(&mut self, branch: usize, row: usize) -> bool {
        if let Some(row) = self.walk.next_in(branch, row) {
            self.object(branch, row);
            return true;
        }
        self.empty(branch, row)
    }

    fn empty(&mut self, branch: usize, row: usize) -> bool {
        let Some(empty) = self.walk.empty_in(branch, row) else { return false };
        self.buffer.extend_from_slice(match empty {
            Empty::Array => b"[]",
            Empty::Null => b"null",
        });
        true
    }

    fn array(&mut self, branch: usize, row: usize) -> bool {
        let Some(mut item) = self.walk.next_in(branch, row) else {
            return self.empty(branch, row);
        };
        self.buffer.push(b'[');
        loop {
            self.item(branch, item);
            match self.walk.next_in(branch, row) {
                Some(next) => item = next,
                None => break,
            }
            self.buffer.push(b',');
        }
        self.buffer.push(b']');
        true
    }

    /// An item is a scalar where it has one, an array where it has items, and else an object.
    fn item(&mut self, branch: usize, row: usize) {
        let shape = &self.shapes[branch];
        let is_written = shape.own.as_ref().is_some_and(|own| self.scalar(own, row))
            || shape.items.is_some_and(|items| self.array(items, row));
        if !is_written {
            self.object(branch, row);
        }
    }
}

fn string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a string is written to memory");
}
