//! Character encodings: found by looking, and turned into UTF-8 without replacing anything.

use std::fmt;
use std::io::{self, Read};

use encoding_rs::DecoderResult;

/// How characters are written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// What older Windows programs save in western Europe and America.
    Windows1252,
}

impl Encoding {
    /// Every encoding.
    pub const ALL: [Self; 4] = [Self::Utf8, Self::Utf16Le, Self::Utf16Be, Self::Windows1252];

    /// The name for options and plans.
    pub fn id(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// The encoding of this name; `utf-16` without a byte order mark is low byte first.
    pub fn from_id(id: &str) -> Option<Self> {
        let id = id.to_ascii_lowercase();
        match id.as_str() {
            "utf-16" => Some(Self::Utf16Le),
            _ => Self::ALL.into_iter().find(|encoding| encoding.id() == id),
        }
    }

    fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
            Self::Windows1252 => b"",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
            Self::Windows1252 => "Windows-1252",
        })
    }
}

/// The encoding and the length of its byte order mark. A mark decides between the two orders of
/// UTF-16 even where one was asked for.
pub(crate) fn decide(sample: &[u8], asked: Option<Encoding>) -> (Encoding, usize) {
    let marked = [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be]
        .into_iter()
        .find(|encoding| sample.starts_with(encoding.mark()));
    let is_utf16 = |encoding| matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be);
    match (asked, marked) {
        (None, Some(marked)) => (marked, marked.mark().len()),
        (Some(asked), Some(marked)) if asked == marked || is_utf16(asked) && is_utf16(marked) => {
            (marked, marked.mark().len())
        }
        (Some(asked), _) => (asked, 0),
        (None, None) => (look(sample), 0),
    }
}

fn look(sample: &[u8]) -> Encoding {
    if let Some(utf16) = look_for_zeros(sample) {
        return utf16;
    }
    if looks_like_windows_1252(sample) { Encoding::Windows1252 } else { Encoding::Utf8 }
}

/// Western text in UTF-16 has a zero in nearly every pair of bytes, always on the same side.
fn look_for_zeros(sample: &[u8]) -> Option<Encoding> {
    let sample = &sample[..sample.len().min(4096)];
    let (pairs, _) = sample.as_chunks::<2>();
    let first = pairs.iter().filter(|pair| pair[0] == 0).count();
    let second = pairs.iter().filter(|pair| pair[1] == 0).count();
    let enough = |zeros: usize| 2 <= pairs.len() && pairs.len() <= zeros.saturating_mul(3);
    if enough(second) && first * 20 <= second {
        Some(Encoding::Utf16Le)
    } else if enough(first) && second * 20 <= first {
        Some(Encoding::Utf16Be)
    } else {
        None
    }
}

/// Whether a sample can only be Windows-1252: it has high bytes, none of them part of a UTF-8
/// character, and each where western text would have it. A single stray byte in UTF-8 text must not
/// turn the whole file into another encoding.
fn looks_like_windows_1252(sample: &[u8]) -> bool {
    let mut rest = sample;
    let mut n_high = 0;
    loop {
        let Err(error) = str::from_utf8(rest) else { return n_high > 0 && rest.is_ascii() };
        if !rest[..error.valid_up_to()].is_ascii() {
            return false;
        }
        let at = sample.len() - rest.len() + error.valid_up_to();
        if !plausible(sample, at) {
            return false;
        }
        n_high += 1;
        rest = &sample[at + 1..];
    }
}

fn plausible(sample: &[u8], at: usize) -> bool {
    match sample[at] {
        byte if is_letter(byte) => {
            let beside = [at.checked_sub(1), Some(at + 1)];
            let mut beside = beside.into_iter().flatten().filter_map(|at| sample.get(at));
            beside.any(|&byte| byte.is_ascii_alphabetic() || is_letter(byte))
        }
        byte => is_sign(byte),
    }
}

fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x8a | 0x8c | 0x8e | 0x9a | 0x9c | 0x9e | 0x9f | 0xc0..=0xfc)
        && !matches!(byte, 0xd7 | 0xf7)
}

/// Currency, typographic and unit signs.
fn is_sign(byte: u8) -> bool {
    matches!(byte, 0x80 | 0x82 | 0x84 | 0x85 | 0x91..=0x97 | 0x99 | 0xa0 | 0xa3 | 0xa7)
        || matches!(byte, 0xa9..=0xab | 0xae | 0xb0 | 0xb2..=0xb5 | 0xb7 | 0xba..=0xbe)
}

/// The bytes that Windows-1252 leaves undefined.
fn is_undefined(byte: u8) -> bool {
    matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d)
}

/// What a [`Transcoder`] returns once it has delivered everything before a malformed byte.
#[derive(Debug, thiserror::Error)]
#[error("malformed text")]
pub(crate) struct Malformed;

impl Malformed {
    pub(crate) fn is(error: &io::Error) -> bool {
        error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()).is_some()
    }
}

/// Turns UTF-16 or Windows-1252 into UTF-8 as it is read.
pub(crate) struct Transcoder<R> {
    bytes: R,
    decoder: encoding_rs::Decoder,
    refuses_undefined: bool,
    input: Vec<u8>,
    start: usize,
    end: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    /// The next byte after `end` is malformed.
    Undefined,
    Ended,
    Finished,
    Malformed,
}

impl<R: Read> Transcoder<R> {
    pub(crate) fn new(bytes: R, encoding: Encoding) -> Self {
        let decoder = match encoding {
            Encoding::Utf8 => encoding_rs::UTF_8,
            Encoding::Utf16Le => encoding_rs::UTF_16LE,
            Encoding::Utf16Be => encoding_rs::UTF_16BE,
            Encoding::Windows1252 => encoding_rs::WINDOWS_1252,
        }
        .new_decoder_without_bom_handling();
        Self {
            bytes,
            decoder,
            refuses_undefined: encoding == Encoding::Windows1252,
            input: vec![0; 64 << 10],
            start: 0,
            end: 0,
            state: State::Reading,
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let n = self.bytes.read(&mut self.input)?;
        (self.start, self.end) = (0, n);
        if n == 0 {
            self.state = State::Ended;
        }
        if self.refuses_undefined
            && let Some(at) = self.input[..n].iter().position(|&byte| is_undefined(byte))
        {
            self.end = at;
            self.state = State::Undefined;
        }
        Ok(())
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.start == self.end && self.state == State::Reading {
                self.fill()?;
            }
            match self.state {
                State::Finished => return Ok(0),
                State::Malformed => return Err(io::Error::other(Malformed)),
                State::Undefined if self.start == self.end => self.state = State::Malformed,
                State::Reading | State::Undefined | State::Ended => {}
            }
            let last = self.state == State::Ended;
            let input = &self.input[self.start..self.end];
            let (result, n_read, n_written) =
                self.decoder.decode_to_utf8_without_replacement(input, output, last);
            self.start += n_read;
            match result {
                DecoderResult::InputEmpty if last => self.state = State::Finished,
                DecoderResult::InputEmpty => {}
                DecoderResult::OutputFull if n_written == 0 => {
                    return Err(io::Error::other("no room for a character"));
                }
                DecoderResult::OutputFull => return Ok(n_written),
                DecoderResult::Malformed(..) => self.state = State::Malformed,
            }
            if n_written > 0 {
                return Ok(n_written);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sample: &[u8], expected: Encoding) {
        assert_eq!(decide(sample, None).0, expected, "{sample:x?}");
    }

    #[test]
    fn western_letters_and_signs_make_windows_1252() {
        check(b"name\nJos\xe9\nM\xfcller\n", Encoding::Windows1252);
        check(b"price\n\x80 5\n\x93quoted\x94\n", Encoding::Windows1252);
        check(b"\xc9\xc0\xc9\n", Encoding::Windows1252);
    }

    #[test]
    fn a_stray_byte_in_utf_8_stays_utf_8() {
        check("Zoë,\n".as_bytes(), Encoding::Utf8);
        check(b"Zo\xc3\xab,Jos\xe9\n", Encoding::Utf8);
        check(b"Jos\xe9,M\xc3\xbcller\n", Encoding::Utf8);
        check(b"a,\xff\n", Encoding::Utf8);
        check(b"1\xe92\n", Encoding::Utf8);
        check(b"Jos\xe9,a\x81\n", Encoding::Utf8);
        check(b"", Encoding::Utf8);
    }

    #[test]
    fn a_character_cut_by_the_end_of_the_sample_is_no_stray_byte() {
        check(b"Zo\xc3\xab,Zo\xc3", Encoding::Utf8);
    }

    #[test]
    fn marks_and_zeros_make_utf_16() {
        check(b"\xff\xfea\0", Encoding::Utf16Le);
        check(b"\xfe\xff\0a", Encoding::Utf16Be);
        check(b"a\0,\0b\0\n\0", Encoding::Utf16Le);
        check(b"\0a\0,\0b\0\n", Encoding::Utf16Be);
        check(b"a,b\n1,\0\n", Encoding::Utf8);
    }

    #[test]
    fn a_mark_decides_the_order_but_not_against_another_encoding() {
        assert_eq!(decide(b"\xff\xfea\0", Some(Encoding::Utf16Be)), (Encoding::Utf16Le, 2));
        assert_eq!(decide(b"\xff\xfea\0", Some(Encoding::Utf8)), (Encoding::Utf8, 0));
    }

    #[test]
    fn ids_lead_back_to_their_encoding() {
        for encoding in Encoding::ALL {
            assert_eq!(Encoding::from_id(encoding.id()), Some(encoding));
        }
        assert_eq!(Encoding::from_id("UTF-16"), Some(Encoding::Utf16Le));
        assert_eq!(Encoding::from_id("latin"), None);
    }

    #[test]
    fn everything_before_a_malformed_unit_is_delivered() {
        let mut reader = Transcoder::new(&b"a\0\x00\xd8b\0"[..], Encoding::Utf16Le);
        let mut output = [0; 64];
        assert_eq!(reader.read(&mut output).unwrap(), 1);
        assert!(Malformed::is(&reader.read(&mut output).unwrap_err()));
        assert!(Malformed::is(&reader.read(&mut output).unwrap_err()));
    }
}
