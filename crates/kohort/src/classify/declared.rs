//! Proposals where a database says something about the columns, too.
//!
//! # Method
//! 1. A security label of PostgreSQL Anonymizer counts first: `INDIRECT IDENTIFIER` is a quasi-identifier. A
//!    column that is masked by generalization or noise is one, too; any other mask hides the value from everybody,
//!    and the column is dropped like an identifier. `NOT MASKED` says nothing.
//! 2. Then a comment that names a role: a role alone, or after `kohort:` or `role:`.
//! 3. Then the words of a comment, where those of the header say nothing.
//! 4. Where a declaration would show more than the values suggest (anything of an identifier; an insensitive
//!    column of a quasi-identifier or sensitive one), the column is left out until a person decides.
//!
//! A reason quotes a word of a vocabulary or the name of a masking function, and nothing else of a comment or
//! label.

use kohort_core::{Role, Table};
use kohort_db::Declared;

use super::words::{self, Topic, topic};
use super::{Look, Proposal, with_buckets};

/// Roles as people write them in comments, in words; the longest first.
const ROLES: &[(&[&str], Role)] = &[
    (&["quasi", "identifier"], Role::Quasi),
    (&["indirect", "identifier"], Role::Quasi),
    (&["direct", "identifier"], Role::Identifier),
    (&["quasi"], Role::Quasi),
    (&["identifier"], Role::Identifier),
    (&["sensitive"], Role::Sensitive),
    (&["insensitive"], Role::Insensitive),
];

/// Proposes a role for each column, in file order, with what a database declares about them.
pub fn propose_declared(table: &Table, declared: &[Declared]) -> Vec<Proposal> {
    let of = |column: &kohort_core::Column| {
        let found = declared.iter().find(|one| one.column == column.name());
        let mut look = Look::new(table, column, topic(column.name()), true);
        let Some(found) = found else { return with_buckets(look.propose(), table, column) };
        if look.topic.is_none()
            && let Some(said) = of_comment(found)
        {
            (look.topic, look.says) = (Some(said), "the comment of the column");
        }
        let proposal = match role(found) {
            None => look.propose(),
            Some((role, why)) => decided(&look, role, why),
        };
        with_buckets(proposal, table, column)
    };
    table.columns().iter().map(of).collect()
}

/// The proposal of a declared role, unless the values tell of more than it protects.
fn decided(look: &Look<'_>, role: Role, why: String) -> Proposal {
    let Some((seen, reason)) = look.place() else { return look.proposal(Some((role, why))) };
    let shows_more = match role {
        Role::Identifier => false,
        Role::Insensitive => seen != Role::Insensitive,
        Role::Quasi | Role::Sensitive => seen == Role::Identifier,
    };
    if !shows_more {
        return look.proposal(Some((role, why)));
    }
    let proposal = look.proposal(Some((role, why.clone())));
    let reason = format!("{why}; but {reason}");
    Proposal { role: None, likely: role, reason, taxonomy: None, ..proposal }
}

/// The role that is declared, and where.
fn role(declared: &Declared) -> Option<(Role, String)> {
    let labels = declared.labels.iter();
    labels.rev().find_map(|label| of_label(label)).or_else(|| {
        let role = named(declared.comment.as_ref()?)?;
        Some((role, format!("the comment of the column says `{role}`")))
    })
}

/// What a label of PostgreSQL Anonymizer says of a column.
fn of_label(label: &str) -> Option<(Role, String)> {
    let upper = label.trim().to_ascii_uppercase();
    if ["INDIRECT IDENTIFIER", "QUASI IDENTIFIER"].contains(&upper.as_str()) {
        let why = "a label of PostgreSQL Anonymizer calls it an indirect identifier";
        return Some((Role::Quasi, why.to_owned()));
    }
    let rule = upper.strip_prefix("MASKED WITH ")?.trim_start();
    let Some(function) = rule.strip_prefix("FUNCTION ") else {
        let why = "a label of PostgreSQL Anonymizer hides it behind one value";
        return Some((Role::Identifier, why.to_owned()));
    };
    let function = function.trim_start().split('(').next().unwrap_or_default();
    let function = function.rsplit('.').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_coarser =
        ["generalize_", "noise", "dnoise"].iter().any(|start| function.starts_with(start));
    let role = if is_coarser { Role::Quasi } else { Role::Identifier };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let with = if !function.is_empty() && function.chars().all(is_name) {
        format!(" with `{function}`")
    } else {
        String::new()
    };
    Some((role, format!("a label of PostgreSQL Anonymizer masks it{with}")))
}

/// The role that a comment names: alone, or after a word that announces one.
fn named(comment: &str) -> Option<Role> {
    let words = words::parts(comment);
    let starts_with = |words: &[String], role: &[&str]| {
        words.len() >= role.len() && words.iter().zip(role).all(|(word, part)| word == part)
    };
    let announced = words.iter().position(|word| word == "kohort" || word == "role");
    let rest = match announced {
        Some(at) => &words[at + 1..],
        None => &words[..],
    };
    let rest = rest.strip_prefix(&["role".to_owned()]).unwrap_or(rest);
    let (phrase, role) = ROLES.iter().find(|(phrase, _)| starts_with(rest, phrase))?;
    (announced.is_some() || rest.len() == phrase.len()).then_some(*role)
}

/// What the words of a comment are about. That something is a name or a key says too little of prose.
fn of_comment(declared: &Declared) -> Option<(Topic, &'static str)> {
    topic(declared.comment.as_ref()?).filter(|(topic, _)| *topic != Topic::Label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_roles() {
        for (comment, role) in [
            ("quasi", Some(Role::Quasi)),
            ("Quasi-identifier", Some(Role::Quasi)),
            ("indirect identifier", Some(Role::Quasi)),
            ("direct identifier", Some(Role::Identifier)),
            ("kohort: sensitive", Some(Role::Sensitive)),
            ("Role = insensitive; owner: ward 7", Some(Role::Insensitive)),
            ("what the lab found. kohort role: sensitive, since 2024", Some(Role::Sensitive)),
            ("sensitive to case", None),
            ("the role of the nurse", None),
            ("identifier of the ward in the old system", None),
            ("", None),
        ] {
            assert_eq!(named(comment), role, "{comment}");
        }
    }

    #[test]
    fn labels_of_postgresql_anonymizer_are_understood() {
        let of = |label| of_label(label).map(|(role, why)| format!("{role}: {why}"));
        let masked = "a label of PostgreSQL Anonymizer masks it";
        for (label, told) in [
            (
                "INDIRECT IDENTIFIER",
                "quasi: a label of PostgreSQL Anonymizer calls it an indirect identifier"
                    .to_owned(),
            ),
            (
                "MASKED WITH FUNCTION anon.fake_last_name()",
                format!("identifier: {masked} with `fake_last_name`"),
            ),
            (
                "masked with function anon.dnoise(birth, '2 days'::interval)",
                format!("quasi: {masked} with `dnoise`"),
            ),
            ("MASKED WITH FUNCTION pg_catalog.\"odd name\"(x)", format!("identifier: {masked}")),
            (
                "MASKED WITH VALUE $$SECRET$$",
                "identifier: a label of PostgreSQL Anonymizer hides it behind one value".to_owned(),
            ),
        ] {
            assert_eq!(of(label), Some(told));
        }
        assert_eq!(of("NOT MASKED"), None);
        assert_eq!(of("unclassified"), None);
    }
}
