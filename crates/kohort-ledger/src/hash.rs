//! A hash of 32 bytes, as hexadecimal text where a person reads it.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A BLAKE3 hash: of a file, or of an entry with all that came before it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hash(pub(crate) [u8; 32]);

impl Hash {
    /// The hash of bytes, as `b3sum` calculates it.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash of all that a reader gives.
    pub fn of_reader(reader: impl Read) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(reader)?;
        Ok(Self(*hasher.finalize().as_bytes()))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Hash {
    type Err = blake3::HexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(text).map(|hash| Self(*hash.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The hash of nothing, from the test vectors of BLAKE3.
    const OF_NOTHING: &str = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        assert_eq!(Hash::of(b"").to_string(), OF_NOTHING);
        assert_eq!(OF_NOTHING.parse::<Hash>().unwrap(), Hash::of_reader(&b""[..]).unwrap());
        assert!("af13".parse::<Hash>().is_err());
    }
}
