//! `kohort diagnose`: what a table already guarantees and what it gives away.

use std::path::{Path, PathBuf};

use kohort::diagnose::{Principle, Question, diagnose, promises_of_goal, text};
use kohort::load::{Loaded, assign_roles, load_table, set_role};
use kohort::plan::{AttributePlan, FullAttribute, Plan, RoleName};
use kohort::sql::{Names, sql};
use kohort::{Ctx, Distance, Table};

use super::{folder, keep_inputs, plan_for, reading, write_text};
use crate::args::{Common, Diagnose, DistanceArg, Reading};
use crate::printer::{Failure, Outcome, Printer, print, usage};
use crate::progress::Bar;

pub(crate) fn run(args: &Diagnose, common: &Common, printer: &Printer) -> Result<Outcome, Failure> {
    let (mut plan, base) = plan(args)?;
    let mut question = question(args, &plan)?;
    if let Some(report) = &args.report {
        let table = plan.input.as_deref().map(|input| base.join(input));
        let given = [Some(args.source.as_str()), args.population.public.as_deref()];
        let given = given.into_iter().flatten().map(Path::new);
        keep_inputs(report, given.chain(table.as_deref()))?;
        question.border_k = Some(question.k.or(plan.goal.k_anonymity).unwrap_or(2));
    }
    let names_all = args.quasi.iter().any(|name| name == "*");
    if args.print_plan && !names_all {
        apply_roles(&mut plan, args, None)?;
        print(&plan.to_toml())?;
        return Ok(Outcome::Done);
    }
    let bar = Bar::new(common);
    let progress = |done, total| bar.report("reading", done, total);
    let Loaded { value: table, notes } = load_table(&plan, &base, &progress)?;
    printer.notes(&notes);
    apply_roles(&mut plan, args, Some(&table))?;
    if args.print_plan {
        print(&plan.to_toml())?;
        return Ok(Outcome::Done);
    }
    let Loaded { value: dataset, notes } = assign_roles(&plan, &base, table)?;
    printer.notes(&notes);
    let goal = promises_of_goal(&plan.goal)?;
    if let Some(dialect) = args.sql {
        let table = stem(plan.input.as_deref().unwrap_or_default());
        let public = args.population.public.as_deref().map(stem);
        let names = Names::new(&dataset, &table, public.as_deref());
        print(&sql(dialect, &names, &question, &goal)?)?;
        return Ok(Outcome::Done);
    }
    let public = public(args, &plan.read)?;
    let budget = args.question.budget;
    let stop = || bar.is_past(budget);
    let progress = |step: &str, done, total| bar.report(step, done, total);
    let ctx = Ctx::new(&stop, &progress);
    let answer = diagnose(&dataset, &question, &goal, public.as_ref(), &ctx)?;
    drop(bar);
    if let Some(report) = &args.report {
        write_text(Path::new(report), &kohort::report::html(&answer))?;
        printer.note(&format!("report written to {report}"));
    }
    printer.data(&answer, || text(&answer))?;
    Ok(if answer.holds == Some(false) { Outcome::No } else { Outcome::Done })
}

/// What a database would call the table of a file: `data/patients.csv.gz` is `patients`.
fn stem(file: &str) -> String {
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.into_owned(),
    }
}

/// The plan, and the folder its paths are relative to.
fn plan(args: &Diagnose) -> Result<(Plan, PathBuf), Failure> {
    let is_plan = Path::new(&args.source).extension().is_some_and(|ext| ext == "toml");
    let (mut plan, base) = if is_plan {
        let text = kohort::read_text(Path::new(&args.source))?;
        let name = Path::new(&args.source).file_name().unwrap_or_default().to_string_lossy();
        (Plan::parse(&name, &text)?, folder(&args.source))
    } else {
        (plan_for(&args.source, &args.reading), PathBuf::new())
    };
    if is_plan {
        let flags = reading(&args.reading);
        let read = &mut plan.read;
        read.separator = flags.separator.or(read.separator);
        read.quote = flags.quote.or(read.quote);
        read.header = flags.header.or(read.header);
        read.encoding = flags.encoding.or(read.encoding.take());
        read.missing = flags.missing.or(read.missing.take());
    }
    for setting in &args.types {
        let (name, text) = split_setting("type", setting)?;
        let value_type = word(text).map_err(|_| {
            usage(
                format!(
                    "`type` of column `{name}` must be integer, decimal, date, boolean or text"
                ),
                format!("write `--type {name}=text`"),
            )
        })?;
        attribute(&mut plan, name).value_type = Some(value_type);
    }
    for setting in &args.taxonomy {
        let (name, text) = split_setting("taxonomy", setting)?;
        let source = taxonomy_source(text).map_err(|problem| {
            usage(
                format!("`taxonomy` of column `{name}`: {problem}"),
                format!("write `--taxonomy {name}=FILE`, `{name}=mask` or `{name}='{{ widths = [5, 10] }}'`"),
            )
        })?;
        attribute(&mut plan, name).taxonomy = Some(source);
    }
    Ok((plan, base))
}

fn split_setting<'a>(flag: &str, setting: &'a str) -> Result<(&'a str, &'a str), Failure> {
    setting.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        usage(
            format!("`{flag}` must be COLUMN=…, but names no column"),
            format!("write `--{flag} age=…`"),
        )
    })
}

/// A word or path, as a plan would have it in quotes.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).map_err(|e| e.to_string())
}

fn taxonomy_source(text: &str) -> Result<kohort::taxonomy::Source, String> {
    if text.starts_with(['{', '[']) {
        let wrapped = format!("[attributes]\nx = {{ role = \"quasi\", taxonomy = {text} }}\n");
        let plan = Plan::parse("--taxonomy", &wrapped).map_err(|error| error.to_string())?;
        let full = plan.attributes.into_values().next().map(|a| a.full().taxonomy);
        full.flatten().ok_or_else(|| "not a taxonomy".into())
    } else {
        word(text)
    }
}

/// What the plan says about a column, to be changed; insensitive when it says nothing.
fn attribute<'a>(plan: &'a mut Plan, name: &str) -> &'a mut FullAttribute {
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

/// Flags that name roles replace the plan's: a question is about the columns it names.
fn apply_roles(plan: &mut Plan, args: &Diagnose, table: Option<&Table>) -> Result<(), Failure> {
    let twice = args.quasi.iter().find(|name| args.sensitive.contains(name));
    if let Some(name) = twice {
        return Err(usage(
            format!("column `{name}` is given two roles: quasi and sensitive"),
            "name it once",
        ));
    }
    let replaced = |role: RoleName| match role {
        RoleName::Quasi => !args.quasi.is_empty(),
        RoleName::Sensitive => !args.sensitive.is_empty(),
        _ => false,
    };
    for attribute in plan.attributes.values_mut() {
        let full = attribute.full();
        if replaced(full.role) {
            *attribute = AttributePlan::Full(FullAttribute { role: RoleName::Insensitive, ..full });
        }
    }
    set_role(plan, &args.sensitive, RoleName::Sensitive);
    let quasi = match table {
        Some(table) if args.quasi.iter().any(|name| name == "*") => {
            let role = |name: &str| plan.attributes.get(name).map(|a| a.full().role);
            let is_open = |name: &str| {
                !matches!(role(name), Some(RoleName::Sensitive | RoleName::Identifier))
            };
            table
                .columns()
                .iter()
                .map(kohort::Column::name)
                .filter(|name| is_open(name))
                .map(str::to_owned)
                .collect()
        }
        _ => args.quasi.clone(),
    };
    set_role(plan, &quasi, RoleName::Quasi);
    Ok(())
}

fn question(args: &Diagnose, plan: &Plan) -> Result<Question, Failure> {
    let asked = &args.question;
    let mut principles = Vec::new();
    principles.extend(asked.distinct_l.map(|l| Principle::DistinctL(l, None)));
    principles.extend(asked.frequency_l.map(|l| Principle::FrequencyL(l, None)));
    principles.extend(asked.entropy_l.map(|l| Principle::EntropyL(l, None)));
    principles.extend(asked.recursive.map(|(c, l)| Principle::Recursive(c, l, None)));
    let distance = match asked.distance {
        DistanceArg::Equal => Distance::Equal,
        DistanceArg::Ordered => Distance::Ordered,
        DistanceArg::Hierarchical => Distance::Hierarchical,
    };
    principles.extend(asked.t.map(|t| Principle::T(t, distance, None)));
    let mut values = Vec::new();
    let sensitive = sensitive_names(args, plan);
    for setting in &asked.values {
        let (name, list) = match (setting.split_once('='), &sensitive[..]) {
            (Some((name, list)), _) => (name.to_owned(), list),
            (None, [only]) => (only.clone(), setting.as_str()),
            (None, _) => {
                return Err(usage(
                    "`values` must name its column when there is not exactly one sensitive one",
                    "write `--values disease=flu,cold`",
                ));
            }
        };
        values.extend(list.split(',').map(|value| (name.clone(), value.to_owned())));
    }
    Ok(Question {
        subsets: asked.subsets,
        k: asked.k,
        suppress: asked.suppress,
        find_suppression: asked.find_suppression,
        principles,
        max_size: asked.max_size,
        sampling_fraction: args.population.sampling_fraction,
        values,
        riskiest: asked.riskiest,
        border_k: None,
    })
}

/// The sensitive columns: those of the flags, or else those of the plan.
fn sensitive_names(args: &Diagnose, plan: &Plan) -> Vec<String> {
    if !args.sensitive.is_empty() {
        return args.sensitive.clone();
    }
    let is_sensitive = |plan: &AttributePlan| plan.full().role == RoleName::Sensitive;
    let sensitive = plan.attributes.iter().filter(|(_, attribute)| is_sensitive(attribute));
    sensitive.map(|(name, _)| name.clone()).collect()
}

fn public(args: &Diagnose, read: &kohort::plan::Reading) -> Result<Option<Table>, Failure> {
    let Some(path) = &args.population.public else { return Ok(None) };
    let missing = Reading { missing: read.missing.clone(), ..Reading::default() };
    let plan = plan_for(path, &missing);
    Ok(Some(load_table(&plan, Path::new(""), &|_, _| {})?.value))
}
