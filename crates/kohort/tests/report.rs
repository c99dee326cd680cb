//! The HTML report: well-formed, self-contained, complete, and inert whatever the columns are called.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]
#![expect(clippy::panic, reason = "a test stops where something is wrong")]

use std::collections::{BTreeMap, BTreeSet};

use kohort::diagnose::{
    Above, BordersAnswer, Diagnosis, Fraction, GoalAnswer, NOT_PROMISED, PresenceAnswer,
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
        quasi: names(quasi),
        k: sizes[0].0,
        classes,
        class_sizes: sizes.iter().map(|&(size, classes)| SizeCount { size, classes }).collect(),
        distinct_ratio: ratio(classes, rows),
        separation_ratio: (rows > 1).then_some(0.997_2),
        sensitive: Vec::new(),
        p_sensitivity: None,
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
        attribute: attribute.map(str::to_owned),
        holds: broken.0 == 0,
        violating_classes: broken.0,
        violating_rows: broken.1,
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
    answer.risk.journalist = Some(RiskFigure { value: 0.021, estimate: false });
    answer.risk.marketer = Some(RiskFigure { value: 0.004_4, estimate: true });
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

/// The borders of specs/01 §8.2 for k = 2, over five columns.
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
            "rows that stand alone were not looked for: that takes at most 64 quasi-identifiers";
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
        assert!(!page.contains('\u{202e}') && !page.contains('\0'));
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
        "Nobody stands alone: everybody is like at least 4 others in these 3 columns"
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
            "<span class=\"fails\">It does not hold</span>",
            "<td>k = 5</td><td><span class=\"fails\">does not hold</span></td><td>k = 1</td>\
             <td>944 of 946 classes break it, with 984 rows (98.4 %)</td>",
            "<td>t = 0.9, distance equal</td><td><span class=\"holds\">holds</span></td>\
             <td>t = 0.8724</td><td>none: no class breaks it</td>",
        ],
    );
    assert!(!html(&bordered()).contains("What was asked for</h2>"));
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
            cost(10, "990", "99 %", "k = 10"),
        ],
    );
    of(
        &release(),
        [
            cost(2, "0", "0 %", "k = 5 already"),
            cost(5, "0", "0 %", "k = 5 already"),
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
            "<strong>20 %</strong>",
            "<strong>2.1 %</strong>",
            "<strong>0.4 %</strong>",
            "(an estimate)",
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
            "<strong>304 rows</strong> by one column alone",
            "<strong>200 rows</strong> by 4 columns or more",
            "<th scope=\"row\" class=\"number\">12,003</th>",
            "<th scope=\"row\" class=\"number\">88 *</th>",
            "<td class=\"number\">1.25</td>",
        ],
    );
    check(&wide(64), &["each of the other 52 makes at most 220,731 rows unique", "and 2 more"]);
    check(&wide(300), &["at most 64 quasi-identifiers"]);
    let mut few = release();
    few.uniques = Some(unique_counts(&["age", "sex"], 900));
    check(&few, &["The longest bar stands for 1.2 % of the rows"]);
    let mut nobody = release();
    nobody.uniques = Some(unique_counts(&["age", "sex"], 0));
    nobody.uniques.as_mut().unwrap().riskiest.clear();
    check(&nobody, &["No row stands alone"]);
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
        &["24 sets tested (level-wise search); all sets are decided", "W + X: breaks"],
    );
    let mut unfinished = bordered();
    let found = unfinished.borders.as_mut().unwrap();
    (found.complete, found.complete_to) = (false, 2);
    found.negative_border.truncate(1);
    check(&unfinished, &["sets of up to 2 columns are decided", "not decided (question mark)"]);
    let mut none = bordered();
    let found = none.borders.as_mut().unwrap();
    found.positive_border.clear();
    found.negative_border = vec![Vec::new()];
    check(&none, &["the promise fails for the table as a whole", "no column at all"]);
}

#[test]
fn subsets_beyond_the_limit_are_counted() {
    check(&with_subsets(&["a", "b"]), &["<span class=\"badge bar\">25</span>", "2, 1.3333, 1.6"]);
    let six = with_subsets(&["a", "b", "c", "d", "e", "f"]);
    check(&six, &["The first 60 of 64 sets", "the other 4 are left out", "3 known: 20 sets with"]);
    let seven = with_subsets(&["a", "b", "c", "d", "e", "f", "g"]);
    assert!(!html(&seven).contains("class=\"node"));
    check(&seven, &["the other 68 are left out"]);
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
