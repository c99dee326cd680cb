//! Texts of a release read as cells of the original column.

use kohort_core::{Cell, Dataset, Kind, Place, Role};
use kohort_verify::truth;

use super::given::{dataset, rows, table};

/// What a one-row release with this text shows, if it covers some row of the original.
fn shown(data: &Dataset, text: &str) -> Option<Cell> {
    let name = data.quasi()[0].name().to_owned();
    let release = table(&[&name], &[vec![text.to_owned()]]);
    let found = truth(&release, data, None, None).unwrap();
    let cell = found.cells().column(0).get(0);
    found.holds().then_some(cell)
}

fn column(name: &str, texts: &[&str], taxonomy: Option<&[&str]>) -> Dataset {
    dataset(&[(name, Role::Quasi, taxonomy)], &rows(texts))
}

#[test]
fn ranges_of_every_spelling_cover_the_values_inside() {
    let ages = column("age", &["20", "25", "29", "30", "41"], None);
    let range = |lo, hi| Some(Cell::Range { lo, hi });
    let check = |text, expected| assert_eq!(shown(&ages, text), expected, "{text}");
    check("25", Some(Cell::Leaf(1)));
    check("25.0", Some(Cell::Leaf(1)));
    check("[20, 29]", range(0, 2));
    check("[20, 30)", range(0, 2));
    check("[20, 30[", range(0, 2));
    check("(20, 30]", range(1, 3));
    check("20-30", range(0, 3));
    check("[20-30]", range(0, 3));
    check("[-5--1]", None);
    check("[-5, 28]", range(0, 1));
    check("[21, 24]", None);
    check("*", Some(Cell::ANY));
    check("", Some(Cell::ANY));
    // A mean covers nobody.
    check("24.5", None);
    check("26", None);
}

// As ARX, sdcMicro and the papers write them.
#[test]
fn bounds_on_one_side_and_masks_cover_what_they_say() {
    let ages = column("age", &["-25", "2", "20", "25", "29", "30", "41", "200"], None);
    let range = |lo, hi| Some(Cell::Range { lo, hi });
    let check = |text, expected| assert_eq!(shown(&ages, text), expected, "{text}");
    check(">=30", range(5, 7));
    check("≥ 30", range(5, 7));
    check(">30", range(6, 7));
    check(">29.5", range(5, 7));
    check("<20", range(0, 1));
    check("<=20", range(0, 2));
    check("≤20", range(0, 2));
    check(">200", None);
    check("]20, 30]", range(3, 5));
    check("(20, 30)", range(3, 4));
    // Each star hides one digit.
    check("2*", range(2, 4));
    check("2**", Some(Cell::Leaf(7)));
    check("*", Some(Cell::ANY));
    check("**", Some(Cell::ANY));
    check("-2*", Some(Cell::Leaf(0)));
    check("*1", Some(Cell::Leaf(6)));
    check("9*", None);
    check("-25--2", Some(Cell::Leaf(0)));
    check("[-25, 2]", range(0, 1));
    // From -25 to 2, or to -2?
    check("-25-2", None);
}

#[test]
fn decimals_and_dates_are_compared_as_what_they_are() {
    let costs = column("cost", &["2.0", "2.05", "2.5", "20.5", "40", "40.1"], None);
    let range = |lo, hi| Some(Cell::Range { lo, hi });
    let check = |text, expected| assert_eq!(shown(&costs, text), expected, "{text}");
    check(">40", Some(Cell::Leaf(5)));
    check(">=40", range(4, 5));
    check("<2.05", Some(Cell::Leaf(0)));
    check("[2, 20.5[", range(0, 2));
    check("2.**", Some(Cell::Leaf(1)));
    check("4*", Some(Cell::Leaf(4)));
    let dates = column("day", &["2023-12-31", "2024-01-01", "2024-01-31", "2024-02-01"], None);
    let check = |text, expected| assert_eq!(shown(&dates, text), expected, "{text}");
    check("2024-01-**", range(1, 2));
    check("2024-**-**", range(1, 3));
    check(">=2024-01-31", range(2, 3));
    check("<2024-01-01", Some(Cell::Leaf(0)));
    check("[2024-01-01, 2024-02-01[", range(1, 2));
}

#[test]
fn a_mask_of_texts_hides_any_character_and_texts_have_no_ranges() {
    let zips = column("zip", &["02130", "02139", "0213", "A2130"], None);
    let covered = |text: &str| {
        let release = table(&["zip"], &rows(&[text]));
        let covers = |row| truth(&release, &zips, Some(&[row]), None).unwrap().holds();
        (0..4).filter(|&row| covers(row)).collect::<Vec<u32>>()
    };
    assert_eq!(covered("021**"), [0, 1]);
    assert_eq!(covered("*2130"), [0, 3]);
    assert_eq!(covered("0213"), [2]);
    assert_eq!(covered("02130-02139"), []);
    assert_eq!(covered(">=02130"), []);
    assert_eq!(covered("{02130, A2130}"), [0, 3]);
}

#[test]
fn a_label_of_the_taxonomy_is_never_read_as_a_number_or_a_range() {
    let lines: &[&str] = &["1;30;*", "2;30;*", "30;1-2;*", "31;1-2;*"];
    let codes = column("code", &["1", "2", "30", "31"], Some(lines));
    let covered = |text: &str| {
        let release = table(&["code"], &rows(&[text]));
        let covers = |row| truth(&release, &codes, Some(&[row]), None).unwrap().holds();
        (0..4).filter(|&row| covers(row)).collect::<Vec<u32>>()
    };
    assert_eq!(covered("1-2"), [2, 3]);
    // A value and a node of one name.
    assert_eq!(covered("30"), [0, 1, 2]);
}

// As ARX writes them.
#[test]
fn a_set_covers_its_values_and_nothing_between() {
    let ages = column("age", &["20", "25", "29"], None);
    assert_eq!(shown(&ages, "{20, 29}"), Some(Cell::Range { lo: 0, hi: 2 }));
    assert_eq!(shown(&ages, "{25}"), Some(Cell::Leaf(1)));
    assert_eq!(shown(&ages, "{20, 30}"), None);
    assert_eq!(shown(&ages, "{}"), None);
    let lines: &[&str] = &["20;young;*", "25;young;*", "29;old;*"];
    let by_node = column("age", &["20", "25", "29"], Some(lines));
    assert_eq!(shown(&by_node, "{25,20}"), Some(Cell::Node(1)));
    let covers = |text: &str, row: u32| {
        let release = table(&["age"], &rows(&[text]));
        truth(&release, &ages, Some(&[row]), None).unwrap().holds()
    };
    assert!(covers("{20, 29}", 0) && !covers("{20, 29}", 1) && covers("{20, 29}", 2));
}

#[test]
fn ranges_of_dates_may_have_minuses_inside() {
    let dates = column("day", &["2024-01-01", "2024-02-01", "2024-03-01"], None);
    assert_eq!(shown(&dates, "[2024-01-01, 2024-02-15]"), Some(Cell::Range { lo: 0, hi: 1 }));
    assert_eq!(shown(&dates, "2024-01-15-2024-03-01"), Some(Cell::Range { lo: 1, hi: 2 }));
    assert_eq!(shown(&dates, "2024-03-01"), Some(Cell::Leaf(2)));
}

#[test]
fn ranges_over_a_taxonomy_are_its_nodes_where_they_are_one() {
    let lines: &[&str] = &["20;young;*", "25;young;*", "41;old;*", "50;old;*"];
    let ages = column("age", &["20", "25", "41", "50"], Some(lines));
    assert_eq!(shown(&ages, "young"), Some(Cell::Node(1)));
    assert_eq!(shown(&ages, "[0, 30["), Some(Cell::Node(1)));
    assert_eq!(shown(&ages, "25-41"), Some(Cell::Range { lo: 1, hi: 2 }));
}

#[test]
fn missing_is_a_value_where_the_column_has_it_and_suppressed_elsewhere() {
    let ages = column("age", &["20", "", "25"], None);
    // Two missing cells: one is the row without an age, the other a suppressed cell.
    let release = table(&["age"], &rows(&["NA", "20"]));
    let found = truth(&release, &ages, None, None).unwrap();
    assert!(found.holds());
    let release = table(&["age"], &rows(&["", "", "20"]));
    assert!(truth(&release, &ages, None, None).unwrap().holds());
    let certified = truth(&release, &ages, Some(&[1, 2, 0]), None).unwrap();
    assert_eq!((certified.cells().column(0).get(0), certified.sizes()[0]), (Cell::ANY, 2));
    let release = table(&["age"], &rows(&["", "20"]));
    let certified = truth(&release, &ages, Some(&[1, 0]), None).unwrap();
    assert_eq!((certified.cells().column(0).get(0), certified.sizes()[0]), (Cell::Leaf(2), 1));
}

#[test]
fn a_name_of_a_leaf_and_of_nodes_is_any_of_them() {
    let lines: &[&str] = &["other;a;*", "x;a;*", "y;other;*", "z;other;*"];
    let jobs = column("job", &["other", "x", "y", "z"], Some(lines));
    let release = table(&["job"], &rows(&["other", "other", "other"]));
    // `x` lies under neither.
    assert!(truth(&release, &jobs, None, None).unwrap().holds());
    let release = table(&["job"], &rows(&["other", "other", "other", "other"]));
    assert_eq!(truth(&release, &jobs, None, None).unwrap().uncovered_rows(), 1);
    let claimed = |row| truth(&release, &jobs, Some(&[row]), None).unwrap().uncovered_rows();
    assert_eq!((claimed(0), claimed(1), claimed(3)), (3, 4, 3));
}

#[test]
fn a_text_that_cannot_be_read_covers_nothing_and_its_place_is_told() {
    let jobs = column("job", &["x", "y"], None);
    let release = table(&["job"], &rows(&["x", "secret", "secret"]));
    let found = truth(&release, &jobs, None, None).unwrap();
    assert_eq!((found.holds(), found.uncovered_rows()), (false, 2));
    assert_eq!(found.nowhere(), [("job".to_owned(), Place::Line(3))]);
    let release = table(&["job"], &rows(&["x", "*"]));
    assert_eq!(truth(&release, &jobs, None, None).unwrap().nowhere(), []);
}

#[test]
fn a_range_of_values_that_lie_apart_is_refused_by_its_place_only() {
    let lines: &[&str] = &["1;a;*", "3;a;*", "2;b;*"];
    let ages = column("age", &["1", "2", "3"], Some(lines));
    let release = table(&["age"], &rows(&["1", "[1, 2]"]));
    let error = truth(&release, &ages, None, None).unwrap_err();
    assert!(matches!(error.kind(), Kind::Published { place: Place::Line(3), .. }));
    assert!(!error.to_string().contains("[1, 2]"));
}
