//! What a candidate looks like as a table: texts for its cells, in an order that tells nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kohort_algorithms::{Candidate, Form, SUPPRESSED};
use kohort_core::{
    Attribute, Cell, Codes, Column, Dataset, Dictionary, Missing, Table, Told, Writing, Written,
    alive, alive_at,
};

use super::center::centers;
use super::order::{self, order, permute};
use super::perturbed;
use crate::plan::SuppressedName;

/// The tables of a release, and which row of the original each of their rows is.
pub(crate) struct Rendered {
    /// The release itself.
    pub(super) table: Table,
    /// The sensitive values by group, where they are published apart.
    pub(super) values: Option<Table>,
    /// For each row of the release, the row of the original.
    pub(crate) rows: Vec<u32>,
}

/// How a candidate is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    /// The columns that are left out: identifiers.
    pub(super) left_out: &'a [String],
    /// What becomes of suppressed rows.
    pub(super) suppressed: SuppressedName,
    /// Whether an anatomized release is one file, its sensitive values permuted within each group.
    pub(super) one_file: bool,
    /// What the format of its files tells of a value besides its text.
    pub(super) told: Told,
    /// The seed of the order of the rows.
    pub(super) seed: u64,
}

/// The column that links the two files of an anatomized release.
pub(crate) const GROUP: &str = "group";

/// The column that counts the rows of a group with the same sensitive values.
pub(crate) const COUNT: &str = "count";

/// Renders a candidate, which goes as soon as it is not needed any more.
pub(super) fn render(
    dataset: &Dataset,
    candidate: Cow<'_, Candidate>,
    shown: Shown<'_>,
) -> Rendered {
    let keeps_all = shown.suppressed != SuppressedName::Drop;
    let is_shown = |row: &u32| keeps_all || candidate.group_of_row[*row as usize] != SUPPRESSED;
    let n_rows = u32::try_from(dataset.n_rows()).expect("rows are u32");
    let rows: Vec<u32> = (0..n_rows).filter(is_shown).collect();
    if candidate.form == Form::Anatomized {
        return anatomized(dataset, &candidate, rows, shown);
    }
    let is_starred = rows.iter().any(|&row| candidate.group_of_row[row as usize] == SUPPRESSED);
    let quasi = dataset.quasi();
    let mut columns = kept(dataset, &candidate, shown.left_out);
    // Values are spelled as rows spell them that show them.
    let shown_rows =
        || rows.iter().copied().filter(|&row| candidate.group_of_row[row as usize] != SUPPRESSED);
    let hides_rows = is_starred || rows.len() < dataset.n_rows();
    let spelled: Vec<Option<Attribute>> = (quasi.iter())
        .map(|attribute| {
            let column = dataset.table().column(attribute.name()).ok().filter(|_| hides_rows)?;
            attribute.spelled_by(column, shown_rows())
        })
        .collect();
    for (axis, own) in quasi.iter().enumerate() {
        alive();
        let attribute = spelled[axis].as_ref().unwrap_or(own);
        let at = columns.iter().position(|column| column.name() == attribute.name());
        let at = at.expect("a quasi-identifier is a column and no identifier");
        if let Some(shown) = candidate.perturbed.get(axis) {
            columns[at] = Cow::Owned(perturbed::column(dataset.table(), attribute, shown));
            continue;
        }
        let (dictionary, entries, cells) = texts(dataset, attribute, &candidate, axis);
        let star = entries.len() - 1;
        let mut codes = Codes::default();
        for (row, &group) in candidate.group_of_row.iter().enumerate() {
            alive_at(row);
            codes.push(entries[(group as usize).min(star)]);
        }
        let missing = dataset.table().missing();
        let name = attribute.name().to_owned();
        let cells = cells.filter(|_| !is_starred);
        let writing = writing(&columns[at], attribute, &dictionary, cells.as_ref());
        let column = Column::new(name, dictionary, codes, missing);
        columns[at] = Cow::Owned(column.with_writing(writing));
    }
    if is_starred && shown.suppressed == SuppressedName::Keep {
        let is_blank = |row: usize| candidate.group_of_row[row] == SUPPRESSED;
        let missing = dataset.table().missing();
        for column in &mut columns {
            alive();
            *column = Cow::Owned(blanked(column, is_blank, missing));
        }
    }
    drop(candidate);
    let rows = order(rows, &columns, shown.told, shown.seed);
    Rendered { table: table(dataset, columns, &rows), values: None, rows }
}

/// The columns that are published: as they are, or with the cells that a candidate shows of sensitive
/// ones.
fn kept<'a>(
    dataset: &'a Dataset,
    candidate: &Candidate,
    left_out: &[String],
) -> Vec<Cow<'a, Column>> {
    let sensitive = dataset.sensitive();
    let column = |column: &'a Column| {
        let shown = sensitive.iter().zip(&candidate.sensitive);
        let masked = shown.into_iter().find(|(attribute, _)| attribute.name() == column.name());
        masked.map_or(Cow::Borrowed(column), |(attribute, cells)| {
            Cow::Owned(masked_column(dataset, column, attribute, cells))
        })
    };
    let is_kept = |column: &&Column| !left_out.iter().any(|name| name == column.name());
    dataset.table().columns().iter().filter(is_kept).map(column).collect()
}

/// A column with `*` in the rows that show nothing.
fn blanked(column: &Column, is_blank: impl Fn(usize) -> bool, missing: &Missing) -> Column {
    let told = column.writing().told();
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    let mut writing = Writing::new(told);
    let mut known: Vec<Option<u32>> = vec![None; column.dictionary().len() as usize];
    let mut intern = |text: &str| {
        dictionary.intern(text.as_bytes(), 1).expect("texts of a table are texts of a release")
    };
    for (row, entry) in column.codes().iter().enumerate() {
        alive_at(row);
        let (code, written) = if is_blank(row) {
            (intern("*"), Some(Written::Text))
        } else {
            let text = column.dictionary().get(entry);
            let code = *known[entry as usize].get_or_insert_with(|| intern(text));
            (code, column.written(row))
        };
        if let Some(written) = written.filter(|_| told > Told::Nothing) {
            writing.push(&codes, code, written);
        }
        codes.push(code);
    }
    Column::new(column.name().to_owned(), dictionary, codes, missing).with_writing(writing)
}

/// A sensitive column that shows these cells.
fn masked_column(
    dataset: &Dataset,
    original: &Column,
    attribute: &Attribute,
    cells: &[Cell],
) -> Column {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    let mut known: BTreeMap<Cell, u32> = BTreeMap::new();
    for (row, &cell) in cells.iter().enumerate() {
        alive_at(row);
        codes.push(*known.entry(cell).or_insert_with(|| {
            let text = text_of(dataset.table(), attribute, cell);
            dictionary.intern(text.as_bytes(), 1).expect("texts of a table are texts of a release")
        }));
    }
    let writing = writing(original, attribute, &dictionary, Some(&known));
    let name = attribute.name().to_owned();
    Column::new(name, dictionary, codes, dataset.table().missing()).with_writing(writing)
}

/// How the texts of cells stand: as in the table where all of them are values that stood in one way there;
/// else as texts where the table has texts, and untold where all was bare, since a range cannot be.
fn writing(
    original: &Column,
    attribute: &Attribute,
    texts: &Dictionary,
    entry_of_cell: Option<&BTreeMap<Cell, u32>>,
) -> Writing {
    let told = original.writing().told();
    if told == Told::Nothing {
        return Writing::default();
    }
    let way = |(&cell, &entry): (&Cell, &u32)| {
        let Cell::Leaf(code) = cell else { return None };
        let way = match attribute.entry_of_code(code) {
            Some(spelled) => original.writing().of_entry(spelled)?,
            None => Written::Null,
        };
        Some((entry, way))
    };
    let as_read: Option<Vec<(u32, Written)>> =
        entry_of_cell.and_then(|cells| cells.iter().map(way).collect());
    if as_read.is_none() && !original.has_texts() {
        return Writing::default();
    }
    let made = |text: &str| if text.is_empty() { Written::Null } else { Written::Text };
    let mut ways: Vec<Written> = texts.iter().map(made).collect();
    for (entry, way) in as_read.into_iter().flatten() {
        ways[entry as usize] = way;
    }
    Writing::of_entries(told, ways)
}

/// These rows of some columns, each of which goes as soon as it is not needed any more.
fn table(dataset: &Dataset, columns: Vec<Cow<'_, Column>>, rows: &[u32]) -> Table {
    let selected = |column: Cow<'_, Column>| {
        alive();
        column.select(rows)
    };
    let columns = columns.into_iter().map(selected).collect();
    let original = dataset.table();
    Table::new(original.name().to_owned(), columns, true, original.missing().clone())
}

/// The texts of a quasi-identifier, and which of them each group shows; a last one for rows in none. Where
/// they are those of cells, also which text each cell has.
fn texts(
    dataset: &Dataset,
    attribute: &Attribute,
    candidate: &Candidate,
    axis: usize,
) -> (Dictionary, Vec<u32>, Option<BTreeMap<Cell, u32>>) {
    let mut dictionary = Dictionary::default();
    let mut intern = |text: &str| {
        dictionary.intern(text.as_bytes(), 1).expect("texts of a table are texts of a release")
    };
    let mut entry_of_cell = None;
    let mut entries: Vec<u32> = match candidate.form {
        Form::Microaggregated(center) => {
            let groups = (&candidate.group_of_row[..], candidate.cells.n_classes());
            centers(dataset.table(), attribute, groups, center)
                .iter()
                .map(|text| intern(text))
                .collect()
        }
        Form::Generalized | Form::Anatomized | Form::Perturbed => {
            let column = candidate.cells.column(axis);
            let entry = |&cell: &Cell| intern(&text_of(dataset.table(), attribute, cell));
            let entries: Vec<u32> = column.distinct().iter().map(entry).collect();
            entry_of_cell = Some(column.distinct().iter().copied().zip(entries.clone()).collect());
            column.codes().iter().map(|code| entries[code as usize]).collect()
        }
    };
    entries.push(dictionary.intern(b"*", 1).expect("a star is a text"));
    (dictionary, entries, entry_of_cell)
}

/// The text of a cell: a value as the table spells it, a range, or the label of a node. Nobody's value is the
/// bound of a range where bounds are rounded, unless it lies on a line.
pub(crate) fn text_of(table: &Table, attribute: &Attribute, cell: Cell) -> String {
    let spelled = |code: u32| {
        let column = table.column(attribute.name()).expect("an attribute is a column");
        attribute.entry_of_code(code).map_or("", |entry| column.dictionary().get(entry).trim())
    };
    match cell {
        Cell::Leaf(code) => spelled(code).to_owned(),
        Cell::Range { lo, hi } => format!("[{}, {}]", spelled(lo), spelled(hi)),
        Cell::Rounded { lo, hi } => {
            let (start, end) = attribute.rounded_bounds(lo, hi, spelled(lo));
            format!("[{start}, {end}]")
        }
        // A missing value lies under the root too, and under nothing that has a name.
        Cell::ANY if attribute.missing().is_some() => "*".to_owned(),
        Cell::Node(node) => attribute.taxonomy().nodes()[node as usize].label.clone(),
    }
}

/// Quasi-identifiers as they are with the number of a group; the sensitive values of each group apart,
/// or in the same file and in any order within the group.
fn anatomized(
    dataset: &Dataset,
    candidate: &Candidate,
    rows: Vec<u32>,
    shown: Shown<'_>,
) -> Rendered {
    let sensitive: Vec<&str> = dataset.sensitive().iter().map(|a| a.name()).collect();
    let is_sensitive = |column: &Cow<'_, Column>| sensitive.contains(&column.name());
    let (apart, columns): (Vec<_>, Vec<_>) =
        kept(dataset, candidate, shown.left_out).into_iter().partition(is_sensitive);
    let rows = order(rows, &columns, shown.told, shown.seed);
    // Groups are numbered as they appear in the release: the numbers tell nothing else.
    let mut number_of_group: BTreeMap<u32, u32> = BTreeMap::new();
    let mut numbers = Vec::with_capacity(rows.len());
    for &row in &rows {
        let next = u32::try_from(number_of_group.len() + 1).expect("groups are fewer than rows");
        let group = candidate.group_of_row[row as usize];
        numbers.push(*number_of_group.entry(group).or_insert(next));
    }
    let missing = dataset.table().missing();
    let mut published: Vec<Column> = columns.iter().map(|column| column.select(&rows)).collect();
    published.push(numbered(GROUP, &numbers, missing));
    let name = dataset.table().name().to_owned();
    let values = if shown.one_file {
        let permuted = permute(&rows, &numbers, &apart, shown.told);
        published.extend(apart.iter().map(|column| column.select(&permuted)));
        None
    } else {
        Some(values_by_group(&name, &apart, (&rows, &numbers), shown.told, missing))
    };
    let table = Table::new(name, published, true, missing.clone());
    Rendered { table, values, rows }
}

/// How often each combination of sensitive values occurs in each group, sorted by group and value.
fn values_by_group(
    name: &str,
    apart: &[Cow<'_, Column>],
    (rows, numbers): (&[u32], &[u32]),
    told: Told,
    missing: &Missing,
) -> Table {
    let mut counts: BTreeMap<_, (u32, u32)> = BTreeMap::new();
    for (&row, &number) in rows.iter().zip(numbers) {
        counts.entry((number, order::shown(apart, row, told))).or_insert((0, row)).0 += 1;
    }
    let groups: Vec<u32> = counts.keys().map(|(number, _)| *number).collect();
    let firsts: Vec<u32> = counts.values().map(|&(_, row)| row).collect();
    let sizes: Vec<u32> = counts.values().map(|&(count, _)| count).collect();
    let mut columns = vec![numbered(GROUP, &groups, missing)];
    columns.extend(apart.iter().map(|column| column.select(&firsts)));
    columns.push(numbered(COUNT, &sizes, missing));
    Table::new(name.to_owned(), columns, true, missing.clone())
}

/// A column of numbers.
pub(crate) fn numbered(name: &str, numbers: &[u32], missing: &Missing) -> Column {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for number in numbers {
        let entry = dictionary.intern(number.to_string().as_bytes(), 1);
        codes.push(entry.expect("a number is a text"));
    }
    Column::new(name.to_owned(), dictionary, codes, missing)
}
