//! Statements about the sizes of classes: k, ratios, risk, and what suppression buys.

use kohort_core::Ratio;

use super::classes::Classes;
use super::extreme::{Extreme, with_extremes};
use crate::goal::statement::times;

const RUN: &str = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";

/// The rows of classes smaller than `k`.
fn smaller(k: u64) -> String {
    format!("SUM(CASE WHEN n < {k} THEN n ELSE 0 END)")
}

/// k, the number of classes, and the ratios that tell a quasi-identifier.
pub(super) fn levels(classes: &Classes) -> String {
    let dialect = classes.dialect;
    let pairs = "SUM(n) * (SUM(n) - 1)";
    let figures = [
        "SUM(n) AS n_rows".into(),
        "MIN(n) AS k".into(),
        "COUNT(*) AS classes".into(),
        format!("{} / SUM(n) AS distinct_ratio", dialect.real("COUNT(*)")),
        format!(
            "{} / NULLIF({pairs}, 0) AS separation_ratio",
            dialect.real(&format!("{pairs} - SUM(n * (n - 1))"))
        ),
    ];
    format!("{}\n{}", classes.sizes(), classes.select(&figures, "class"))
}

/// How many classes there are of each size.
pub(super) fn histogram(classes: &Classes) -> String {
    let (sizes, flags) = (classes.sizes(), classes.flags());
    let list = classes.list(&["n AS size".into(), "COUNT(*) AS classes".into()]);
    let sets = if flags.is_empty() { String::new() } else { classes.order() + ", " };
    format!("{sizes}\nSELECT {list}\nFROM class\nGROUP BY {flags}n\nORDER BY {sets}n")
}

/// The risk of the most exposed row, the mean risk, and the rows above thresholds.
pub(super) fn prosecutor(classes: &Classes) -> String {
    let real = |expression: &str| classes.dialect.real(expression);
    let mut figures = vec![
        format!("{} / MIN(n) AS risk_max", real("1")),
        format!("{} / SUM(n) AS risk_mean", real("COUNT(*)")),
        format!("{} AS rows_unique", smaller(2)),
    ];
    for one_in in [5, 10, 20] {
        figures.push(format!("{} AS rows_above_1_in_{one_in}", smaller(one_in)));
        figures.push(format!("{} / SUM(n) AS share_above_1_in_{one_in}", real(&smaller(one_in))));
    }
    format!("{}\n{}", classes.sizes(), classes.select(&figures, "class"))
}

/// The rows that are alone in their class.
pub(super) fn alone(classes: &Classes) -> String {
    let figures = [format!("{} AS rows_unique", smaller(2))];
    format!("{}\n{}", classes.sizes(), classes.select(&figures, "class"))
}

/// The rows to drop for `k` and their share.
pub(super) fn suppression_for(classes: &Classes, k: u64) -> String {
    let figures = [
        format!("{} AS suppressed", smaller(k)),
        format!("{} / SUM(n) AS suppression", classes.dialect.real(&smaller(k))),
    ];
    format!("{}\n{}", classes.sizes(), classes.select(&figures, "class"))
}

/// Whether dropping at most this share of the rows reaches `k`.
pub(super) fn reaches(classes: &Classes, k: u64, share: Ratio) -> String {
    let (rows, budget) = (times(&smaller(k), share.den()), times("SUM(n)", share.num()));
    let figures = [format!("{} AS suppressed", smaller(k)), format!("{rows} <= {budget} AS holds")];
    format!("{}\n{}", classes.sizes(), classes.select(&figures, "class"))
}

/// `step`: for each size of classes, the rows `dropped` when all classes up to it go.
fn steps(classes: &Classes) -> String {
    let (sizes, flags) = (classes.sizes(), classes.flags());
    let set = classes.partition(None);
    let by_size = format!("{set} ORDER BY size {RUN}");
    let by_size = by_size.trim_start();
    format!(
        "{sizes},\nhistogram AS (\n  SELECT {flags}n AS size, SUM(n) AS n\n  FROM class\n  GROUP BY \
         {flags}n),\nstep AS (\n  SELECT {flags}size, n, SUM(n) OVER ({by_size}) AS dropped,\n    \
         SUM(n) OVER ({set}) AS total\n  FROM histogram)"
    )
}

/// The largest k that dropping at most this share of the rows reaches, NULL when all may go.
pub(super) fn reached(classes: &Classes, share: Ratio) -> String {
    let (rows, budget) = (times("dropped", share.den()), times("total", share.num()));
    let figures = [
        format!("MIN(CASE WHEN {rows} > {budget} THEN size END) AS k_after"),
        format!("MAX(CASE WHEN {rows} <= {budget} THEN dropped ELSE 0 END) AS suppressed"),
    ];
    format!("{}\n{}", steps(classes), classes.select(&figures, "step"))
}

/// Every k that can be reached with the rows to drop for it.
pub(super) fn curve(classes: &Classes) -> String {
    let list = classes.list(&["size AS k".into(), "dropped - n AS suppressed".into()]);
    let sets = if classes.flags().is_empty() { String::new() } else { classes.order() + ", " };
    format!("{}\nSELECT {list}\nFROM step\nORDER BY {sets}size", steps(classes))
}

/// Membership and linking against a public table. Counting both tables in one grouping needs no join.
pub(super) fn presence(classes: &Classes, public: &str) -> String {
    let dialect = classes.dialect;
    let (quasi, table) = (classes.quasi(), classes.table());
    let named = quasi.iter().zip(1..).map(|(name, i)| format!("{name} AS q{i}, "));
    let (named, keys, columns) = (named.collect::<String>(), classes.keys(), quasi.join(", "));
    let person = format!(
        "WITH person AS (\n  SELECT {named}1 AS f, 0 AS p\n  FROM {table}\n  UNION ALL\n  SELECT \
         {columns}, 0, 1\n  FROM {public}),\nclass AS (\n  SELECT {keys}, SUM(f) AS f, SUM(p) AS p,\n    \
         CASE WHEN SUM(f) < SUM(p) THEN SUM(f) ELSE SUM(p) END AS covered\n  FROM person\n  GROUP BY {keys})"
    );
    let extremes = ["MIN", "MAX"].map(|of| Extreme {
        of,
        num: "covered",
        den: "p",
        name: format!("delta_{}", of.to_lowercase()),
    });
    let population = "CASE WHEN f < p THEN p ELSE f END";
    let (one, linked) = (dialect.real("1"), format!("{} / ({population})", dialect.real("f")));
    let mut figures: Vec<String> =
        extremes.iter().flat_map(|extreme| extreme.figures(dialect, None)).collect();
    figures.extend([
        "SUM(CASE WHEN p < f THEN f ELSE 0 END) AS rows_not_covered".into(),
        format!("{one} / MIN(CASE WHEN f > 0 THEN {population} END) AS journalist"),
        format!("SUM({linked}) / SUM(f) AS marketer"),
    ]);
    let level = with_extremes(classes, &person, "f, p, covered", &extremes);
    format!("{level}\nSELECT {}\nFROM level", figures.join(",\n  "))
}

/// Linking against a population of which nothing is known but that the table is a part of it.
pub(super) fn linking_bound(classes: &Classes) -> String {
    let (one, all) = (classes.dialect.real("1"), classes.dialect.real("COUNT(*)"));
    let figures = [format!("{one} / MIN(n) AS journalist"), format!("{all} / SUM(n) AS marketer")];
    format!("{}\n{}", classes.sizes(), classes.select(&figures, "class"))
}
