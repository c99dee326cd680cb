//! What each level means for a person in the table, in one plain sentence.

use std::cmp::Ordering;

use kohort_core::Ratio;

use super::{BordersAnswer, Diagnosis, Riskiest, Sensitive, UniquesAnswer};
use crate::wording::{Sentence, average, count, decimal, grouped, percent, share};

/// What no level promises; every report says so.
pub const NOT_PROMISED: &[&str] = &[
    "These levels hold for this table and these quasi-identifiers only: a column that an outsider \
     knows and that is not among them can lower every one of them.",
    "They say nothing about a second release of the same people: two tables that are safe alone can \
     be unsafe together.",
    "k alone does not protect a sensitive value: everybody in a class may share it.",
    "Distinct l counts values and bounds no probability; an outsider who can rule values out needs \
     fewer guesses.",
    "Entropy l cannot be reached when the table itself is skewed, and hides one likely value among \
     many rare ones.",
    "t compares with the whole table, which is public once it is released.",
    "An outsider who knows how a release was made, or learns from it how values go together, can do \
     better than these figures.",
    "A missing cell counts as a value of its own: two people without a value are taken to be alike, \
     though an outsider may know what is missing.",
];

/// A figure with its name and what it means.
#[derive(Clone, Debug)]
pub struct Line {
    /// The figure's name.
    pub name: String,
    /// The figure.
    pub value: String,
    /// What it means for a person in the table.
    pub meaning: String,
}

pub(super) fn line(name: &str, value: impl Into<String>, meaning: impl Into<String>) -> Line {
    Line { name: name.into(), value: value.into(), meaning: meaning.into() }
}

/// The levels that concern the quasi-identifiers.
pub fn level_lines(answer: &Diagnosis) -> Vec<Line> {
    let unique = answer.risk.prosecutor.unique;
    let (one, several) = answer.counted();
    let k = match (answer.k, unique) {
        (1, 1) => format!(
            "1 {one} ({}) is unique: anybody who knows these columns finds that row",
            share(1, answer.rows)
        ),
        (1, n) => format!(
            "{} {several} ({}) are unique: anybody who knows these columns finds their row",
            grouped(n),
            share(n, answer.rows)
        ),
        (k, _) => format!("nobody can be narrowed down to fewer than {} rows", grouped(k)),
    };
    let mut lines = vec![
        line("k-anonymity", format!("k = {}", grouped(answer.k)), k),
        line(
            "classes",
            grouped(answer.classes),
            format!("a row shares its columns with {} on average", others(answer)),
        ),
    ];
    if let Some(separation) = answer.separation_ratio {
        // What is not quite all is not rounded to it.
        let value = decimal(separation.min(if separation < 1.0 { 0.9999 } else { 1.0 }));
        lines.push(line(
            "separation",
            value,
            format!(
                "of all pairs of {several}, {} differ in at least one of these columns",
                percent(separation)
            ),
        ));
    }
    if let Some(p) = answer.p_sensitivity.filter(|_| answer.sensitive.len() > 1) {
        let meaning = "the fewest different values of any sensitive column in a class";
        lines.push(line("p-sensitivity", format!("p = {}", grouped(p)), meaning));
    }
    if let Some(found) = &answer.disclosure {
        lines.extend(found.lines());
    }
    if let Some(presence) = &answer.presence {
        let (min, max) = (presence.delta_min_value, presence.delta_max_value);
        lines.push(line(
            "delta-presence",
            format!("{} to {}", decimal(min), decimal(max)),
            format!(
                "an outsider can be up to {} sure that somebody of the public table is in this \
                 one",
                percent(max)
            ),
        ));
    }
    lines
}

/// The levels of one sensitive attribute.
pub fn sensitive_lines(answer: &Diagnosis, sensitive: &Sensitive) -> Vec<Line> {
    let mut lines = if sensitive.distinct_l == 1 {
        vec![line("l-diversity", "l = 1", given_away(answer, sensitive))]
    } else {
        diversity(sensitive)
    };
    if let Some(alpha) = sensitive.alpha_value {
        lines.push(line(
            "alpha",
            decimal(alpha),
            format!("somebody is found to have a chosen value with probability {}", percent(alpha)),
        ));
    }
    let distances = [
        ("t, equal", Some(sensitive.t_equal), "all values equally distant"),
        ("t, ordered", sensitive.t_ordered, "distance by rank"),
        ("t, hierarchical", sensitive.t_hierarchical, "distance by the taxonomy"),
    ];
    for (name, t, how) in distances {
        if let Some(t) = t {
            let meaning = format!(
                "the most distinctive class is {} away from the whole table, {how}",
                decimal(t)
            );
            lines.push(line(name, decimal(t), meaning));
        }
    }
    lines
}

/// The levels where every class has two values or more.
fn diversity(sensitive: &Sensitive) -> Vec<Line> {
    vec![
        line(
            "distinct l",
            grouped(sensitive.distinct_l),
            format!(
                "an adversary who finds a person's class has at least {} values to choose from",
                grouped(sensitive.distinct_l)
            ),
        ),
        line(
            "frequency l",
            decimal(sensitive.frequency_l_value),
            format!(
                "the value of the most exposed person is guessed with probability {}",
                percent(1.0 / sensitive.frequency_l_value)
            ),
        ),
        line(
            "entropy l",
            decimal(sensitive.entropy_l),
            format!(
                "the value is at least as uncertain as {} equally likely ones",
                decimal(sensitive.entropy_l)
            ),
        ),
        recursive(sensitive),
    ]
}

/// A class with a single value sets distinct, frequency and entropy l to 1, and recursive to none.
fn given_away(answer: &Diagnosis, sensitive: &Sensitive) -> String {
    let rows = sensitive.rows_disclosed;
    let (one, several) = answer.counted();
    format!(
        "distinct, frequency and entropy l are 1: {} ({}) {} one value with everybody like them, \
         so finding the class discloses it",
        count(rows, one, several),
        share(rows, answer.rows),
        if rows == 1 { "shares" } else { "share" }
    )
}

/// How many other rows are in the class of a row, on average over the rows.
fn others(answer: &Diagnosis) -> String {
    let pairs = |class: &super::SizeCount| {
        let size = Ratio::whole(class.size).value();
        size * (size - 1.0) * Ratio::whole(class.classes).value()
    };
    let total: f64 = answer.class_sizes.iter().map(pairs).sum();
    match average(total / Ratio::whole(answer.rows.max(1)).value()) {
        one if one == "1" => "1 other".into(),
        number => format!("{number} others"),
    }
}

fn recursive(sensitive: &Sensitive) -> Line {
    let name = "recursive (c,l)";
    let reached = sensitive.recursive.iter().filter_map(|(l, c)| c.map(|c| (l, c))).next_back();
    let most = sensitive.recursive.keys().next_back().map_or("", String::as_str);
    match reached {
        Some((l, c)) => line(
            name,
            format!("l = {l}, c > {}", decimal(c)),
            format!(
                "the most frequent value has {} times the rows of those from rank {l} on (l = \
                 {l} is the largest l up to {most} that can hold)",
                decimal(c)
            ),
        ),
        None => line(name, "none", "some class has a single value, so no c is enough"),
    }
}

impl Diagnosis {
    /// What a row is: a person, where nobody has several.
    fn counted(&self) -> (&'static str, &'static str) {
        let counts_rows = self.asked.as_ref().is_some_and(|asked| asked.rows);
        if counts_rows || self.people.is_some() { ("row", "rows") } else { ("person", "people") }
    }

    /// What is to be said first, the worst before the rest.
    pub fn findings(&self) -> Vec<Sentence> {
        let columns = match self.quasi.len() {
            1 => "this one column".into(),
            n => format!("these {} columns", grouped(n as u64)),
        };
        let rows = grouped(self.rows);
        let mut found: Vec<Sentence> = Vec::new();
        let answer = self.suppression_answer();
        let is_answered = answer.is_some();
        found.extend(answer.map(Sentence::from));
        if let Some(people) = &self.people {
            found.extend(people.singled_out(&columns).map(Sentence::from));
            found.extend(self.broken().filter(|_| !is_answered).map(Sentence::from));
            found.extend(people.given_away());
            found.extend(self.goal_missed().map(Sentence::from));
            return found;
        }
        let (one, several) = self.counted();
        let singled_out = match (self.risk.prosecutor.unique, self.rows) {
            (0, _) => None,
            (_, 1) => Some(format!("The only {one} in the table is unique, whatever is known")),
            (n, all) if n == all => {
                Some(format!("All {rows} {several} can be singled out by {columns}"))
            }
            (1, _) => Some(format!("One of {rows} {several} can be singled out by {columns}")),
            (n, _) => {
                Some(format!("{} of {rows} {several} can be singled out by {columns}", grouped(n)))
            }
        };
        found.extend(singled_out.map(Sentence::from));
        found.extend(self.broken().filter(|_| !is_answered).map(Sentence::from));
        found.extend(self.given_away());
        found.extend(self.goal_missed().map(Sentence::from));
        if self.k > 1 {
            let others = count(self.k - 1, "other", "others");
            let words = if one == "row" {
                format!("No row is unique: every row looks like at least {others} in {columns}")
            } else {
                format!("Nobody is unique: everybody looks like at least {others} in {columns}")
            };
            found.push(words.into());
        }
        found
    }

    /// What was asked for and does not hold.
    fn broken(&self) -> Option<String> {
        let (asked, _) = self.promises();
        let failed = asked.iter().filter(|item| !item.holds).count() as u64;
        match (failed, asked.len() as u64) {
            (0, _) if self.holds == Some(false) => Some("What was asked for does not hold".into()),
            (0, _) => None,
            (1, 1) => Some("The promise that was asked for does not hold".into()),
            (failed, all) if failed == all => {
                Some(format!("None of the {} promises asked for holds", grouped(all)))
            }
            (failed, all) => Some(format!(
                "{} of the {} promises asked for {} not hold",
                grouped(failed),
                grouped(all),
                if failed == 1 { "does" } else { "do" }
            )),
        }
    }

    /// The people whose sensitive values are known once their class is, for all columns at once.
    fn given_away(&self) -> Option<Sentence> {
        const MOST: usize = 4;
        let mut worst: Vec<&Sensitive> =
            self.sensitive.iter().filter(|one| one.rows_disclosed > 0).collect();
        worst.sort_by_key(|one| std::cmp::Reverse(one.rows_disclosed));
        let left = worst.len().saturating_sub(MOST);
        worst.truncate(MOST);
        let mut said = Sentence::default();
        for same in worst.chunk_by(|a, b| a.rows_disclosed == b.rows_disclosed) {
            let people = grouped(same[0].rows_disclosed);
            let words = if said.parts().is_empty() {
                let verb = if people == "1" { "gives" } else { "give" };
                let (_, several) = self.counted();
                format!("{people} of {} {several} {verb} away their ", grouped(self.rows))
            } else {
                format!(", {people} their ")
            };
            said = said.and(words).names(same.iter().map(|one| &one.attribute));
        }
        if left > 0 {
            let more = count(left as u64, "more column", "more columns");
            said = said.and(format!(", and so in {more}"));
        }
        let is_any = !said.parts().is_empty();
        is_any.then(|| said.and(": everybody like them has the same value"))
    }

    /// How far the table as it is keeps the plan's goal.
    fn goal_missed(&self) -> Option<String> {
        let (_, goal) = self.promises();
        let kept = goal.iter().filter(|item| item.holds).count() as u64;
        match (kept, goal.len() as u64) {
            (kept, all) if kept == all => None,
            (_, 1) => Some("As it is, the table does not keep the plan's goal".into()),
            (kept, all) => Some(format!(
                "As it is, the table keeps {} of the {} promises of the plan's goal",
                if kept == 0 { "none".into() } else { grouped(kept) },
                grouped(all)
            )),
        }
    }

    /// What was left out of the answer for every subset.
    pub fn left_out_subsets(&self) -> impl Iterator<Item = &String> {
        self.left_out.iter().filter(|said| said.contains("subsets"))
    }
}

impl UniquesAnswer {
    /// The rows that stand alone, by the fewest columns that single them out.
    pub fn by_fewest(&self, answer: &Diagnosis) -> Vec<(u64, String)> {
        if answer.rows == 1 {
            return vec![(1, "alone in the table".into())];
        }
        let columns = |n: u64| format!("by {}", count(n, "column", "columns"));
        let mut parts: Vec<(u64, String)> =
            (1..).zip(&self.by_smallest_set).map(|(size, &rows)| (rows, columns(size))).collect();
        let rest = answer.risk.prosecutor.unique.saturating_sub(self.by_smallest_set.iter().sum());
        let (next, all) = (self.by_smallest_set.len() + 1, answer.quasi.len());
        let rest_by = match next.cmp(&all) {
            Ordering::Less => format!("{} or more", columns(next as u64)),
            Ordering::Equal => format!("by all {}", count(all as u64, "column", "columns")),
            Ordering::Greater => "by sets that were not searched".into(),
        };
        parts.push((rest, rest_by));
        parts.retain(|(rows, _)| *rows > 0);
        parts
    }
}

impl Riskiest {
    /// What singles the row out where no set of columns is named.
    pub fn without_sets(&self, answer: &Diagnosis) -> Option<String> {
        if answer.rows == 1 {
            Some("alone in the table".into())
        } else if self.sets.is_empty() {
            let most = count(self.looked_up_to as u64, "column", "columns");
            Some(format!("only by more than {most}"))
        } else {
            None
        }
    }
}

impl BordersAnswer {
    /// Where the search was not finished, what that means.
    pub fn unfinished(&self) -> Option<String> {
        (!self.complete).then(|| {
            format!(
                "Not finished: sets of more than {} were not all tested",
                count(self.complete_to as u64, "column", "columns")
            )
        })
    }

    /// The titles of the two borders, each with what is said where it is empty.
    pub fn titles(&self) -> [(&'static str, String); 2] {
        if self.complete {
            return [
                ("Largest safe sets", "none: the promise fails for the whole table".into()),
                ("Smallest unsafe sets", "none: every set is safe".into()),
            ];
        }
        let none = match self.complete_to {
            0 => "none among the sets tested; larger ones were not all tested".into(),
            most => format!(
                "none among sets of up to {}; larger ones were not all tested",
                count(most as u64, "column", "columns")
            ),
        };
        [
            (
                "Safe sets found (larger ones may be safe too)",
                "none listed: see what was left out".into(),
            ),
            ("Unsafe sets found (there may be more)", none),
        ]
    }

    /// How the sets were searched.
    pub fn searched(&self) -> &'static str {
        match self.search {
            "level-wise" => "smallest sets first",
            "dualize-and-advance" => "largest sets first",
            other => other,
        }
    }
}
