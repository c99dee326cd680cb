//! The report of a release: no cell of the original is in it, it is well-formed, and it says what is
//! not promised.

#![expect(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use kohort::load::{assign_roles, load_table};
use kohort::plan::Plan;
use kohort::release::{Order, Receipt, anonymize, receipt_text, verify};
use kohort::report::{is_report, release_html};
use kohort::{Ctx, MODELS, write_atomically};

/// Every cell and every label of a taxonomy begins with this.
const MARK: &str = "Zqx";

/// Forty people: a name, a town in two regions, a job, an illness, a hobby, and a column nobody named.
fn table() -> String {
    let mut text = String::from("name,town,job,illness,hobby,ssn,age\n");
    for row in 0..40 {
        let (town, job, illness) = (row % 7, row % 3, row % 4);
        let age = 7_301_000 + row;
        let _ = writeln!(
            text,
            "{MARK}name{row},{MARK}town{town},{MARK}job{job},{MARK}illness{illness},{MARK}hobby{row},\
             {MARK}ssn{row},{age}"
        );
    }
    text
}

fn towns() -> String {
    (0..7).fold(String::new(), |mut out, town| {
        let _ = writeln!(out, "{MARK}town{town};{MARK}region{};{MARK}land", town % 2);
        out
    })
}

struct Made {
    receipt: Receipt,
    released: String,
}

/// Makes a release of the table by a goal and a method, as they stand in a plan.
fn make(goal: &str, method: &str) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        write_atomically(&file, &mut |out| out.write_all(text.as_bytes())).unwrap();
    };
    write("people.csv", &table());
    write("towns.csv", &towns());
    let plan = format!(
        "input = 'people.csv'\n[attributes]\nname = 'identifier'\n\
         town = {{ role = 'quasi', taxonomy = 'towns.csv' }}\njob = 'quasi'\nage = 'quasi'\n\
         illness = 'sensitive'\nhobby = 'insensitive'\n[goal]\n{goal}\n[method]\n{method}\n"
    );
    let plan = Plan::parse("plan.toml", &plan).unwrap().in_folder(folder.path());
    let table = load_table(&plan, &|_, _| {}).unwrap().value;
    let dataset = assign_roles(&plan, table).unwrap().value;
    let target = folder.path().join("release.csv");
    let order = Order { plan: &plan, target: &target, secret: [7; 32] };
    let receipt = match anonymize(order, &dataset, &Ctx::quiet()) {
        Ok(receipt) => receipt,
        Err(stop) => unreachable!("{stop:?}"),
    };
    if receipt.verified {
        let verdict = verify(&plan, Path::new(&target), None).unwrap();
        assert!(verdict.verified, "{:?}", verdict.reasons);
    }
    Made { receipt, released: kohort::read_text(&target).unwrap() }
}

const GOAL: &str = "k-anonymity = 4\nfrequency-l-diversity = { l = 2, attribute = 'illness' }";
const UNSAFE: &str = "k-anonymity = 4\nsensitivity-classes = { attribute = 'illness', \
                      high = ['Zqxillness1'], alpha = 0.5 }";

/// One release of each kind, and one that is not safe.
fn samples() -> Vec<(&'static str, Receipt)> {
    [
        ("auto", GOAL, "algorithm = 'auto'"),
        ("auto for byun-il", GOAL, "algorithm = 'auto'\nmetric = 'byun-il'"),
        ("optimal for dm", GOAL, "algorithm = 'optimal'\nmetric = 'dm'"),
        ("mdav", "k-anonymity = 4", "algorithm = 'mdav'"),
        ("anatomy", "frequency-l-diversity = 2", "algorithm = 'anatomy'"),
        ("sensitive-split", UNSAFE, "algorithm = 'sensitive-split'\nallow-unsafe = true"),
        ("rank-swapping", GOAL, "algorithm = 'rank-swapping'\nallow-unsafe = true"),
    ]
    .map(|(name, goal, method)| (name, make(goal, method).receipt))
    .into()
}

/// Refuses a page whose tags are not balanced, whose ids repeat, or whose links lead nowhere.
fn well_formed(page: &str) {
    let page = page.strip_prefix("<!doctype html>\n").unwrap();
    let (start, end) = (page.find("<style>").unwrap(), page.find("</style>").unwrap());
    let page = format!("{}{}", &page[..start + 7], &page[end..]);
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    for piece in page.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        assert!(!text.contains('>'), "stray > in {text}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{piece}");
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap();
        if let Some((_, id)) = tag.split_once(" id=\"") {
            let id = id.split('"').next().unwrap();
            assert!(ids.insert(id.to_owned()), "id {id} twice");
        }
        if !tag.ends_with('/') && name != "meta" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    for reference in page.split("href=\"#").skip(1) {
        let id = reference.split('"').next().unwrap();
        assert!(ids.contains(id), "link to {id}");
    }
}

#[test]
fn no_cell_of_the_original_is_in_a_page_a_text_or_json() {
    for (name, receipt) in samples() {
        let json = serde_json::to_string(&receipt).unwrap();
        for text in [release_html(&receipt), receipt_text(&receipt), json] {
            assert!(!text.contains(MARK), "{name}");
            assert!(!text.contains("7301"), "{name}");
        }
    }
}

#[test]
fn every_page_is_well_formed_and_loads_nothing() {
    for (name, receipt) in samples() {
        let page = release_html(&receipt);
        well_formed(&page);
        assert!(is_report(&page), "{name}");
        for reference in ["http", "//", "<script", "<link", "<img", "@import", "url(", "src="] {
            assert!(!page.contains(reference), "{name} has {reference}");
        }
        for number in ["NaN", "inf\"", ">inf<", "inf %"] {
            assert!(!page.contains(number), "{name} has {number}");
        }
    }
}

#[test]
fn somebodys_page_is_no_report() {
    assert!(!is_report("<!doctype html>\n<title>Release of kohort</title>"));
    assert!(!is_report("<footer>\n<p>kohort "));
}

#[test]
fn a_hostile_name_stays_text() {
    let mut receipt = make(GOAL, "").receipt;
    receipt.table = "<script>'x\u{202e}".into();
    receipt.files = vec!["dir/a b'$(c).csv".into()];
    receipt.columns.insensitive.push("<b onclick=\"x\">".into());
    receipt.notes.push("<i>".into());
    let page = release_html(&receipt);
    well_formed(&page);
    assert!(!page.contains("<script") && !page.contains("<b ") && !page.contains("<i>"));
    assert!(page.contains("kohort verify &#39;a b&#39;\\&#39;&#39;$(c).csv&#39; --plan plan.toml"));
}

#[test]
fn a_page_says_what_is_promised_and_what_it_cost() {
    let receipt = make(GOAL, "algorithm = 'auto'\nseed = 11\ntransparent = false").receipt;
    let page = release_html(&receipt);
    let (loss, bound) = (receipt.loss.unwrap(), receipt.lower_bound.unwrap());
    assert!(bound <= loss && (loss - receipt.metrics["ncp"]).abs() < 1e-12);
    for text in [
        "The release keeps every promise of its plan",
        "nobody can be narrowed down to fewer than k rows by the quasi-identifiers",
        "<span class=\"holds\">holds</span> <span class=\"aside\">decided</span>",
        "no release can lose less than",
        "the average share of its column that a published cell leaves open; less is better",
        "<td>11</td>",
        "kohort verify release.csv --plan plan.toml --original people.csv",
    ] {
        assert!(page.contains(text), "`{text}` is missing");
    }
    assert!(!page.contains("Not safe") && !page.contains("Not truthful"));
}

#[test]
fn each_command_to_check_a_release_has_a_line_of_its_own() {
    let page = release_html(&make(GOAL, "").receipt);
    let commands = "<code>kohort verify release.csv --plan plan.toml\nkohort verify release.csv --plan plan.toml --original people.csv</code>";
    assert!(page.contains(commands), "{page}");
}

#[test]
fn what_is_not_promised_follows_from_the_goal() {
    let page = release_html(&make(GOAL, "").receipt);
    assert!(page.contains("k-anonymity says nothing about the sensitive value"));
    assert!(page.contains("promises nothing once an outsider can rule values out"));
    assert!(page.contains("nothing about another release of the same people"));
    assert!(!page.contains("Distinct l-diversity bounds no probability"));
    let only_k = release_html(&make("k-anonymity = 4", "").receipt);
    assert!(only_k.contains("Nothing is promised about the sensitive attributes"));
    // No sentence is missing for a model that a goal can name.
    let mut receipt = make(GOAL, "").receipt;
    let plain = release_html(&receipt).matches("<li>").count();
    for spec in MODELS.iter().filter(|spec| !receipt.goal.iter().any(|g| g.model == spec.id)) {
        let mut with = receipt.clone();
        with.goal[0].model = spec.id.into();
        assert_eq!(release_html(&with).matches("<li>").count(), plain, "{}", spec.id);
    }
    receipt.goal[0].model = "unheard-of".into();
    assert_eq!(release_html(&receipt).matches("<li>").count(), plain - 1);
}

#[test]
fn methods_that_are_not_safe_or_not_truthful_say_so_first() {
    for (name, receipt) in samples() {
        let page = release_html(&receipt);
        let header = page.split("</header>").next().unwrap();
        let is_unsafe = ["sensitive-split", "rank-swapping"].contains(&name);
        assert_eq!(header.contains("Unsafe method"), is_unsafe, "{name}");
        assert_eq!(header.contains("Not safe."), is_unsafe, "{name}");
        assert_eq!(header.contains("does not keep the promise"), is_unsafe, "{name}");
        let is_changed = ["mdav", "rank-swapping"].contains(&name);
        assert_eq!(header.contains("Not truthful."), is_changed, "{name}");
        assert_eq!(header.contains("Membership is not hidden."), name == "anatomy", "{name}");
        assert!(header.contains("Published as they are,"), "{name}");
    }
}

// One method for all of a page's figures: the receipt's, which are the judge's.
#[test]
fn figures_before_and_after_are_those_of_the_two_tables() {
    let Made { receipt, released } = make(GOAL, "");
    assert_eq!(receipt.risk.original.as_ref().unwrap().max.den, 1);
    let after = receipt.risk.release.as_ref().unwrap();
    assert_eq!((after.max.num, after.max.den), (1, receipt.k));
    assert!(receipt.k >= 4 && after.unique == 0);
    let rows: u64 = receipt.class_sizes.iter().map(|count| count.size * count.classes).sum();
    assert_eq!((rows, rows), (receipt.rows_out, released.lines().count() as u64 - 1));
    let parts: Vec<f64> =
        ["town", "job", "age"].map(|column| receipt.metrics[&format!("ncp.{column}")]).into();
    assert!((parts.iter().sum::<f64>() / 3.0 - receipt.metrics["ncp"]).abs() < 1e-12);
    let anatomized = make("frequency-l-diversity = 2", "algorithm = 'anatomy'").receipt;
    assert!(anatomized.risk.release.is_none());
}

#[test]
fn a_bound_and_a_loss_have_one_unit_whatever_the_metric() {
    for metric in ["ncp", "lm", "byun-il"] {
        let receipt = make(GOAL, &format!("metric = '{metric}'\ntransparent = false")).receipt;
        let (loss, bound) = (receipt.loss_per_cell.unwrap(), receipt.bound_per_cell.unwrap());
        assert!((0.0..=1.0).contains(&loss) && bound <= loss + 1e-12, "{metric}: {bound} {loss}");
        let figure = receipt.metrics[&metric.replace('-', "_")];
        assert!((receipt.loss.unwrap() - figure).abs() < 1e-9, "{metric}");
        let share = receipt.lower_bound.unwrap() / figure;
        assert!((share - bound / loss).abs() < 1e-9, "{metric}: {share}");
    }
}

#[test]
fn a_column_without_a_role_is_not_published() {
    let Made { receipt, released } = make(GOAL, "");
    assert_eq!(released.lines().next().unwrap(), "town,job,illness,hobby,age");
    assert_eq!(receipt.columns.left_out, ["name", "ssn"]);
}

#[test]
fn the_same_receipt_gives_the_same_page_whatever_the_clock() {
    let mut receipt = make(GOAL, "").receipt;
    let page = release_html(&receipt);
    receipt.seconds.insert("anonymize".into(), 3.0);
    assert_eq!(release_html(&receipt), page);
}
