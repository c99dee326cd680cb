//! The lists of values with their weights: small tables of text, one value per line.

/// A table with a header, `;` between its fields. The first column holds the values, the next ones
/// what they generalize to, and the rest weights.
pub(super) struct Sheet {
    rows: Vec<Vec<&'static str>>,
}

impl Sheet {
    /// Reads a built-in table.
    pub(super) fn new(text: &'static str) -> Self {
        Self { rows: text.lines().skip(1).map(|line| line.split(';').collect()).collect() }
    }

    /// The texts of one column.
    pub(super) fn texts(&self, column: usize) -> Vec<&'static str> {
        self.rows.iter().map(|row| row[column]).collect()
    }

    /// The numbers of one column.
    pub(super) fn numbers(&self, column: usize) -> Vec<u32> {
        self.rows.iter().map(|row| number(row[column])).collect()
    }

    /// The numbers of some columns of each row.
    pub(super) fn number_rows(&self, first: usize, n: usize) -> Vec<Vec<u32>> {
        let numbers = |row: &Vec<&str>| row[first..first + n].iter().map(|t| number(t)).collect();
        self.rows.iter().map(numbers).collect()
    }

    /// A taxonomy file of the first `levels` columns under one root.
    pub(super) fn taxonomy(&self, levels: usize) -> String {
        self.rows.iter().map(|row| row[..levels].join(";") + ";*\n").collect()
    }
}

fn number(text: &str) -> u32 {
    text.parse().expect("a built-in weight is a whole number")
}

/// Adds a whole number to a row.
pub(super) fn push_number(row: &mut String, number: u32) {
    if number >= 10 {
        push_number(row, number / 10);
    }
    let digit = u8::try_from(number % 10).expect("a digit");
    row.push(char::from(b'0' + digit));
}
