//! A scene from a few lines of text.

use kohort_core::{Ctx, Dataset, Role, Surface};
use kohort_models::ClassModel;
use kohort_verify::attack::{ATTACKS, Finding, People, Rate, Released, Scene, Truth, run};

use crate::given::{dataset, rows};

/// What a scene is made of. The last column of every release and original is the sensitive one, all others
/// are quasi-identifiers; people have quasi-identifiers only.
pub(crate) struct Lab {
    pub(crate) release: Dataset,
    pub(crate) people: Option<Dataset>,
    pub(crate) are_members: bool,
    pub(crate) original: Option<Dataset>,
    pub(crate) row_of_person: Vec<Option<u32>>,
}

/// A table of columns `a`, `b`, … with the last one sensitive and named `s`.
pub(crate) fn table(lines: &[&str]) -> Dataset {
    let rows = rows(lines);
    let n = rows[0].len() - 1;
    let names = ["a", "b", "c", "d", "e"];
    let mut columns: Vec<_> = names[..n].iter().map(|&name| (name, Role::Quasi, None)).collect();
    columns.push(("s", Role::Sensitive, None));
    dataset(&columns, &rows)
}

/// A table of people: quasi-identifiers `a`, `b`, … alone.
pub(crate) fn people(lines: &[&str]) -> Dataset {
    let rows = rows(lines);
    let names = ["a", "b", "c", "d", "e"];
    let columns: Vec<_> =
        names[..rows[0].len()].iter().map(|&name| (name, Role::Quasi, None)).collect();
    dataset(&columns, &rows)
}

/// A table as a release.
pub(crate) fn released(dataset: &Dataset) -> Released<'_> {
    let quasi: Vec<&str> = dataset.quasi().iter().map(|a| a.name()).collect();
    Released::new(dataset.table(), &quasi, None, dataset.sensitive()).unwrap()
}

impl Lab {
    /// A release alone.
    pub(crate) fn of(release: &[&str]) -> Self {
        Self {
            release: table(release),
            people: None,
            are_members: false,
            original: None,
            row_of_person: Vec::new(),
        }
    }

    /// Everybody in the original is known to be in it, and is a target.
    pub(crate) fn with_original(mut self, lines: &[&str]) -> Self {
        let original = table(lines);
        self.row_of_person = (0..).take(original.n_rows()).map(Some).collect();
        self.are_members = true;
        self.original = Some(original);
        self
    }

    /// People of a public table.
    pub(crate) fn with_people(mut self, lines: &[&str]) -> Self {
        self.people = Some(people(lines));
        self
    }

    /// Where each person of the public table is in the original, if there.
    pub(crate) fn with_truth(mut self, original: &[&str], row_of_person: &[Option<u32>]) -> Self {
        self.original = Some(table(original));
        self.row_of_person = row_of_person.to_vec();
        self
    }

    /// What one attack finds, after `prepare` has added to the scene.
    pub(crate) fn find<'a>(&'a self, id: &str, prepare: impl FnOnce(&mut Scene<'a>)) -> Finding {
        self.try_find(id, prepare).unwrap()
    }

    /// What one attack finds, or what it needs.
    pub(crate) fn try_find<'a>(
        &'a self,
        id: &str,
        prepare: impl FnOnce(&mut Scene<'a>),
    ) -> Result<Finding, String> {
        let crowd = self.people.as_ref().or(self.original.as_ref());
        let crowd = crowd.map(|dataset| People::new(dataset, self.are_members));
        let mut scene = Scene::new(released(&self.release), crowd).unwrap();
        prepare(&mut scene);
        let mut truth = Truth::of_release(&scene.release);
        if let Some(original) = &self.original {
            truth = truth.with_people(&scene.release, original, &self.row_of_person);
        }
        let attack = *ATTACKS.iter().find(|attack| attack.spec().id == id).unwrap();
        let mut findings = run(&Ctx::quiet(), &[attack], &scene, &truth).unwrap();
        findings.found.pop().ok_or_else(|| findings.not_run[0].1.on(Surface::CommandLine))
    }

    /// What one attack finds in a release that was promised these models.
    pub(crate) fn find_promised(&self, id: &str, models: &[Box<dyn ClassModel>]) -> Finding {
        self.find(id, |scene| scene.declared.models = models)
    }

    /// What one attack finds with another release beside this one.
    pub(crate) fn find_with<'a>(&'a self, id: &str, other: &'a Dataset) -> Finding {
        self.find(id, |scene: &mut Scene<'a>| scene.others.push(released(other)))
    }

    /// How one attack does.
    pub(crate) fn rate(&self, id: &str) -> Rate {
        self.find(id, |_| {}).weakest().rate
    }
}

/// What one attack finds in a scene.
pub(crate) fn find(id: &str, scene: &Scene<'_>, truth: &Truth) -> Finding {
    let attack = *ATTACKS.iter().find(|attack| attack.spec().id == id).unwrap();
    let mut findings = run(&Ctx::quiet(), &[attack], scene, truth).unwrap();
    findings.found.pop().unwrap()
}

/// Whether two figures are the same but for rounding.
pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// What was found about records.
pub(crate) fn of_records(found: &Finding) -> Rate {
    found.scored.iter().find(|scored| scored.attribute.is_none()).unwrap().rate
}

/// What was found about the sensitive value.
pub(crate) fn of_values(found: &Finding) -> Rate {
    found.scored.iter().find(|scored| scored.attribute == Some(0)).unwrap().rate
}
