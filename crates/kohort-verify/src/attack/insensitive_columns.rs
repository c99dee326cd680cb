//! Insensitive columns: links a person who is known to be in the table with a record, by every column that
//! is published as it is.
//!
//! # Adversary
//! Knows that the target is in the table, the target's quasi-identifiers, and the target's values in the
//! columns that the release shows beside quasi-identifiers and sensitive attributes.
//!
//! # Method
//! 1. The candidates are the records whose cells cover the target and whose other columns show the
//!    target's own texts, f of them.
//! 2. One of them is drawn: the target's with probability 1/f.
//!
//! Without people, or where nothing of these columns is known of them, everybody in the release is a target.
//! The baseline is what the prosecutor does who knows the quasi-identifiers alone.
//!
//! # Success
//! The expected share of targets whose record is drawn.
//!
//! # What it refutes
//! Nothing. k-anonymity and its family are promises against an adversary who knows the quasi-identifiers
//! that the plan names, and this one knows more: the promise holds, and is worth nothing to these people. So
//! there is no bound to go beyond, and the verdict is that the attack succeeds.
//!
//! # References
//! Sweeney 2002, k-anonymity, section 2 (the data holder must name every attribute that can be linked).

use std::collections::BTreeMap;

use kohort_core::{Column, Ctx, Error, Message, Spec, Table, group, message};

use super::evidence::scene::{Sight, Who};
use super::{Attack, Criterion, Guesses, Rate, Says, Scene, View};
use crate::release::by_reference;

const SPEC: Spec = Spec {
    id: "insensitive-columns",
    title: "Linking a person by the insensitive columns, too",
    paper: "Sweeney 2002",
    promise: "the record of a person is picked out by an adversary who also knows the columns \
              published as they are",
    parameters: &[],
};

/// The attack by columns that are published as they are.
pub(super) struct InsensitiveColumns;

impl Attack for InsensitiveColumns {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn criterion(&self) -> Criterion {
        Criterion::SinglingOut
    }

    fn needs(&self, scene: &Scene<'_>) -> Option<Message> {
        match (scene.release.n_rows(), &scene.insensitive[..]) {
            (0, _) => Some("a release with a row".into()),
            (_, []) => Some("an insensitive column in the release".into()),
            _ => None,
        }
    }

    fn guess(&self, _: &Ctx<'_>, scene: &Scene<'_>) -> Result<Vec<Guesses>, Error> {
        let released = scene.release.table();
        let of = |table: &Table| -> Vec<&str> {
            let names = scene.insensitive.iter().copied();
            names.filter(|name| table.column(name).is_ok()).collect()
        };
        let people = scene.people.as_ref().zip(scene.crowd());
        let people = people.map(|(people, crowd)| (people.table(), crowd));
        let known = people.filter(|(table, _)| !of(table).is_empty());
        let (who, table, sight) = match known {
            Some((table, crowd)) => (Who::People, table, crowd),
            None => (Who::Rows, released, scene.rows()),
        };
        let names = of(table);
        let records = Records::new(scene, &columns(released, &names)?);
        let blind = (Says::Record, 1.0 / scene.release.n_rows() as f64);
        let mut guesses = Guesses::new(who, None, blind);
        say(&mut guesses, scene, sight, &records, &columns(table, &names)?);
        guesses.notes.push(message!("with `{}`", names.join("`, `")));
        Ok(vec![guesses])
    }

    fn meaning(&self, rate: &Rate) -> String {
        format!(
            "an adversary who also knows the insensitive columns picks out the record with \
             probability {:.3} on average, and with certainty for {} of {} targets",
            rate.success, rate.above[2], rate.targets
        )
    }
}

fn columns<'t>(table: &'t Table, names: &[&str]) -> Result<Vec<&'t Column>, Error> {
    names.iter().map(|name| table.column(name)).collect()
}

/// The released rows by what they show in some columns, and how many there are of each shape.
struct Records<'a> {
    // For each column the number of each text.
    texts: Vec<BTreeMap<&'a str, u32>>,
    of_values: BTreeMap<Vec<u32>, Vec<(u32, u32)>>,
}

impl<'a> Records<'a> {
    fn new(scene: &Scene<'_>, columns: &[&'a Column]) -> Self {
        let mut texts = vec![BTreeMap::new(); columns.len()];
        for (texts, column) in texts.iter_mut().zip(columns) {
            for text in column.dictionary().iter() {
                let next = u32::try_from(texts.len()).expect("texts are numbered by u32");
                texts.entry(text.trim()).or_insert(next);
            }
        }
        let mut records = Self { texts, of_values: BTreeMap::new() };
        let looks: Vec<_> = columns.iter().map(|column| column.looks()).collect();
        let shapes = scene.release.shapes();
        let mut rows = shapes.clone();
        for (codes, n_codes) in by_reference(&looks) {
            rows = rows.refine(codes, n_codes);
        }
        for (row, size) in rows.first_rows().into_iter().zip(rows.sizes()) {
            let Some(values) = records.values(columns, row) else { continue };
            let shape = shapes.ids[row as usize];
            records.of_values.entry(values).or_default().push((shape, size));
        }
        for found in records.of_values.values_mut() {
            found.sort_unstable();
        }
        records
    }

    /// What a row of a table shows in these columns; none where no released row shows it.
    fn values(&self, columns: &[&Column], row: u32) -> Option<Vec<u32>> {
        let texts = self.texts.iter().zip(columns);
        let number = |(texts, column): (&BTreeMap<&str, u32>, &&Column)| {
            let text = column.dictionary().get(column.codes().get(row as usize));
            texts.get(text.trim()).copied()
        };
        texts.map(number).collect()
    }

    /// How many rows of these shapes, ascending, show these values.
    fn count(&self, shapes: &[u32], values: &[u32]) -> u64 {
        let found = self.of_values.get(values).map_or(&[][..], |found| &found[..]);
        let of = |records: &[(u32, u32)]| records.iter().map(|&(_, n)| u64::from(n)).sum::<u64>();
        if found.len() <= shapes.len() {
            let is_there = |record: &&(u32, u32)| shapes.binary_search(&record.0).is_ok();
            return of(&found.iter().filter(is_there).copied().collect::<Vec<_>>());
        }
        let of_shape = |shape: &u32| {
            let first = found.partition_point(|record| record.0 < *shape);
            let rest = &found[first..];
            of(&rest[..rest.partition_point(|record| record.0 == *shape)])
        };
        shapes.iter().map(of_shape).sum()
    }
}

/// Guesses about every target, and what the prosecutor guesses.
fn say(
    guesses: &mut Guesses,
    scene: &Scene<'_>,
    sight: &Sight,
    records: &Records<'_>,
    columns: &[&Column],
) {
    let looks: Vec<_> = columns.iter().map(|column| column.looks()).collect();
    let n_targets = columns.first().map_or(0, |column| column.codes().len());
    // Targets with the same texts are asked for once in each view.
    let alike = group(n_targets, by_reference(&looks));
    let share = |n: u64| if n == 0 { (Says::Nothing, 0.0) } else { (Says::Record, 1.0 / n as f64) };
    for view in sight.views() {
        let (blind, probability) = share(scene.n_records(view));
        let mut targets = view.targets.to_vec();
        targets.sort_unstable_by_key(|&target| (alike.ids[target as usize], target));
        for same in targets.chunk_by(|&a, &b| alike.ids[a as usize] == alike.ids[b as usize]) {
            let values = records.values(columns, same[0]);
            let n = values.map_or(0, |values| records.count(view.shapes, &values));
            let some = View { targets: same, shapes: view.shapes };
            let (says, of_record) = share(n);
            guesses.say(some, says, of_record);
            guesses.say_without(some, blind, probability);
        }
    }
}
