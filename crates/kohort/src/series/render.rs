//! What a release of a series looks like: a row for everybody in a class and for every counterfeit, in an
//! order that tells nothing.
//!
//! Every row has the number of its class in the column `group`: two classes may show equal boxes, or boxes
//! of which one covers the other. How many rows of a class belong to nobody stands in a table of its own,
//! where the method says so; which rows they are stands nowhere.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kohort_core::{ABSENT, Cell, Codes, Column, Dataset, Dictionary, Table, Told};
use kohort_series::Next;

use crate::release::{COUNT, GROUP, numbered, order, text_of};

/// The tables of a release.
pub(super) struct Rendered {
    /// The release itself.
    pub(super) table: Table,
    /// How many rows of a class belong to nobody, for classes with any.
    pub(super) counterfeits: Option<Table>,
    /// For each row of the release the row of the original; none for a counterfeit.
    pub(super) rows: Vec<Option<u32>>,
    /// The number of each class in the release.
    pub(super) number_of: BTreeMap<u32, u32>,
}

/// A row of the release before it has its place.
struct Item<'a> {
    class: u32,
    value: &'a str,
    row: Option<u32>,
}

/// Renders what was made. `secret` draws the order of the rows.
pub(super) fn render(
    dataset: &Dataset,
    next: &Next,
    (domain, value_of_row): (&[String], &[u32]),
    tells_counterfeits: bool,
    secret: [u8; 32],
) -> Rendered {
    let items = items(next, domain, value_of_row);
    let cells = cells(dataset, next);
    let table = dataset.table();
    let missing = table.missing();
    let (quasi, sensitive) = (dataset.quasi(), dataset.sensitive());
    let mut columns: Vec<Cow<'_, Column>> = Vec::new();
    for column in table.columns() {
        let axis = quasi.iter().position(|attribute| attribute.name() == column.name());
        let is_sensitive = sensitive.iter().any(|attribute| attribute.name() == column.name());
        let texts: Vec<String> = match axis {
            Some(axis) => {
                let of_class = |class: &[Cell]| text_of(table, quasi[axis], class[axis]);
                cells.chunks(quasi.len()).map(of_class).collect()
            }
            None if is_sensitive => Vec::new(),
            None => continue,
        };
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for item in &items {
            let text = texts.get(item.class as usize).map_or(item.value, String::as_str);
            let entry = dictionary.intern(text.as_bytes(), 1);
            codes.push(entry.expect("texts of a table are texts of a release"));
        }
        columns.push(Cow::Owned(Column::new(column.name().to_owned(), dictionary, codes, missing)));
    }
    let n_items = u32::try_from(items.len()).expect("rows are u32");
    let seed = u64::from_le_bytes(secret[..8].try_into().expect("eight bytes are eight bytes"));
    let in_order = order((0..n_items).collect(), &columns, Told::Nothing, seed);
    let mut published: Vec<Column> =
        columns.iter().map(|column| column.select(&in_order)).collect();
    // Classes are numbered as they appear: the numbers tell nothing else.
    let mut number_of: BTreeMap<u32, u32> = BTreeMap::new();
    let mut numbers = Vec::with_capacity(items.len());
    for &at in &in_order {
        let following = u32::try_from(number_of.len() + 1).expect("classes are fewer than rows");
        numbers.push(*number_of.entry(items[at as usize].class).or_insert(following));
    }
    published.push(numbered(GROUP, &numbers, missing));
    let name = table.name().to_owned();
    Rendered {
        counterfeits: tells_counterfeits.then(|| counterfeits(next, &number_of, table)).flatten(),
        table: Table::new(name, published, true, missing.clone()),
        rows: in_order.iter().map(|&at| items[at as usize].row).collect(),
        number_of,
    }
}

fn items<'a>(next: &Next, domain: &'a [String], value_of_row: &[u32]) -> Vec<Item<'a>> {
    let text = |value: u32| domain[value as usize].as_str();
    let shown = (0..).zip(&next.class_of_row).filter(|&(_, &class)| class != ABSENT);
    let people = shown.map(|(row, &class)| Item {
        class,
        value: text(value_of_row[row as usize]),
        row: Some(row),
    });
    let counterfeits = next.counterfeits.iter();
    let nobody = counterfeits.map(|it| Item { class: it.class, value: text(it.value), row: None });
    people.chain(nobody).collect()
}

/// What each class shows, one cell per quasi-identifier: the smallest box around its rows unless the maker
/// says otherwise.
fn cells(dataset: &Dataset, next: &Next) -> Vec<Cell> {
    if !next.cells.is_empty() {
        return next.cells.clone();
    }
    let quasi = dataset.quasi();
    let classes = next.class_of_row.iter().copied().filter(|&class| class != ABSENT);
    let classes = classes.chain(next.counterfeits.iter().map(|it| it.class));
    let n_classes = classes.max().map_or(0, |last| last as usize + 1);
    let mut extents = vec![(u32::MAX, 0); n_classes * quasi.len()];
    for (row, &class) in next.class_of_row.iter().enumerate() {
        if class != ABSENT {
            let extents = &mut extents[class as usize * quasi.len()..][..quasi.len()];
            for (extent, attribute) in extents.iter_mut().zip(&quasi) {
                let code = attribute.codes().get(row);
                *extent = (extent.0.min(code), extent.1.max(code));
            }
        }
    }
    let cell = |(at, (lo, hi)): (usize, (u32, u32))| {
        let attribute = quasi[at % quasi.len()];
        // A class of counterfeits alone may be anywhere.
        let (lo, hi) = if lo > hi { (0, attribute.n_codes() - 1) } else { (lo, hi) };
        attribute.smallest_cell(lo, hi)
    };
    extents.into_iter().enumerate().map(cell).collect()
}

/// The table that counts counterfeits by class; none where there is no counterfeit.
fn counterfeits(next: &Next, number_of: &BTreeMap<u32, u32>, table: &Table) -> Option<Table> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for counterfeit in &next.counterfeits {
        *counts.entry(number_of[&counterfeit.class]).or_default() += 1;
    }
    let (groups, counts): (Vec<u32>, Vec<u32>) = counts.into_iter().unzip();
    let missing = table.missing();
    let columns = vec![numbered(GROUP, &groups, missing), numbered(COUNT, &counts, missing)];
    let name = table.name().to_owned();
    (!groups.is_empty()).then(|| Table::new(name, columns, true, missing.clone()))
}
