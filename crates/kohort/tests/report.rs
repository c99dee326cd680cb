//! The HTML report: well-formed, self-contained, complete, and inert whatever the columns are called.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::panic, reason = "a test stops where something is wrong")]

use std::collections::{BTreeMap, BTreeSet};

use kohort::diagnose::{
    Above, AskedFor, BordersAnswer, Diagnosis, Fraction, GoalAnswer, NOT_PROMISED, PresenceAnswer,
    ProsecutorAnswer, Reached, Risk, RiskFigure, Riskiest, Sensitive, SizeCount, Subset,
    SubsetSensitive, SuppressionAnswer, UniqueCount, UniquesAnswer, level_lines, sensitive_lines,
};
use kohort::report::html;

#[expect(clippy::cast_precision_loss, reason = "the counts of a test are small")]
fn ratio(num: u64, den: u64) -> f64 {
    num as f64 / den as f64
}

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&column| column.to_owned()).collect()
}

/// An answer about classes of these sizes, with nothing optional.
fn plain(table: &str, quasi: &[&str], sizes: &[(u64, u64)]) -> Diagnosis {
    let rows: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
    let classes: u64 = sizes.iter().map(|(_, classes)| classes).sum();
    let below = |k: u64| sizes.iter().filter(|(s, _)| *s < k).map(|(s, c)| s * c).sum::<u64>();
    let above =
        [5, 10, 20].map(|k| Above { one_in: k, rows: below(k), share: ratio(below(k), rows) });
    Diagnosis {
        table: table.to_owned(),
        rows,
        people: None,
        quasi: names(quasi),
        asked: None,
        k: sizes[0].0,
        classes,
        class_sizes: sizes.iter().map(|&(size, classes)| SizeCount { size, classes }).collect(),
        distinct_ratio: ratio(classes, rows),
        separation_ratio: (rows > 1).then_some(0.997_2),
        sensitive: Vec::new(),
        p_sensitivity: None,
        disclosure: None,
        presence: None,
        risk: Risk {
            prosecutor: ProsecutorAnswer {
                max: Fraction { num: 1, den: sizes[0].0 },
                max_value: ratio(1, sizes[0].0),
                mean: Fraction { num: classes, den: rows },
                mean_value: ratio(classes, rows),
                above: above.to_vec(),
                unique: below(2),
            },
            journalist: None,
            marketer: None,
            population: None,
        },
        uniques: None,
        holds: None,
        goal: Vec::new(),
        suppression: SuppressionAnswer::default(),
        subsets: None,
        borders: None,
        left_out: Vec::new(),
    }
}

fn sensitive(attribute: &str, l: u64, frequency: (u64, u64), disclosed: u64) -> Sensitive {
    let frequency_l_value = ratio(frequency.0, frequency.1);
    let c = if l > 1 { Some(Fraction { num: 3, den: 2 }) } else { None };
    Sensitive {
        attribute: attribute.to_owned(),
        buckets: None,
        values: 23,
        distinct_l: l,
        frequency_l: Fraction { num: frequency.0, den: frequency.1 },
        frequency_l_value,
        entropy_l: if l > 1 { frequency_l_value * 1.1 } else { 1.0 },
        recursive: BTreeMap::from([("2".into(), c.map(|_| 1.5)), ("3".into(), None)]),
        recursive_exact: BTreeMap::from([("2".into(), c), ("3".into(), None)]),
        recursive_l: BTreeMap::from([("1".into(), 1), ("2".into(), l)]),
        alpha: None,
        alpha_value: None,
        t_equal: 0.872_4,
        t_ordered: Some(0.413),
        t_hierarchical: None,
        rows_disclosed: disclosed,
    }
}

fn promise(
    model: &str,
    parameters: &str,
    attribute: Option<&str>,
    broken: (u64, u64),
) -> GoalAnswer {
    GoalAnswer {
        distance: None,
        model: model.to_owned(),
        parameters: parameters.to_owned(),
        levels: BTreeMap::new(),
        vacuous: false,
        attribute: attribute.map(str::to_owned),
        buckets: None,
        holds: broken.0 == 0,
        evidence: None,
        violating_classes: broken.0,
        violating_rows: broken.1,
        masked_classes: 0,
        left_out: None,
        members: None,
    }
}

const HOSPITAL: [&str; 5] = ["birth_date", "sex", "zip", "admission", "insurer"];

fn unique_counts(quasi: &[&str], rows: u64) -> UniquesAnswer {
    let n = quasi.len() as u64;
    let by_column = (0_u64..).zip(quasi).map(|(at, &column)| UniqueCount {
        attributes: names(&[column]),
        rows: rows * (n - at) * (n - at) * (n - at) / (3 * n * n * n),
    });
    let by_column: Vec<UniqueCount> = by_column.collect();
    let mut by_pair = Vec::new();
    for (at, low) in by_column.iter().enumerate() {
        for high in &by_column[at + 1..] {
            let attributes = [low.attributes.clone(), high.attributes.clone()].concat();
            by_pair.push(UniqueCount { attributes, rows: (low.rows + high.rows * 2).min(rows) });
        }
    }
    let riskiest = [(417, 1.25), (12_003, 0.75), (88, 0.5)];
    let riskiest = riskiest.map(|(row, score)| Riskiest {
        row,
        sets: (1..=n.min(8)).map(|at| names(&quasi[..usize::try_from(at).unwrap()])).collect(),
        limited: row == 88,
        looked_up_to: 4,
        score,
    });
    let by_smallest_set = vec![rows / 3, rows / 4, rows / 5];
    UniquesAnswer { by_column, by_pair, by_smallest_set, riskiest: riskiest.to_vec() }
}

/// A raw table: most people stand alone.
fn hospital() -> Diagnosis {
    let sizes = [(1, 914), (2, 22), (3, 6), (4, 2), (6, 1), (10, 1)];
    let mut answer = plain("hospital.csv", &HOSPITAL, &sizes);
    answer.sensitive =
        vec![sensitive("disease", 1, (1, 1), 926), sensitive("cost", 1, (1, 1), 914)];
    answer.p_sensitivity = Some(1);
    answer.uniques = Some(unique_counts(&HOSPITAL, 914));
    answer.holds = Some(false);
    answer.goal = vec![
        promise("k-anonymity", "k = 5", None, (944, 984)),
        promise("frequency-l-diversity", "l = 1.5", Some("disease"), (938, 972)),
        promise("t-closeness", "t = 0.9, distance equal", Some("cost"), (0, 0)),
    ];
    answer
}

/// A release where nobody stands alone.
fn release() -> Diagnosis {
    let sizes: Vec<(u64, u64)> = (5..60).map(|size| (size, 1 + 400 / size)).collect();
    let mut sizes = sizes;
    sizes.extend([(118, 3), (240, 2), (1_017, 1)]);
    let mut answer = plain("release.csv", &["age", "sex", "zip"], &sizes);
    answer.sensitive = vec![sensitive("disease", 3, (7, 3), 0)];
    answer.p_sensitivity = Some(3);
    answer.holds = Some(true);
    answer.goal = vec![promise("k-anonymity", "k = 5", None, (0, 0))];
    answer.risk.journalist = Some(RiskFigure { value: 0.021, estimate: false, bound: false });
    answer.risk.marketer = Some(RiskFigure { value: 0.004_4, estimate: false, bound: true });
    let third = Fraction { num: 1, den: 3 };
    answer.presence = Some(PresenceAnswer {
        delta_min: Fraction { num: 0, den: 1 },
        delta_min_value: 0.0,
        delta_max: third,
        delta_max_value: 1.0 / 3.0,
        rows_not_covered: 17,
    });
    answer.suppression.k_after = Some(Reached(Some(7)));
    answer.suppression.suppressed = Some(811);
    answer
}

/// The borders for k = 2, over five columns.
fn bordered() -> Diagnosis {
    let mut answer = plain("twelve.csv", &["V", "W", "X", "Y", "Z"], &[(1, 10), (2, 1)]);
    let sets = |text: &str| -> Vec<Vec<String>> {
        text.split(' ').map(|set| set.chars().map(String::from).collect()).collect()
    };
    answer.borders = Some(BordersAnswer {
        promise: "k-anonymity with k = 2".into(),
        positive_border: sets("VW VX VY VZ WY WZ XY XZ YZ"),
        negative_border: sets("WX VWY VWZ VXY VXZ VYZ WYZ XYZ"),
        evaluated: 24,
        complete: true,
        complete_to: 5,
        search: "level-wise",
    });
    answer
}

/// Every subset of some columns, with made-up levels.
fn with_subsets(quasi: &[&str]) -> Diagnosis {
    let mut answer = plain("subsets.csv", quasi, &[(1, 40), (3, 20), (12, 25)]);
    let all = (0..1_u32 << quasi.len()).map(|set| {
        let inside = |at: &usize| set & (1 << at) != 0;
        let attributes: Vec<&str> = (0..quasi.len()).filter(inside).map(|at| quasi[at]).collect();
        let k = (400 >> (2 * attributes.len())).max(1);
        let levels = SubsetSensitive {
            attribute: "disease".into(),
            distinct_l: 2,
            frequency_l: Fraction { num: 4, den: 3 },
            frequency_l_value: 4.0 / 3.0,
            entropy_l: 1.6,
        };
        Subset {
            attributes: names(&attributes),
            k,
            classes: 400 / k,
            distinct_ratio: ratio(1, k),
            separation_ratio: Some(0.5),
            suppression: SuppressionAnswer { suppressed: Some(k), ..SuppressionAnswer::default() },
            sensitive: vec![levels],
        }
    });
    let mut all: Vec<Subset> = all.collect();
    all.sort_by_key(|subset| subset.attributes.len());
    answer.subsets = Some(all);
    answer
}

fn long_names(n: usize) -> Vec<String> {
    (1..=n)
        .map(|at| format!("questionnaire_section_{at}_answer_given_at_first_interview"))
        .collect()
}

/// More columns than anything can draw.
fn wide(n: usize) -> Diagnosis {
    let columns = long_names(n);
    let quasi: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut answer =
        plain("a_survey_with_a_rather_long_file_name_2024.csv", &quasi, &[(1, 1_234_567)]);
    if n <= 64 {
        answer.uniques = Some(unique_counts(&quasi, 1_234_567));
    } else {
        let why =
            "unique rows and borders were not searched: that takes at most 64 quasi-identifiers";
        answer.left_out.push(why.into());
    }
    answer
}

fn samples() -> Vec<(&'static str, Diagnosis)> {
    vec![
        ("hospital", hospital()),
        ("release", release()),
        ("bordered", bordered()),
        ("subsets", with_subsets(&["age", "sex", "zip", "visit"])),
        ("subsets-6", with_subsets(&["age", "sex", "zip", "visit", "ward", "insurer"])),
        ("wide-300", wide(300)),
        ("wide-64", wide(64)),
        ("one-row", plain("one.csv", &["age"], &[(1, 1)])),
        ("one-class", plain("one.csv", &["age"], &[(12, 1)])),
    ]
}

/// Elements without an end.
const VOID: [&str; 2] = ["meta", "br"];

/// Refuses a page whose tags are not balanced, whose attributes are not quoted, or whose ids repeat.
fn well_formed(page: &str) {
    let page = page.strip_prefix("<!doctype html>\n").unwrap();
    let (start, end) = (page.find("<style>").unwrap(), page.find("</style>").unwrap());
    let page = format!("{}{}", &page[..start + 7], &page[end..]);
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    for (index, piece) in page.split('<').enumerate().skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("piece {index}: {piece}"));
        assert!(!text.contains('>'), "stray > in {text}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "piece {index}");
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.split([' ', '/']).next().unwrap();
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{tag}");
        if let Some((_, id)) = tag.split_once(" id=\"") {
            let id = id.split('"').next().unwrap().to_owned();
            assert!(ids.insert(id.clone()), "id {id} twice");
        }
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    for reference in page.split("href=\"#").skip(1) {
        let id = reference.split('"').next().unwrap();
        assert!(ids.contains(id), "link to {id}");
    }
    for ampersand in page.split('&').skip(1) {
        let entity = ampersand.split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "&{entity}");
    }
}

fn check(answer: &Diagnosis, expected: &[&str]) {
    let page = html(answer);
    well_formed(&page);
    for text in expected {
        assert!(page.contains(text), "`{text}` is missing");
    }
}

#[test]
fn every_sample_is_well_formed_and_drawn_with_numbers() {
    for (name, answer) in samples() {
        let page = html(&answer);
        well_formed(&page);
        assert!(!page.contains("NaN") && !page.contains("inf\""), "{name}");
        assert!(page.matches("<svg").count() >= 4, "{name}");
        assert_eq!(page.matches("<svg").count(), page.matches("<desc").count(), "{name}");
        assert_eq!(page.matches("<table").count(), page.matches("<caption>").count(), "{name}");
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    for (name, answer) in samples() {
        let page = html(&answer);
        for reference in ["http", "//", "<script", "<link", "<img", "@import", "url(", "src="] {
            assert!(!page.contains(reference), "{name} has {reference}");
        }
    }
}

#[test]
fn the_same_answer_gives_the_same_page() {
    for (_, answer) in samples() {
        assert_eq!(html(&answer), html(&answer.clone()));
    }
    let mut shuffled = release();
    shuffled.class_sizes.reverse();
    assert_eq!(html(&release()), html(&shuffled));
}

#[test]
fn a_hostile_column_name_stays_text() {
    let names = [
        "</style><script>alert(1)</script>",
        "\" onload=\"alert(1)",
        "' onclick='x",
        "a & b &lt;",
        "",
        "\u{202e}gpj\0",
    ];
    let mut answer = plain("<img src=x>.csv", &names[..5], &[(1, 8), (3, 2)]);
    answer.uniques = Some(unique_counts(&names, 8));
    answer.sensitive = vec![sensitive(names[0], 1, (1, 1), 8), sensitive(names[1], 2, (3, 2), 0)];
    answer.goal = vec![promise("t-closeness", names[0], Some(names[1]), (3, 3))];
    answer.left_out = vec![names[0].to_owned()];
    assert!(html(&answer).contains("\\u{202e}gpj\\u{0}"));
    let mut sets = with_subsets(&names[..5]);
    sets.borders = bordered().borders.map(|found| BordersAnswer {
        positive_border: vec![sets.quasi[..3].to_vec()],
        negative_border: vec![sets.quasi.clone()],
        complete: false,
        ..found
    });
    for answer in [answer, sets] {
        let page = html(&answer);
        well_formed(&page);
        assert!(!page.contains("<script") && !page.contains("<img"));
        assert!(!page.contains("onload=\"") && !page.contains("onclick='"));
        assert!(!page.contains('\u{202e}') && !page.contains('\0') && !page.contains('\u{fffd}'));
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    }
}

#[test]
fn the_worst_comes_first_in_plain_words() {
    let title = |answer: &Diagnosis| {
        let page = html(answer);
        let start = page.find("<h1>").unwrap() + 4;
        page[start..page.find("</h1>").unwrap()].to_owned()
    };
    assert_eq!(title(&hospital()), "914 of 1,000 people can be singled out by these 5 columns");
    assert_eq!(
        title(&release()),
        "Nobody is unique: everybody looks like at least 4 others in these 3 columns"
    );
    assert_eq!(
        title(&plain("t", &["age"], &[(1, 1), (2, 600)])),
        "One of 1,201 people can be singled out by this one column"
    );
    assert_eq!(title(&wide(300)), "All 1,234,567 people can be singled out by these 300 columns");
    let mut broken = release();
    broken.goal.push(promise("k-anonymity", "k = 9", None, (3, 18)));
    assert_eq!(title(&broken), "1 of the 2 promises asked for does not hold");
    let mut told = release();
    told.sensitive[0].rows_disclosed = 40;
    assert!(title(&told).starts_with("40 of 24,854 people give away their "));
}

#[test]
fn a_page_about_people_at_risk_says_that_it_is_confidential() {
    let page = html(&plain("t.csv", &["age"], &[(1, 3), (4, 2)]));
    assert!(page.contains("<strong>Confidential.</strong>"), "{page}");
}

#[test]
fn no_page_calls_a_table_safe() {
    for (name, answer) in samples().into_iter().filter(|(_, answer)| answer.borders.is_none()) {
        let mut page = html(&answer);
        assert!(page.contains("not refuted"), "{name}");
        for promise in NOT_PROMISED {
            assert!(page.contains(promise), "{name}");
            page = page.replace(promise, "");
        }
        assert!(!page.contains("safe"), "{name}");
    }
}

#[test]
fn every_level_is_there_with_its_sentence() {
    for answer in [hospital(), release()] {
        let page = html(&answer);
        let mut lines = level_lines(&answer);
        lines.extend(answer.sensitive.iter().flat_map(|one| sensitive_lines(&answer, one)));
        for line in lines {
            let value = line.value.replace('>', "&gt;");
            let meaning = line.meaning.replace('\'', "&#39;");
            assert!(page.contains(&format!("<strong>{value}</strong></td><td>{meaning}</td>")));
        }
    }
}

#[test]
fn what_was_asked_for_says_how_far_it_is_missed() {
    check(
        &hospital(),
        &[
            "Promises that hold</dt><dd class=\"value\">1 of 3",
            "<span class=\"fails\">It does not hold</span> for this table and these columns.<",
            "<td>k = 5</td><td><span class=\"fails\">does not hold</span></td><td>k = 1</td>\
             <td>944 of 946 classes break it, with 984 rows (98.4 %)</td>",
            "<td>t = 0.9, distance equal</td><td><span class=\"holds\">holds</span></td>\
             <td>t = 0.8724</td><td>none: no class breaks it</td>",
        ],
    );
    assert!(!html(&bordered()).contains("What was asked for</h2>"));
}

#[test]
fn the_goal_of_a_plan_stands_apart() {
    let mut answer = hospital();
    (answer.holds, answer.asked) = (None, Some(AskedFor::default()));
    check(
        &answer,
        &[
            "The plan's goal, judged on the table as it is</h2>",
            "A goal is for a release: the raw table need not keep it.",
            "<div><dt>Goal</dt><dd class=\"value\">1 of 3",
            "<li>As it is, the table keeps 1 of the 3 promises of the plan's goal</li>",
            "goal k-anonymity k = 5",
        ],
    );
    assert!(!html(&answer).contains("asked for does not hold"));
    assert!(!html(&answer).contains("What was asked for</h2>"));
}

#[test]
fn the_question_is_there_to_be_asked_again() {
    let mut answer = hospital();
    answer.goal.clear();
    let two = Fraction { num: 1, den: 50 };
    answer.asked = Some(AskedFor {
        k: Some(5),
        suppress: Some(two),
        suppress_value: Some(0.02),
        values_of: names(&["disease"]),
        riskiest: 10,
        ..AskedFor::default()
    });
    answer.suppression.k_after = Some(Reached(Some(1)));
    answer.suppression.suppressed = Some(0);
    check(
        &answer,
        &[
            "for this table and these columns: k\u{a0}=\u{a0}5 with at most 2 % of the rows dropped: \
             no, 984 rows must be dropped, and only 20 may be.<",
            "at most 2 % may be dropped: 20 rows; too few to raise k above 1; k = 5 takes 984 rows \
             (98.4 %).<",
            "asked for k = 5; at most 2 % of the rows dropped; chosen values of disease; 10 riskiest \
             rows.<",
        ],
    );
    answer.borders = bordered().borders;
    check(&answer, &["Judged on the table as it is: dropping rows is not counted here."]);
    answer.asked.as_mut().unwrap().k = Some(1_500);
    check(&answer, &["<th scope=\"row\">k = 1,500</th>"]);
}

#[test]
fn the_same_finding_for_many_columns_is_one() {
    let mut answer = hospital();
    answer.sensitive[1].rows_disclosed = 926;
    let page = html(&answer);
    assert_eq!(page.matches("everybody like them has the same value").count(), 1);
    check(
        &answer,
        &["926 of 1,000 people give away their <bdi class=\"name\">disease</bdi> and <bdi"],
    );
}

#[test]
fn class_sizes_are_counted_in_rows() {
    check(
        &hospital(),
        &[
            ">914 · 91.4 %<",
            "class size 2: 44 rows in 22 classes",
            "class size 3–4: 26 rows in 8 classes",
            "class size 5–9: 6 rows in 1 class<",
            "class size 10–19: 10 rows in 1 class<",
            "946 classes in all; the largest has 10 rows",
        ],
    );
    check(&release(), &[">1,851 · 7.4 %<", "class size 100+: 1,851 rows in 6 classes"]);
    for answer in [hospital(), release()] {
        assert!(!html(&answer).contains(">0 · 0 %<"));
        check(&answer, &["No rows in the other sizes."]);
    }
}

#[test]
fn the_cost_of_k_comes_from_the_class_sizes() {
    let cost = |k: u64, rows: &str, share: &str, then: &str| {
        format!(
            "<th scope=\"row\">k = {k}</th><td class=\"number\">{rows}</td>\
             <td class=\"number\">{share}</td><td>{then}</td>"
        )
    };
    let of =
        |answer: &Diagnosis, lines: [String; 3]| check(answer, &lines.each_ref().map(|l| &**l));
    of(
        &hospital(),
        [
            cost(2, "914", "91.4 %", "k = 2"),
            cost(5, "984", "98.4 %", "k = 6"),
            cost(10, "990", "99.0 %", "k = 10"),
        ],
    );
    of(
        &release(),
        [
            cost(2, "0", "0.0 %", "k = 5 already"),
            cost(5, "0", "0.0 %", "k = 5 already"),
            cost(10, "2,026", "8.2 %", "k = 10"),
        ],
    );
    of(
        &plain("t", &["a"], &[(1, 1)]),
        [2, 5, 10].map(|k| cost(k, "1", "100 %", "nothing is left")),
    );
    check(&release(), &["dropping 811 rows (3.3 %) gives k = 7"]);
}

#[test]
fn risks_are_there_and_estimates_say_so() {
    check(
        &release(),
        &[
            "<strong>20.0 %</strong>",
            "No row has a risk above 1/5.",
            "<strong>2.1 %</strong>",
            "<strong>0.4 %</strong>",
            "(an upper bound)",
            "6,121 rows with a risk above 1 in 20",
            "for 17 rows",
        ],
    );
    check(&hospital(), &["Journalist and marketer are not measured"]);
}

#[test]
fn columns_pairs_and_rows_are_named_and_never_valued() {
    check(
        &hospital(),
        &[
            ">304 · 30.4 %<",
            "birth_date + sex: 614 rows",
            "<strong>304 rows</strong> by 1 column",
            "<strong>200 rows</strong> by 4 columns or more",
            "<th scope=\"row\" class=\"number\">12,003</th>",
            "<th scope=\"row\" class=\"number\">88 *</th>",
            "<td class=\"number\">1.25</td>",
            "The SUDA score (special uniques detection) adds 1",
            "* Sets larger than 4 columns were not searched.",
        ],
    );
    check(&wide(64), &["each of the other 52 makes at most 220,731 rows unique", "and 2 more"]);
    check(&wide(300), &["at most 64 quasi-identifiers"]);
    let mut few = release();
    few.uniques = Some(unique_counts(&["age", "sex"], 900));
    // 300 of 24,854 rows take 1.2 % of the width of 480.
    check(&few, &["width=\"5.8\" height=\"12\" rx=\"2\" class=\"bar\""]);
    few.uniques.as_mut().unwrap().by_column[1].rows = 0;
    check(&few, &["The other one makes no row unique."]);
    let mut nobody = release();
    nobody.uniques = Some(unique_counts(&["age", "sex"], 0));
    nobody.uniques.as_mut().unwrap().riskiest.clear();
    check(&nobody, &["No row is unique", "No single column makes a row unique."]);
}

#[test]
fn a_row_without_a_singling_set_says_why() {
    let mut answer = hospital();
    answer.uniques.as_mut().unwrap().riskiest[2].sets.clear();
    check(&answer, &["88 *</th><td>only by more than 4 columns</td>"]);
    let mut one = plain("one.csv", &["age", "sex"], &[(1, 1)]);
    one.uniques = Some(unique_counts(&["age", "sex"], 0));
    check(&one, &["The only row of the table is unique, whatever is known."]);
    assert!(!html(&one).contains("columns or more"));
}

#[test]
fn long_lists_say_that_they_scroll() {
    let hint = "Scroll inside the box to see more.";
    assert!(!html(&bordered()).contains(hint) && !html(&hospital()).contains(hint));
    let mut many = bordered();
    many.borders.as_mut().unwrap().negative_border = vec![names(&["W", "X"]); 21];
    assert_eq!(html(&many).matches(hint).count(), 1);
    assert_eq!(html(&wide(64)).matches(hint).count(), 1);
    let short = long_names(28).iter().map(|name| name[22..24].to_owned()).collect();
    assert!(!html(&Diagnosis { quasi: short, ..wide(300) }).contains(hint));
}

#[test]
fn borders_are_lists_and_a_lattice() {
    let page = html(&bordered());
    // Five columns have 32 sets: 16 of up to two columns but WX are safe.
    assert_eq!(page.matches("class=\"node keeps").count(), 15);
    assert_eq!(page.matches("class=\"node breaks").count(), 17);
    assert_eq!(page.matches("border\"><title>").count(), 17);
    check(
        &bordered(),
        &[
            "24 sets tested (smallest sets first); all sets are decided",
            "W + X: breaks",
            "Which sets of columns keep k-anonymity with k = 2</h2>",
        ],
    );
    let mut unfinished = bordered();
    let found = unfinished.borders.as_mut().unwrap();
    (found.complete, found.complete_to) = (false, 2);
    found.negative_border.truncate(1);
    check(
        &unfinished,
        &[
            "Not finished: sets of more than 2 columns were not all tested.",
            "Safe sets found (larger ones may be safe too)",
            "sets of up to 2 columns are decided",
            "not decided (question mark)",
        ],
    );
    unfinished.borders.as_mut().unwrap().negative_border.clear();
    check(&unfinished, &["none among sets of up to 2 columns; larger ones were not all tested."]);
    let page = html(&unfinished);
    assert!(!page.contains("every set is safe") && !page.contains("Largest safe"));
    let mut none = bordered();
    let found = none.borders.as_mut().unwrap();
    found.positive_border.clear();
    found.negative_border = vec![Vec::new()];
    check(&none, &["the promise fails for the whole table", "no column at all"]);
}

#[test]
fn subsets_beyond_the_limit_are_counted() {
    check(&with_subsets(&["a", "b"]), &["<span class=\"badge bar\">25</span>", "2, 1.3333, 1.6"]);
    let six = with_subsets(&["a", "b", "c", "d", "e", "f"]);
    check(&six, &["The first 60 of 64 sets", "the other 4 are left out", "3 known: 20 sets with"]);
    let seven = with_subsets(&["a", "b", "c", "d", "e", "f", "g"]);
    assert!(!html(&seven).contains("class=\"node"));
    check(&seven, &["the other 68 are left out"]);
    let mut late = with_subsets(&["a", "b"]);
    late.left_out = vec!["3 of 7 subsets: the time was up".into()];
    check(&late, &["<p class=\"notice\">Left out: 3 of 7 subsets: the time was up.</p>"]);
}

#[test]
fn the_smallest_and_the_widest_tables_have_a_page() {
    check(
        &plain("t", &["a"], &[(1, 1)]),
        &["The only person in the table", "each dot is one row<"],
    );
    check(&plain("t", &["a"], &[(12, 1)]), &["like at least 11 others in this one column"]);
    let largest = plain("t", &["a"], &[(1, 3), (u64::from(u32::MAX), 2)]);
    check(&largest, &["3 of 8,589,934,593 people", "under 0.1 %", "k reached (logarithmic)"]);
    let footer = format!("kohort {}. Parameters: table <bdi>t</bdi>", env!("CARGO_PKG_VERSION"));
    check(&largest, &[&footer]);
}
