//! What a goal names in a table: attributes and values.

use kohort_core::{Attribute, Message, MissingAs, Setting, message};

use super::Principle;
use crate::Error;
use crate::error::refused;

/// The sensitive attributes that a level is asked of.
pub(super) fn indices(
    principle: &Principle,
    sensitive: &[&Attribute],
) -> Result<Vec<usize>, Error> {
    match principle.attribute() {
        Some(name) => index(name, sensitive).map(|index| vec![index]),
        None if sensitive.is_empty() => Err(refused(
            format!("`{}` is about a sensitive attribute, and none is named", principle.id()),
            message!("name it with {}", Setting::Sensitive.to("disease")),
        )),
        None => Ok((0..sensitive.len()).collect()),
    }
}

/// The sensitive attribute with this name.
pub(super) fn index(name: &str, sensitive: &[&Attribute]) -> Result<usize, Error> {
    sensitive.iter().position(|attribute| attribute.name() == name).ok_or_else(|| {
        refused(
            format!("the goal names `{name}`, which is not a sensitive attribute"),
            format!("give column `{name}` the role \"sensitive\" in the plan"),
        )
    })
}

/// The codes of values, all of them where none are chosen. A value that does not occur has share 0 in
/// every class, which is noted.
pub(super) fn codes(
    attribute: &Attribute,
    values: Option<&[String]>,
    notes: &mut Vec<Message>,
) -> Vec<u32> {
    let Some(values) = values else { return (0..attribute.n_codes()).collect() };
    let mut codes: Vec<u32> =
        values.iter().filter_map(|value| code(attribute, value, notes)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The code of a value; one that does not occur is noted.
pub(super) fn code(attribute: &Attribute, value: &str, notes: &mut Vec<Message>) -> Option<u32> {
    let code = attribute.code_of(value);
    if code.is_none() {
        // A value of a goal is a parameter, so it may be quoted.
        let name = attribute.name();
        notes.push(message!("the goal names `{value}`, which does not occur in column `{name}`"));
    }
    code
}

/// Refuses what rows without a value cannot hide: a promise that bounds no share of a class.
pub(super) fn can_hide(principle: &Principle, sensitive: &[&Attribute]) -> Result<(), Error> {
    let is_asked = |name: &str| principle.attribute().is_none_or(|asked| asked == name);
    let hides = |attribute: &&&Attribute| {
        attribute.missing_as() == MissingAs::Unprotected && is_asked(attribute.name())
    };
    let Some(hiding) =
        sensitive.iter().find(hides).filter(|_| principle.meaning().needs_values_alone())
    else {
        return Ok(());
    };
    let (id, name) = (principle.id(), hiding.name());
    Err(refused(
        format!(
            "missing cells of column `{name}` are unprotected and hide the others, but `{id}` is about how \
             values are spread: rows without one hide nothing from it"
        ),
        format!(
            "let missing cells of `{name}` be ignored, or ask for a bound on shares, such as \
             frequency l-diversity"
        ),
    ))
}

/// Refuses an attribute whose values have no range.
pub(super) fn is_numeric(attribute: &Attribute, model: &str) -> Result<(), Error> {
    if attribute.buckets().is_some() {
        let name = attribute.name();
        return Err(refused(
            format!("`{model}` is about the numbers of column `{name}`, which has buckets"),
            "leave the buckets out, or ask for l-diversity, which counts them",
        ));
    }
    if attribute.value_type().is_numeric() {
        return Ok(());
    }
    let (name, found) = (attribute.name(), attribute.value_type().article());
    Err(refused(
        format!("column `{name}` is {found}, but `{model}` is about numbers"),
        "ask for l-diversity instead, or give the column the type \"integer\" or \"decimal\"",
    ))
}
