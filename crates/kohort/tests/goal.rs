//! Goals as models: what they name in a table, what is odd or wrong, and what no release can keep.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kohort::diagnose::{Diagnosis, Question, diagnose};
use kohort::goal::{
    AlphaKAnonymity, Asked, BasicBetaLikeness, DeltaDisclosurePrivacy, DistanceName,
    DistinctLDiversity, EnhancedBetaLikeness, EntropyLDiversity, FrequencyLDiversity, KAnonymity,
    LMdiversity, LPdiversity, LkcPrivacy, PSensitiveKAnonymity, PersonalizedPrivacy, Principle,
    RecursiveClDiversity, SensitivityClasses, TCloseness, feasible, feasible_presence, principles,
};
use kohort::load::{assign_roles, load_table};
use kohort::plan::Plan;
use kohort::{Ctx, Dataset, Ratio, write_atomically};
use kohort_models::{Class, Counts, DeltaPresence, Distribution};
use proptest::prelude::*;

/// Ages in two classes; flu and HIV are viral.
const PATIENTS: &str = "\
age,disease,income,guard
30,flu,1000,
30,flu,1000,
30,HIV,3000,viral
30,gout,2000,
50,flu,1500,
50,HIV,1500,infection
50,gout,1900,
50,cancer,1700,illness
";

const DISEASES: &str = "\
flu;viral;infection;illness
HIV;viral;infection;illness
gout;other;metabolic;illness
cancer;tumor;cancers;illness
";

fn dataset(table: &str, columns: &str) -> Dataset {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        write_atomically(&file, &mut |out| out.write_all(text.as_bytes())).unwrap();
    };
    write("t.csv", table);
    write("diseases.csv", DISEASES);
    let plan = format!("input = 't.csv'\n[attributes]\n{columns}");
    let plan = Plan::parse("plan.toml", &plan).unwrap().in_folder(folder.path());
    let table = load_table(&plan, &|_, _| {}).unwrap().value;
    assign_roles(&plan, table).unwrap().value
}

fn patients() -> Dataset {
    dataset(
        PATIENTS,
        "age = 'quasi'\ndisease = { role = 'sensitive', taxonomy = 'diseases.csv' }\n\
         income = 'sensitive'\nguard = 'sensitive'\n",
    )
}

/// The principles of a goal as it stands in a plan.
fn goal(text: &str) -> Vec<Principle> {
    let plan = Plan::parse("plan.toml", &format!("[goal]\n{text}\n")).unwrap();
    principles(&plan.goal).unwrap()
}

fn answer(goal: &[Principle]) -> Diagnosis {
    let question = Question::default();
    diagnose(&patients(), &question, goal, None, &Ctx::quiet()).unwrap()
}

/// How many classes break a goal.
fn broken(text: &str) -> u64 {
    let found = answer(&goal(text)).goal;
    assert_eq!(found.len(), 1, "{text}");
    assert_eq!(found[0].holds, found[0].violating_classes == 0);
    found[0].violating_classes
}

/// Why a goal is refused.
fn refused(text: &str) -> String {
    let data = patients();
    Asked::new(&goal(text), &data.sensitive()).err().map(|error| error.to_string()).unwrap()
}

#[test]
fn every_goal_is_judged_by_its_model() {
    // Of the class of 30 half has flu; of that of 50 every disease occurs once.
    for (goal, classes) in [
        ("alpha-k-anonymity = { alpha = 0.3, k = 4, values = ['flu'], attribute = 'disease' }", 1),
        ("alpha-k-anonymity = { alpha = 0.3, k = 4, values = ['HIV'], attribute = 'disease' }", 0),
        ("alpha-k-anonymity = { alpha = 0.3, k = 4, attribute = 'disease' }", 1),
        ("alpha-k-anonymity = { alpha = 0.5, k = 5, attribute = 'disease' }", 2),
        // Those of 30 have one guard and those of 50 two: a missing one is none.
        ("p-sensitive-k-anonymity = { p = 3, k = 4 }", 2),
        ("p-sensitive-k-anonymity = { p = 2, k = 4 }", 1),
        // The guard of 30 is known.
        ("l-pdiversity = 2", 1),
        ("l-mdiversity = 2", 1),
        ("l-mdiversity = 3", 2),
        (
            "sensitivity-classes = { attribute = 'disease', high = ['HIV', 'cancer'], alpha = 0.25 }",
            1,
        ),
        (
            "sensitivity-classes = { attribute = 'disease', high = ['HIV'], alpha = 0.25, l-low = 4 }",
            1,
        ),
        (
            "personalized-privacy = { p = 0.5, attribute = 'disease', guards = { HIV = 'viral' } }",
            1,
        ),
        ("personalized-privacy = { p = 0.7, attribute = 'disease', guards = { HIV = 'HIV' } }", 0),
        // Somebody of 50 guards `illness`, which everybody has.
        ("personalized-privacy = { p = 0.75, attribute = 'disease', guard-column = 'guard' }", 1),
        ("ke-anonymity = { k = 3, e = 400, attribute = 'income' }", 0),
        ("ke-anonymity = { k = 3, e = 401, attribute = 'income' }", 1),
        ("basic-beta-likeness = { beta = 0.5, attribute = 'disease' }", 1),
        ("basic-beta-likeness = { beta = 1, attribute = 'disease' }", 0),
        // Cancer does not occur among those of 30.
        ("delta-disclosure-privacy = { delta = 9, attribute = 'disease' }", 1),
        ("enhanced-beta-likeness = { beta = 1, attribute = 'disease' }", 0),
    ] {
        assert_eq!(broken(goal), classes, "{goal}");
    }
}

#[test]
fn lkc_is_judged_over_sets_of_columns_and_made_over_all() {
    let data = dataset(
        "a,b,s\n1,1,x\n1,1,y\n1,2,x\n1,2,y\n2,1,x\n2,1,y\n2,2,x\n",
        "a = 'quasi'\nb = 'quasi'\ns = 'sensitive'\n",
    );
    let judge = |l| {
        let goal = goal(&format!("lkc-privacy = {{ l = {l}, k = 2, c = 0.7, attribute = 's' }}"));
        diagnose(&data, &Question::default(), &goal, None, &Ctx::quiet()).unwrap().goal[0].clone()
    };
    // Row 7 alone has a = 2 and b = 2, but who knows one of them finds three rows.
    assert!(judge(1).holds);
    assert_eq!(
        (judge(2).holds, judge(2).violating_classes, judge(2).violating_rows),
        (false, 1, 1)
    );
    let goal = goal("lkc-privacy = { l = 1, k = 2, c = 0.7, attribute = 's' }");
    let promises = Asked::new(&goal, &data.sensitive()).unwrap().into_promises(&data.sensitive());
    assert!(!promises.holds(1, &[vec![(0, 1)]]), "a maker keeps it for all columns at once");
}

#[test]
fn a_value_that_does_not_occur_is_noted_and_a_node_that_is_none_refused() {
    let data = patients();
    let asked = goal(
        "sensitivity-classes = { attribute = 'disease', high = ['HIV', 'plague'], alpha = 0.5 }",
    );
    let asked = Asked::new(&asked, &data.sensitive()).unwrap();
    assert_eq!(
        asked.notes(),
        ["the goal names `plague`, which does not occur in column `disease`"]
    );
    assert_eq!(asked.about()[0].parameters(), "alpha = 0.5, 2 values high");
    // What is left of a table need not have the values that a goal guards, nor their nodes.
    let absent =
        "personalized-privacy = { p = 1, attribute = 'disease', guards = { rabies = 'zoonosis' } }";
    let absent = Asked::new(&goal(absent), &data.sensitive()).unwrap();
    assert_eq!(absent.notes().len(), 1);
    assert_eq!(
        refused(
            "personalized-privacy = { p = 1, attribute = 'disease', guards = { HIV = 'virl' } }"
        ),
        "the taxonomy of column `disease` does not have exactly one node `virl`"
    );
    assert_eq!(
        refused("personalized-privacy = { p = 1, attribute = 'guard', guard-column = 'disease' }"),
        "column `disease` has guards that are not exactly one node of the taxonomy of column \
         `guard`, in 8 rows"
    );
    assert_eq!(
        refused("personalized-privacy = { p = 1, attribute = 'disease', guard-column = 'income' }"),
        "column `income` is an integer, but guards are texts"
    );
    assert_eq!(
        refused("ke-anonymity = { k = 2, e = 1, attribute = 'disease' }"),
        "column `disease` is a text, but `ke-anonymity` is about numbers"
    );
    assert_eq!(
        refused("lkc-privacy = { l = 1, k = 2, c = 1, attribute = 'age' }"),
        "the goal names `age`, which is not a sensitive attribute"
    );
    assert_eq!(
        refused("p-sensitive-k-anonymity = { p = 6, k = 5 }"),
        "`p` must be from 2 to k, but is 6"
    );
}

#[test]
fn delta_presence_is_no_model_of_a_class_and_is_left_out_of_a_diagnosis() {
    let data = patients();
    let goal = goal("k-anonymity = 2\ndelta-presence = { min = 0, max = 0.5, public = 'p.csv' }");
    let asked = Asked::new(&goal, &data.sensitive()).unwrap();
    assert_eq!((asked.models().len(), &asked.presence().unwrap().0), (1, &goal[1]));
    assert_eq!(answer(&goal).left_out, ["`delta-presence` of the goal was not judged"]);
}

#[test]
fn a_share_of_members_outside_of_the_range_is_out_of_reach() {
    let range = |min, max| DeltaPresence::new(Ratio::new(min, 10), Ratio::new(max, 10)).unwrap();
    let reach = |model: &DeltaPresence, dropped| {
        feasible_presence(model, 20, 12, dropped).map_err(|no| no.to_string())
    };
    assert_eq!(reach(&range(6, 6), 0), Ok(()));
    assert_eq!(reach(&range(0, 5), 2), Ok(()));
    assert_eq!(
        reach(&range(0, 5), 1).unwrap_err(),
        "`delta-presence` with min = 0, max = 0.5 cannot be reached: with 12 rows of which 1 may be \
         dropped for 20 people of the public table, the share of members is 60 % on average; a range \
         that holds 3/5 is feasible"
    );
    assert!(reach(&range(7, 9), 5).is_err());
    // More rows than people: everybody is a member.
    assert!(feasible_presence(&range(0, 10), 5, 12, 0).is_ok());
}

/// Whether a goal can be reached for a table with these values, and what is said if not.
fn reach(data: &Dataset, goal: &[Principle], suppressible: u64) -> Result<(), String> {
    let asked = Asked::new(goal, &data.sensitive()).unwrap();
    let n_rows = data.n_rows() as u64;
    let found = feasible(&asked, &data.sensitive(), n_rows, suppressible);
    found.map_err(|infeasible| infeasible.to_string())
}

fn values_only(values: &[(&str, usize)]) -> Dataset {
    let mut text = String::from("s\n");
    for (value, count) in values {
        for _ in 0..*count {
            writeln!(text, "{value}").unwrap();
        }
    }
    dataset(&text, "s = 'sensitive'\n")
}

#[test]
fn what_cannot_be_reached_is_said_with_the_nearest_that_can() {
    let values = values_only(&[("a", 39), ("b", 30), ("c", 30), ("d", 26)]);
    let no = |text: &str, suppressible| reach(&values, &goal(text), suppressible).unwrap_err();
    assert_eq!(
        no("frequency-l-diversity = 4", 0),
        "`frequency-l-diversity` of `s` with l = 4 cannot be reached: one value fills 31.2 % of the \
         rows; at most l = 3.2 is feasible"
    );
    assert_eq!(
        no("frequency-l-diversity = 4", 10),
        "`frequency-l-diversity` of `s` with l = 4 cannot be reached: one value fills 31.2 % of the \
         rows, and at most 10 rows may be dropped; at most l = 3.8 is feasible"
    );
    assert_eq!(reach(&values, &goal("frequency-l-diversity = 4"), 21), Ok(()));
    assert!(no("frequency-l-diversity = 4", 20).ends_with("at most l = 3.9 is feasible"));
    assert_eq!(
        no("k-anonymity = 126", 0),
        "`k-anonymity` asks for k = 126, but the table has 125 rows; at most k = 125 is feasible"
    );
    assert_eq!(
        no("distinct-l-diversity = 5", 50),
        "`distinct-l-diversity` of `s` with l = 5 cannot be reached: the table has 4 different \
         values; at most l = 4 is feasible"
    );
    assert_eq!(
        no("alpha-k-anonymity = { alpha = 0.3, k = 5, values = ['a'], attribute = 's' }", 0),
        "`alpha-k-anonymity` of `s` with alpha = 0.3, k = 5, 1 value cannot be reached: one chosen \
         value fills 31.2 % of the rows; at least alpha = 0.32 is feasible"
    );
    assert_eq!(
        no("sensitivity-classes = { attribute = 's', high = ['a', 'b'], alpha = 0.5 }", 0),
        "`sensitivity-classes` of `s` with alpha = 0.5, 2 values high cannot be reached: the high \
         values together fill 55.2 % of the rows; at least alpha = 0.56 is feasible"
    );
    assert_eq!(
        no("recursive-cl-diversity = { c = 0.4, l = 2 }", 0),
        "`recursive-cl-diversity` of `s` with c = 0.4, l = 2 cannot be reached: one value fills 31.2 \
         % of the rows; at least c = 0.46 is feasible"
    );
    assert_eq!(
        no("entropy-l-diversity = 3.99", 0),
        "`entropy-l-diversity` of `s` with l = 3.99 cannot be reached: the whole table does not have that much entropy; at most l = 3.9 is feasible"
    );
    assert_eq!(
        reach(&values_only(&[("1", 3), ("5", 2)]), &goal("ke-anonymity = { k = 2, e = 5, attribute = 's' }"), 1),
        Err("`ke-anonymity` of `s` with k = 2, e = 5 cannot be reached: the values of the table do not range that far; at most e = 4 is feasible"
            .into())
    );
    let always = "t-closeness = { t = 0 }\nbasic-beta-likeness = { beta = 0.001 }\n\
                  enhanced-beta-likeness = { beta = 0.001 }\n\
                  delta-disclosure-privacy = { delta = 0.001 }";
    assert_eq!(reach(&values, &goal(always), 0), Ok(()));
    let empty = feasible(&Asked::default(), &[], 0, 0).unwrap_err();
    assert_eq!(empty.to_string(), "the table has no rows");
}

#[test]
fn widths_and_entropies_are_told_with_few_digits() {
    assert_eq!(
        reach(
            &values_only(&[("1.1", 3), ("1.8", 2)]),
            &goal("ke-anonymity = { k = 3, e = 5, attribute = 's' }"),
            1
        ),
        Err(
            "`ke-anonymity` of `s` with k = 3, e = 5 cannot be reached: the table has 2 different \
             values; at most k = 2 with at most e = 0.7 is feasible"
                .into()
        )
    );
    let values = values_only(&[("a", 39), ("b", 30), ("c", 30), ("d", 26)]);
    let no = reach(&values, &goal("entropy-l-diversity = 3.99"), 4).unwrap_err();
    assert!(no.ends_with(
        "not have that much entropy, and at most 4 rows may be dropped; at most l = 3.9 is feasible"
    ));
}

// Dropping one of four equal values leaves five rows, of which three agree.
#[test]
fn the_nearest_leaves_the_rows_that_other_promises_need() {
    let values = values_only(&[("a", 4), ("b", 1), ("c", 1)]);
    let no = |text: &str| reach(&values, &goal(text), 2).unwrap_err();
    assert_eq!(
        no("k-anonymity = 5\nfrequency-l-diversity = 2"),
        "`frequency-l-diversity` of `s` with l = 2 cannot be reached: one value fills 66.7 % of the \
         rows, and at most 1 row may be dropped since 5 must be left; at most l = 1.6, or at most \
         k = 4 of `k-anonymity` is feasible"
    );
    assert_eq!(
        no("k-anonymity = 7\nfrequency-l-diversity = 3"),
        "`k-anonymity` asks for k = 7, but the table has 6 rows; at most k = 6 with at most l = 1.5 \
         of `frequency-l-diversity` is feasible"
    );
}

// Of nine rows seven have one value: less of l alone is not enough, and neither is less of c.
#[test]
fn two_parameters_are_suggested_where_one_is_not_enough() {
    let values = values_only(&[("a", 7), ("b", 2)]);
    assert_eq!(
        reach(&values, &goal("recursive-cl-diversity = { c = 3, l = 3 }"), 0).unwrap_err(),
        "`recursive-cl-diversity` of `s` with c = 3, l = 3 cannot be reached: the table has 2 \
         different values; at least c = 3.51 with at most l = 2 is feasible"
    );
    let alpha = "alpha-k-anonymity = { alpha = 0.3, k = 12, attribute = 's' }";
    assert!(
        reach(&values, &goal(alpha), 0)
            .unwrap_err()
            .ends_with("at least alpha = 0.78 with at most k = 9 is feasible")
    );
}

/// Whether dropping at most so many rows leaves a class that keeps a goal, by trying every choice.
fn plainly_reached(data: &Dataset, goal: &[Principle], suppressible: usize) -> bool {
    let sensitive = data.sensitive();
    let asked = Asked::new(goal, &sensitive).unwrap();
    let table = Distribution::new(sensitive[0]);
    let mut choices: Vec<Vec<usize>> = vec![vec![]];
    for &count in sensitive[0].counts() {
        let longer = choices.iter().flat_map(|choice| {
            let count = count as usize;
            (0..=count).map(move |kept| choice.iter().copied().chain([kept]).collect())
        });
        choices = longer.collect();
    }
    choices.iter().any(|kept| {
        let size: usize = kept.iter().sum();
        let all = (0..).zip(kept).map(|(code, &count)| (code, count as u64));
        let cells: Vec<(u32, u64)> = all.filter(|cell| cell.1 > 0).collect();
        let counts = [Counts { table: &table, cells: &cells }];
        let class = Class { size: size as u64, sensitive: &counts };
        size > 0
            && data.n_rows() - size <= suppressible
            && asked.models().iter().all(|model| model.holds(&class))
    })
}

/// Goals whose bound is exact, and goals whose bound may let something pass.
fn exact_and_loose(num: u64, den: u64, k: u64) -> [Vec<Principle>; 2] {
    let (level, share) = (Ratio::new(num + den, den), Ratio::new(1, k));
    let (s, v0, values) = ("s".to_owned(), vec!["v0".to_owned()], vec!["v0".into(), "v1".into()]);
    let high = |l: Option<Ratio>, l_low: Option<Ratio>, alpha| {
        let (high, attribute) = (values.clone(), s.clone());
        SensitivityClasses { low: None, high, alpha, l, l_low, attribute }.into()
    };
    let alpha = |k| {
        let (values, attribute) = (Some(values.clone()), s.clone());
        AlphaKAnonymity { alpha: share, k, values, attribute }.into()
    };
    let lkc = LkcPrivacy { l: 1, k: 1, c: share, values: Some(v0), attribute: s.clone() };
    let one = Ratio::whole(1);
    let exact = vec![
        KAnonymity { k: k + 1 }.into(),
        DistinctLDiversity { l: k + 1, attribute: None }.into(),
        FrequencyLDiversity { l: level, attribute: None }.into(),
        RecursiveClDiversity { c: Ratio::new(num, den), l: k + 1, attribute: None }.into(),
        PSensitiveKAnonymity { p: 2, k: k + 1 }.into(),
        LPdiversity { l: k + 1 }.into(),
        LMdiversity { l: k + 1 }.into(),
        alpha(1),
        lkc.into(),
        high(None, None, share),
        high(Some(level), None, one),
        high(None, Some(level), one),
        TCloseness { t: Ratio::new(0, 1), distance: DistanceName::Equal, attribute: None }.into(),
        BasicBetaLikeness { beta: share, attribute: None }.into(),
        EnhancedBetaLikeness { beta: share, attribute: None }.into(),
        DeltaDisclosurePrivacy { delta: share, attribute: None }.into(),
    ];
    let guards = BTreeMap::from([("v0".to_owned(), "v0".to_owned())]);
    let loose = vec![
        EntropyLDiversity { l: level, attribute: None }.into(),
        alpha(k + 3),
        high(Some(level), Some(level), share),
        PersonalizedPrivacy { p: share, guards, guard_column: None, attribute: s.clone() }.into(),
    ];
    [exact, loose]
}

#[test]
fn every_attribute_in_the_way_of_several_is_named() {
    // Of nine rows four agree on i1, five on i3, and none of i2 are more than three.
    let data = dataset(
        "i1,i2,i3\na,x,p\na,x,p\na,x,p\na,y,p\nb,y,p\nb,y,q\nc,z,q\nc,z,r\nd,z,r\n",
        "i1 = 'sensitive'\ni2 = 'sensitive'\ni3 = 'sensitive'\n",
    );
    let said = |text: &str, suppressible| reach(&data, &goal(text), suppressible);
    assert_eq!(
        said("l-mdiversity = 3", 0).unwrap_err(),
        "`l-mdiversity` with l = 3 cannot be reached: one value of `i1` fills 44.4 % and one value \
         of `i3` fills 55.6 % of the rows"
    );
    assert_eq!(
        said("l-pdiversity = 3", 1).unwrap_err(),
        "`l-pdiversity` with l = 3 cannot be reached: one value of `i1` fills 44.4 % and one value \
         of `i3` fills 55.6 % of the rows, and at most 1 row may be dropped; at most l = 2 is \
         feasible"
    );
    assert!(said("l-pdiversity = 3", 2).unwrap_err().contains("reached: one value of `i3` fills"));
    assert_eq!(said("l-mdiversity = 2", 1), Ok(()));
    assert_eq!(said("l-mdiversity = 3", 3), Ok(()));
    let nobody = dataset("a\n1\n2\n", "a = 'quasi'\n");
    let refused = Asked::new(&goal("l-mdiversity = 2"), &nobody.sensitive()).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "`l-mdiversity` is about a sensitive attribute, and none is named"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_goal_is_out_of_reach_when_no_choice_of_rows_reaches_it(
        counts in prop::collection::vec(1_usize..5, 1..5),
        suppressible in 0_usize..6,
        (num, den, k) in (1_u64..6, 1_u64..4, 1_u64..5),
    ) {
        let names = ["v0", "v1", "v2", "v3"];
        let values: Vec<(&str, usize)> = names.into_iter().zip(counts).collect();
        let data = values_only(&values);
        let [exact, loose] = exact_and_loose(num, den, k);
        for (goal, is_exact) in exact.iter().map(|g| (g, true)).chain(loose.iter().map(|g| (g, false))) {
            let goal = std::slice::from_ref(goal);
            let found = reach(&data, goal, suppressible as u64).is_ok();
            let plain = plainly_reached(&data, goal, suppressible);
            prop_assert!(found || !plain, "{goal:?} can be reached");
            prop_assert!(!found || plain || !is_exact, "{goal:?} cannot be reached");
        }
    }
    #[test]
    fn what_is_suggested_is_within_reach_and_no_nearer_level_is(
        counts in prop::collection::vec(1_usize..5, 1..5),
        suppressible in 0_usize..6,
        (num, den, k) in (1_u64..6, 1_u64..4, 1_u64..5),
        beside in 0_usize..20,
    ) {
        let names = ["v0", "v1", "v2", "v3"];
        let values: Vec<(&str, usize)> = names.into_iter().zip(counts).collect();
        let data = values_only(&values);
        let sensitive = data.sensitive();
        let all = exact_and_loose(num, den, k).concat();
        let alone = all.iter().map(|asked| vec![asked.clone()]);
        let pairs = all.iter().map(|asked| vec![all[beside].clone(), asked.clone()]);
        for goal in alone.chain(pairs) {
            let asked = Asked::new(&goal, &sensitive).unwrap();
            let found = feasible(&asked, &sensitive, data.n_rows() as u64, suppressible as u64);
            let Err(no) = found else { continue };
            prop_assert_eq!(no.nearest.is_some(), !no.suggested.is_empty());
            for nearest in &no.suggested {
                prop_assert_ne!(nearest, &goal);
                prop_assert_eq!(reach(&data, nearest, suppressible as u64), Ok(()));
                prop_assert!(plainly_reached(&data, nearest, suppressible), "{nearest:?}");
            }
            if let ([Principle::FrequencyLDiversity(one)], nearest) = (&goal[..], no.suggested.first()) {
                let tenths = nearest.map_or(10, |nearest| nearest[0].numbers()[0].1.floor_of(10));
                let l = Ratio::new(tenths + 1, 10).min(one.l);
                let nearer = [FrequencyLDiversity { l, attribute: None }.into()];
                prop_assert!(!plainly_reached(&data, &nearer, suppressible), "{nearer:?}");
            }
        }
    }
}
