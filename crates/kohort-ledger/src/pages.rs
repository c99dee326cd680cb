//! The pages of the file: which of their bytes say something.
//!
//! # Method
//! A page of a tree has a header, the places of its cells, a gap, and from the start of its content on cells,
//! free blocks and fragments of less than four bytes. What is between these says nothing. The same holds for
//! the end of the last page of a payload that goes on elsewhere, for what a page of the list of free pages has
//! besides its links, and for the type of a first column that is the key of its row: the key stands before the
//! record.
//!
//! # References
//! The file format of SQLite, <https://www.sqlite.org/fileformat2.html>, sections 1.5 and 1.6.

use std::ops::Range;

/// The length of the header of the file, which is on the first page.
pub(crate) const HEADER: usize = 100;

/// A page of a tree whose bytes add up.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The pages below, each with the largest key in it where the tree of a table says it.
    pub(crate) children: Vec<(u32, Option<u64>)>,
    /// The payloads that go on elsewhere: the page, and how many bytes.
    pub(crate) overflows: Vec<(u32, usize)>,
    /// The last key of the rows on it.
    pub(crate) last: Option<u64>,
    // What says something, and a byte in each of these that does not.
    used: Vec<Range<usize>>,
    types: Vec<usize>,
}

/// A cell: where it is, and what it names.
struct Cell {
    at: Range<usize>,
    child: Option<u32>,
    key: Option<u64>,
    overflow: Option<(u32, usize)>,
    /// Where the record says what type its first column has.
    first_type: Option<usize>,
}

impl Tree {
    /// A page of a tree, if it is one and every byte of it is accounted for: of what is not, nobody can tell
    /// whether it says something. `is_of_schema` where its rows have no column that is their key.
    pub(crate) fn read(bytes: &[u8], is_first: bool, is_of_schema: bool) -> Option<Self> {
        let start = if is_first { HEADER } else { 0 };
        let kind = *bytes.get(start)?;
        if !matches!(kind, 2 | 5 | 10 | 13) {
            return None;
        }
        let (is_table, is_leaf) = (matches!(kind, 5 | 13), matches!(kind, 10 | 13));
        let n_cells = short(bytes, start + 3)?;
        let places = start + if is_leaf { 8 } else { 12 };
        let front = 0..places + 2 * n_cells;
        let mut tree = Self {
            children: Vec::new(),
            overflows: Vec::new(),
            last: None,
            used: Vec::with_capacity(n_cells + 1),
            types: Vec::new(),
        };
        tree.used.push(front.clone());
        let mut taken = Vec::with_capacity(n_cells);
        for cell in 0..n_cells {
            let cell = Cell::read(bytes, short(bytes, places + 2 * cell)?, is_table, is_leaf)?;
            tree.used.push(cell.at.clone());
            taken.push(cell.at.start..cell.at.end.max(cell.at.start + 4));
            tree.overflows.extend(cell.overflow);
            tree.children.extend(cell.child.map(|child| (child, cell.key)));
            tree.types.extend(cell.first_type.filter(|_| !is_of_schema));
            tree.last = cell.key.filter(|_| is_leaf);
        }
        if !is_leaf {
            tree.children.push((number(bytes, start + 8)?, None));
        }
        let mut free = short(bytes, start + 1)?;
        while free != 0 {
            let (next, length) = (short(bytes, free)?, short(bytes, free + 2)?);
            if length < 4 || next != 0 && next < free + length {
                return None;
            }
            tree.used.push(free..free + 4);
            taken.push(free..free + length);
            free = next;
        }
        let content = match short(bytes, start + 5)? {
            0 => 1 << 16,
            content => content,
        };
        let n_fragments = usize::from(*bytes.get(start + 7)?);
        let is_whole = content >= front.end && adds_up(taken, content..bytes.len(), n_fragments);
        is_whole.then_some(tree)
    }

    /// The page with zeros where its bytes say nothing.
    pub(crate) fn wiped(&self, bytes: &[u8]) -> Vec<u8> {
        let mut wiped = vec![0; bytes.len()];
        for used in &self.used {
            wiped[used.clone()].copy_from_slice(&bytes[used.clone()]);
        }
        for &at in &self.types {
            wiped[at] = 0;
        }
        wiped
    }
}

/// Whether ranges are apart and within another, with so many bytes between them.
fn adds_up(mut taken: Vec<Range<usize>>, within: Range<usize>, n_between: usize) -> bool {
    taken.sort_unstable_by_key(|range| range.start);
    let (mut end, mut n_found) = (within.start, 0);
    for range in taken {
        if range.start < end {
            return false;
        }
        n_found += range.start - end;
        end = range.end;
    }
    end <= within.end && n_found + (within.end - end) == n_between
}

impl Cell {
    fn read(bytes: &[u8], from: usize, is_table: bool, is_leaf: bool) -> Option<Self> {
        let size = bytes.len();
        let child = if is_leaf { None } else { Some(number(bytes, from)?) };
        let mut at = from + if is_leaf { 0 } else { 4 };
        let (first, length) = varint(bytes, at)?;
        at += length;
        if is_table && !is_leaf {
            let key = Some(first);
            return Some(Self { at: from..at, child, key, overflow: None, first_type: None });
        }
        let mut key = None;
        if is_table {
            let (found, length) = varint(bytes, at)?;
            key = Some(found);
            at += length;
        }
        let payload = usize::try_from(first).ok()?;
        // A record begins with the length of its header, which is short, and goes on with its types.
        let first_type = Some(at + 1).filter(|_| is_table);
        let here = local(size, payload, is_table);
        at = at.checked_add(here)?;
        let mut overflow = None;
        if here < payload {
            overflow = Some((number(bytes, at)?, payload - here));
            at += 4;
        }
        let is_within = at <= size && here > 1;
        is_within.then_some(Self { at: from..at, child, key, overflow, first_type })
    }
}

/// How many bytes of a payload are in its cell.
fn local(size: usize, payload: usize, is_table: bool) -> usize {
    let most = if is_table { size - 35 } else { (size - 12) * 64 / 255 - 23 };
    let least = (size - 12) * 32 / 255 - 23;
    if payload <= most {
        return payload;
    }
    match least + (payload - least) % (size - 4) {
        here if here <= most => here,
        _ => least,
    }
}

/// A page of a payload that goes on, with zeros behind its last byte; which page is next, and how many bytes
/// are left for it.
pub(crate) fn continued(bytes: &[u8], left: usize) -> (Vec<u8>, u32, usize) {
    let next = number(bytes, 0).unwrap_or(0);
    let here = left.min(bytes.len() - 4);
    let mut wiped = bytes.to_vec();
    wiped[4 + here..].fill(0);
    if left == here {
        wiped[..4].fill(0);
    }
    (wiped, next, left - here)
}

/// A trunk of the list of free pages: the next, and the leaves that it names.
pub(crate) fn trunk(bytes: &[u8]) -> Option<(u32, Vec<u32>)> {
    let n_leaves = usize::try_from(number(bytes, 4)?).ok()?;
    if n_leaves > bytes.len() / 4 - 2 {
        return None;
    }
    let leaves = (0..n_leaves).map(|leaf| number(bytes, 8 + 4 * leaf));
    Some((number(bytes, 0)?, leaves.collect::<Option<_>>()?))
}

/// A trunk that names the next and no leaf.
pub(crate) fn bare_trunk(size: usize, next: u32) -> Vec<u8> {
    let mut bytes = vec![0; size];
    bytes[..4].copy_from_slice(&next.to_be_bytes());
    bytes
}

/// A number of four bytes.
pub(crate) fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

/// A number of two bytes.
fn short(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|bytes| usize::from(u16::from_be_bytes(*bytes)))
}

/// A number of up to nine bytes, and how many it has.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for (n, &byte) in bytes.get(at..)?.iter().take(9).enumerate() {
        if n == 8 {
            return Some((number << 8 | u64::from(byte), 9));
        }
        number = number << 7 | u64::from(byte & 127);
        if byte < 128 {
            return Some((number, n + 1));
        }
    }
    None
}
