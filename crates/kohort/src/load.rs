//! From a plan to a dataset: the table is read, and the columns get the roles a person gave them.
//!
//! ```
//! use kohort::Table;
//! use kohort::load::assign_roles;
//! use kohort::plan::Plan;
//!
//! let table = Table::from_rows(["name", "age"], [["Ann", "31"], ["Bob", "34"]])?;
//! let plan = Plan::new().identifiers(["name"]).quasi(["age"]);
//! let loaded = assign_roles(&plan, table)?;
//! assert_eq!(loaded.value.quasi().len(), 1);
//! # Ok::<(), kohort::Error>(())
//! ```

use std::path::Path;

use kohort_core::{
    Attribute, Buckets, Column, Command, Dataset, Message, Missing, MissingAs, Role, Setting,
    Table, ValueType, message,
};
use kohort_io::{Encoding, Options, read_table, read_text};

use crate::Error;
use crate::error::refused;
use crate::job::Roles;
pub use crate::plan::set_role;
use crate::plan::{FullAttribute, Input, MissingName, Plan, Reading, RoleName};
use crate::preset::{as_coarser, coarser_table, oldest};
use crate::taxonomy::{self, BucketsPlan, Built, FileText, Source, Texts};

/// A table and what a person may want to know about how it was read.
pub struct Loaded<T> {
    /// What was read.
    pub value: T,
    /// What was decided by looking, or is odd.
    pub notes: Vec<Message>,
}

/// Reads the table of a plan. Paths are relative to its folder.
pub fn load_table(plan: &Plan, progress: &dyn Fn(u64, u64)) -> Result<Loaded<Table>, Error> {
    let input = plan.input.as_ref().ok_or_else(|| {
        refused(
            "no table is named",
            "set `input` in the plan, or name the table on the command line",
        )
    })?;
    read_input(plan, input, progress)
}

/// Reads a table that a plan names: a file, standard input, or rows of a database.
pub(crate) fn read_input(
    plan: &Plan,
    input: &Input,
    progress: &dyn Fn(u64, u64),
) -> Result<Loaded<Table>, Error> {
    let options = options(&plan.read)?;
    let read = if let Some((address, rows)) = input.database(&plan.folder)? {
        let password = input.password.as_ref();
        kohort_db::read(&address, &rows, password, &options.missing, progress)?
    } else {
        let source = if &**input == "-" { "-".to_owned() } else { path_text(&plan.path(&**input)) };
        read_table(&source, &options, progress)?
    };
    Ok(Loaded { value: read.table, notes: read.notes })
}

/// Reads the table of a plan and gives its columns their roles.
pub fn load(plan: &Plan, progress: &dyn Fn(u64, u64)) -> Result<Loaded<Dataset>, Error> {
    let Loaded { value: table, notes } = load_table(plan, progress)?;
    let mut loaded = assign_roles(plan, table)?;
    loaded.notes.splice(0..0, notes);
    Ok(loaded)
}

/// The table that says where the quantiles of its columns lie.
#[derive(Clone, Copy)]
pub(crate) enum Quantiles<'a> {
    /// The table itself: it is the original.
    Own,
    /// The original, which a release or a part of a table was made from, where it is there.
    Of(Option<&'a Dataset>),
}

/// Gives the columns of an original the roles of a plan. Quasi-identifiers come in the order of their
/// names, so that the order of columns changes nothing.
pub fn assign_roles(plan: &Plan, table: Table) -> Result<Loaded<Dataset>, Error> {
    assign_roles_by(&Roles::new(plan), table, Quantiles::Own)
}

/// Gives the columns of a table the roles of a plan.
pub(crate) fn assign_roles_by(
    roles: &Roles,
    table: Table,
    quantiles: Quantiles<'_>,
) -> Result<Loaded<Dataset>, Error> {
    let (table, mut notes) = match quantiles {
        Quantiles::Own => coarser_table(roles, table),
        Quantiles::Of(_) => (table, Vec::new()),
    };
    let mut attributes = Vec::new();
    for (name, full) in roles.iter() {
        kohort_core::alive();
        let column = table.column(name)?;
        let full = as_coarser(roles, full, column);
        let role = Role::from(full.role);
        check_sensitive(name, &full)?;
        if !matches!(role, Role::Quasi | Role::Sensitive) {
            continue;
        }
        if let Some(shown) = showing_labels((roles, &full), &table, column, quantiles)? {
            attributes.push(shown);
            continue;
        }
        let value_type: Option<ValueType> = full.value_type.map(Into::into);
        let (built, place) = build(roles, &full, (&table, column), value_type)?;
        notes.extend(built.warnings.iter().map(|warning| message!("{place}{warning}")));
        let attribute = Attribute::new(&table, name, role, built.domain, built.taxonomy)?;
        let attribute = with_bounds(roles, attribute);
        let attribute = in_buckets(attribute, (roles, &full), &table, quantiles)?;
        attributes.push(match role {
            Role::Sensitive => attribute.with_missing_as(missing_as(&full)),
            _ => attribute,
        });
    }
    Ok(Loaded { value: Dataset::new(table, attributes)?, notes })
}

/// The attribute, whose ranges have the bounds that a plan asks for.
pub(crate) fn with_bounds(roles: &Roles, attribute: Attribute) -> Attribute {
    if attribute.role() == Role::Quasi && roles.rounds_bounds {
        let rounded = attribute.with_rounded_bounds();
        return match oldest(roles, &rounded) {
            Some(age) => rounded.with_largest_bound(age),
            None => rounded,
        };
    }
    attribute
}

/// Refuses buckets, and a reading of missing cells, of a column that is not sensitive.
pub(crate) fn check_sensitive(name: &str, full: &FullAttribute) -> Result<(), Error> {
    if full.role == RoleName::Sensitive {
        return Ok(());
    }
    if full.buckets.is_some() {
        return Err(refused(
            format!("column `{name}` has `buckets`, and is not sensitive"),
            "buckets are what promises about a sensitive attribute count: leave them out, or give a \
             quasi-identifier a taxonomy",
        ));
    }
    if full.missing.is_some() {
        return Err(refused(
            format!("column `{name}` says what a missing cell is, and is not sensitive"),
            "`missing` is for sensitive columns: leave it out",
        ));
    }
    Ok(())
}

/// The attribute in the buckets that a plan gives it, if it does.
pub(crate) fn in_buckets(
    attribute: Attribute,
    (roles, full): (&Roles, &FullAttribute),
    table: &Table,
    quantiles: Quantiles<'_>,
) -> Result<Attribute, Error> {
    let Some(asked) = &full.buckets else { return Ok(attribute) };
    let (name, value_type) = (attribute.name(), attribute.value_type());
    if asked.is_for_numbers() && !value_type.is_numeric() {
        return Err(refused(
            format!(
                "buckets of column `{name}` are for numbers, but it is {}",
                value_type.article()
            ),
            "give the column a taxonomy and say `buckets = { level = 1 }`",
        ));
    }
    let rule = match (asked, quantiles) {
        (BucketsPlan::Quantiles(n), Quantiles::Own) => {
            let cuts = taxonomy::cut(&attribute, *n);
            cuts.and_then(|cuts| cuts.of_numbers()).ok_or_else(|| {
                refused(
                    format!("column `{name}` has no quantiles: nearly all of its numbers are one"),
                    "say where buckets start with `cuts`",
                )
            })?
        }
        (BucketsPlan::Quantiles(_), Quantiles::Of(original)) => of_original(name, original)?,
        _ => rule(name, (roles, full), value_type)?,
    };
    Ok(attribute.in_buckets(table, rule)?)
}

/// The buckets that a plan gives an attribute of this type, which do not depend on its table.
pub(crate) fn rule(
    name: &str,
    (roles, full): (&Roles, &FullAttribute),
    value_type: ValueType,
) -> Result<Buckets, Error> {
    let asked = full.buckets.as_ref();
    if let Some(BucketsPlan::Level(level)) = asked {
        let source = full.taxonomy.clone().unwrap_or(Source::Flat);
        let text = read_taxonomy(roles, &source)?;
        let file = text.as_ref().map(|(name, text)| FileText { name, text });
        return taxonomy::of_level(*level, (&source, file), (name, value_type));
    }
    match asked.and_then(BucketsPlan::of_numbers) {
        Some(rule) => Ok(rule),
        None => of_original(name, None),
    }
}

/// The attribute of a release that shows the labels of its buckets in the place of values.
fn showing_labels(
    (roles, full): (&Roles, &FullAttribute),
    table: &Table,
    column: &Column,
    quantiles: Quantiles<'_>,
) -> Result<Option<Attribute>, Error> {
    let Quantiles::Of(original) = quantiles else { return Ok(None) };
    let Some(rule) = released_buckets((roles, full), column.name(), original) else {
        return Ok(None);
    };
    let mut texts = column.dictionary().iter().filter(|text| !table.missing().is(text)).peekable();
    let is_label = |text: &str| rule.is_label(text, column.date_format());
    if texts.peek().is_none() || !texts.all(is_label) {
        return Ok(None);
    }
    let domain = kohort_core::Domain::new(table, column, Some(ValueType::Text), &|_| false)?;
    let attribute = Attribute::new(table, column.name(), Role::Sensitive, domain, None)?;
    let attribute = attribute.in_buckets(table, rule.of_labels())?;
    Ok(Some(attribute.with_missing_as(missing_as(full))))
}

/// The buckets of a sensitive column of a release, where their labels can be told from values.
pub(crate) fn released_buckets(
    (roles, full): (&Roles, &FullAttribute),
    name: &str,
    original: Option<&Dataset>,
) -> Option<Buckets> {
    if full.buckets.is_none() || full.role != RoleName::Sensitive {
        return None;
    }
    let is_date = matches!(full.taxonomy, Some(Source::Calendar(_)));
    let found = if is_date { ValueType::Date } else { ValueType::Integer };
    let declared = || rule(name, (roles, full), full.value_type.map_or(found, Into::into));
    of_original(name, original).or_else(|_| declared()).ok()
}

/// The buckets of the original: quantiles of a release are not those of the table it was made from.
fn of_original(name: &str, original: Option<&Dataset>) -> Result<Buckets, Error> {
    let attributes = original.into_iter().flat_map(Dataset::sensitive);
    let mut found = attributes.filter(|attribute| attribute.name() == name);
    let found = found.find_map(|attribute| attribute.buckets().cloned());
    found.ok_or_else(|| {
        refused(
            format!("`quantiles` of column `{name}` are those of the original, which is not there"),
            "give the original, or say in the plan where buckets start with `cuts`: the receipt of a \
             release names them",
        )
    })
}

/// The text of the file that a taxonomy comes from, with its name.
fn read_taxonomy(roles: &Roles, source: &Source) -> Result<Option<(String, String)>, Error> {
    let Some(file) = source.file() else { return Ok(None) };
    Ok(Some((file.path.clone(), read_text(&roles.path(&file.path))?)))
}

/// Refuses a table with sensitive cells that are `*`: nobody can tell whether they are a value.
pub(crate) fn refuse_stars(dataset: &Dataset) -> Result<(), Error> {
    let has_star = |attribute: &&&Attribute| {
        let code = attribute.exact().code_of("*");
        // Where a taxonomy lists it, it is a value.
        attribute.exact().is_flat() && code.is_some() && code != attribute.exact().missing()
    };
    let sensitive = dataset.sensitive();
    match sensitive.iter().find(has_star) {
        Some(starred) => Err(starred_cells(starred.name())),
        None => Ok(()),
    }
}

/// A sensitive column has cells that are `*`.
pub(crate) fn starred_cells(name: &str) -> Error {
    refused(
        format!(
            "sensitive column `{name}` has cells `*`: in a release that is a value that was hidden"
        ),
        message!(
            "say {} if these values are not known, or write the value as another text; a release is judged \
             by {}",
            Setting::Missing.to("'*'"),
            Command::Verify
        ),
    )
}

/// What a missing cell of a sensitive column says, by its plan.
pub(crate) fn missing_as(full: &FullAttribute) -> MissingAs {
    full.missing.map_or(MissingAs::Ignored, Into::into)
}

/// Refuses missing cells of a sensitive column of a series, unless they are values.
pub(crate) fn missing_in_series(table: &Table, name: &str, roles: &Roles) -> Result<(), Error> {
    let full = roles.get(name);
    let mut texts = table.column(name)?.dictionary().iter();
    let is_value = full.and_then(|full| full.missing) == Some(MissingName::Value);
    if is_value || !texts.any(|text| table.missing().is(text)) {
        return Ok(());
    }
    Err(refused(
        format!(
            "column `{name}` of {} has missing cells, and a series can only count them as a value",
            table.name()
        ),
        format!(
            "say `missing = \"value\"` of `{name}` in the plan's `[attributes]` if it may be \
             known who has none, or leave these rows out"
        ),
    ))
}

/// Builds the taxonomy that a plan gives a column, and says where it comes from.
pub(crate) fn build(
    roles: &Roles,
    full: &FullAttribute,
    (table, column): (&Table, &Column),
    value_type: Option<ValueType>,
) -> Result<(Built, String), Error> {
    let is_exact = roles.is_exact
        && Role::from(full.role) == Role::Quasi
        && value_type.unwrap_or(column.value_type()).is_ordered();
    let source = full.taxonomy.clone().filter(|_| !is_exact).unwrap_or(Source::Flat);
    let text = read_taxonomy(roles, &source)?;
    let file = text.as_ref().map(|(name, text)| FileText { name, text });
    let built = taxonomy::build(&source, file, table, column, value_type)?;
    let place = match &text {
        Some((file, _)) => format!("{file}, "),
        None => format!("taxonomy of column `{}`: ", column.name()),
    };
    Ok((built, place))
}

/// The texts that the taxonomy of a column lists, where it does.
pub(crate) fn listed(roles: &Roles, full: &FullAttribute) -> Result<Option<Texts>, Error> {
    let Some(source) = &full.taxonomy else { return Ok(None) };
    let text = read_taxonomy(roles, source)?;
    let file = text.as_ref().map(|(name, text)| FileText { name, text });
    taxonomy::texts(source, file)
}

/// A note about the columns that a plan gives no role, if there are any, and what becomes of them. A key names
/// people, role or not.
pub fn without_role(plan: &Plan, table: &Table, fate: &str) -> Option<Message> {
    const SHOWN: usize = 10;
    let keys = [&plan.key, &plan.series.key].map(Option::as_deref);
    let has_none =
        |name: &&str| !plan.attributes.contains_key(*name) && !keys.contains(&Some(*name));
    let names: Vec<&str> = table.columns().iter().map(Column::name).filter(has_none).collect();
    let shown = &names[..names.len().min(SHOWN)];
    let more = match names.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let listed = shown.join("`, `");
    let note = message!("columns without a role are {fate}: `{listed}`{more}");
    (!names.is_empty()).then_some(note)
}

/// How the reader is told what a plan says about reading.
pub fn options(reading: &Reading) -> Result<Options, Error> {
    let byte = |name: &'static str, found: Option<char>| match found.map(|c| (c, u8::try_from(c))) {
        None => Ok(None),
        Some((_, Ok(byte))) if byte.is_ascii() => Ok(Some(byte)),
        Some((c, _)) => {
            let (found, expected) = (format!("`{c}`"), "one ASCII character");
            Err(kohort_core::Error::new(kohort_core::Kind::Parameter { name, found, expected }))
        }
    };
    let encoding = match reading.encoding.as_deref() {
        None => None,
        Some(id) => Some(Encoding::from_id(id).ok_or_else(|| {
            kohort_core::Error::new(kohort_core::Kind::Parameter {
                name: "encoding",
                found: format!("`{id}`"),
                expected: "utf-8, utf-16le, utf-16be or windows-1252",
            })
        })?),
    };
    Ok(Options {
        separator: byte("separator", reading.separator)?,
        quote: byte("quote", reading.quote)?,
        header: reading.header,
        encoding,
        skip_lines: reading.skip_lines.unwrap_or(0),
        unpacked_limit: reading.unpacked_limit.map(|mib| mib.saturating_mul(1 << 20)),
        missing: reading.missing.clone().map_or_else(Missing::default, Missing::new),
        strict: false,
    })
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
