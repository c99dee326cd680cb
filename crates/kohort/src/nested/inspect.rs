//! Proposed roles for the paths of nested records, each with its reason; and a first plan.

use std::fmt::Write;

use kohort_core::{Branch, Column, Nested, Role, Table};

use crate::classify::{self, HEAD, Proposal, attribute, names_something, quoted};
use crate::plan::Plan;

const TAIL: &str = "\
# At most this share of the records may be dropped.
suppression = 0.05

# A value that nobody may be known to have often:
# [[rules]]
# value = \"…\"
# at-least = 2
# probability = \"1/2\"

[method]
algorithm = \"auto\"
seed = 7

[output]
release = \"release.json\"
";

/// What a path seems to be, and how many rows its place has.
#[derive(Clone, Debug)]
pub struct PathProposal {
    /// The proposal; its column is the path.
    pub proposal: Proposal,
    /// The rows of its place in the schema.
    pub n_rows: u64,
}

/// Proposes a role for each path: what a member is called tells it, and where that tells nothing, a sensitive
/// object that it is a member of.
pub fn propose(nested: &Nested) -> Vec<PathProposal> {
    nested.branches().iter().flat_map(of_branch).collect()
}

fn of_branch(branch: &Branch) -> Vec<PathProposal> {
    let n_rows = branch.n_rows() as u64;
    let named = |n_names: usize| classify::propose(&renamed(branch.table(), n_names));
    let columns = branch.table().columns().iter().zip(named(1).into_iter().zip(named(2)));
    columns
        .map(|(column, (own, with_parent))| {
            let is_told = names_something(&spoken(column.name(), 1));
            let is_sensitive = with_parent.role == Role::Sensitive;
            let proposal = if is_told || !is_sensitive { own } else { with_parent };
            PathProposal {
                proposal: Proposal { column: column.name().to_owned(), ..proposal },
                n_rows,
            }
        })
        .collect()
}

/// The same table, where the last names of paths are headers.
fn renamed(table: &Table, n_names: usize) -> Table {
    let renamed = |column: &Column| {
        let (dictionary, codes) = (column.dictionary().clone(), column.codes().clone());
        Column::new(spoken(column.name(), n_names), dictionary, codes, table.missing())
    };
    let columns = table.columns().iter().map(renamed).collect();
    Table::new(table.name().to_owned(), columns, false, table.missing().clone())
}

/// The last names of a path as one header: the last two of `visits[].diagnoses[].code` are
/// `diagnoses_code`.
fn spoken(path: &str, n_names: usize) -> String {
    let names: Vec<&str> = path.split('.').map(|step| step.trim_end_matches("[]")).collect();
    names[names.len().saturating_sub(n_names)..].join("_")
}

/// A plan for the records that another names, input and related tables, with the reason behind each line.
/// Shows no cell.
pub fn starter_plan(proposals: &[PathProposal], named: &Plan) -> String {
    let input = quoted(named.input.as_deref().unwrap_or_default());
    let mut plan = format!("{HEAD}\ninput = {input}\n");
    if let Some(key) = &named.key {
        let _ = writeln!(plan, "key = {}", quoted(key));
    }
    for (name, table) in &named.tables {
        let _ = write!(
            plan,
            "\n[tables.{}]\ninput = {}\nforeign-key = {}\n",
            quoted(name),
            quoted(&table.input),
            quoted(&table.foreign_key)
        );
        for (field, value) in [("key", &table.key), ("within", &table.within)] {
            if let Some(value) = value {
                let _ = writeln!(plan, "{field} = {}", quoted(value));
            }
        }
    }
    plan += "\n[attributes]\n";
    for PathProposal { proposal, .. } in proposals {
        plan += &attribute(proposal);
    }
    let is_sensitive = |found: &PathProposal| found.proposal.role == Role::Sensitive;
    let goal = if proposals.iter().any(is_sensitive) {
        "# A suggestion: no sensitive value of a person can be guessed with more than 1/2.\n\
         frequency-l-diversity = 2\n"
    } else {
        "# A suggestion: every person looks like at least one other, in structure and labels.\n\
         k-anonymity = 2\n"
    };
    let _ = write!(plan, "\n[goal]\n{goal}{TAIL}");
    plan
}
