//! Packed files, unpacked as they are read and up to a limit: a few megabytes of gzip can be gigabytes of
//! text.

use std::io;

use crate::{Compression, Error, Kind};

/// How many bytes a packed file may unpack to, unless the caller says otherwise: 512 MiB.
pub(crate) const UNPACKED_LIMIT: u64 = 512 << 20;

/// The bytes of a packed file. A file that is not packed has no limit: its size is there to be seen.
pub(crate) fn unpack<'a>(
    name: &str,
    file: impl io::Read + 'a,
    compression: Option<Compression>,
    limit: Option<u64>,
) -> Result<Box<dyn io::Read + 'a>, Error> {
    let limit = limit.unwrap_or(UNPACKED_LIMIT);
    Ok(match compression {
        None => Box::new(file),
        Some(Compression::Gzip) => {
            Box::new(Limited::new(flate2::read::MultiGzDecoder::new(file), limit))
        }
        Some(Compression::Zstd) => match zstd::Decoder::new(file) {
            Ok(decoder) => Box::new(Limited::new(decoder, limit)),
            Err(source) => return Err(Kind::Read { name: name.to_owned(), source }.into()),
        },
    })
}

/// A reader that fails with [`PastLimit`] once it would give more bytes than its limit.
struct Limited<R> {
    inner: R,
    limit: u64,
    left: u64,
}

impl<R: io::Read> Limited<R> {
    fn new(inner: R, limit: u64) -> Self {
        Self { inner, limit, left: limit }
    }
}

impl<R: io::Read> io::Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        match self.left.checked_sub(n as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(PastLimit { limit: self.limit })),
        }
        Ok(n)
    }
}

/// More was unpacked than may be.
#[derive(Debug, thiserror::Error)]
#[error("unpacks to more than {limit} bytes")]
pub(crate) struct PastLimit {
    limit: u64,
}

impl PastLimit {
    /// The limit that was passed, where that is the error.
    pub(crate) fn of(error: &io::Error) -> Option<u64> {
        error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()).map(|past| past.limit)
    }
}

/// The error for a file that unpacks to more than it may.
pub(crate) fn past_limit(name: String, limit: u64) -> Error {
    Kind::Unpacked { name, limit_mib: limit >> 20 }.into()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn as_many_bytes_as_the_limit_are_read_and_not_one_more() {
        let read = |n: usize| {
            let mut bytes = Vec::new();
            Limited::new(&vec![7; n][..], 1000).read_to_end(&mut bytes).map(|_| bytes.len())
        };
        assert_eq!(read(1000).unwrap(), 1000);
        assert_eq!(PastLimit::of(&read(1001).unwrap_err()), Some(1000));
    }
}
