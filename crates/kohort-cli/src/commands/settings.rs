//! The plan that a file and the flags amount to.

use std::path::Path;
use std::time::Duration;

use kohort::plan::{
    self, AttributePlan, FullAttribute, Goal, Input, MissingName, Plan, RoleName, TablePlan,
    TypeName,
};

use kohort::taxonomy::{FileSource, Source};

use super::anonymize::word;
use super::{plan_for, reading};
use crate::args::{Columns, Levels, RelatedTables};
use crate::printer::{Failure, usage};

/// Whether a source is a plan and not a table.
pub(super) fn is_plan(source: &str) -> bool {
    Path::new(source).extension().is_some_and(|extension| extension == "toml")
}

/// The plan that the source is or amounts to.
pub(super) fn source(args: &Columns) -> Result<Plan, Failure> {
    if !is_plan(&args.source) {
        return Ok(plan_for(&args.source, &args.reading));
    }
    let mut plan = Plan::open(Path::new(&args.source))?;
    plan.read = reading(&args.reading).or(&plan.read);
    if let Some(input) = &mut plan.input {
        args.reading.name_rows(input);
    }
    Ok(plan)
}

/// The plan with what flags say about types and taxonomies.
pub(super) fn plan(args: &Columns) -> Result<Plan, Failure> {
    let mut plan = source(args)?;
    describe(&mut plan, &args.types, &args.taxonomy, &args.buckets)?;
    plan.preset = word("preset", args.preset.as_deref())?.or(plan.preset);
    read_missing(&mut plan, &args.missing_as)?;
    add_tables(&mut plan, &args.related)?;
    Ok(plan)
}

/// Adds the tables that flags name.
pub(super) fn add_tables(plan: &mut Plan, related: &RelatedTables) -> Result<(), Failure> {
    plan.key = related.key.clone().or(plan.key.take());
    plan.unit = related.unit()?.or(plan.unit);
    for setting in &related.tables {
        let is_toml = |(_, text): &(&str, &str)| text.trim_start().starts_with('{');
        let Some((name, text)) = setting.split_once('=').filter(is_toml) else {
            let (name, mut table) = bare_table(setting, plan.key.as_deref())?;
            table.input = table.input.map(|input| input_from_here(input, &plan.folder));
            plan.tables.insert(name, table);
            continue;
        };
        let key = serde_json::Value::from(name.trim());
        let read = Plan::parse("--tables", &format!("[tables]\n{key} = {text}\n"));
        for (name, mut table) in written("tables", read)?.tables {
            table.input = table.input.map(|input| input_from_here(input, &plan.folder));
            plan.tables.insert(name, table);
        }
    }
    Ok(())
}

/// A table that is named by its file, `visits.csv` or `stays=visits.csv`: its rows name people in a column
/// that is called as their key is.
fn bare_table(setting: &str, key: Option<&str>) -> Result<(String, TablePlan), Failure> {
    let (name, input) = if let Some((name, input)) = setting.split_once('=') {
        (name.trim(), input.trim())
    } else {
        let file = Path::new(setting).file_name().unwrap_or_default();
        (file.to_str().and_then(|file| file.split('.').next()).unwrap_or_default(), setting)
    };
    let (Some(key), false) = (key, name.is_empty() || input.is_empty()) else {
        return Err(usage(
            format!("`tables` names `{setting}`, but not the column that identifies people in it"),
            "say `--key COLUMN` if both tables have it, or `--tables 'visits={ input = \
             \"visits.csv\", foreign-key = \"patient\" }'`",
        ));
    };
    let (input, foreign_key) = (Some(input.into()), key.to_owned());
    Ok((name.to_owned(), TablePlan { input, foreign_key, key: None, within: None }))
}

/// What a flag says that is written as in a plan.
pub(super) fn written(flag: &str, read: Result<Plan, kohort::Error>) -> Result<Plan, Failure> {
    read.map_err(|error| match error.kind() {
        kohort::Kind::Plan { problem, .. } => usage(
            format!("`{flag}`: {problem}"),
            format!("see `kohort anonymize --help` for an example of `--{flag}`"),
        ),
        _ => error.into(),
    })
}

/// The time that a search may take.
pub(super) fn budget(plan: &Plan) -> Result<Option<Duration>, Failure> {
    let budget = plan.method.budget.as_deref().map(plan::duration).transpose();
    budget.map_err(|problem| usage(format!("`budget`: {problem}"), "such as `10s`"))
}

/// A path that a flag names is looked for from here, not from the plan's folder.
pub(super) fn path_from_here(path: String, folder: &Path) -> String {
    if folder.as_os_str().is_empty() {
        return path;
    }
    std::path::absolute(&path).map_or(path, |found| found.to_string_lossy().into_owned())
}

/// The same for an input.
pub(super) fn input_from_here(input: Input, folder: &Path) -> Input {
    input.with_path(|path| path_from_here(path.to_owned(), folder))
}

/// Puts what flags say about types and taxonomies into a plan.
pub(super) fn describe(
    plan: &mut Plan,
    types: &[String],
    taxonomies: &[String],
    buckets: &[String],
) -> Result<(), Failure> {
    for setting in types {
        let (name, text) = split_setting("type", setting)?;
        let value_type: TypeName = text.parse().map_err(|problem| {
            usage(
                format!("`type` of column `{name}` {problem}"),
                format!(
                    "write `--type {name}=TYPE` with integer, decimal, date, boolean or text for TYPE"
                ),
            )
        })?;
        attribute(plan, name).value_type = Some(value_type);
    }
    for setting in taxonomies {
        let (name, text) = split_setting("taxonomy", setting)?;
        let source = plan::taxonomy(text).map_err(|problem| {
            usage(
                format!("`taxonomy` of column `{name}`: {problem}"),
                format!(
                    "write `--taxonomy {name}=FILE`, `--taxonomy {name}=mask` or \
                     `--taxonomy '{name}={{ widths = [5, 10] }}'`"
                ),
            )
        })?;
        let source = from_here(source, plan);
        attribute(plan, name).taxonomy = Some(source);
    }
    for setting in buckets {
        let (name, text) = split_setting("buckets", setting)?;
        let buckets = plan::buckets(text).map_err(|problem| {
            usage(
                format!("`buckets` of column `{name}`: {problem}"),
                format!("write `--buckets '{name}={{ widths = 1000 }}'`"),
            )
        })?;
        attribute(plan, name).buckets = Some(buckets);
    }
    Ok(())
}

/// Puts what flags say about missing cells into a plan.
pub(super) fn read_missing(plan: &mut Plan, settings: &[String]) -> Result<(), Failure> {
    for setting in settings {
        let (name, text) = split_setting("missing-as", setting)?;
        let missing: MissingName = text.parse().map_err(|problem| {
            usage(
                format!("`missing` of column `{name}` {problem}"),
                format!(
                    "write `--missing-as {name}=ignored`, `{name}=value` or `{name}=unprotected`"
                ),
            )
        })?;
        attribute(plan, name).missing = Some(missing);
    }
    Ok(())
}

/// The same for the file of a taxonomy.
fn from_here(source: Source, plan: &Plan) -> Source {
    match source {
        Source::File(file) => {
            Source::File(FileSource { path: path_from_here(file.path, &plan.folder), ..file })
        }
        other => other,
    }
}

/// The column of a setting, and what is set.
pub(super) fn split_setting<'a>(
    flag: &str,
    setting: &'a str,
) -> Result<(&'a str, &'a str), Failure> {
    let parts = setting.split_once('=').map(|(name, text)| (name.trim(), text.trim()));
    parts.filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        usage(
            format!("`{flag}` must be COLUMN=…, but names no column"),
            format!("write `--{flag} age=…`"),
        )
    })
}

/// What the plan says about a column, to be changed; insensitive when it says nothing.
pub(super) fn attribute<'a>(plan: &'a mut Plan, name: &str) -> &'a mut FullAttribute {
    let entry = plan
        .attributes
        .entry(name.to_owned())
        .or_insert(AttributePlan::Role(RoleName::Insensitive));
    *entry = AttributePlan::Full(entry.full());
    match entry {
        AttributePlan::Full(full) => full,
        AttributePlan::Role(_) => unreachable!("it was made full above"),
    }
}

/// Puts the levels that flags ask for into a goal.
pub(super) fn add_levels(goal: &mut Goal, levels: &Levels) {
    for (_, asked) in levels.asked() {
        goal.take_from(asked.into());
    }
}

/// The plan as TOML; a level outside its range makes no plan.
pub(super) fn printed(plan: &Plan) -> Result<String, Failure> {
    let text = plan.to_toml();
    match Plan::parse("the plan", &text) {
        Ok(_) => Ok(text),
        Err(error) => match error.kind() {
            kohort::Kind::Plan { problem, .. } => {
                Err(usage(problem, "ask for a level that a plan can hold"))
            }
            _ => Err(error.into()),
        },
    }
}
