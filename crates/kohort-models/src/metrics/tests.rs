//! The printed figures, and each metric against its definition written out.

use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Cell, Cells, Codes, Column, Dictionary, Domain, Labels, Level, Missing, Role, Table,
    Taxonomy, Tree,
};

use super::{METRICS, Measured, Score, Undefined, whd};

/// A column of texts, with the lines of a taxonomy if it has one.
fn attribute(texts: &[&str], lines: Option<&[&str]>) -> Attribute {
    labeled(texts, lines, Labels::Names)
}

/// The same with labels of a kind.
fn labeled(texts: &[&str], lines: Option<&[&str]>, labels: Labels) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for (line, text) in (2..).zip(texts) {
        codes.push(dictionary.intern(text.as_bytes(), line).unwrap());
    }
    let column = Column::new("c".into(), dictionary, codes, &Missing::default());
    let table = Table::new("t".into(), vec![column], true, Missing::default());
    let column = &table.columns()[0];
    let domain = Domain::new(&table, column, None, &|_| false).unwrap();
    let taxonomy = lines.map(|lines| {
        let (tree, positions) = tree(lines, &domain, column);
        (tree.with_labels(labels), positions)
    });
    Attribute::new(&table, "c", Role::Quasi, domain, taxonomy).unwrap()
}

fn tree(lines: &[&str], domain: &Domain, column: &Column) -> (Taxonomy, Vec<u32>) {
    let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.split(';').collect()).collect();
    let leaves: Vec<Option<u32>> = lines.iter().map(|line| domain.find(line[0], column)).collect();
    let level = |level: usize| {
        let mut labels: Vec<String> = Vec::new();
        let group_of_leaf = lines.iter().map(|line| {
            let found = labels.iter().position(|label| label == line[level]);
            u32::try_from(found.unwrap_or_else(|| {
                labels.push(line[level].to_owned());
                labels.len() - 1
            }))
            .unwrap()
        });
        let group_of_leaf = group_of_leaf.collect();
        Level { group_of_leaf, labels }
    };
    let levels: Vec<Level> = (1..lines[0].len()).map(level).collect();
    Taxonomy::build(Tree {
        leaves: &leaves,
        label: &|leaf| lines[leaf][0].to_owned(),
        levels: &levels,
        n_values: u32::try_from(domain.entries().len()).unwrap(),
        missing: false,
        is_ordered: domain.values().value_type().is_ordered(),
    })
    .unwrap()
}

/// A release: rows grouped by what they show.
struct Release {
    quasi: Vec<Attribute>,
    cells: Cells,
    sizes: Vec<u64>,
    n_suppressed: u64,
}

impl Release {
    /// What each row shows; `None` for a row that is not published.
    fn new(quasi: Vec<Attribute>, rows: &[Option<Vec<Cell>>]) -> Self {
        let mut classes: BTreeMap<&[Cell], u64> = BTreeMap::new();
        for cells in rows.iter().flatten() {
            *classes.entry(cells).or_default() += 1;
        }
        let cells = classes.keys().flat_map(|cells| cells.iter().copied());
        let cells = Cells::from_rows(quasi.len(), cells);
        let sizes: Vec<u64> = classes.into_values().collect();
        let n_suppressed = rows.len() as u64 - sizes.iter().sum::<u64>();
        Self { quasi, cells, sizes, n_suppressed }
    }

    fn with<T>(&self, k: u64, measure: impl Fn(&Measured<'_>) -> T) -> T {
        let quasi: Vec<&Attribute> = self.quasi.iter().collect();
        measure(&Measured {
            quasi: &quasi,
            weights: &vec![1.0; quasi.len()],
            n_rows: quasi[0].codes().len() as u64,
            cells: &self.cells,
            sizes: &self.sizes,
            groups: &self.sizes,
            n_suppressed: self.n_suppressed,
            k,
        })
    }

    fn score(&self, id: &str, k: u64) -> Result<Score, Undefined> {
        let metric = METRICS.iter().find(|metric| metric.id == id).unwrap();
        self.with(k, metric.measure)
    }

    fn check(&self, id: &str, k: u64, expected: f64) {
        let score = self.score(id, k).unwrap();
        assert!((score.value - expected).abs() < 5e-5, "{id}: {} is not {expected}", score.value);
        let (lo, hi) = score.bounds;
        assert!(lo <= score.value + 1e-12 && score.value <= hi + 1e-12, "{id} is out of bounds");
    }
}

/// Sharma et al., Table 2 with hierarchies of ours.
fn table_2() -> Vec<Attribute> {
    let zips = ["13051", "13053", "13063", "13068", "14851", "14856", "14867", "14869"];
    let masked: Vec<String> = (zips.iter())
        .map(|zip| format!("{zip};{}*;{}**;{}***;*", &zip[..4], &zip[..3], &zip[..2]))
        .collect();
    let masked: Vec<&str> = masked.iter().map(String::as_str).collect();
    let ages = [
        "21;[20-30];[20-40];*",
        "26;[20-30];[20-40];*",
        "33;[31-40];[20-40];*",
        "37;[31-40];[20-40];*",
        "45;[41-50];[41-60];*",
        "48;[41-50];[41-60];*",
        "53;[51-60];[41-60];*",
        "59;[51-60];[41-60];*",
    ];
    let values = ages.map(|line| line.split(';').next().unwrap());
    let genders = ["M", "F", "M", "F", "M", "F", "M", "F"];
    vec![
        attribute(&zips, Some(&masked)),
        labeled(&values, Some(&ages), Labels::Intervals),
        attribute(&genders, Some(&["M;Person", "F;Person"])),
    ]
}

/// The cell of a row raised to a level.
fn raised(attribute: &Attribute, row: usize, level: u32) -> Cell {
    let leaf = attribute.codes().get(row);
    attribute.taxonomy().ancestor(leaf, level).map_or(Cell::Leaf(leaf), Cell::Node)
}

fn node(levels: [u32; 3]) -> Release {
    let quasi = table_2();
    let cells = |row| quasi.iter().zip(levels).map(|(a, level)| raised(a, row, level)).collect();
    let rows: Vec<Option<Vec<Cell>>> = (0..8).map(|row| Some(cells(row))).collect();
    Release::new(quasi, &rows)
}

#[test]
fn spec_03_9_table_2_of_002_at_five_nodes() {
    let table = [
        ([0, 0, 0], 1, 0.0, 0.0, 1.0, 8.0, 0.5),
        ([1, 1, 1], 2, 0.4978, 0.4621, 0.4722, 16.0, 1.0),
        ([2, 2, 0], 2, 0.3377, 0.3139, 0.6111, 16.0, 1.0),
        ([2, 1, 1], 2, 0.5811, 0.5573, 0.3889, 16.0, 1.0),
        ([4, 3, 1], 8, 1.0, 1.0, 0.0, 64.0, 4.0),
    ];
    for (levels, k, ncp, lm, prec, dm, c_avg) in table {
        let release = node(levels);
        assert_eq!(release.sizes.iter().min(), Some(&k), "{levels:?}");
        release.check("ncp", 2, ncp);
        release.check("lm", 2, lm);
        release.check("prec", 2, prec);
        release.check("dm", 2, dm);
        release.check("c-avg", 2, c_avg);
    }
}

#[test]
fn spec_03_9_table_6_of_002() {
    let quasi = table_2();
    let of = |row| {
        // Rows with high-sensitive values are raised to (2, 2, 1), the others stay.
        let levels = if [1, 3, 4, 6].contains(&row) { [2, 2, 1] } else { [0, 0, 0] };
        Some(quasi.iter().zip(levels).map(|(a, level)| raised(a, row, level)).collect())
    };
    let rows: Vec<Option<Vec<Cell>>> = (0..8).map(of).collect();
    let release = Release::new(quasi, &rows);
    assert_eq!(release.sizes.iter().min(), Some(&1));
    release.check("ncp", 2, 0.3355);
    release.check("dm", 2, 12.0);
}

/// Abdalaal 2012's nine tuples in these groups, numbered from 1.
fn nine(groups: &[&[usize]]) -> Release {
    let ages = ["20", "25", "25", "30", "35", "40", "45", "50", "55"];
    let zips = ["3000", "3500", "4000", "6500", "4500", "5500", "6000", "5000", "6500"];
    let quasi = vec![attribute(&ages, None), attribute(&zips, None)];
    let mut rows = vec![None; 9];
    for group in groups {
        let cells: Vec<Cell> = (quasi.iter())
            .map(|attribute| {
                let codes: Vec<u32> = group.iter().map(|&t| attribute.codes().get(t - 1)).collect();
                attribute.smallest_cell(*codes.iter().min().unwrap(), *codes.iter().max().unwrap())
            })
            .collect();
        group.iter().for_each(|&t| rows[t - 1] = Some(cells.clone()));
    }
    Release::new(quasi, &rows)
}

#[test]
fn spec_02_6_byun_loss_of_the_nine_tuples() {
    nine(&[&[9, 7, 6], &[1, 2, 3], &[8, 5, 4]]).check("byun-il", 3, 48.0 / 7.0);
    nine(&[&[9, 7, 4], &[1, 2], &[8, 6], &[3, 5]]).check("byun-il", 2, 34.0 / 7.0);
    nine(&[&[9, 7, 6, 8, 4], &[1, 2, 3, 5]]).check("byun-il", 4, 64.0 / 7.0);
    nine(&[&[1, 2, 3], &[4, 5], &[6, 7], &[8, 9]]).check("byun-il", 2, 31.0 / 7.0);
}

// Abdalaal 2012 prints Σ_t |E(t)|², which would be 81; the errata read Σ_E |E|².
#[test]
fn table_42_of_001_has_a_dm_of_27() {
    let release = nine(&[&[1, 2, 3], &[4, 5, 7], &[6, 8, 9]]);
    release.check("dm", 3, 27.0);
    release.check("c-avg", 3, 1.0);
    release.check("class-size", 3, 3.0);
}

#[test]
fn suppressed_rows_cost_all_they_can() {
    let release = nine(&[&[1, 2, 3]]);
    release.check("suppressed", 3, 6.0 / 9.0);
    release.check("dm", 3, 9.0 + 6.0 * 9.0);
    // Both cells of three rows cost (5 / 35 + 1000 / 3500), those of six rows 1.
    release.check("byun-il", 3, 3.0 * 3.0 / 7.0 + 12.0);
    release.check("lm", 3, (3.0 * 3.0 / 7.0 + 12.0) / 18.0);
    let nothing = nine(&[]);
    for id in ["ncp", "lm", "suppressed"] {
        nothing.check(id, 3, 1.0);
    }
    nothing.check("dm", 3, 81.0);
    assert!(nothing.score("c-avg", 3).is_err());
    assert!(nothing.score("class-size", 3).is_err());
}

#[test]
fn levels_are_undefined_for_ranges() {
    let release = nine(&[&[1, 2, 3], &[4, 5, 7], &[6, 8, 9]]);
    for id in ["prec", "whd", "whd-beta"] {
        assert!(release.score(id, 3).is_err(), "{id}");
    }
}

#[test]
fn whd_counts_the_steps_and_beta_makes_the_last_ones_dear() {
    // Zip raised 1 of 4 steps, age 1 of 3, gender 1 of 1, for eight rows.
    let release = node([1, 1, 1]);
    release.check("whd", 2, 8.0 * (1.0 / 4.0 + 1.0 / 3.0 + 1.0));
    // The step from the leaves has weight 1/4 of 1 + 1/2 + 1/3 + 1/4, and 1/3 of 1 + 1/2 + 1/3.
    release.check("whd-beta", 2, 8.0 * (0.25 / (25.0 / 12.0) + (1.0 / 3.0) / (11.0 / 6.0) + 1.0));
    let quadratic = release.with(2, |measured| whd::measure(measured, 2.0)).unwrap();
    let zip = (1.0 / 16.0) / (1.0 + 1.0 / 4.0 + 1.0 / 9.0 + 1.0 / 16.0);
    let age = (1.0 / 9.0) / (1.0 + 1.0 / 4.0 + 1.0 / 9.0);
    assert!((quadratic.value - 8.0 * (zip + age + 1.0)).abs() < 1e-12);
}

#[test]
fn kl_is_what_its_definition_says() {
    // Three of a, one of b, shown as one class: p1 = (3/4, 1/4), p2 = (1/2, 1/2).
    let skewed = attribute(&["a", "a", "a", "b"], None);
    let release = Release::new(vec![skewed], &vec![Some(vec![Cell::ANY]); 4]);
    let expected = 0.75 * 1.5_f64.ln() + 0.25 * 0.5_f64.ln();
    release.check("kl", 2, expected);
    release.check("kl-attribute", 2, expected);
    // Untouched rows are no surprise.
    node([0, 0, 0]).check("kl", 2, 0.0);
    node([0, 0, 0]).check("kl-attribute", 2, 0.0);
    // Each row of (2, 2, 0) is one of two in a box of 4 zips, 4 ages and 1 gender.
    node([2, 2, 0]).check("kl", 2, (16.0_f64 / 2.0).ln());
    // Every value is shown by its own rows only and all are equally frequent.
    node([2, 2, 0]).check("kl-attribute", 2, 0.0);
    // One row shown, three dropped: a gets 1/4 + 3/8, b gets 3/8.
    let skewed = attribute(&["a", "a", "a", "b"], None);
    let cell = Cell::Leaf(skewed.codes().get(0));
    let release = Release::new(vec![skewed], &[Some(vec![cell]), None, None, None]);
    let expected = 0.75 * (0.75_f64 / 0.625).ln() + 0.25 * (0.25_f64 / 0.375).ln();
    release.check("kl", 2, expected);
    release.check("kl-attribute", 2, expected);
    // A row that lies nowhere.
    let skewed = attribute(&["a", "b"], None);
    let cell = Cell::Leaf(skewed.codes().get(0));
    let untrue = Release::new(vec![skewed], &vec![Some(vec![cell]); 2]);
    assert!(untrue.score("kl", 2).is_err() && untrue.score("kl-attribute", 2).is_err());
}

#[test]
fn kl_of_every_node_equals_the_sum_over_rows() {
    let quasi = table_2();
    for (zip, age, gender) in (0..5).flat_map(|z| (0..4).map(move |a| (z, a, 0)).chain([(z, 1, 1)]))
    {
        let levels = [zip, age, gender];
        let bounds = |row: usize| -> Vec<(u32, u32)> {
            quasi.iter().zip(levels).map(|(a, level)| a.codes_of(raised(a, row, level))).collect()
        };
        let density = |row: usize, at: usize| -> f64 {
            let inside = quasi
                .iter()
                .zip(bounds(row))
                .all(|(attribute, (lo, hi))| (lo..=hi).contains(&attribute.codes().get(at)));
            let volume: f64 = bounds(row).iter().map(|(lo, hi)| f64::from(hi - lo + 1)).product();
            if inside { 1.0 / 8.0 / volume } else { 0.0 }
        };
        let p2 = |at: usize| (0..8).map(|row| density(row, at)).sum::<f64>();
        let expected = (0..8).map(|at| (1.0 / 8.0) * (1.0 / 8.0 / p2(at)).ln()).sum();
        node(levels).check("kl", 2, expected);
    }
}

#[test]
fn ids_are_distinct_and_no_score_is_nan() {
    let mut ids: Vec<&str> = METRICS.iter().map(|metric| metric.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), METRICS.len());
    let empty = Release::new(vec![attribute(&[], None)], &[]);
    for metric in METRICS {
        for release in [&empty, &nine(&[]), &nine(&[&[1, 2]]), &node([1, 0, 1])] {
            if let Ok(score) = release.with(2, metric.measure) {
                assert!(score.value.is_finite(), "{}", metric.id);
            }
        }
    }
}

#[test]
fn a_node_with_one_leaf_costs_nothing_in_ncp_and_lm() {
    // `Asia` has one leaf, `Europe` three of which two occur: 3 of 4 leaves.
    let lines = ["jp;Asia;*", "at;Europe;*", "de;Europe;*", "pl;Europe;*"];
    let texts = ["jp", "jp", "at", "de"];
    let quasi = vec![attribute(&texts, Some(&lines))];
    let rows: Vec<Option<Vec<Cell>>> =
        (0..4).map(|row| Some(vec![raised(&quasi[0], row, 1)])).collect();
    assert!(rows[0].iter().flatten().all(|cell| matches!(cell, Cell::Node(_))));
    let release = Release::new(quasi, &rows);
    release.check("ncp", 2, (0.0 + 0.0 + 0.75 + 0.75) / 4.0);
    release.check("lm", 2, (0.0 + 0.0 + 2.0 / 3.0 + 2.0 / 3.0) / 4.0);
    // Levels are counted as they are.
    release.check("prec", 2, 0.5);
}

#[test]
fn labels_that_look_like_intervals_cost_leaves_unless_they_are_intervals() {
    // Leaves 2 of 4 each; the intervals are 5 and 95 of 100 wide.
    let lines = ["0;[0, 5[;*", "4;[0, 5[;*", "5;[5, 100[;*", "100;[5, 100[;*"];
    let check = |labels, expected: [f64; 2]| {
        let quasi = vec![labeled(&["0", "4", "5", "100"], Some(&lines), labels)];
        let rows: Vec<Option<Vec<Cell>>> =
            (0..4).map(|row| Some(vec![raised(&quasi[0], row, 1)])).collect();
        let release = Release::new(quasi, &rows);
        release.check("ncp", 2, expected[0]);
        release.check("lm", 2, expected[1]);
    };
    check(Labels::Names, [0.5, 1.0 / 3.0]);
    check(Labels::Intervals, [0.5, 0.5]);
    let text = vec![attribute(
        &["a", "b", "c", "d"],
        Some(&["a;[0, 5[;*", "b;[0, 5[;*", "c;[5, 100[;*", "d;[5, 100[;*"]),
    )];
    let rows: Vec<Option<Vec<Cell>>> =
        (0..4).map(|row| Some(vec![raised(&text[0], row, 1)])).collect();
    Release::new(text, &rows).check("lm", 2, 1.0 / 3.0);
}
