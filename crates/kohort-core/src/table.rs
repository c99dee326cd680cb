//! A table as it was read: columns of texts, each with the type found by looking.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::values::{
    YES_AND_NO, looks_like_decimal, looks_like_integer, parse_date, parse_decimal, visible,
};
use crate::{
    Codes, DateFormat, Dictionary, Error, Kind, Told, ValueType, Writing, Written, nearest,
};

/// The texts that stand for a missing value, besides the empty one.
#[derive(Clone, Debug)]
pub struct Missing(Vec<String>);

impl Default for Missing {
    fn default() -> Self {
        Self(["NA", "N/A", "n/a", "?", "NULL", "null", "NaN"].map(String::from).to_vec())
    }
}

impl Missing {
    /// These texts and the empty one stand for a missing value.
    pub fn new(tokens: Vec<String>) -> Self {
        Self(tokens)
    }

    /// The texts, without the empty one.
    pub fn tokens(&self) -> &[String] {
        &self.0
    }

    /// Whether a cell with this text is missing.
    pub fn is(&self, text: &str) -> bool {
        let text = visible(text);
        text.is_empty() || self.0.iter().any(|token| *token == text)
    }
}

/// Where in a file a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text file, counted from 1, the header included.
    Line(u64),
    /// A row of a binary file, counted from 1.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// One column: its distinct texts and, for each row, which of them it has. A clone shares them.
#[derive(Clone, Debug)]
pub struct Column {
    name: String,
    dictionary: Arc<Dictionary>,
    codes: Arc<Codes>,
    value_type: ValueType,
    date_format: DateFormat,
    writing: Arc<Writing>,
}

impl Column {
    /// A column with the type that fits all its values.
    pub fn new(name: String, dictionary: Dictionary, codes: Codes, missing: &Missing) -> Self {
        let (value_type, date_format) = detect(&dictionary, missing);
        let (dictionary, codes) = (Arc::new(dictionary), Arc::new(codes));
        Self { name, dictionary, codes, value_type, date_format, writing: Arc::default() }
    }

    /// The same column whose values stood in the file like this.
    #[must_use]
    pub fn with_writing(self, writing: Writing) -> Self {
        Self { writing: Arc::new(writing), ..self }
    }

    /// The name in the header.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The distinct texts.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The dictionary entry of each row.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The type found by looking.
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// The order of day, month and year found by looking, where the values are dates.
    pub fn date_format(&self) -> DateFormat {
        self.date_format
    }

    /// How its values stood in the file.
    pub fn writing(&self) -> &Writing {
        &self.writing
    }

    /// How the value of a row stood in the file; none where the format does not tell.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn written(&self, row: usize) -> Option<Written> {
        self.writing.of_row(row, self.codes.get(row))
    }

    /// Whether the value of some row stood in the file as a text.
    pub fn has_texts(&self) -> bool {
        let is_told = self.writing.told() > Told::Nothing;
        is_told && (0..self.codes.len()).any(|row| self.written(row) == Some(Written::Text))
    }

    /// What a format that tells so much shows of the value of a row besides its text: values of one text
    /// look the same there where this is the same.
    pub fn look(&self, row: usize, told: Told) -> Option<Written> {
        let told = told.min(self.writing.told());
        told.shows(self.written(row), self.dictionary.get(self.codes.get(row)))
    }

    /// The rows as a reader sees them, and the number of codes: equal codes are equal texts that stood in the
    /// same way.
    pub fn looks(&self) -> (Cow<'_, Codes>, u32) {
        let n_texts = self.dictionary.len();
        if !self.writing.is_by_row() {
            return (Cow::Borrowed(&self.codes), n_texts);
        }
        let mut codes = Codes::default();
        for row in 0..self.codes.len() {
            let entry = self.codes.get(row);
            let way = self.written(row).map_or(0, |way| way as u32);
            codes.push(way * n_texts + entry);
        }
        (Cow::Owned(codes), 3 * n_texts)
    }

    /// The same column with these rows only, in the order given.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        Self {
            name: self.name.clone(),
            dictionary: Arc::clone(&self.dictionary),
            codes: Arc::new(self.codes.select(rows)),
            value_type: self.value_type,
            date_format: self.date_format,
            writing: Arc::new(self.writing.select(rows)),
        }
    }

    /// The column as if it had been read with these rows only, in the order given.
    fn among(&self, rows: &[u32], missing: &Missing) -> Self {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        let mut writing = Writing::new(self.writing.told());
        let mut known: Vec<Option<u32>> = vec![None; self.dictionary.len() as usize];
        for &row in rows {
            crate::alive_at(row as usize);
            let entry = self.codes.get(row as usize);
            let code = *known[entry as usize].get_or_insert_with(|| {
                let (text, line) = (self.dictionary.get(entry), self.dictionary.first_line(entry));
                dictionary.intern(text.as_bytes(), line).expect("it is a text of a table already")
            });
            if let Some(written) = self.written(row as usize) {
                writing.push(&codes, code, written);
            }
            codes.push(code);
        }
        Self::new(self.name.clone(), dictionary, codes, missing).with_writing(writing)
    }

    /// The number of rows with each dictionary entry.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.dictionary.len() as usize];
        self.codes.for_each(|entry| counts[entry as usize] += 1);
        counts
    }
}

/// Refuses names that are empty or occur twice.
fn check_names(names: &[String]) -> Result<(), Error> {
    let mut seen = BTreeMap::new();
    for (number, name) in (1..).zip(names) {
        if name.trim().is_empty() {
            return Err(Kind::UnnamedColumn { number }.into());
        }
        if seen.insert(name, number).is_some() {
            return Err(Kind::DuplicateColumn { name: name.clone() }.into());
        }
    }
    Ok(())
}

/// The narrowest type that every value fits; a column with no value is text.
fn detect(dictionary: &Dictionary, missing: &Missing) -> (ValueType, DateFormat) {
    let present = || dictionary.iter().filter(|text| !missing.is(text));
    if present().next().is_none() {
        return (ValueType::Text, DateFormat::YearMonthDay);
    }
    // Both words of one pair, and nothing else: codes such as Y, N, T and F are four values.
    let is_pair = |pair: &[&str; 2]| {
        let is = |text: &str, word: &str| text.trim().eq_ignore_ascii_case(word);
        present().all(|text| pair.iter().any(|word| is(text, word)))
            && pair.iter().all(|word| present().any(|text| is(text, word)))
    };
    if YES_AND_NO.iter().any(is_pair) {
        return (ValueType::Boolean, DateFormat::YearMonthDay);
    }
    if present().all(looks_like_integer) {
        return (ValueType::Integer, DateFormat::YearMonthDay);
    }
    if present().all(looks_like_decimal) {
        return (ValueType::Decimal, DateFormat::YearMonthDay);
    }
    for format in DateFormat::ALL {
        if present().all(|text| parse_date(text, format).is_some()) {
            return (ValueType::Date, format);
        }
    }
    (ValueType::Text, date_format_of_most(dictionary))
}

/// The format to complain about when a plan calls a column a date and some cell is not one.
fn date_format_of_most(dictionary: &Dictionary) -> DateFormat {
    let fits = |format| {
        dictionary.iter().take(1000).filter(|text| parse_date(text, format).is_some()).count()
    };
    let mut best = DateFormat::YearMonthDay;
    for format in DateFormat::ALL {
        if fits(format) > fits(best) {
            best = format;
        }
    }
    best
}

/// Whether a cell would be read as a number or a date: what a header cell rarely is.
pub fn looks_like_data(text: &str) -> bool {
    parse_decimal(text).is_some()
        || DateFormat::ALL.iter().any(|&format| parse_date(text, format).is_some())
}

/// A table as it was read. Every column has the same number of rows, and names are distinct.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    columns: Vec<Column>,
    // Places of the columns in the order of their names: a table may have many.
    by_name: Vec<usize>,
    n_rows: usize,
    has_lines: bool,
    missing: Missing,
}

/// Places of columns in the order of their names; of equal names the first stands first.
fn by_name(columns: &[Column]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..columns.len()).collect();
    places.sort_by(|&a, &b| columns[a].name.cmp(&columns[b].name));
    places
}

impl Table {
    /// A table of these columns; `has_lines` says whether places are lines or rows.
    ///
    /// # Panics
    /// When the columns differ in length: a reader refuses ragged rows with their place.
    pub fn new(name: String, columns: Vec<Column>, has_lines: bool, missing: Missing) -> Self {
        let n_rows = columns.first().map_or(0, |column| column.codes.len());
        assert!(columns.iter().all(|column| column.codes.len() == n_rows), "ragged columns");
        Self { name, by_name: by_name(&columns), columns, n_rows, has_lines, missing }
    }

    /// A table from rows of texts in memory. Types are found by looking, as in a text file: the cells of a
    /// column of numbers are the texts of numbers. An empty text is a missing value, and so are `NA`, `?` and
    /// the other texts of [`Missing::default`].
    ///
    /// ```
    /// use kohort_core::Table;
    ///
    /// let table = Table::from_rows(["age", "disease"], [["34", "flu"], ["36", "asthma"]])?;
    /// assert_eq!(table.n_rows(), 2);
    /// # Ok::<(), kohort_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// When two columns have one name or one has none, a row has more or fewer cells than there are columns,
    /// or a cell has a NUL character.
    pub fn from_rows<Name, Row, Text>(
        names: impl IntoIterator<Item = Name>,
        rows: impl IntoIterator<Item = Row>,
    ) -> Result<Self, Error>
    where
        Name: Into<String>,
        Row: IntoIterator<Item = Text>,
        Text: AsRef<str>,
    {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        check_names(&names)?;
        let mut columns = vec![(Dictionary::default(), Codes::default()); names.len()];
        for (row, cells) in (1_u64..).zip(rows) {
            let mut n_cells = 0;
            for cell in cells {
                if let Some((dictionary, codes)) = columns.get_mut(n_cells) {
                    let code = dictionary.intern(cell.as_ref().as_bytes(), row);
                    let column = || names[n_cells].clone();
                    codes.push(code.map_err(|_| Kind::CellText { row, column: column() })?);
                }
                n_cells += 1;
            }
            if n_cells != names.len() {
                return Err(Kind::Ragged { row, found: n_cells, expected: names.len() }.into());
            }
        }
        let missing = Missing::default();
        let column = |(name, (dictionary, codes))| Column::new(name, dictionary, codes, &missing);
        let columns = names.into_iter().zip(columns).map(column).collect();
        Ok(Self::new("the table".into(), columns, false, missing))
    }

    /// The same table under this name, which messages and receipts use.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The columns in file order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The same rows with some of the columns.
    #[must_use]
    pub fn only(&self, is_wanted: impl Fn(&str) -> bool) -> Self {
        let wanted = self.columns.iter().filter(|column| is_wanted(&column.name));
        let (name, missing) = (self.name.clone(), self.missing.clone());
        let columns: Vec<Column> = wanted.cloned().collect();
        Self { name, by_name: by_name(&columns), columns, missing, ..*self }
    }

    /// The same table with these rows alone, as if it had been read so: its columns have the texts of these rows
    /// and the types that fit them.
    #[must_use]
    pub fn among(&self, rows: &[u32]) -> Self {
        crate::alive();
        let columns = self.columns.iter().map(|column| column.among(rows, &self.missing)).collect();
        Self::new(self.name.clone(), columns, self.has_lines, self.missing.clone())
    }

    /// The same table by its texts alone: how they stood in the file is forgotten.
    #[must_use]
    pub fn texts_alone(self) -> Self {
        let alone = |column: Column| column.with_writing(Writing::default());
        Self { columns: self.columns.into_iter().map(alone).collect(), ..self }
    }

    /// The same table as somebody would read it from a file: it knows the texts of its own rows only, and not
    /// their lexical form.
    #[must_use]
    pub fn as_read(&self) -> Self {
        let columns = self.columns.iter().map(|column| {
            let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
            let mut known: Vec<Option<u32>> = vec![None; column.dictionary().len() as usize];
            crate::alive();
            for (line, entry) in (2..).zip(column.codes().iter()) {
                let code = *known[entry as usize].get_or_insert_with(|| {
                    let text = column.dictionary().get(entry).as_bytes();
                    dictionary.intern(text, line).expect("a text of a table is a text of a table")
                });
                codes.push(code);
            }
            Column::new(column.name().to_owned(), dictionary, codes, &self.missing)
        });
        Self::new(self.name.clone(), columns.collect(), true, self.missing.clone())
    }

    /// What stands for a missing value.
    pub fn missing(&self) -> &Missing {
        &self.missing
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Result<&Column, Error> {
        let name_at = |place: &usize| self.columns[*place].name.as_str();
        let at = self.by_name.partition_point(|place| name_at(place) < name);
        let found = self.by_name.get(at).filter(|place| name_at(place) == name);
        found.map(|&place| &self.columns[place]).ok_or_else(|| {
            let names = self.columns.iter().map(Column::name);
            Error::new(Kind::UnknownColumn {
                name: name.to_owned(),
                table: self.name.clone(),
                nearest: nearest(name, names).map(str::to_owned),
            })
        })
    }

    /// Where a dictionary entry of a column first stands.
    pub fn place(&self, column: &Column, entry: u32) -> Place {
        let number = column.dictionary.first_line(entry);
        if self.has_lines { Place::Line(number) } else { Place::Row(number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: ValueType) {
        let mut dictionary = Dictionary::default();
        let mut codes = Codes::default();
        for (line, text) in (2..).zip(texts) {
            codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
        }
        let column = Column::new("c".into(), dictionary, codes, &Missing::default());
        assert_eq!(column.value_type(), expected, "{texts:?}");
    }

    #[test]
    fn what_stands_otherwise_looks_otherwise() {
        use crate::Written::{Bare, Text};
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        let mut writing = Writing::new(Told::Kinds);
        for (text, way) in [("1", Bare), ("2", Bare), ("1", Text), ("1", Bare), ("2", Bare)] {
            let entry = dictionary.intern(text.as_bytes(), 1).unwrap();
            writing.push(&codes, entry, way);
            codes.push(entry);
        }
        let column = Column::new("c".into(), dictionary, codes, &Missing::default());
        assert_eq!(column.looks().0.iter().collect::<Vec<_>>(), [0, 1, 0, 0, 1]);
        let column = column.with_writing(writing);
        let (looks, n_codes) = column.looks();
        let looks: Vec<u32> = looks.iter().collect();
        assert!(looks.iter().all(|&look| look < n_codes));
        assert_eq!(looks[0], looks[3]);
        assert_eq!(looks[1], looks[4]);
        assert!(looks[2] != looks[0] && looks[2] != looks[1] && looks[0] != looks[1]);
    }

    #[test]
    fn rows_in_memory_are_a_table() {
        let rows = [["34", "flu"], ["36", ""], ["34", "asthma"]];
        let table = Table::from_rows(["age", "disease"], rows).unwrap();
        assert_eq!((table.n_rows(), table.columns().len()), (3, 2));
        let age = table.column("age").unwrap();
        assert_eq!(age.value_type(), ValueType::Integer);
        assert_eq!(age.codes().iter().collect::<Vec<_>>(), [0, 1, 0]);
        assert!(table.missing().is(table.column("disease").unwrap().dictionary().get(1)));
    }

    #[test]
    fn rows_that_are_no_table_are_refused_with_their_place() {
        let refused = |names: &[&str], rows: &[&[&str]]| {
            let rows = rows.iter().map(|row| row.iter());
            Table::from_rows(names.iter().copied(), rows).unwrap_err().to_string()
        };
        assert_eq!(refused(&["a", "a"], &[]), "two columns have the name `a`");
        assert_eq!(refused(&["a", " "], &[]), "column 2 has no name");
        let ragged = refused(&["a", "b"], &[&["1", "2"], &["secret"]]);
        assert_eq!(ragged, "row 2 has 1 cell, and there are 2 columns");
        let longer = refused(&["a"], &[&["1", "2", "3"]]);
        assert_eq!(longer, "row 1 has 3 cells, and there is 1 column");
        let nul = refused(&["a"], &[&["1"], &["sec\0ret"]]);
        assert_eq!(nul, "row 2, column `a`: a cell that is no text: it has a NUL character");
    }

    #[test]
    fn types_are_found_by_looking() {
        check(&["1", "-2", "NA", ""], ValueType::Integer);
        check(&["1", "2.5"], ValueType::Decimal);
        check(&["01234", "12345"], ValueType::Text);
        check(&["yes", "No", "?"], ValueType::Boolean);
        check(&["Y", "T", "N", "F"], ValueType::Text);
        check(&["F"], ValueType::Text);
        check(&["12345678901234567801", "12345678901234567802"], ValueType::Text);
        check(&["9007199254740992", "-9007199254740992"], ValueType::Integer);
        check(&["9007199254740993", "1"], ValueType::Text);
        check(&["9007199254740993", "0.5"], ValueType::Text);
        check(&["0", "1"], ValueType::Integer);
        check(&["2024-01-31", ""], ValueType::Date);
        check(&["31/12/2024", "01/02/2024"], ValueType::Date);
        check(&["12/31/2024", "01/02/2024"], ValueType::Date);
        check(&["2024-01-31", "soon"], ValueType::Text);
        check(&["", "NA"], ValueType::Text);
        check(&[], ValueType::Text);
    }
}
