//! What is asked of a table.

use kohort_core::{Ratio, Setting, message};

use super::Principle;
use crate::error::refused;
use crate::goal::KAnonymity;
use crate::{Error, Kind};

/// A question about a table.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The column that tells people apart, where they have several rows.
    pub person: Option<String>,
    /// Whether rows are what is counted, whoever they belong to.
    pub rows: bool,
    /// Ask about all subsets of the quasi-identifiers instead of all of them together.
    pub subsets: bool,
    /// The k asked for.
    pub k: Option<u64>,
    /// The share of rows that may be dropped.
    pub suppress: Option<Ratio>,
    /// Ask how many rows must be dropped.
    pub find_suppression: bool,
    /// Other levels asked for.
    pub principles: Vec<Principle>,
    /// Stop at sets of this many attributes.
    pub max_size: Option<usize>,
    /// The share of the population that the table is a sample of.
    pub sampling_fraction: Option<Ratio>,
    /// Values whose share is asked for, as (sensitive attribute, value).
    pub values: Vec<(String, String)>,
    /// How many of the riskiest rows to list.
    pub riskiest: usize,
    /// Also find the borders of this k when nothing is asked about subsets: what a report draws.
    pub border_k: Option<u64>,
}

impl Question {
    /// Refuses a question that has no answer, with the reason.
    pub(crate) fn check(&self, n_quasi: usize, has_public: bool) -> Result<(), Error> {
        if n_quasi == 0 {
            return Err(Kind::NothingAsked.into());
        }
        let asks = !self.asked().is_empty() || self.suppress.is_some() || self.find_suppression;
        if let Some(person) = self.person.as_ref().filter(|_| asks) {
            return Err(refused(
                format!("a level is asked for, and rows are not people: `{person}` repeats"),
                message!(
                    "leave the level out to see what the table gives away about people; nest the rows of \
                     each person with `key` and `[tables]`; or count rows with {}",
                    Setting::Unit.to("row")
                ),
            ));
        }
        if self.suppress.is_some() && self.find_suppression {
            return Err(refused(
                message!(
                    "{} gives a share and {} asks for one",
                    Setting::Suppress,
                    Setting::FindSuppression
                ),
                "leave one of them out",
            ));
        }
        if (self.suppress.is_some() || self.find_suppression) && !self.principles.is_empty() {
            return Err(refused(
                "l-diversity and t-closeness are not offered with suppression: fewer columns can need \
                 more rows dropped there, so that the answer for a set of columns says nothing about \
                 its subsets",
                "ask for them without suppression, or for k with it",
            ));
        }
        if has_public && self.sampling_fraction.is_some() {
            return Err(refused(
                message!(
                    "{} counts the population and {} estimates it",
                    Setting::Public,
                    Setting::SamplingFraction
                ),
                "leave one of them out",
            ));
        }
        if let Some(k) = self.k.filter(|&k| k < 2) {
            let (name, found, expected) = ("k", k.to_string(), "at least 2");
            let kind = kohort_core::Kind::Parameter { name, found, expected };
            return Err(kohort_core::Error::new(kind).into());
        }
        self.check_shares()
    }

    /// Refuses shares that are none.
    fn check_shares(&self) -> Result<(), Error> {
        let outside = |share: Ratio| share > Ratio::whole(1);
        for (name, share) in
            [("suppress", self.suppress), ("sampling-fraction", self.sampling_fraction)]
        {
            if let Some(share) = share.filter(|&share| outside(share)) {
                let (found, expected) = (share.to_string(), "at most 1");
                let kind = kohort_core::Kind::Parameter { name, found, expected };
                return Err(kohort_core::Error::new(kind).into());
            }
        }
        if self.sampling_fraction.is_some_and(|share| share.num() == 0) {
            let (name, expected) = ("sampling-fraction", "above 0");
            let kind = kohort_core::Kind::Parameter { name, found: "0".into(), expected };
            return Err(kohort_core::Error::new(kind).into());
        }
        Ok(())
    }

    /// The principles of the question, k among them.
    pub fn asked(&self) -> Vec<Principle> {
        let k = self.k.map(|k| KAnonymity { k }.into());
        k.into_iter().chain(self.principles.iter().cloned()).collect()
    }
}
