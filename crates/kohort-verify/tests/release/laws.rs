//! Laws on random tables: what covers is found to cover, and nothing else.

use kohort_core::{Attribute, Cell, Dataset, Ratio, Role, Table};
use kohort_models::{ClassModel, DistinctLDiversity, KAnonymity};
use kohort_verify::{Against, Claims, Reason, Rejected, Shows, Verified, truth, verify};
use proptest::prelude::*;

use super::given::{dataset, table};

const COUNTRIES: &[&str] = &["at;west;*", "de;west;*", "pl;east;*", "cz;east;*", "jp;jp;*"];
const NAMES: [&str; 5] = ["age", "country", "sex", "disease", "note"];

/// Tables with numbers, a ragged taxonomy, a flat column, missing values, a sensitive column and one
/// that is published as it is.
fn data(n: std::ops::Range<usize>) -> impl Strategy<Value = Dataset> {
    let row = (
        prop::option::weighted(0.9, 0_u32..9),
        prop::option::weighted(0.9, 0_usize..5),
        0_u8..3,
        0_u8..3,
        0_u8..2,
    );
    prop::collection::vec(row, n).prop_map(|rows| {
        let line =
            |(age, country, sex, disease, note): &(Option<u32>, Option<usize>, u8, u8, u8)| {
                let country = country.map(|index| COUNTRIES[index].split(';').next().unwrap());
                vec![
                    age.map_or(String::new(), |age| age.to_string()),
                    country.unwrap_or_default().to_owned(),
                    format!("s{sex}"),
                    format!("d{disease}"),
                    format!("n{note}"),
                ]
            };
        let columns = [
            ("age", Role::Quasi, None),
            ("country", Role::Quasi, Some(COUNTRIES)),
            ("sex", Role::Quasi, None),
            ("disease", Role::Sensitive, None),
            ("note", Role::Insensitive, None),
        ];
        dataset(&columns, &rows.iter().map(line).collect::<Vec<_>>())
    })
}

/// A released row: the original row behind it and its cells.
type Row = (usize, Vec<Cell>);

/// The smallest boxes of groups of rows, `group[row]` giving the group; `None` drops the row.
fn generalize(data: &Dataset, groups: &[Option<u8>]) -> Vec<Row> {
    let of = |row: usize| groups[row % groups.len()];
    let released = (0..data.n_rows()).filter(|&row| of(row).is_some());
    released
        .map(|row| {
            let cell = |attribute: &&Attribute| {
                let members = (0..data.n_rows()).filter(|&other| of(other) == of(row));
                let codes: Vec<u32> = members.map(|other| attribute.codes().get(other)).collect();
                attribute.smallest_cell(*codes.iter().min().unwrap(), *codes.iter().max().unwrap())
            };
            (row, data.quasi().iter().map(cell).collect())
        })
        .collect()
}

/// The texts of released rows; sensitive and other cells are those of the row behind.
fn texts(data: &Dataset, rows: &[Row]) -> Vec<Vec<String>> {
    let quasi = data.quasi();
    let line = |(row, cells): &Row| {
        let shown = quasi.iter().zip(cells).map(|(a, &cell)| text(data.table(), a, cell));
        let kept = ["disease", "note"].map(|name| original(data, name, *row));
        shown.chain(kept).collect()
    };
    rows.iter().map(line).collect()
}

fn original(data: &Dataset, name: &str, row: usize) -> String {
    let column = data.table().column(name).unwrap();
    column.dictionary().get(column.codes().get(row)).to_owned()
}

/// Finds an original row for a released one, moving others on where it must.
fn place(
    row: usize,
    edges: &[Vec<usize>],
    seen: &mut [bool],
    holder: &mut [Option<usize>],
) -> bool {
    edges[row].iter().any(|&at| {
        if std::mem::replace(&mut seen[at], true) {
            return false;
        }
        let is_free = holder[at].is_none_or(|other| place(other, edges, seen, holder));
        if is_free {
            holder[at] = Some(row);
        }
        is_free
    })
}

/// Rows left over by a largest matching, by the plainest method: one path at a time between rows.
fn plain_uncovered(data: &Dataset, rows: &[Row]) -> u64 {
    let quasi = data.quasi();
    // A missing cell may be a suppressed one, where there is no other text for that.
    let lines = texts(data, rows);
    let tells_root: Vec<bool> =
        (0..quasi.len()).map(|axis| lines.iter().any(|line| line[axis] == "*")).collect();
    let covers = |(from, cells): &Row, at: usize| {
        quasi.iter().zip(&tells_root).zip(cells).all(|((attribute, tells_root), &cell)| {
            let (lo, hi) = attribute.codes_of(cell);
            !tells_root && attribute.missing() == Some(lo) && lo == hi
                || (lo..=hi).contains(&attribute.codes().get(at))
        }) && ["disease", "note"]
            .iter()
            .all(|name| original(data, name, *from) == original(data, name, at))
    };
    let edges: Vec<Vec<usize>> = (rows.iter())
        .map(|row| (0..data.n_rows()).filter(|&at| covers(row, at)).collect())
        .collect();
    let mut holder = vec![None; data.n_rows()];
    let placed = (0..rows.len())
        .filter(|&row| place(row, &edges, &mut vec![false; data.n_rows()], &mut holder))
        .count();
    (rows.len() - placed) as u64
}

fn uncovered(data: &Dataset, lines: &[Vec<String>]) -> u64 {
    truth(&table(&NAMES, lines), data, None, None).unwrap().uncovered_rows()
}

/// The verdict on a release, for k and a number of distinct diseases.
fn judge(
    data: &Dataset,
    lines: &[Vec<String>],
    k: u64,
    suppression: Ratio,
) -> Result<Verified, Rejected> {
    let release = table(&NAMES, lines);
    let column = release.column("disease").unwrap();
    let domain = kohort_core::Domain::new(&release, column, None, &|_| false).unwrap();
    let disease = Attribute::new(&release, "disease", Role::Sensitive, domain, None).unwrap();
    let models: Vec<Box<dyn ClassModel>> = vec![
        Box::new(KAnonymity::new(k).unwrap()),
        Box::new(DistinctLDiversity::new(0, 2).unwrap()),
    ];
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["age", "country", "sex"],
        group: None,
        sensitive: &[&disease],
        models: &models,
        sizes: &[],
        population: None,
        membership: None,
        suppression,
        shows: Shows::Rows,
    };
    let against = Against { original: data, certificate: None, models: &models };
    verify(&release, &claims, Some(against)).unwrap()
}

/// Groups of rows, repeated over the table.
fn groups() -> impl Strategy<Value = Vec<Option<u8>>> {
    prop::collection::vec(prop::option::weighted(0.9, 0_u8..6), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_generalization_is_truthful(data in data(1..40), groups in groups(), turn in 0_usize..40) {
        let mut rows = generalize(&data, &groups);
        if !rows.is_empty() {
            let n = rows.len();
            rows.rotate_left(turn % n);
        }
        let release = table(&NAMES, &texts(&data, &rows));
        let certificate: Vec<u32> = rows.iter().map(|row| u32::try_from(row.0).unwrap()).collect();
        for certificate in [None, Some(&certificate[..])] {
            let found = truth(&release, &data, certificate, None).unwrap();
            prop_assert!(found.holds());
            prop_assert!(found.changed().is_empty());
            prop_assert_eq!(found.n_dropped(), (data.n_rows() - rows.len()) as u64);
            prop_assert_eq!(found.sizes().iter().sum::<u64>(), rows.len() as u64);
        }
    }

    #[test]
    fn the_matching_is_as_large_as_the_plain_one(
        data in data(1..25),
        picks in prop::collection::vec((any::<prop::sample::Index>(), [0_u32..9, 0..9, 0..9], [0_u32..4, 0..4, 0..4]), 1..30),
    ) {
        let rows: Vec<Row> = (picks.iter())
            .map(|(row, first, width)| {
                let axes = data.quasi().into_iter().zip(first.iter().zip(width));
                let cells = axes.map(|(attribute, (&first, &width))| {
                    let last = attribute.n_codes() - 1;
                    attribute.smallest_cell(first.min(last), (first + width).min(last))
                });
                (row.index(data.n_rows()), cells.collect())
            })
            .collect();
        prop_assert_eq!(uncovered(&data, &texts(&data, &rows)), plain_uncovered(&data, &rows));
    }

    #[test]
    fn an_added_row_is_found(data in data(1..30), groups in groups(), pick in any::<prop::sample::Index>()) {
        let kept: Vec<Option<u8>> = groups.iter().map(|group| group.or(Some(0))).collect();
        let mut rows = generalize(&data, &kept);
        rows.push(rows[pick.index(rows.len())].clone());
        let lines = texts(&data, &rows);
        prop_assert_eq!(uncovered(&data, &lines), 1);
        let verdict = judge(&data, &lines, 2, Ratio::whole(0));
        let reason = Reason::Untruthful { rows: 1 };
        prop_assert!(verdict.unwrap_err().reasons().contains(&reason));
    }

    #[test]
    fn a_changed_cell_is_found(
        data in data(1..30),
        groups in groups(),
        pick in any::<prop::sample::Index>(),
        axis in 0_usize..5,
        other in 0_u32..9,
    ) {
        let mut rows = generalize(&data, &groups);
        prop_assume!(!rows.is_empty());
        let changed = pick.index(rows.len());
        let (at, _) = rows[changed];
        let mut lines = texts(&data, &rows);
        let certificate: Vec<u32> = rows.iter().map(|row| u32::try_from(row.0).unwrap()).collect();
        let expected = if axis < 3 {
            let attribute = data.quasi()[axis];
            let code = other % attribute.n_codes();
            prop_assume!(code != attribute.codes().get(at) && Some(code) != attribute.missing());
            rows[changed].1[axis] = Cell::Leaf(code);
            lines = texts(&data, &rows);
            plain_uncovered(&data, &rows)
        } else {
            lines[changed][axis] = "elsewhere".into();
            1
        };
        prop_assert_eq!(uncovered(&data, &lines), expected);
        let found = truth(&table(&NAMES, &lines), &data, Some(&certificate), None).unwrap();
        prop_assert_eq!(found.uncovered_rows(), 1);
        prop_assert_eq!(found.changed(), [(NAMES[axis].to_owned(), 1)]);
    }

    #[test]
    fn sensitive_cells_that_changed_places_are_found_when_it_matters(
        data in data(2..25),
        groups in groups(),
        picks in [any::<prop::sample::Index>(), any::<prop::sample::Index>()],
    ) {
        let rows = generalize(&data, &groups);
        prop_assume!(rows.len() > 1);
        let [a, b] = picks.map(|pick| pick.index(rows.len()));
        let mut lines = texts(&data, &rows);
        let disease = lines[a][3].clone();
        lines[a][3] = std::mem::replace(&mut lines[b][3], disease);
        // The same lines as cells over the rows whose sensitive cells they show: a swap matters when a
        // plain matching no longer covers everybody.
        let shown = |row: usize, disease: &str| {
            (0..data.n_rows()).find(|&at| {
                original(&data, "disease", at) == disease
                    && original(&data, "note", at) == original(&data, "note", row)
            })
        };
        let swapped: Option<Vec<Row>> = (rows.iter().zip(&lines))
            .map(|((row, cells), line)| Some((shown(*row, &line[3])?, cells.clone())))
            .collect();
        match swapped {
            Some(rows) => prop_assert_eq!(uncovered(&data, &lines), plain_uncovered(&data, &rows)),
            None => prop_assert!(uncovered(&data, &lines) > 0),
        }
    }

    #[test]
    fn rows_may_be_dropped_up_to_the_share_allowed(data in data(4..30), dropped in 0_usize..4, allowed in 0_u64..4) {
        let rows = generalize(&data, &[Some(0)]);
        let lines = texts(&data, &rows[dropped..]);
        let n = data.n_rows() as u64;
        let verdict = judge(&data, &lines, 2, Ratio::new(allowed, n));
        let share = Ratio::new(dropped as u64, n);
        let reason = Reason::Suppression { share, allowed: Ratio::new(allowed, n) };
        let findings = verdict.as_ref().map_or_else(Rejected::findings, Verified::findings);
        prop_assert_eq!(findings.suppression(), Some(share));
        let is_refused = verdict.is_err_and(|rejected| rejected.reasons().contains(&reason));
        prop_assert_eq!(is_refused, dropped as u64 > allowed);
    }

    #[test]
    fn a_class_made_smaller_than_k_is_rejected_by_name(data in data(8..30), k in 2_u64..5) {
        let mut rows = generalize(&data, &[Some(0)]);
        let honest = texts(&data, &rows);
        let names_k = |rejected: &Rejected| {
            rejected.reasons().iter().any(|r| matches!(r, Reason::Model { id: "k-anonymity", .. }))
        };
        let before = judge(&data, &honest, k, Ratio::whole(0));
        prop_assert!(!before.is_err_and(|rejected| names_k(&rejected)));
        // k - 1 rows show themselves, as truthfully as before, and leave the others.
        for (at, cells) in rows.iter_mut().take(usize::try_from(k).unwrap() - 1) {
            *cells = data.quasi().iter().map(|a| Cell::Leaf(a.codes().get(*at))).collect();
        }
        let shown: std::collections::BTreeSet<_> = rows.iter().map(|row| row.1.clone()).collect();
        prop_assume!(shown.len() > 1);
        let rejected = judge(&data, &texts(&data, &rows), k, Ratio::whole(0)).unwrap_err();
        prop_assert!(names_k(&rejected));
        prop_assert!(rejected.findings().truth().unwrap().holds());
    }
}

/// What is printed for a cell.
fn text(original: &Table, attribute: &Attribute, cell: Cell) -> String {
    let value = |code| match attribute.entry_of_code(code) {
        Some(entry) => {
            original.column(attribute.name()).unwrap().dictionary().get(entry).to_owned()
        }
        None => String::new(),
    };
    match cell {
        Cell::Leaf(code) => value(code),
        Cell::Range { lo, hi } | Cell::Rounded { lo, hi } => {
            format!("[{}, {}]", value(lo), value(hi))
        }
        Cell::Node(node) => attribute.taxonomy().nodes()[node as usize].label.clone(),
    }
}
