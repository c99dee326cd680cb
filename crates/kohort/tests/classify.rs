//! Proposed roles: the rules one by one, the made-up tables, and that no cell is shown.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::fmt::Write as _;

use kohort::classify::{Proposal, propose, starter_plan};
use kohort::demo::{Data, write_csv};
use kohort_core::{Codes, Column, Dictionary, Missing, Role, Table, ValueType};

fn table(text: &str) -> Table {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut columns = vec![(Dictionary::default(), Codes::default()); header.len()];
    for (line, number) in lines.zip(2..) {
        for (cell, (dictionary, codes)) in line.split(',').zip(&mut columns) {
            codes.push(dictionary.intern(cell.as_bytes(), number).unwrap());
        }
    }
    let missing = Missing::default();
    let column = |(name, (dictionary, codes)): (&str, _)| {
        Column::new(name.to_owned(), dictionary, codes, &missing)
    };
    let columns = header.into_iter().zip(columns).map(column).collect();
    Table::new("data.csv".into(), columns, true, missing)
}

/// A table of one column with `n` rows.
fn column(header: &str, n: usize, cell: impl Fn(usize) -> String) -> Table {
    let mut text = format!("{header}\n");
    (0..n).for_each(|row| writeln!(text, "{}", cell(row)).unwrap());
    table(&text)
}

fn of(table: &Table) -> Proposal {
    let [proposal] = propose(table).try_into().unwrap();
    proposal
}

fn demo(data: Data, rows: u64) -> Table {
    let mut out = Vec::new();
    write_csv(data, rows, 7, &mut out).unwrap();
    table(std::str::from_utf8(&out).unwrap())
}

fn word(row: usize) -> String {
    ["alpha", "beta", "gamma", "delta"][row % 4].to_owned()
}

#[test]
fn headers_decide() {
    for (role, headers) in [
        (
            Role::Identifier,
            "name,Surname,vorname,Nachname,patient_id,patientId,ID,ssn,E-Mail,phone,Tel.,mobile,IBAN,\
             passport,account,home address,Straße,ip,mrn,insurance number,prénom,apellidos,NIF,User,Patient",
        ),
        (
            Role::Sensitive,
            "disease,Diagnosis,icd10,condition,medication,treatment,HIV,salary-class,income,hourly wage,\
             cost,debt,Religion,belief,party,vote,union,sexual orientation,crime,Krankheit,Gehalt,\
             maladie,salario,disease name,capital-gain",
        ),
        (
            Role::Quasi,
            "age,sex,Gender,birth date,DoB,marital-status,education,occupation,race,ethnicity,nationality,\
             native-country,workclass,zip,PLZ,City,state,region,ward,admission,Geschlecht,Wohnort,\
             country_name,city id",
        ),
    ] {
        for header in headers.split(',') {
            // As many values as there are rows in a small table: names and groups alike.
            let proposal = of(&column(header.trim(), 12, |row| format!("v{row}")));
            assert_eq!(proposal.role, Some(role), "{header}: {}", proposal.reason);
            assert!(!proposal.reason.is_empty());
        }
    }
}

#[test]
fn a_header_that_says_nothing_gets_no_role() {
    for header in ["stage", "patient satisfaction", "col1", "field_a"] {
        let proposal = of(&column(header, 12, |row| format!("v{row}")));
        assert_eq!(proposal.role, None, "{header}: {}", proposal.reason);
    }
}

#[test]
fn a_header_about_a_person_over_few_values_is_no_identifier() {
    assert_eq!(of(&column("has_email", 200, |row| ["yes", "no"][row % 2].into())).role, None);
    assert_eq!(of(&column("has_phone", 50, |row| (row % 2).to_string())).role, None);
    assert_eq!(of(&column("group_id", 200, word)).role, None);
    // A few patients with many visits each are still named by their number.
    let is = |role, table: Table| assert_eq!(of(&table).role, Some(role), "{}", of(&table).reason);
    is(Role::Identifier, column("patient_id", 200, |row| format!("p{}", row % 9)));
    is(Role::Identifier, column("x", 200, |row| format!("{}@example.org", word(row))));
    is(Role::Quasi, column("passport expires", 200, |row| format!("2030-01-{:02}", row % 28 + 1)));
    is(Role::Identifier, column("patient_id", 200, |row| format!("p{row}")));
}

#[test]
fn race_is_quasi_and_said_to_be_special() {
    assert!(of(&column("race", 50, word)).reason.contains("special category"));
}

#[test]
fn values_with_a_form_are_identifiers() {
    let check = |cells: &[&str], expected: &str| {
        let proposal = of(&column("x", cells.len(), |row| cells[row].to_owned()));
        assert_eq!(proposal.role, Some(Role::Identifier), "{cells:?}");
        assert!(proposal.reason.contains(expected), "{}", proposal.reason);
    };
    check(&["a@example.org", "b@example.org", "c@example.org", "d@example.org", "none"], "e-mail");
    check(&["+1 202 555 0143", "+1 202 555 0144", "+1 202 555 0145"], "telephone");
    check(&["4111111111111111", "5555555555554444", "378282246310005"], "card");
    check(&["192.0.2.1", "192.0.2.2", "198.51.100.7", ""], "IP");
    check(&["123-45-6789", "078-05-1120", "219-09-9999"], "social security");
    check(&["12 Example Street", "Musterweg 3", "9 Made-Up Ave., Apt 2"], "street");
    check(&["+1 202 555 0143", "a@example.org", "https://example.org/a", "078-05-1120"], "e-mail");
    check(&["12 Example Street", "192.0.2.1", "+1 202 555 0143"], "addresses or numbers");
    check(&["Anna Lund", "Hans Dal", "Ola Nordmann"], "given name");
    // One e-mail address is one too many.
    check(&["flu", "cold", "ask a@example.org"], "some values contain e-mail");
    // Three of five are too few, and two values may fit by chance.
    let few = ["+1 202 555 0143", "+1 202 555 0144", "+1 202 555 0145", "none", "nothing"];
    assert_eq!(of(&column("x", 5, |row| few[row].to_owned())).role, None);
    assert_eq!(of(&column("x", 4, |row| few[row % 2].to_owned())).role, None);
}

#[test]
fn near_unique_values_are_identifiers_or_left_out() {
    let left_out = |table: Table| assert_eq!(of(&table).role, None, "{}", of(&table).reason);
    let is = |role, table: Table| assert_eq!(of(&table).role, Some(role), "{}", of(&table).reason);
    is(Role::Identifier, column("x", 100, |row| format!("k{row}")));
    left_out(column("x", 10, |row| format!("k{row}")));
    left_out(column("x", 100, |row| format!("k{}", row / 2)));
    is(Role::Identifier, column("x", 101, |row| (5000 + row).to_string()));
    is(Role::Identifier, column("x", 101, |row| (100_000 + row * 7919).to_string()));
    left_out(column("x", 101, |row| (row * row * 37).to_string()));
    left_out(column("x", 101, |row| format!("{row}.5")));
    assert!(of(&column("x", 101, |row| format!("{row}.5"))).reason.contains("single people out"));
    // A header does not make a text that only one person has less of one.
    is(Role::Identifier, column("employer", 100, |row| format!("k{row}")));
    is(Role::Identifier, column("disease", 100, |row| format!("k{row}")));
    is(Role::Quasi, column("zip", 100, |row| format!("0{}", 1000 + row)));
    // Free text is one even under a header about health.
    let note = |row| format!("came on day {row} with a complaint that is told at length");
    is(Role::Identifier, column("diagnosis", 50, note));
    assert!(of(&column("remarks", 50, note)).reason.contains("free text"));
}

#[test]
fn sensitive_values_that_single_people_out_are_left_out_until_a_person_confirms_them() {
    let cents = |row| format!("{}.{:02}", 20_000 + row * 37, row % 100);
    let table = column("salary", 100, cents);
    let proposal = of(&table);
    assert_eq!((proposal.role, proposal.likely), (None, Role::Sensitive), "{}", proposal.reason);
    assert!(proposal.reason.contains("money") && proposal.reason.contains("single people out"));
    let plan = starter_plan(&table, &[proposal], &"data.csv".into());
    let line = plan.lines().find(|line| line.contains("salary =")).unwrap();
    assert!(line.starts_with("# salary = { role = \"sensitive\", type = \"decimal\", buckets = "));
    assert!(line.ends_with("left out until you give it a role"), "{line}");
    assert!(plan.contains("# frequency-l-diversity = { l = 3, attribute = \"salary\" }"), "{plan}");
    // Without the `#` it is the line that a person would write.
    let line: toml::Table = line.trim_start_matches("# ").parse().unwrap();
    assert_eq!(line["salary"]["role"].as_str(), Some("sensitive"));

    let dates =
        column("diagnosis date", 100, |row| format!("20{:02}-03-{:02}", row / 28, row % 28 + 1));
    assert_eq!(
        (of(&dates).role, of(&dates).likely),
        (None, Role::Sensitive),
        "{}",
        of(&dates).reason
    );
    // Values that people share are published: what is promised about them is in the goal.
    let shared = column("salary", 100, |row| (20_000 + row % 30 * 500).to_string());
    assert_eq!(of(&shared).role, Some(Role::Sensitive));
}

#[test]
fn one_value_is_insensitive_unless_it_says_something_of_everyone() {
    assert_eq!(of(&column("x", 30, |_| "same".into())).role, Some(Role::Insensitive));
    assert_eq!(of(&column("x", 30, |_| "NA".into())).role, Some(Role::Insensitive));
    assert_eq!(of(&column("x", 30, |row| ["same", ""][row % 2].into())).role, None);
    assert_eq!(of(&column("disease", 30, |_| "same".into())).role, Some(Role::Sensitive));
    let is_insensitive = |proposal: &Proposal| proposal.role == Some(Role::Insensitive);
    assert!(propose(&table("a,b\n")).iter().all(is_insensitive));
}

#[test]
fn dates_are_quasi_and_ambiguity_is_said() {
    let first = of(&column("x", 40, |row| format!("{:02}/{:02}/2024", row % 12 + 1, row % 9 + 1)));
    assert_eq!((first.role, first.value_type), (Some(Role::Quasi), ValueType::Date));
    assert!(first.date_ambiguous && first.reason.contains("cannot be distinguished"));
    let second = of(&column("x", 40, |row| format!("{:02}/05/2024", row % 28 + 1)));
    assert!(!second.date_ambiguous && second.role == Some(Role::Quasi));
    let third = of(&column("x", 9, |row| format!("2024-01-0{}", row + 1)));
    assert!(!third.date_ambiguous);
}

#[test]
fn missing_and_distinct_are_counted() {
    let proposal = of(&table("x\n1\n\nNA\n2\n2"));
    assert_eq!((proposal.distinct, proposal.missing), (2, 2));
}

fn roles(data: Data, rows: u64) -> Vec<(String, Role)> {
    propose(&demo(data, rows)).into_iter().map(|p| (p.column, p.likely)).collect()
}

#[test]
fn the_demo_tables_get_the_roles_of_their_plans() {
    use Role::{Identifier, Quasi, Sensitive};
    for rows in [100, 1000, 20_000] {
        let expected = [
            ("name", Identifier),
            ("age", Quasi),
            ("sex", Quasi),
            ("zip", Quasi),
            ("admission", Quasi),
            ("ward", Quasi),
            ("disease", Sensitive),
            ("cost", Sensitive),
        ];
        assert_eq!(roles(Data::Hospital, rows), expected.map(|(name, role)| (name.into(), role)));
        // What nearly everybody alone has paid is left out until a person confirms its role.
        let found = propose(&demo(Data::Hospital, rows));
        let left_out: Vec<&str> =
            found.iter().filter(|p| p.role.is_none()).map(|p| p.column.as_str()).collect();
        assert_eq!(left_out, ["cost"], "{rows} rows");
        let census = roles(Data::Census, rows);
        assert_eq!(census.len(), 9);
        for (name, role) in census {
            let expected = if name == "salary-class" { Sensitive } else { Quasi };
            assert_eq!(role, expected, "{name}");
        }
    }
}

/// Every text of four characters or more that is in the table, and in neither the headers nor the
/// reasons' own words.
#[test]
fn no_cell_is_shown() {
    // Texts that the plan writes whatever the data says.
    let fixed = starter_plan(&table("a,b\n"), &[], &"data.csv".into());
    for data in Data::ALL {
        let table = demo(data, 5000);
        let proposals = propose(&table);
        let plan = starter_plan(&table, &proposals, &"data.csv".into());
        let shown = plan.to_lowercase();
        let names: Vec<&str> = table.columns().iter().map(Column::name).collect();
        let mut n_checked = 0;
        for column in table.columns() {
            for value in column.dictionary().iter().filter(|value| value.chars().count() >= 4) {
                let value = value.to_lowercase();
                if !names.contains(&value.as_str()) && !fixed.to_lowercase().contains(&value) {
                    n_checked += 1;
                    let is_word = ["other", "private"].contains(&value.as_str());
                    assert!(is_word || !shown.contains(&value), "{}: {value}", column.name());
                }
            }
        }
        assert!(n_checked > 50);
    }
}

#[test]
fn a_starter_plan_is_toml_in_the_plan_format() {
    let table = demo(Data::Hospital, 1000);
    let text = starter_plan(&table, &propose(&table), &"data/my \"own\".csv".into());
    let plan: toml::Table = text.parse().unwrap();
    assert_eq!(plan["input"].as_str(), Some("data/my \"own\".csv"));
    assert_eq!(plan["attributes"]["name"].as_str(), Some("identifier"));
    assert_eq!(plan["attributes"]["zip"]["taxonomy"].as_str(), Some("mask"));
    assert_eq!(plan["attributes"]["age"]["type"].as_str(), Some("integer"));
    assert_eq!(plan["attributes"]["admission"]["taxonomy"][0].as_str(), Some("month"));
    assert_eq!(plan["attributes"]["disease"].as_str(), Some("sensitive"));
    assert_eq!(plan["goal"]["k-anonymity"].as_integer(), Some(5));
    assert!(plan["goal"].get("frequency-l-diversity").is_none());
    assert!(text.contains("# frequency-l-diversity = { l = 3, attribute = \"disease\" }"));
    assert!(text.starts_with("# A starter plan. The roles below are proposals"));
}

#[test]
fn odd_headers_become_quoted_keys() {
    let headers = ["a b", "x.y", "Größe", "q\"q", "tab\tin", "[z]", "del\u{7f}", "#c", "ok_1-a"];
    let row = vec!["v"; headers.len()].join(",");
    let table = table(&format!("{}\n{row}\n{row}\n", headers.join(",")));
    let text = starter_plan(&table, &propose(&table), &"d.csv".into());
    let plan: toml::Table = text.parse().unwrap();
    let keys: Vec<&str> =
        plan["attributes"].as_table().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys.len(), headers.len());
    assert!(headers.iter().all(|header| keys.contains(header)), "{keys:?}");
    assert!(text.contains("\nok_1-a = "));
}
