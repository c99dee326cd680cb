//! `kohort taxonomy`: check, show or propose the taxonomy of a column.

use std::fmt::Write;
use std::path::Path;

use kohort::plan::{AttributePlan, FullAttribute, Plan, RoleName};
use kohort::taxonomy::{
    CheckReport, FileSource, FileText, LabelsName, LevelReport, Limits, Loaded, Source, check,
    load, propose, show, to_arx,
};
use serde::Serialize;

use super::{keep_inputs, read_table, write_text};
use crate::args::{Common, Reading, Taxonomy};
use crate::printer::{Failure, Outcome, Printer, print, usage};

pub(crate) fn run(
    taxonomy: &Taxonomy,
    common: &Common,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    match taxonomy {
        Taxonomy::Check { file, data, column, reading } => {
            let against = data.as_deref().zip(column.as_deref());
            run_check(file, against, reading, common, printer)
        }
        Taxonomy::Show { file, depth, lines } => {
            run_show(file, Limits { depth: *depth, lines: *lines }, printer)
        }
        Taxonomy::Build { data, column, output, reading } => {
            let output = output.as_deref().filter(|output| *output != "-");
            if let Some(output) = output {
                keep_inputs(output, [Path::new(data)])?;
                if Path::new(output).exists() {
                    return Err(usage(
                        format!("{output} already exists, and a taxonomy is not overwritten"),
                        "name another file, or move this one",
                    ));
                }
            }
            let table = read_table(data, reading, common, printer)?;
            let proposal = propose(&table, table.column(column)?, None)?;
            let text = to_arx(&proposal.rows);
            let source = if let Some(path) = output {
                write_text(Path::new(path), &text)?;
                printer.note(&format!("wrote {path}"));
                let labels = match proposal.source {
                    Source::Widths(_) | Source::Ranges(_) => LabelsName::Intervals,
                    _ => LabelsName::Names,
                };
                Source::File(FileSource { path: path.to_owned(), separator: None, labels })
            } else {
                print(&text)?;
                proposal.source
            };
            printer.note(&proposal.reason);
            let (role, taxonomy) = (RoleName::Quasi, Some(source));
            let full = FullAttribute { taxonomy, ..role.into() };
            let mut plan = Plan::default();
            plan.attributes.insert(column.clone(), AttributePlan::Full(full));
            printer.note(&format!("in a plan:\n{}", plan.to_toml().trim_end()));
            Ok(Outcome::Done)
        }
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    file: &'a str,
    levels: Vec<LevelReport>,
    height: u32,
    /// The root first, each before the nodes below it.
    nodes: Vec<Node<'a>>,
    leaves: Vec<Leaf<'a>>,
}

#[derive(Serialize)]
struct Node<'a> {
    label: &'a str,
    /// The place in the list of nodes.
    parent: Option<u32>,
    level: u32,
    leaves: u32,
}

#[derive(Serialize)]
struct Leaf<'a> {
    label: &'a str,
    /// The place in the list of nodes.
    parent: u32,
}

/// Shows a file with its leaves: it was named on the command line to be seen.
fn run_show(file: &str, limits: Limits, printer: &Printer) -> Result<Outcome, Failure> {
    let (name, text) = read(file)?;
    let file = FileText { name: &name, text: &text };
    let Loaded { taxonomy, leaf_labels, warnings } = load(file, None)?;
    for warning in &warnings {
        printer.note(&format!("{name}, {warning}"));
    }
    let shown = Shown {
        file: &name,
        levels: check(file, None, None)?.levels,
        height: taxonomy.height(),
        nodes: (taxonomy.nodes().iter())
            .map(|node| Node {
                label: &node.label,
                parent: node.parent,
                level: node.level,
                leaves: node.size,
            })
            .collect(),
        leaves: (0..)
            .zip(&leaf_labels)
            .map(|(leaf, label)| Leaf { label, parent: taxonomy.parent(leaf) })
            .collect(),
    };
    printer.data(&shown, || show(&taxonomy, Some(&leaf_labels), limits))?;
    Ok(Outcome::Done)
}

/// The name of a taxonomy file and what it holds.
fn read(file: &str) -> Result<(String, String), Failure> {
    let text = kohort::read_text(Path::new(file))?;
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, text))
}

#[derive(Serialize)]
struct Checked<'a> {
    file: &'a str,
    #[serde(flatten)]
    report: &'a CheckReport,
}

fn run_check(
    file: &str,
    against: Option<(&str, &str)>,
    reading: &Reading,
    common: &Common,
    printer: &Printer,
) -> Result<Outcome, Failure> {
    let (name, text) = read(file)?;
    let table = match against {
        Some((data, column)) => Some((read_table(data, reading, common, printer)?, column)),
        None => None,
    };
    let column = match &table {
        Some((table, column)) => Some((table, table.column(column)?)),
        None => None,
    };
    let report = check(FileText { name: &name, text: &text }, None, column)?;
    let without_leaf = report.n_values_without_leaf.unwrap_or(0);
    printer.data(&Checked { file: &name, report: &report }, || {
        text_of(&name, &report, common.show_values)
    })?;
    let is_good = report.is_tree && without_leaf == 0;
    Ok(if is_good { Outcome::Done } else { Outcome::No })
}

fn text_of(name: &str, report: &CheckReport, shows_values: bool) -> String {
    let mut out = String::new();
    let levels: Vec<String> =
        report.levels.iter().map(|level| format!("{} {}", level.n_nodes, level.name)).collect();
    let _ = writeln!(out, "{name}: {} leaves; {}", report.n_leaves, levels.join(", "));
    for problem in &report.problems {
        let _ = writeln!(out, "  problem: {problem}");
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "  warning: {warning}");
    }
    for note in &report.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    match report.n_values_without_leaf {
        Some(0) => out.push_str("  every value of the column has a leaf\n"),
        Some(n) => {
            let have = if n == 1 { "value of the column has" } else { "values of the column have" };
            let _ = writeln!(out, "  problem: {n} {have} no leaf");
            if shows_values {
                for value in &report.values_without_leaf {
                    let _ = writeln!(out, "    {value}");
                }
            } else {
                out.push_str("    (`--show-values` lists them on your terminal)\n");
            }
        }
        None => {}
    }
    let verdict = if report.is_tree { "a tree" } else { "not a tree" };
    let _ = writeln!(out, "  {verdict}");
    out
}
