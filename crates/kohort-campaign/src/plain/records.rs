//! Records inside records: people with a list of visits, `{"q", "s", "t", "v": [{"w", "d", "e"}, …]}`, of which
//! `q` and `w` are quasi-identifiers, the others sensitive.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cells::{Buckets, Column, Kind, Missing, Role, Tree, bare, covers, is_missing};
use super::classes::alike;
use super::matching;

/// The sensitive attributes of people and of visits.
pub(crate) const OF_PEOPLE: [&str; 2] = ["s", "t"];
pub(crate) const OF_VISITS: [&str; 2] = ["d", "e"];

/// What is promised about values.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    /// At most one in l of those who look alike have one value.
    pub(crate) l: usize,
    /// The attributes that it is promised of.
    pub(crate) of: Vec<&'static str>,
    /// Where the buckets of `e` begin; its values are counted where there are none.
    pub(crate) cuts: Vec<i64>,
}

/// A release: trees that are generalized; or trees without values, and values in a second file.
#[derive(Clone, Debug)]
pub(crate) enum Release {
    Generalized(Vec<Value>),
    Trees(Vec<Value>, Vec<Value>),
    Lists(Vec<Value>, Vec<Value>),
}

impl Release {
    /// The trees of people.
    pub(crate) fn trees(&self) -> &[Value] {
        let (Self::Generalized(trees) | Self::Trees(trees, _) | Self::Lists(trees, _)) = self;
        trees
    }
}

/// The text of a member; the empty one where there is none.
pub(crate) fn text(record: &Value, name: &str) -> String {
    match &record[name] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The visits of a record.
pub(crate) fn visits(record: &Value) -> &[Value] {
    record["v"].as_array().map_or(&[], Vec::as_slice)
}

/// What an outsider may know of a record: its quasi-identifiers, and those of its visits in any order. A list
/// without visits does not look like none.
fn known(record: &Value) -> (String, String, Vec<String>) {
    let mut of_visits: Vec<String> = visits(record).iter().map(|visit| text(visit, "w")).collect();
    of_visits.sort();
    let list = match record.get("v") {
        Some(Value::Array(_)) => "a list",
        Some(_) => "null",
        None => "none",
    };
    (text(record, "q"), list.to_owned(), of_visits)
}

/// What is surely wrong with a release: fewer than k records alike, or a value that more than one in l of those
/// who look alike may have.
pub(crate) fn broken(
    release: &Release,
    k: Option<usize>,
    spread: Option<&Spread>,
) -> Option<&'static str> {
    let keys: Vec<_> = release.trees().iter().map(known).collect();
    let classes = alike(&keys);
    if k.is_some_and(|k| classes.iter().any(|class| class.len() < k)) {
        return Some("k-anonymity fails");
    }
    let fails = "frequency-l-diversity fails";
    match (release, spread) {
        (Release::Generalized(trees), Some(spread)) => {
            let holds = |class: &Vec<usize>| {
                let members: Vec<&Value> = class.iter().map(|&at| &trees[at]).collect();
                spread.holds_in(&members, |visit| text(visit, "w"))
            };
            (!classes.iter().all(holds)).then_some(fails)
        }
        (Release::Trees(trees, values), spread) => {
            if !are_groups_sound(trees, values) {
                return Some("the two files do not agree");
            }
            let groups: Vec<String> = values.iter().map(|tree| text(tree, "group")).collect();
            let holds = |group: &Vec<usize>, spread: &Spread| {
                let members: Vec<&Value> = group.iter().map(|&at| &values[at]).collect();
                spread.holds_in(&members, |_| String::new())
            };
            let spread = spread?;
            (!alike(&groups).iter().all(|group| holds(group, spread))).then_some(fails)
        }
        (Release::Lists(trees, lists), spread) => {
            let spread = spread?;
            for (group, (attribute, values)) in by_group(lists) {
                let values: Vec<String> = values.iter().map(|value| text(value, "value")).collect();
                if places(trees, &group, attribute).len() != values.len() {
                    return Some("the two files do not agree");
                }
                if spread.of.contains(&attribute) && !spread.holds(attribute, &values) {
                    return Some(fails);
                }
            }
            None
        }
        (Release::Generalized(_), None) => None,
    }
}

impl Spread {
    /// Whether people who look alike keep it, and those of their visits that do.
    fn holds_in(&self, members: &[&Value], looks: impl Fn(&Value) -> String) -> bool {
        let all: Vec<&Value> = members.iter().flat_map(|member| visits(member)).collect();
        let shown: Vec<String> = all.iter().map(|visit| looks(visit)).collect();
        let of_visits = alike(&shown);
        self.of.iter().all(|name| {
            if OF_PEOPLE.contains(name) {
                let values: Vec<String> = members.iter().map(|member| text(member, name)).collect();
                return self.holds(name, &values);
            }
            of_visits.iter().all(|visits| {
                let values: Vec<String> = visits.iter().map(|&at| text(all[at], name)).collect();
                self.holds(name, &values)
            })
        })
    }

    /// Whether values that nobody can tell apart keep it. One that was cut off may be any, beside others that
    /// are shown; a missing one says nothing. What else is masked is left to others.
    fn holds(&self, name: &str, values: &[String]) -> bool {
        let shown = values.iter().map(|value| bare(value)).filter(|value| !is_missing(value));
        let (cut, shown): (Vec<String>, Vec<String>) = shown.partition(|value| value == "*");
        if shown.is_empty() || shown.iter().any(|value| value.starts_with(['{', '['])) {
            return true;
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for value in &shown {
            let bucket = match value.parse::<i64>() {
                Ok(number) if name == "e" && !self.cuts.is_empty() => {
                    self.cuts.iter().filter(|&&cut| number >= cut).count().to_string()
                }
                _ => value.clone(),
            };
            *counts.entry(bucket).or_default() += 1;
        }
        let most = counts.values().max().copied().unwrap_or(0) + cut.len();
        most * self.l <= shown.len() + cut.len()
    }
}

/// Whether each group has as many trees in both files, all of them with as many visits.
fn are_groups_sound(trees: &[Value], values: &[Value]) -> bool {
    let mut groups: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
    for (side, all) in [trees, values].into_iter().enumerate() {
        for tree in all {
            groups.entry(text(tree, "group")).or_default()[side].push(visits(tree).len());
        }
    }
    let is_sound = |[a, b]: &[Vec<usize>; 2]| {
        a.len() == b.len() && a.len() > 1 && a.iter().chain(b).all(|n| *n == a[0])
    };
    groups.values().all(is_sound)
}

/// The values of each group, and the attribute they are of.
fn by_group(lists: &[Value]) -> BTreeMap<String, (&'static str, Vec<&Value>)> {
    let mut found: BTreeMap<String, (&'static str, Vec<&Value>)> = BTreeMap::new();
    for value in lists {
        let path = text(value, "attribute");
        let names = OF_PEOPLE.into_iter().chain(OF_VISITS);
        let name = names.into_iter().find(|name| path == *name || path == format!("v[].{name}"));
        let group = format!("{}/{path}", text(value, "group"));
        found.entry(group).or_insert((name.unwrap_or_default(), Vec::new())).1.push(value);
    }
    found
}

/// The trees, and the visits in them, that name a group of an attribute.
fn places<'a>(trees: &'a [Value], group: &str, attribute: &str) -> Vec<(usize, Option<&'a Value>)> {
    let group = group.split('/').next().unwrap_or_default();
    let member = format!("{attribute}_group");
    let mut found = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        if OF_PEOPLE.contains(&attribute) {
            found.extend((text(tree, &member) == group).then_some((at, None)));
        } else {
            let named = visits(tree).iter().filter(|visit| text(visit, &member) == group);
            found.extend(named.map(|visit| (at, Some(visit))));
        }
    }
    found
}

/// Whether every released record may be somebody's, a different person's for each, and every value of a group
/// may be one of its people's.
pub(crate) fn is_true(release: &Release, people: &[Value]) -> bool {
    let with_values = matches!(release, Release::Generalized(_));
    let owners = |shown: &Value, names: &[&str]| -> Vec<usize> {
        (0..people.len()).filter(|&person| may_be(shown, &people[person], names)).collect()
    };
    let names: &[&str] = if with_values { &["q", "w", "s", "t", "d", "e"] } else { &["q", "w"] };
    let of_trees: Vec<Vec<usize>> =
        release.trees().iter().map(|tree| owners(tree, names)).collect();
    if !matching::is_complete(&of_trees, people.len()) {
        return false;
    }
    match release {
        Release::Generalized(_) => true,
        Release::Trees(trees, values) => {
            let of_values = values.iter().map(|tree| {
                let of_group = |at: &usize| text(&trees[*at], "group") == text(tree, "group");
                let near: Vec<&Vec<usize>> =
                    (0..trees.len()).filter(of_group).map(|at| &of_trees[at]).collect();
                let mut owners = owners(tree, &["s", "t", "d", "e"]);
                owners.retain(|owner| near.iter().any(|near| near.contains(owner)));
                owners
            });
            matching::is_complete(&of_values.collect::<Vec<_>>(), people.len())
        }
        Release::Lists(trees, lists) => by_group(lists).iter().all(|(group, (name, values))| {
            let places = places(trees, group, name);
            let fits = |value: &Value, (tree, visit): (usize, Option<&Value>)| {
                of_trees[tree].iter().any(|&person| match visit {
                    None => is_value(value, &people[person], name),
                    Some(visit) => visits(&people[person]).iter().any(|own| {
                        covered(visit, own, "w", Role::Quasi) && is_value(value, own, name)
                    }),
                })
            };
            let of_value = |value: &&Value| -> Vec<usize> {
                (0..places.len()).filter(|&at| fits(value, places[at])).collect()
            };
            let partners: Vec<Vec<usize>> = values.iter().map(of_value).collect();
            matching::is_complete(&partners, places.len())
        }),
    }
}

fn is_value(listed: &Value, of: &Value, name: &str) -> bool {
    text(listed, "value") == text(of, name)
}

fn may_be(shown: &Value, person: &Value, names: &[&str]) -> bool {
    let [here, there] = [shown, person].map(visits);
    let role = |name: &str| if matches!(name, "q" | "w") { Role::Quasi } else { Role::Sensitive };
    let is_of_visit = |name: &&&str| matches!(**name, "w" | "d" | "e");
    let of_visit = |visit: &Value| -> Vec<usize> {
        let fits = |&other: &usize| {
            let mut names = names.iter().filter(is_of_visit);
            names.all(|name| covered(visit, &there[other], name, role(name)))
        };
        (0..there.len()).filter(fits).collect()
    };
    let mut of_person = names.iter().filter(|name| !is_of_visit(name));
    of_person.all(|name| covered(shown, person, name, role(name)))
        && matching::is_complete(&here.iter().map(of_visit).collect::<Vec<_>>(), there.len())
}

/// Whether a cell may be made of a value; what is left out says nothing.
fn covered(shown: &Value, person: &Value, name: &str, role: Role) -> bool {
    let (kind, tree) = (Kind::Text, Tree::Flat);
    let column = Column {
        name: name.to_owned(),
        role,
        kind,
        tree,
        buckets: Buckets::None,
        missing: Missing::Ignored,
    };
    covers(&column, &text(shown, name), &text(person, name)) != Some(false)
}
