//! Whole text files: plans and taxonomies.

use std::io::Read;
use std::path::Path;

use kohort_core::Place;

use crate::lines::count_line_ends;
use crate::source::{Fault, Text, file_name, open};
use crate::{At, Encoding, Error, Kind};

/// The largest text that is read at once.
const LIMIT: u64 = 256 << 20;

/// Reads a text in UTF-8, with or without a byte order mark, or in UTF-16 or Windows-1252 where it
/// looks like that.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let name = file_name(path);
    let (file, size) = match open(path) {
        Err(error) if matches!(error.kind(), Kind::Empty { .. }) => return Ok(String::new()),
        opened => opened?,
    };
    let too_large = || Kind::TooLarge { name: name.clone(), limit_mib: LIMIT >> 20 };
    if size > LIMIT {
        return Err(too_large().into());
    }
    let file = Box::new(file.take(LIMIT + 1));
    let mut text = Text::new(name.clone(), file, None, None)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let mut chunk = vec![0; 64 << 10];
    let at = |before: &[u8]| At {
        name: name.clone(),
        place: Place::Line(count_line_ends(before) + 1),
        column: None,
        column_name: None,
    };
    loop {
        match text.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
            Err(Fault::Error(error)) => return Err(error),
            Err(Fault::Malformed | Fault::TooLong) => {
                return Err(Kind::BadByte { at: at(&bytes), encoding: text.encoding }.into());
            }
        }
        if bytes.len() as u64 > LIMIT {
            return Err(too_large().into());
        }
    }
    if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
        return Err(Kind::Nul { at: at(&bytes[..offset]) }.into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        Kind::BadByte { at: at(before), encoding: Encoding::Utf8 }.into()
    })
}
