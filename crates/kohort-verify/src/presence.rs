//! The table against a public one: how many people of each class could be meant.

use kohort_core::{Attribute, Codes, Ratio, Table, group};

use crate::ClassSizes;

/// The classes of the public table with how many of their people are in the table.
#[derive(Clone, Debug)]
pub struct Presence {
    /// For each class of the union: rows of the table and rows of the public table.
    pub classes: Vec<(u64, u64)>,
}

/// Counts the classes of a table and of a public table with the same columns, by value.
pub fn match_public(
    n_rows: usize,
    quasi: &[&Attribute],
    public: &Table,
) -> Result<Presence, kohort_core::Error> {
    let mut columns: Vec<(Codes, u32)> = Vec::new();
    for attribute in quasi {
        let column = public.column(attribute.name())?;
        // Public values that the table does not have get codes of their own, one per text.
        let mut next = attribute.n_codes();
        let to: Vec<u32> = (column.dictionary().iter())
            .map(|text| {
                attribute.code_of_foreign(text, column.date_format()).unwrap_or_else(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let mut both = Codes::default();
        attribute.codes().for_each(|code| both.push(code));
        column.codes().for_each(|entry| both.push(to[entry as usize]));
        columns.push((both, next));
    }
    let n = n_rows + public.n_rows();
    let grouping = group(n, columns.iter().map(|(codes, n_codes)| (codes, *n_codes)));
    let mut classes = vec![(0, 0); grouping.n_classes as usize];
    for (row, &id) in grouping.ids.iter().enumerate() {
        let class = &mut classes[id as usize];
        if row < n_rows { class.0 += 1 } else { class.1 += 1 }
    }
    // In the order of their sizes, so that the order of rows changes no sum.
    classes.sort_unstable();
    Ok(Presence { classes })
}

impl Presence {
    /// The smallest and largest share of members among the classes of the public table; `None` when it
    /// has no class. Shares above 1 (the public table lacks people of the table) count as 1.
    pub fn range(&self) -> Option<(Ratio, Ratio)> {
        let shares = || {
            let public = self.classes.iter().filter(|&&(_, public)| public > 0);
            public.map(|&(members, public)| Ratio::new(members.min(public), public))
        };
        Some((shares().min()?, shares().max()?))
    }

    /// The rows of the table whose class has fewer people in the public table than in the table: a
    /// public table that holds everyone has none.
    pub fn rows_not_covered(&self) -> u64 {
        self.classes.iter().filter(|&&(members, public)| public < members).map(|c| c.0).sum()
    }

    /// The class sizes of the table's side.
    pub fn table_sizes(&self) -> ClassSizes {
        self.classes.iter().map(|&(members, _)| members).filter(|&members| members > 0).collect()
    }
}
