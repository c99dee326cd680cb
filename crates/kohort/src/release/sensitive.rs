//! The sensitive columns of somebody's release: values, and cells that may be one of several
//! (`kohort_verify::masked_texts` tells them apart).

use std::collections::BTreeSet;

use kohort_core::{Attribute, Column, Dataset, Role, Table, ValueType, Values};
use kohort_verify::{masked_texts, named_values, with_masked, without_masked};

use crate::Error;
use crate::goal::Principle;
use crate::job::Roles;
use crate::load::{Loaded, Quantiles, assign_roles_by, listed, released_buckets};
use crate::plan::FullAttribute;
use crate::taxonomy::Source;

/// Gives the sensitive columns of a release their roles, where there are no others. What masked cells may
/// be is told by the original, where its values are those of the release, else by the release, the taxonomy
/// and the goal.
pub(crate) fn read_sensitive(
    (roles, asked): (&Roles, &[Principle]),
    release: Table,
    original: Option<&Dataset>,
    quantiles: Quantiles<'_>,
) -> Result<Loaded<Dataset>, Error> {
    let of_original = original.map(Dataset::sensitive).unwrap_or_default();
    let mut masked: Vec<(String, Vec<bool>, Column)> = Vec::new();
    for (name, full) in roles.iter() {
        if Role::from(full.role) != Role::Sensitive {
            continue;
        }
        let twin = of_original.iter().find(|twin| twin.name() == name);
        let twin = twin.zip(original).map(|(&twin, original)| (twin, original.table()));
        let reading = Reading::new((roles, asked), full, (&release, name), (twin, quantiles))?;
        masked.extend(
            reading.without_masks()?.map(|(is_masked, shown)| (name.clone(), is_masked, shown)),
        );
    }
    if masked.is_empty() {
        return assign_roles_by(roles, release, quantiles);
    }
    let shown = |column: &Column| {
        let found = masked.iter().find(|(name, ..)| name == column.name());
        found.map_or_else(|| column.clone(), |(_, _, shown)| shown.clone())
    };
    let columns = release.columns().iter().map(shown).collect();
    let missing = release.missing().clone();
    let table = Table::new(release.name().to_owned(), columns, true, missing);
    let Loaded { value: dataset, notes } = assign_roles_by(roles, table, quantiles)?;
    let attributes = dataset.sensitive().into_iter().cloned().map(|attribute| {
        match masked.iter().find(|(name, ..)| name == attribute.name()) {
            Some((_, is_masked, _)) => Ok(with_masked(attribute, &release, is_masked)?),
            None => Ok(attribute),
        }
    });
    let attributes = attributes.collect::<Result<Vec<Attribute>, Error>>()?;
    Ok(Loaded { value: Dataset::new(dataset.table().clone(), attributes)?, notes })
}

/// A sensitive column of a release, and what is known of its values.
struct Reading<'a> {
    asked: &'a [Principle],
    release: &'a Table,
    column: &'a Column,
    // The column in the original, with its table.
    twin: Option<(&'a Attribute, &'a Table)>,
    declared: Option<ValueType>,
    // What the taxonomy lists.
    leaves: Vec<String>,
    labels: BTreeSet<String>,
    // Whether the taxonomy masks the ends of values.
    is_masking: bool,
    // Whether every text that could be a value is the label of a bucket.
    shows_buckets: bool,
}

impl<'a> Reading<'a> {
    fn new(
        (roles, asked): (&Roles, &'a [Principle]),
        full: &FullAttribute,
        (release, name): (&'a Table, &str),
        (twin, quantiles): (Option<(&'a Attribute, &'a Table)>, Quantiles<'_>),
    ) -> Result<Self, Error> {
        let column = release.column(name)?;
        let declared: Option<ValueType> = full.value_type.map(Into::into);
        let listed = listed(roles, full)?.unwrap_or_default();
        let original = match quantiles {
            Quantiles::Of(original) => original,
            Quantiles::Own => None,
        };
        let rule = released_buckets((roles, full), name, original);
        let shows_buckets = rule.is_some_and(|rule| {
            let is_label = |text: &str| rule.is_label(text, column.date_format());
            let is_open = |text: &&str| !is_label(text) && !release.missing().is(text);
            let open = column.dictionary().iter().filter(is_open);
            column.dictionary().iter().any(is_label) && open.map(str::trim).all(is_star_or_set)
        });
        Ok(Self {
            asked,
            release,
            column,
            twin,
            declared: declared.or(twin.map(|(twin, _)| twin.exact().value_type())),
            leaves: listed.values,
            labels: listed.labels,
            is_masking: matches!(full.taxonomy, Some(Source::Mask(_))),
            shows_buckets,
        })
    }

    /// Which texts are masked, and the column without them; none where every text is a value.
    fn without_masks(&self) -> Result<Option<(Vec<bool>, Column)>, Error> {
        let is_leaf: BTreeSet<&str> = self.leaves.iter().map(String::as_str).collect();
        let is_value = |text: &str| match text.trim() {
            text if self.shows_buckets => Some(!is_star_or_set(text)),
            _ if self.twin.is_some_and(|(twin, _)| twin.exact().code_of(text).is_some()) => {
                Some(true)
            }
            text if is_leaf.contains(text) => Some(true),
            text if self.is_node(text) || self.is_masking && text.contains('*') => Some(false),
            _ => None,
        };
        let declared = self.declared.filter(|_| !self.shows_buckets);
        let is_masked = masked_texts(self.release, self.column, declared, &is_value);
        if !is_masked.contains(&true) {
            return Ok(None);
        }
        let missing = self.release.missing();
        let mut more = self.possible(&is_masked)?;
        more.retain(|text| !missing.is(text));
        let shows = |(text, is_masked): (&str, &bool)| !is_masked && !missing.is(text);
        if more.is_empty() && !self.column.dictionary().iter().zip(&is_masked).any(shows) {
            // Nobody knows a value: one stands for all.
            let any = match self.declared {
                Some(ValueType::Date) => "1970-01-01",
                Some(ValueType::Boolean) => "true",
                _ => "0",
            };
            more.push(any.to_owned());
        }
        let shown =
            without_masked(self.column, &is_masked, more.iter().map(String::as_str), missing);
        Ok(Some((is_masked, shown)))
    }

    /// Whether a text is the label of a node of the taxonomy.
    fn is_node(&self, text: &str) -> bool {
        let nodes = self.twin.map_or(&[][..], |(twin, _)| twin.exact().taxonomy().nodes());
        self.labels.contains(text) || nodes.iter().any(|node| node.label == text)
    }

    /// What masked cells may be, apart from what the column shows.
    fn possible(&self, is_masked: &[bool]) -> Result<Vec<String>, Error> {
        let owned = |texts: &mut dyn Iterator<Item = &str>| texts.map(str::to_owned).collect();
        match (self.twin, self.shows_buckets) {
            (None, true) => return Ok(Vec::new()),
            (Some((twin, _)), true) => {
                let Values::Text(labels) = twin.values() else { return Ok(Vec::new()) };
                return Ok(labels.clone());
            }
            (Some((twin, original)), false) => {
                return Ok(owned(&mut original.column(twin.name())?.dictionary().iter()));
            }
            (None, false) => {}
        }
        let by_goal =
            self.asked.iter().filter(|asked| asked.attribute() == Some(self.column.name()));
        let masks = self.column.dictionary().iter().zip(is_masked).filter(|(_, is)| **is);
        let named = masks.flat_map(|(text, _)| named_values(text));
        let is_listed = |text: &&str| {
            self.leaves.is_empty() || self.leaves.iter().any(|leaf| leaf == text.trim())
        };
        let named = named.chain(by_goal.flat_map(Principle::named_values)).filter(is_listed);
        Ok(owned(&mut self.leaves.iter().map(String::as_str).chain(named)))
    }
}

/// Whether a text is `*` or a set of values.
fn is_star_or_set(text: &str) -> bool {
    text == "*" || text.starts_with('{') && text.ends_with('}')
}
