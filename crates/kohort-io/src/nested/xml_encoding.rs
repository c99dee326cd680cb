//! The encoding that XML declares in its first line.

use std::io::{Cursor, Read};

use crate::{Encoding, Error, Kind};

/// How much of a file may come before the end of its declaration.
const HEAD: u64 = 1024;

/// The encoding a text declares, if any that matters, and all its bytes.
pub(super) fn look<'a>(
    name: &str,
    mut bytes: Box<dyn Read + 'a>,
) -> Result<(Option<Encoding>, Box<dyn Read + 'a>), Error> {
    let mut head = Vec::new();
    // What cannot be read will be found out by whoever reads on.
    let failed = (&mut bytes).take(HEAD).read_to_end(&mut head).err();
    let label = declared(&head).map(str::to_ascii_lowercase);
    let encoding = match label.as_deref() {
        None => None,
        Some("utf-8" | "utf8" | "us-ascii" | "ascii") => Some(Encoding::Utf8),
        Some("windows-1252" | "cp1252" | "iso-8859-1" | "latin1") => Some(Encoding::Windows1252),
        // Whoever can read this far has found another one.
        Some(label) if label.starts_with("utf-16") => None,
        Some(_) => {
            let problem = "is in an encoding that is not read: save it as UTF-8".to_owned();
            return Err(Kind::NoRecords { name: name.to_owned(), problem }.into());
        }
    };
    let rest: Box<dyn Read + 'a> = match failed {
        None => bytes,
        Some(error) => Box::new(Failing(Some(error))),
    };
    Ok((encoding, Box::new(Cursor::new(head).chain(rest))))
}

/// Fails as its source has.
struct Failing(Option<std::io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

fn declared(head: &[u8]) -> Option<&str> {
    let end = head.windows(2).position(|two| two == b"?>")?;
    let declaration = str::from_utf8(head.get(..end)?).ok()?.strip_prefix("<?xml")?;
    let (_, after) = declaration.split_once("encoding")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_names_the_encoding() {
        assert_eq!(declared(b"<?xml version='1.0' encoding='utf-8'?><a/>"), Some("utf-8"));
        assert_eq!(declared(b"<?xml version=\"1.0\" encoding = \"X\" ?>"), Some("X"));
        assert_eq!(declared(b"<?xml version=\"1.0\"?><a encoding='x'?>"), None);
        assert_eq!(declared(b"<a encoding='x'/>"), None);
    }
}
