//! A taxonomy as an indented drawing.

use std::fmt::Write;

use kohort_core::Taxonomy;

/// How much of a taxonomy is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most levels below the root.
    pub depth: usize,
    /// The most lines.
    pub lines: usize,
}

/// What stands on a line.
#[derive(Clone, Copy)]
enum Item {
    Node(u32),
    Leaf(u32),
}

/// Draws a taxonomy, each group with the number of its values. Leaves are drawn only when their labels
/// are given, in the order of their positions: they may be cells of a private table.
pub fn show(taxonomy: &Taxonomy, leaf_labels: Option<&[String]>, limits: Limits) -> String {
    let mut below: Vec<Vec<(u32, Item)>> = vec![Vec::new(); taxonomy.nodes().len()];
    for (id, node) in (0..).zip(taxonomy.nodes()) {
        if let Some(parent) = node.parent {
            below[parent as usize].push((node.first, Item::Node(id)));
        }
    }
    if leaf_labels.is_some() {
        for leaf in 0..taxonomy.n_leaves() {
            below[taxonomy.parent(leaf) as usize].push((leaf, Item::Leaf(leaf)));
        }
    }
    for items in &mut below {
        items.sort_by_key(|item| item.0);
    }
    let mut drawing = String::new();
    let mut n_lines = 0;
    let mut stack = vec![(Item::Node(0), 0)];
    while let Some((item, depth)) = stack.pop() {
        n_lines += 1;
        if n_lines <= limits.lines {
            draw(&mut drawing, taxonomy, leaf_labels, (item, depth));
        }
        if let Item::Node(node) = item
            && depth < limits.depth
        {
            stack.extend(below[node as usize].iter().rev().map(|item| (item.1, depth + 1)));
        }
    }
    if n_lines > limits.lines {
        let _ = writeln!(drawing, "… {} more", n_lines - limits.lines);
    }
    drawing
}

/// Adds one line.
fn draw(
    drawing: &mut String,
    taxonomy: &Taxonomy,
    leaf_labels: Option<&[String]>,
    (item, depth): (Item, usize),
) {
    let indent = 2 * depth;
    // Writing to a string cannot fail.
    let _ = match item {
        Item::Leaf(leaf) => {
            let label = leaf_labels.and_then(|labels| labels.get(leaf as usize));
            writeln!(drawing, "{:indent$}{}", "", label.map_or("", String::as_str))
        }
        Item::Node(id) => {
            let node = &taxonomy.nodes()[id as usize];
            let noun = match (depth, node.size) {
                (0, 1) => " value",
                (0, _) => " values",
                _ => "",
            };
            writeln!(drawing, "{:indent$}{} ({}{noun})", "", node.label, node.size)
        }
    };
}
