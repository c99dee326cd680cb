//! Whole releases with masked sensitive cells against every way to fill them: by plain definitions of what a
//! text may be, for every model, with and without an original and buckets.

use std::collections::BTreeMap;

use kohort_core::{
    Attribute, Buckets, Dataset, Domain, Error, Kind, Missing, MissingAs, Ratio, Role, Table,
    ValueType,
};
use kohort_models::{
    AlphaKAnonymity, BasicBetaLikeness, Class, ClassModel, Counts, DeltaDisclosurePrivacy,
    Distance, DistinctLDiversity, Distribution, EnhancedBetaLikeness, EntropyLDiversity,
    EpsilonMAnonymity, FrequencyLDiversity, KAnonymity, KeAnonymity, LMdiversity, LPdiversity,
    LkcPrivacy, PSensitiveKAnonymity, PersonalizedPrivacy, RecursiveClDiversity, SPECS,
    SensitivityClasses, TCloseness,
};
use kohort_verify::{Against, Claims, Shows, masked_texts, verify, with_masked, without_masked};
use proptest::prelude::*;

use super::given::table;

/// The values of the sensitive column, without missing.
const VALUES: [&str; 4] = ["1", "2", "4", "8"];

/// What a cell of a release may show, and the values that it may be.
const SHOWN: [(&str, &[&str]); 12] = [
    ("1", &["1"]),
    ("2", &["2"]),
    ("4", &["4"]),
    ("8", &["8"]),
    ("", &[""]),
    (" 8\u{200b}", &["8"]),
    ("*", &VALUES),
    ("{1, 8}", &["1", "8"]),
    ("[2, 8)", &["2", "4"]),
    (">=4", &["4", "8"]),
    ("{2}", &["2"]),
    ("1-4", &["1", "2", "4"]),
];

/// What `*` may be where a value may be missing.
const ALL: [&str; 5] = ["1", "2", "4", "8", ""];

/// Where masked cells begin in `SHOWN`.
const FIRST_MASK: usize = 6;

#[derive(Clone, Copy, Debug)]
struct Reading {
    missing_as: MissingAs,
    has_buckets: bool,
}

/// Buckets of the values below 4, and of the others.
fn buckets() -> Buckets {
    Buckets::new("two buckets".into(), |text, _| {
        let number: u32 = text.trim().parse().ok()?;
        Some(if number < 4 { "low" } else { "high" }.into())
    })
}

fn attribute(table: &Table, reading: Reading) -> Attribute {
    let column = table.column("s").unwrap();
    let domain = Domain::new(table, column, Some(ValueType::Integer), &|_| false).unwrap();
    let attribute = Attribute::new(table, "s", Role::Sensitive, domain, None).unwrap();
    let attribute = if reading.has_buckets {
        attribute.in_buckets(table, buckets()).unwrap()
    } else {
        attribute
    };
    attribute.with_missing_as(reading.missing_as)
}

/// The sensitive column of a release as it is read where somebody may have any of the values.
fn released(release: &Table, reading: Reading) -> Attribute {
    let column = release.column("s").unwrap();
    let is_masked = masked_texts(release, column, Some(ValueType::Integer), &|_| None);
    let shown = without_masked(column, &is_masked, VALUES.into_iter(), release.missing());
    let shown = Table::new("release.csv".into(), vec![shown], true, Missing::default());
    with_masked(attribute(&shown, reading), release, &is_masked).unwrap()
}

/// Every registered model of a class that can be asked of the attribute.
fn models(attribute: &Attribute, reading: Reading) -> Vec<Box<dyn ClassModel>> {
    fn made<M: ClassModel + 'static>(model: Result<M, Error>) -> Box<dyn ClassModel> {
        Box::new(model.unwrap())
    }
    let (half, two) = (Ratio::new(1, 2), Ratio::whole(2));
    let code = |text: &str| attribute.code_of(text).unwrap();
    let sorted = |texts: &[&str]| {
        let mut codes: Vec<u32> = texts.iter().map(|text| code(text)).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    };
    // Who has 8 guards 4 and 8.
    let mut guards = vec![None; attribute.n_codes() as usize];
    guards[code("8") as usize] = Some((code("4").min(code("8")), code("4").max(code("8"))));
    let high = sorted(&["4", "8"]);
    let classes = SensitivityClasses::new(0, high, Ratio::new(2, 3));
    let classes = classes.and_then(|model| model.with_l(two));
    let mut models = vec![
        made(KAnonymity::new(2)),
        made(DistinctLDiversity::new(0, 2)),
        made(FrequencyLDiversity::new(0, two)),
        made(FrequencyLDiversity::new(0, Ratio::new(3, 2))),
        made(EntropyLDiversity::new(0, Ratio::new(3, 2))),
        made(RecursiveClDiversity::new(0, two, 2)),
        made(AlphaKAnonymity::new(0, half, 2, sorted(&["1", "4"]))),
        made(PSensitiveKAnonymity::new(2, 2)),
        made(LPdiversity::new(2)),
        made(LMdiversity::new(2)),
        made(LkcPrivacy::new(0, 1, 2, half, sorted(&["8"]))),
        made(classes),
        made(PersonalizedPrivacy::new(0, half, 0, guards)),
        made(TCloseness::new(0, half, Distance::Equal)),
        made(BasicBetaLikeness::new(0, two)),
        made(EnhancedBetaLikeness::new(0, two)),
        made(DeltaDisclosurePrivacy::new(0, two)),
    ];
    if !reading.has_buckets {
        models.push(made(TCloseness::new(0, Ratio::new(2, 5), Distance::Ordered)));
        models.push(made(KeAnonymity::new(0, 2, Ratio::whole(3))));
        models.push(made(EpsilonMAnonymity::new(0, Ratio::whole(2), 2)));
    }
    models
}

/// Whether a class of these values keeps a promise beside a table that is distributed so.
fn keeps(model: &dyn ClassModel, of: &Distribution<'_>, values: &[&str]) -> bool {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for value in values {
        let attribute = of.attribute();
        let missing = || attribute.missing().filter(|_| value.is_empty());
        let code = missing().or_else(|| attribute.code_of(value)).unwrap();
        *counts.entry(code).or_default() += 1;
    }
    let cells: Vec<(u32, u64)> = counts.into_iter().collect();
    model.holds(&Class {
        size: values.len() as u64,
        sensitive: &[Counts { table: of, cells: &cells }],
    })
}

/// Whether every way to fill the cells of a class keeps a promise.
fn every_filling_keeps(
    model: &dyn ClassModel,
    of: &Distribution<'_>,
    (cells, filled): (&[&[&str]], &[&str]),
) -> bool {
    let Some((first, others)) = cells.split_first() else { return keeps(model, of, filled) };
    first.iter().all(|value| {
        let filled: Vec<&str> = filled.iter().copied().chain([*value]).collect();
        every_filling_keeps(model, of, (others, &filled))
    })
}

/// How many classes break each promise, by the judge.
fn judged(
    release: &Table,
    attribute: &Attribute,
    models: &[Box<dyn ClassModel>],
    original: Option<(&Dataset, &[Box<dyn ClassModel>])>,
) -> Vec<u64> {
    let claims = Claims {
        identifiers: &[],
        without_role: &[],
        quasi: &["q"],
        group: None,
        sensitive: &[attribute],
        models,
        sizes: &[],
        population: None,
        membership: None,
        suppression: Ratio::whole(1),
        shows: Shows::Rows,
    };
    let against =
        original.map(|(original, models)| Against { original, certificate: None, models });
    let verdict = verify(release, &claims, against).unwrap();
    let found = match &verdict {
        Ok(verified) => verified.findings().models().to_vec(),
        Err(rejected) => rejected.findings().models().to_vec(),
    };
    found.iter().map(|(_, violations)| violations.classes).collect()
}

/// How many classes break a promise, by every filling.
fn by_every_filling(
    rows: &[(usize, usize)],
    model: &dyn ClassModel,
    of: &Distribution<'_>,
    (is_known, can_be_missing): (bool, bool),
) -> u64 {
    let allowed = |row: &(usize, usize)| match SHOWN[row.1] {
        ("*", _) if can_be_missing => &ALL[..],
        (_, allowed) => allowed,
    };
    let classes = (0..3).map(|class| {
        let of_class = rows.iter().filter(|row| row.0 == class);
        of_class.map(allowed).collect::<Vec<&[&str]>>()
    });
    let is_broken = |cells: &Vec<&[&str]>| {
        !cells.is_empty() && (!is_known || !every_filling_keeps(model, of, (cells, &[])))
    };
    classes.filter(is_broken).count() as u64
}

#[test]
fn every_model_of_a_class_is_asked() {
    let rows: Vec<Vec<String>> = VALUES.iter().map(|v| vec!["0".into(), (*v).into()]).collect();
    let reading = Reading { missing_as: MissingAs::Value, has_buckets: false };
    let attribute = attribute(&table(&["q", "s"], &rows), reading);
    let mut asked: Vec<&str> =
        models(&attribute, reading).iter().map(|model| model.spec().id).collect();
    // About sizes of classes and people of another table, and not about values.
    let of_sizes =
        ["delta-presence", "k-map", "average-risk", "sample-uniqueness", "population-uniqueness"];
    asked.extend(of_sizes);
    let all = SPECS.iter().map(|spec| spec.id);
    assert_eq!(all.filter(|id| !asked.contains(id)).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_star_is_in_no_bucket_and_may_be_in_any() {
    let rows: Vec<Vec<String>> =
        ["1", "2", "100", "*"].iter().map(|value| vec!["0".into(), (*value).into()]).collect();
    let release = table(&["q", "s"], &rows);
    let column = release.column("s").unwrap();
    let is_masked = masked_texts(&release, column, None, &|_| None);
    assert_eq!(is_masked, [false, false, false, true]);
    let reading = Reading { missing_as: MissingAs::Ignored, has_buckets: true };
    let attribute = released(&release, reading);
    let masked = attribute.masked().unwrap();
    assert_eq!(masked.allowed(masked.kind(3).unwrap()).len(), 2);
    let shown = Table::new("t".into(), release.columns().to_vec(), true, Missing::default());
    let domain = Domain::new(&shown, shown.column("s").unwrap(), None, &|_| false).unwrap();
    let text = Attribute::new(&shown, "s", Role::Sensitive, domain, None).unwrap();
    // A star is in no bucket, and is not put in one silently.
    let refused = text.in_buckets(&shown, buckets()).unwrap_err();
    assert!(matches!(refused.kind(), Kind::NoBucket { .. }));
}

fn reading() -> impl Strategy<Value = Reading> {
    let missing = [MissingAs::Value, MissingAs::Ignored, MissingAs::Unprotected];
    (prop::sample::select(missing.to_vec()), any::<bool>())
        .prop_map(|(missing_as, has_buckets)| Reading { missing_as, has_buckets })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_release_keeps_what_every_filling_of_its_masked_cells_keeps(
        rows in prop::collection::vec((0_usize..3, 0..SHOWN.len()), 1..9),
        rest in prop::collection::vec(0_usize..5, 0..6),
        with_original in any::<bool>(),
        reading in reading(),
    ) {
        let is_mask = |row: &&(usize, usize)| row.1 >= FIRST_MASK;
        prop_assume!(rows.iter().filter(is_mask).count() <= 4);
        let texts = rows.iter().map(|row| vec![row.0.to_string(), SHOWN[row.1].0.to_owned()]);
        let release = table(&["q", "s"], &texts.collect::<Vec<_>>());
        // An original with every value, and with missing ones; what is released need not be true.
        let of_original = VALUES.iter().chain([&""]).copied();
        let of_original = of_original.chain(rest.iter().map(|&at| SHOWN[at].0));
        let of_original: Vec<Vec<String>> =
            of_original.map(|value| vec!["0".to_owned(), value.to_owned()]).collect();
        let of_original = table(&["q", "s"], &of_original);
        let twin = attribute(&of_original, reading);
        let quasi = Domain::new(&of_original, of_original.column("q").unwrap(), None, &|_| false);
        let quasi = Attribute::new(&of_original, "q", Role::Quasi, quasi.unwrap(), None).unwrap();
        let original = Dataset::new(of_original, vec![quasi, twin.clone()]).unwrap();
        let shown = released(&release, reading);
        let of_original = models(&twin, reading);
        let models = models(&shown, reading);
        let against = with_original.then_some((&original, &of_original[..]));
        let found = judged(&release, &shown, &models, against);
        let own = Distribution::new(&shown);
        let whole = Distribution::new(&twin);
        for (model, found) in models.iter().zip(found) {
            let is_masked = shown.masked().is_some();
            let shows_missing = rows.iter().any(|row| SHOWN[row.1].0.is_empty());
            let is_known = !model.compares() || !is_masked;
            let by_own = by_every_filling(&rows, &**model, &own, (is_known, shows_missing));
            let by_whole = || by_every_filling(&rows, &**model, &whole, (true, true));
            let expected = if !model.compares() || !with_original {
                by_own
            } else if is_masked {
                by_whole()
            } else {
                by_own.max(by_whole())
            };
            let id = model.spec().id;
            if model.over_subsets().is_some() {
                // Its classes are those of sets of columns, too.
                prop_assert_eq!(found == 0, expected == 0, "{}", id);
            } else {
                prop_assert_eq!(found, expected, "{}", id);
            }
        }
    }
}
