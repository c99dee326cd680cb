//! A starter plan that nobody read: what a release made by it does not hold.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::harness::Folder;

const FAMILY: [&str; 6] =
    ["Quillfeather", "Ostermann", "Belacqua", "Thistlewood", "Varga", "Yondu"];
const GIVEN: [&str; 6] = ["Ottilie", "Peregrin", "Thaddea", "Ulrike", "Casimir", "Wenzel"];

/// Twenty-four made-up patients, each in a file, in the form of FHIR's Patient resource.
fn patients() -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let mut secrets = Vec::new();
    for row in 0..24 {
        let ssn = format!("219-{:02}-{:04}", row + 11, row * 371 + 1000);
        let licence = format!("S9{:07}", row * 7919);
        let phone = format!("555-01{:02}-{:04}", row, 1000 + row * 97);
        let street = format!("{} {} Street", 100 + row * 7, FAMILY[(row + 1) % 6]);
        let birth = format!("19{:02}-{:02}-{:02}", 40 + row * 2, row % 12 + 1, row % 28 + 1);
        let (family, given) = (FAMILY[row % 6], GIVEN[row / 6 + row % 3]);
        let (gender, city) = (["male", "female"][row % 2], ["Aberdour", "Brixworth"][row / 12]);
        let mut patient = json!({
            "resourceType": "Patient",
            "id": format!("f81d4fae-7dec-11d0-a765-00a0c91e{:04}", row),
            "identifier": [
                { "system": "http://example.org/ssn", "value": ssn },
                { "system": "urn:licence", "value": licence },
            ],
            "name": [{ "use": "official", "family": family, "given": [given, "M."] }],
            "telecom": [{ "system": "phone", "value": phone }],
            "gender": gender,
            "birthDate": birth,
            "address": [{ "line": [street], "city": city,
                          "postalCode": format!("0213{}", row % 3), "country": "US" }],
            "text": { "div": format!("A note about {given} {family}, seen in the week {row}.") },
            "managed": "north",
            "hiv": row % 5 == 0,
            "cost": 1_000 + row * 37,
        });
        if row < 3 {
            patient["contained"] =
                json!([{ "name": [{ "family": "Zuckerkandl" }], "note": "Zuckerkandl" }]);
            secrets.push("Zuckerkandl".to_owned());
        }
        folder.put(&format!("people/{row}.json"), patient.to_string());
        secrets.extend([ssn, licence, phone, street, birth, family.to_owned(), given.to_owned()]);
    }
    (folder, secrets)
}

fn roles(answer: &Value) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let columns = answer["columns"].as_array().expect("a list").iter();
    columns
        .map(|column| (text(&column["name"]).unwrap_or_default(), text(&column["role"])))
        .collect()
}

#[test]
fn the_starter_plan_of_a_folder_of_patients_publishes_nobody() {
    let (folder, secrets) = patients();
    let answer = folder.json("inspect people --plan plan.toml");
    let roles = roles(&answer);
    for (path, expected) in [
        ("id", Some("identifier")),
        ("identifier[].value", Some("identifier")),
        ("name[].family", Some("identifier")),
        ("name[].given[]", Some("identifier")),
        ("telecom[].value", Some("identifier")),
        ("address[].line[]", Some("identifier")),
        ("contained[].name[].family", Some("identifier")),
        // One value, but three people of 24 have it.
        ("contained[].note", None),
        ("text.div", Some("identifier")),
        ("gender", Some("quasi")),
        ("birthDate", Some("quasi")),
        ("address[].city", Some("quasi")),
        ("address[].postalCode", Some("quasi")),
        ("managed", Some("insensitive")),
        ("hiv", Some("sensitive")),
        // Everybody's own: whoever knows what was paid finds the person.
        ("cost", None),
    ] {
        let found = roles.iter().find(|(name, _)| name == path);
        assert_eq!(found.map(|(_, role)| role.as_deref()), Some(expected), "{path}: {roles:?}");
    }
    let output = folder.run("anonymize plan.toml");
    assert_eq!(output.code, 0, "{output}");
    let release = folder.text("release.json").expect("it was written");
    assert!(["gender", "birthDate", "hiv"].iter().all(|name| release.contains(name)), "{release}");
    assert!(!release.contains("cost"), "{release}");
    for secret in secrets {
        assert!(!release.contains(&secret), "{secret} in {release}");
    }
}

#[test]
fn headers_that_say_nothing_publish_nothing_of_what_singles_out() {
    let mut text = String::from("col1,col2,field_a,field_b,x1,x2,x3,x4,sex,age\n");
    for row in 0..60_usize {
        let cells = [
            format!("{} {}", GIVEN[row % 6], FAMILY[row / 6 % 6]),
            format!("219-{:02}-{:04}", row + 11, row * 71 + 1000),
            ["flu", "cold", "gout"][row % 3].to_owned(),
            format!("0.{}", 10_007 + row * 7919 % 9973),
            ["Anna", "Peter", "Maria", "Paul"][row % 4].to_owned(),
            if row % 2 == 0 {
                format!("p{row}@example.org")
            } else {
                format!("+1 202 555 {row:04}")
            },
            format!("{} Example Road", row + 3),
            ["up", "down", "see jane@example.org"][row % 3].to_owned(),
            ["f", "m"][row % 2].to_owned(),
            (20 + row % 40).to_string(),
        ];
        text += &(cells.join(",") + "\n");
    }
    let folder = Folder::with(&[("t.csv", &text)]);
    let answer = folder.json("inspect t.csv --plan plan.toml");
    let quasi: Vec<String> = (roles(&answer).into_iter())
        .filter(|(_, role)| role.as_deref() != Some("identifier") && role.is_some())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(quasi, ["sex", "age"]);
    let output = folder.run("anonymize plan.toml");
    assert_eq!(output.code, 0, "{output}");
    let release = folder.text("release.csv").expect("it was written");
    assert!(release.starts_with("sex,age\n"), "{release}");
    let plan = folder.text("plan.toml").expect("it was written");
    let line =
        "# field_a = \"quasi\"  # neither the header nor the values say what it is: left out";
    assert!(plan.contains(line), "{plan}");
}

#[test]
fn values_decide_where_a_header_says_something_else() {
    let mut text = String::from("city,diagnosis,occupation\n");
    for row in 0..40 {
        let name = ["Anna Lund", "Peter Holm", "Maria Berg", "Hans Dal"][row % 4];
        let _ = writeln!(text, "{} Main Street,{name},p{}@example.org", row + 1, row % 4);
    }
    let answer = Folder::with(&[("t.csv", &text)]).json("inspect t.csv");
    for (column, role) in roles(&answer) {
        assert_eq!(role.as_deref(), Some("identifier"), "{column}");
    }
}
