//! delta-presence of releases: the probability of each person, against the definition.

use kohort_core::{Attribute, Codes, Public, PublicColumn, Ratio, Role, Table};
use kohort_models::DeltaPresence;
use kohort_verify::{Claims, Members, Membership, Reason, Rejected, Shows, Verified, verify};
use proptest::prelude::*;

use super::given::{dataset, rows, table};

const COUNTRIES: &[&str] = &["at;west;*", "de;west;*", "pl;east;*", "cz;east;*"];
const NAMES: [&str; 2] = ["age", "country"];

/// The people with an age and a country. A country of no taxonomy is under the root alone.
fn public(people: &[Vec<String>], more_ages: &[u32]) -> Public {
    let known = |text: &str| {
        text.is_empty() || COUNTRIES.iter().any(|line| line.split(';').next() == Some(text))
    };
    let mut all: Vec<Vec<String>> =
        people.iter().filter(|person| known(&person[1])).cloned().collect();
    all.extend(more_ages.iter().map(|age| vec![age.to_string(), "at".into()]));
    all.extend(people.iter().map(|person| vec![person[0].clone(), "at".into()]));
    all.extend(
        COUNTRIES.iter().map(|line| vec!["1".into(), line.split(';').next().unwrap().into()]),
    );
    let columns = [("age", Role::Quasi, None), ("country", Role::Quasi, Some(COUNTRIES))];
    let data = dataset(&columns, &all);
    let column = |(index, attribute): (usize, &&Attribute)| {
        let mut codes = Codes::default();
        for person in people {
            codes.push(attribute.code_of(&person[index]).unwrap_or(attribute.n_codes()));
        }
        let attribute: Attribute = (*attribute).clone();
        PublicColumn { attribute, codes, code_of_original: Vec::new() }
    };
    Public::new(data.quasi().iter().enumerate().map(column).collect())
}

fn judge(release: &Table, public: &Public, min: Ratio, max: Ratio) -> Result<Verified, Rejected> {
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &NAMES,
        group: None,
        sensitive: &[],
        models: &[],
        sizes: &[],
        population: None,
        membership: Some(Membership {
            model: DeltaPresence::new(min, max).unwrap(),
            public,
            n_blank: 0,
        }),
        suppression: Ratio::whole(0),
        shows: Shows::Rows,
    };
    verify(release, &claims, None).unwrap()
}

fn found(verdict: &Result<Verified, Rejected>) -> Members {
    let findings = match verdict {
        Ok(verified) => verified.findings(),
        Err(rejected) => rejected.findings(),
    };
    *findings.members().unwrap()
}

/// Whether a released text covers a text of the public table.
fn covers(released: &str, text: &str, has_missing: bool) -> bool {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    if released == "*" || released == text {
        return true;
    }
    if released.is_empty() {
        return !has_missing;
    }
    if let Some((lo, hi)) = released.trim_matches(['[', ']']).split_once(',') {
        return number(text).is_some_and(|n| number(lo).unwrap() <= n && n <= number(hi).unwrap());
    }
    COUNTRIES.iter().any(|line| {
        let parts: Vec<&str> = line.split(';').collect();
        parts[0] == text && parts[1] == released
    })
}

fn person() -> impl Strategy<Value = Vec<String>> {
    let country = prop::sample::select(vec!["at", "de", "pl", "cz", "atlantis", ""]);
    (0_u32..12, country).prop_map(|(age, country)| vec![age.to_string(), country.to_owned()])
}

fn released() -> impl Strategy<Value = Vec<String>> {
    let age = prop_oneof![
        (0_u32..14).prop_map(|age| age.to_string()),
        (0_u32..9, 0_u32..6).prop_map(|(lo, more)| format!("[{lo}, {}]", lo + more)),
        Just("*".to_owned()),
    ];
    let country = prop::sample::select(vec!["at", "de", "pl", "west", "east", "*", ""]);
    (age, country).prop_map(|(age, country)| vec![age, country.to_owned()])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn everybody_has_the_sum_of_the_shares_of_the_classes_they_lie_in(
        people in prop::collection::vec(person(), 1..40),
        lines in prop::collection::vec(released(), 1..20),
        (low, more) in (0_u64..4, 0_u64..10),
    ) {
        let public = public(&people, &[]);
        let has_missing = people.iter().any(|person| person[1].is_empty());
        let lies_in = |line: &[String], person: &[String]| {
            (0..2).all(|at| covers(&line[at], &person[at], has_missing))
        };
        let (min, max) = (Ratio::new(low, 10), Ratio::new((low + more).min(10), 10));
        let mut classes: Vec<(Vec<String>, u64)> = Vec::new();
        for line in &lines {
            match classes.iter_mut().find(|class| class.0 == *line) {
                Some(class) => class.1 += 1,
                None => classes.push((line.clone(), 1)),
            }
        }
        // In units of one over a number that every denominator divides.
        let unit: u64 = 5_342_931_457_063_200; // lcm(1..=40)
        let (mut below, mut above, mut all) = (0, 0, Vec::new());
        let size = |class: &Vec<String>| people.iter().filter(|p| lies_in(class, p)).count() as u64;
        for person in &people {
            let mine = classes.iter().filter(|class| lies_in(&class.0, person));
            let sum: u64 = mine.map(|class| unit / size(&class.0) * class.1).sum();
            let share = sum.min(unit);
            below += u64::from(u128::from(share) * 10 < u128::from(unit) * u128::from(low));
            let most = u128::from((low + more).min(10));
            above += u64::from(u128::from(share) * 10 > u128::from(unit) * most);
            all.push(Ratio::new(share, unit).value());
        }
        let verdict = judge(&table(&NAMES, &lines), &public, min, max);
        let members = found(&verdict);
        prop_assert_eq!((members.below, members.above), (below, above));
        prop_assert_eq!(members.people, people.len() as u64);
        prop_assert!((members.lowest - all.iter().copied().fold(1.0, f64::min)).abs() < 1e-12);
        prop_assert!((members.highest - all.iter().copied().fold(0.0, f64::max)).abs() < 1e-12);
        let nobodys = classes.iter().filter(|class| size(&class.0) == 0).map(|class| class.1);
        prop_assert_eq!(members.rows_not_covered, nobodys.sum::<u64>());
        prop_assert_eq!(verdict.is_ok(), below + above == 0);
    }
}

// r over v and w, and p = r plus (a,1), (b,2), (b,2): delta-presence [0.6, 1].
#[test]
fn table_8_2_presence_of_vw_as_a_release() {
    let r = rows(&[
        "1;at", "1;at", "1;at", "1;at", "2;at", "2;at", "2;pl", "2;pl", "2;pl", "1;pl", "1;pl",
        "1;pl",
    ]);
    let mut p = r.clone();
    p.extend(rows(&["1;at", "2;pl", "2;pl"]));
    let public = public(&p, &[]);
    let release = table(&NAMES, &r);
    let verdict = judge(&release, &public, Ratio::new(3, 5), Ratio::whole(1));
    let members = found(&verdict);
    assert!(verdict.is_ok());
    assert_eq!((members.lowest, members.highest, members.people), (0.6, 1.0, 15));
    let rejected = judge(&release, &public, Ratio::new(3, 5), Ratio::new(99, 100)).unwrap_err();
    let [Reason::Model { id: "delta-presence", violations }] = rejected.reasons() else { panic!() };
    // (a,2) and (b,1) are members for sure: five people of two kinds.
    assert_eq!((violations.classes, violations.rows), (2, 5));
}

#[test]
fn a_row_that_is_narrowed_is_found_out() {
    let people = rows(&["20;at", "22;at", "30;at", "31;at", "33;pl", "35;pl"]);
    let public = public(&people, &[25]);
    let (min, max) = (Ratio::new(1, 4), Ratio::new(1, 2));
    let honest = table(&NAMES, &rows(&["[20, 31];west", "[20, 31];west", "[33, 35];east"]));
    assert!(judge(&honest, &public, min, max).is_ok());
    let tampered = table(&NAMES, &rows(&["[20, 31];west", "[20, 31];west", "35;east"]));
    let members = found(&judge(&tampered, &public, min, max));
    assert_eq!((members.below, members.above, members.highest), (1, 1, 1.0));
    // 25 is a value of the original that nobody in the public table has.
    let nobody = table(&NAMES, &rows(&["25;at", "[20, 31];west", "[33, 35];east"]));
    assert_eq!(found(&judge(&nobody, &public, min, max)).rows_not_covered, 1);
}
