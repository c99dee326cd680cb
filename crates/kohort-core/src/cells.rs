//! What the classes of a release show, each cell of a column kept once.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::{Cell, Codes};

/// What each class of a release shows, one cell for each quasi-identifier. A class needs a byte or two for
/// each, however long the classes are: there are few distinct cells in a column.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    columns: Vec<CellColumn>,
}

/// What each class shows of one quasi-identifier.
#[derive(Clone, Debug, Default)]
pub struct CellColumn {
    distinct: Vec<Cell>,
    codes: Codes,
}

impl Cells {
    /// The cells of each class after those of the class before, `n_axes` of them.
    ///
    /// # Panics
    /// When the last class has fewer, or there is a cell and no quasi-identifier.
    pub fn from_rows(n_axes: usize, cells: impl IntoIterator<Item = Cell>) -> Self {
        let mut columns = vec![Known::default(); n_axes];
        let mut n_cells = 0;
        for cell in cells {
            columns[n_cells % n_axes].push(cell);
            n_cells += 1;
        }
        assert!(n_cells.is_multiple_of(n_axes), "a class has a cell for each quasi-identifier");
        Self { columns: columns.into_iter().map(|known| known.column).collect() }
    }

    /// The cells of each quasi-identifier, class by class.
    ///
    /// # Panics
    /// When the columns differ in length.
    pub fn from_columns<C>(columns: impl IntoIterator<Item = C>) -> Self
    where
        C: IntoIterator<Item = Cell>,
    {
        let column = |cells: C| {
            let mut known = Known::default();
            cells.into_iter().for_each(|cell| known.push(cell));
            known.column
        };
        let columns: Vec<CellColumn> = columns.into_iter().map(column).collect();
        let is_even = columns.array_windows().all(|[a, b]| a.codes.len() == b.codes.len());
        assert!(is_even, "a class has a cell for each quasi-identifier");
        Self { columns }
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.columns.first().map_or(0, |column| column.codes.len())
    }

    /// Whether no class shows anything.
    pub fn is_empty(&self) -> bool {
        self.n_classes() == 0
    }

    /// What each class shows of each quasi-identifier.
    pub fn columns(&self) -> &[CellColumn] {
        &self.columns
    }

    /// What each class shows of one quasi-identifier.
    ///
    /// # Panics
    /// When there is no such quasi-identifier.
    pub fn column(&self, axis: usize) -> &CellColumn {
        &self.columns[axis]
    }

    /// What a class shows.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn class(&self, class: usize) -> impl Iterator<Item = Cell> + Clone {
        self.columns.iter().map(move |column| column.get(class))
    }

    /// What each class shows.
    pub fn classes(&self) -> impl Iterator<Item = impl Iterator<Item = Cell> + Clone> {
        (0..self.n_classes()).map(|class| self.class(class))
    }

    /// What these classes show, in the order given.
    #[must_use]
    pub fn select(&self, classes: &[u32]) -> Self {
        let of = |column: &CellColumn| CellColumn {
            distinct: column.distinct.clone(),
            codes: column.codes.select(classes),
        };
        Self { columns: self.columns.iter().map(of).collect() }
    }
}

impl CellColumn {
    /// The cells that some class shows, in the order in which they first appear.
    pub fn distinct(&self) -> &[Cell] {
        &self.distinct
    }

    /// Which of them each class shows.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// What a class shows.
    ///
    /// # Panics
    /// When there is no such class.
    #[inline]
    pub fn get(&self, class: usize) -> Cell {
        self.distinct[self.codes.get(class) as usize]
    }

    /// What each class shows.
    pub fn iter(&self) -> impl Iterator<Item = Cell> {
        self.codes.iter().map(|code| self.distinct[code as usize])
    }
}

/// A column while it is being filled.
#[derive(Clone, Default)]
struct Known {
    column: CellColumn,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl Known {
    fn push(&mut self, cell: Cell) {
        let Self { column: CellColumn { distinct, codes }, index, hasher } = self;
        let hash = hasher.hash_one(cell);
        let same = |&code: &u32| distinct[code as usize] == cell;
        if let Some(&code) = index.find(hash, same) {
            return codes.push(code);
        }
        let code = u32::try_from(distinct.len()).expect("classes are u32");
        distinct.push(cell);
        index.insert_unique(hash, code, |&other| hasher.hash_one(distinct[other as usize]));
        codes.push(code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: [Cell; 6] = [
        Cell::Leaf(1),
        Cell::ANY,
        Cell::Range { lo: 1, hi: 2 },
        Cell::Leaf(3),
        Cell::Leaf(1),
        Cell::ANY,
    ];

    #[test]
    fn classes_show_what_they_were_given() {
        let by_rows = Cells::from_rows(2, CELLS);
        let of_axis = |axis: usize| CELLS.into_iter().skip(axis).step_by(2);
        let by_columns = Cells::from_columns([of_axis(0), of_axis(1)]);
        for cells in [&by_rows, &by_columns] {
            assert_eq!(cells.n_classes(), 3);
            assert_eq!(cells.classes().flatten().collect::<Vec<_>>(), CELLS);
            assert_eq!(cells.column(0).distinct(), [CELLS[0], CELLS[2]]);
            assert_eq!(cells.column(1).iter().collect::<Vec<_>>(), [CELLS[1], CELLS[3], CELLS[1]]);
            let chosen = cells.select(&[2, 1]);
            assert_eq!(
                chosen.classes().flatten().collect::<Vec<_>>(),
                [CELLS[4], CELLS[5], CELLS[2], CELLS[3]]
            );
        }
    }

    #[test]
    fn nothing_is_no_class() {
        assert!(Cells::default().is_empty());
        assert!(Cells::from_rows(3, []).is_empty());
        assert_eq!(Cells::from_rows(3, []).column(2).distinct(), []);
    }

    #[test]
    #[should_panic = "a class has a cell for each quasi-identifier"]
    fn half_a_class_is_refused() {
        Cells::from_rows(2, [Cell::ANY; 3]);
    }
}
