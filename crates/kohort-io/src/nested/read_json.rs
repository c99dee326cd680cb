//! JSON: an array of objects, an object around one, or one object per line. The file is read from front
//! to back, one token at a time.

use kohort_core::Place;

use super::grow::{Growth, PEOPLE};
use super::json_record::Reader;
use super::json_tokens::Tokens;
use crate::source::Text;
use crate::{At, Error, Kind};

/// What a file of JSON has at its top.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    /// Records, or an object around them.
    Records,
    /// Records, or one of them.
    OneOrMore,
    /// A record on each line.
    Lines,
}

/// Reads a text into the records so far. `records` names the member that has them; `numbered` says
/// whether the place of a cell is the number of its record, and not its line. What stands beside the
/// records is left out, and told.
pub(super) fn read(
    text: Text<'_>,
    top: Top,
    records: Option<&str>,
    numbered: bool,
    growth: &mut Growth,
    left_out: &mut Vec<String>,
) -> Result<(), Error> {
    let mut reader = Reader::new(Tokens::new(text), growth, numbered);
    match (reader.tokens.peek()?, records) {
        (None, _) => return Err(Kind::Empty { name: reader.tokens.at().name }.into()),
        (Some(_), None) if top == Top::Lines => while line(&mut reader)? {},
        (Some(b'['), None) => array_of_records(&mut reader)?,
        (Some(b'{'), None) if top == Top::OneOrMore => reader.record()?,
        (Some(b'{'), _) if top != Top::Lines => envelope(&mut reader, records, left_out)?,
        (Some(_), None) => {
            return Err(no_records(&reader, "must be an array of objects".to_owned()));
        }
        (Some(_), Some(records)) => {
            let problem = format!("must be an object with a member `{records}`");
            return Err(no_records(&reader, problem));
        }
    }
    if reader.tokens.peek()?.is_some() {
        return Err(reader.tokens.invalid("there is something after the end of the records"));
    }
    Ok(())
}

/// Whether a record of the first of a text of lines has an object or an array in it.
pub(super) fn has_nested(text: Text<'_>) -> bool {
    const LOOKED_AT: u32 = 10_000;
    let mut growth = Growth::new();
    let mut reader = Reader::new(Tokens::new(text), &mut growth, false);
    // Whoever reads the file tells what is wrong with it.
    while reader.growth.places[PEOPLE].n_rows < LOOKED_AT
        && reader.growth.places.len() == 1
        && line(&mut reader).is_ok_and(|more| more)
    {}
    reader.growth.places.len() > 1
}

/// Reads one line; false at the end.
fn line(reader: &mut Reader<'_, '_>) -> Result<bool, Error> {
    let Some(first) = reader.tokens.peek()? else { return Ok(false) };
    let begins = reader.tokens.line();
    if first != b'{' {
        return Err(Kind::NotAnObject { at: reader.tokens.at() }.into());
    }
    let read = reader.record();
    if reader.tokens.line() > begins {
        let at = At { place: Place::Line(begins), ..reader.tokens.at() };
        let problem = "the object does not end on its line".to_owned();
        return Err(Kind::Malformed { at, character: 1, format: "JSON", problem }.into());
    }
    read?;
    if reader.tokens.peek()?.is_some() && reader.tokens.line() == begins {
        return Err(reader.tokens.invalid("there is something after the object"));
    }
    Ok(true)
}

fn no_records(reader: &Reader<'_, '_>, problem: String) -> Error {
    Kind::NoRecords { name: reader.tokens.at().name, problem }.into()
}

fn array_of_records(reader: &mut Reader<'_, '_>) -> Result<(), Error> {
    reader
        .items(&mut |reader| match reader.tokens.peek()? {
            Some(b'{') => reader.record(),
            None => Err(reader.tokens.unexpected("expected an object here")),
            Some(_) => Err(Kind::NotAnObject { at: reader.tokens.at() }.into()),
        })
        .map(drop)
}

/// Reads an object with the records in one of its members.
fn envelope(
    reader: &mut Reader<'_, '_>,
    records: Option<&str>,
    left_out: &mut Vec<String>,
) -> Result<(), Error> {
    let mut found: Option<String> = None;
    let (mut first, mut n_left_out) = (String::new(), 0);
    reader.members(&mut |reader, name| {
        let is_array = reader.tokens.peek()? == Some(b'[');
        let is_it = match records {
            Some(records) => records == name,
            None => is_array && reader.tokens.peek_second()? == Some(b'{'),
        };
        if !is_it {
            first = if n_left_out == 0 { name } else { std::mem::take(&mut first) };
            n_left_out += 1;
            return reader.skip(1);
        }
        if let Some(first) = &found {
            let problem = if *first == name {
                format!("`{name}` occurs twice")
            } else {
                format!("both `{first}` and `{name}` have objects: say which are the records")
            };
            return Err(no_records(reader, problem));
        }
        if !is_array {
            return Err(no_records(reader, format!("`{name}` must be an array of objects")));
        }
        found = Some(name);
        array_of_records(reader)
    })?;
    if found.is_none() {
        let problem = records.map_or_else(
            || "must be an array of objects, or an object with one".to_owned(),
            |records| format!("has no member `{records}`"),
        );
        return Err(no_records(reader, problem));
    }
    if n_left_out > 0 {
        let more = if n_left_out == 1 { "" } else { " and other content" };
        left_out.push(format!("`{first}`{more} beside the records"));
    }
    Ok(())
}
