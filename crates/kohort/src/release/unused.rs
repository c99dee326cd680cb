//! What a plan says that its algorithm does not use.

use kohort_algorithms::{ALGORITHMS, Metric};
use kohort_core::{Attribute, Dataset, Labels, Message, Spec};
use kohort_models::printed_range;

use crate::job::Job;

/// A note for each part of a plan that changes nothing, and which algorithms it is for.
pub(super) fn unused(job: &Job, dataset: &Dataset) -> Vec<Message> {
    let mut notes: Vec<Message> = parameters(job).map(Message::from).collect();
    notes.extend(steered_otherwise(job).into_iter().map(Message::from));
    notes.extend(flat_numbers(job, dataset).into_iter().map(Message::from));
    notes.extend(unread_intervals(dataset).into_iter().map(Message::from));
    notes
}

/// Parameters of other algorithms.
fn parameters(job: &Job) -> impl Iterator<Item = String> {
    let has = |spec: &Spec, name: &str| spec.parameters.iter().any(|it| it.name == name);
    let own = job.algorithm.spec();
    let id = own.id;
    let unused = job.parameters().filter(move |name| !has(own, name));
    let of_algorithms = unused.map(move |name| {
        let users = ALGORITHMS.iter().map(|other| other.spec()).filter(|spec| has(spec, name));
        let users: Vec<&str> = users.map(|spec| spec.id).collect();
        format!("`{id}` does not use `{name}`, which is for {}", users.join(", "))
    });
    let is_whole = job.anatomy.is_some() && !job.terms.is_anatomized;
    let of_form = is_whole.then(|| {
        format!("`anatomy` is for anatomized releases, and `{id}` makes one of another form")
    });
    of_algorithms.chain(of_form)
}

/// That an algorithm keeps another loss small than the one asked for.
fn steered_otherwise(job: &Job) -> Option<String> {
    let (id, facts) = (job.algorithm.spec().id, job.algorithm.facts());
    let asked = job.metric_id;
    let is_steered = matches!(job.metric, Metric::Cells(_)) || facts.is_full_domain || job.is_auto;
    (job.names_metric && !is_steered).then(|| {
        format!(
            "`{id}` cannot minimize `{asked}` and minimizes `ncp` instead; `auto` and the \
             full-domain methods minimize `{asked}`"
        )
    })
}

/// That a method which goes by levels has none for a column of numbers, though the plan gives it a taxonomy.
fn flat_numbers(job: &Job, dataset: &Dataset) -> Option<String> {
    let roles = &job.terms.roles;
    let is_given = |name: &str| roles.get(name).is_some_and(|column| column.taxonomy.is_some());
    let quasi = dataset.quasi();
    let flat = quasi.iter().filter(|attribute| attribute.is_ranged() && is_given(attribute.name()));
    let flat: Vec<&str> = flat.map(|attribute| attribute.name()).collect();
    let is_flat = roles.is_exact && job.algorithm.facts().is_full_domain && !flat.is_empty();
    is_flat.then(|| {
        format!(
            "with `numeric = \"exact\"` a taxonomy of numbers is not used, and `{}` shows `{}` as they are or not \
             at all: `numeric = \"taxonomy\"` has levels between",
            job.algorithm.spec().id,
            flat.join("`, `")
        )
    })
}

/// That labels which look like intervals are not reckoned with as such.
fn unread_intervals(dataset: &Dataset) -> Option<String> {
    let is_unread = |attribute: &&&Attribute| {
        let taxonomy = attribute.taxonomy();
        let mut below = taxonomy.nodes().iter().skip(1);
        attribute.value_type().is_ordered()
            && taxonomy.labels() == Labels::Names
            && below.any(|node| printed_range(&node.label).is_some())
    };
    let quasi = dataset.quasi();
    let names: Vec<&str> = quasi.iter().filter(is_unread).map(|a| a.name()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "labels of `{}` look like intervals, and a cell loses as much as it covers leaves: \
             say `labels = \"intervals\"` next to `file` if it should lose as much as its \
             interval is wide",
            names.join("`, `")
        )
    })
}
