//! Groups of sensitive values (v-v anatomy): trees with the number of a group in the place of each
//! sensitive value, and the values of each group in a list.
//!
//! # Method
//! 1. People whose trees have one structure with the same groups at the same places are a class.
//! 2. Each group is named once by every tree of one class and by no other, and has as many values as it
//!    is named.
//! 3. Labels are published as they are: a class hides nobody, and k is how many show the same labels.
//! 4. The values of each group are counted.
//! 5. Groups are shuffled independently: what a rule is about occurs in a tree as often as independent
//!    draws, one from each of its groups, hit it (Poisson-binomial).
//!
//! # References
//! Özalp, Privacy Preserving Publishing of Hierarchical Data, 2017.

use std::collections::BTreeMap;

use kohort_core::{Error, Nested, Ratio};
use kohort_models::nested::OccurrenceRule;

use super::claims::{NestedClaims, NestedOriginal, NestedRule, PathRole, group_path};
use super::generalized::{alike, sizes};
use super::models::broken_orbits;
use super::shape::{Shape, small};
use super::values::{Values, all_labels, diversity};
use super::verdict::{Judged, RuleFinding};

/// The columns of the file of groups.
pub(super) const COLUMNS: [&str; 3] = ["group", "attribute", "value"];

pub(super) fn judge(
    trees: &Nested,
    lists: &Nested,
    claims: &NestedClaims,
    original: Option<NestedOriginal<'_>>,
) -> Result<Judged, Error> {
    let shape = Shape::of(trees);
    let columns: Vec<String> = claims.sensitive().map(|entry| group_path(&entry.path)).collect();
    let is_group = |path: &str| columns.iter().any(|column| column == path);
    let forms = shape.forms(all_labels(trees, is_group));
    let (classes, records) = (&forms[0], shape.records());
    let sizes = sizes(classes);
    let mut judged = Judged {
        sensitive: Vec::new(),
        models: claims.no_findings(),
        rules: Vec::new(),
        sizes: sizes.iter().copied().filter(|&size| size > 0).collect(),
        alike: alike(trees, claims),
        broken_groups: unknown_lists(lists, claims)?,
    };
    // For each rule and class, the groups of its trees in which the value occurs.
    let mut drawn: Vec<Vec<Vec<(u64, u64)>>> =
        vec![vec![Vec::new(); sizes.len()]; claims.rules.len()];
    for entry in claims.sensitive() {
        let (groups, values) = Groups::new(entry, trees, lists)?;
        let class_of = groups.classes(trees, &records, classes);
        judged.broken_groups += groups.broken(&class_of, &sizes);
        if !groups.of_value.is_empty() {
            let size_of = |row: usize| groups.sizes[groups.of_value[row] as usize];
            let l = claims.l_of(&entry.path);
            let found = diversity(&entry.path, &values.of_row, &groups.of_value, size_of, l);
            judged.sensitive.push(found);
            let orbits = &groups.of_value;
            for (index, broken) in broken_orbits(&values, orbits, size_of, (claims, original))? {
                judged.models[index].broken_orbits += broken;
            }
        }
        for (rule, drawn) in claims.rules.iter().zip(&mut drawn) {
            let Some(value) = values.of_rule(rule) else { continue };
            for (group, count) in groups.counts(&values, value) {
                let Some(class) = class_of[group].0 else { continue };
                drawn[class as usize].push((count, groups.sizes[group]));
            }
        }
    }
    for (rule, drawn) in claims.rules.iter().zip(&drawn) {
        judged.rules.push(poisson_binomial(rule, drawn, &sizes)?);
    }
    Ok(judged)
}

/// The lists of one attribute.
pub(super) struct Groups<'a> {
    column: String,
    // The number of each group by its text.
    numbers: BTreeMap<&'a str, u32>,
    /// The group of each value of the attribute, in the order of the file.
    pub(super) of_value: Vec<u32>,
    /// The values of each group.
    pub(super) sizes: Vec<u64>,
    /// The text of each value.
    pub(super) texts: Vec<&'a str>,
}

impl<'a> Groups<'a> {
    fn new(
        entry: &'a PathRole,
        trees: &'a Nested,
        lists: &'a Nested,
    ) -> Result<(Self, Values<'a>), Error> {
        let groups = Self::read(entry, trees, lists)?;
        let table = lists.branches()[0].table();
        let values = Values::of_texts(entry, 0, table, groups.texts.iter().copied())?;
        Ok((groups, values))
    }

    /// The lists of one attribute, and every group that the trees name without having one.
    pub(super) fn read(
        entry: &PathRole,
        trees: &'a Nested,
        lists: &'a Nested,
    ) -> Result<Self, Error> {
        let table = lists.branches()[0].table();
        let column = |name| table.column(name);
        let [group, attribute, value] = COLUMNS;
        let (group, attribute, value) = (column(group)?, column(attribute)?, column(value)?);
        let mut groups = Self {
            column: group_path(&entry.path),
            numbers: BTreeMap::new(),
            of_value: Vec::new(),
            sizes: Vec::new(),
            texts: Vec::new(),
        };
        let is_entry = attribute.dictionary().find(&entry.path);
        let rows = group.codes().iter().zip(attribute.codes().iter()).zip(value.codes().iter());
        for ((group_entry, attribute), value_entry) in rows {
            if Some(attribute) == is_entry {
                let number = groups.number(group.dictionary().get(group_entry));
                groups.sizes[number as usize] += 1;
                groups.of_value.push(number);
                groups.texts.push(value.dictionary().get(value_entry));
            }
        }
        if let Some((branch, at)) = trees.find(&groups.column) {
            let table = trees.branches()[branch].table();
            for text in table.columns()[at].dictionary().iter() {
                if !table.missing().is(text) {
                    groups.number(text);
                }
            }
        }
        Ok(groups)
    }

    fn number(&mut self, text: &'a str) -> u32 {
        let next = small(self.numbers.len());
        let number = *self.numbers.entry(text).or_insert(next);
        if number == next {
            self.sizes.push(0);
        }
        number
    }

    /// Each group that a tree names: its number, and the row of the tree's branch that names it.
    pub(super) fn named(&self, trees: &'a Nested) -> (usize, Vec<(u32, usize)>) {
        let Some((branch, at)) = trees.find(&self.column) else { return (0, Vec::new()) };
        let column = &trees.branches()[branch].table().columns()[at];
        let number = |text: &str| self.numbers.get(text).copied();
        let of_entry: Vec<Option<u32>> = column.dictionary().iter().map(number).collect();
        let rows = column.codes().iter().enumerate();
        (branch, rows.filter_map(|(row, entry)| Some((of_entry[entry as usize]?, row))).collect())
    }

    /// For each group the class whose trees name it, and how often they do; no class where there are
    /// none or several, or a tree names it twice.
    fn classes(
        &self,
        trees: &'a Nested,
        records: &[Vec<u32>],
        classes: &[u32],
    ) -> Vec<(Option<u32>, u64)> {
        let mut found = vec![(None, 0_u64); self.sizes.len()];
        let (branch, named) = self.named(trees);
        let mut named: Vec<(u32, u32)> =
            named.into_iter().map(|(group, row)| (group, records[branch][row])).collect();
        named.sort_unstable();
        for of_group in named.chunk_by(|a, b| a.0 == b.0) {
            let class = |&(_, record): &(u32, u32)| classes[record as usize];
            let first = class(&of_group[0]);
            let is_one = of_group.iter().all(|of| class(of) == first);
            let is_once = of_group.windows(2).all(|two| two[0].1 != two[1].1);
            let class = (is_one && is_once).then_some(first);
            found[of_group[0].0 as usize] = (class, of_group.len() as u64);
        }
        found
    }

    /// The groups that are not as they must be.
    fn broken(&self, class_of: &[(Option<u32>, u64)], sizes: &[u64]) -> u64 {
        let is_sound = |(&(class, named), &size): (&(Option<u32>, u64), &u64)| {
            class.is_some_and(|class| named == size && size == sizes[class as usize])
        };
        u64::from(small(class_of.iter().zip(&self.sizes).filter(|&group| !is_sound(group)).count()))
    }

    /// How often a value occurs in each group that has it.
    fn counts(&self, values: &Values<'_>, value: u32) -> BTreeMap<usize, u64> {
        let mut counts = BTreeMap::new();
        for (&group, &of_row) in self.of_value.iter().zip(&values.of_row) {
            if of_row == value {
                *counts.entry(group as usize).or_default() += 1;
            }
        }
        counts
    }
}

/// Lists of attributes that are not sensitive: there must be none.
fn unknown_lists(lists: &Nested, claims: &NestedClaims) -> Result<u64, Error> {
    let attribute = lists.branches()[0].table().column(COLUMNS[1])?;
    let is_known = |path: &&str| claims.sensitive().any(|entry| entry.path == *path);
    Ok(u64::from(small(attribute.dictionary().iter().filter(|path| !is_known(path)).count())))
}

/// What a rule comes to, given for each class the groups with the value: how often, and of how many.
fn poisson_binomial(
    rule: &NestedRule,
    drawn: &[Vec<(u64, u64)>],
    sizes: &[u64],
) -> Result<RuleFinding, Error> {
    let model = OccurrenceRule::new(Vec::new(), rule.at_least, rule.probability)?;
    let allowed = rule.probability;
    let occurrences = drawn.iter().flatten().map(|&(count, _)| count).sum();
    let (reached, broken_classes, people) = (Ratio::whole(0), 0, 0);
    let mut found = RuleFinding { reached, allowed, occurrences, broken_classes, people };
    for (groups, &size) in drawn.iter().zip(sizes) {
        let probability = model.vertex_probability(groups.iter().copied());
        found.reached = found.reached.max(probability);
        if !model.holds(probability) {
            found.broken_classes += 1;
            found.people += size;
        }
    }
    Ok(found)
}
