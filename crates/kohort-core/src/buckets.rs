//! Buckets: what the values of a sensitive attribute are counted by, where single values say little.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::values::visible;
use crate::{Attribute, Column, DateFormat, Error, Kind, Private};

/// The label of the bucket that a text falls in, or is the label of; dates written in this order.
type LabelOf = Arc<dyn Fn(&str, DateFormat) -> Option<String> + Send + Sync>;

/// A rule that puts values in buckets. Values in the same bucket have the same label; the rule depends on
/// no table, so that two tables of the same attribute agree about it.
#[derive(Clone)]
pub struct Buckets {
    form: String,
    level: Option<u32>,
    label_of: LabelOf,
}

impl Buckets {
    /// Buckets that a rule gives to texts. `form` says what they are, such as "buckets of 1,000".
    pub fn new(
        form: String,
        label_of: impl Fn(&str, DateFormat) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { form, level: None, label_of: Arc::new(label_of) }
    }

    /// The same rule for values that the taxonomy of an attribute does not know: for all others, the nodes
    /// of this level are the buckets.
    #[must_use]
    pub fn at_level(self, level: u32) -> Self {
        Self { level: Some(level), ..self }
    }

    /// The same rule for a column that shows labels in the place of values, and has no taxonomy.
    #[must_use]
    pub fn of_labels(self) -> Self {
        Self { level: None, ..self }
    }

    /// Whether a text is the label of a bucket, and no value.
    pub fn is_label(&self, text: &str, format: DateFormat) -> bool {
        let text = text.trim();
        self.label(text, format).is_some_and(|label| label == text)
    }

    /// What the buckets are, such as "buckets of 1,000".
    pub fn form(&self) -> &str {
        &self.form
    }

    /// The label of the bucket that a text falls in; a label falls in its own.
    pub fn label(&self, text: &str, format: DateFormat) -> Option<String> {
        (self.label_of)(&visible(text), format)
    }
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.form)
    }
}

/// An attribute whose codes are buckets, with the values that they hold.
#[derive(Clone, Debug)]
pub(crate) struct InBuckets {
    pub(crate) rule: Buckets,
    pub(crate) exact: Attribute,
    // For each code of `exact`, the bucket.
    pub(crate) bucket_of_code: Vec<u32>,
    pub(crate) code_of_label: BTreeMap<String, u32>,
}

impl InBuckets {
    /// The bucket of a text: a value of the table, any other value, or the label of a bucket.
    pub(crate) fn code_of(&self, text: &str, format: DateFormat) -> Option<u32> {
        if let Some(code) = self.exact.code_of_foreign(text, format) {
            return Some(self.bucket_of_code[code as usize]);
        }
        let label = self.rule.label(text, format);
        self.code_of_label.get(label.as_deref().unwrap_or(text.trim())).copied()
    }
}

/// The buckets that the values of an attribute fall in.
pub(crate) struct Found {
    // For each bucket but the missing one, its label and an entry that spells one of its values.
    pub(crate) labels: Vec<String>,
    pub(crate) entries: Vec<u32>,
    pub(crate) bucket_of_code: Vec<u32>,
    pub(crate) missing: Option<u32>,
    pub(crate) code_of_label: BTreeMap<String, u32>,
}

impl Found {
    pub(crate) fn new(
        attribute: &Attribute,
        column: &Column,
        rule: &Buckets,
    ) -> Result<Self, Error> {
        let mut found = Self {
            labels: Vec::new(),
            entries: Vec::new(),
            bucket_of_code: vec![0; attribute.n_codes() as usize],
            missing: None,
            code_of_label: BTreeMap::new(),
        };
        // Nodes of a level lie as in the tree, all other buckets as their values.
        let mut codes: Vec<u32> = (0..attribute.n_codes()).collect();
        if rule.level.is_none() {
            codes.sort_by_key(|&code| attribute.value_of_code()[code as usize]);
        }
        let mut lost = Vec::new();
        for code in codes {
            // Only the missing value has no spelling.
            let Some(entry) = attribute.entry_of_code(code) else {
                let own = found.n_buckets();
                found.missing = Some(own);
                found.bucket_of_code[code as usize] = own;
                continue;
            };
            let text = column.dictionary().get(entry);
            match label(attribute, code, (text, column.date_format()), rule) {
                Some(label) => found.add(code, entry, label),
                None => lost.push(text.to_owned()),
            }
        }
        if lost.is_empty() {
            return Ok(found);
        }
        let (column, values) = (attribute.name().to_owned(), Private(lost));
        Err(Error::new(Kind::NoBucket { column, values }))
    }

    fn n_buckets(&self) -> u32 {
        let n = self.labels.len() + usize::from(self.missing.is_some());
        u32::try_from(n).expect("buckets are fewer than values")
    }

    fn add(&mut self, code: u32, entry: u32, label: String) {
        let next = self.n_buckets();
        let bucket = *self.code_of_label.entry(label).or_insert_with_key(|label| {
            self.labels.push(label.clone());
            self.entries.push(entry);
            next
        });
        self.bucket_of_code[code as usize] = bucket;
    }
}

/// The label of the bucket of a code, which a column spells so.
fn label(
    attribute: &Attribute,
    code: u32,
    (text, format): (&str, DateFormat),
    rule: &Buckets,
) -> Option<String> {
    let Some(level) = rule.level else { return rule.label(text, format) };
    let taxonomy = attribute.taxonomy();
    let node = taxonomy.ancestor(code, level).map(|node| &taxonomy.nodes()[node as usize]);
    // Where a branch is shorter, a value is a bucket of its own.
    Some(node.map_or_else(|| text.trim().to_owned(), |node| node.label.clone()))
}
