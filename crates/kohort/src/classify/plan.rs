//! A first plan, made of the proposals.

use kohort_core::{Role, Table, ValueType};

use super::Proposal;
use crate::plan::Input;

pub(crate) const HEAD: &str = "\
# A starter plan. The roles below are proposals, made by looking at headers and values: read each
# line, correct what is wrong, and then it is your plan. Nothing has been promised yet.
#   identifier   names a person: dropped from every release
#   quasi        may be known to an outsider: made coarser
#   sensitive    must not be learned about a person
#   insensitive  neither: published as it is
# A line that starts with # is a column without a role: no release has it until you give it one.
";

const TAIL: &str = "\
# At most this share of the rows may be dropped.
suppression = 0.02

[method]
algorithm = \"auto\"
metric = \"ncp\"
seed = 7

[output]
release = \"release.csv\"
report = \"release.html\"
";

/// A plan for the table in the file `input`, with the reason behind each line. Shows no cell.
pub fn starter_plan(table: &Table, proposals: &[Proposal], input: &Input) -> String {
    let mut plan = format!("{HEAD}\ninput = {}\n\n[attributes]\n", input.toml());
    for proposal in proposals.iter().filter(|proposal| table.column(&proposal.column).is_ok()) {
        plan += &attribute(proposal);
    }
    plan += "\n[goal]\n# A suggestion: every person looks like at least four others.\nk-anonymity = 5\n";
    let of_role =
        |role| proposals.iter().find(|found| found.role == role && found.likely == Role::Sensitive);
    if let Some(sensitive) = of_role(Some(Role::Sensitive)).or_else(|| of_role(None)) {
        plan += "# To keep a sensitive value from being learned where people look alike, add:\n";
        let name = quoted(&sensitive.column);
        // With fewer values than `l` no release could hold.
        let l = if sensitive.distinct < 3 { "2" } else { "3" };
        let goal = ["# frequency-l-diversity = { l = ", l, ", attribute = ", &name, " }\n"];
        plan += &goal.concat();
    }
    plan + TAIL
}

pub(crate) fn attribute(proposal: &Proposal) -> String {
    let Proposal { column, reason, likely: role, .. } = proposal;
    let buckets = proposal.buckets.as_ref();
    let buckets = buckets.map_or(String::new(), |buckets| format!(", buckets = {buckets}"));
    let value = match (proposal.taxonomy, proposal.value_type) {
        (Some(taxonomy), value_type) => {
            // Digits are dropped from a code, not from a number.
            let value_type = if taxonomy == "\"mask\"" { ValueType::Text } else { value_type };
            format!(
                "{{ role = \"{role}\", type = \"{value_type}\", taxonomy = {taxonomy}{buckets} }}"
            )
        }
        (None, value_type) if !buckets.is_empty() => {
            format!("{{ role = \"{role}\", type = \"{value_type}\"{buckets} }}")
        }
        _ => format!("\"{role}\""),
    };
    match proposal.role {
        Some(_) => format!("{} = {value}  # {reason}\n", key(column)),
        None => {
            format!("# {} = {value}  # {reason}: left out until you give it a role\n", key(column))
        }
    }
}

/// A name as a key of TOML, in quotes where it needs them.
fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// A text in quotes on one line, as TOML and JSON both write it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
