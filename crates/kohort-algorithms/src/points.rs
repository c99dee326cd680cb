//! The distinct rows over the quasi-identifiers: what is merged before anything quadratic starts.

use kohort_core::{Attribute, Codes};

/// The distinct rows, sorted by their codes, each with the rows of the table that have it.
#[derive(Clone, Debug)]
pub struct Points {
    n_axes: usize,
    // Row-major codes of each point.
    codes: Vec<u32>,
    // Rows sorted by point, and where each point's rows begin; one entry more than points.
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Points {
    /// The distinct rows of a table. The rows of a point are in the order of their sensitive codes, so
    /// that the order of the table's rows shows as little as possible.
    ///
    /// # Panics
    /// When the table has more than `u32::MAX` rows, which a reader refuses.
    pub fn new(n_rows: usize, quasi: &[&Attribute], sensitive: &[&Attribute]) -> Self {
        let n_axes = quasi.len();
        let (mut rows, starts) = sorted(n_rows, quasi);
        let n_points = starts.len() - 1;
        let first: Vec<u32> = starts[..n_points].iter().map(|&at| rows[at as usize]).collect();
        let mut codes = vec![0; n_points * n_axes];
        for (axis, attribute) in quasi.iter().enumerate() {
            let mut places = codes.iter_mut().skip(axis).step_by(n_axes);
            attribute.codes().select(&first).for_each(|code| {
                if let Some(place) = places.next() {
                    *place = code;
                }
            });
        }
        if !sensitive.is_empty() {
            for ends in starts.windows(2).filter(|ends| ends[1] - ends[0] > 1) {
                rows[ends[0] as usize..ends[1] as usize].sort_by_cached_key(|&row| {
                    let codes = sensitive.iter().map(|a| a.codes().get(row as usize));
                    codes.collect::<Vec<u32>>()
                });
            }
        }
        Self { n_axes, codes, rows, starts }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of a point.
    #[inline]
    pub fn codes(&self, point: usize) -> &[u32] {
        &self.codes[point * self.n_axes..(point + 1) * self.n_axes]
    }

    /// The rows of the table with these codes.
    pub fn rows(&self, point: usize) -> &[u32] {
        &self.rows[self.starts[point] as usize..self.starts[point + 1] as usize]
    }

    /// The rows of the table in the order of their points.
    pub fn all_rows(&self) -> &[u32] {
        &self.rows
    }

    /// How many rows of the table have these codes.
    pub fn weight(&self, point: usize) -> u32 {
        self.starts[point + 1] - self.starts[point]
    }

    /// The point of each row.
    pub fn point_of_row(&self) -> Vec<u32> {
        let mut point_of_row = vec![0; self.rows.len()];
        for (point, ends) in (0..).zip(self.starts.windows(2)) {
            for &row in &self.rows[ends[0] as usize..ends[1] as usize] {
                point_of_row[row as usize] = point;
            }
        }
        point_of_row
    }
}

/// The rows in the order of their codes, equal ones as in the table, and where equal rows begin; one
/// entry more.
fn sorted(n_rows: usize, quasi: &[&Attribute]) -> (Vec<u32>, Vec<u32>) {
    // Columns with few codes are one digit. A stable sort by the last digit, then by the one before it,
    // and so on sorts by all.
    let digits = digits(n_rows, quasi);
    let mut rows: Vec<u32> = (0..).take(n_rows).collect();
    for digit in digits.iter().rev() {
        rows = digit.sort(&rows);
    }
    let differ = |a: u32, b: u32| digits.iter().any(|digit| digit.of(a) != digit.of(b));
    let mut starts = vec![0];
    for (at, pair) in (1..).zip(rows.windows(2)) {
        if differ(pair[0], pair[1]) {
            starts.push(at);
        }
    }
    if n_rows > 0 {
        starts.push(u32::try_from(n_rows).expect("rows are counted in u32"));
    }
    (rows, starts)
}

/// Some columns as one number for each row.
struct Digit {
    of_row: Vec<u32>,
    span: usize,
}

impl Digit {
    fn of(&self, row: u32) -> u32 {
        self.of_row[row as usize]
    }

    /// The rows in the order of the digit, equal ones as they are.
    fn sort(&self, rows: &[u32]) -> Vec<u32> {
        let mut next = vec![0_u32; self.span + 1];
        for &digit in &self.of_row {
            next[digit as usize + 1] += 1;
        }
        for digit in 0..self.span {
            next[digit + 1] += next[digit];
        }
        let mut sorted = vec![0; rows.len()];
        for &row in rows {
            let place = &mut next[self.of(row) as usize];
            sorted[*place as usize] = row;
            *place += 1;
        }
        sorted
    }
}

fn digits(n_rows: usize, quasi: &[&Attribute]) -> Vec<Digit> {
    let most = n_rows.max(1 << 12);
    let mut digits: Vec<Digit> = Vec::new();
    for attribute in quasi {
        let n_codes = attribute.n_codes();
        let span = |digit: &Digit| digit.span.saturating_mul(n_codes as usize);
        if digits.last().is_none_or(|digit| span(digit) > most) {
            digits.push(Digit { of_row: vec![0; n_rows], span: 1 });
        }
        if let Some(digit) = digits.last_mut() {
            digit.span = span(digit);
            match attribute.codes() {
                Codes::U8(codes) => append(&mut digit.of_row, n_codes, codes),
                Codes::U16(codes) => append(&mut digit.of_row, n_codes, codes),
                Codes::U32(codes) => append(&mut digit.of_row, n_codes, codes),
            }
        }
    }
    digits
}

fn append<T: Copy + Into<u32>>(of_row: &mut [u32], n_codes: u32, codes: &[T]) {
    for (digit, &code) in of_row.iter_mut().zip(codes) {
        *digit = *digit * n_codes + code.into();
    }
}
