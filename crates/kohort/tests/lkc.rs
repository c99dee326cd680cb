//! LKC-privacy of full-domain releases: the searches against the judge over every combination of levels.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::cast_precision_loss, reason = "tables are small")]

use std::fmt::Write as _;

use kohort::load::{assign_roles, load_table};
use kohort::plan::Plan;
use kohort::{Ctx, Dataset, Ratio, write_atomically};
use kohort_algorithms::{Candidate, Problem, SUPPRESSED, Settings, algorithm, anonymize};
use kohort_models::{CellMetric, ClassModel, Costs, LkcPrivacy, Promises};
use kohort_verify::lkc;
use proptest::prelude::*;

/// A row: `a` of four values in two halves, `b` and `c` of a few, and the sensitive `s`.
type Row = (u8, u8, u8, u8);

const HALVES: &str = "0;low;*\n1;low;*\n2;high;*\n3;high;*\n";

fn dataset(rows: &[[String; 4]], taxonomy: &str) -> Dataset {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        write_atomically(&file, &mut |out| out.write_all(text.as_bytes())).unwrap();
    };
    let mut table = "a,b,c,s\n".to_owned();
    for row in rows {
        writeln!(table, "{}", row.join(",")).unwrap();
    }
    write("t.csv", &table);
    write("halves.csv", HALVES);
    let text = "type = 'text'";
    let plan = format!(
        "input = 't.csv'\n[attributes]\na = {{ role = 'quasi', {text}{taxonomy} }}\n\
         b = {{ role = 'quasi', {text} }}\nc = {{ role = 'quasi', {text} }}\n\
         s = {{ role = 'sensitive', {text} }}\n"
    );
    let plan = Plan::parse("plan.toml", &plan).unwrap().in_folder(folder.path());
    let table = load_table(&plan, &|_, _| {}).unwrap().value;
    assign_roles(&plan, table).unwrap().value
}

/// What is asked: l, k, c in tenths, and how many rows may be dropped.
#[derive(Clone, Copy, Debug)]
struct Ask {
    l: usize,
    k: u64,
    c: u64,
    suppression: u64,
}

fn model(data: &Dataset, ask: Ask) -> LkcPrivacy {
    let codes = (0..data.sensitive()[0].n_codes()).collect();
    LkcPrivacy::new(0, ask.l, ask.k, Ratio::new(ask.c, 10), codes).unwrap()
}

fn made(data: &Dataset, id: &str, ask: Ask) -> Option<Candidate> {
    let models: Vec<Box<dyn ClassModel>> = vec![Box::new(model(data, ask))];
    let settings = Settings { suppression: ask.suppression, ..Settings::plain(3, 7) };
    let problem = Problem::new(data, Promises::new(models, &data.sensitive()), settings);
    anonymize(algorithm(id).unwrap(), &Ctx::quiet(), &problem).ok()
}

/// The mean NCP of a release; a dropped row loses 1.
fn loss(data: &Dataset, candidate: &Candidate) -> f64 {
    let costs: Vec<Costs> =
        data.quasi().iter().map(|attribute| Costs::new(attribute, CellMetric::Ncp)).collect();
    let of_row = |&group: &u32| {
        if group == SUPPRESSED {
            return 1.0;
        }
        let cells = candidate.cells.class(group as usize);
        costs.iter().zip(cells).map(|(costs, cell)| costs.of(cell)).sum::<f64>() / 3.0
    };
    candidate.group_of_row.iter().map(of_row).sum::<f64>() / data.n_rows() as f64
}

/// Whether the judge says that what these rows show is LKC-private.
fn holds(shown: &[[String; 4]], ask: Ask) -> bool {
    if shown.is_empty() {
        return true;
    }
    let data = dataset(shown, "");
    let quasi: Vec<_> = data.quasi().iter().map(|a| (a.codes(), a.n_codes())).collect();
    lkc(shown.len(), &quasi, &data.sensitive(), &model(&data, ask)).classes == 0
}

/// What the rows of a release show.
fn shown(rows: &[[String; 4]], candidate: &Candidate) -> Vec<[String; 4]> {
    let published = rows.iter().zip(&candidate.group_of_row).filter(|(_, g)| **g != SUPPRESSED);
    let row = |(row, &group): (&[String; 4], &u32)| {
        let cell = |axis: usize| format!("{:?}", candidate.cells.column(axis).get(group as usize));
        // A comma would part a cell of the file in two.
        [0, 1, 2].map(|axis| cell(axis).replace(',', "")).into_iter().chain([row[3].clone()])
    };
    published.map(|pair| row(pair).collect::<Vec<_>>().try_into().unwrap()).collect()
}

/// The least mean NCP of all combinations of levels that the judge accepts, without dropping a row.
fn least(rows: &[[String; 4]], ask: Ask) -> Option<f64> {
    let mut least: Option<f64> = None;
    for (a, b, c) in (0..3).flat_map(|a| (0..2).flat_map(move |b| (0..2).map(move |c| (a, b, c)))) {
        let half = |text: &str| if text < "2" { "low" } else { "high" };
        let shown: Vec<[String; 4]> = (rows.iter())
            .map(|row| {
                let first = [&row[0], half(&row[0]), "*"][a];
                let (second, third) = ([&row[1], "*"][b], [&row[2], "*"][c]);
                [first, second, third, &row[3]].map(str::to_owned)
            })
            .collect();
        // Each half has two of four values.
        let loss = ([0.0, 0.5, 1.0][a] + b as f64 + c as f64) / 3.0;
        if holds(&shown, ask) && least.is_none_or(|least| loss < least) {
            least = Some(loss);
        }
    }
    least
}

fn rows() -> impl Strategy<Value = Vec<[String; 4]>> {
    let row = (0_u8..4, 0_u8..3, 0_u8..2, 0_u8..4);
    prop::collection::vec(row, 8..40).prop_map(|rows| {
        // Every value occurs.
        let all: [Row; 4] = [(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 0, 2), (3, 0, 1, 3)];
        let texts = |(a, b, c, s): Row| [a, b, c, s].map(|n| n.to_string());
        all.into_iter().chain(rows).map(texts).collect()
    })
}

fn ask() -> impl Strategy<Value = Ask> {
    (1_usize..4, 1_u64..6, 4_u64..10, 0_u64..9).prop_map(|(l, k, c, suppression)| Ask {
        l,
        k,
        c,
        suppression,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_combination_of_levels_that_the_judge_accepts_loses_less(rows in rows(), ask in ask()) {
        let data = dataset(&rows, ", taxonomy = 'halves.csv'");
        let ask = Ask { suppression: 0, ..ask };
        let least = least(&rows, ask);
        for id in ["optimal", "incognito"] {
            let found = made(&data, id, ask).map(|candidate| loss(&data, &candidate));
            prop_assert_eq!(found.is_some(), least.is_some(), "{}", id);
            if let Some((found, least)) = found.zip(least) {
                prop_assert!((found - least).abs() < 1e-9, "{} {} {}", id, found, least);
            }
        }
        if let Some((auto, least)) = made(&data, "auto", ask).zip(least) {
            prop_assert!(loss(&data, &auto) <= least + 1e-9);
        }
    }

    #[test]
    fn every_release_is_accepted_and_none_loses_more_than_who_knows_all_allows(
        rows in rows(),
        ask in ask(),
    ) {
        let data = dataset(&rows, ", taxonomy = 'halves.csv'");
        for id in ["optimal", "incognito", "samarati", "datafly", "top-down", "mondrian", "auto"] {
            let Some(candidate) = made(&data, id, ask) else { continue };
            prop_assert!(holds(&shown(&rows, &candidate), ask), "{}", id);
            let dropped = candidate.group_of_row.iter().filter(|group| **group == SUPPRESSED);
            prop_assert!(dropped.count() as u64 <= ask.suppression, "{}", id);
        }
        // With rows to drop, who is left out must keep the promise, too, which is asked after the search.
        let ask = Ask { suppression: 0, ..ask };
        let of = |ask: Ask| Some(loss(&data, &made(&data, "optimal", ask)?));
        let (few, all) = (of(ask), of(Ask { l: 3, ..ask }));
        if let Some(all) = all {
            prop_assert!(few.is_some_and(|few| few <= all + 1e-9), "{:?} {}", few, all);
        }
    }
}
