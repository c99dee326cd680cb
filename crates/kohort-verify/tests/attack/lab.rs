//! A scene from a few lines of text.

use kohort_core::{Ctx, Dataset, Role};
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

    /// What one attack finds, after `prepare` has added to the scene.
    pub(crate) fn find(&self, id: &str, prepare: impl FnOnce(&mut Scene<'_>)) -> Finding {
        let quasi: Vec<&str> = self.release.quasi().iter().map(|a| a.name()).collect();
        let read = || {
            let sensitive = self.release.sensitive();
            Released::new(self.release.table(), &quasi, None, sensitive).unwrap()
        };
        let crowd = self.people.as_ref().or(self.original.as_ref());
        let crowd = crowd.map(|dataset| People::new(dataset, self.are_members));
        let mut scene = Scene::new(read(), crowd).unwrap();
        prepare(&mut scene);
        let mut truth = Truth::of_release(&scene.release);
        if let Some(original) = &self.original {
            truth = truth.with_people(&scene.release, original, &self.row_of_person);
        }
        find(id, &scene, &truth)
    }

    /// What one attack finds in a release that was promised these models.
    pub(crate) fn find_with(&self, id: &str, models: &[Box<dyn ClassModel>]) -> Finding {
        let quasi: Vec<&str> = self.release.quasi().iter().map(|a| a.name()).collect();
        let sensitive = self.release.sensitive();
        let read = Released::new(self.release.table(), &quasi, None, sensitive).unwrap();
        let original = self.original.as_ref().unwrap();
        let mut scene = Scene::new(read, Some(People::new(original, self.are_members))).unwrap();
        scene.declared.models = models;
        let truth = Truth::of_release(&scene.release);
        let truth = truth.with_people(&scene.release, original, &self.row_of_person);
        find(id, &scene, &truth)
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
