//! Principles of tables for records inside records: promises about the values at vertices that nobody can tell
//! apart. What has no meaning there is refused with the reason.

use std::sync::Arc;

use kohort_core::{Attribute, Domain, Error as CoreError, Kind, Role, Table};
use kohort_models::ClassModel;
use kohort_nested::NestedModel;
use kohort_verify::nested::PathModel;

use super::Described;
use super::goal::missing_undecided;
use crate::Error;
use crate::error::refused;
use crate::goal::{Asked, Principle};

/// A principle for one sensitive path.
#[derive(Clone, Debug)]
pub(crate) struct PathPromise {
    pub(super) path: String,
    pub(super) principle: Principle,
    /// Whether it compares values with those of the whole data.
    pub(super) compares: bool,
}

impl PathPromise {
    /// A principle for a path, if it has a meaning there.
    pub(super) fn new(principle: &Principle, path: &str) -> Result<Self, Error> {
        let principle = principle.of(path);
        // Whether it has one shows on any attribute; whether it fits this one, on the records.
        let compares = match sample(path).and_then(|of| asked(&principle, &of)) {
            Ok(found) => {
                // What is asked of every sensitive attribute is asked of every path.
                let is_of_each = matches!(principle, Principle::PSensitiveKAnonymity(_));
                let model = judges_orbits(&found, is_of_each);
                let model = model.map_err(|why| not_kept(principle.id(), why))?;
                model.compares()
            }
            Err(_) => true,
        };
        Ok(Self { path: path.to_owned(), principle, compares })
    }

    /// The fewest people of a class, where it asks for a number of these as well.
    pub(super) fn k(&self) -> u64 {
        match &self.principle {
            Principle::AlphaKAnonymity(asked) => asked.k,
            Principle::PSensitiveKAnonymity(asked) => asked.k,
            _ => 1,
        }
    }

    /// What the judge is to decide.
    pub(super) fn claim(&self) -> PathModel {
        let principle = self.principle.clone();
        let bind = move |attribute: &Attribute| {
            bound(&principle, attribute).map_err(|error| unfit(&error))
        };
        PathModel {
            path: self.path.clone(),
            id: self.principle.id(),
            parameters: self.principle.parameters(),
            bind: Arc::new(bind),
        }
    }

    /// What makers keep: a model for each kind with this path.
    pub(super) fn models(&self, described: &Described) -> Result<Vec<NestedModel>, Error> {
        let mut models = Vec::new();
        for (kind, of_kind) in described.forest().kinds().iter().enumerate() {
            if let Some(attribute) = of_kind.sensitive.as_ref().filter(|of| of.name() == self.path)
            {
                // Shares are then of the values that are there, and no algorithm makes classes by these.
                if attribute.silent().is_some() {
                    return Err(missing_undecided(&self.path));
                }
                models.push(NestedModel { kind, model: bound(&self.principle, attribute)? });
            }
        }
        Ok(models)
    }
}

fn asked(principle: &Principle, attribute: &Attribute) -> Result<Asked, Error> {
    Asked::new(std::slice::from_ref(principle), &[attribute])
}

fn bound(principle: &Principle, attribute: &Attribute) -> Result<Box<dyn ClassModel>, Error> {
    let model = asked(principle, attribute)?.into_models().pop();
    model.ok_or_else(|| not_kept(principle.id(), OF_NO_CLASS))
}

/// An error of a principle for whoever knows tables alone.
fn unfit(error: &Error) -> CoreError {
    let found = error.to_string();
    Kind::Parameter { name: "goal", found, expected: "what the values of the path allow" }.into()
}

/// Numbers, which every principle but those with a taxonomy can be asked of.
fn sample(path: &str) -> Result<Attribute, Error> {
    let table = Table::from_rows([path], [["1"], ["2"]])?;
    let domain = Domain::new(&table, table.column(path)?, None, &|_| false)?;
    Ok(Attribute::new(&table, path, Role::Sensitive, domain, None)?)
}

const OF_NO_CLASS: &str = "it is about all classes together, or about the people of a population";

/// The one model of a principle, if that judges the values of a class alone; or why not.
fn judges_orbits(asked: &Asked, is_of_each: bool) -> Result<&dyn ClassModel, &'static str> {
    let ([model], [about]) = (asked.models(), asked.about()) else { return Err(OF_NO_CLASS) };
    if model.over_subsets().is_some() {
        return Err("it is about sets of a few columns, and trees have no common columns");
    }
    if about.index().is_none() && !is_of_each {
        return Err("it is not about the values of one sensitive attribute");
    }
    if !model.is_monotone() {
        return Err(
            "classes that look the same are one to a reader, and two that keep it may not keep it as one",
        );
    }
    Ok(&**model)
}

fn not_kept(id: &str, why: &str) -> Error {
    refused(
        format!("`{id}` cannot be promised for nested records: {why}"),
        "what can be: `k-anonymity`, promises about the values of one sensitive attribute, such as \
         `frequency-l-diversity` and `t-closeness`, and `[[rules]]` about values that occur often",
    )
}
