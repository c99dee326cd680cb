//! Published objects as the branches of nested records.

use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Branch, Cell, Codes, Column, Dictionary, Empty, Inside, Layout, Missing, Nested,
    Scalar, Table,
};
use kohort_nested::NestedForm;
use kohort_verify::nested::GROUP;

use super::Groups;
use super::object::{Object, Objects, Shown, Source};
use super::spelling::Spelling;
use crate::nested::cells::CUT_OFF;
use crate::release::{mark, mix, text_of};

/// The branches of a release, as they grow.
pub(super) struct Sheets<'a> {
    objects: &'a Objects<'a>,
    by_branch: Vec<Option<Sheet>>,
    // The group of each person, where trees of two files belong together.
    groups: Option<Cells>,
}

/// The rows of one branch.
#[derive(Default)]
struct Sheet {
    inside: Vec<u32>,
    n_rows: u32,
    columns: Vec<Cells>,
    empty: Vec<(u32, Empty)>,
}

/// The cells of one column.
#[derive(Default)]
struct Cells {
    spelling: Option<Spelling>,
    known: BTreeMap<Shown, usize>,
    texts: Vec<Spelled>,
    dictionary: Dictionary,
    codes: Codes,
    scalars: Vec<Scalar>,
}

/// A text, what it is, and a number made from it.
struct Spelled {
    text: String,
    scalar: Scalar,
    mark: u64,
}

impl Cells {
    fn push(&mut self, text: &str, scalar: Scalar) {
        let line = self.scalars.len() as u64 + 1;
        let entry = self.dictionary.intern(text.as_bytes(), line);
        self.codes.push(entry.expect("texts of a table are texts of a release"));
        self.scalars.push(scalar);
    }

    fn finish(self, path: String, missing: &Missing) -> (Column, Vec<Scalar>) {
        (Column::new(path, self.dictionary, self.codes, missing), self.scalars)
    }
}

impl<'a> Sheets<'a> {
    pub(super) fn new(objects: &'a Objects<'a>) -> Self {
        let sheet = |(branch, columns): (usize, &Option<Vec<(String, Source)>>)| {
            let of = &objects.described.nested().branches()[branch];
            let cells = |(_, source): &(String, Source)| Cells {
                spelling: quasi(objects, branch, *source).map(|a| Spelling::new(of, a)),
                ..Cells::default()
            };
            let columns = columns.as_ref()?.iter().map(cells).collect();
            Some(Sheet { columns, ..Sheet::default() })
        };
        let by_branch = objects.columns.iter().enumerate().map(sheet).collect();
        let has_groups = objects.candidate.form == NestedForm::TreeAnatomy;
        Self { objects, by_branch, groups: has_groups.then(Cells::default) }
    }

    /// A number made from what an object shows.
    pub(super) fn mark(&mut self, object: &Object) -> u64 {
        let mut sum = mix(self.objects.seed ^ object.branch as u64);
        for (column, &shown) in object.shown.iter().enumerate() {
            let mark = match shown {
                Shown::Group(mark) => mark,
                _ => self.spelled(object.branch, column, shown).mark,
            };
            sum = mix(sum ^ mark);
        }
        for &(branch, empty) in &object.empty {
            sum = mix(sum ^ mix(2 * branch as u64 + u64::from(empty == Empty::Null)));
        }
        for below in &object.below {
            sum = mix(sum ^ self.mark(below));
        }
        // Where the list ends, or two trees with the same objects one level apart would be one.
        mix(sum ^ object.below.len() as u64)
    }

    /// Adds a person of a class.
    pub(super) fn add(&mut self, object: &Object, class: usize, groups: &mut Groups) {
        if let Some(cells) = &mut self.groups {
            cells.push(&groups.number(class, 0).to_string(), Scalar::Bare);
        }
        self.add_object(object, None, class, groups);
    }

    fn add_object(
        &mut self,
        object: &Object,
        above: Option<u32>,
        class: usize,
        groups: &mut Groups,
    ) {
        let mut positions = object.positions.iter();
        for (column, &shown) in object.shown.iter().enumerate() {
            let (text, scalar) = if let Shown::Group(_) = shown {
                let position = positions.next().expect("a group that is shown has a position");
                (groups.number(class, *position).to_string(), Scalar::Bare)
            } else {
                let spelled = self.spelled(object.branch, column, shown);
                (spelled.text.clone(), spelled.scalar)
            };
            self.sheet(object.branch).columns[column].push(&text, scalar);
        }
        let sheet = self.sheet(object.branch);
        let row = sheet.n_rows;
        sheet.n_rows += 1;
        sheet.inside.extend(above);
        for &(branch, empty) in &object.empty {
            self.sheet(branch).empty.push((row, empty));
        }
        for below in &object.below {
            self.add_object(below, Some(row), class, groups);
        }
    }

    fn sheet(&mut self, branch: usize) -> &mut Sheet {
        self.by_branch[branch].as_mut().expect("an object is of a branch that is published")
    }

    /// The text of what a column shows.
    fn spelled(&mut self, branch: usize, column: usize, shown: Shown) -> &Spelled {
        let objects = self.objects;
        let cells = &mut self.sheet(branch).columns[column];
        let mut index = cells.known.get(&shown).copied();
        if index.is_none() {
            let (text, scalar) = text(objects, branch, column, cells.spelling.as_ref(), shown);
            let mark = mark(&text, objects.seed);
            index = Some(cells.texts.len());
            cells.known.insert(shown, cells.texts.len());
            cells.texts.push(Spelled { text, scalar, mark });
        }
        let index = index.expect("it was put there if it was not");
        &self.sheet(branch).columns[column].texts[index]
    }

    /// The records.
    pub(super) fn finish(self) -> Nested {
        let original = self.objects.described.nested();
        let missing = original.branches()[0].table().missing();
        let mut became = vec![0; self.by_branch.len()];
        let mut branches: Vec<Branch> = Vec::new();
        let mut groups = self.groups;
        for (index, sheet) in self.by_branch.into_iter().enumerate() {
            let Some(sheet) = sheet else { continue };
            let of = &original.branches()[index];
            let paths = self.objects.columns[index].iter().flatten().map(|(path, _)| path.clone());
            let of_group = groups.take().map(|cells| (GROUP.to_owned(), cells));
            let (columns, scalars) = (of_group.into_iter())
                .chain(paths.zip(sheet.columns))
                .map(|(path, cells)| cells.finish(path, missing))
                .unzip();
            let inside = of
                .inside()
                .map(|inside| Inside { branch: became[inside.branch], rows: sheet.inside });
            became[index] = branches.len();
            let table = Table::new(of.table().name().to_owned(), columns, false, missing.clone());
            let path = of.path().to_owned();
            let empty = inside.as_ref().map_or(Vec::new(), |inside| {
                let is_plain = branches[inside.branch].table().columns().is_empty();
                let is_items = path.ends_with("[][]") && is_plain;
                if is_items { without_rows(inside, &branches[inside.branch]) } else { sheet.empty }
            });
            let branch = Branch::new(path, inside, sheet.n_rows as usize, table, scalars);
            branches.push(branch.with_empty(empty));
        }
        let layout = Layout { left_out: Vec::new(), ..original.layout().clone() };
        Nested::new(original.name().to_owned(), branches).with_layout(layout)
    }
}

/// Arrays in arrays of which nothing is left: they are arrays still.
fn without_rows(inside: &Inside, above: &Branch) -> Vec<(u32, Empty)> {
    let rows = (0_u32..).take(above.n_rows());
    let is_bare = |row: &u32| inside.rows.binary_search(row).is_err();
    rows.filter(is_bare).map(|row| (row, Empty::Array)).collect()
}

/// The quasi-identifier whose values a column shows.
fn quasi<'a>(objects: &Objects<'a>, branch: usize, source: Source) -> Option<&'a Attribute> {
    let Source::Quasi(index) = source else { return None };
    let kinds = objects.described.forest().kinds();
    kinds.iter().find(|kind| kind.branch == branch).map(|kind| &kind.quasi[index])
}

fn text(
    objects: &Objects<'_>,
    branch: usize,
    column: usize,
    spelling: Option<&Spelling>,
    shown: Shown,
) -> (String, Scalar) {
    let source = objects.columns[branch].as_ref().expect("it is published")[column].1;
    let label = || quasi(objects, branch, source).expect("a label is of an attribute");
    let table = objects.described.nested().branches()[branch].table();
    match (shown, source) {
        (Shown::Cell(cell), _) => {
            spelling.expect("an attribute has a spelling").of(table, label(), cell)
        }
        (Shown::Missing { is_null }, _) => {
            let text = label().missing().map(|code| text_of(table, label(), Cell::Leaf(code)));
            let scalar = if is_null { Scalar::Null } else { Scalar::Absent };
            (text.unwrap_or_default(), scalar)
        }
        (Shown::Nothing, Source::Sensitive(..)) => (CUT_OFF.to_owned(), Scalar::Text),
        (Shown::AsRead(rank), Source::AsRead(read) | Source::Sensitive(_, read)) => {
            let (text, scalar) = objects.as_read[&(branch, read)].of(rank);
            (text.to_owned(), scalar)
        }
        _ => (String::new(), Scalar::Absent),
    }
}

/// The sensitive values of each group: rows of `group`, `attribute` and `value`, sorted.
pub(super) fn list(objects: &Objects<'_>, groups: &Groups) -> Nested {
    let (forest, nested) = (objects.described.forest(), objects.described.nested());
    let mut by_number: Vec<(u32, (usize, usize))> =
        groups.0.iter().map(|(&at, &n)| (n, at)).collect();
    by_number.sort_unstable();
    let mut columns = [Cells::default(), Cells::default(), Cells::default()];
    for (number, (class, position)) in by_number {
        let vertices = objects.vertices(class, position);
        let kind = &forest.kinds()[forest.kind(vertices[0])];
        let path = kind.sensitive.as_ref().expect("a group is of values").name();
        let (_, column) = nested.find(path).expect("an attribute is a column");
        let as_read = &objects.as_read[&(kind.branch, column)];
        let mut ranks: Vec<u32> = vertices.iter().map(|&v| as_read.rank(forest.row(v))).collect();
        ranks.sort_unstable();
        for rank in ranks {
            let (text, scalar) = as_read.of(rank);
            // In a list of values, one that was not there is null.
            let scalar = if scalar == Scalar::Absent { Scalar::Null } else { scalar };
            columns[0].push(&number.to_string(), Scalar::Bare);
            columns[1].push(path, Scalar::Text);
            columns[2].push(text, scalar);
        }
    }
    let missing = nested.branches()[0].table().missing();
    let n_rows = columns[0].scalars.len();
    let names = [GROUP, "attribute", "value"].map(str::to_owned);
    let (columns, scalars) =
        names.into_iter().zip(columns).map(|(name, cells)| cells.finish(name, missing)).unzip();
    let table = Table::new(nested.name().to_owned(), columns, false, missing.clone());
    let branch = Branch::new(String::new(), None, n_rows, table, scalars);
    Nested::new(nested.name().to_owned(), vec![branch])
}
