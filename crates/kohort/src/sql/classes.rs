//! The classes of one attribute set, or of every subset of it, as common table expressions.
//!
//! # Method
//! 1. The first expression of a statement is the only one that names the table, so that no name of
//!    ours can hide it. It calls the quasi-identifiers `q1`, `q2`, … and the sensitive attribute `v`.
//! 2. For subsets it groups by grouping sets. `GROUPING` gives the flags `g1`, `g2`, …: 1 for an
//!    attribute that is not in the set, which NULL alone would not tell from a missing value.
//! 3. All that follows groups by keys (flags and attributes) for classes, and by flags for sets. Both
//!    GROUP BY and PARTITION BY take NULL for equal to itself; nothing is joined.

use super::Dialect;
use crate::Error;
use crate::error::refused;
use kohort_core::{Setting, message};

/// The most grouping sets that PostgreSQL takes in one statement.
const MOST_SETS: u64 = 4096;
/// The most SELECTs that SQLite takes in one statement.
const MOST_SELECTS: u64 = 500;
/// The most columns that PostgreSQL takes in a CUBE.
const MOST_IN_CUBE: usize = 12;

/// How rows are put into classes.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    pub(super) dialect: Dialect,
    // What stands after FROM.
    table: String,
    quasi: Vec<String>,
    group_by: String,
    // Empty for one set.
    flags: Vec<String>,
    // Each set with the indices of its attributes, where the dialect has no grouping sets.
    sets: Vec<Vec<usize>>,
    // The attributes of a set by name, as an expression over the flags.
    attributes: String,
    // The sensitive attributes of which a row without a value says nothing.
    ignored: Vec<String>,
}

impl Classes {
    /// The classes of these attributes together.
    pub(super) fn of_all(dialect: Dialect, table: &str, quasi: &[&str]) -> Self {
        let quasi: Vec<String> = quasi.iter().map(|name| dialect.identifier(name)).collect();
        Self {
            dialect,
            table: table.to_owned(),
            group_by: quasi.join(", "),
            quasi,
            flags: Vec::new(),
            sets: Vec::new(),
            attributes: String::new(),
            ignored: Vec::new(),
        }
    }

    /// The same classes, where rows without a value of these sensitive attributes say nothing.
    pub(super) fn ignoring<'n>(self, columns: impl Iterator<Item = &'n str>) -> Self {
        Self { ignored: columns.map(str::to_owned).collect(), ..self }
    }

    /// Whether a row without a value of a sensitive attribute says nothing.
    pub(super) fn ignores(&self, sensitive: &str) -> bool {
        self.ignored.iter().any(|name| name == sensitive)
    }

    /// The classes of every subset of up to `most` of these attributes.
    pub(super) fn of_subsets(
        dialect: Dialect,
        table: &str,
        quasi: &[&str],
        most: Option<usize>,
    ) -> Result<Self, Error> {
        let n = quasi.len();
        let most = most.unwrap_or(n).min(n);
        let limit = if dialect == Dialect::Sqlite { MOST_SELECTS } else { MOST_SETS };
        if n_sets(n, most) > limit {
            return Err(too_many(n, most, limit));
        }
        let all = Self::of_all(dialect, table, quasi);
        let is_cube = most == n && n <= MOST_IN_CUBE;
        Ok(all.with_sets(quasi, sets(n, 0, most), is_cube))
    }

    /// The classes of every attribute and every pair of them; none where a statement cannot have them all.
    pub(super) fn of_pairs(dialect: Dialect, table: &str, quasi: &[&str]) -> Option<Self> {
        let sets = sets(quasi.len(), 1, 2);
        if dialect == Dialect::Sqlite && sets.len() as u64 > MOST_SELECTS {
            return None;
        }
        Some(Self::of_all(dialect, table, quasi).with_sets(quasi, sets, false))
    }

    fn with_sets(self, quasi: &[&str], sets: Vec<Vec<usize>>, is_cube: bool) -> Self {
        let flags: Vec<String> = (1..=quasi.len()).map(|i| format!("g{i}")).collect();
        let names = flags.iter().zip(quasi).map(|(flag, name)| {
            let name = self.dialect.literal(&format!(", {name}"));
            format!("CASE WHEN {flag} = 0 THEN {name} ELSE '' END")
        });
        let attributes = format!("SUBSTR({}, 3)", names.collect::<Vec<_>>().join(" || "));
        if self.dialect == Dialect::Sqlite {
            return Self { flags, sets, attributes, ..self };
        }
        let group_by = if is_cube {
            format!("CUBE ({})", self.quasi.join(", "))
        } else {
            grouping_sets(&self.quasi, &sets)
        };
        Self { group_by, flags, attributes, ..self }
    }

    /// `class`: the size `n` of each class.
    pub(super) fn sizes(&self) -> String {
        let count = ["COUNT(*) AS n".to_owned()];
        self.first("class", |set| self.flags_of(set).chain(count.clone()).collect(), None)
    }

    /// `cell`: the number `c` of rows of each value `v` of a column in each class. Where a row without a value
    /// says nothing, it is in no cell, and `m` is the number of all rows of the class.
    pub(super) fn cells(&self, sensitive: &str) -> String {
        let name = self.dialect.identifier(sensitive);
        let columns = |set: Option<&Vec<usize>>| {
            let also = [format!("{name} AS v"), "COUNT(*) AS c".to_owned()];
            self.flags_of(set).chain(self.quasi_of(set)).chain(also).collect()
        };
        if !self.ignores(sensitive) {
            return self.first("cell", columns, Some(&name));
        }
        let (counted, keys) = (self.first("counted", columns, Some(&name)), self.keys());
        format!(
            "{counted},\ncell AS (\n  SELECT {keys}, v, c, m\n  FROM (SELECT {keys}, v, c, SUM(c) OVER \
             (PARTITION BY {keys}) AS m\n    FROM counted) counted\n  WHERE v IS NOT NULL)"
        )
    }

    /// The number of all rows of a class, as a further aggregate over its cells; nothing where that is their sum.
    pub(super) fn all_rows(&self, sensitive: &str) -> &'static str {
        if self.ignores(sensitive) { ", MAX(m) AS m" } else { "" }
    }

    /// A first expression over the rows of each class: its columns for a set, or for whatever GROUP BY says.
    pub(super) fn first(
        &self,
        name: &str,
        columns: impl Fn(Option<&Vec<usize>>) -> Vec<String>,
        also: Option<&str>,
    ) -> String {
        let select = |set: Option<&Vec<usize>>, group_by: Vec<&str>| {
            let columns = columns(set).join(", ");
            let group_by = group_by.join(", ");
            let grouped =
                if group_by.is_empty() { group_by } else { format!("\n  GROUP BY {group_by}") };
            format!("  SELECT {columns}\n  FROM {}{grouped}", self.table)
        };
        if self.sets.is_empty() {
            let group_by = also.into_iter().chain([self.group_by.as_str()]).collect();
            return format!("WITH {name} AS (\n{})", select(None, group_by));
        }
        let selects = self.sets.iter().map(|set| {
            let members = set.iter().map(|&at| self.quasi[at].as_str());
            select(Some(set), also.into_iter().chain(members).collect())
        });
        let selects: Vec<String> = selects.collect();
        format!("WITH {name} AS (\n{})", selects.join("\n  UNION ALL\n"))
    }

    /// The quasi-identifiers, quoted.
    pub(super) fn quasi(&self) -> &[String] {
        &self.quasi
    }

    /// The table, quoted.
    pub(super) fn table(&self) -> &str {
        &self.table
    }

    /// The flags of a set, or of whatever GROUP BY says.
    fn flags_of<'s>(&'s self, set: Option<&'s Vec<usize>>) -> impl Iterator<Item = String> + 's {
        let flag = move |(at, (name, flag)): (usize, (&String, &String))| match set {
            Some(set) => format!("{} AS {flag}", u8::from(!set.contains(&at))),
            None => format!("GROUPING({name}) AS {flag}"),
        };
        self.quasi.iter().zip(&self.flags).enumerate().map(flag)
    }

    /// The quasi-identifiers by our names, NULL where a set has them not.
    fn quasi_of<'s>(&'s self, set: Option<&'s Vec<usize>>) -> impl Iterator<Item = String> + 's {
        let column = move |(at, name): (usize, &String)| match set {
            Some(set) if !set.contains(&at) => format!("NULL AS q{}", at + 1),
            _ => format!("{name} AS q{}", at + 1),
        };
        self.quasi.iter().enumerate().map(column)
    }

    /// What a statement is about, in words.
    pub(super) fn scope(&self) -> &'static str {
        if self.flags.is_empty() { "" } else { ", for every subset" }
    }

    /// What tells classes apart.
    pub(super) fn keys(&self) -> String {
        let quasi = (1..=self.quasi.len()).map(|i| format!("q{i}"));
        self.flags.iter().cloned().chain(quasi).collect::<Vec<_>>().join(", ")
    }

    /// The flags, each followed by a comma.
    pub(super) fn flags(&self) -> String {
        self.flags.iter().flat_map(|flag| [flag, ", "]).collect()
    }

    /// A window over the rows of the same set, split further by `also`.
    pub(super) fn partition(&self, also: Option<&str>) -> String {
        let columns: Vec<&str> = self.flags.iter().map(String::as_str).chain(also).collect();
        if columns.is_empty() {
            String::new()
        } else {
            format!("PARTITION BY {}", columns.join(", "))
        }
    }

    /// The last SELECT: figures over the classes of each set, the smallest set first.
    pub(super) fn select(&self, figures: &[String], from: &str) -> String {
        let list = self.list(figures);
        if self.flags.is_empty() {
            return format!("SELECT {list}\nFROM {from}");
        }
        let flags = self.flags.join(", ");
        format!("SELECT {list}\nFROM {from}\nGROUP BY {flags}\nORDER BY {}", self.order())
    }

    /// The columns of a last SELECT: the attributes of the set, for subsets, and the figures.
    pub(super) fn list(&self, figures: &[String]) -> String {
        let attributes = format!("{} AS attributes", self.attributes);
        let attributes = (!self.flags.is_empty()).then_some(attributes);
        attributes.iter().chain(figures).map(String::as_str).collect::<Vec<_>>().join(",\n  ")
    }

    /// The smallest set first; not to be asked of one set.
    pub(super) fn order(&self) -> String {
        format!("{} DESC, {}", self.flags.join(" + "), self.flags.join(", "))
    }
}

/// The number of subsets of at most `most` of `n` attributes, as far as it fits.
fn n_sets(n: usize, most: usize) -> u64 {
    let mut of_size = 1_u64;
    let mut total = 1_u64;
    for size in 1..=most as u64 {
        of_size = of_size.saturating_mul(n as u64 - size + 1) / size;
        total = total.saturating_add(of_size);
    }
    total
}

fn too_many(n: usize, most: usize, limit: u64) -> Error {
    let fits = (1..most).rev().find(|&size| n_sets(n, size) <= limit);
    let hint = fits.map_or(message!("name fewer columns with {}", Setting::Quasi), |size| {
        message!(
            "stop at smaller sets with {}, or name fewer columns with {}",
            Setting::MaxSize.to(size),
            Setting::Quasi
        )
    });
    let found = n_sets(n, most);
    refused(
        format!(
            "a statement takes at most {limit} attribute sets, but {n} quasi-identifiers have {found}"
        ),
        hint,
    )
}

/// The sets of `least` to `most` of `n` attributes, the smallest first.
fn sets(n: usize, least: usize, most: usize) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..most {
        let end = sets.len();
        for at in start..end {
            let set: Vec<usize> = sets[at].clone();
            for next in set.last().map_or(0, |last| last + 1)..n {
                sets.push(set.iter().copied().chain([next]).collect());
            }
        }
        start = end;
    }
    sets.retain(|set| set.len() >= least);
    sets
}

fn grouping_sets(quasi: &[String], sets: &[Vec<usize>]) -> String {
    let named = sets.iter().map(|set| {
        let names: Vec<&str> = set.iter().map(|&i| quasi[i].as_str()).collect();
        format!("({})", names.join(", "))
    });
    format!("GROUPING SETS ({})", named.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sets_are_listed_and_all_sets_are_a_cube() {
        let group_by = |most| {
            Classes::of_subsets(Dialect::Postgres, "r", &["a", "b", "c"], most).unwrap().group_by
        };
        assert_eq!(group_by(None), r#"CUBE ("a", "b", "c")"#);
        assert_eq!(group_by(Some(9)), r#"CUBE ("a", "b", "c")"#);
        assert_eq!(group_by(Some(1)), r#"GROUPING SETS ((), ("a"), ("b"), ("c"))"#);
        let pairs = Classes::of_pairs(Dialect::Postgres, "r", &["a", "b"]).unwrap().group_by;
        assert_eq!(pairs, r#"GROUPING SETS (("a"), ("b"), ("a", "b"))"#);
    }

    #[test]
    fn too_many_sets_name_the_size_that_fits() {
        let names: Vec<String> = (0..13).map(|i| i.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(Classes::of_subsets(Dialect::Postgres, "r", &names[..12], None).is_ok());
        let error = Classes::of_subsets(Dialect::Postgres, "r", &names, None).unwrap_err();
        assert!(error.to_string().ends_with("13 quasi-identifiers have 8192"), "{error}");
        assert!(error.hint().unwrap().contains("`max_size = 6`"), "{:?}", error.hint());
        assert!(Classes::of_subsets(Dialect::Postgres, "r", &names, Some(6)).is_ok());
    }
}
