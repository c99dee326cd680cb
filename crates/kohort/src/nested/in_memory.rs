//! Nested records in memory: the text of JSON, or related tables, in and out.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use kohort_core::{Nested, Table};
use kohort_io::{NestedOptions, Related, read_nested_json};
use kohort_nested::NestedForm;

use super::cells::settled;
use super::files::{Content, form_of, is_list};
use super::job::NestedJob;
use super::judge::Files;
use super::release::release;
use super::schema::Schema;
use super::sink::InMemory;
use super::source::joined;
use super::{Described, NestedReceipt};
use crate::error::refused;
use crate::load::{Loaded, options};
use crate::plan::Plan;
use crate::{Cx, Error, Stop};

/// Nested records that a program holds.
#[derive(Clone)]
pub enum Held {
    /// The text of JSON: an array of objects, or an object per line.
    Json(Arc<[u8]>),
    /// Tables that are joined by keys.
    Tables(Vec<Related>),
}

/// A nested release that a program holds. Sensitive values are apart where it is anatomized.
#[derive(Clone, Debug)]
pub struct HeldRelease {
    /// The trees of people.
    pub trees: Held,
    /// The sensitive values of groups.
    pub values: Option<Held>,
}

// Cells must not reach a log by way of `{:?}`.
impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::Json(_)) { "Json(…)" } else { "Tables(…)" })
    }
}

impl Held {
    /// The table of people, and those of a plan by name.
    ///
    /// # Errors
    /// When a table is none of the plan's.
    pub fn of_tables(
        plan: &Plan,
        people: Table,
        tables: BTreeMap<String, Table>,
    ) -> Result<Self, Error> {
        let schema = Schema::new(plan);
        let related = |path: String, table: Table| {
            let (key, foreign_key) = schema.keys_at(&path);
            let has = |name: &String| table.column(name).is_ok();
            let (key, foreign_key) = (key.filter(has), foreign_key.filter(has));
            Related { path, table, key, foreign_key }
        };
        let mut all = vec![related(String::new(), people)];
        for (name, table) in tables {
            if !plan.tables.contains_key(&name) {
                return Err(refused(
                    format!("the plan says nothing about the table `{name}`"),
                    "say in `tables` how it is joined: its `foreign-key`, and what it is `within`",
                ));
            }
            all.push(related(schema.place(&name)?, table));
        }
        Ok(Self::Tables(all))
    }

    /// The tables by the names that a plan has for them; the people have none.
    pub fn tables(&self, plan: &Plan) -> Vec<(String, &Table)> {
        let Self::Tables(tables) = self else { return Vec::new() };
        let schema = Schema::new(plan);
        let name = |path: &str| {
            let is_there = |name: &&String| schema.place(name).is_ok_and(|at| at == path);
            plan.tables.keys().find(is_there).cloned().unwrap_or_default()
        };
        tables.iter().map(|related| (name(&related.path), &related.table)).collect()
    }

    /// The records as an original, which `name` calls.
    ///
    /// # Errors
    /// When the text is no JSON, or keys do not join.
    pub fn records(&self, plan: &Plan, name: &str) -> Result<Loaded<Nested>, Error> {
        match self {
            Self::Json(text) => {
                let records = plan.read.records.clone();
                let missing = options(&plan.read)?.missing;
                let paths = Schema::new(plan).known_paths();
                let asked = NestedOptions { missing, records, paths, ..NestedOptions::default() };
                let read = read_nested_json(name, text, &asked)?;
                Ok(Loaded { value: read.nested, notes: read.notes })
            }
            Self::Tables(tables) => {
                let at = |path: &str| tables.iter().find(|related| related.path == path);
                let own = at("").map(|related| related.table.clone());
                let own = own.ok_or_else(|| refused("there is no table of people", "give one"))?;
                let schema = Schema::new(plan);
                let value = joined(plan, own, |name, _| {
                    let path = schema.place(name)?;
                    Ok(at(&path).map(|related| related.table.clone()))
                })?;
                Ok(Loaded { value, notes: Vec::new() })
            }
        }
    }
}

/// Makes a release of records in memory that keeps the goal of a plan, judges it, and hands it out: related
/// tables, or the text of JSON.
///
/// # Errors
/// As for files: [`Stop::No`] where the goal cannot be reached, [`Stop::Cancelled`], or [`Stop::Error`].
pub fn anonymize_held(
    plan: &Plan,
    described: &Described,
    are_tables: bool,
    cx: &Cx,
) -> Result<(NestedReceipt, HeldRelease), Stop> {
    let job = NestedJob::new(plan, cx.secret()?)?;
    cx.run(plan.method.budget()?, |ctx| {
        release(&job, described, InMemory::new(&job.terms.schema, are_tables), ctx)
    })
}

impl HeldRelease {
    /// Somebody's release, and its form.
    pub(super) fn files(&self, plan: &Plan) -> Result<(Files, NestedForm), Error> {
        let (schema, missing) = (Schema::new(plan), options(&plan.read)?.missing);
        let options = NestedOptions { missing, ..NestedOptions::default() };
        let trees = self.trees.read(&schema, Content::Trees, &options)?;
        let apart = |form| {
            let read = |held: &Held| held.read(&schema, Content::apart(form), &options);
            self.values.as_ref().map(read).transpose()
        };
        let (values, form) = match form_of(&schema, &trees) {
            Some(NestedForm::Generalized) => (None, NestedForm::Generalized),
            Some(form) => {
                let values = apart(form)?.ok_or_else(|| {
                    refused(
                        "the values of the release's groups are not given",
                        "give them beside it",
                    )
                })?;
                (Some(values), form)
            }
            None => match apart(NestedForm::VertexAnatomy)?.filter(is_list) {
                Some(lists) => (Some(lists), NestedForm::VertexAnatomy),
                None => (None, NestedForm::Generalized),
            },
        };
        Ok((settled(&schema.roles, form, trees, values), form))
    }
}
