//! Elimination: Sharma et al., Tables 2, 5 and 6.

use kohort_core::Attribute;
use kohort_verify::attack::{Declared, Scene, Verdict};

use crate::lab::{Lab, close};
use crate::paper_002::{TABLE_2, TABLE_6, table_2};

const TABLE_5: [&str; 8] = [
    "130**;[20-30];Person;Flu",
    "130**;[20-30];Person;Cancer",
    "130**;[31-40];Person;Viral",
    "130**;[31-40];Person;HIV+",
    "148**;[41-50];Person;Cancer",
    "148**;[41-50];Person;Headache",
    "148**;[51-60];Person;HIV+",
    "148**;[51-60];Person;Viral",
];
/// A release of Table 2, whose people are known.
fn lab(release: &[&str]) -> Lab {
    let original = table_2(["a", "b", "c", "s"]);
    Lab { original: Some(original), ..Lab::of(release).with_original(&TABLE_2) }
}

/// The codes of cancer and HIV.
fn high(attribute: &Attribute) -> Vec<u32> {
    let mut codes: Vec<u32> =
        ["Cancer", "HIV+"].map(|text| attribute.code_of(text).unwrap()).to_vec();
    codes.sort_unstable();
    codes
}

#[test]
fn table_6_tells_four_values_and_four_high_ones() {
    let lab = lab(&TABLE_6);
    let high = high(lab.release.sensitive()[0]);
    let found = lab.find("elimination", |scene| {
        scene.declared = Declared { high: Some((0, &high)), ..Declared::default() };
    });
    // Both gain a half: values stand high_or_low.
    let [values, high_or_low] = &found.scored[..] else { panic!("values, and high or low") };
    assert_eq!((values.way.as_deref(), high_or_low.way.as_deref()), (None, Some("by high or low")));
    // High or low is known of all eight; half of them are high.
    assert_eq!((high_or_low.rate.targets, high_or_low.rate.above), (8, [8, 8, 8]));
    assert!(
        close(high_or_low.rate.success, 1.0) && close(high_or_low.rate.baseline, 0.5),
        "{high_or_low:?}"
    );
    assert_eq!(high_or_low.verdict, Verdict::Succeeds);
    // The value itself is known of the four whose rows are there as they are.
    assert_eq!((values.rate.targets, values.rate.above), (8, [4, 4, 4]));
    assert!(close(values.rate.success, 0.75), "{values:?}");
}

#[test]
fn table_5_leaves_high_and_low_as_likely() {
    let lab = lab(&TABLE_5);
    let high = high(lab.release.sensitive()[0]);
    let half = |scene: &mut Scene<'_>| {
        let crowd = scene.crowd().unwrap();
        assert_eq!(crowd.n_targets(), 8);
        for view in crowd.views() {
            let posterior = scene.posterior(view, 0);
            let of_high = posterior.iter().filter(|(code, _)| high.contains(code));
            assert!(close(of_high.map(|(_, p)| p).sum(), 0.5));
        }
    };
    // Nobody is published as is, so nobody can be eliminated.
    let needs = lab.try_find("elimination", half).err().unwrap();
    assert_eq!(needs, "a release with some rows as they are and some generalized");
}

#[test]
fn without_declared_values_it_guesses_values_alone() {
    let found = lab(&TABLE_6).find("elimination", |_| {});
    assert_eq!(found.scored.len(), 1);
    assert!(close(found.weakest().rate.max_probability, 1.0));
}

#[test]
fn equal_exact_rows_share_the_probability() {
    let release = ["1;x", "1;y", "[2,3];z", "[2,3];z"];
    let original = ["1;x", "1;y", "2;z", "3;z"];
    let rate = Lab::of(&release).with_original(&original).rate("elimination");
    assert_eq!((rate.targets, rate.above), (4, [2, 2, 2]));
    assert!(close(rate.success, 0.75), "{rate:?}");
}

#[test]
fn it_needs_people_who_are_known_to_be_members() {
    let lab = Lab::of(&["1;x", "[2,3];z"]).with_people(&["1", "2"]);
    let needs = lab.try_find("elimination", |_| {}).err().unwrap();
    assert!(needs.starts_with("people of the public table who are known"), "{needs}");
    let needs = Lab::of(&["1;x", "[2,3];z"]).try_find("elimination", |_| {}).err().unwrap();
    assert!(needs.contains("(`--original`, or `--knowledge`)"), "{needs}");
}
