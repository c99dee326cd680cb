//! Ledgers that earlier versions wrote.

use std::fs;

use kohort_ledger::What;

use crate::harness::{folder, key, open, publish};
use crate::tampering::{bytes_of, flip_each};

/// Written by version 1: two releases, a person who was forgotten in between, and a third release whose
/// process was killed before its files were in their places. They are not there.
const VERSION_1: &[u8] = include_bytes!("../data/version-1.ledger");

#[test]
fn a_ledger_of_version_1_is_settled_and_written_anew() {
    let home = folder();
    fs::write(home.path().join("ledger"), VERSION_1).unwrap();
    let mut ledger = open(home.path()).unwrap();
    let recovered = ledger.recovered().to_vec();
    assert!(recovered[0].is_published && recovered[0].release == 3, "{recovered:?}");
    let checked = ledger.check("hospital").unwrap().unwrap();
    assert_eq!((checked.entries.len(), checked.n_people, checked.n_forgotten), (3, 7, 1));
    let uses = ledger.uses().unwrap();
    assert!(uses.iter().any(|it| it.what == What::Migrated { from: 1 }));
    assert!(uses.iter().any(|it| matches!(it.what, What::Resealed { .. })));
    // A ledger of before draws from a secret of its own, too.
    let drawn = ledger.begin("hospital").unwrap().secret("draws");
    assert_eq!(ledger.begin("hospital").unwrap().secret("draws"), drawn);
    publish(&mut ledger, "hospital", &[1, 2, 8], home.path());
    ledger.forget("hospital", &key(6)).unwrap();
    drop(ledger);
    let mut ledger = open(home.path()).unwrap();
    assert_eq!(ledger.check("hospital").unwrap().unwrap().n_forgotten, 2);
    assert!(ledger.recovered().is_empty());
    drop(ledger);
    assert_eq!(flip_each(&bytes_of(home.path()), 61), []);
}

/// Written by a build whose SQLite does not show the pages of a file: two releases and a person who was
/// forgotten.
const NOT_SCRUBBED: &[u8] = include_bytes!("../data/not-scrubbed.ledger");

#[test]
fn a_ledger_of_a_build_that_cannot_scrub_is_scrubbed_by_one_that_can() {
    let home = folder();
    fs::write(home.path().join("ledger"), NOT_SCRUBBED).unwrap();
    let mut ledger = open(home.path()).unwrap();
    let checked = ledger.check("hospital").unwrap().unwrap();
    assert_eq!((checked.entries.len(), checked.n_people, checked.n_forgotten), (2, 5, 1));
    publish(&mut ledger, "hospital", &[1, 2, 8], home.path());
    drop(ledger);
    assert_eq!(flip_each(&bytes_of(home.path()), 61), []);
}
