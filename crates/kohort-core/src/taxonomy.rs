//! A taxonomy: a tree of values whose nodes are contiguous intervals of leaf positions.
//!
//! Leaves are numbered in depth-first order, so that the lowest common ancestor of a set of leaves is
//! the smallest node that covers its first and last position. A bound taxonomy has a position for each
//! value that occurs in the table; what the tree holds beyond the table counts in `Node::size` only.

/// One level above the leaves: which group each leaf falls into.
#[derive(Clone, Debug)]
pub struct Level {
    /// For each leaf, its group.
    pub group_of_leaf: Vec<u32>,
    /// For each group, its label.
    pub labels: Vec<String>,
}

/// A group whose leaves disagree about the group above: levels that split again after joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The level of the group, 1 being the one above the leaves.
    pub level: usize,
    /// The group.
    pub group: u32,
    /// Two of its leaves with different groups above.
    pub leaves: (usize, usize),
}

/// An inner node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What is published for it.
    pub label: String,
    /// The node above; the root has none.
    pub parent: Option<u32>,
    /// The first leaf position below it.
    pub first: u32,
    /// The last leaf position below it.
    pub last: u32,
    /// The number of leaves below it in the whole tree, values absent from the table included.
    pub size: u32,
    /// The longest path down to a leaf.
    pub height: u32,
    /// The lowest level it stands on, 1 being the one above the leaves.
    pub level: u32,
}

/// What the labels of a taxonomy are to whoever reckons with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// Names of groups of leaves, also where they look like intervals.
    #[default]
    Names,
    /// Intervals of numbers: a group is as wide as its label says.
    Intervals,
}

/// A tree of values bound to the values of one column.
#[derive(Clone, Debug)]
pub struct Taxonomy {
    // Invariant: preorder, root first; intervals of children partition that of their parent.
    nodes: Vec<Node>,
    // The inner node above each leaf position.
    parents: Vec<u32>,
    n_levels: u32,
    labels: Labels,
}

/// What a taxonomy is built from: leaves, some of which are values of the table, and levels above.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// For each leaf, the table value it stands for, if it occurs.
    pub leaves: &'a [Option<u32>],
    /// The text of each leaf; a group of the same name that holds only it is the leaf again.
    pub label: &'a dyn Fn(usize) -> String,
    /// The levels, lowest first.
    pub levels: &'a [Level],
    /// The number of values in the table, the missing one left out.
    pub n_values: u32,
    /// Whether cells are missing: missing becomes a leaf directly under the root.
    pub missing: bool,
    /// Whether values have an order that the leaves should follow where the tree allows.
    pub is_ordered: bool,
}

impl Taxonomy {
    /// A root above `n_leaves` values.
    pub fn flat(n_leaves: u32) -> Self {
        let root = Node {
            label: "*".into(),
            parent: None,
            first: 0,
            last: n_leaves.saturating_sub(1),
            size: n_leaves,
            height: 1,
            level: 1,
        };
        let (parents, labels) = (vec![0; n_leaves as usize], Labels::Names);
        Self { nodes: vec![root], parents, n_levels: 2, labels }
    }

    /// Builds the tree, and gives the leaf position of each value (the missing one last).
    pub fn build(tree: Tree<'_>) -> Result<(Self, Vec<u32>), Split> {
        let parents = parents_of_groups(tree.levels)?;
        Ok(Builder::new(tree, &parents).finish(tree))
    }

    /// The same tree with labels of another kind.
    #[must_use]
    pub fn with_labels(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// What the labels are.
    pub fn labels(&self) -> Labels {
        self.labels
    }

    /// The inner nodes, root first, each before the nodes below it.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The root.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The inner node above a leaf position.
    ///
    /// # Panics
    /// When there is no such leaf.
    pub fn parent(&self, leaf: u32) -> u32 {
        self.parents[leaf as usize]
    }

    /// The number of leaf positions.
    pub fn n_leaves(&self) -> u32 {
        u32::try_from(self.parents.len()).expect("positions are u32")
    }

    /// The longest path from the root down to a leaf.
    pub fn height(&self) -> u32 {
        self.nodes[0].height
    }

    /// The number of levels, leaves and root included.
    pub fn n_levels(&self) -> u32 {
        self.n_levels
    }

    /// The node that stands for a leaf at a level, or `None` while it is still the leaf itself.
    pub fn ancestor(&self, leaf: u32, level: u32) -> Option<u32> {
        let mut found = None;
        let mut next = Some(self.parent(leaf));
        while let Some(node) = next.filter(|&node| self.nodes[node as usize].level <= level) {
            found = Some(node);
            next = self.nodes[node as usize].parent;
        }
        found
    }
}

impl Taxonomy {
    /// The tree above buckets of leaf positions: the nodes that hold whole buckets, and more than one. Also
    /// whether nothing is left but the root.
    pub(crate) fn above(&self, bucket_of_leaf: &[u32], n_buckets: u32) -> (Self, bool) {
        let is_border = |leaf: u32| {
            let at = leaf as usize;
            at == 0 || at >= bucket_of_leaf.len() || bucket_of_leaf[at - 1] != bucket_of_leaf[at]
        };
        let bucket = |leaf: u32| bucket_of_leaf[leaf as usize];
        // Buckets that the tree scatters have no node above them but the root.
        if !bucket_of_leaf.is_sorted() {
            return (Self::flat(n_buckets), true);
        }
        let is_kept = |(at, node): &(usize, &Node)| {
            let is_whole = is_border(node.first) && is_border(node.last + 1);
            *at == 0 || is_whole && bucket(node.first) < bucket(node.last)
        };
        let kept: Vec<usize> =
            self.nodes.iter().enumerate().filter(is_kept).map(|(at, _)| at).collect();
        if kept.len() == 1 {
            return (Self::flat(n_buckets), true);
        }
        let lowest = kept.iter().map(|&at| self.nodes[at].level).min().unwrap_or(1);
        let mut nodes: Vec<Node> = Vec::with_capacity(kept.len());
        let mut parents = vec![0; n_buckets as usize];
        for &at in &kept {
            let node = &self.nodes[at];
            let mut above = node.parent;
            while let Some(parent) = above.filter(|&p| kept.binary_search(&(p as usize)).is_err()) {
                above = self.nodes[parent as usize].parent;
            }
            let place = |p: u32| kept.binary_search(&(p as usize)).expect("it was found above");
            let (first, last) = (bucket(node.first), bucket(node.last));
            nodes.push(Node {
                label: node.label.clone(),
                parent: above.map(|p| u32::try_from(place(p)).expect("nodes are u32")),
                first,
                last,
                size: last - first + 1,
                height: 1,
                level: node.level - lowest + 1,
            });
            // Nodes come before those below them, so that the lowest is written last.
            let own = u32::try_from(nodes.len() - 1).expect("nodes are u32");
            parents[first as usize..=last as usize].fill(own);
        }
        for at in (1..nodes.len()).rev() {
            let (height, parent) = (nodes[at].height, nodes[at].parent);
            let parent = &mut nodes[parent.expect("only the root has none") as usize];
            parent.height = parent.height.max(height + 1);
        }
        let n_levels = nodes[0].level + 1;
        (Self { nodes, parents, n_levels, labels: self.labels }, false)
    }
}

/// For each level, the group above each of its groups.
fn parents_of_groups(levels: &[Level]) -> Result<Vec<Vec<u32>>, Split> {
    let mut parents = Vec::new();
    for (index, pair) in levels.windows(2).enumerate() {
        let mut above: Vec<Option<(u32, usize)>> = vec![None; pair[0].labels.len()];
        for (leaf, (&group, &parent)) in
            pair[0].group_of_leaf.iter().zip(&pair[1].group_of_leaf).enumerate()
        {
            match above[group as usize] {
                Some((other, first)) if other != parent => {
                    return Err(Split { level: index + 1, group, leaves: (first, leaf) });
                }
                Some(_) => {}
                None => above[group as usize] = Some((parent, leaf)),
            }
        }
        parents
            .push(above.into_iter().map(|found| found.map_or(0, |(parent, _)| parent)).collect());
    }
    Ok(parents)
}

/// A node while the tree is built, leaves included.
struct Draft {
    label: String,
    children: Vec<usize>,
    // The table value of a leaf.
    value: Option<u32>,
    // The smallest table value below, which orders the children of ordered taxonomies.
    smallest: u32,
    n_values: u32,
    size: u32,
    height: u32,
    level: u32,
}

struct Builder {
    drafts: Vec<Draft>,
    root: usize,
    n_levels: u32,
}

impl Builder {
    fn new(tree: Tree<'_>, parents: &[Vec<u32>]) -> Self {
        let mut drafts: Vec<Draft> = (tree.leaves.iter().enumerate())
            .map(|(leaf, &value)| Draft::leaf((tree.label)(leaf), value))
            .collect();
        let mut below: Vec<usize> = (0..drafts.len()).collect();
        for (index, level) in tree.levels.iter().enumerate() {
            let start = drafts.len();
            drafts.extend(level.labels.iter().map(|label| Draft::inner(label.clone(), index + 1)));
            let parent_of = |position: usize| match index {
                0 => level.group_of_leaf[position],
                _ => parents[index - 1][position],
            };
            for (position, &child) in below.iter().enumerate() {
                let parent = start + parent_of(position) as usize;
                drafts[parent].children.push(child);
            }
            below = (start..drafts.len()).collect();
        }
        let mut n_levels = tree.levels.len();
        if below.len() != 1 || n_levels == 0 {
            n_levels += 1;
            let mut root = Draft::inner("*".into(), n_levels);
            root.children = below;
            drafts.push(root);
        }
        let root = drafts.len() - 1;
        if tree.missing {
            drafts.push(Draft::leaf(String::new(), Some(tree.n_values)));
            let leaf = drafts.len() - 1;
            drafts[root].children.push(leaf);
        }
        let n_levels = u32::try_from(n_levels + 1).expect("levels are columns of a file");
        let mut builder = Self { drafts, root, n_levels };
        builder.settle(tree.is_ordered);
        builder
    }

    /// Collapses repeated labels, counts what is below each node, and orders the children.
    fn settle(&mut self, is_ordered: bool) {
        // Children stand before their parents, except the missing leaf, which needs no settling.
        for node in 0..=self.root {
            if self.drafts[node].children.is_empty() {
                continue;
            }
            let mut children = std::mem::take(&mut self.drafts[node].children);
            if let [only] = children[..]
                && node != self.root
                && self.drafts[only].label == self.drafts[node].label
            {
                let level = self.drafts[only].level;
                let same =
                    std::mem::replace(&mut self.drafts[only], Draft::inner(String::new(), 0));
                self.drafts[node] = Draft { level, ..same };
                continue;
            }
            if is_ordered {
                children.sort_by_key(|&child| self.drafts[child].smallest);
            }
            let below = || children.iter().map(|&child| &self.drafts[child]);
            let (n_values, size) =
                below().fold((0, 0), |(n, size), child| (n + child.n_values, size + child.size));
            let height = 1 + below().map(|child| child.height).max().unwrap_or(0);
            let smallest = below().map(|child| child.smallest).min().unwrap_or(u32::MAX);
            let draft = &mut self.drafts[node];
            *draft = Draft {
                label: std::mem::take(&mut draft.label),
                level: draft.level,
                value: None,
                children,
                smallest,
                n_values,
                size,
                height,
            };
        }
    }

    /// Numbers leaves and nodes in depth-first order, leaving out what does not occur.
    fn finish(self, tree: Tree<'_>) -> (Taxonomy, Vec<u32>) {
        let n_positions = tree.n_values + u32::from(tree.missing);
        let mut nodes: Vec<Node> = Vec::new();
        let mut parents = Vec::with_capacity(n_positions as usize);
        let mut position_of_value = vec![0; n_positions as usize];
        let mut stack = vec![(self.root, None)];
        while let Some((index, parent)) = stack.pop() {
            let draft = &self.drafts[index];
            if draft.n_values == 0 && index != self.root {
                continue;
            }
            let first = u32::try_from(parents.len()).expect("positions are u32");
            if draft.children.is_empty() {
                if let (Some(value), Some(parent)) = (draft.value, parent) {
                    position_of_value[value as usize] = first;
                    parents.push(parent);
                }
                continue;
            }
            let id = u32::try_from(nodes.len()).expect("nodes are fewer than leaves and levels");
            nodes.push(Node {
                label: draft.label.clone(),
                parent,
                first,
                last: (first + draft.n_values).saturating_sub(1),
                size: draft.size,
                height: draft.height,
                level: draft.level,
            });
            stack.extend(draft.children.iter().rev().map(|&child| (child, Some(id))));
        }
        let (n_levels, labels) = (self.n_levels, Labels::Names);
        (Taxonomy { nodes, parents, n_levels, labels }, position_of_value)
    }
}

impl Draft {
    fn leaf(label: String, value: Option<u32>) -> Self {
        Self {
            label,
            children: Vec::new(),
            value,
            smallest: value.unwrap_or(u32::MAX),
            n_values: u32::from(value.is_some()),
            size: 1,
            height: 0,
            level: 0,
        }
    }

    fn inner(label: String, level: usize) -> Self {
        let level = u32::try_from(level).expect("levels are columns of a file");
        Self { level, size: 0, ..Self::leaf(label, None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(
        rows: &[&[&str]],
        n_values: u32,
        missing: bool,
    ) -> Result<(Taxonomy, Vec<u32>), Split> {
        let n_levels = rows[0].len() - 1;
        let levels: Vec<Level> = (1..=n_levels)
            .map(|level| {
                let mut labels: Vec<String> = Vec::new();
                let group_of_leaf = rows
                    .iter()
                    .map(|row| {
                        let found = labels.iter().position(|label| label == row[level]);
                        u32::try_from(found.unwrap_or_else(|| {
                            labels.push(row[level].into());
                            labels.len() - 1
                        }))
                        .unwrap()
                    })
                    .collect();
                Level { group_of_leaf, labels }
            })
            .collect();
        let leaves: Vec<Option<u32>> =
            (0..u32::try_from(rows.len()).unwrap()).map(|v| (v < n_values).then_some(v)).collect();
        Taxonomy::build(Tree {
            leaves: &leaves,
            label: &|leaf| rows[leaf][0].to_owned(),
            levels: &levels,
            n_values,
            missing,
            is_ordered: false,
        })
    }

    #[test]
    fn nodes_are_intervals_of_positions() {
        let rows: &[&[&str]] = &[&["a", "X", "*"], &["b", "Y", "*"], &["c", "X", "*"]];
        let (taxonomy, position) = build(rows, 3, true).unwrap();
        assert_eq!(position, [0, 2, 1, 3]);
        let shape: Vec<_> = taxonomy
            .nodes()
            .iter()
            .map(|node| (node.label.as_str(), node.first, node.last, node.height))
            .collect();
        assert_eq!(shape, [("*", 0, 3, 2), ("X", 0, 1, 1), ("Y", 2, 2, 1)]);
        assert_eq!(taxonomy.parent(3), 0);
        assert_eq!(taxonomy.ancestor(0, 1), Some(1));
        assert_eq!(taxonomy.ancestor(3, 1), None);
        assert_eq!(taxonomy.ancestor(3, 2), Some(0));
    }

    #[test]
    fn absent_leaves_count_in_size_only() {
        let rows: &[&[&str]] = &[&["a", "X", "*"], &["b", "Y", "*"], &["c", "X", "*"]];
        let (taxonomy, position) = build(rows, 1, false).unwrap();
        assert_eq!(position, [0]);
        let shape: Vec<_> =
            taxonomy.nodes().iter().map(|node| (node.label.as_str(), node.size)).collect();
        assert_eq!(shape, [("*", 3), ("X", 2)]);
        assert_eq!(taxonomy.height(), 2);
    }

    #[test]
    fn repeated_labels_are_one_node() {
        let rows: &[&[&str]] =
            &[&["a", "a", "X", "*"], &["b", "Y", "Y", "*"], &["c", "Y", "Y", "*"]];
        let (taxonomy, _) = build(rows, 3, false).unwrap();
        let shape: Vec<_> = taxonomy
            .nodes()
            .iter()
            .map(|node| (node.label.as_str(), node.height, node.level))
            .collect();
        assert_eq!(shape, [("*", 2, 3), ("X", 1, 2), ("Y", 1, 1)]);
        assert_eq!(taxonomy.n_levels(), 4);
        // At level 1 `a` is still itself, `b` is Y on levels 1 and 2.
        assert_eq!(taxonomy.ancestor(0, 1), None);
        assert_eq!(taxonomy.ancestor(1, 2), Some(2));
    }

    #[test]
    fn a_group_with_two_parents_is_refused() {
        let rows: &[&[&str]] = &[&["a", "X", "P"], &["b", "X", "Q"]];
        assert_eq!(
            build(rows, 2, false).unwrap_err(),
            Split { level: 1, group: 0, leaves: (0, 1) }
        );
    }
}
