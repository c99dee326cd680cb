//! A small cache in front of a column's dictionary: most cells repeat one of a few recent texts.

use kohort_core::BadText;

use crate::builder::Builder;

/// How far past a cell its buffer must go, so that [`Cached::push`] can load whole words.
pub(super) const SLACK: usize = 16;
const N_SLOTS: usize = 256;

/// A column with a direct-mapped cache.
pub(super) struct Cached {
    pub(super) builder: Builder,
    slots: Vec<Slot>,
}

/// A text and its code. The words hold the first sixteen bytes of the text, zeros after its end, so
/// that for a shorter text words and length say it all.
#[derive(Clone, Copy)]
struct Slot {
    words: [u64; 2],
    length: usize,
    code: u32,
}

impl Cached {
    pub(super) fn new() -> Self {
        let empty = Slot { words: [0; 2], length: usize::MAX, code: 0 };
        Self { builder: Builder::default(), slots: vec![empty; N_SLOTS] }
    }

    /// Adds the cell `buffer[start..end]`.
    #[inline]
    pub(super) fn push(
        &mut self,
        buffer: &[u8],
        start: usize,
        end: usize,
        line: u64,
    ) -> Result<(), BadText> {
        let cell = &buffer[start..end];
        let Some(head) = buffer[start..].first_chunk::<SLACK>() else {
            return self.builder.push(cell, line);
        };
        let (length, words) = (cell.len(), words(*head, cell.len()));
        let slot = &mut self.slots[index(words, length)];
        let Builder { dictionary, codes, .. } = &mut self.builder;
        let is_same = slot.length == length
            && slot.words == words
            && (length <= SLACK || dictionary.get(slot.code).as_bytes() == cell);
        if !is_same {
            let code = dictionary.intern(cell, line)?;
            *slot = Slot { words, length, code };
        }
        codes.push(slot.code);
        Ok(())
    }
}

#[inline]
fn words(head: [u8; SLACK], length: usize) -> [u64; 2] {
    let all = u128::from_le_bytes(head);
    let kept = if length >= SLACK { all } else { all & ((1 << (8 * length)) - 1) };
    #[expect(clippy::cast_possible_truncation, reason = "the two halves are wanted")]
    [kept as u64, (kept >> 64) as u64]
}

#[inline]
fn index(words: [u64; 2], length: usize) -> usize {
    // The multiplier is 2^64 over the golden ratio: its high bits depend on every input bit.
    let mixed =
        (words[0] ^ words[1].rotate_left(29) ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as usize & (N_SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_codes_are_the_dictionary_s() {
        let texts = ["", "a", "a ", "sixteen bytes ok", "sixteen bytes ok!", "sixteen bytes ok?"];
        let mut cached = Cached::new();
        let mut plain = Builder::default();
        for round in 0..3000 {
            let text =
                format!("{}{}", texts[round * 7 % 6], if round % 3 == 0 { round } else { 1 });
            let mut buffer = text.clone().into_bytes();
            buffer.extend_from_slice(&b"following cells............."[..round % 28]);
            cached.push(&buffer, 0, text.len(), 1).unwrap();
            plain.push(text.as_bytes(), 1).unwrap();
        }
        assert!(cached.builder.codes.iter().eq(plain.codes.iter()));
    }
}
