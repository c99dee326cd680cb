//! Records inside records: people with a list of visits, `{"q", "s", "v": [{"w", "d"}, …]}`, of which `q` and
//! `w` are quasi-identifiers, `s` and `d` sensitive.

use serde_json::Value;

use super::cells::{Buckets, Column, Kind, Missing, Role, Tree, covers};
use super::classes::alike;
use super::{Fraction, frequency_l_diversity, matching};

/// The text of a member; the empty one where there is none.
pub(crate) fn text(record: &Value, name: &str) -> String {
    match &record[name] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The visits of a record.
pub(crate) fn visits(record: &Value) -> &[Value] {
    record["v"].as_array().map_or(&[], Vec::as_slice)
}

/// What an outsider may know of a record: its quasi-identifiers, and those of its visits in any order.
fn known(record: &Value) -> (String, Vec<String>) {
    let mut of_visits: Vec<String> = visits(record).iter().map(|visit| text(visit, "w")).collect();
    of_visits.sort();
    (text(record, "q"), of_visits)
}

/// What is surely wrong with a release: fewer than k records alike, or a value that more than one in l of those
/// who look alike have.
pub(crate) fn broken(release: &[Value], k: usize, l: Option<usize>) -> Option<&'static str> {
    let keys: Vec<_> = release.iter().map(known).collect();
    let classes = alike(&keys);
    if classes.iter().any(|class| class.len() < k) {
        return Some("k-anonymity fails");
    }
    let l = Fraction::whole(l?);
    for class in &classes {
        let of_records: Vec<String> = class.iter().map(|&row| text(&release[row], "s")).collect();
        let all: Vec<&Value> = class.iter().flat_map(|&row| visits(&release[row])).collect();
        let shown: Vec<String> = all.iter().map(|visit| text(visit, "w")).collect();
        let of_visits = alike(&shown).into_iter().map(|visits| -> Vec<String> {
            visits.into_iter().map(|visit| text(all[visit], "d")).collect()
        });
        for values in of_visits.chain([of_records]) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            // Masked and missing cells are left to others.
            let is_plain = !values.iter().any(|value| value.is_empty() || *value == "*");
            if is_plain && !frequency_l_diversity::holds(&values, l) {
                return Some("frequency-l-diversity fails");
            }
        }
    }
    None
}

/// Whether every released record may be somebody's, a different person's for each.
pub(crate) fn is_true(release: &[Value], people: &[Value]) -> bool {
    let owners = |shown: &Value| -> Vec<usize> {
        (0..people.len()).filter(|&person| may_be(shown, &people[person])).collect()
    };
    let partners: Vec<Vec<usize>> = release.iter().map(owners).collect();
    matching::is_complete(&partners, people.len())
}

fn may_be(shown: &Value, person: &Value) -> bool {
    let [here, there] = [shown, person].map(visits);
    let of_visit = |visit: &Value| -> Vec<usize> {
        let fits = |&other: &usize| {
            covered(visit, &there[other], "w", Role::Quasi)
                && covered(visit, &there[other], "d", Role::Sensitive)
        };
        (0..there.len()).filter(fits).collect()
    };
    covered(shown, person, "q", Role::Quasi)
        && covered(shown, person, "s", Role::Sensitive)
        && matching::is_complete(&here.iter().map(of_visit).collect::<Vec<_>>(), there.len())
}

/// Whether a cell may be made of a value; what is left out says nothing.
fn covered(shown: &Value, person: &Value, name: &str, role: Role) -> bool {
    let (kind, tree) = (Kind::Text, Tree::Flat);
    let column = Column {
        name: name.to_owned(),
        role,
        kind,
        tree,
        buckets: Buckets::None,
        missing: Missing::Ignored,
    };
    covers(&column, &text(shown, name), &text(person, name)) != Some(false)
}
