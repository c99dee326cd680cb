//! The classes of one attribute set, or of every subset of it, as common table expressions.
//!
//! # Method
//! 1. The first expression of a statement is the only one that names the table, so that no name of
//!    ours can hide it. It calls the quasi-identifiers `q1`, `q2`, … and the sensitive attribute `v`.
//! 2. For subsets it groups by grouping sets. `GROUPING` gives the flags `g1`, `g2`, …: 1 for an
//!    attribute that is not in the set, which NULL alone would not tell from a missing value.
//! 3. All that follows groups by keys (flags and attributes) for classes, and by flags for sets. Both
//!    GROUP BY and PARTITION BY take NULL for equal to itself; nothing is joined.

use super::text::{identifier, literal};
use crate::Error;
use crate::error::refused;
use kohort_core::{Setting, message};

/// The most grouping sets that PostgreSQL takes in one statement.
const MOST_SETS: u64 = 4096;
/// The most columns that PostgreSQL takes in a CUBE.
const MOST_IN_CUBE: usize = 12;

/// How rows are put into classes.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    table: String,
    quasi: Vec<String>,
    group_by: String,
    // Empty for one set.
    flags: Vec<String>,
    // The attributes of a set by name, as an expression over the flags.
    attributes: String,
    // The sensitive attributes of which a row without a value says nothing.
    ignored: Vec<String>,
}

impl Classes {
    /// The classes of these attributes together.
    pub(super) fn of_all(table: &str, quasi: &[&str]) -> Self {
        let quasi: Vec<String> = quasi.iter().map(|name| identifier(name)).collect();
        Self {
            table: identifier(table),
            group_by: quasi.join(", "),
            quasi,
            flags: Vec::new(),
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
        table: &str,
        quasi: &[&str],
        most: Option<usize>,
    ) -> Result<Self, Error> {
        let n = quasi.len();
        let most = most.unwrap_or(n).min(n);
        if n_sets(n, most) > MOST_SETS {
            return Err(too_many(n, most));
        }
        let all = Self::of_all(table, quasi);
        let group_by = if most == n && n <= MOST_IN_CUBE {
            format!("CUBE ({})", all.quasi.join(", "))
        } else {
            grouping_sets(&all.quasi, 0, most)
        };
        Ok(all.with_sets(quasi, group_by))
    }

    /// The classes of every attribute and every pair of them.
    pub(super) fn of_pairs(table: &str, quasi: &[&str]) -> Self {
        let all = Self::of_all(table, quasi);
        let group_by = grouping_sets(&all.quasi, 1, 2);
        all.with_sets(quasi, group_by)
    }

    fn with_sets(self, quasi: &[&str], group_by: String) -> Self {
        let flags: Vec<String> = (1..=quasi.len()).map(|i| format!("g{i}")).collect();
        let names = flags.iter().zip(quasi).map(|(flag, name)| {
            format!("CASE WHEN {flag} = 0 THEN {} ELSE '' END", literal(&format!(", {name}")))
        });
        let attributes = format!("SUBSTR({}, 3)", names.collect::<Vec<_>>().join(" || "));
        Self { group_by, flags, attributes, ..self }
    }

    /// `class`: the size `n` of each class.
    pub(super) fn sizes(&self) -> String {
        let columns = self.flag_columns().chain(["COUNT(*) AS n".into()]);
        self.first("class", columns, &self.group_by)
    }

    /// `cell`: the number `c` of rows of each value `v` of a column in each class.
    pub(super) fn cells(&self, sensitive: &str) -> String {
        let ignores = self.ignores(sensitive);
        let sensitive = identifier(sensitive);
        let quasi = self.quasi.iter().zip(1..).map(|(name, i)| format!("{name} AS q{i}"));
        let columns = self
            .flag_columns()
            .chain(quasi)
            .chain([format!("{sensitive} AS v"), "COUNT(*) AS c".into()]);
        let group_by = format!("{sensitive}, {}", self.group_by);
        let only = if ignores { format!("{sensitive} IS NOT NULL") } else { String::new() };
        self.first_where("cell", columns, &only, &group_by)
    }

    /// A first expression over the rows of each class.
    pub(super) fn first(
        &self,
        name: &str,
        columns: impl Iterator<Item = String>,
        group_by: &str,
    ) -> String {
        self.first_where(name, columns, "", group_by)
    }

    /// The same over some of the rows.
    fn first_where(
        &self,
        name: &str,
        columns: impl Iterator<Item = String>,
        only: &str,
        group_by: &str,
    ) -> String {
        let columns = columns.collect::<Vec<_>>().join(", ");
        let only = if only.is_empty() { String::new() } else { format!("  WHERE {only}\n") };
        format!(
            "WITH {name} AS (\n  SELECT {columns}\n  FROM {}\n{only}  GROUP BY {group_by})",
            self.table
        )
    }

    /// What GROUP BY says.
    pub(super) fn group_by(&self) -> &str {
        &self.group_by
    }

    /// The quasi-identifiers, quoted.
    pub(super) fn quasi(&self) -> &[String] {
        &self.quasi
    }

    /// The table, quoted.
    pub(super) fn table(&self) -> &str {
        &self.table
    }

    fn flag_columns(&self) -> impl Iterator<Item = String> {
        self.quasi.iter().zip(&self.flags).map(|(name, flag)| format!("GROUPING({name}) AS {flag}"))
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

fn too_many(n: usize, most: usize) -> Error {
    let fits = (1..most).rev().find(|&size| n_sets(n, size) <= MOST_SETS);
    let hint = fits.map_or(message!("name fewer columns with {}", Setting::Quasi), |size| {
        message!(
            "stop at smaller sets with {}, or name fewer columns with {}",
            Setting::MaxSize.to(size),
            Setting::Quasi
        )
    });
    let (found, limit) = (n_sets(n, most), MOST_SETS);
    refused(
        format!(
            "a statement takes at most {limit} attribute sets, but {n} quasi-identifiers have {found}"
        ),
        hint,
    )
}

fn grouping_sets(quasi: &[String], least: usize, most: usize) -> String {
    let mut sets = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..most {
        let end = sets.len();
        for at in start..end {
            let set: Vec<usize> = sets[at].clone();
            for next in set.last().map_or(0, |last| last + 1)..quasi.len() {
                sets.push(set.iter().copied().chain([next]).collect());
            }
        }
        start = end;
    }
    let named = sets.iter().filter(|set| set.len() >= least).map(|set| {
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
        let group_by = |most| Classes::of_subsets("r", &["a", "b", "c"], most).unwrap().group_by;
        assert_eq!(group_by(None), r#"CUBE ("a", "b", "c")"#);
        assert_eq!(group_by(Some(9)), r#"CUBE ("a", "b", "c")"#);
        assert_eq!(group_by(Some(1)), r#"GROUPING SETS ((), ("a"), ("b"), ("c"))"#);
        let pairs = Classes::of_pairs("r", &["a", "b"]).group_by;
        assert_eq!(pairs, r#"GROUPING SETS (("a"), ("b"), ("a", "b"))"#);
    }

    #[test]
    fn too_many_sets_name_the_size_that_fits() {
        let names: Vec<String> = (0..13).map(|i| i.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(Classes::of_subsets("r", &names[..12], None).is_ok());
        let error = Classes::of_subsets("r", &names, None).unwrap_err();
        assert!(error.to_string().ends_with("13 quasi-identifiers have 8192"), "{error}");
        assert!(error.hint().unwrap().contains("`max_size = 6`"), "{:?}", error.hint());
        assert!(Classes::of_subsets("r", &names, Some(6)).is_ok());
    }
}
