//! What a goal names in a table: attributes, values and nodes of taxonomies.

use kohort_core::{Attribute, Message, MissingAs, Setting, Values, message};
use kohort_models::Distance;

use super::{Guards, Principle};
use crate::Error;
use crate::error::refused;

/// The codes from the first to the last under a guarding node, if there is one.
pub(super) type Guard = Option<(u32, u32)>;

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

/// The codes of the highly sensitive values: those that are named, and where the low ones are named as well,
/// all that are not among these.
pub(crate) fn high_codes(
    attribute: &Attribute,
    high: &[String],
    low: Option<&[String]>,
    notes: &mut Vec<Message>,
) -> Result<Vec<u32>, Error> {
    let named = codes(attribute, Some(high), notes);
    let Some(low) = low else { return Ok(named) };
    if let Some(both) = high.iter().find(|value| low.contains(value)) {
        return Err(refused(
            format!("`sensitivity-classes` calls `{both}` both high and low"),
            "leave it in one of the two lists",
        ));
    }
    let low = codes(attribute, Some(low), notes);
    let all: Vec<u32> =
        (0..attribute.n_codes()).filter(|code| low.binary_search(code).is_err()).collect();
    let n_more = all.iter().filter(|code| named.binary_search(code).is_err()).count();
    if n_more > 0 {
        let name = attribute.name();
        notes.push(message!(
            "values of column `{name}` that are called neither high nor low, and count as high: {n_more}"
        ));
    }
    Ok(all)
}

fn code(attribute: &Attribute, value: &str, notes: &mut Vec<Message>) -> Option<u32> {
    let code = attribute.code_of(value);
    if code.is_none() {
        // A value of a goal is a parameter, so it may be quoted.
        let name = attribute.name();
        notes.push(message!("the goal names `{value}`, which does not occur in column `{name}`"));
    }
    code
}

/// Whether a level is about chosen values of an attribute of which none occurs.
pub(super) fn names_nothing(principle: &Principle, attribute: &Attribute) -> bool {
    let occurs = |value: &String| attribute.code_of(value).is_some();
    match principle {
        Principle::AlphaK { values: Some(values), .. }
        | Principle::Lkc { values: Some(values), .. }
        | Principle::SensitivityClasses { high: values, low: None, .. } => {
            !values.iter().any(occurs)
        }
        Principle::Personalized { guards: Guards::PerValue(guards), .. } => {
            !guards.keys().any(occurs)
        }
        _ => false,
    }
}

/// For each code of the guard attribute, what lies under its guarding node; and the guard attribute's
/// index, which is the attribute's own where values have guards.
pub(super) fn guards(
    index_of_attribute: usize,
    guards: &Guards,
    sensitive: &[&Attribute],
    notes: &mut Vec<Message>,
) -> Result<(usize, Vec<Guard>), Error> {
    let attribute = sensitive[index_of_attribute];
    match guards {
        Guards::PerValue(guards) => {
            let mut nodes = vec![None; attribute.n_codes() as usize];
            for (value, label) in guards {
                // The node of a value that does not occur may have no value of the table under it.
                let Some(code) = code(attribute, value, notes) else { continue };
                let under = node(attribute, label).ok_or_else(|| no_node(attribute, label))?;
                nodes[code as usize] = Some(under);
            }
            Ok((index_of_attribute, nodes))
        }
        Guards::PerRow(column) => {
            let index = index(column, sensitive)?;
            Ok((index, guards_of_rows(attribute, sensitive[index])?))
        }
    }
}

fn no_node(attribute: &Attribute, label: &str) -> Error {
    let name = attribute.name();
    refused(
        format!("the taxonomy of column `{name}` does not have exactly one node `{label}`"),
        "spell it as in the taxonomy; a node must have a value of the table under it",
    )
}

/// What lies under the only node with this label; a value is the node of itself alone.
pub(super) fn node(attribute: &Attribute, label: &str) -> Guard {
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

/// Refuses what rows without a value cannot hide: a promise that bounds no share of a class.
pub(super) fn can_hide(principle: &Principle, sensitive: &[&Attribute]) -> Result<(), Error> {
    let is_asked = |name: &str| principle.attribute().is_none_or(|asked| asked == name);
    let hides = |attribute: &&&Attribute| {
        attribute.missing_as() == MissingAs::Unprotected && is_asked(attribute.name())
    };
    let Some(hiding) = sensitive.iter().find(hides).filter(|_| principle.needs_values_alone())
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

/// Refuses a distance that the attribute does not have.
pub(super) fn can_measure(distance: Distance, attribute: &Attribute) -> Result<(), Error> {
    let name = attribute.name();
    match distance {
        Distance::Ordered if !attribute.exact().value_type().is_ordered() => Err(refused(
            format!(
                "column `{name}` is {}: its values have no order",
                attribute.value_type().article()
            ),
            "use the distance `equal`, or `hierarchical` with a taxonomy",
        )),
        Distance::Hierarchical if attribute.is_flat() => Err(refused(
            format!("the hierarchical distance needs a taxonomy, and column `{name}` has none"),
            message!(
                "give it one with {}, or use the distance `equal`",
                Setting::Taxonomy.to(format!("{name}=FILE"))
            ),
        )),
        _ => Ok(()),
    }
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
