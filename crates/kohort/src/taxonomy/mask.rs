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
    let mut codes: Vec<Code> = (texts.iter().zip(0..))
        .map(|(text, value)| {
            let mut chars: Vec<char> = text.chars().collect();
            if side == Side::Left {
                chars.reverse();
            }
            Code { value, chars }
        })
        .collect();
    // Texts of one length and one beginning stand together; texts of the same end when reversed.
    match side {
        Side::Right => codes.sort_by_key(|code| code.chars.len()),
        Side::Left => codes.sort_unstable_by(|a, b| {
            a.chars.len().cmp(&b.chars.len()).then_with(|| a.chars.cmp(&b.chars))
        }),
    }
    let n_levels = codes.last().map_or(0, |code| code.chars.len().saturating_sub(1));
    let shared = shared_with_previous(&codes);
    let n_kept = |code: &Code, level: usize| code.chars.len().saturating_sub(level).max(1);
    let mut n_groups = 0;
    let mut levels = Vec::new();
    for level in 1..=n_levels {
        let mut made = Level { group_of_leaf: vec![0; texts.len()], labels: Vec::new() };
        for (code, shared) in codes.iter().zip(&shared) {
            let n_kept = n_kept(code, level);
            if shared.is_none_or(|shared| shared < n_kept) {
                made.labels.push(label(code, n_kept, side));
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

struct Code {
    value: usize,
    // In the order in which characters are kept.
    chars: Vec<char>,
}

/// How many first characters each code has in common with the one before, if that is as long.
fn shared_with_previous(codes: &[Code]) -> Vec<Option<usize>> {
    let mut shared = vec![None; codes.len().min(1)];
    shared.extend(codes.windows(2).map(|pair| {
        let (a, b) = (&pair[0].chars, &pair[1].chars);
        (a.len() == b.len()).then(|| a.iter().zip(b).take_while(|(a, b)| a == b).count())
    }));
    shared
}

fn label(code: &Code, n_kept: usize, side: Side) -> String {
    let kept = &code.chars[..n_kept];
    let masked = code.chars.len() - n_kept;
    let stars = std::iter::repeat_n('*', masked);
    match side {
        Side::Right => kept.iter().copied().chain(stars).collect(),
        Side::Left => stars.chain(kept.iter().rev().copied()).collect(),
    }
}
