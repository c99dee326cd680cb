//! From a plan to a forest: every path gets the role that a person gave it.
//!
//! # Method
//! 1. A place of the schema is there when one of its own paths, or of those below it, is published.
//! 2. Its quasi-identifiers are the labels of its vertices. Its first sensitive attribute, by name, is
//!    theirs; each further one has vertices of its own below them.
//! 3. What is insensitive rides along with its vertex. Everything else is left out.

use kohort_core::{
    Attribute, Branch, Column, Forest, Message, Nested, Role, Scalar, Table, ValueType, VertexKind,
    message, nearest,
};

use super::schema::Schema;
use crate::error::refused;
use crate::goal::{Principle, continuous_warning, principles};
use crate::job::Roles;
use crate::load::{Loaded, Quantiles, build, check_sensitive, in_buckets, missing_as, with_bounds};
use crate::plan::{FullAttribute, MissingName, Plan};
use crate::preset::{as_coarser, coarser_records};
use crate::{Error, Kind};

/// Records inside records whose paths have roles.
pub struct Described {
    nested: Nested,
    forest: Forest,
    // By branch: the columns that are published as they are, and the kind of its vertices.
    insensitive: Vec<Vec<usize>>,
    kind_of_branch: Vec<Option<usize>>,
}

impl Described {
    /// Gives paths the roles of a plan.
    pub fn new(plan: &Plan, nested: Nested) -> Result<Loaded<Self>, Error> {
        let schema = Schema::new(plan);
        check_paths(&schema, &nested)?;
        let (roles, asked) = (&schema.roles, principles(&plan.goal).unwrap_or_default());
        let (nested, mut notes) = coarser_records(roles, nested);
        let is_there = described(roles, &nested);
        let mut kinds: Vec<VertexKind> = Vec::new();
        let mut kind_of_branch = vec![None; nested.branches().len()];
        let mut insensitive = vec![Vec::new(); nested.branches().len()];
        for (index, branch) in nested.branches().iter().enumerate().filter(|(i, _)| is_there[*i]) {
            let parent = branch.inside().and_then(|inside| kind_of_branch[inside.branch]);
            kind_of_branch[index] = Some(kinds.len());
            insensitive[index] = with_role(roles, branch, Role::Insensitive);
            let mut of_role = |role| attributes((roles, &asked), branch, role, &mut notes);
            let (quasi, sensitive) = (of_role(Role::Quasi)?, of_role(Role::Sensitive)?);
            add_kinds(&mut kinds, (index, parent), quasi, sensitive);
        }
        let has_labels = |kind: &VertexKind| !kind.quasi.is_empty() || kind.sensitive.is_some();
        if !kinds.iter().any(has_labels) {
            return Err(Kind::NothingAsked.into());
        }
        let inside = inside(&kinds, &nested);
        let forest = Forest::new(kinds, nested.n_records(), &inside);
        Ok(Loaded { value: Self { nested, forest, insensitive, kind_of_branch }, notes })
    }

    /// The records as they were read.
    pub fn nested(&self) -> &Nested {
        &self.nested
    }

    /// The people as trees.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// The same people with other sensitive values: for each kind, the row whose value each row has.
    pub(super) fn with_values_of(&self, rows: &[Vec<u32>]) -> Self {
        let kinds = self.forest.kinds();
        let branches = self.nested.branches().iter().enumerate().map(|(index, branch)| {
            let columns = branch.table().columns();
            // The kind that a column is the sensitive attribute of.
            let kind_of = |column: &Column| {
                let is_of = |kind: &VertexKind| {
                    let name = kind.sensitive.as_ref().map(Attribute::name);
                    kind.branch == index && name == Some(column.name())
                };
                kinds.iter().position(is_of)
            };
            let select = |at: usize, column: &Column| match kind_of(column) {
                Some(kind) => {
                    let scalars = branch.scalars(at);
                    let moved = rows[kind].iter().map(|&row| scalars[row as usize]).collect();
                    (column.select(&rows[kind]), moved)
                }
                None => (column.clone(), branch.scalars(at).to_vec()),
            };
            let (columns, scalars): (Vec<Column>, Vec<Vec<Scalar>>) =
                columns.iter().enumerate().map(|(at, column)| select(at, column)).unzip();
            let name = branch.table().name().to_owned();
            let table = Table::new(name, columns, true, branch.table().missing().clone());
            let inside = branch.inside().cloned();
            Branch::new(branch.path().to_owned(), inside, branch.n_rows(), table, scalars)
                .with_empty(branch.empty().to_vec())
        });
        let nested = Nested::new(self.nested.name().to_owned(), branches.collect())
            .with_layout(self.nested.layout().clone());
        let moved = kinds.iter().zip(rows).map(|(kind, rows)| VertexKind {
            sensitive: kind.sensitive.as_ref().map(|attribute| attribute.select(rows)),
            ..kind.clone()
        });
        let forest = Forest::new(moved.collect(), nested.n_records(), &inside(kinds, &nested));
        let (insensitive, kind_of_branch) = (self.insensitive.clone(), self.kind_of_branch.clone());
        Self { nested, forest, insensitive, kind_of_branch }
    }

    /// The columns of a branch that are published as they are.
    pub(super) fn insensitive(&self, branch: usize) -> &[usize] {
        &self.insensitive[branch]
    }

    /// The objects, elements or rows of the places that are published.
    pub fn n_vertices(&self) -> u64 {
        self.places().map(|branch| branch.n_rows() as u64).sum()
    }

    /// The places that are published.
    pub(super) fn places(&self) -> impl Iterator<Item = &Branch> {
        let branches = self.nested.branches().iter().zip(&self.kind_of_branch);
        branches.filter_map(|(branch, kind)| kind.map(|_| branch))
    }
}

/// For each kind the rows that its rows stand in.
fn inside<'a>(kinds: &[VertexKind], nested: &'a Nested) -> Vec<&'a [u32]> {
    let of = |kind: &VertexKind| nested.branches()[kind.branch].inside();
    kinds.iter().map(|kind| of(kind).map_or(&[][..], |inside| &inside.rows)).collect()
}

/// A note about the paths that a plan gives no role, if there are any, and what becomes of them.
pub fn without_role(plan: &Plan, nested: &Nested, fate: &str) -> Option<Message> {
    const SHOWN: usize = 10;
    let bare = nested.branches().iter().filter(|branch| is_bare(nested, branch));
    let names: Vec<&str> = paths(nested)
        .filter(|path| !plan.attributes.contains_key(*path))
        .chain(bare.map(Branch::path))
        .collect();
    let shown = &names[..names.len().min(SHOWN)];
    let more = match names.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let note = message!("paths without a role are {fate}: `{}`{more}", shown.join("`, `"));
    (!names.is_empty()).then_some(note)
}

/// Whether what stands at a place has nothing in it, anywhere: it has no path that could have a role.
fn is_bare(nested: &Nested, place: &Branch) -> bool {
    let is_at = |branch: &&Branch| branch.path().starts_with(place.path());
    let mut below = nested.branches().iter().filter(is_at);
    place.n_rows() > 0 && below.all(|branch| branch.table().columns().is_empty())
}

/// The paths of all attributes.
pub(super) fn paths(nested: &Nested) -> impl Iterator<Item = &str> {
    nested.branches().iter().flat_map(|branch| branch.table().columns()).map(Column::name)
}

/// Refuses a role for a path that is not there.
fn check_paths(schema: &Schema, nested: &Nested) -> Result<(), Error> {
    let is_identifier = |path: &str| schema.roles.role(path) == Some(Role::Identifier);
    // Keys join tables and are in no record: whoever calls one an identifier is right.
    let is_left_out = |path: &str| is_identifier(path) && schema.is_key(path);
    // An array that nobody has an item in may have some in other records.
    let is_never_filled = |path: &str| {
        let mut places = nested.branches().iter();
        places.any(|place| place.path() == path && place.n_rows() == 0)
    };
    let is_known = |path: &str| nested.find(path).is_some() || is_never_filled(path);
    let is_unknown = |path: &&String| !is_known(path) && !is_left_out(path);
    let Some(path) = schema.roles.iter().map(|(path, _)| path).find(is_unknown) else {
        return Ok(());
    };
    let is_branch = |branch: &Branch| branch.path() == path && !path.is_empty();
    if nested.branches().iter().any(|branch| is_branch(branch) && is_bare(nested, branch)) {
        let problem = format!("`{path}` has no members in any record: nothing of it is published");
        return Err(refused(problem, "leave it out"));
    }
    if nested.branches().iter().any(is_branch) {
        return Err(refused(
            format!("`{path}` has members, and only they have roles"),
            format!("name each of them, such as `\"{path}.name\" = \"quasi\"`"),
        ));
    }
    if schema.is_key(path) {
        return Err(refused(
            format!("`{path}` is a key: it joins tables, and a release has its own"),
            format!("leave it out, or say `\"{path}\" = \"identifier\"`"),
        ));
    }
    Err(kohort_core::Error::new(kohort_core::Kind::UnknownColumn {
        name: path.clone(),
        table: nested.name().to_owned(),
        nearest: nearest(path, paths(nested)).map(str::to_owned),
    })
    .into())
}

/// Which branches are there: the people, and where something is published here or below. One without
/// a row has nothing to publish.
fn described(roles: &Roles, nested: &Nested) -> Vec<bool> {
    let branches = nested.branches();
    let is_published =
        |column: &Column| roles.role(column.name()).is_some_and(|role| role != Role::Identifier);
    let mut is_there: Vec<bool> = (branches.iter())
        .map(|branch| branch.n_rows() > 0 && branch.table().columns().iter().any(is_published))
        .collect();
    is_there[0] = true;
    for index in (1..branches.len()).rev() {
        if let Some(inside) = branches[index].inside().filter(|_| is_there[index]) {
            is_there[inside.branch] = true;
        }
    }
    is_there
}

/// The columns of a branch with a role.
fn with_role(roles: &Roles, branch: &Branch, role: Role) -> Vec<usize> {
    let has = |column: &Column| roles.role(column.name()) == Some(role);
    let columns = branch.table().columns().iter().enumerate();
    columns.filter(|(_, column)| has(column)).map(|(index, _)| index).collect()
}

/// The attributes of a branch with a role, in the order of their names, so that the order of members
/// changes nothing.
fn attributes(
    (roles, asked): (&Roles, &[Principle]),
    branch: &Branch,
    role: Role,
    notes: &mut Vec<Message>,
) -> Result<Vec<Attribute>, Error> {
    let mut attributes = Vec::new();
    for (name, full) in roles.iter() {
        let Ok(column) = branch.table().column(name) else { continue };
        let full = as_coarser(roles, full, column);
        check_sensitive(name, &full)?;
        if Role::from(full.role) != role {
            continue;
        }
        refuse_unprotected(name, &full)?;
        let value_type: Option<ValueType> = full.value_type.map(Into::into);
        let (built, place) = build(roles, &full, (branch.table(), column), value_type)?;
        notes.extend(built.warnings.iter().map(|warning| message!("{place}{warning}")));
        let attribute = Attribute::new(branch.table(), name, role, built.domain, built.taxonomy)?;
        let attribute = with_bounds(roles, attribute);
        let attribute = in_buckets(attribute, (roles, &full), branch.table(), Quantiles::Own)?;
        notes.extend(warning(asked, &attribute).into_iter().map(Message::from));
        attributes.push(match role {
            Role::Sensitive => attribute.with_missing_as(missing_as(&full)),
            _ => attribute,
        });
    }
    Ok(attributes)
}

/// Refuses that missing values hide others, which nothing that is promised for records inside records counts.
fn refuse_unprotected(path: &str, full: &FullAttribute) -> Result<(), Error> {
    if full.missing != Some(MissingName::Unprotected) {
        return Ok(());
    }
    Err(refused(
        format!("`missing` of `{path}` cannot be unprotected in nested records"),
        "let missing values be ignored, or say `missing = \"value\"`",
    ))
}

/// What diversity of an attribute is worth that has no buckets, where it is asked for.
fn warning(asked: &[Principle], attribute: &Attribute) -> Option<String> {
    let is_about =
        |asked: &Principle| asked.attribute().is_none_or(|path| path == attribute.name());
    let mut about = asked.iter().filter(|asked| is_about(asked));
    about.find_map(|asked| continuous_warning(asked, attribute))
}

/// The kind of a branch's vertices, and those of its further sensitive attributes.
fn add_kinds(
    kinds: &mut Vec<VertexKind>,
    (branch, parent): (usize, Option<usize>),
    quasi: Vec<Attribute>,
    sensitive: Vec<Attribute>,
) {
    let at = kinds.len();
    let mut sensitive = sensitive.into_iter();
    kinds.push(VertexKind { branch, parent, quasi, sensitive: sensitive.next(), is_member: false });
    kinds.extend(sensitive.map(|further| VertexKind {
        branch,
        parent: Some(at),
        quasi: Vec::new(),
        sensitive: Some(further),
        is_member: true,
    }));
}
