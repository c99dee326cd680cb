//! What nested data gives away: small people by hand, and the plain counts.

use kohort_core::Ratio;
use kohort_verify::nested::{Occurrences, diagnose};
use proptest::prelude::*;

use super::given::{Vertex, students, vertex};
use super::laws::{Draws, given, tree};

#[test]
fn people_stand_alone_by_shape_by_labels_and_by_both() {
    let course = |cells: &str, books: &[&str]| {
        let books: Vec<Vertex> = books.iter().map(|title| vertex(2, title, &[])).collect();
        vertex(1, cells, &books)
    };
    let people = [
        // The same labels with the books exchanged: alone by both, not by labels, nor by shape.
        vertex(0, "CS;1992;3.0", &[course("CS201;A", &["x"]), course("CS202;A", &["y"])]),
        vertex(0, "CS;1992;3.0", &[course("CS201;A", &["y"]), course("CS202;B", &["x"])]),
        // Alone by shape.
        vertex(0, "CS;1992;2.0", &[course("CS201;C", &["x", "y"]), course("CS202;C", &[])]),
        // Alike, whatever the order.
        vertex(
            0,
            "MA;1995;2.0",
            &[course("CS201;A", &[]), course("MA1;A", &[]), course("MA1;A", &[])],
        ),
        vertex(
            0,
            "MA;1995;3.0",
            &[course("MA1;B", &[]), course("MA1;C", &[]), course("CS201;A", &[])],
        ),
    ];
    let nested = students().nested(&people);
    let found = diagnose(&students().forest(&nested, &[]));
    assert_eq!((found.n_records, found.n_vertices), (5, 23));
    assert_eq!(found.uniques(), [1, 0, 3]);
    assert_eq!((found.by_both.k(), found.by_labels.k()), (Some(1), Some(2)));
    let grades = &found.occurrences[1];
    let expected = Occurrences { path: "courses[].grade".into(), twice: 3, thrice: 1, largest: 3 };
    assert_eq!(*grades, expected);
    assert_eq!(found.sensitive[1].l, Some(Ratio::whole(1)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn classes_by_both_are_finest((schema, draws) in given(), n in 0_usize..9) {
        let mut draws = Draws(draws.iter().cycle());
        let trees: Vec<Vertex> = (0..n).map(|_| tree(&schema, 0, &mut draws)).collect();
        let nested = schema.nested(&trees);
        let found = diagnose(&schema.forest(&nested, &[]));
        prop_assert!(found.by_shape.n_classes() <= found.by_both.n_classes());
        prop_assert!(found.by_labels.n_classes() <= found.by_both.n_classes());
        let [shape, labels, both] = found.uniques();
        prop_assert!(shape <= both && labels <= both);
        prop_assert_eq!(found.n_vertices, nested.n_vertices() as u64);
        prop_assert_eq!(found.by_both.n_rows(), n as u64);
    }
}
