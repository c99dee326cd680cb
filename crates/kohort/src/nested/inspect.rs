//! Proposed roles for the paths of nested records, each with its reason; and a first plan.

use std::fmt::Write;

use kohort_core::{Branch, Nested, Role};

use crate::classify::{HEAD, Proposal, attribute, propose_path, quoted};
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

/// Proposes a role for each path, by what it is called and by its values.
pub fn propose(nested: &Nested) -> Vec<PathProposal> {
    let of_branch = |branch: &Branch| {
        let is_everywhere = is_everywhere(nested, branch);
        let path = |column| PathProposal {
            proposal: propose_path(branch.table(), column, is_everywhere),
            n_rows: branch.n_rows() as u64,
        };
        branch.table().columns().iter().map(path).collect::<Vec<_>>()
    };
    nested.branches().iter().flat_map(of_branch).collect()
}

/// Whether every record has a row at a place of the schema.
fn is_everywhere(nested: &Nested, branch: &Branch) -> bool {
    let mut rows: Vec<u32> = (0..).take(branch.n_rows()).collect();
    let mut place = branch;
    while let Some(inside) = place.inside() {
        for row in &mut rows {
            *row = inside.rows[*row as usize];
        }
        place = &nested.branches()[inside.branch];
    }
    // Rows stand in the order of the records that they are in.
    rows.dedup();
    rows.len() == nested.n_records()
}

/// A plan for the records that another names, input and related tables, with the reason behind each line.
/// Shows no cell.
pub fn starter_plan(proposals: &[PathProposal], named: &Plan) -> String {
    let input = named.input.clone().unwrap_or_default().toml();
    let mut plan = format!("{HEAD}\ninput = {input}\n");
    if let Some(key) = &named.key {
        let _ = writeln!(plan, "key = {}", quoted(key));
    }
    for (name, table) in &named.tables {
        let _ = writeln!(plan, "\n[tables.{}]", quoted(name));
        if let Some(input) = &table.input {
            let _ = writeln!(plan, "input = {}", input.toml());
        }
        let foreign_key = Some(table.foreign_key.clone());
        for (field, value) in
            [("foreign-key", &foreign_key), ("key", &table.key), ("within", &table.within)]
        {
            if let Some(value) = value {
                let _ = writeln!(plan, "{field} = {}", quoted(value));
            }
        }
    }
    plan += "\n[attributes]\n";
    for PathProposal { proposal, .. } in proposals {
        plan += &attribute(proposal);
    }
    let is_sensitive = |found: &&PathProposal| found.proposal.role == Some(Role::Sensitive);
    let fewest = proposals.iter().filter(is_sensitive).map(|found| found.proposal.distinct).min();
    // With two values, everybody would need another person with the other one.
    let goal = if fewest.is_some_and(|values| values > 2) {
        "# A suggestion: no sensitive value of a person can be guessed with more than 1/2.\n\
         frequency-l-diversity = 2\n"
    } else {
        "# A suggestion: every person looks like at least one other, in structure and labels.\n\
         k-anonymity = 2\n"
    };
    let _ = write!(plan, "\n[goal]\n{goal}{TAIL}");
    plan
}
