//! From what a plan says to a tree over the values of a column.

use std::collections::BTreeSet;

use kohort_core::{Column, Domain, Kind, Labels, Level, Table, Taxonomy, Tree, ValueType, Values};
use kohort_models::printed_range;

use super::bind::bind;
use super::file::{self, FileText};
use super::listed::Listed;
use super::{Side, Source, calendar, index, mask, refused, root_level};
use crate::Error;

/// A column read for its taxonomy: what an attribute is made from.
#[derive(Clone, Debug)]
pub struct Built {
    /// The values of the column.
    pub domain: Domain,
    /// The tree and the leaf position of each value; none for a flat taxonomy.
    pub taxonomy: Option<(Taxonomy, Vec<u32>)>,
    /// What was odd about the taxonomy.
    pub warnings: Vec<String>,
}

/// Builds the taxonomy of a column. `loaded` is the file that the source names, if it names one;
/// `value_type` is the type set in the plan, or else the one found by looking.
///
/// # Panics
/// When the source names a file and none is handed in.
pub fn build(
    source: &Source,
    loaded: Option<FileText<'_>>,
    table: &Table,
    column: &Column,
    value_type: Option<ValueType>,
) -> Result<Built, Error> {
    let name = format!("taxonomy of column `{}`", column.name());
    match source {
        Source::File(file) => {
            let loaded = loaded.expect("the caller opens the file that a source names");
            let (listed, warnings) =
                file::read(loaded.text, file.separator).into_tree(loaded.name)?;
            let built =
                built_from_list(&listed, warnings, loaded.name, (table, column), value_type)?;
            match file.labels.into() {
                Labels::Names => Ok(built),
                Labels::Intervals => built.of_intervals(loaded.name),
            }
        }
        Source::Tree(groups) => {
            let (listed, warnings) = groups.list()?;
            built_from_list(&listed, warnings, &name, (table, column), value_type)
        }
        Source::Mask(_) => {
            let domain = read(table, column, Some(ValueType::Text))?;
            built_from_levels(source, domain, column, &name)
        }
        Source::Widths(_) | Source::Ranges(_) => {
            let domain = read(table, column, value_type)?;
            built_from_levels(source, domain, column, &name)?.of_intervals(&name)
        }
        _ => {
            let domain = read(table, column, value_type)?;
            built_from_levels(source, domain, column, &name)
        }
    }
}

impl Built {
    /// The same with labels that are intervals, which all below the root must then be.
    fn of_intervals(mut self, source_name: &str) -> Result<Self, Error> {
        let Some((taxonomy, positions)) = self.taxonomy.take() else { return Ok(self) };
        if !matches!(self.domain.values(), Values::Integer(_) | Values::Decimal(_)) {
            let found = self.domain.values().value_type();
            let problem = format!(
                "`labels = \"intervals\"` is for numbers, but the column is read as {found}"
            );
            return Err(refused(source_name, None, problem));
        }
        // A group of one value may have the value as its label.
        let is_interval =
            |label: &str| printed_range(label).is_some() || label.parse::<f64>().is_ok();
        if let Some(node) = taxonomy.nodes()[1..].iter().find(|node| !is_interval(&node.label)) {
            let label = &node.label;
            let problem = format!(
                "with `labels = \"intervals\"` every label must be an interval in brackets, such as \
                 `[20, 30[`, but one is `{label}`"
            );
            return Err(refused(source_name, None, problem));
        }
        self.taxonomy = Some((taxonomy.with_labels(Labels::Intervals), positions));
        Ok(self)
    }
}

/// The texts of a taxonomy that lists them.
#[derive(Default)]
pub(crate) struct Texts {
    /// Its values.
    pub(crate) values: Vec<String>,
    /// The labels above them.
    pub(crate) labels: BTreeSet<String>,
}

/// The texts that a taxonomy lists, where it does: that of a file, or groups written out. Others are computed from
/// the values of a column.
pub(crate) fn texts(source: &Source, loaded: Option<FileText<'_>>) -> Result<Option<Texts>, Error> {
    let (listed, _) = match (source, loaded) {
        (Source::File(file), Some(loaded)) => {
            file::read(loaded.text, file.separator).into_tree(loaded.name)?
        }
        (Source::Tree(groups), _) => groups.list()?,
        _ => return Ok(None),
    };
    let values = listed.leaves.iter().map(str::to_owned).collect();
    let labels = listed.levels.into_iter().flat_map(|level| level.labels).collect();
    Ok(Some(Texts { values, labels }))
}

/// The values of a column that no taxonomy gives a say in what is missing.
pub(super) fn read(
    table: &Table,
    column: &Column,
    value_type: Option<ValueType>,
) -> Result<Domain, Error> {
    Ok(Domain::new(table, column, value_type, &|_| false)?)
}

fn built_from_list(
    listed: &Listed,
    warnings: Vec<String>,
    source_name: &str,
    (table, column): (&Table, &Column),
    value_type: Option<ValueType>,
) -> Result<Built, Error> {
    let bound = bind(listed, source_name, (table, column), value_type)?;
    if !bound.without_leaf.is_empty() {
        return Err(no_leaf(source_name, column, bound.texts_without_leaf(column)));
    }
    let taxonomy = Some(bound.tree(listed));
    Ok(Built { domain: bound.domain, taxonomy, warnings })
}

fn no_leaf(source_name: &str, column: &Column, values: Vec<String>) -> Error {
    let (source_name, column) = (source_name.to_owned(), column.name().to_owned());
    kohort_core::Error::new(Kind::NoLeaf {
        source_name,
        column,
        values: kohort_core::Private(values),
    })
    .into()
}

fn built_from_levels(
    source: &Source,
    domain: Domain,
    column: &Column,
    name: &str,
) -> Result<Built, Error> {
    let levels = levels(source, &domain, column, name)?;
    let is_empty = domain.values().is_empty() && domain.missing().is_none();
    if levels.is_empty() || is_empty {
        return Ok(Built { domain, taxonomy: None, warnings: Vec::new() });
    }
    let n_values = index(domain.values().len());
    let leaves: Vec<Option<u32>> = (0..n_values).map(Some).collect();
    // Only a value alone in its group can be the same node as the group.
    let group = &levels[0].group_of_leaf;
    let mut n_values_of_group = vec![0_u32; levels[0].labels.len()];
    for &group in group {
        n_values_of_group[group as usize] += 1;
    }
    let is_alone = |value: usize| n_values_of_group[group[value] as usize] == 1;
    let tree = Tree {
        leaves: &leaves,
        label: &|value| {
            if is_alone(value) { leaf_label(domain.values(), value) } else { String::new() }
        },
        levels: &levels,
        n_values,
        missing: domain.missing().is_some(),
        is_ordered: true,
    };
    match Taxonomy::build(tree) {
        Ok(taxonomy) => Ok(Built { domain, taxonomy: Some(taxonomy), warnings: Vec::new() }),
        Err(split) => {
            let label = &levels[split.level - 1].labels[split.group as usize];
            let problem = format!("`{label}` of level {} has two parents", split.level);
            Err(refused(name, None, problem))
        }
    }
}

/// The text that a group above a single value would share with it.
fn leaf_label(values: &Values, value: usize) -> String {
    match values {
        Values::Integer(values) => values[value].to_string(),
        Values::Date(values) => calendar::day_label(values[value]),
        Values::Text(values) => values[value].clone(),
        Values::Decimal(_) | Values::Boolean(_) => String::new(),
    }
}

/// The levels of a source that is computed from the values, root included; none when it is flat.
pub(super) fn levels(
    source: &Source,
    domain: &Domain,
    column: &Column,
    name: &str,
) -> Result<Vec<Level>, Error> {
    let values = domain.values();
    let refuse = |problem| refused(name, None, problem);
    let mut levels = match (source, values) {
        (Source::Mask(side), Values::Text(texts)) => mask_levels(texts, *side).map_err(refuse)?,
        (Source::Calendar(calendar), Values::Date(micros)) => calendar.levels(micros),
        (Source::Widths(widths), Values::Integer(_) | Values::Decimal(_)) => {
            widths.levels(values).map_err(refuse)?
        }
        (Source::Ranges(ranges), Values::Integer(_) | Values::Decimal(_)) => {
            let (levels, gaps) = ranges.levels_of(values).map_err(refuse)?;
            if !gaps.is_empty() {
                let entry = |&value: &u32| domain.entries()[value as usize];
                let text = |value| column.dictionary().get(entry(value)).to_owned();
                return Err(no_leaf(name, column, gaps.iter().map(text).collect()));
            }
            levels
        }
        (Source::Calendar(_), _) => return Err(refuse(wrong_type("levels", "dates", values))),
        (Source::Widths(_), _) => return Err(refuse(wrong_type("widths", "numbers", values))),
        (Source::Ranges(_), _) => return Err(refuse(wrong_type("ranges", "numbers", values))),
        _ => return Ok(Vec::new()),
    };
    levels.push(root_level(values.len()));
    Ok(levels)
}

fn wrong_type(name: &str, kind: &str, values: &Values) -> String {
    format!("`{name}` is for {kind}, but the column is read as {}", values.value_type())
}

fn mask_levels(texts: &[String], side: Side) -> Result<Vec<Level>, String> {
    let longest = mask::longest(texts);
    if longest > mask::MAX_LENGTH {
        return Err(format!(
            "`mask` is for codes of at most {} characters, but a value has {longest}",
            mask::MAX_LENGTH
        ));
    }
    mask::levels(texts, side).ok_or_else(|| {
        format!("`mask` is limited to {} groups, but there are more", mask::MAX_GROUPS)
    })
}
