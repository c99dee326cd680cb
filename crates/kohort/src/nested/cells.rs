//! What cells of a release are where its files cannot say it: a value that was cut off, an element without
//! text in XML. And what cannot be written so that it is read again.

use kohort_core::{Branch, Codes, Column, Dictionary, Nested, Role, Scalar, Table};
use kohort_io::{NestedFormat, is_xml_path};
use kohort_nested::NestedForm;
use kohort_verify::nested::group_path;

use super::Described;
use super::files::Layout;
use super::judge::Files;
use crate::Error;
use crate::error::refused;
use crate::job::Roles;

/// What a release has in the place of a sensitive value that was cut off, where the object is kept. One that
/// is null or not there is missing in the original, too.
pub(super) const CUT_OFF: &str = "*";

/// Released records as the judge takes them: a sensitive value that was cut off is not there, and one that is
/// missing is null.
pub(super) fn unmarked(roles: &Roles, nested: &Nested) -> Nested {
    with_cells(roles, nested, |text, scalar| match scalar {
        Scalar::Absent => Some(("", Scalar::Null)),
        _ => (text == CUT_OFF).then_some(("", Scalar::Absent)),
    })
}

/// The same records, where sensitive cells are something else.
fn with_cells(
    roles: &Roles,
    nested: &Nested,
    of: impl Fn(&str, Scalar) -> Option<(&'static str, Scalar)>,
) -> Nested {
    let sensitive = roles.names(Role::Sensitive);
    let changed = |branch: &Branch, index: usize| {
        let column = &branch.table().columns()[index];
        let (mut dictionary, mut codes) = (Dictionary::default(), Codes::default());
        let mut scalars = Vec::with_capacity(branch.n_rows());
        for (line, (entry, &scalar)) in (1..).zip(column.codes().iter().zip(branch.scalars(index)))
        {
            let text = column.dictionary().get(entry);
            let (text, scalar) = of(text, scalar).unwrap_or((text, scalar));
            codes.push(dictionary.intern(text.as_bytes(), line).expect("a text of a table"));
            scalars.push(scalar);
        }
        (
            Column::new(column.name().to_owned(), dictionary, codes, branch.table().missing()),
            scalars,
        )
    };
    with_columns(nested, |branch, index| {
        let column = &branch.table().columns()[index];
        let is_sensitive = sensitive.iter().any(|path| path == column.name());
        Some(if is_sensitive {
            changed(branch, index)
        } else {
            (column.clone(), branch.scalars(index).to_vec())
        })
    })
}

/// The same records with other columns.
fn with_columns(
    nested: &Nested,
    of: impl Fn(&Branch, usize) -> Option<(Column, Vec<Scalar>)>,
) -> Nested {
    let branches = nested.branches().iter().map(|branch| {
        let table = branch.table();
        let columns = (0..table.columns().len()).filter_map(|index| of(branch, index));
        let (columns, scalars) = columns.unzip();
        let table = Table::new(table.name().to_owned(), columns, false, table.missing().clone());
        let (path, inside) = (branch.path().to_owned(), branch.inside().cloned());
        let changed = Branch::new(path, inside, branch.n_rows(), table, scalars);
        changed.with_empty(branch.empty().to_vec())
    });
    let layout = nested.layout().clone();
    Nested::new(nested.name().to_owned(), branches.collect()).with_layout(layout)
}

/// The files of a release. An element of XML that has no text looks like an empty item of an array: in
/// trees that are without some values that is no value of theirs.
pub(super) fn settled(
    roles: &Roles,
    form: NestedForm,
    trees: Nested,
    values: Option<Nested>,
) -> Files {
    if form != NestedForm::TreeAnatomy || trees.layout().elements.is_none() {
        return Files { trees, values };
    }
    let sensitive = roles.names(Role::Sensitive);
    let without_bare = |nested: &Nested, are_sensitive: bool| {
        with_columns(nested, |branch, index| {
            let column = &branch.table().columns()[index];
            let is_out = sensitive.iter().any(|path| path == column.name()) == are_sensitive;
            let is_item = column.name() == branch.path();
            let is_bare = column.dictionary().iter().all(str::is_empty);
            let is_kept = !(is_out && is_item && is_bare);
            is_kept.then(|| (column.clone(), branch.scalars(index).to_vec()))
        })
    };
    let values = values.map(|values| without_bare(&values, false));
    Files { trees: without_bare(&trees, true), values }
}

/// Refuses what cannot be written and read again: paths that XML has no way to hold, and a sensitive value
/// that would pass for the mark of what was cut off.
pub(super) fn check_paths(
    roles: &Roles,
    layout: Layout,
    described: &Described,
    form: NestedForm,
) -> Result<(), Error> {
    let sensitive = roles.names(Role::Sensitive);
    let is_sensitive = |column: &Column| sensitive.iter().any(|path| path == column.name());
    let columns = || described.places().flat_map(|branch| branch.table().columns());
    let has_mark =
        |column: &&Column| is_sensitive(column) && column.dictionary().find(CUT_OFF).is_some();
    if let Some(column) = columns().find(has_mark) {
        return Err(refused(
            format!("`{}` has a value `{CUT_OFF}`, which marks pruned values", column.name()),
            "spell it otherwise in the input",
        ));
    }
    if !matches!(layout, Layout::Records(NestedFormat::Xml(_))) {
        return Ok(());
    }
    let is_published =
        |column: &&Column| roles.role(column.name()).is_some_and(|role| role != Role::Identifier);
    let name = |column: &Column| match form {
        NestedForm::VertexAnatomy if is_sensitive(column) => group_path(column.name()),
        _ => column.name().to_owned(),
    };
    let is_place = |path: &str| described.places().any(|branch| branch.path() == path);
    let mut published = columns().filter(is_published).map(name);
    let misfit = published.find(|path| !is_xml_path(path) || is_place(&format!("{path}[]")));
    misfit.map_or(Ok(()), |path| {
        Err(refused(
            format!("XML cannot represent `{path}` so that it reads back the same"),
            "name a file that ends in .json or .jsonl for the release",
        ))
    })
}
