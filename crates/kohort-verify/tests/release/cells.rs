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
