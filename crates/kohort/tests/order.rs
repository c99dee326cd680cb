//! The order of a release's rows: two releases of one table are not joined by it.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::fmt::Write as _;

use kohort::load::{assign_roles, load_table};
use kohort::plan::Plan;
use kohort::release::{Order, anonymize};
use kohort::{Ctx, write_atomically};
use kohort_core::{Attribute, Column, Domain, Role, Table};
use kohort_verify::attack::{ATTACKS, Released, Scene, Scored, Truth, run};

/// People with a number, an age, a zip code and an illness, in no order.
fn people() -> String {
    let mut text = String::from("number,age,zip,illness\n");
    for row in 0..300_u32 {
        let (age, zip) = (20 + row * 37 % 61, 1000 + row * 53 % 97);
        let _ = writeln!(text, "{row},{age},{zip},i{}", row * row % 11 % 4);
    }
    text
}

/// The table of a release that an algorithm makes of the people.
fn release(algorithm: &str) -> Table {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let file = base.join("people.csv");
    write_atomically(&file, &mut |out| out.write_all(people().as_bytes())).unwrap();
    let plan = format!(
        "input = 'people.csv'\n[attributes]\nnumber = 'insensitive'\nage = 'quasi'\nzip = 'quasi'\n\
         illness = 'sensitive'\n[goal]\nk-anonymity = 3\n[method]\nalgorithm = '{algorithm}'\n"
    );
    let plan = Plan::parse("plan.toml", &plan).unwrap().in_folder(base);
    let dataset = assign_roles(&plan, load_table(&plan, &|_, _| {}).unwrap().value);
    let target = base.join("release.csv");
    let order = Order { plan: &plan, target: &target, secret: [7; 32] };
    let made = anonymize(order, &dataset.unwrap().value, &Ctx::quiet());
    assert!(made.is_ok_and(|receipt| receipt.verified));
    let plan = Plan::parse("plan.toml", "input = 'release.csv'\n").unwrap().in_folder(base);
    load_table(&plan, &|_, _| {}).unwrap().value
}

/// The rows without the number: as they stand, or in the order of the people.
fn without_number(table: &Table, is_sorted: bool) -> Table {
    let numbers = table.column("number").unwrap();
    let number = |&row: &u32| {
        let entry = numbers.codes().get(row as usize);
        numbers.dictionary().get(entry).parse::<u32>().unwrap()
    };
    let mut rows: Vec<u32> = (0..).take(table.n_rows()).collect();
    if is_sorted {
        rows.sort_by_key(number);
    }
    let columns = table.columns().iter().filter(|column| column.name() != "number");
    let columns: Vec<Column> = columns.map(|column| column.select(&rows)).collect();
    Table::new(table.name().to_owned(), columns, true, table.missing().clone())
}

/// What the order of the rows tells when both releases are known.
fn by_order(first: &Table, second: &Table) -> Vec<Scored> {
    let illness = |table: &Table| {
        let domain =
            Domain::new(table, table.column("illness").unwrap(), None, &|_| false).unwrap();
        Attribute::new(table, "illness", Role::Sensitive, domain, None).unwrap()
    };
    let (of_first, of_second) = (illness(first), illness(second));
    let quasi = ["age", "zip"];
    let this = Released::new(first, &quasi, None, vec![&of_first]).unwrap();
    let mut scene = Scene::new(this, None).unwrap();
    scene.others.push(Released::new(second, &quasi, None, vec![&of_second]).unwrap());
    let truth = Truth::of_release(&scene.release);
    let attack = *ATTACKS.iter().find(|attack| attack.spec().id == "unsorted-matching").unwrap();
    run(&Ctx::quiet(), &[attack], &scene, &truth).unwrap().found.pop().unwrap().scored
}

#[test]
fn our_order_tells_nothing_where_that_of_the_table_would() {
    let (first, second) = (release("mondrian"), release("k-member"));
    let tables =
        |is_sorted| (without_number(&first, is_sorted), without_number(&second, is_sorted));
    let (this, other) = tables(true);
    let leak =
        by_order(&this, &other).into_iter().find(|scored| scored.attribute.is_none()).unwrap();
    assert!(leak.rate.advantage() > 0.1, "{leak:?}");
    let (this, other) = tables(false);
    for scored in by_order(&this, &other) {
        assert!(scored.rate.advantage().abs() < 1e-9, "{scored:?}");
        assert!(scored.notes[0].starts_with("no order of rows"), "{scored:?}");
    }
}
