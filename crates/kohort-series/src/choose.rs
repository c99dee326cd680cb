//! Which method is for what changed since the last release.

use crate::series_kind;

/// What changed between the last release and the table, and what was said about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// People who are in no earlier table: who was held back is counted once, at first.
    pub inserted: u64,
    /// People of the last release who are not in the table.
    pub deleted: u64,
    /// People of an earlier release, not of the last one, who are in the table.
    pub returned: u64,
    /// People whose sensitive value is not the one of the last release they are in.
    pub updated: u64,
    /// Whether other columns are published than before.
    pub has_other_columns: bool,
    /// Whether it is known how values follow one another.
    pub has_correlations: bool,
    /// The method of the earlier releases, where there are any.
    pub method_so_far: Option<&'static str>,
}

impl Changed {
    /// Whether nobody of the last release's people is in a table of so many rows, and everybody in it is
    /// new to the series: a table of others, or of the same people under other keys.
    pub fn is_of_others(&self, n_rows: u64, n_before: u64) -> bool {
        n_before > 0 && self.deleted == n_before && self.inserted == n_rows
    }

    /// What to know where most people of a table of so many rows are new, or most of the last release's
    /// people are gone: the same people under other keys have no history, and nothing protects them.
    pub fn other_people(&self, n_rows: u64, n_before: u64) -> Vec<String> {
        let Self { inserted, deleted, .. } = *self;
        let mut notes = Vec::new();
        if n_before > 0 && inserted * 2 > n_rows {
            notes.push(format!(
                "{inserted} of {n_rows} keys are new to the series: if these are the same \
                 people, the key is another column or spelled differently than before, and what \
                 was published about them is not taken into account; if they are other people, \
                 give them a series of their own"
            ));
        }
        if deleted * 2 > n_before {
            notes.push(format!(
                "{deleted} of the {n_before} people of the previous release are not in the \
                 table: is it about the same people, with the same key?"
            ));
        }
        notes
    }
}

/// A method for what changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The method, by its id.
    pub method: &'static str,
    /// Why, as a sentence without a closing stop.
    pub why: &'static str,
}

/// The parameters that a method cannot do without, by name.
pub fn needed(method: &str) -> &'static [&'static str] {
    series_kind(method).map_or(&[], |kind| kind.needs)
}

/// The method for what changed. One that was used so far is kept where it applies. Of several that apply, the
/// one whose parameters are `given`, by name; a method that is for what is known is never left for want of
/// parameters.
pub fn choose(changed: &Changed, given: &[&str]) -> Choice {
    let is_given = |method: &str| needed(method).iter().all(|name| given.contains(name));
    let applies = |method: &str| refusal(method, changed).is_none();
    let Choice { method, why } = match changed.method_so_far {
        Some(method) if applies(method) => {
            let why = "the earlier releases were made with it, and it fits what changed";
            // `e` adds to the promise of m-invariance, and nothing else is taken in place of the method so far.
            if method != "m-invariance" || !is_given("e-equivalence") {
                return Choice { method, why };
            }
            Choice { method, why }
        }
        _ => by_change(changed),
    };
    let (method, why) = match method {
        "m-invariance" if is_given("e-equivalence") => (
            "e-equivalence",
            "values did not change, and `e` is given with `m`: it also hides which people share \
             a value",
        ),
        "m-invariance"
            if !is_given(method) && is_given("bcf-anonymity") && applies("bcf-anonymity") =>
        {
            (
                "bcf-anonymity",
                "nobody left, values did not change, and of `m` and `k` only `k` is given",
            )
        }
        "m-invariance" if !is_given(method) && is_given("global-guarantee") => (
            "global-guarantee",
            "`l` and `horizon` are given, and not `m`: values may change from one release to the next",
        ),
        "xy-linkability" if !is_given(method) && is_given("xy-anonymity") => (
            "xy-anonymity",
            "other columns of the same people are published, and of `confidence` and `k` only `k` is given",
        ),
        _ => (method, why),
    };
    Choice { method, why }
}

/// The method for what changed, whatever is given.
fn by_change(changed: &Changed) -> Choice {
    let (method, why) = if changed.has_other_columns {
        let why = "other columns of the same people are published: what the releases say together is \
                   in their join";
        ("xy-linkability", why)
    } else if changed.updated > 0 && changed.has_correlations {
        let why = "sensitive values changed, and it is known how they follow one another";
        ("rho-different", why)
    } else if changed.has_correlations {
        let why = "it is known how sensitive values follow one another: they will change";
        ("rho-different", why)
    } else if changed.updated > 0 {
        let why = "sensitive values changed, and it is not known how they follow one another";
        ("global-guarantee", why)
    } else if changed.deleted + changed.returned > 0 {
        ("m-invariance", "people joined or left, and values did not change")
    } else if changed.inserted > 0 {
        let why = "people joined and values did not change; people may leave later, which \
                   m-invariance allows";
        ("m-invariance", why)
    } else {
        ("m-invariance", "nobody joined or left, and values did not change")
    };
    Choice { method, why }
}

/// Why a method is not for what changed, as a sentence without a closing stop; none where it is.
pub fn refusal(method: &str, changed: &Changed) -> Option<&'static str> {
    series_kind(method).map_or(Some("there is no such method"), |kind| (kind.refusal)(changed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SERIES_METHODS;

    /// Every method there is a choice among.
    const METHODS: [&str; 7] = [
        "m-invariance",
        "e-equivalence",
        "rho-different",
        "bcf-anonymity",
        "xy-anonymity",
        "xy-linkability",
        "global-guarantee",
    ];

    /// Every kind of change.
    fn all() -> Vec<Changed> {
        let mut all = Vec::new();
        for bits in 0_u64..64 {
            let bit = |at: u32| bits >> at & 1;
            all.push(Changed {
                inserted: bit(0),
                deleted: bit(1),
                returned: bit(2),
                updated: bit(3),
                has_other_columns: bit(4) == 1,
                has_correlations: bit(5) == 1,
                method_so_far: None,
            });
        }
        all
    }

    #[test]
    fn what_is_chosen_is_never_refused() {
        let names = ["m", "e", "k", "l", "horizon", "rho", "confidence"];
        for (changed, bits) in
            all().iter().flat_map(|it| (0_usize..128).map(move |bits| (it, bits)))
        {
            let given = names.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            let given: Vec<&str> = given.map(|(_, name)| *name).collect();
            let choice = choose(changed, &given);
            assert_eq!(refusal(choice.method, changed), None, "{changed:?} {given:?}");
        }
        for changed in all() {
            let choice = choose(&changed, &[]);
            for method in METHODS {
                let again = choose(&Changed { method_so_far: Some(method), ..changed }, &[]);
                let is_kept = refusal(method, &changed).is_none();
                assert_eq!(again.method == method, is_kept || choice.method == method);
            }
        }
    }

    #[test]
    fn every_method_is_for_something_and_not_for_everything() {
        for method in METHODS {
            let n = all().iter().filter(|changed| refusal(method, changed).is_none()).count();
            assert!(0 < n && n < all().len(), "{method}");
        }
        assert!(SERIES_METHODS.iter().all(|spec| METHODS.contains(&spec.id)));
        assert!(refusal("mondrian", &Changed::default()).is_some());
    }

    #[test]
    fn a_table_of_other_people_is_noted() {
        let n_notes = |inserted, deleted, n_before| {
            let changed = Changed { inserted, deleted, ..Changed::default() };
            changed.other_people(10, n_before).len()
        };
        // Everybody is new before the first release.
        assert_eq!(
            [n_notes(10, 0, 0), n_notes(5, 4, 9), n_notes(6, 4, 9), n_notes(6, 5, 9)],
            [0, 0, 1, 2]
        );
    }

    #[test]
    fn each_kind_of_change_has_its_method() {
        let check = |changed: Changed, method| assert_eq!(choose(&changed, &[]).method, method);
        let none = Changed::default();
        check(none, "m-invariance");
        check(Changed { inserted: 3, ..none }, "m-invariance");
        check(Changed { deleted: 3, ..none }, "m-invariance");
        check(Changed { updated: 3, ..none }, "global-guarantee");
        check(Changed { updated: 3, has_correlations: true, ..none }, "rho-different");
        check(Changed { has_correlations: true, ..none }, "rho-different");
        check(Changed { has_other_columns: true, ..none }, "xy-linkability");
        let so_far = Some("bcf-anonymity");
        check(Changed { inserted: 3, method_so_far: so_far, ..none }, "bcf-anonymity");
        check(Changed { deleted: 3, method_so_far: so_far, ..none }, "m-invariance");
    }

    #[test]
    fn of_the_methods_that_apply_the_one_is_taken_whose_parameters_are_given() {
        let check = |changed: Changed, given: &[&str], method| {
            assert_eq!(choose(&changed, given).method, method, "{given:?}");
        };
        let none = Changed::default();
        check(none, &["m"], "m-invariance");
        check(none, &["m", "e"], "e-equivalence");
        check(none, &["e"], "m-invariance");
        check(none, &["k"], "bcf-anonymity");
        check(none, &["m", "k", "l", "horizon"], "m-invariance");
        check(Changed { deleted: 1, ..none }, &["k"], "m-invariance");
        check(none, &["l", "horizon"], "global-guarantee");
        check(none, &["l"], "m-invariance");
        check(Changed { updated: 1, ..none }, &["m", "e"], "global-guarantee");
        // What is known of values counts more than what is given.
        check(Changed { has_correlations: true, ..none }, &["m", "e"], "rho-different");
        check(Changed { has_other_columns: true, ..none }, &["k"], "xy-anonymity");
        check(Changed { has_other_columns: true, ..none }, &["k", "confidence"], "xy-linkability");
        let so_far = |method| Changed { method_so_far: Some(method), ..none };
        check(so_far("m-invariance"), &["m", "e"], "e-equivalence");
        check(so_far("m-invariance"), &["k"], "m-invariance");
        let known = Changed { has_correlations: true, ..so_far("m-invariance") };
        check(known, &["m", "e"], "e-equivalence");
        check(so_far("e-equivalence"), &["m"], "e-equivalence");
    }

    #[test]
    fn a_table_of_nobody_who_was_there_is_told_from_one_of_some() {
        let is = |inserted, deleted| {
            Changed { inserted, deleted, ..Changed::default() }.is_of_others(10, 9)
        };
        assert_eq!([is(10, 9), is(9, 9), is(10, 8)], [true, false, false]);
        assert!(!Changed { inserted: 10, ..Changed::default() }.is_of_others(10, 0));
    }
}
