//! What a plan says of the schema of records: the role of each path, and the tables and keys that join them.

use std::collections::BTreeMap;
use std::path::Path;

use kohort_core::nearest;
use kohort_io::NestedFormat;

use crate::Error;
use crate::error::refused;
use crate::error::suggestion;
use crate::job::Roles;
use crate::plan::{Plan, TablePlan};

/// The paths of a plan, and its related tables.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    /// What paths are.
    pub(super) roles: Roles,
    tables: BTreeMap<String, TablePlan>,
    /// Whether `records` may name an element of XML: it may not where the input is JSON.
    pub(super) names_elements: bool,
}

impl Schema {
    /// The schema of a plan.
    pub(super) fn new(plan: &Plan) -> Self {
        let is_json = |input: &str| {
            let format = NestedFormat::of(Path::new(input));
            matches!(format, Ok(NestedFormat::Json(_) | NestedFormat::JsonLines(_)))
        };
        Self {
            roles: Roles::new(plan),
            tables: plan.tables.clone(),
            names_elements: !plan.input.as_deref().is_some_and(is_json),
        }
    }

    /// Whether people have related tables.
    pub(super) fn has_tables(&self) -> bool {
        !self.tables.is_empty()
    }

    /// The paths that the plan names: what an element of XML is where looking would not tell.
    pub(super) fn known_paths(&self) -> Vec<String> {
        self.roles.iter().map(|(path, _)| path.clone()).collect()
    }

    /// The places of all tables but that of the people.
    pub(super) fn places(&self) -> impl Iterator<Item = Result<String, Error>> {
        self.tables.keys().map(|name| self.place(name))
    }

    /// The place of a table: `visits[]`, or `visits[].diagnoses[]` within these.
    pub(super) fn place(&self, name: &str) -> Result<String, Error> {
        let mut path = format!("{}[]", escaped(name));
        let mut at = self.tables.get(name);
        // A chain that is longer than there are tables goes in a circle.
        for _ in 0..=self.tables.len() {
            let Some(within) = at.and_then(|table| table.within.as_deref()) else {
                return Ok(path);
            };
            at = self.tables.get(within);
            if at.is_none() {
                let likely = nearest(within, self.tables.keys().map(String::as_str));
                return Err(refused(
                    format!(
                        "table `{name}` is within `{within}`, and there is none{}",
                        suggestion(likely)
                    ),
                    "`within` names another table of `[tables]`; leave it out for the people",
                ));
            }
            path = format!("{}[].{path}", escaped(within));
        }
        Err(refused(
            format!("table `{name}` is within itself"),
            "`within` names the table whose rows its rows belong to; leave it out for the people",
        ))
    }

    /// The key and the foreign key that the plan names for the table at a place.
    pub(super) fn keys_at(&self, place: &str) -> (Option<String>, Option<String>) {
        if place.is_empty() {
            return (self.roles.key.clone(), None);
        }
        let is_there = |name: &&String| self.place(name).is_ok_and(|found| found == place);
        let table = self.tables.keys().find(is_there).and_then(|name| self.tables.get(name));
        table.map_or((None, None), |table| (table.key.clone(), Some(table.foreign_key.clone())))
    }

    /// Whether a path is that of a key or a foreign key.
    pub(super) fn is_key(&self, path: &str) -> bool {
        let of_table = |place: Result<String, Error>| {
            let Ok(place) = place else { return false };
            let (key, foreign_key) = self.keys_at(&place);
            let mut keys = [key, foreign_key].into_iter().flatten();
            keys.any(|key| format!("{place}.{}", escaped(&key)) == path)
        };
        self.roles.key.as_ref().is_some_and(|key| escaped(key) == path)
            || self.places().any(of_table)
    }
}

/// A name as a step of a path.
fn escaped(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    for character in name.chars() {
        if matches!(character, '.' | '[' | ']' | '\\') {
            path.push('\\');
        }
        path.push(character);
    }
    path
}
