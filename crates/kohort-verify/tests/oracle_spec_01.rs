//! Printed tables of the literature, each test named after its table.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tables;

use kohort_core::{Attribute, Ctx, Domain, Level, Ratio, Role, Table, Taxonomy, Tree};
use kohort_models::{
    ClassModel, Counts, Distance, DistinctLDiversity, Distribution, EntropyLDiversity,
    FrequencyLDiversity, KAnonymity,
};
use kohort_verify::{
    AttributeSet, Levels, Projection, Promise, all_subsets, borders, levels, match_public,
};

/// A table from lines of space-separated cells.
fn parse(names: &[&str], lines: &str) -> Table {
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = lines.trim().lines().map(cells).collect();
    tables::table(names, &rows)
}

fn levels_of(table: &Table, quasi: &[&str], sensitive: &str) -> Levels {
    let quasi = tables::attributes(table, quasi, Role::Quasi);
    let sensitive = tables::attributes(table, &[sensitive], Role::Sensitive);
    levels(table.n_rows(), &Vec::from_iter(&quasi), &Vec::from_iter(&sensitive), &[vec![]])
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 5e-6, "found {found}, expected {expected}");
}

const PATIENTS: [&str; 4] = ["Age", "Gender", "Zip", "Disease"];
const TABLE_1_2: &str = "21 Female 17651 Cancer\n22 Male 17652 Flu\n23 Male 17661 HIV\n\
    24 Male 17662 HIV";
const TABLE_1_4: &str = "[21-22] * 1765* Cancer\n[21-22] * 1765* Flu\n[23-24] Male 1766* HIV\n\
    [23-24] Male 1766* HIV";
const TABLE_1_5: &str = "[21-23] * 176** Cancer\n[21-23] * 176** HIV\n[22-24] Male 176** Flu\n\
    [22-24] Male 176** HIV";

// Zare Mirakabad 2010 Tables 1.2, 1.4 and 1.5: (k, distinct, frequency, entropy) and c* for l = 2.
#[test]
fn table_1_2_1_4_1_5_levels() {
    let check = |lines: &str, expected: (u64, u64, u64, f64), c: Option<Ratio>| {
        let found = levels_of(&parse(&PATIENTS, lines), &PATIENTS[..3], "Disease");
        let sensitive = &found.sensitive[0];
        assert_eq!(found.sizes.k(), Some(expected.0));
        assert_eq!(sensitive.distinct_l, expected.1);
        assert_eq!(sensitive.frequency_l, Ratio::whole(expected.2));
        near(sensitive.entropy_l, expected.3);
        assert_eq!(sensitive.recursive_c[0], c);
    };
    check(TABLE_1_2, (1, 1, 1, 1.0), None);
    check(TABLE_1_4, (2, 1, 1, 1.0), None);
    check(TABLE_1_5, (2, 2, 2, 2.0), Some(Ratio::whole(1)));
}

// (c,2)-diverse for c > 1, not for c = 1.
#[test]
fn table_1_5_is_recursive_for_c_above_one_only() {
    let found = levels_of(&parse(&PATIENTS, TABLE_1_5), &PATIENTS[..3], "Disease");
    assert_eq!(found.sensitive[0].recursive_l, [1, 2, 2]);
}

// Table 1.2, Q = ∅: k = 4, distinct 3, frequency 2, entropy 2.828.
#[test]
fn table_1_2_without_quasi_identifiers() {
    let found = levels_of(&parse(&PATIENTS, TABLE_1_2), &[], "Disease");
    assert_eq!(found.sizes.k(), Some(4));
    assert_eq!(found.sensitive[0].distinct_l, 3);
    assert_eq!(found.sensitive[0].frequency_l, Ratio::whole(2));
    near(found.sensitive[0].entropy_l, 2.0 * std::f64::consts::SQRT_2);
}

const NAMES: [&str; 6] = ["V", "W", "X", "Y", "Z", "s"];
const TABLE_8_2: &str = "a 1 p m 0 s1\na 1 p m 0 s2\na 1 p f 1 s3\na 1 q f 1 s1\na 2 q m 0 s2\n\
    a 2 q m 1 s2\nb 2 q f 1 s3\nb 2 q f 0 s1\nb 2 p f 0 s1\nb 1 p m 1 s3\nb 1 p m 1 s2\nb 1 p f 0 s1";

struct Oracle {
    table: Table,
    quasi: Vec<Attribute>,
    sensitive: Vec<Attribute>,
}

fn oracle() -> Oracle {
    let table = parse(&NAMES, TABLE_8_2);
    let quasi = tables::attributes(&table, &NAMES[..5], Role::Quasi);
    let sensitive = tables::attributes(&table, &["s"], Role::Sensitive);
    Oracle { table, quasi, sensitive }
}

fn name(set: AttributeSet) -> String {
    set.iter().map(|attribute| NAMES[attribute]).collect()
}

fn set_of(letters: &str) -> AttributeSet {
    letters.chars().map(|c| NAMES.iter().position(|n| n.starts_with(c)).unwrap()).collect()
}

#[test]
fn table_8_2_k_of_every_subset() {
    let Oracle { table, quasi, .. } = oracle();
    let projection = Projection::new(table.n_rows(), &Vec::from_iter(&quasi), &[]);
    let found = all_subsets(&projection, 5, &Ctx::quiet(), &Clone::clone).unwrap();
    assert_eq!(found.len(), 32);
    let expected = "V6 W5 X5 Y6 Z6 VW2 VX2 VY2 VZ3 WX1 WY2 WZ2 XY2 XZ2 YZ3";
    for expected in expected.split(' ') {
        let (letters, k) = expected.split_at(expected.len() - 1);
        let (_, sizes) = found.iter().find(|(set, _)| *set == set_of(letters)).unwrap();
        assert_eq!(sizes.k(), k.parse().ok(), "{letters}");
    }
    for (set, sizes) in found.iter().filter(|(set, _)| set.len() >= 3) {
        assert_eq!(sizes.k(), Some(1), "{}", name(*set));
    }
    assert_eq!(found[0].1.k(), Some(12));
}

fn check_borders(oracle: &Oracle, promise: &Promise<'_>, positive: &str, negative: &str) {
    let quasi = Vec::from_iter(&oracle.quasi);
    let sensitive = Vec::from_iter(&oracle.sensitive);
    let with_sensitive =
        matches!(promise, Promise::EveryClass { distributions, .. } if !distributions.is_empty());
    let sensitive = if with_sensitive { &sensitive[..] } else { &[] };
    let projection = Projection::new(oracle.table.n_rows(), &quasi, sensitive);
    let found = borders(&projection, promise, None, &Ctx::quiet()).unwrap();
    let names = |sets: &[AttributeSet]| {
        let mut names: Vec<String> = sets.iter().map(|&set| name(set)).collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        names.join(" ")
    };
    let sorted = |names: &str| {
        let mut names: Vec<&str> = names.split(' ').collect();
        names.sort_by_key(|name| (name.len(), *name));
        names.join(" ")
    };
    assert_eq!(names(&found.positive), sorted(positive));
    assert_eq!(names(&found.negative), sorted(negative));
    assert!(found.is_complete);
}

fn k_promise(k: u64) -> Promise<'static> {
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
    Promise::EveryClass { models, distributions: &[] }
}

#[test]
fn table_8_2_borders_for_k() {
    let oracle = oracle();
    check_borders(&oracle, &k_promise(3), "VZ YZ W X", "VW VX VY WX WY WZ XY XZ");
    check_borders(
        &oracle,
        &k_promise(2),
        "VW VX VY VZ WY WZ XY XZ YZ",
        "WX VWY VWZ VXY VXZ VYZ WYZ XYZ",
    );
}

#[test]
fn table_8_2_borders_for_k_with_suppression() {
    check_borders(
        &oracle(),
        &Promise::Suppressing { k: 3, budget: 3 },
        "VW VX VZ WX WY WZ XY XZ YZ",
        "VY VWX VWZ VXZ WXY WXZ WYZ XYZ",
    );
}

#[test]
fn table_8_2_borders_for_l() {
    let oracle = oracle();
    let distributions = [Distribution::new(&oracle.sensitive[0])];
    let check = |model: Box<dyn ClassModel>, positive, negative| {
        let promise = Promise::EveryClass { models: vec![model], distributions: &distributions };
        check_borders(&oracle, &promise, positive, negative);
    };
    let two = Ratio::whole(2);
    check(Box::new(DistinctLDiversity::new(0, 2).unwrap()), "VX VY WZ XZ", "VW VZ WX WY XY YZ");
    check(Box::new(FrequencyLDiversity::new(0, two).unwrap()), "V W X", "Y Z VW VX WX");
    check(Box::new(EntropyLDiversity::new(0, two).unwrap()), "V W X", "Y Z VW VX WX");
}

#[test]
fn table_8_2_levels_of_vx_and_vw() {
    let table = parse(&NAMES, TABLE_8_2);
    let vx = &levels_of(&table, &["V", "X"], "s").sensitive[0];
    assert_eq!(vx.frequency_l, Ratio::new(3, 2));
    assert_eq!(vx.distinct_l, 2);
    assert_eq!(vx.recursive_c[0], Some(Ratio::whole(2)));
    near(vx.entropy_l, 1.88988);

    let quasi = tables::attributes(&table, &["V", "W"], Role::Quasi);
    let quasi = Vec::from_iter(&quasi);
    let sensitive = tables::attributes(&table, &["s"], Role::Sensitive);
    let s1 = vec![vec![0]];
    let vw = levels(table.n_rows(), &quasi, &Vec::from_iter(&sensitive), &s1);
    assert_eq!(vw.sensitive[0].alpha, Some(Ratio::new(2, 3)));
    near(vw.sensitive[0].t_equal, 2.0 / 3.0);
    near(vw.sizes.distinct_ratio().value(), 1.0 / 3.0);
    near(vw.sizes.separation_ratio().unwrap(), 0.80303);
}

// The ordered distance reads s1 < s2 < s3 as 1 < 2 < 3.
#[test]
fn table_8_2_ordered_t_of_vw() {
    let table = parse(&NAMES, &TABLE_8_2.replace(" s", " "));
    near(levels_of(&table, &["V", "W"], "s").sensitive[0].t_ordered.unwrap(), 1.0 / 3.0);
}

// p = r plus (a,1), (b,2), (b,2): delta-presence [0.6, 1].
#[test]
fn table_8_2_presence_of_vw() {
    let table = parse(&NAMES, TABLE_8_2);
    let more = format!("{TABLE_8_2}\na 1 . . . .\nb 2 . . . .\nb 2 . . . .");
    let public = parse(&NAMES, &more);
    let quasi = tables::attributes(&table, &["V", "W"], Role::Quasi);
    let presence = match_public(table.n_rows(), &Vec::from_iter(&quasi), &public).unwrap();
    assert_eq!(presence.range(), Some((Ratio::new(3, 5), Ratio::whole(1))));
    assert_eq!(presence.rows_not_covered(), 0);
}

// Tandon and Jain 2010 Tables 2.2 and 2.3: salary 3..11K and disease in three classes of three.
const TABLE_2_3: &str = "1 3 gastric_ulcer\n1 4 gastritis\n1 5 stomach_cancer\n2 6 gastritis\n\
    2 11 flu\n2 8 bronchitis\n3 7 bronchitis\n3 9 pneumonia\n3 10 stomach_cancer";

/// The distance of each class of Table 2.3 from the whole table.
fn distances(attribute: &Attribute, distance: Distance) -> [f64; 3] {
    let distribution = Distribution::new(attribute);
    ["1", "2", "3"].map(|class| {
        let mut cells: Vec<(u32, u64)> = (TABLE_2_3.lines().enumerate())
            .filter(|(_, line)| line.starts_with(class))
            .map(|(row, _)| (attribute.codes().get(row), 1))
            .collect();
        cells.sort_unstable();
        distance.of(&Counts { table: &distribution, cells: &cells })
    })
}

fn all_near(found: [f64; 3], expected: [f64; 3]) {
    found.into_iter().zip(expected).for_each(|(found, expected)| near(found, expected));
}

#[test]
fn tables_2_2_and_2_3_distances() {
    let table = parse(&["class", "salary", "disease"], TABLE_2_3);
    let attributes = tables::attributes(&table, &["salary", "disease"], Role::Sensitive);
    all_near(distances(&attributes[0], Distance::Ordered), [3.0 / 8.0, 1.0 / 6.0, 17.0 / 72.0]);
    all_near(distances(&attributes[0], Distance::Equal), [2.0 / 3.0; 3]);
    all_near(distances(&attributes[1], Distance::Equal), [4.0 / 9.0; 3]);
    let found = levels_of(&table, &["class"], "salary");
    near(found.sensitive[0].t_ordered.unwrap(), 3.0 / 8.0);
}

#[test]
fn table_2_3_hierarchical_distance() {
    let table = parse(&["class", "salary", "disease"], TABLE_2_3);
    let column = table.column("disease").unwrap();
    let domain = Domain::new(&table, column, None, &|_| false).unwrap();
    // Values in order: bronchitis, flu, gastric_ulcer, gastritis, pneumonia, stomach_cancer.
    let level = |labels: [&str; 2]| Level {
        group_of_leaf: vec![0, 0, 1, 1, 0, 1],
        labels: labels.map(str::to_owned).to_vec(),
    };
    let built = Taxonomy::build(Tree {
        leaves: &(0..6).map(Some).collect::<Vec<_>>(),
        label: &|leaf| leaf.to_string(),
        levels: &[level(["inf", "stomach"]), level(["resp", "dig"])],
        n_values: 6,
        missing: false,
        is_ordered: false,
    });
    let attribute = Attribute::new(&table, "disease", Role::Sensitive, domain, built.ok()).unwrap();
    assert_eq!(attribute.taxonomy().height(), 3);
    all_near(distances(&attribute, Distance::Hierarchical), [4.0 / 9.0, 8.0 / 27.0, 8.0 / 27.0]);
}

const TABLE_2_1: &str = "Orissa CIV >7 >20 106010**\n\
    Bihar CIV >7 >20 106010**\n\
    Delhi ELE 6.* 23 106020**\n\
    Maharashtra ELE 6.* 23 106020**\n\
    Orissa ELE 8.* 2* 106020**\n\
    Bihar ELE 8.* 2* 106020**\n\
    Bihar MEC >8 >20 106030**\n\
    West_Bengal MEC >8 >20 106030**\n\
    Delhi MET <8 22 106040**\n\
    Orissa MET <8 22 106040**\n\
    Orissa MET >8 2* 106040**\n\
    Maharashtra MET >8 2* 106020**\n\
    West_Bengal MIN <8 <25 106050**\n\
    Bihar MIN <8 <25 106050**\n\
    Maharashtra C.S.E. <9 <25 106060**\n\
    Bihar C.S.E. <9 <25 106060**\n\
    Orissa C.S.E. >9 21 106060**\n\
    Delhi C.S.E. >9 21 106060**\n\
    West_Bengal C.S.E. >7 <25 106060**\n\
    Delhi C.S.E. >7 <25 106060**";

// Tandon and Jain 2010 Table 2.1 as printed is 1-anonymous; with row 12 corrected to 106040** it is 2-anonymous.
#[test]
fn table_2_1_as_printed_and_corrected() {
    let names = ["State", "Dept", "CG", "Age", "Roll"];
    let k = |lines: &str| levels_of(&parse(&names, lines), &names[1..], "State").sizes.k();
    assert_eq!(k(TABLE_2_1), Some(1));
    assert_eq!(
        k(&TABLE_2_1.replace("Maharashtra MET >8 2* 106020**", "Maharashtra MET >8 2* 106040**")),
        Some(2)
    );
}
