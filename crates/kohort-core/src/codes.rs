//! A column of dictionary codes, stored as narrow as its domain allows.

/// Codes of one column, one per row. The width grows with the largest code pushed.
#[derive(Clone, Debug)]
pub enum Codes {
    /// Domains of up to 256 values.
    U8(Vec<u8>),
    /// Domains of up to 65,536 values.
    U16(Vec<u16>),
    /// Larger domains.
    U32(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Self {
        Self::U8(Vec::new())
    }
}

impl Codes {
    /// Codes below `n_codes`, as narrow as that allows.
    ///
    /// # Panics
    /// When a code is not below `n_codes`.
    pub fn below(n_codes: u32, codes: impl Iterator<Item = u32>) -> Self {
        const FITS: &str = "codes are below their number";
        match n_codes {
            0..=0x100 => Self::U8(codes.map(|code| u8::try_from(code).expect(FITS)).collect()),
            0x101..=0x1_0000 => {
                Self::U16(codes.map(|code| u16::try_from(code).expect(FITS)).collect())
            }
            _ => Self::U32(codes.collect()),
        }
    }

    /// Adds the code of one more row, widening the column when the code needs it.
    #[inline]
    pub fn push(&mut self, code: u32) {
        match self {
            Self::U8(codes) => {
                if let Ok(code) = u8::try_from(code) {
                    return codes.push(code);
                }
            }
            Self::U16(codes) => {
                if let Ok(code) = u16::try_from(code) {
                    return codes.push(code);
                }
            }
            Self::U32(codes) => return codes.push(code),
        }
        self.widen(code);
        self.push(code);
    }

    /// Adds a row with the code `to[number]` for each of `numbers`.
    ///
    /// # Panics
    /// When a number is not below the length of `to`.
    pub fn extend_recoded(&mut self, numbers: &[u32], to: &[u32]) {
        fn extend<T: Copy + TryFrom<u32>>(codes: &mut Vec<T>, numbers: &[u32], to: &[u32]) -> bool {
            let to: Result<Vec<T>, _> = to.iter().map(|&code| T::try_from(code)).collect();
            let Ok(to) = to else { return false };
            codes.extend(numbers.iter().map(|&number| to[number as usize]));
            true
        }
        let has_room = match self {
            Self::U8(codes) => extend(codes, numbers, to),
            Self::U16(codes) => extend(codes, numbers, to),
            Self::U32(codes) => extend(codes, numbers, to),
        };
        if let (false, Some(&largest)) = (has_room, to.iter().max()) {
            self.widen(largest);
            self.extend_recoded(numbers, to);
        }
    }

    #[cold]
    fn widen(&mut self, code: u32) {
        *self = match &*self {
            Self::U8(codes) if u16::try_from(code).is_ok() => {
                Self::U16(codes.iter().map(|&code| u16::from(code)).collect())
            }
            other => Self::U32(other.iter().collect()),
        };
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of one row.
    ///
    /// # Panics
    /// When `row` is not below `len`.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => u32::from(codes[row]),
            Self::U16(codes) => u32::from(codes[row]),
            Self::U32(codes) => codes[row],
        }
    }

    /// The codes in row order.
    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::U8(codes) => Box::new(codes.iter().map(|&code| u32::from(code))),
            Self::U16(codes) => Box::new(codes.iter().map(|&code| u32::from(code))),
            Self::U32(codes) => Box::new(codes.iter().copied()),
        }
    }

    /// The same rows under other codes: each code `c` becomes `to[c]`.
    #[must_use]
    pub fn recode(&self, to: &[u32]) -> Self {
        let mut recoded = match to.iter().max() {
            Some(&largest) if largest > u32::from(u16::MAX) => Self::U32(Vec::new()),
            Some(&largest) if largest > u32::from(u8::MAX) => Self::U16(Vec::new()),
            _ => Self::U8(Vec::new()),
        };
        recoded.reserve(self.len());
        self.for_each(|code| recoded.push(to[code as usize]));
        recoded
    }

    /// The codes of some rows, in the order given.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        fn of<T: Copy>(codes: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&row| codes[row as usize]).collect()
        }
        match self {
            Self::U8(codes) => Self::U8(of(codes, rows)),
            Self::U16(codes) => Self::U16(of(codes, rows)),
            Self::U32(codes) => Self::U32(of(codes, rows)),
        }
    }

    fn reserve(&mut self, n_rows: usize) {
        match self {
            Self::U8(codes) => codes.reserve_exact(n_rows),
            Self::U16(codes) => codes.reserve_exact(n_rows),
            Self::U32(codes) => codes.reserve_exact(n_rows),
        }
    }

    /// Calls `f` with each code in row order; one dispatch on the width for the whole column.
    #[inline]
    pub fn for_each(&self, mut f: impl FnMut(u32)) {
        match self {
            Self::U8(codes) => codes.iter().for_each(|&code| f(u32::from(code))),
            Self::U16(codes) => codes.iter().for_each(|&code| f(u32::from(code))),
            Self::U32(codes) => codes.iter().for_each(|&code| f(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_follows_the_largest_code() {
        let mut codes = Codes::default();
        for code in [0, 255] {
            codes.push(code);
        }
        assert!(matches!(codes, Codes::U8(_)));
        codes.push(256);
        assert!(matches!(codes, Codes::U16(_)));
        codes.push(70_000);
        assert!(matches!(codes, Codes::U32(_)));
        codes.push(3);
        assert_eq!(codes.iter().collect::<Vec<_>>(), [0, 255, 256, 70_000, 3]);
        assert_eq!(codes.get(3), 70_000);
    }

    #[test]
    fn many_rows_are_as_wide_as_one_by_one() {
        for to in [vec![], vec![7], vec![3, 300], vec![70_000, 1], vec![1, 255]] {
            let n = u32::try_from(to.len()).unwrap();
            let numbers: Vec<u32> = (0..n).rev().collect();
            let (mut together, mut one_by_one) = (Codes::default(), Codes::default());
            for _ in 0..2 {
                together.extend_recoded(&numbers, &to);
                for &number in &numbers {
                    one_by_one.push(to[number as usize]);
                }
            }
            assert_eq!(format!("{together:?}"), format!("{one_by_one:?}"));
        }
    }

    #[test]
    fn recoding_narrows_again() {
        let mut codes = Codes::default();
        for code in [300, 0, 300] {
            codes.push(code);
        }
        let mut to = vec![0; 301];
        to[300] = 1;
        let recoded = codes.recode(&to);
        assert!(matches!(recoded, Codes::U8(_)));
        assert_eq!(recoded.iter().collect::<Vec<_>>(), [1, 0, 1]);
    }
}
