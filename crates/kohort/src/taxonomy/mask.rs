//! Codes with characters masked from one end: `47677`, `4767*`, `476**`, up to the root.

use kohort_core::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::index;

/// The longest text that can be masked: beyond it a text is no code, and its levels are too many.
pub(super) const MAX_LENGTH: usize = 64;
/// The most groups that all levels of a mask may have together.
pub(super) const MAX_GROUPS: usize = 20_000_000;

/// The end from which characters are masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// `47677` becomes `4767*`.
    Right,
    /// `47677` becomes `*7677`.
    Left,
}

/// The longest text, in characters.
pub(super) fn longest(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

/// Level i masks i characters, but never the last one left: what is shorter keeps its last mask up to
/// the root, which stands for all-masked. Without the root; `None` when there are too many groups.
pub(super) fn levels(texts: &[String], side: Side) -> Option<Vec<Level>> {
    let mut codes: Vec<Code<'_>> = (texts.iter().zip(0..))
        .map(|(text, value)| Code { value, text, n_chars: text.chars().count() })
        .collect();
    // Texts of one length that keep the same characters stand together; texts come sorted.
    match side {
        Side::Right => codes.sort_by_key(|code| code.n_chars),
        Side::Left => codes.sort_unstable_by(|a, b| {
            let backward = || a.text.chars().rev().cmp(b.text.chars().rev());
            a.n_chars.cmp(&b.n_chars).then_with(backward)
        }),
    }
    let n_levels = codes.last().map_or(0, |code| code.n_chars.saturating_sub(1));
    let shared = shared_with_previous(&codes, side);
    let mut n_groups = 0;
    let mut levels = Vec::new();
    for level in 1..=n_levels {
        let mut made = Level { group_of_leaf: vec![0; texts.len()], labels: Vec::new() };
        for (code, shared) in codes.iter().zip(&shared) {
            let n_kept = code.n_chars.saturating_sub(level).max(1);
            if shared.is_none_or(|shared| shared < n_kept) {
                made.labels.push(code.masked(n_kept, side));
            }
            made.group_of_leaf[code.value] = index(made.labels.len() - 1);
        }
        n_groups += made.labels.len();
        if n_groups > MAX_GROUPS {
            return None;
        }
        levels.push(made);
    }
    Some(levels)
}

struct Code<'t> {
    value: usize,
    text: &'t str,
    n_chars: usize,
}

impl Code<'_> {
    /// The text with all but `n_kept` characters masked.
    fn masked(&self, n_kept: usize, side: Side) -> String {
        let stars = std::iter::repeat_n('*', self.n_chars - n_kept);
        match side {
            Side::Right => self.text.chars().take(n_kept).chain(stars).collect(),
            Side::Left => stars.chain(self.text.chars().skip(self.n_chars - n_kept)).collect(),
        }
    }
}

/// How many of the characters kept longest each code shares with the one before, if that is as long.
fn shared_with_previous(codes: &[Code<'_>], side: Side) -> Vec<Option<usize>> {
    let mut shared = vec![None; codes.len().min(1)];
    shared.extend(codes.windows(2).map(|pair| {
        let (a, b) = (pair[0].text.chars(), pair[1].text.chars());
        let n_equal = || match side {
            Side::Right => a.zip(b).take_while(|(a, b)| a == b).count(),
            Side::Left => a.rev().zip(b.rev()).take_while(|(a, b)| a == b).count(),
        };
        (pair[0].n_chars == pair[1].n_chars).then(n_equal)
    }));
    shared
}
