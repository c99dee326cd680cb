//! The judge of a class with masked cells against every way to fill them, cell by cell.

use kohort_core::{Domain, Level, MissingAs, Ratio, Role, Taxonomy, Tree};
use kohort_models::{
    AlphaKAnonymity, BasicBetaLikeness, DeltaDisclosurePrivacy, Distance, DistinctLDiversity,
    EnhancedBetaLikeness, EntropyLDiversity, EpsilonMAnonymity, FrequencyLDiversity, KAnonymity,
    KeAnonymity, LMdiversity, LPdiversity, LkcPrivacy, PSensitiveKAnonymity, PersonalizedPrivacy,
    RecursiveClDiversity, SPECS, SensitivityClasses, TCloseness,
};
use proptest::prelude::*;

use super::*;

/// The values of the attributes; the last is missing.
const VALUES: [&str; 5] = ["1", "2", "4", "8", ""];

/// What masked cells allow, by the places of `VALUES`.
const MASKS: [&[u32]; 4] = [&[0, 1, 2, 3, 4], &[0, 1], &[1, 2, 3], &[3]];

/// An attribute over whole tables, with the taxonomy {1, 2} and {4, 8}.
fn attribute(name: &str, texts: &[&str]) -> Attribute {
    let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
    for text in texts {
        codes.push(dictionary.intern(text.as_bytes(), 2).unwrap());
    }
    let column = Column::new(name.into(), dictionary, codes, &Missing::default());
    let table = Table::new("t".into(), vec![column], true, Missing::default());
    let column = &table.columns()[0];
    let domain = Domain::new(&table, column, None, &|_| false).unwrap();
    let leaves: Vec<Option<u32>> = (0..4).map(Some).collect();
    let level = |group_of_leaf: Vec<u32>, labels: &[&str]| Level {
        group_of_leaf,
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
    };
    let levels = [level(vec![0, 0, 1, 1], &["low", "high"]), level(vec![0; 4], &["*"])];
    let tree = Tree {
        leaves: &leaves,
        label: &|leaf| VALUES[leaf].to_owned(),
        levels: &levels,
        n_values: 4,
        missing: true,
        is_ordered: true,
    };
    let taxonomy = Taxonomy::build(tree).unwrap_or_else(|_| panic!("the groups lie side by side"));
    Attribute::new(&table, name, Role::Sensitive, domain, Some(taxonomy)).unwrap()
}

/// Every registered model of a class, some with several parameters.
fn models(guards: Vec<Option<(u32, u32)>>) -> Vec<Box<dyn ClassModel>> {
    let (half, two) = (Ratio::new(1, 2), Ratio::whole(2));
    let own = PersonalizedPrivacy::new(0, half, 0, guards.clone()).unwrap();
    vec![
        Box::new(KAnonymity::new(2).unwrap()),
        Box::new(DistinctLDiversity::new(0, 2).unwrap()),
        Box::new(DistinctLDiversity::new(0, 3).unwrap()),
        Box::new(FrequencyLDiversity::new(0, two).unwrap()),
        Box::new(FrequencyLDiversity::new(0, Ratio::new(3, 2)).unwrap()),
        Box::new(EntropyLDiversity::new(0, two).unwrap()),
        Box::new(EntropyLDiversity::new(0, Ratio::new(3, 2)).unwrap()),
        Box::new(RecursiveClDiversity::new(0, two, 2).unwrap()),
        Box::new(RecursiveClDiversity::new(0, Ratio::whole(3), 3).unwrap()),
        Box::new(AlphaKAnonymity::new(0, half, 2, vec![0, 2]).unwrap()),
        Box::new(PSensitiveKAnonymity::new(2, 2).unwrap()),
        Box::new(LPdiversity::new(2).unwrap()),
        Box::new(LMdiversity::new(2).unwrap()),
        Box::new(LkcPrivacy::new(0, 1, 2, half, vec![1]).unwrap()),
        Box::new(
            SensitivityClasses::new(0, vec![0, 1], Ratio::new(2, 3))
                .and_then(|model| model.with_l(two))
                .and_then(|model| model.with_l_low(Ratio::new(3, 2)))
                .unwrap(),
        ),
        Box::new(own),
        Box::new(PersonalizedPrivacy::new(0, half, 1, guards).unwrap()),
        Box::new(KeAnonymity::new(0, 2, Ratio::whole(3)).unwrap()),
        Box::new(EpsilonMAnonymity::new(0, Ratio::whole(2), 2).unwrap()),
        Box::new(EpsilonMAnonymity::new(0, half, 2).unwrap().relative()),
        Box::new(TCloseness::new(0, half, Distance::Equal).unwrap()),
        Box::new(TCloseness::new(0, Ratio::new(2, 5), Distance::Ordered).unwrap()),
        Box::new(TCloseness::new(0, half, Distance::Hierarchical).unwrap()),
        Box::new(BasicBetaLikeness::new(0, two).unwrap()),
        Box::new(EnhancedBetaLikeness::new(0, two).unwrap()),
        Box::new(DeltaDisclosurePrivacy::new(0, two).unwrap()),
    ]
}

/// A cell: a value, or a mask.
type Shown = Result<u32, u32>;

/// The verdict of the judge on a class of these cells, one list for each of two attributes.
fn judged(whole: [&Attribute; 2], cells: &[Vec<Shown>; 2], model: &dyn ClassModel) -> bool {
    let shown = |at: usize| {
        let codes = cells[at].iter().map(|cell| cell.unwrap_or(0));
        let kinds = cells[at].iter().map(|cell| cell.err());
        let allowed = MASKS.iter().map(|mask| mask.to_vec()).collect();
        whole[at].with_codes(Codes::below(5, codes)).with_masked(Masked::new(allowed, kinds))
    };
    let shown = [shown(0), shown(1)];
    let sensitive: Vec<&Attribute> = shown.iter().collect();
    let tables: Vec<Distribution<'_>> =
        sensitive.iter().zip(whole).map(|(a, whole)| Distribution::of(a, whole.counts())).collect();
    let mut fillings = Fillings::new(&sensitive, &tables);
    let rows: Vec<u32> = (0..).take(cells[0].len()).collect();
    fillings.read(&rows);
    fillings.holds(model)
}

/// Whether every way to fill the masked cells, one by one, keeps the promise.
fn by_every_filling(
    whole: [&Attribute; 2],
    cells: &[Vec<Shown>; 2],
    model: &dyn ClassModel,
) -> bool {
    let masked = (0..2).flat_map(|at| (0..cells[at].len()).map(move |row| (at, row)));
    let next = masked.into_iter().find_map(|(at, row)| Some((at, row, cells[at][row].err()?)));
    let Some((at, row, mask)) = next else {
        let tables = whole.map(|attribute| Distribution::of(attribute, attribute.counts()));
        let mut counts: [BTreeMap<u32, u64>; 2] = [BTreeMap::new(), BTreeMap::new()];
        for (counts, cells) in counts.iter_mut().zip(cells) {
            for cell in cells {
                *counts.entry(cell.unwrap()).or_default() += 1;
            }
        }
        let counts: Vec<Vec<(u32, u64)>> =
            counts.into_iter().map(|counts| counts.into_iter().collect()).collect();
        let sensitive: Vec<Counts<'_>> =
            tables.iter().zip(&counts).map(|(table, cells)| Counts { table, cells }).collect();
        return model.holds(&Class { size: cells[0].len() as u64, sensitive: &sensitive });
    };
    MASKS[mask as usize].iter().all(|&value| {
        let mut filled = cells.clone();
        filled[at][row] = Ok(value);
        by_every_filling(whole, &filled, model)
    })
}

#[test]
fn every_model_of_a_class_is_tried() {
    let mut tried: Vec<&str> = models(vec![None; 5]).iter().map(|m| m.spec().id).collect();
    // About sizes of classes and people of another table, and not about values.
    let of_sizes =
        ["delta-presence", "k-map", "average-risk", "sample-uniqueness", "population-uniqueness"];
    tried.extend(of_sizes);
    let all = SPECS.iter().map(|spec| spec.id);
    assert_eq!(all.filter(|id| !tried.contains(id)).collect::<Vec<_>>(), [""; 0]);
}

fn cell(masked: u32) -> impl Strategy<Value = Shown> {
    prop_oneof![4 => (0_u32..5).prop_map(Ok), masked => (0_u32..4).prop_map(Err)]
}

fn guard() -> impl Strategy<Value = Option<(u32, u32)>> {
    prop::option::of(prop_oneof![Just((0, 1)), Just((2, 3)), Just((1, 1)), Just((0, 3))])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_promise_holds_exactly_where_every_filling_keeps_it(
        rest in prop::collection::vec(0_usize..5, 0..8),
        first in prop::collection::vec(cell(3), 1..6),
        second in prop::collection::vec(cell(1), 5),
        guards in prop::collection::vec(guard(), 5),
        missing in 0_usize..3,
    ) {
        let missing = [MissingAs::Value, MissingAs::Ignored, MissingAs::Unprotected][missing];
        // Every value occurs in the table.
        let texts: Vec<&str> = rest.iter().map(|&at| VALUES[at]).chain(VALUES).collect();
        let whole = ["s", "g"].map(|name| attribute(name, &texts).with_missing_as(missing));
        let whole = [&whole[0], &whole[1]];
        let n = first.len();
        let cells = [first, second[..n].to_vec()];
        let n_masked: usize =
            cells.iter().map(|cells| cells.iter().filter(|cell| cell.is_err()).count()).sum();
        prop_assume!(n_masked <= 5);
        for model in models(guards) {
            let expected = by_every_filling(whole, &cells, &*model);
            prop_assert_eq!(judged(whole, &cells, &*model), expected, "{}", model.spec().id);
        }
    }
}

#[test]
fn texts_that_are_not_one_value_are_masked() {
    let check = |texts: &[&str], declared: Option<ValueType>, expected: &[bool]| {
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        for text in texts {
            codes.push(dictionary.intern(text.as_bytes(), 2).unwrap());
        }
        let column = Column::new("s".into(), dictionary, codes, &Missing::default());
        let table = Table::new("t".into(), vec![column], true, Missing::default());
        let found = masked_texts(&table, &table.columns()[0], declared, &|_| None);
        assert_eq!(found, expected, "{texts:?}");
    };
    check(&["HIV", "*", "{HIV, flu}", ""], None, &[false, true, true, false]);
    check(&["20", "[20, 30]", "20-30", "NA"], None, &[false, true, true, false]);
    // Bands that are the values of a column, and dates.
    check(&["[20, 30]", "[30, 40]"], None, &[false, false]);
    check(&["[20, 30]", "[30, 40]"], Some(ValueType::Integer), &[true, true]);
    check(&["2024-03-31", "2024-04-01", "*"], None, &[false, false, true]);
    check(&["12-14", "none"], None, &[false, false]);
}

#[test]
fn an_adversary_takes_masked_cells_to_be_like_the_others_of_their_class() {
    let texts = ["1", "1", "1", "2", "", "4", "8"];
    let whole = attribute("s", &texts).with_missing_as(MissingAs::Ignored);
    // Three times 1, once 2, four masked: two, one, and two of them are 1.
    let check = |shown: &[Shown], expected: &[u32]| {
        let codes = Codes::below(5, shown.iter().map(|cell| cell.unwrap_or(0)));
        let allowed = MASKS.iter().map(|mask| mask.to_vec()).collect();
        let masked = Masked::new(allowed, shown.iter().map(|cell| cell.err()));
        let attribute = whole.with_codes(codes).with_masked(masked);
        let classes = Grouping { ids: vec![0; shown.len()], n_classes: 1 };
        let filled = fill_likeliest(&attribute, &classes);
        assert_eq!(filled.codes().iter().collect::<Vec<_>>(), expected);
    };
    check(&[Ok(0), Ok(0), Ok(0), Ok(1), Err(0), Err(0), Err(0), Err(0)], &[0, 0, 0, 1, 0, 0, 0, 1]);
    check(&[Ok(0), Ok(0), Err(2), Err(2)], &[0, 0, 1, 1]);
    check(&[Ok(4), Ok(4), Err(1)], &[4, 4, 0]);
}
