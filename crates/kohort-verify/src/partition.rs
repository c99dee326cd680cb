//! The kernel of every search over attribute sets: a partition of the distinct rows, split by one more
//! attribute or thinned by one fewer.

use kohort_core::Codes;

use crate::projection::{Projection, Suffix};

/// The classes that more attributes can still split: those of at least two distinct rows. A class of
/// one distinct row stays as it is in every superset, so it is reported once and left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partition {
    rows: Vec<u32>,
    weights: Vec<u32>,
    ends: Vec<u32>,
}

/// The members of one class: distinct rows with the number of table rows behind each.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a> {
    pub(crate) rows: &'a [u32],
    pub(crate) weights: &'a [u32],
}

impl Members<'_> {
    /// The number of table rows in the class.
    #[inline]
    pub(crate) fn size(&self) -> u64 {
        self.weights.iter().map(|&weight| u64::from(weight)).sum()
    }

    /// Whether no further attribute can split the class.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.rows.len() == 1
    }
}

/// Working memory of the kernel, reused from call to call.
pub(crate) struct Scratch {
    // For each code or class number, where its next member goes; `IDLE` between classes.
    slots: Vec<u32>,
    touched: Vec<u32>,
}

const IDLE: u32 = u32::MAX;

/// A code of any width.
trait Code: Copy + PartialEq + Into<u32> {}
impl<C: Copy + PartialEq + Into<u32>> Code for C {}

impl Scratch {
    pub(crate) fn new(projection: &Projection) -> Self {
        let codes = (0..projection.n_quasi()).map(|attribute| projection.n_codes(attribute)).max();
        let n = projection.len().max(codes.unwrap_or(0) as usize);
        Self { slots: vec![IDLE; n], touched: Vec::new() }
    }
}

impl Partition {
    /// All rows in one class, which `add` sees.
    pub(crate) fn whole(
        projection: &Projection,
        add: &mut impl FnMut(Members<'_>) -> bool,
    ) -> Self {
        let n = u32::try_from(projection.len()).expect("rows are numbered by u32");
        let rows: Vec<u32> = (0..n).collect();
        let weights = projection.weights().to_vec();
        if n > 0 {
            add(Members { rows: &rows, weights: &weights });
        }
        let ends = if n >= 2 { vec![n] } else { Vec::new() };
        if ends.is_empty() { Self::default() } else { Self { rows, weights, ends } }
    }

    /// Whether no class can be split any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.ends.is_empty()
    }

    /// Splits every class by the codes of one more attribute into `out`. `add` sees each class of the
    /// finer partition that was not settled before; when it returns false the split stops, `out` is
    /// unfinished and the answer is false.
    pub(crate) fn split(
        &self,
        codes: &Codes,
        scratch: &mut Scratch,
        out: &mut Self,
        add: &mut impl FnMut(Members<'_>) -> bool,
    ) -> bool {
        match codes {
            Codes::U8(codes) => self.split_by(codes, scratch, out, add),
            Codes::U16(codes) => self.split_by(codes, scratch, out, add),
            Codes::U32(codes) => self.split_by(codes, scratch, out, add),
        }
    }

    fn split_by<C: Code>(
        &self,
        codes: &[C],
        scratch: &mut Scratch,
        out: &mut Self,
        add: &mut impl FnMut(Members<'_>) -> bool,
    ) -> bool {
        kohort_core::alive();
        out.clear(self.rows.len());
        let mut start = 0;
        for &end in &self.ends {
            let range = start..end as usize;
            start = end as usize;
            let class = Members { rows: &self.rows[range.clone()], weights: &self.weights[range] };
            let goes_on = if class.rows.len() == 2 {
                split_pair(class, codes, out, add)
            } else {
                split_class(class, codes, scratch, out, add)
            };
            if !goes_on {
                return false;
            }
        }
        true
    }

    /// The classes that can still be split.
    pub(crate) fn classes(&self) -> impl Iterator<Item = Members<'_>> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let range = start..end as usize;
            start = end as usize;
            Members { rows: &self.rows[range.clone()], weights: &self.weights[range] }
        })
    }

    /// Joins the rows of each class that agree on all later attributes into `out`. The classes stay
    /// the same; those left with one row are settled, and `settled` sees them once more.
    pub(crate) fn thin(
        &self,
        later: &Suffix,
        scratch: &mut Scratch,
        out: &mut Self,
        settled: &mut impl FnMut(Members<'_>),
    ) {
        match &later.ids {
            Codes::U8(ids) => self.thin_by(ids, scratch, out, settled),
            Codes::U16(ids) => self.thin_by(ids, scratch, out, settled),
            Codes::U32(ids) => self.thin_by(ids, scratch, out, settled),
        }
    }

    fn thin_by<C: Code>(
        &self,
        ids: &[C],
        scratch: &mut Scratch,
        out: &mut Self,
        settled: &mut impl FnMut(Members<'_>),
    ) {
        kohort_core::alive();
        out.clear(self.rows.len());
        let Scratch { slots, touched } = scratch;
        let mut start = 0;
        for &end in &self.ends {
            let first = out.rows.len();
            for entry in start..end as usize {
                let id = ids[self.rows[entry] as usize].into();
                let slot = &mut slots[id as usize];
                if *slot == IDLE {
                    *slot = position(out.rows.len());
                    touched.push(id);
                    out.rows.push(self.rows[entry]);
                    out.weights.push(self.weights[entry]);
                } else {
                    out.weights[*slot as usize] += self.weights[entry];
                }
            }
            for id in touched.drain(..) {
                slots[id as usize] = IDLE;
            }
            start = end as usize;
            if out.rows.len() == first + 1 {
                settled(Members { rows: &out.rows[first..], weights: &out.weights[first..] });
                out.rows.truncate(first);
                out.weights.truncate(first);
            } else {
                out.ends.push(position(out.rows.len()));
            }
        }
    }

    fn clear(&mut self, capacity: usize) {
        self.rows.clear();
        self.weights.clear();
        self.ends.clear();
        self.rows.reserve(capacity);
        self.weights.reserve(capacity);
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("rows are numbered by u32")
}

#[inline]
fn split_pair<C: Code>(
    class: Members<'_>,
    codes: &[C],
    out: &mut Partition,
    add: &mut impl FnMut(Members<'_>) -> bool,
) -> bool {
    if codes[class.rows[0] as usize] == codes[class.rows[1] as usize] {
        out.rows.extend_from_slice(class.rows);
        out.weights.extend_from_slice(class.weights);
        out.ends.push(position(out.rows.len()));
        return add(class);
    }
    let one = |i: usize| Members { rows: &class.rows[i..=i], weights: &class.weights[i..=i] };
    add(one(0)) && add(one(1))
}

fn split_class<C: Code>(
    class: Members<'_>,
    codes: &[C],
    scratch: &mut Scratch,
    out: &mut Partition,
    add: &mut impl FnMut(Members<'_>) -> bool,
) -> bool {
    const ALONE: u32 = u32::MAX - 1;
    let Scratch { slots, touched } = scratch;
    // Count the members of each code: a slot holds the count less one.
    for &row in class.rows {
        let code = codes[row as usize].into();
        let slot = &mut slots[code as usize];
        if *slot == IDLE {
            touched.push(code);
        }
        *slot = slot.wrapping_add(1);
    }
    // Give the codes with several members a stretch of the output each.
    let first_class = out.ends.len();
    let first = out.rows.len();
    let mut end = first;
    for &code in touched.iter() {
        let slot = &mut slots[code as usize];
        if *slot == 0 {
            *slot = ALONE;
        } else {
            let size = *slot as usize + 1;
            *slot = position(end);
            end += size;
            out.ends.push(position(end));
        }
    }
    out.rows.resize(end, 0);
    out.weights.resize(end, 0);
    let mut goes_on = true;
    for (index, &row) in class.rows.iter().enumerate() {
        let code: u32 = codes[row as usize].into();
        let slot = &mut slots[code as usize];
        if *slot == ALONE {
            let one = index..=index;
            goes_on &=
                add(Members { rows: &class.rows[one.clone()], weights: &class.weights[one] });
        } else {
            out.rows[*slot as usize] = row;
            out.weights[*slot as usize] = class.weights[index];
            *slot += 1;
        }
    }
    for code in touched.drain(..) {
        slots[code as usize] = IDLE;
    }
    let mut start = first;
    for &end in &out.ends[first_class..] {
        let range = start..end as usize;
        goes_on = goes_on
            && add(Members { rows: &out.rows[range.clone()], weights: &out.weights[range] });
        start = end as usize;
    }
    goes_on
}
