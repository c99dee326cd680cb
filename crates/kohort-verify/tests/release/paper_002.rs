//! Tables 2 and 6 of Sharma et al., and the hierarchies of its columns.

use kohort_core::{Dataset, Role};

use crate::given::{dataset, rows};

const ZIPS: &[&str] = &[
    "13051;1305*;130**;13***;*",
    "13053;1305*;130**;13***;*",
    "13063;1306*;130**;13***;*",
    "13068;1306*;130**;13***;*",
    "14851;1485*;148**;14***;*",
    "14856;1485*;148**;14***;*",
    "14867;1486*;148**;14***;*",
    "14869;1486*;148**;14***;*",
];
const AGES: &[&str] = &[
    "21;[20-30];[20-40];*",
    "26;[20-30];[20-40];*",
    "33;[31-40];[20-40];*",
    "37;[31-40];[20-40];*",
    "45;[41-50];[41-60];*",
    "48;[41-50];[41-60];*",
    "53;[51-60];[41-60];*",
    "59;[51-60];[41-60];*",
];
pub(crate) const TABLE_2: [&str; 8] = [
    "13051;21;M;Flu",
    "13053;26;F;Cancer",
    "13063;33;M;Viral",
    "13068;37;F;HIV+",
    "14851;45;M;Cancer",
    "14856;48;F;Headache",
    "14867;53;M;HIV+",
    "14869;59;F;Viral",
];
pub(crate) const TABLE_6: [&str; 8] = [
    "130**;[20-40];Person;Cancer",
    "130**;[20-40];Person;HIV+",
    "13051;21;M;Flu",
    "13063;33;M;Viral",
    "14856;48;F;Headache",
    "14869;59;F;Viral",
    "148**;[41-60];Person;Cancer",
    "148**;[41-60];Person;HIV+",
];

/// Table 2, with these names for its columns.
pub(crate) fn table_2([zip, age, gender, disease]: [&str; 4]) -> Dataset {
    let columns = [
        (zip, Role::Quasi, Some(ZIPS)),
        (age, Role::Quasi, Some(AGES)),
        (gender, Role::Quasi, Some(&["M;Person", "F;Person"][..])),
        (disease, Role::Sensitive, None),
    ];
    dataset(&columns, &rows(&TABLE_2))
}
