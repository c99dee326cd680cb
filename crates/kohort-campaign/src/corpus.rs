//! Files for a fuzzer to begin with: for each of its targets a folder of what the program may be given.

use std::path::Path;

use crate::campaign::Campaign;
use crate::case::{Case, arx};
use crate::files::{self, FORMATS, Failure};
use crate::made_up;
use crate::plain::cells::{Kind, Tree};
use crate::random::Random;

/// How many cases are written.
const CASES: usize = 20;

const KNOWLEDGE_TOML: &str = "[[person]]\nkey = \"person 1\"\nmember = true\nis = { disease = \"flu\" }\n\
                              is-not = { disease = [\"HIV\", \"cold\"] }\nin-release = [1]\n\
                              same-as = [\"person 2\"]\n";

const KNOWLEDGE_CSV: &str = "person,relation,attribute,value\nperson 1,is,disease,flu\nperson 1,is-not,\
                             disease,HIV\nperson 2,in-table,,\nperson 3,same-as,,person 1\n";

/// Writes tables in every format, plans, taxonomies, nested records and knowledge files.
pub(crate) fn write(campaign: &Campaign, folder: &Path) -> Result<(), Failure> {
    let mut random = Random::new(campaign.seed);
    for number in 0..CASES {
        let model = random.pick(&campaign.models).clone();
        let algorithm = random.pick(&campaign.algorithms).id.clone();
        let case = made_up::case(&mut random, &algorithm, &model);
        of_case(&case, folder, number)?;
        let records = records(&mut random);
        put(folder, "json", number, serde_json::to_string(&records)?.as_bytes())?;
        put(folder, "xml", number, xml(&records).as_bytes())?;
    }
    put(folder, "knowledge.toml", 0, KNOWLEDGE_TOML.as_bytes())?;
    put(folder, "knowledge.csv", 0, KNOWLEDGE_CSV.as_bytes())
}

fn put(folder: &Path, target: &str, number: usize, bytes: &[u8]) -> Result<(), Failure> {
    let folder = folder.join(target);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(format!("made-{number}")), bytes)?;
    Ok(())
}

fn of_case(case: &Case, folder: &Path, number: usize) -> Result<(), Failure> {
    let whole = case.columns.iter().filter(|column| column.kind == Kind::Integer);
    let whole: Vec<&str> = whole.map(|column| column.name.as_str()).collect();
    let mut table = case.table.clone();
    table.rows.truncate(10);
    let scratch = tempfile::tempdir()?;
    for format in FORMATS {
        let path = scratch.path().join(format!("t.{format}"));
        files::write(&path, &table, &whole)?;
        put(folder, format, number, &std::fs::read(&path)?)?;
    }
    put(folder, "plan", number, case.plan().as_bytes())?;
    for column in &case.columns {
        if let Tree::Levels(levels) = &column.tree {
            put(folder, "taxonomy", number, &arx(levels)?)?;
        }
    }
    Ok(())
}

/// People with visits.
fn records(random: &mut Random) -> serde_json::Value {
    let mut person = |number: usize| {
        let visit =
            |_| serde_json::json!({ "ward": number % 3, "tests": [{ "name": "x", "value": 1.5 }] });
        let visits: Vec<serde_json::Value> = (0..random.below(3)).map(visit).collect();
        serde_json::json!({ "id": format!("p{number}"), "age": 20 + random.below(60), "visits": visits })
    };
    (0..4).map(&mut person).collect()
}

/// The same records as XML.
fn xml(records: &serde_json::Value) -> String {
    let people = records.as_array().map_or(&[][..], Vec::as_slice).iter().map(|person| {
        let visits = person["visits"].as_array().map_or(&[][..], Vec::as_slice).iter();
        let visits = visits.map(|visit| format!("<visit ward=\"{}\"/>", visit["ward"]));
        let visits: Vec<String> = visits.collect();
        format!("<person><age>{}</age>{}</person>", person["age"], visits.concat())
    });
    let people: Vec<String> = people.collect();
    format!("<?xml version=\"1.0\"?>\n<people>\n{}\n</people>\n", people.join("\n"))
}
