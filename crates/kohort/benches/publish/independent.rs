//! Releases of the same people without a look at those before.

use std::io::{self, Read};
use std::path::Path;

use kohort::plan::Plan;
use kohort::release::{Order, anonymize};
use kohort::{Ctx, Dataset, Ratio, Stop};
use kohort_algorithms::{Problem, SUPPRESSED, Settings, algorithm};
use kohort_core::{ABSENT, History, ReleasedClass, SeriesRelease};
use kohort_ledger::Files;
use kohort_models::series::{Correlations, Reading, RhoDifferent, Smoothing};
use kohort_models::{ClassModel, FrequencyLDiversity, KAnonymity, Promises};

/// Nothing is pending in the ledger of a benchmark.
pub(crate) struct NoFiles;

impl Files for NoFiles {
    fn open(&self, _: &str) -> io::Result<Option<Box<dyn Read>>> {
        Ok(None)
    }

    fn put_in_place(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

/// The class of each row, and what the classes show.
pub(crate) struct ByRow {
    class_of_row: Vec<u32>,
    classes: Vec<ReleasedClass>,
}

impl ByRow {
    /// The same by person.
    pub(crate) fn in_order(self, people: impl Iterator<Item = u64>) -> SeriesRelease {
        let mut class_of = Vec::new();
        for (person, class) in people.zip(self.class_of_row) {
            class_of.resize(person as usize, ABSENT);
            class_of.push(class);
        }
        SeriesRelease { class_of, classes: self.classes }
    }
}

/// Makes a release as `kohort anonymize` does: its loss; and the same classes once more, in memory.
pub(crate) fn independent(
    plan: &Plan,
    dataset: &Dataset,
    target: &Path,
    m: u64,
) -> Result<(f64, ByRow), Stop> {
    let order = Order { plan, target, secret: [7; 32] };
    let receipt = anonymize(order, dataset, &Ctx::quiet())?;
    Ok((receipt.loss.unwrap_or(f64::NAN), classes(plan, dataset, m)))
}

fn classes(plan: &Plan, dataset: &Dataset, m: u64) -> ByRow {
    let sensitive = dataset.sensitive();
    let mut models: Vec<Box<dyn ClassModel>> = Vec::new();
    if let Some(k) = plan.goal.k_anonymity {
        models.push(Box::new(KAnonymity::new(k).expect("k is at least 2")));
    } else {
        models.push(Box::new(FrequencyLDiversity::new(0, Ratio::whole(m)).expect("l is m")));
    }
    let settings = Settings::plain(dataset.quasi().len(), 7);
    let problem = Problem::new(dataset, Promises::new(models, &sensitive), settings);
    let auto = algorithm("auto").expect("there is one");
    let candidate = kohort_algorithms::anonymize(auto, &Ctx::quiet(), &problem);
    let group_of_row = candidate.expect("it is feasible").group_of_row;
    let n_groups = group_of_row.iter().filter(|&&group| group != SUPPRESSED).max();
    let n_groups = n_groups.map_or(0, |&group| group as usize + 1);
    let mut classes = vec![ReleasedClass { values: Vec::new(), n_counterfeits: 0 }; n_groups];
    let diseases = dataset.table().column("disease").expect("there is one");
    for (row, &group) in group_of_row.iter().enumerate() {
        let text = diseases.dictionary().get(diseases.codes().get(row));
        classes[group as usize].values.push(text[1..].parse().expect("a number"));
    }
    for class in &mut classes {
        class.values.sort_unstable();
    }
    ByRow { class_of_row: group_of_row, classes }
}

/// The highest belief by smoothing, with what is known of how values follow one another.
pub(crate) fn smoothed(history: &History) -> f64 {
    let tenths = |n| Ratio::new(n, 10);
    let listed: Vec<(u32, u32, Ratio)> = (0..40_u32)
        .flat_map(|value| [(value, value, tenths(6)), (value, (value + 1) % 40, tenths(2))])
        .collect();
    let correlations = Correlations::new(&listed).expect("they are probabilities");
    let smoothing = Smoothing::new(history, &correlations, Reading::PROMISED);
    let people: Vec<u32> = (0..history.n_people() as u32).collect();
    let shown = |person: &u32| history.last_class(*person).is_some();
    let people: Vec<u32> = people.into_iter().filter(shown).collect();
    let model = RhoDifferent::new(Ratio::new(1, 2)).expect("a half is allowed");
    model.judge(&smoothing, &people).max_posterior
}
