//! Progress bars on standard error for what takes longer than a second, and the time budget.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::{Common, Progress};

/// Shows how far a long step is.
pub(crate) struct Bar {
    shown: ProgressBar,
    started: Instant,
    step: Mutex<String>,
}

/// Nothing is shown before this.
const PATIENCE: Duration = Duration::from_millis(700);

impl Bar {
    #[expect(clippy::disallowed_methods, reason = "the clock enters in the command line")]
    pub(crate) fn new(common: &Common) -> Self {
        let wanted = !common.quiet && common.progress == Progress::Auto;
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        if wanted && std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {eta} left");
            bar.set_style(style.expect("the template is a constant"));
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
        }
        Self { shown: bar, started: Instant::now(), step: Mutex::new(String::new()) }
    }

    /// Reports that `done` of `total` are behind us; 0 for a total that is not known.
    pub(crate) fn report(&self, step: &str, done: u64, total: u64) {
        if self.started.elapsed() < PATIENCE || self.shown.is_hidden() {
            return;
        }
        if let Ok(mut shown) = self.step.lock()
            && *shown != step
        {
            step.clone_into(&mut shown);
            self.shown.reset();
            self.shown.set_message(step.to_owned());
        }
        self.shown.set_length(total.max(done));
        self.shown.set_position(done);
    }

    /// The seconds since the bar was made.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Whether the time budget is used up.
    pub(crate) fn is_past(&self, budget: Duration) -> bool {
        self.started.elapsed() > budget
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.shown.finish_and_clear();
    }
}

/// How long each step of a command takes.
pub(crate) struct Stopwatch {
    steps: Mutex<Vec<(&'static str, Instant)>>,
}

impl Stopwatch {
    /// A watch that starts with a step.
    #[expect(clippy::disallowed_methods, reason = "the clock enters in the command line")]
    pub(crate) fn new(step: &'static str) -> Self {
        Self { steps: Mutex::new(vec![(step, Instant::now())]) }
    }

    /// The step before ends, and this one begins.
    #[expect(clippy::disallowed_methods, reason = "the clock enters in the command line")]
    pub(crate) fn step(&self, step: &'static str) {
        if let Ok(mut steps) = self.steps.lock() {
            steps.push((step, Instant::now()));
        }
    }

    /// The seconds of each step, and of all.
    #[expect(clippy::disallowed_methods, reason = "the clock enters in the command line")]
    pub(crate) fn seconds(&self) -> BTreeMap<String, f64> {
        let now = Instant::now();
        let steps = self.steps.lock().map(|steps| steps.clone()).unwrap_or_default();
        let ends = steps.iter().skip(1).map(|(_, at)| *at).chain([now]);
        let seconds = |((step, start), end): (&(&'static str, Instant), Instant)| {
            ((*step).to_owned(), (end - *start).as_secs_f64())
        };
        steps.iter().zip(ends).map(seconds).collect()
    }
}
