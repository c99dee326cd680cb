//! The roles that flags give to columns.

use std::collections::BTreeSet;

use kohort::load::set_role;
use kohort::plan::{AttributePlan, FullAttribute, Plan, RoleName};
use kohort::{Column, Message, Table, message};

use super::settings::{source, split_setting};
use crate::args::{Columns, list};
use crate::printer::{Failure, usage};

/// Flags that name roles replace the plan's: a question is about the columns it names.
pub(super) fn apply(plan: &mut Plan, args: &Columns, table: &Table) -> Result<(), Failure> {
    apply_to_any(plan, args, &[table])
}

/// The same where any of several tables may have a column. Whether one of them has it is asked later.
pub(super) fn apply_to_any(
    plan: &mut Plan,
    args: &Columns,
    tables: &[&Table],
) -> Result<(), Failure> {
    let quasi = columns("quasi", &args.quasi, tables)?;
    let sensitive = columns("sensitive", &args.sensitive, tables)?;
    let identifier = columns("identifier", &args.identifier, tables)?;
    let insensitive = columns("insensitive", &args.insensitive, tables)?;
    let named = [
        ("quasi", &quasi),
        ("sensitive", &sensitive),
        ("identifier", &identifier),
        ("insensitive", &insensitive),
    ];
    for (at, (first, names)) in named.iter().enumerate() {
        for (second, others) in &named[at + 1..] {
            if let Some(name) = names.iter().find(|name| others.contains(name)) {
                return Err(usage(
                    format!("column `{name}` is given two roles: {first} and {second}"),
                    "name it once",
                ));
            }
        }
    }
    let replaced = |role: RoleName| match role {
        RoleName::Quasi => !quasi.is_empty(),
        RoleName::Sensitive => !sensitive.is_empty(),
        _ => false,
    };
    for attribute in plan.attributes.values_mut() {
        let full = attribute.full();
        if replaced(full.role) {
            *attribute = AttributePlan::Full(FullAttribute { role: RoleName::Insensitive, ..full });
        }
    }
    set_role(plan, &identifier, RoleName::Identifier);
    set_role(plan, &sensitive, RoleName::Sensitive);
    if !sensitive.is_empty() {
        // Nobody asks for buckets and missing cells of columns that are sensitive no more.
        for attribute in plan.attributes.values_mut() {
            let full = attribute.full();
            if full.role == RoleName::Insensitive {
                let plain = FullAttribute { buckets: None, missing: None, ..full };
                *attribute = AttributePlan::Full(plain);
            }
        }
    }
    set_role(plan, &insensitive, RoleName::Insensitive);
    let quasi = if quasi.iter().any(|name| name == "*") {
        let open = tables.iter().flat_map(|table| open_columns(plan, table));
        let mut open: Vec<String> = open.filter(|name| !insensitive.contains(name)).collect();
        let mut seen = BTreeSet::new();
        open.retain(|name| seen.insert(name.clone()));
        open
    } else {
        quasi
    };
    set_role(plan, &quasi, RoleName::Quasi);
    Ok(())
}

/// Forgets what flags say about columns that neither a plan nor a flag gives a role: a weight or a type
/// publishes nothing.
pub(super) fn forget_others(plan: &mut Plan, args: &Columns, table: &Table) -> Result<(), Failure> {
    let planned = source(args)?;
    let named = columns("insensitive", &args.insensitive, &[table])?;
    plan.attributes.retain(|name, attribute| {
        let is_default = attribute.full().role == RoleName::Insensitive;
        !is_default || planned.attributes.contains_key(name) || named.contains(name)
    });
    Ok(())
}

/// Every column that names nobody and is not sensitive.
fn open_columns(plan: &Plan, table: &Table) -> Vec<String> {
    let role = |name: &str| plan.attributes.get(name).map(|attribute| attribute.full().role);
    let is_open =
        |name: &&str| !matches!(role(name), Some(RoleName::Sensitive | RoleName::Identifier));
    table.columns().iter().map(Column::name).filter(is_open).map(str::to_owned).collect()
}

/// The columns that a flag names. A text that is the name of a column is that column, commas and all;
/// any other is a list.
fn columns(flag: &str, texts: &[String], tables: &[&Table]) -> Result<Vec<String>, Failure> {
    let is_column = |name: &str| tables.iter().any(|table| table.column(name).is_ok());
    let mut names = Vec::new();
    for text in texts {
        let whole = [text.as_str(), text.trim()].into_iter().find(|text| is_column(text));
        match whole {
            Some(name) => names.push(name.to_owned()),
            None => names.extend(list(text)),
        }
    }
    for name in names.iter().filter(|name| *name != "*") {
        if name.is_empty() {
            return Err(usage(
                format!("`{flag}` must be names of columns, but one is empty"),
                format!("write `--{flag} age,sex`, and `\\,` for a comma in a name"),
            ));
        }
        if let [table] = tables {
            table.column(name)?;
        }
    }
    Ok(names)
}

/// Notes about types and taxonomies that are set for columns nobody asks about.
pub(super) fn unused_settings(
    plan: &Plan,
    args: &Columns,
    table: &Table,
) -> Result<Vec<Message>, Failure> {
    let mut notes: Vec<Message> = Vec::new();
    for setting in &args.missing_as {
        let (name, _) = split_setting("missing-as", setting)?;
        table.column(name)?;
        let role = plan.attributes.get(name).map(|attribute| attribute.full().role);
        if role != Some(RoleName::Sensitive) {
            notes.push(message!(
                "`--missing-as` of column `{name}` is not used: the column is not sensitive"
            ));
        }
    }
    let given = [("type", &args.types), ("taxonomy", &args.taxonomy), ("buckets", &args.buckets)];
    for (flag, settings) in given {
        for setting in settings {
            let (name, _) = split_setting(flag, setting)?;
            table.column(name)?;
            let role = plan.attributes.get(name).map(|attribute| attribute.full().role);
            if flag == "buckets" && role != Some(RoleName::Sensitive) {
                return Err(usage(
                    format!("column `{name}` has `buckets`, and is not sensitive"),
                    "promises about a sensitive attribute count its buckets; give a quasi-identifier a taxonomy",
                ));
            }
            if !matches!(role, Some(RoleName::Quasi | RoleName::Sensitive)) {
                notes.push(message!(
                    "`--{flag}` of column `{name}` is not used: the column is neither a quasi-identifier nor \
                     sensitive"
                ));
            }
        }
    }
    Ok(notes)
}
