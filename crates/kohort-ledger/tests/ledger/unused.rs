//! Which bytes of an SQLite file nobody reads: what the file format says is free.

/// A page: its bytes, from where on it is a b-tree page, and the bytes of the file that are used of it.
struct Page<'a> {
    bytes: &'a [u8],
    start: usize,
    // Whether it has rows of the schema, whose keys nobody asks for.
    is_of_schema: bool,
    is_used: Vec<bool>,
    children: Vec<usize>,
}

fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    bytes[at..at + length].iter().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// A number of variable length, and how many bytes it has.
fn varint(bytes: &[u8], at: usize) -> (usize, usize) {
    let mut number = 0;
    for (n, &byte) in bytes[at..].iter().take(9).enumerate() {
        number = number << 7 | usize::from(byte & 127);
        if byte < 128 {
            return (number, n + 1);
        }
    }
    (number, 9)
}

impl Page<'_> {
    fn use_(&mut self, at: usize, length: usize) {
        self.is_used[at..at + length].fill(true);
    }

    /// Marks a b-tree page, and says where the payloads of its cells go on, and for how long.
    fn tree(&mut self) -> Vec<(usize, usize)> {
        let (bytes, start, size) = (self.bytes, self.start, self.bytes.len());
        let kind = bytes[start];
        let (is_table, is_leaf) = (matches!(kind, 5 | 13), matches!(kind, 10 | 13));
        // Fields of the header of a page: its kind and the number of cells; the first free block, the start
        // of the cells and the fragments are about free space.
        self.use_(start, 1);
        self.use_(start + 3, 2);
        let n_cells = number(bytes, start + 3, 2);
        let pointers = start + if is_leaf { 8 } else { 12 };
        self.use_(start + 8, pointers - start - 8);
        self.children.extend((!is_leaf).then(|| number(bytes, start + 8, 4)));
        self.use_(pointers, 2 * n_cells);
        let mut overflows = Vec::new();
        for cell in 0..n_cells {
            let from = number(bytes, pointers + 2 * cell, 2);
            self.children.extend((!is_leaf).then(|| number(bytes, from, 4)));
            let mut at = from + if is_leaf { 0 } else { 4 };
            let (payload, length) = varint(bytes, at);
            at += length;
            if is_table && !is_leaf {
                // What was read is a key that only parts the pages below.
                self.use_(from, 4);
                continue;
            }
            let key = at..at + if is_table { varint(bytes, at).1 } else { 0 };
            at = key.end;
            let most = if is_table { size - 35 } else { (size - 12) * 64 / 255 - 23 };
            let least = (size - 12) * 32 / 255 - 23;
            let here = match least + (payload.saturating_sub(least)) % (size - 4) {
                _ if payload <= most => payload,
                here if here <= most => here,
                _ => least,
            };
            at += here;
            if here < payload {
                overflows.push((number(bytes, at, 4), payload - here));
                at += 4;
            }
            self.use_(from, at - from);
            if self.is_of_schema {
                self.is_used[key].fill(false);
            } else if is_table {
                // The first column is the key, which is not read from the record: that has its type alone.
                self.is_used[key.end + 1] = false;
            }
        }
        overflows
    }
}

/// Fields of the header of the file that change with every use: the change counter, the number of pages for
/// which it is valid, the schema cookie, and which version wrote it last.
const HEADER: [std::ops::Range<usize>; 3] = [24..32, 40..44, 92..100];

/// Of each byte of a ledger whether it is unused.
pub(crate) fn of(bytes: &[u8]) -> Vec<bool> {
    let size = match number(bytes, 16, 2) {
        1 => 65536,
        size => size,
    };
    let n_pages = bytes.len() / size;
    let mut is_used = vec![false; bytes.len()];
    let mut is_free = vec![false; n_pages + 1];
    // The list of free pages: each trunk names the next and its leaves.
    let mut trunk = number(bytes, 32, 4);
    while trunk != 0 {
        let at = (trunk - 1) * size;
        is_free[trunk] = true;
        let n_leaves = number(bytes, at + 4, 4);
        is_used[at..at + 8 + 4 * n_leaves].fill(true);
        for leaf in 0..n_leaves {
            is_free[number(bytes, at + 8 + 4 * leaf, 4)] = true;
        }
        trunk = number(bytes, at, 4);
    }
    let mut overflows = Vec::new();
    let mut schema = vec![1];
    for page in (1..=n_pages).filter(|&page| !is_free[page]) {
        let at = (page - 1) * size;
        let start = if page == 1 { 100 } else { 0 };
        // Any other page goes on with a payload, and begins with the number of the next: a small one.
        if !matches!(bytes[at + start], 2 | 5 | 10 | 13) {
            continue;
        }
        // Pages of the schema come after the first, and one of them after the page that names it.
        let is_of_schema = schema.contains(&page);
        let (is_used_here, children) = (vec![false; size], Vec::new());
        let bytes = &bytes[at..at + size];
        let mut read = Page { bytes, start, is_of_schema, is_used: is_used_here, children };
        overflows.extend(read.tree());
        schema.extend(read.children.iter().filter(|_| is_of_schema));
        for (used, found) in is_used[at..].iter_mut().zip(read.is_used) {
            *used |= found;
        }
    }
    while let Some((page, left)) = overflows.pop() {
        let (at, here) = ((page - 1) * size, left.min(size - 4));
        is_used[at..at + 4 + here].fill(true);
        if left > here {
            overflows.push((number(bytes, at, 4), left - here));
        }
    }
    is_used[..100].fill(true);
    for field in HEADER {
        is_used[field].fill(false);
    }
    is_used.into_iter().map(|is_used| !is_used).collect()
}
