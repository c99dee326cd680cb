//! What speaks against the tables and the knowledge that an attack was given.

use kohort_core::{Attribute, Dataset};
use kohort_verify::attack::{Facts, Knowledge};

use super::people::Matched;
use crate::wording::count;

/// That a table can hardly be the one a release was made from: it has fewer rows, or a sensitive value less
/// often. Cells of the release must cover the original. Counterfeits are nobody's rows.
pub(super) fn not_its_original(
    release: &Dataset,
    n_counterfeits: usize,
    original: &Dataset,
) -> Option<String> {
    let file = original.table().name();
    let problem = if original.n_rows() + n_counterfeits < release.n_rows() {
        Some(format!("{file} has fewer rows than the release"))
    } else if n_counterfeits > 0 {
        None
    } else {
        let all = release.sensitive();
        let more = all.iter().find(|of_release| {
            let mut originals = original.sensitive().into_iter();
            let found = originals.find(|attribute| attribute.name() == of_release.name());
            found.is_some_and(|of_original| shows_more(release, of_release, of_original))
        });
        more.map(|attribute| {
            let name = attribute.name();
            format!("the release shows some value of `{name}` more often than {file} has it")
        })
    };
    problem.map(|problem| format!("{problem}: was the release made from another table?"))
}

/// Whether some value of the original stands in more rows of the release.
fn shows_more(release: &Dataset, of_release: &Attribute, of_original: &Attribute) -> bool {
    let column = release.table().column(of_release.name());
    let shown = column.expect("an attribute is of a column").dictionary();
    (0..).zip(of_release.counts()).any(|(code, &n)| {
        let text = of_release.entry_of_code(code).map(|entry| shown.get(entry));
        let own = text.and_then(|text| of_original.code_of(text));
        own.is_some_and(|own| n > of_original.counts()[own as usize])
    })
}

/// How many people are not as the knowledge says, by the original; codes are the original's.
pub(super) fn contradicted(
    knowledge: &Knowledge,
    original: &Dataset,
    matched: &Matched,
) -> Option<String> {
    let sensitive = original.sensitive();
    let is_wrong = |(person, facts): &(u32, &Facts)| {
        if matched.unknown.contains(person) {
            return false;
        }
        let row = matched.rows[*person as usize];
        let has = |&(index, code): &(usize, u32)| {
            row.is_some_and(|row| sensitive[index].codes().get(row as usize) == code)
        };
        facts.is_member.is_some_and(|member| member != row.is_some())
            || row.is_some() && (!facts.has.iter().all(has) || facts.lacks.iter().any(has))
    };
    let n = knowledge.iter().filter(is_wrong).count() as u64;
    (n > 0).then(|| {
        let people = count(n, "person", "people");
        let file = original.table().name();
        format!(
            "what the knowledge file says about {people} is not true in {file}: they are \
                 guessed wrong"
        )
    })
}
