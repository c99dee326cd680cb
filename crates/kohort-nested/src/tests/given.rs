//! Forests from the texts of their rows.

use kohort_core::{
    Attribute, Codes, Column, Dictionary, Domain, Forest, Level, Missing, Role, Table, Taxonomy,
    Tree, VertexKind,
};

/// A kind with the texts of its rows.
pub(crate) struct GivenKind {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    pub(crate) quasi: Vec<GivenColumn>,
    pub(crate) sensitive: Option<GivenColumn>,
    pub(crate) inside: Vec<u32>,
}

/// A column with the text of each row, and the lines of a taxonomy, leaf first, if it has one.
#[derive(Default)]
pub(crate) struct GivenColumn {
    pub(crate) name: String,
    pub(crate) texts: Vec<String>,
    pub(crate) taxonomy: Option<Vec<Vec<String>>>,
}

/// The forest of these kinds.
pub(crate) fn build(kinds: &[GivenKind], n_records: usize) -> Forest {
    let of_kind = |(branch, given): (usize, &GivenKind)| VertexKind {
        branch,
        parent: given.parent,
        quasi: given.quasi.iter().map(|column| attribute(column, Role::Quasi)).collect(),
        sensitive: given.sensitive.as_ref().map(|column| attribute(column, Role::Sensitive)),
        is_member: false,
    };
    let inside: Vec<&[u32]> = kinds.iter().map(|given| &given.inside[..]).collect();
    Forest::new(kinds.iter().enumerate().map(of_kind).collect(), n_records, &inside)
}

fn attribute(given: &GivenColumn, role: Role) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for (line, text) in (2..).zip(&given.texts) {
        codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
    }
    let column = Column::new(given.name.clone(), dictionary, codes, &Missing::default());
    let table = Table::new("t".into(), vec![column], true, Missing::default());
    let column = &table.columns()[0];
    let domain = Domain::new(&table, column, None, &|_| false).unwrap();
    let taxonomy = given.taxonomy.as_deref().map(|lines| tree(lines, &domain, column));
    Attribute::new(&table, &given.name, role, domain, taxonomy).unwrap()
}

fn tree(lines: &[Vec<String>], domain: &Domain, column: &Column) -> (Taxonomy, Vec<u32>) {
    let leaves: Vec<Option<u32>> = lines.iter().map(|line| domain.find(&line[0], column)).collect();
    let levels: Vec<Level> = (1..lines[0].len())
        .map(|level| {
            let mut labels: Vec<String> = Vec::new();
            let group_of_leaf = lines.iter().map(|line| {
                let found = labels.iter().position(|label| *label == line[level]);
                let group = found.unwrap_or_else(|| {
                    labels.push(line[level].clone());
                    labels.len() - 1
                });
                u32::try_from(group).unwrap()
            });
            let group_of_leaf = group_of_leaf.collect();
            Level { group_of_leaf, labels }
        })
        .collect();
    Taxonomy::build(Tree {
        leaves: &leaves,
        label: &|leaf| lines[leaf][0].clone(),
        levels: &levels,
        n_values: u32::try_from(domain.entries().len()).unwrap(),
        missing: domain.missing().is_some(),
        is_ordered: domain.values().value_type().is_ordered(),
    })
    .unwrap()
}
