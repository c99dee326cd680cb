//! Personalized privacy: what must not be guessed of a person is a node of the taxonomy.

use std::collections::BTreeMap;

use kohort_core::{Attribute, Message, Ratio, Values};
use kohort_models::{Distribution, PersonalizedPrivacy as Model};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::Principle;
use crate::Error;
use crate::error::refused;
use crate::goal::Asked;
use crate::goal::declared::{Declaration, Flag, InPlan, Less, Meaning, Number, counted};
use crate::goal::feasible::{Table, rounded_up};
use crate::goal::models::Binding;
use crate::goal::named::{code, index};
use crate::goal::numbers::{number, write};
use crate::goal::spelled::OneOrMore;
use crate::wording::percent;

/// A p and guarding nodes, per value or per row, for one sensitive attribute.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `p`, `attribute` and `guards` or `guard-column`"
)]
#[schemars(rename = "Personalized")]
pub struct PersonalizedPrivacy {
    /// The largest share of a class that may lie under a guarding node.
    #[serde(deserialize_with = "p::read", serialize_with = "write")]
    #[schemars(schema_with = "p::schema")]
    pub p: Ratio,
    /// The sensitive attribute.
    pub attribute: String,
    /// For each value to protect, the node of the taxonomy that must not be guessed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub guards: BTreeMap<String, String>,
    /// Instead, the sensitive column that has the node for each row, empty for none. A level without
    /// an attribute is asked of this column too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_column: Option<String>,
}

number!(p, "p", POSITIVE_SHARE);

impl InPlan for PersonalizedPrivacy {
    const DECLARATION: Declaration = Declaration {
        id: "personalized-privacy",
        sentence: "Values under a person's guarding node in at most a share p of the class.",
        not_promised: "Personalized privacy promises nothing for a row without a guarding node, and nothing \
                       about values outside the node.",
        flag: Flag::AsInPlan {
            value: "TOML",
            help: "Such as '{ p = 0.5, attribute = \"disease\", guards = { HIV = \"infection\" } }'",
        },
    };

    type Level = OneOrMore<Self>;

    /// Guards are given per value or per row.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self::Level>, D::Error> {
        let asked = Self::Level::deserialize(deserializer)?;
        let both_or_none = |one: &&Self| one.guards.is_empty() == one.guard_column.is_none();
        let wrong = asked.iter().find(both_or_none).map(|one| one.guards.is_empty());
        let Some(has_neither) = wrong else { return Ok(Some(asked)) };
        let rule = "`personalized-privacy` must have `guards` or `guard-column`";
        let found = if has_neither { "neither" } else { "both" };
        Err(D::Error::custom(format!("{rule}, but has {found}")))
    }

    fn asked(level: &Self::Level) -> Result<Vec<Self>, Error> {
        Ok(level.iter().cloned().collect())
    }

    fn level(self) -> Self::Level {
        OneOrMore::One(self)
    }
}

/// The codes from the first to the last under a guarding node, if there is one.
type Guard = Option<(u32, u32)>;

/// A guarding node that rows of a table have.
struct Guarding {
    /// As the plan spells it; one of a column is a cell, and has no name.
    name: String,
    /// The rows under it that have it as their guard.
    n_guarded: u64,
    /// The rows under it.
    n_under: u64,
}

impl PersonalizedPrivacy {
    /// For each code of the guard attribute, what lies under its guarding node; and the guard attribute's
    /// index, which is the attribute's own where values have guards.
    fn nodes(
        &self,
        index_of_attribute: usize,
        sensitive: &[&Attribute],
        notes: &mut Vec<Message>,
    ) -> Result<(usize, Vec<Guard>), Error> {
        let attribute = sensitive[index_of_attribute];
        if let Some(column) = &self.guard_column {
            let index = index(column, sensitive)?;
            return Ok((index, guards_of_rows(attribute, sensitive[index])?));
        }
        let mut nodes = vec![None; attribute.n_codes() as usize];
        for (value, label) in &self.guards {
            // The node of a value that does not occur may have no value of the table under it.
            let Some(code) = code(attribute, value, notes) else { continue };
            let under = node(attribute, label).ok_or_else(|| no_node(attribute, label))?;
            nodes[code as usize] = Some(under);
        }
        Ok((index_of_attribute, nodes))
    }

    /// The guarding nodes of the attribute with this index.
    fn guarding(&self, index: usize, sensitive: &[&Attribute]) -> Vec<Guarding> {
        let attribute = sensitive[index];
        // Guards that are no nodes were refused before.
        let Ok((column, nodes)) = self.nodes(index, sensitive, &mut Vec::new()) else {
            return Vec::new();
        };
        let table = Distribution::new(attribute);
        let mut found: BTreeMap<(u32, u32), Guarding> = BTreeMap::new();
        for (guard, value) in sensitive[column].codes().iter().zip(attribute.codes().iter()) {
            let Some((first, last)) = nodes[guard as usize] else { continue };
            let guard = found.entry((first, last)).or_insert_with(|| Guarding {
                name: self.name_of(attribute, (first, last)),
                n_guarded: 0,
                n_under: table.count_between(first, last),
            });
            guard.n_guarded += u64::from((first..=last).contains(&value));
        }
        found.into_values().collect()
    }

    fn name_of(&self, attribute: &Attribute, under: (u32, u32)) -> String {
        if let Some(column) = &self.guard_column {
            return format!("a guard of column `{column}`");
        }
        let is_it = |label: &&String| node(attribute, label) == Some(under);
        let label = self.guards.values().find(is_it).map_or("", String::as_str);
        format!("the guard `{label}`")
    }
}

/// What can be asked of personalized privacy, where it is asked for: for anyone who found no release.
pub(crate) fn nearest_guarded(
    asked: &Asked,
    sensitive: &[&Attribute],
    n_rows: u64,
) -> Option<String> {
    asked.about().iter().find_map(|about| {
        let Principle::PersonalizedPrivacy(one) = about.principle() else { return None };
        let guards = one.guarding(about.index()?, sensitive);
        let largest = guards.iter().map(|guard| guard.n_under).max().unwrap_or(0);
        let (model, p) = (about.model(), rounded_up(Ratio::new(largest, n_rows.max(1))));
        Some(format!(
            "of `{model}` alone p = {p} is feasible in any case, with all rows in one class"
        ))
    })
}

fn no_node(attribute: &Attribute, label: &str) -> Error {
    let name = attribute.name();
    refused(
        format!("the taxonomy of column `{name}` does not have exactly one node `{label}`"),
        "spell it as in the taxonomy; a node must have a value of the table under it",
    )
}

/// What lies under the only node with this label; a value is the node of itself alone.
fn node(attribute: &Attribute, label: &str) -> Guard {
    let mut nodes = attribute.taxonomy().nodes().iter().filter(|node| node.label == label);
    match (nodes.next(), nodes.next()) {
        (Some(node), None) => Some((node.first, node.last)),
        (Some(_), Some(_)) => None,
        (None, _) => attribute.code_of(label).map(|code| (code, code)),
    }
}

fn guards_of_rows(attribute: &Attribute, column: &Attribute) -> Result<Vec<Guard>, Error> {
    let (name, guards) = (attribute.name(), column.name());
    let Values::Text(labels) = column.values() else {
        return Err(refused(
            format!("column `{guards}` is {}, but guards are texts", column.value_type().article()),
            format!("give column `{guards}` the type \"text\" in the plan"),
        ));
    };
    let mut nodes = Vec::with_capacity(column.n_codes() as usize);
    let mut n_unknown = 0;
    for (&rank, &count) in column.value_of_code().iter().zip(column.counts()) {
        // Only the missing value has no label: a row without a guard.
        let label = labels.get(rank as usize);
        let under = label.and_then(|label| node(attribute, label));
        if label.is_some() && under.is_none() {
            n_unknown += u64::from(count);
        }
        nodes.push(under);
    }
    if n_unknown > 0 {
        return Err(refused(
            format!(
                "column `{guards}` has guards that are not exactly one node of the taxonomy of \
                 column `{name}`, in {n_unknown} rows"
            ),
            "spell them as in the taxonomy, and leave them empty for rows without a guard",
        ));
    }
    Ok(nodes)
}

impl Meaning for PersonalizedPrivacy {
    fn attribute(&self) -> Option<&str> {
        Some(&self.attribute)
    }

    fn numbers(&mut self) -> Vec<Number<'_>> {
        vec![Number::exact("p", &mut self.p, Less::UpToOne)]
    }

    fn in_words(&self, numbers: String) -> String {
        match &self.guard_column {
            Some(column) => format!("{numbers}, guards in {column}"),
            None => format!("{numbers}, {} guarded", counted(self.guards.len())),
        }
    }

    fn bind(&self, binding: &mut Binding<'_>) -> Result<(), Error> {
        binding.of_each(|of| {
            let (column, nodes) = self.nodes(of.index, of.sensitive, of.notes)?;
            Ok(Model::new(of.index, self.p, column, nodes)?)
        })
    }

    /// Where rows under a guarding node have that guard, others must stand beside them.
    fn necessary(&self, table: &Table<'_>) -> Result<(), String> {
        let Some(index) = table.about.index() else { return Ok(()) };
        let all = self.guarding(index, table.sensitive);
        let found = all.iter().find(|guard| {
            // Dropped rows are best taken from those that are guarded.
            let kept = guard.n_guarded.saturating_sub(table.droppable);
            kept > 0 && Ratio::new(kept, kept + table.n_rows - guard.n_under) > self.p
        });
        let Some(&Guarding { ref name, n_guarded, n_under }) = found else { return Ok(()) };
        let share = |n: u64| percent(Ratio::new(n, table.n_rows).value());
        let (guarded, others) = (share(n_guarded), share(table.n_rows - n_under));
        let why = format!(
            "{name} is that of {guarded} of the rows, and {others} do not lie under it{}",
            table.dropping()
        );
        Err(table.no(&why))
    }

    fn named_values(&self) -> Option<Vec<&str>> {
        let is_of_values = self.guard_column.is_none();
        is_of_values.then(|| self.guards.keys().map(String::as_str).collect())
    }
}
