//! Paths: where in the schema of nested records a member stands.
//!
//! # Grammar
//! A path is a list of names set apart by `.`; `[]` after a name stands for the items of an array:
//! `visits[].doctor.name`, `matrix[][]`. The people have the empty path. A `.`, `[`, `]` or `\` that
//! belongs to a name has a `\` before it: `lab\.result`.

use std::borrow::Cow;

use super::read_xml::TEXT;
use super::xml_names::is_name;

/// The path of a member of the objects at a path.
pub(super) fn member(of: &str, name: &str) -> String {
    let dot = if of.is_empty() { "" } else { "." };
    format!("{of}{dot}{}", escape(name))
}

/// The path of the items of an array at a path.
pub(super) fn items(of: &str) -> String {
    format!("{of}[]")
}

fn is_special(c: char) -> bool {
    matches!(c, '.' | '[' | ']' | '\\')
}

fn escape(name: &str) -> Cow<'_, str> {
    if !name.contains(is_special) {
        return Cow::Borrowed(name);
    }
    let mut escaped = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if is_special(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Cow::Owned(escaped)
}

/// The last step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A member of this name.
    Member(String),
    /// The items of an array that is a member of this name.
    MemberItems(String),
    /// The items of an array that is an item itself.
    Items,
}

impl Step {
    /// The name of the member, if it has one.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Member(name) | Self::MemberItems(name) => Some(name),
            Self::Items => None,
        }
    }
}

/// The last step of a path and what stands before it; none for the people and for what is no path.
pub(super) fn split(path: &str) -> Option<(&str, Step)> {
    if let Some(array) = path.strip_suffix("[]").filter(|rest| !ends_escaped(rest)) {
        if array.ends_with("[]") && !ends_escaped(&array[..array.len() - 2]) {
            return Some((array, Step::Items));
        }
        let (before, name) = split_name(array)?;
        return Some((before, Step::MemberItems(name)));
    }
    let (before, name) = split_name(path)?;
    Some((before, Step::Member(name)))
}

/// Whether what stands at a path is read at the same path from XML: every object on the way is an item of
/// an array, and every name is one of XML's.
pub fn is_xml_path(path: &str) -> bool {
    let Some((above, step)) = split(path) else { return false };
    let is_place = above.is_empty() || matches!(split(above), Some((_, Step::MemberItems(_))));
    let is_special = |name: &str| name == TEXT || name.strip_prefix('@').is_some_and(is_name);
    let fits = match &step {
        Step::Member(name) => is_name(name) || is_special(name),
        Step::MemberItems(name) => is_name(name),
        Step::Items => false,
    };
    fits && is_place && (above.is_empty() || is_xml_path(above))
}

/// Whether a text ends with an odd number of backslashes, so that what follows belongs to a name.
fn ends_escaped(text: &str) -> bool {
    text.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

fn split_name(path: &str) -> Option<(&str, String)> {
    let dot = path.rmatch_indices('.').map(|(at, _)| at).find(|&at| !ends_escaped(&path[..at]));
    let (before, escaped) = dot.map_or(("", path), |at| (&path[..at], &path[at + 1..]));
    let mut name = String::with_capacity(escaped.len());
    let mut chars = escaped.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => name.push(chars.next()?),
            c if is_special(c) => return None,
            c => name.push(c),
        }
    }
    (!name.is_empty() && (dot.is_none() || !before.is_empty())).then_some((before, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, above: &str, step: &Step) {
        assert_eq!(split(path).unwrap(), (above, step.clone()), "{path}");
    }

    #[test]
    fn the_last_step_is_split_off() {
        check("age", "", &Step::Member("age".into()));
        check("visits[]", "", &Step::MemberItems("visits".into()));
        check("visits[].doctor", "visits[]", &Step::Member("doctor".into()));
        check("a.b[]", "a", &Step::MemberItems("b".into()));
        check("matrix[][]", "matrix[]", &Step::Items);
        for nothing in ["", "[]", ".", "a.", ".a", "a[", "a]b", "a\\"] {
            assert_eq!(split(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn xml_has_no_objects_that_are_no_items_and_no_names_with_spaces() {
        for path in ["age", "@id", "#text", "visits[].dx", "visits[].@id", "allergies[]", "a[].b[]"]
        {
            assert!(is_xml_path(path), "{path}");
        }
        for path in ["doctor.city", "a[].doctor.city", "m[][]", "first name", "a b[].c", "@a[]", ""]
        {
            assert!(!is_xml_path(path), "{path}");
        }
    }

    #[test]
    fn a_name_with_signs_comes_back() {
        for name in ["a.b", "[]", "a[]", "\\", "a\\[]", "..", "x.y[].z"] {
            let path = member("visits[]", name);
            check(&path, "visits[]", &Step::Member(name.to_owned()));
            check(&items(&path), "visits[]", &Step::MemberItems(name.to_owned()));
        }
    }
}
