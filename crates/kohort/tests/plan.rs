//! Plans as people mistype them, and the schema that warns them in time.

use std::collections::BTreeMap;

use kohort::goal::{
    AlphaKAnonymity, BasicBetaLikeness, DeltaDisclosurePrivacy, DeltaPresence, DistinctLDiversity,
    EnhancedBetaLikeness, EntropyLDiversity, FrequencyLDiversity, KAnonymity, KeAnonymity,
    LMdiversity, LPdiversity, LkcPrivacy, PSensitiveKAnonymity, PersonalizedPrivacy, Principle,
    RecursiveClDiversity, SensitivityClasses, principles,
};
use kohort::plan::{Plan, schema, taxonomy};
use kohort::{Kind, Ratio};

/// Where and what is wrong with a plan, as a person reads it.
fn said(text: &str) -> String {
    let error = Plan::parse("plan.toml", text).expect_err("the plan is wrong");
    assert!(matches!(error.kind(), Kind::Plan { .. }));
    error.to_string()
}

/// What is said about a column written like this; `sex = ` takes six characters.
fn of_column(value: &str) -> String {
    let said = said(&format!("[attributes]\nage = 'quasi'\nsex = {value}\n"));
    said.strip_prefix("plan.toml, line 3, ").expect("the line is known").to_owned()
}

fn of_goal(goal: &str) -> String {
    let said = said(&format!("[goal]\n{goal}\n"));
    let place = said.split_once(": ").expect("a place and a problem");
    assert!(place.0.starts_with("plan.toml, line 2, column "), "{said}");
    place.1.to_owned()
}

#[test]
fn a_role_that_is_none_is_named_with_the_nearest() {
    const RULE: &str = "`role` of the column must be identifier, quasi, sensitive or insensitive";
    assert_eq!(
        of_column("'qausi'"),
        format!("column 7: {RULE}, but is `qausi`; did you mean `quasi`?")
    );
    assert_eq!(
        of_column("{ role = 'qausi' }"),
        format!("column 16: {RULE}, but is `qausi`; did you mean `quasi`?")
    );
    assert_eq!(of_column("{ role = 5 }"), format!("column 16: {RULE}, but is 5"));
    assert_eq!(of_column("{ role = ['quasi'] }"), format!("column 16: {RULE}, but is a list"));
}

#[test]
fn a_column_that_is_neither_a_word_nor_a_table_is_refused() {
    const EXPECTED: &str = "expected a role, or a table with `role`, `type`, `taxonomy`, `buckets`, `weight` and `missing`";
    assert_eq!(of_column("5"), format!("column 7: invalid type: integer `5`, {EXPECTED}"));
    assert_eq!(of_column("['quasi']"), format!("column 7: invalid type: sequence, {EXPECTED}"));
    assert_eq!(of_column("{ type = 'text' }"), "column 7: missing field `role`");
}

#[test]
fn a_type_that_is_none_is_named_with_the_nearest() {
    assert_eq!(
        of_column("{ role = 'quasi', type = 'int' }"),
        "column 32: `type` of the column must be integer, decimal, date, boolean or text, but is \
         `int`; did you mean `integer`?"
    );
}

#[test]
fn an_unknown_field_of_a_column_is_named_with_the_nearest() {
    assert_eq!(
        of_column("{ role = 'quasi', typ = 'integer' }"),
        "column 25: unknown field `typ`, expected one of `role`, `type`, `taxonomy`, `buckets`, `weight`, `missing`; did you mean \
         `type`?"
    );
}

#[test]
fn what_is_wrong_with_a_taxonomy_comes_through() {
    let of_taxonomy = |text: &str| of_column(&format!("{{ role = 'quasi', taxonomy = {text} }}"));
    assert!(of_taxonomy("{ width = [5] }").starts_with("column 38: unknown field `width`"));
    assert!(of_taxonomy("{ width = [5] }").ends_with("; did you mean `widths`?"));
    assert_eq!(
        of_taxonomy("{ widths = [7, 5] }"),
        "column 36: `widths` must be positive numbers, each larger than the one before, but is [7, 5]"
    );
    assert!(of_taxonomy("['monht']").ends_with("; did you mean `month`?"));
}

#[test]
fn a_taxonomy_alone_says_the_same_without_a_place() {
    let wrong = |text: &str| taxonomy(text).expect_err("the taxonomy is wrong");
    assert!(wrong("{ width = [5] }").starts_with("unknown field `width`, expected one of"));
    assert!(wrong("{ width = [5] }").ends_with("; did you mean `widths`?"));
    assert!(wrong("{ widths = [7, 5] }").starts_with("`widths` must be positive numbers"));
    assert_eq!(wrong("{ widths = [5"), "unclosed array, expected `]`");
    assert_eq!(wrong(""), "`file` must be a path, but is empty");
    assert!(taxonomy("mask").is_ok() && taxonomy("[\"month\"]").is_ok());
}

#[test]
fn a_level_for_one_attribute_has_no_other_field() {
    // Without its attribute the level would be asked of every one.
    for goal in ["distinct-l-diversity", "frequency-l-diversity", "entropy-l-diversity"] {
        let problem = "unknown field `attribut`, expected `l` or `attribute`; did you mean \
                       `attribute`?";
        assert_eq!(of_goal(&format!("{goal} = {{ l = 2, attribut = 's' }}")), problem);
        assert_eq!(of_goal(&format!("{goal} = [2, {{ l = 2, attribut = 's' }}]")), problem);
    }
    let other = of_goal("t-closeness = { t = 0.2, k = 5 }");
    assert_eq!(other, "unknown field `k`, expected one of `t`, `distance`, `attribute`");
}

#[test]
fn numbers_of_a_goal_are_within_their_range() {
    for (goal, problem) in [
        (
            "k-anonymity = 'five'",
            "`k-anonymity` must be a whole number of at least 2, but is `five`",
        ),
        ("k-anonymity = 1", "`k-anonymity` must be a whole number of at least 2, but is 1"),
        ("k-anonymity = 2.5", "`k-anonymity` must be a whole number of at least 2, but is 2.5"),
        ("k-anonymity = {}", "`k-anonymity` must be a whole number of at least 2, but is a table"),
        ("suppression = 2", "`suppression` must be a share from 0 to 1, but is 2"),
        ("suppression = -0.1", "`suppression` must be a share from 0 to 1, but is -0.1"),
        ("suppression = nan", "`suppression` must be a share from 0 to 1, but is NaN"),
        ("distinct-l-diversity = 2.5", "`l` must be a whole number of at least 2, but is 2.5"),
        ("distinct-l-diversity = 'two'", "`l` must be a number above 1, but is `two`"),
        ("frequency-l-diversity = { l = 0 }", "`l` must be a number above 1, but is 0"),
        ("entropy-l-diversity = [3, 1]", "`l` must be a number above 1, but is 1"),
        ("entropy-l-diversity = { attribute = 's' }", "missing field `l`"),
        ("recursive-cl-diversity = { c = 0, l = 2 }", "`c` must be a number above 0, but is 0"),
        (
            "recursive-cl-diversity = { c = 3, l = 1 }",
            "`l` must be a whole number of at least 2, but is 1",
        ),
        (
            "recursive-cl-diversity = 3",
            "invalid type: integer `3`, expected a table with `c` and `l`",
        ),
        ("t-closeness = { t = 2 }", "`t` must be a number from 0 to 1, but is 2"),
        (
            "t-closeness = { t = 0.2, distance = 'order' }",
            "`distance` must be equal, ordered or hierarchical, but is `order`; did you mean \
             `ordered`?",
        ),
    ] {
        assert_eq!(of_goal(goal), problem, "{goal}");
    }
}

#[test]
fn parameters_of_other_goals_are_within_their_range() {
    for (goal, problem) in [
        (
            "alpha-k-anonymity = { alpha = 0, k = 5, attribute = 's' }",
            "`alpha` must be a share above 0, at most 1, but is 0",
        ),
        (
            "alpha-k-anonymity = { alpha = 0.5, k = 5, values = [], attribute = 's' }",
            "`values` must be at least one value, but is an empty list",
        ),
        ("alpha-k-anonymity = { alpha = 0.5, k = 5 }", "missing field `attribute`"),
        (
            "p-sensitive-k-anonymity = { p = 1, k = 5 }",
            "`p` must be a whole number of at least 2, but is 1",
        ),
        (
            "p-sensitive-k-anonymity = 2",
            "invalid type: integer `2`, expected a table with `p` and `k`",
        ),
        ("l-pdiversity = 1", "`l-pdiversity` must be a whole number of at least 2, but is 1"),
        ("l-mdiversity = 2.5", "`l-mdiversity` must be a whole number of at least 2, but is 2.5"),
        (
            "lkc-privacy = { l = 0, k = 5, c = 0.5, attribute = 's' }",
            "`l` must be a whole number of at least 1, but is 0",
        ),
        (
            "lkc-privacy = { l = 2, k = 5, c = 2, attribute = 's' }",
            "`c` must be a share above 0, at most 1, but is 2",
        ),
        (
            "sensitivity-classes = { attribute = 's', high = [], alpha = 0.5 }",
            "`high` must be at least one value, but is an empty list",
        ),
        (
            "sensitivity-classes = { attribute = 's', high = ['a'], alpha = 0.5, l-low = 1 }",
            "`l-low` must be a number above 1, but is 1",
        ),
        (
            "personalized-privacy = { p = 0.5, attribute = 's' }",
            "`personalized-privacy` must have `guards` or `guard-column`, but has neither",
        ),
        (
            "personalized-privacy = { p = 0.5, attribute = 's', guards = { a = 'b' }, guard-column = 'g' }",
            "`personalized-privacy` must have `guards` or `guard-column`, but has both",
        ),
        (
            "ke-anonymity = { k = 2, e = -1, attribute = 's' }",
            "`e` must be a number of at least 0, but is -1",
        ),
        ("basic-beta-likeness = { beta = 0 }", "`beta` must be a number above 0, but is 0"),
        ("enhanced-beta-likeness = { beta = 'x' }", "`beta` must be a number above 0, but is `x`"),
        ("delta-disclosure-privacy = { delta = 0 }", "`delta` must be a number above 0, but is 0"),
        (
            "delta-presence = { min = 0, max = 2, public = 'p.csv' }",
            "`max` must be a share from 0 to 1, but is 2",
        ),
    ] {
        assert_eq!(of_goal(goal), problem, "{goal}");
    }
}

#[test]
fn every_way_to_write_a_level_is_read() {
    let plan = "[goal]\nk-anonymity = 5\ndistinct-l-diversity = 2\n\
                frequency-l-diversity = { l = 2.5, attribute = 'a' }\n\
                entropy-l-diversity = [1.5, { l = 2, attribute = 'b' }]\n\
                recursive-cl-diversity = { c = 3, l = 2 }\nsuppression = 1\n";
    let plan = Plan::parse("plan.toml", plan).expect("a plan");
    let promises = principles(&plan.goal).expect("promises");
    let half = |n| Ratio::new(n, 2);
    let expected: [Principle; 6] = [
        KAnonymity { k: 5 }.into(),
        DistinctLDiversity { l: 2, attribute: None }.into(),
        FrequencyLDiversity { l: half(5), attribute: Some("a".into()) }.into(),
        EntropyLDiversity { l: half(3), attribute: None }.into(),
        EntropyLDiversity { l: half(4), attribute: Some("b".into()) }.into(),
        RecursiveClDiversity { c: half(6), l: 2, attribute: None }.into(),
    ];
    assert_eq!(promises, expected);
    let again = Plan::parse("again.toml", &plan.to_toml()).expect("what is written can be read");
    assert_eq!(again.goal, plan.goal);
}

#[test]
fn every_goal_of_several_parameters_is_read_and_written() {
    let plan = "[goal]\n\
        alpha-k-anonymity = { alpha = 0.3, k = 5, values = ['HIV'], attribute = 'd' }\n\
        p-sensitive-k-anonymity = { p = 2, k = 5 }\n\
        l-pdiversity = 4\nl-mdiversity = 3\n\
        lkc-privacy = { l = 2, k = 4, c = 0.5, attribute = 'd' }\n\
        sensitivity-classes = { attribute = 'd', high = ['HIV', 'cancer'], alpha = 0.5, l-low = 1.5 }\n\
        personalized-privacy = [\n\
            { p = 0.5, attribute = 'd', guards = { HIV = 'viral' } },\n\
            { p = 1, attribute = 'd', guard-column = 'guard' }]\n\
        ke-anonymity = { k = 3, e = 1000, attribute = 'income' }\n\
        basic-beta-likeness = { beta = 2 }\n\
        enhanced-beta-likeness = { beta = 1.5, attribute = 'd' }\n\
        delta-disclosure-privacy = { delta = 0.7 }\n\
        delta-presence = { min = 0.1, max = 0.5, public = 'people.csv' }\n";
    let plan = Plan::parse("plan.toml", plan).expect("a plan");
    let (d, half) = (|| "d".to_owned(), Ratio::new(1, 2));
    let guards = BTreeMap::from([("HIV".to_owned(), "viral".to_owned())]);
    let expected: [Principle; 13] = [
        AlphaKAnonymity {
            alpha: Ratio::new(3, 10),
            k: 5,
            values: Some(vec!["HIV".into()]),
            attribute: d(),
        }
        .into(),
        PSensitiveKAnonymity { p: 2, k: 5 }.into(),
        LPdiversity { l: 4 }.into(),
        LMdiversity { l: 3 }.into(),
        LkcPrivacy { l: 2, k: 4, c: half, values: None, attribute: d() }.into(),
        SensitivityClasses {
            low: None,
            high: vec!["HIV".into(), "cancer".into()],
            alpha: half,
            l: None,
            l_low: Some(Ratio::new(3, 2)),
            attribute: d(),
        }
        .into(),
        PersonalizedPrivacy { p: half, guards, guard_column: None, attribute: d() }.into(),
        PersonalizedPrivacy {
            p: Ratio::whole(1),
            guards: BTreeMap::new(),
            guard_column: Some("guard".into()),
            attribute: d(),
        }
        .into(),
        KeAnonymity { k: 3, e: Ratio::whole(1000), attribute: "income".into() }.into(),
        BasicBetaLikeness { beta: Ratio::whole(2), attribute: None }.into(),
        EnhancedBetaLikeness { beta: Ratio::new(3, 2), attribute: Some(d()) }.into(),
        DeltaDisclosurePrivacy { delta: Ratio::new(7, 10), attribute: None }.into(),
        DeltaPresence { min: Ratio::new(1, 10), max: half, public: "people.csv".into() }.into(),
    ];
    assert_eq!(principles(&plan.goal).expect("principles"), expected);
    let ids: Vec<&str> = kohort::MODELS.iter().map(|spec| spec.id).collect();
    assert!(expected.iter().all(|principle| ids.contains(&principle.id())));
    let again = Plan::parse("again.toml", &plan.to_toml()).expect("what is written can be read");
    assert_eq!(again.goal, plan.goal);
}

#[test]
fn a_range_of_presence_from_more_to_less_is_refused() {
    let plan = "[goal]\ndelta-presence = { min = 0.6, max = 0.5, public = 'people.csv' }\n";
    let plan = Plan::parse("plan.toml", plan).expect("each number is a share");
    let error = principles(&plan.goal).expect_err("min is above max");
    assert_eq!(error.to_string(), "`delta` must be a range within 0 to 1, but is 3/5 to 1/2");
}

#[test]
fn a_level_of_every_attribute_covers_the_one_of_a_single_one() {
    let distinct = |l, attribute| Principle::from(DistinctLDiversity { l, attribute });
    let (one, every) = (distinct(3, Some("s".into())), distinct(3, None));
    assert!(every.covers(&one) && every.covers(&every) && one.covers(&one));
    assert!(!one.covers(&every));
    assert!(!distinct(4, None).covers(&one));
    assert!(!Principle::from(KAnonymity { k: 3 }).covers(&every));
}

#[test]
fn the_schema_knows_the_same_fields_and_ranges() {
    let schema = schema();
    let parts = &schema["$defs"];
    assert_eq!(parts["Diversity"]["anyOf"][1]["additionalProperties"], false);
    assert_eq!(parts["Diversity"]["anyOf"][0]["exclusiveMinimum"], 1);
    assert_eq!(parts["FullAttribute"]["additionalProperties"], false);
    let goal = &parts["Goal"]["properties"];
    assert_eq!(goal["k-anonymity"]["minimum"], 2);
    assert_eq!(goal["l-pdiversity"]["minimum"], 2);
    assert_eq!(goal["l-mdiversity"]["minimum"], 2);
    assert_eq!(goal["suppression"]["maximum"], 1);
    assert_eq!(parts["AlphaK"]["properties"]["alpha"]["maximum"], 1);
    assert_eq!(parts["AlphaK"]["required"], serde_json::json!(["alpha", "k", "attribute"]));
    assert_eq!(parts["HighAndLow"]["properties"]["high"]["minItems"], 1);
    assert_eq!(parts["HighAndLow"]["properties"]["l-low"]["exclusiveMinimum"], 1);
    assert_eq!(parts["RoleName"]["oneOf"][1]["const"], "quasi");
    assert_eq!(parts["AttributePlan"]["anyOf"].as_array().map(Vec::len), Some(2));
}
