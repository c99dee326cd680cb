//! What a release of a series is drawn from: a secret of its ledger, which stands in no file.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::disallowed_methods, reason = "a test writes its own tables")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use kohort::plan::Plan;
use kohort::series::{Hardness, KeptHead, Secret, SeriesOrder, SeriesReceipt, publish};
use kohort::{Ctx, Stop};

fn secret() -> Secret {
    Secret::passphrase("a passphrase").unwrap().with_hardness(Hardness::LIGHT)
}

/// Sixty people, and who of them comes later, as a table.
fn table(folder: &Path, people: std::ops::Range<u32>) {
    let mut text = String::from("person,age,zip,disease\n");
    for person in people {
        let (age, zip) = (20 + person * 17 % 41, 10 + person * 7 % 23);
        let _ = writeln!(text, "p{person:03},{age},{zip},d{}", person * 13 % 5);
    }
    std::fs::write(folder.join("table.csv"), text).unwrap();
}

/// Asks for a release with the plan's seed 7, on a ledger, with so many different values in a class.
fn asked(folder: &Path, ledger: &Path, m: u32) -> Result<SeriesReceipt, Stop> {
    let text = format!(
        "input = \"table.csv\"\n[attributes]\nperson = \"identifier\"\ndisease = \"sensitive\"\n\
         age = \"quasi\"\nzip = \"quasi\"\n[method]\nseed = 7\n[series]\nkey = \"person\"\n\
         method = \"m-invariance\"\nm = {m}\n"
    );
    let plan = Plan::parse("plan.toml", &text).unwrap().in_folder(folder);
    let dataset = kohort::load::load(&plan, &|_, _| {}).unwrap().value;
    let order = SeriesOrder {
        plan: &plan,
        series: "stays",
        ledger,
        secret: &secret(),
        head: &KeptHead::Nowhere,
        target: &|release| target(ledger, release),
        report: &|_| None,
        force: false,
        inputs: &[],
        now: 1_800_000_000,
    };
    publish(&order, &dataset, &Ctx::quiet())
}

fn target(ledger: &Path, release: u32) -> PathBuf {
    ledger.with_extension(format!("{release}.csv"))
}

fn bytes(ledger: &Path, release: u32) -> Vec<u8> {
    std::fs::read(target(ledger, release)).unwrap()
}

#[test]
fn two_ledgers_draw_differently_and_one_draws_the_same_when_it_is_asked_again() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    let at = |name: &str| folder.join(name);
    table(folder, 0..60);
    // A no, by a promise that the table cannot keep, and then a release.
    assert!(matches!(asked(folder, &at("one"), 7), Err(Stop::No(_))));
    // What a trial on a copy of the ledger makes is what the ledger makes.
    std::fs::copy(at("one"), at("copy")).unwrap();
    asked(folder, &at("copy"), 2).unwrap();
    asked(folder, &at("one"), 2).unwrap();
    assert_eq!(bytes(&at("one"), 1), bytes(&at("copy"), 1));
    // The same plan and seed on another ledger.
    asked(folder, &at("two"), 2).unwrap();
    assert_ne!(bytes(&at("one"), 1), bytes(&at("two"), 1));
    // The second release, after another no.
    table(folder, 10..70);
    std::fs::copy(at("one"), at("copy")).unwrap();
    assert!(matches!(asked(folder, &at("one"), 7), Err(Stop::No(_))));
    asked(folder, &at("one"), 2).unwrap();
    asked(folder, &at("copy"), 2).unwrap();
    assert_eq!(bytes(&at("one"), 2), bytes(&at("copy"), 2));
}

#[test]
fn a_receipt_has_nothing_of_the_secret() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    table(folder, 0..60);
    let receipt = |name: &str| {
        let mut receipt = asked(folder, &folder.join(name), 2).unwrap();
        // What is another one for every ledger, and no secret.
        for hash in [&mut receipt.entry, &mut receipt.head, &mut receipt.ledger] {
            hash.clear();
        }
        receipt.files.clear();
        receipt
    };
    let (one, two) = (receipt("one"), receipt("two"));
    assert_ne!(bytes(&folder.join("one"), 1), bytes(&folder.join("two"), 1));
    let fields = |receipt: &SeriesReceipt| {
        let value = serde_json::to_value(receipt).unwrap();
        let fields: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        (fields, value["seed"].clone())
    };
    let (fields_of_one, seed) = fields(&one);
    assert_eq!((fields_of_one.clone(), seed), fields(&two));
    assert!(!fields_of_one.iter().any(|name| name.contains("secret")), "{fields_of_one:?}");
    // Every text of sixteen or more digits would be room for one.
    let text = serde_json::to_string(&one).unwrap();
    let has_long = text.split(|c: char| !c.is_ascii_hexdigit()).any(|digits| digits.len() >= 32);
    assert!(!has_long, "{text}");
}
