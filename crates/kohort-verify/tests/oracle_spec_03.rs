//! Sensitivity classes on the table of Sharma et al.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tables;

use kohort_core::{Ratio, Role, group};
use kohort_models::{ClassModel, SensitivityClasses};
use kohort_verify::{Violations, check};

const DISEASES: [&str; 8] =
    ["Flu", "Cancer", "Viral", "HIV+", "Cancer", "Headache", "HIV+", "Viral"];

/// The violations by a generalization of table 2, whose high values are cancer and HIV.
fn violations(cells: &[[&str; 3]; 8], l: Option<u64>) -> Violations {
    let row = |(cells, disease): (&[&str; 3], &str)| {
        cells.iter().copied().chain([disease]).map(str::to_owned).collect()
    };
    let rows: Vec<Vec<String>> = cells.iter().zip(DISEASES).map(row).collect();
    let table = tables::table(&["zip", "age", "gender", "disease"], &rows);
    let quasi = tables::attributes(&table, &["zip", "age", "gender"], Role::Quasi);
    let sensitive = tables::attributes(&table, &["disease"], Role::Sensitive);
    let high = ["Cancer", "HIV+"].map(|value| sensitive[0].code_of(value).unwrap());
    let mut model = SensitivityClasses::new(0, high.to_vec(), Ratio::new(1, 2)).unwrap();
    if let Some(l) = l {
        model = model.with_l(Ratio::whole(l)).unwrap();
    }
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(model)];
    let quasi: Vec<_> = quasi.iter().map(|a| (a.codes(), a.n_codes())).collect();
    check(&group(8, quasi.iter().copied()), &quasi, &Vec::from_iter(&sensitive), &models)[0]
}

// With alpha = 0.5 node (1,1,1) qualifies.
#[test]
fn table_2_at_node_1_1_1_keeps_half_of_every_class_low() {
    let cells = [
        ["1305*", "[20-30]", "Person"],
        ["1305*", "[20-30]", "Person"],
        ["1306*", "[31-40]", "Person"],
        ["1306*", "[31-40]", "Person"],
        ["1485*", "[41-50]", "Person"],
        ["1485*", "[41-50]", "Person"],
        ["1486*", "[51-60]", "Person"],
        ["1486*", "[51-60]", "Person"],
    ];
    assert_eq!(violations(&cells, None).classes, 0);
    assert_eq!(violations(&cells, Some(2)).classes, 0);
    assert_eq!(violations(&cells, Some(3)).classes, 4, "one of two rows is more than a third");
}

// Node (2,2,0) does not, as its classes {2,4} and {5,7} are all high.
#[test]
fn table_2_at_node_2_2_0_has_two_classes_of_high_values_only() {
    let cells = [
        ["130**", "[20-40]", "M"],
        ["130**", "[20-40]", "F"],
        ["130**", "[20-40]", "M"],
        ["130**", "[20-40]", "F"],
        ["148**", "[41-60]", "M"],
        ["148**", "[41-60]", "F"],
        ["148**", "[41-60]", "M"],
        ["148**", "[41-60]", "F"],
    ];
    assert_eq!(violations(&cells, None), Violations { classes: 2, rows: 4, masked: 0 });
}
