//! Statements about a sensitive attribute: l-diversity, alpha, and t-closeness.

use std::fmt::Write;

use super::classes::Classes;
use super::extreme::{Extreme, with_extremes};

/// `class`: size `n`, number of values `d`, largest count `r1` and `x` = Σ c ln c. Counting the cells of
/// a class counts NULL as a value; COUNT(DISTINCT …) would not.
pub(super) fn diversity_classes(classes: &Classes, sensitive: &str) -> String {
    let (cells, keys) = (classes.cells(sensitive), classes.keys());
    let (log, all_rows) = (classes.dialect.real("c"), classes.all_rows(sensitive));
    format!(
        "{cells},\nclass AS (\n  SELECT {keys}, SUM(c) AS n, COUNT(*) AS d, MAX(c) AS r1,\n    SUM(c * \
         LN({log})) AS x{all_rows}\n  FROM cell\n  GROUP BY {keys})"
    )
}

/// Distinct, frequency and entropy l, and the rows whose class has one value.
pub(super) fn diversity(classes: &Classes, sensitive: &str) -> String {
    let dialect = classes.dialect;
    let frequency = Extreme { of: "MIN", num: "n", den: "r1", name: "frequency_l".into() };
    let mut figures = vec!["MIN(d) AS distinct_l".into()];
    figures.extend(frequency.figures(dialect, None));
    figures.push(format!("EXP(MIN({})) AS entropy_l", dialect.entropy()));
    figures.push("SUM(CASE WHEN d = 1 THEN n ELSE 0 END) AS rows_disclosed".into());
    let class = diversity_classes(classes, sensitive);
    let level = with_extremes(classes, &class, "n, d, r1, x", &[frequency]);
    format!("{level}\n{}", classes.select(&figures, "level"))
}

/// The number of values of the table.
pub(super) fn values(classes: &Classes, sensitive: &str) -> String {
    let name = classes.dialect.identifier(sensitive);
    format!(
        "WITH cell AS (\n  SELECT {name} AS v\n  FROM {}\n  GROUP BY {name})\nSELECT COUNT(*) AS values_in_table\nFROM cell",
        classes.table()
    )
}

/// `class`: size `n`, largest count `r1`, and further aggregates over the cells of a class by rank `rk`
/// of their count, with `tail`, the sum of the counts from that rank on.
pub(super) fn ranked_classes(classes: &Classes, sensitive: &str, aggregates: &str) -> String {
    let (cells, keys) = (classes.cells(sensitive), classes.keys());
    let all_rows = classes.all_rows(sensitive);
    let m = if all_rows.is_empty() { "" } else { ", m" };
    let by_count = format!("PARTITION BY {keys} ORDER BY c DESC, v");
    format!(
        "{cells},\nranked AS (\n  SELECT {keys}, c{m}, ROW_NUMBER() OVER ({by_count}) AS rk,\n    SUM(c) \
         OVER ({by_count} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS tail,\n    MAX(c) OVER \
         (PARTITION BY {keys}) AS r1\n  FROM cell),\nclass AS (\n  SELECT {keys}, SUM(c) AS n, MAX(c) \
         AS r1, {aggregates}{all_rows}\n  FROM ranked\n  GROUP BY {keys})"
    )
}

/// The tail of a class from rank `l` on; 0 when it has fewer values.
pub(super) fn tail(l: u64) -> String {
    format!("MAX(CASE WHEN rk = {l} THEN tail ELSE 0 END)")
}

/// For l = 2, 3, 4, 5 the infimum of c, NULL when some class has fewer than l values; for c = 1, 2, 3
/// the largest l, 0 for none.
pub(super) fn recursive(classes: &Classes, sensitive: &str) -> String {
    let mut aggregates: Vec<String> = (2..=5).map(|l| format!("{} AS tail{l}", tail(l))).collect();
    aggregates.extend(
        (1..=3).map(|c| format!("MAX(CASE WHEN r1 < {c} * tail THEN rk ELSE 0 END) AS l{c}")),
    );
    let tails: Vec<String> = (2..=5).map(|l| format!("tail{l}")).collect();
    let infima: Vec<Extreme<'_>> = (2..=5)
        .zip(&tails)
        .map(|(l, tail)| Extreme { of: "MAX", num: "r1", den: tail, name: format!("c_for_l_{l}") })
        .collect();
    let mut figures: Vec<String> = Vec::new();
    for (infimum, tail) in infima.iter().zip(&tails) {
        let is_reached = format!("MIN({tail}) > 0");
        figures.extend(infimum.figures(classes.dialect, Some(&is_reached)));
    }
    figures.extend((1..=3).map(|c| format!("MIN(l{c}) AS l_for_c_{c}")));
    let class = ranked_classes(classes, sensitive, &aggregates.join(",\n    "));
    let columns = format!("r1, {}, l1, l2, l3", tails.join(", "));
    let level = with_extremes(classes, &class, &columns, &infima);
    format!("{level}\n{}", classes.select(&figures, "level"))
}

/// The largest share of a chosen value, given as a condition on `v`.
pub(super) fn alpha(classes: &Classes, sensitive: &str, chosen: &str) -> String {
    let (cells, keys) = (classes.cells(sensitive), classes.keys());
    let share = Extreme { of: "MAX", num: "chosen", den: "n", name: "alpha".into() };
    let figures = share.figures(classes.dialect, None);
    let class = format!(
        "{cells},\nclass AS (\n  SELECT {keys}, SUM(c) AS n, MAX(CASE WHEN {chosen} THEN c ELSE 0 END) \
         AS chosen\n  FROM cell\n  GROUP BY {keys})"
    );
    let level = with_extremes(classes, &class, "n, chosen", &[share]);
    format!("{level}\n{}", classes.select(&figures, "level"))
}

/// `class`: size `n` and distance `e` from the whole table, any two values 1 apart. Only values of the
/// class can have a positive difference `d`, and those sum to the distance.
pub(super) fn equal_classes(classes: &Classes, sensitive: &str) -> String {
    let (cells, keys) = (classes.cells(sensitive), classes.keys());
    let dialect = classes.dialect;
    let all_rows = classes.all_rows(sensitive);
    let m = if all_rows.is_empty() { "" } else { ", m" };
    let count = dialect.real("c");
    let of_value = dialect.real(&format!("SUM(c) OVER ({})", classes.partition(Some("v"))));
    let whole = classes.partition(None);
    format!(
        "{cells},\nshare AS (\n  SELECT {keys}, c{m}, {count} / SUM(c) OVER (PARTITION BY {keys})\n    - \
         {of_value} / SUM(c) OVER ({whole}) AS d\n  FROM cell),\nclass AS (\n  SELECT {keys}, SUM(c) AS \
         n, SUM(CASE WHEN d > 0 THEN d ELSE 0 END) AS e{all_rows}\n  FROM share\n  GROUP BY {keys})"
    )
}

/// `class`: size `n` and distance `e` from the whole table, by rank. Each class is filled up with the
/// values it lacks, so that shares can be cumulated over all values; NULL ranks last.
pub(super) fn ordered_classes(classes: &Classes, sensitive: &str) -> String {
    let (cells, keys) = (classes.cells(sensitive), classes.keys());
    let all_rows = classes.all_rows(sensitive);
    let (m, none) = if all_rows.is_empty() { ("", "") } else { (", m", ", 0") };
    let mut text = format!(
        "{cells},\nfilled AS (\n  SELECT {keys}, v, SUM(c) AS c{all_rows}\n  FROM (\n    SELECT {keys}, \
         v, c{m} FROM cell\n    UNION ALL\n    SELECT {keys}, v, 0{none}\n    FROM (SELECT {keys} FROM cell GROUP BY \
         {keys}) class\n    CROSS JOIN (SELECT v FROM cell GROUP BY v) domain) cell\n  GROUP BY {keys}, \
         v)"
    );
    let of_value = classes.partition(Some("v"));
    let _ = write!(
        text,
        ",\nweighted AS (\n  SELECT {keys}, v, c{m}, SUM(c) OVER ({of_value}) AS w\n  FROM filled)"
    );
    let run = format!(
        "PARTITION BY {keys} ORDER BY v NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    );
    let upto = |count: &str| classes.dialect.real(&format!("SUM({count}) OVER ({run})"));
    let (p, q) = (upto("c"), upto("w"));
    let _ = write!(
        text,
        ",\nshare AS (\n  SELECT {keys}, c{m},\n    {p} / SUM(c) OVER (PARTITION BY {keys})\n    - {q} / \
         SUM(w) OVER (PARTITION BY {keys}) AS d\n  FROM weighted),\nclass AS (\n  SELECT {keys}, \
         SUM(c) AS n, COALESCE(SUM(ABS(d)) / NULLIF(COUNT(*) - 1, 0), 0) AS e{all_rows}\n  FROM share\n  GROUP \
         BY {keys})"
    );
    text
}

/// The largest distance of a class from the whole table.
pub(super) fn distance(classes: &Classes, class: &str, name: &str) -> String {
    format!("{class}\n{}", classes.select(&[format!("MAX(e) AS {name}")], "class"))
}

/// The fewest values of any of these attributes in a class.
pub(super) fn p_sensitivity(classes: &Classes, sensitive: &[&str]) -> String {
    let values = sensitive.iter().zip(1..).map(|(name, i)| {
        let ignores = classes.ignores(name);
        let name = classes.dialect.identifier(name);
        if ignores {
            return format!("NULLIF(COUNT(DISTINCT {name}), 0) AS d{i}");
        }
        format!("COUNT(DISTINCT {name}) + MAX(CASE WHEN {name} IS NULL THEN 1 ELSE 0 END) AS d{i}")
    });
    let columns: Vec<String> = ["COUNT(*) AS n".to_owned()].into_iter().chain(values).collect();
    let class = classes.first("class", |_| columns.clone(), None);
    let fewest: Vec<String> = (1..=sensitive.len()).map(|i| format!("MIN(d{i})")).collect();
    let least = classes.dialect.least(&fewest);
    let figures = ["MIN(n) AS k".into(), format!("{least} AS p_sensitivity")];
    format!("{class}\n{}", classes.select(&figures, "class"))
}
