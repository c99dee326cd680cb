//! Small tables, and datasets with taxonomies.

use kohort_core::{
    Attribute, Codes, Column, Dataset, Dictionary, Domain, Labels, Level, Missing, Role, Table,
    Taxonomy, Tree,
};

/// A table with these column names and rows of texts.
pub(crate) fn table(names: &[&str], rows: &[Vec<String>]) -> Table {
    let columns = names.iter().enumerate().map(|(index, name)| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for (line, row) in (2..).zip(rows) {
            codes.push(dictionary.intern(row[index].as_bytes(), line).unwrap());
        }
        Column::new((*name).into(), dictionary, codes, &Missing::default())
    });
    Table::new("release.csv".into(), columns.collect(), true, Missing::default())
}

/// Rows given as lines with semicolons between the cells.
pub(crate) fn rows(lines: &[&str]) -> Vec<Vec<String>> {
    lines.iter().map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

/// A dataset of columns with a role, or none where they are insensitive, and the lines of a taxonomy. Labels
/// in brackets are intervals.
pub(crate) fn dataset(columns: &[(&str, Role, Option<&[&str]>)], rows: &[Vec<String>]) -> Dataset {
    let names: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let table = table(&names, rows);
    let with_role = columns.iter().filter(|c| matches!(c.1, Role::Quasi | Role::Sensitive));
    let attributes = with_role.map(|&(name, role, lines)| {
        let column = table.column(name).unwrap();
        let domain = Domain::new(&table, column, None, &|_| false).unwrap();
        let taxonomy = lines.map(|lines| {
            let (tree, positions) = tree(lines, &domain, column);
            let has_intervals = lines[0].contains('[');
            let labels = if has_intervals { Labels::Intervals } else { Labels::Names };
            (tree.with_labels(labels), positions)
        });
        Attribute::new(&table, name, role, domain, taxonomy).unwrap()
    });
    let attributes = attributes.collect();
    Dataset::new(table, attributes).unwrap()
}

fn tree(lines: &[&str], domain: &Domain, column: &Column) -> (Taxonomy, Vec<u32>) {
    let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.split(';').collect()).collect();
    let leaves: Vec<Option<u32>> = lines.iter().map(|line| domain.find(line[0], column)).collect();
    let levels: Vec<Level> = (1..lines[0].len())
        .map(|level| {
            let mut labels: Vec<String> = Vec::new();
            let group_of_leaf = lines.iter().map(|line| {
                let found = labels.iter().position(|label| label == line[level]);
                u32::try_from(found.unwrap_or_else(|| {
                    labels.push(line[level].to_owned());
                    labels.len() - 1
                }))
                .unwrap()
            });
            let group_of_leaf = group_of_leaf.collect();
            Level { group_of_leaf, labels }
        })
        .collect();
    Taxonomy::build(Tree {
        leaves: &leaves,
        label: &|leaf| lines[leaf][0].to_owned(),
        levels: &levels,
        n_values: u32::try_from(domain.entries().len()).unwrap(),
        missing: domain.missing().is_some(),
        is_ordered: domain.values().value_type().is_ordered(),
    })
    .unwrap()
}
