//! JSON Lines: one flat object on each line. A member that an object does not have is null.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use kohort_core::{Place, Told, Written};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::builder::{Builder, bad_text, check_rows, finish};
use crate::lines::{RECORD_LIMIT, RECORD_LIMIT_MIB, Window};
use crate::nested::{TOO_LARGE, is_too_large};
use crate::source::{Fault, Text};
use crate::{At, Error, Kind, Options, Read};

/// Reads a text as JSON Lines; columns stand in the order in which members first appear.
pub(crate) fn read(mut text: Text<'_>, options: &Options) -> Result<Read, Error> {
    let notes = std::mem::take(&mut text.notes);
    let mut window = Window::new(text);
    window.skip_lines(options.skip_lines)?;
    let mut rows = Rows { window, columns: Columns::default(), line: options.skip_lines };
    while let Some(length) = rows.next_line()? {
        rows.read_line(length)?;
        rows.window.drop_first(length);
    }
    let Rows { window, columns: Columns { names, builders, n_rows, .. }, .. } = rows;
    let name = window.text.name;
    if n_rows == 0 {
        return Err(Kind::Empty { name }.into());
    }
    if names.is_empty() {
        return Err(Kind::NoRows { name, header: false }.into());
    }
    Ok(finish(name, names, builders, true, &options.missing, notes))
}

struct Rows<'a> {
    window: Window<'a>,
    columns: Columns,
    /// The current line, from 1.
    line: u64,
}

#[derive(Default)]
struct Columns {
    names: Vec<String>,
    positions: BTreeMap<String, usize>,
    builders: Vec<Builder>,
    n_rows: u64,
    first_line: u64,
}

impl Rows<'_> {
    /// The length of the next line, its end included; none at the end of the text.
    fn next_line(&mut self) -> Result<Option<usize>, Error> {
        self.line += 1;
        let mut searched = 0;
        loop {
            let bytes = self.window.bytes();
            if let Some(at) = bytes[searched..].iter().position(|&byte| byte == b'\n') {
                return Ok(Some(searched + at + 1));
            }
            searched = bytes.len();
            match self.window.fill() {
                Ok(true) => {}
                Ok(false) if searched == 0 => return Ok(None),
                Ok(false) => return Ok(Some(searched)),
                Err(Fault::Error(error)) => return Err(error),
                Err(Fault::TooLong) => return Err(self.too_long()),
                Err(Fault::Malformed) => {
                    let encoding = self.window.text.encoding;
                    return Err(Kind::BadByte { at: self.at(), encoding }.into());
                }
            }
        }
    }

    fn too_long(&self) -> Error {
        Kind::LongRecord { at: self.at(), limit_mib: RECORD_LIMIT_MIB }.into()
    }

    fn at(&self) -> At {
        at(&self.window.text.name, self.line, None)
    }

    fn read_line(&mut self, length: usize) -> Result<(), Error> {
        if length > RECORD_LIMIT {
            return Err(self.too_long());
        }
        let line = &self.window.bytes()[..length];
        let Ok(line) = str::from_utf8(line) else {
            let encoding = self.window.text.encoding;
            return Err(Kind::BadByte { at: self.at(), encoding }.into());
        };
        if line.contains('\0') {
            return Err(Kind::Nul { at: self.at() }.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(());
        }
        let object: Object<'_> =
            serde_json::from_str(line).map_err(|error| invalid(line, self.at(), &error))?;
        check_rows(self.columns.n_rows, || self.at())?;
        self.columns.push(object, &self.window.text, self.line)
    }
}

fn at(name: &str, line: u64, member: Option<&str>) -> At {
    let column_name = member.map(str::to_owned);
    At { name: name.to_owned(), place: Place::Line(line), column: None, column_name }
}

/// The parser's words for a fault of syntax quote nothing; those for a fault of type would.
fn invalid(line: &str, at: At, error: &serde_json::Error) -> Error {
    if error.is_data() {
        return Kind::NotAnObject { at }.into();
    }
    let character = line.bytes().take(error.column()).filter(|byte| byte & 0xc0 != 0x80).count();
    let problem = if error.is_eof() {
        "the object does not end on its line".to_owned()
    } else {
        let text = error.to_string();
        text.split(" at line ").next().unwrap_or_default().to_owned()
    };
    Kind::Json { at, character, problem }.into()
}

impl Columns {
    fn push(&mut self, object: Object<'_>, text: &Text<'_>, line: u64) -> Result<(), Error> {
        if self.n_rows == 0 {
            self.first_line = line;
        }
        for (position, (member, value)) in object.0.into_iter().enumerate() {
            let at = || at(&text.name, line, Some(&member));
            let (cell, written) = cell(value.get(), &at)?;
            let column = self.position(position, &member, text)?;
            let builder = &mut self.builders[column];
            if builder.codes.len() as u64 > self.n_rows {
                return Err(Kind::DuplicateMember { at: at() }.into());
            }
            builder
                .push_as(cell.as_bytes(), written, line)
                .map_err(|problem| bad_text(problem, at(), text.encoding))?;
        }
        self.n_rows += 1;
        for (builder, name) in self.builders.iter_mut().zip(&self.names) {
            if (builder.codes.len() as u64) < self.n_rows {
                builder.push_as(b"", Written::Null, line).map_err(|problem| {
                    bad_text(problem, at(&text.name, line, Some(name)), text.encoding)
                })?;
            }
        }
        Ok(())
    }

    /// The column of a member, added if there is none yet; most objects have their members in the
    /// same order.
    fn position(&mut self, expected: usize, member: &str, text: &Text<'_>) -> Result<usize, Error> {
        if self.names.get(expected).is_some_and(|name| name == member) {
            return Ok(expected);
        }
        if let Some(&position) = self.positions.get(member) {
            return Ok(position);
        }
        let position = self.names.len();
        if member.trim().is_empty() {
            let (name, column) = (text.name.clone(), position + 1);
            return Err(Kind::UnnamedColumn { name, header: None, column, value: None }.into());
        }
        if member.contains('\0') {
            let (name, column) = (text.name.clone(), position + 1);
            return Err(Kind::NulInName { name, header: None, column }.into());
        }
        let mut builder = Builder::new(Told::Kinds);
        for _ in 0..self.n_rows {
            builder.push_as(b"", Written::Null, self.first_line).map_err(|problem| {
                bad_text(problem, at(&text.name, self.first_line, None), text.encoding)
            })?;
        }
        self.names.push(member.to_owned());
        self.positions.insert(member.to_owned(), position);
        self.builders.push(builder);
        Ok(position)
    }
}

/// A value as text, and how it stands: numbers keep their digits, a null is the empty text.
fn cell<'a>(raw: &'a str, at: &dyn Fn() -> At) -> Result<(Cow<'a, str>, Written), Error> {
    match raw.as_bytes().first() {
        Some(b'{') => Err(Kind::Nested { at: at(), found: "object" }.into()),
        Some(b'[') => Err(Kind::Nested { at: at(), found: "array" }.into()),
        Some(b'n') => Ok((Cow::Borrowed(""), Written::Null)),
        Some(b'"') if !raw.contains('\\') => {
            Ok((Cow::Borrowed(&raw[1..raw.len() - 1]), Written::Text))
        }
        Some(b'"') => match serde_json::from_str::<String>(raw) {
            Ok(text) => Ok((Cow::Owned(text), Written::Text)),
            Err(error) => Err(invalid(raw, at(), &error)),
        },
        _ if is_too_large(raw) => {
            Err(Kind::Json { at: at(), character: 1, problem: TOO_LARGE.to_owned() }.into())
        }
        _ => Ok((Cow::Borrowed(raw), Written::Bare)),
    }
}

/// The members of an object in their order, values as they stand.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Object(members))
    }
}

struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
