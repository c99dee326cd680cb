//! Where a nested release goes: into files, or into memory. Either way it is put aside, read from there as
//! anybody would read it, judged, and only then handed out.

use std::sync::Arc;

use kohort_core::Nested;
use kohort_io::{Format, NestedFormat, NestedOptions, read_nested_json, relate, write_nested};
use kohort_nested::NestedForm;

use super::cells::settled;
use super::files::{Content, Layout};
use super::in_memory::{Held, HeldRelease};
use super::judge::Files;
use super::render::Rendered;
use super::schema::Schema;
use crate::Error;
use crate::permit::Permit;

/// A place for a release.
pub(super) trait Sink {
    /// What is handed out at the end.
    type Published;

    /// How the release is laid out there.
    fn layout(&self) -> Layout;

    /// Puts the release aside, where nobody finds it.
    fn stage(&mut self, rendered: (&Rendered, NestedForm)) -> Result<(), Error>;

    /// What anybody will read there; `original` says which texts are missing values.
    fn read(&self, original: &Nested) -> Result<Files, Error>;

    /// Hands out what was put aside.
    fn publish(self, permit: Permit) -> Result<Self::Published, Error>;
}

/// Memory: what is judged is what is handed out.
pub(super) struct InMemory<'a> {
    schema: &'a Schema,
    are_tables: bool,
    staged: Option<(HeldRelease, NestedForm)>,
}

impl<'a> InMemory<'a> {
    /// A release in memory: related tables, or the text of JSON.
    pub(super) fn new(schema: &'a Schema, are_tables: bool) -> Self {
        Self { schema, are_tables, staged: None }
    }

    fn held(&self, nested: &Nested, content: Content) -> Result<Held, Error> {
        if self.are_tables {
            return Ok(Held::Tables(content.tables(self.schema, nested)));
        }
        let mut text = Vec::new();
        write_nested(nested, NestedFormat::Json(None), &mut text)?;
        Ok(Held::Json(text.into()))
    }
}

impl Sink for InMemory<'_> {
    type Published = HeldRelease;

    fn layout(&self) -> Layout {
        if self.are_tables {
            Layout::Tables(Format::Parquet)
        } else {
            Layout::Records(NestedFormat::Json(None))
        }
    }

    fn stage(&mut self, (rendered, form): (&Rendered, NestedForm)) -> Result<(), Error> {
        let trees = self.held(&rendered.trees, Content::Trees)?;
        let values = rendered.values.as_ref();
        let values = values.map(|values| self.held(values, Content::apart(form))).transpose()?;
        self.staged = Some((HeldRelease { trees, values }, form));
        Ok(())
    }

    fn read(&self, original: &Nested) -> Result<Files, Error> {
        let (release, form) = self.staged.as_ref().expect("it was staged");
        let missing = original.branches()[0].table().missing();
        let options = NestedOptions { missing: missing.clone(), ..NestedOptions::default() };
        let read = |held: &Held, content: Content| held.read(self.schema, content, &options);
        let values = release.values.as_ref();
        let values = values.map(|held| read(held, Content::apart(*form))).transpose()?;
        Ok(settled(&self.schema.roles, *form, read(&release.trees, Content::Trees)?, values))
    }

    fn publish(self, _: Permit) -> Result<HeldRelease, Error> {
        Ok(self.staged.expect("it was staged").0)
    }
}

impl Held {
    /// The records of a release, as anybody reads them.
    pub(super) fn read(
        &self,
        schema: &Schema,
        content: Content,
        options: &NestedOptions,
    ) -> Result<Nested, Error> {
        let nested = match self {
            Self::Json(text) => {
                let format = NestedFormat::Json(None);
                let options = content.options(schema, format, None, options.clone());
                read_nested_json("release", &Arc::clone(text), &options)?.nested
            }
            Self::Tables(tables) => relate(tables.clone())?,
        };
        Ok(content.unmarked(schema, nested))
    }
}
