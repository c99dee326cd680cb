//! Verified releases that somebody changed: whenever a change breaks a promise or says what the original
//! does not, `verify --original` must not say yes.

use std::path::Path;

use crate::campaign::Campaign;
use crate::case::Case;
use crate::differential::{made, read_release};
use crate::files::{self, Failure, Rows};
use crate::findings::Finding;
use crate::made_up;
use crate::plain::cells::{Kind, Role};
use crate::plain::classes::{Shown, without_suppressed};
use crate::plain::fillings::Answer;
use crate::plain::truth;
use crate::program::words;
use crate::promise::Scene;
use crate::random::Random;

/// How often one release is tampered with.
const PER_RELEASE: usize = 12;

/// Characters that nobody sees.
const INVISIBLE: [&str; 6] = ["\u{200b}", "\u{feff}", "\u{a0}", "\u{2060}", " ", "\u{301}"];

/// One release, and changes of it.
pub(crate) fn round(campaign: &mut Campaign, number: u64) -> Result<(), Failure> {
    let mut random = Random::of_round(campaign.seed, number);
    let honest = campaign.algorithms.iter().filter(|one| !one.is_unsafe && one.is_truthful);
    let algorithm = (*random.pick(&honest.collect::<Vec<_>>())).clone();
    let model = random.pick(&campaign.models).clone();
    let mut case = made_up::case(&mut random, &algorithm.id, &model);
    let folder = tempfile::tempdir()?;
    if case.promises.is_empty() || made(campaign, &mut case, &algorithm, folder.path())?.is_none() {
        return Ok(());
    }
    let untouched = tempfile::tempdir()?;
    crate::findings::copy(folder.path(), untouched.path())?;
    for _ in 0..PER_RELEASE {
        let change = tamper(&mut random, &case, folder.path())?;
        judge(campaign, &case, change, folder.path(), number)?;
        crate::findings::copy(untouched.path(), folder.path())?;
    }
    Ok(())
}

/// A change: what was done, and whether it changes nothing that a release says.
#[derive(Clone, Copy)]
struct Change {
    name: &'static str,
    is_harmless: bool,
}

type Tampering = fn(&mut Random, &Case, &mut Rows);

const TAMPERINGS: [(&str, Tampering); 17] = [
    ("cells of two rows exchanged", exchange),
    ("a cell copied from another row", copy_cell),
    ("a cell copied from the original", copy_from_original),
    ("a sensitive cell masked", mask_sensitive),
    ("sensitive cells of a value masked", mask_value),
    ("a quasi-identifier masked", mask_quasi),
    ("rows dropped", drop_rows),
    ("a row said twice", duplicate),
    ("a row said in the place of another", replace_row),
    ("an invisible character added", add_invisible),
    ("a column added", add_column),
    ("identifiers added", add_identifiers),
    ("a column dropped", drop_column),
    ("a column renamed", rename_column),
    ("a range in another notation", other_notation),
    ("another letter case", other_case),
    ("a number changed", change_number),
];

/// Changes the release in a folder.
fn tamper(random: &mut Random, case: &Case, folder: &Path) -> Result<Change, Failure> {
    let values = folder.join(case.values());
    let main = folder.join(case.release());
    let path = if values.exists() && random.percent(50) { values } else { main };
    let mut table = files::read(&path)?;
    let whole = case.columns.iter().filter(|column| column.kind == Kind::Integer);
    let mut whole: Vec<&str> = whole.map(|column| column.name.as_str()).collect();
    whole.extend(["group", "count"]);
    if random.percent(12) {
        random.shuffle(&mut table.rows);
        files::write(&path, &table, &whole)?;
        return Ok(Change { name: "rows in another order", is_harmless: true });
    }
    if random.percent(8) && is_text(&path) {
        return rewrite(random, &path, &table);
    }
    let name = change_rows(random, case, &mut table);
    files::write(&path, &table, &whole)?;
    Ok(Change { name, is_harmless: false })
}

/// Changes a table in one of the ways, once or several times; what was done.
pub(crate) fn change_rows(random: &mut Random, case: &Case, table: &mut Rows) -> &'static str {
    let (name, change) = *random.pick(&TAMPERINGS);
    for _ in 0..random.between(1, 3) {
        if !table.rows.is_empty() && !table.header.is_empty() {
            change(random, case, table);
        }
    }
    name
}

fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "csv" || extension == "tsv")
}

/// The same cells in other bytes: what is read there must be what every other reader sees.
fn rewrite(random: &mut Random, path: &Path, table: &Rows) -> Result<Change, Failure> {
    let quotes = *random.pick(b"'\"");
    let mut writer = csv::WriterBuilder::new()
        .quote(quotes)
        .delimiter(*random.pick(b",;\t|"))
        .quote_style(*random.pick(&[csv::QuoteStyle::Always, csv::QuoteStyle::Necessary]))
        .from_writer(Vec::new());
    writer.write_record(&table.header)?;
    for row in &table.rows {
        writer.write_record(row)?;
    }
    let text = String::from_utf8(writer.into_inner()?)?;
    let bytes = match random.below(4) {
        0 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        1 => [b"\xff\xfe".to_vec(), text.encode_utf16().flat_map(u16::to_le_bytes).collect()]
            .concat(),
        2 => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
        _ => text.into_bytes(),
    };
    std::fs::write(path, bytes)?;
    let name = "other quotes, separators or encoding";
    Ok(Change { name, is_harmless: false })
}

/// Asks the program, and compares with the definitions.
fn judge(
    campaign: &mut Campaign,
    case: &Case,
    change: Change,
    folder: &Path,
    number: u64,
) -> Result<(), Failure> {
    let (original, release) = (case.original(), case.release());
    let ask = ["verify", &release, "--plan", "plan.toml", "--original", &original];
    let ran = campaign.program.run(folder, &words(&ask))?;
    campaign.findings.count("tamperings", 1);
    let wrong = broken(case, folder);
    let kind = match (ran.crash(), ran.code, &wrong) {
        (Some(crash), ..) => format!("verify crashes: {crash}"),
        (None, Some(0), Some(wrong)) => format!("verify says yes: {wrong}, {}", change.name),
        (None, Some(1 | 2), None) if change.is_harmless => {
            format!("verify says no: {}", change.name)
        }
        _ => return Ok(()),
    };
    let details = format!(
        "seed {}, round {number}: {}\nexit {:?}\n{}\n{}",
        campaign.seed, change.name, ran.code, ran.stdout, ran.stderr
    );
    let commands = vec![ran.command];
    campaign.findings.add(&Finding { kind: &kind, details, files: folder, commands })?;
    Ok(())
}

/// What is surely wrong with the release in a folder; nothing where it cannot be read here.
fn broken(case: &Case, folder: &Path) -> Option<String> {
    let (release, has_groups) = read_release(case, folder).ok()?;
    let is_published = |name: &String| {
        let column = case.columns.iter().find(|column| column.name == *name);
        column.map_or(has_groups && name == "group", |column| column.role != Role::Identifier)
    };
    if !release.header.iter().all(is_published) {
        return Some("a column has no business there".into());
    }
    let release = without_suppressed(&release, case.keeps_suppressed());
    let n_dropped = case.table.rows.len().saturating_sub(release.rows.len());
    if 100 * n_dropped > case.suppression.unwrap_or(0) * case.table.rows.len() {
        return Some("too many rows are gone".into());
    }
    let truth = if has_groups { truth::anatomized } else { truth::generalized };
    if truth(&case.columns, &release, &case.table) == Answer::Broken {
        return Some("a row is nobody's".into());
    }
    let group = has_groups.then_some("group");
    let shown = Shown::read(&case.columns, &release, &case.table, group)?;
    let scene = Scene { columns: &case.columns, shown: &shown };
    let failed = case.promises.iter().find(|promise| promise.judge(&scene) == Answer::Broken)?;
    Some(format!("{} fails", failed.model.id()))
}

/// The place of a random column of a role, of those that the table has.
fn column_of(random: &mut Random, case: &Case, table: &Rows, role: Role) -> Option<usize> {
    let of_role = case.columns.iter().filter(|column| column.role == role);
    let places: Vec<usize> = of_role.filter_map(|column| table.place(&column.name)).collect();
    (!places.is_empty()).then(|| *random.pick(&places))
}

fn exchange(random: &mut Random, _: &Case, table: &mut Rows) {
    let place = random.below(table.header.len());
    let [a, b] = [0, 1].map(|_| random.below(table.rows.len()));
    let (of_a, of_b) = (table.rows[a][place].clone(), table.rows[b][place].clone());
    table.rows[a][place] = of_b;
    table.rows[b][place] = of_a;
}

fn copy_cell(random: &mut Random, _: &Case, table: &mut Rows) {
    let place = random.below(table.header.len());
    let [a, b] = [0, 1].map(|_| random.below(table.rows.len()));
    table.rows[a][place] = table.rows[b][place].clone();
}

fn copy_from_original(random: &mut Random, case: &Case, table: &mut Rows) {
    let place = random.below(table.header.len());
    let Some(there) = case.table.place(&table.header[place]) else { return };
    let row = random.below(table.rows.len());
    table.rows[row][place].clone_from(&random.pick(&case.table.rows)[there]);
}

fn mask_sensitive(random: &mut Random, case: &Case, table: &mut Rows) {
    let Some(place) = column_of(random, case, table, Role::Sensitive) else { return };
    let row = random.below(table.rows.len());
    let other = random.pick(&table.rows)[place].clone();
    let set = format!("{{{}, {other}}}", table.rows[row][place]);
    (*random.pick(&["*", "", "NA", &set])).clone_into(&mut table.rows[row][place]);
}

fn mask_value(random: &mut Random, case: &Case, table: &mut Rows) {
    let Some(place) = column_of(random, case, table, Role::Sensitive) else { return };
    let value = random.pick(&table.rows)[place].clone();
    let share = random.between(20, 100);
    for row in &mut table.rows {
        if row[place] == value && random.percent(share) {
            row[place] = "*".into();
        }
    }
}

fn mask_quasi(random: &mut Random, case: &Case, table: &mut Rows) {
    let Some(place) = column_of(random, case, table, Role::Quasi) else { return };
    let row = random.below(table.rows.len());
    table.rows[row][place] = (*random.pick(&["*", ""])).to_owned();
}

fn drop_rows(random: &mut Random, _: &Case, table: &mut Rows) {
    for _ in 0..random.between(1, 1 + table.rows.len() / 3) {
        if table.rows.len() > 1 {
            table.rows.remove(random.below(table.rows.len()));
        }
    }
}

fn duplicate(random: &mut Random, _: &Case, table: &mut Rows) {
    let row = random.pick(&table.rows).clone();
    table.rows.push(row);
}

fn replace_row(random: &mut Random, _: &Case, table: &mut Rows) {
    let [a, b] = [0, 1].map(|_| random.below(table.rows.len()));
    table.rows[a] = table.rows[b].clone();
}

fn add_invisible(random: &mut Random, _: &Case, table: &mut Rows) {
    let (row, place) = (random.below(table.rows.len()), random.below(table.header.len()));
    let character = *random.pick(&INVISIBLE);
    let cell = &mut table.rows[row][place];
    *cell = if random.percent(50) {
        format!("{cell}{character}")
    } else {
        format!("{character}{cell}")
    };
}

fn add_column(random: &mut Random, _: &Case, table: &mut Rows) {
    if table.place("more").is_none() {
        table.header.push("more".into());
        table.rows.iter_mut().for_each(|row| row.push(random.below(3).to_string()));
    }
}

fn add_identifiers(random: &mut Random, case: &Case, table: &mut Rows) {
    let Some(place) = case.table.place("id").filter(|_| table.place("id").is_none()) else {
        return;
    };
    table.header.push("id".into());
    for row in &mut table.rows {
        row.push(random.pick(&case.table.rows)[place].clone());
    }
}

fn drop_column(random: &mut Random, _: &Case, table: &mut Rows) {
    if table.header.len() == 1 {
        return;
    }
    let place = random.below(table.header.len());
    table.header.remove(place);
    table.rows.iter_mut().for_each(|row| drop(row.remove(place)));
}

fn rename_column(random: &mut Random, _: &Case, table: &mut Rows) {
    let place = random.below(table.header.len());
    table.header[place] += *random.pick(&["x", "\u{200b}", "2"]);
}

fn other_notation(random: &mut Random, case: &Case, table: &mut Rows) {
    let Some(place) = column_of(random, case, table, Role::Quasi) else { return };
    let cell = random.pick(&table.rows)[place].clone();
    let inside = cell.trim_matches(['[', ']']).replace(", ", "-");
    let other = random.pick(&[inside.clone(), format!("({inside})"), format!("{cell} ")]).clone();
    for row in &mut table.rows {
        if row[place] == cell {
            row[place].clone_from(&other);
        }
    }
}

fn other_case(random: &mut Random, _: &Case, table: &mut Rows) {
    let (row, place) = (random.below(table.rows.len()), random.below(table.header.len()));
    table.rows[row][place] = table.rows[row][place].to_uppercase();
}

fn change_number(random: &mut Random, _: &Case, table: &mut Rows) {
    let (row, place) = (random.below(table.rows.len()), random.below(table.header.len()));
    let digit = random.below(10).to_string();
    let cell = &mut table.rows[row][place];
    if let Some(at) = cell.find(|c: char| c.is_ascii_digit()) {
        cell.replace_range(at..=at, &digit);
    }
}
