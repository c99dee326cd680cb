//! A job on a thread of its own, while the thread of the caller listens for Ctrl-C and shows progress.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kohort::{Cancel, Cx, Observer, Stop, Surface};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Serialize;

use crate::failure::{plan_error, stopped};

/// How often the caller's thread looks up.
const TICK: Duration = Duration::from_millis(40);
/// How long a job that was cancelled may take to notice. Then it ends by itself, and nobody sees its answer.
const PATIENCE: Duration = Duration::from_millis(300);

/// The latest of a job's progress.
#[derive(Clone, Default)]
struct Latest(Arc<Mutex<Option<(String, u64, u64)>>>);

impl Latest {
    fn set(&self, what: &str, done: u64, total: u64) {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = Some((what.to_owned(), done, total));
    }

    fn take(&self) -> Option<(String, u64, u64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Observer for Latest {
    fn step(&self, step: &'static str) {
        self.set(step, 0, 0);
    }

    fn progress(&self, what: &str, done: u64, total: u64) {
        self.set(what, done, total);
    }
}

/// Runs a job without the interpreter's lock; what it writes for people is in the words of Python. `progress` is
/// called with a name, what is done and the total.
/// Ctrl-C cancels it, and raises within half a second.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&Cx) -> Result<T, Stop> + Send + 'static,
) -> PyResult<T> {
    run_within(py, progress, Some(PATIENCE), job)
}

/// The same for a job that leaves something behind: it is waited for, and where Ctrl-C came too late to stop
/// it, its answer is given.
pub(crate) fn run_to_its_end<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&Cx) -> Result<T, Stop> + Send + 'static,
) -> PyResult<T> {
    run_within(py, progress, None, job)
}

#[expect(clippy::disallowed_methods, reason = "a person who waits measures time")]
fn run_within<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    patience: Option<Duration>,
    job: impl FnOnce(&Cx) -> Result<T, Stop> + Send + 'static,
) -> PyResult<T> {
    let (cancel, latest) = (Cancel::default(), Latest::default());
    let threads = match THREADS.load(Ordering::Relaxed) {
        0 => Cx::default(),
        n => Cx::default().with_threads(n),
    };
    let cx = threads.clone().cancelled_by(&cancel).observed_by(latest.clone());
    let (send, receive) = mpsc::channel();
    let work = move || {
        // Threads of the job's own: after a fork those of the parent are not there. What leaves something behind
        // decides itself until when it can be cancelled.
        let around = if patience.is_some() { &cx } else { &threads };
        Surface::Python.speak(|| around.within(|| job(&cx)))
    };
    let worker = thread::Builder::new().name("kohort".into()).spawn(move || {
        let _ = send.send(work());
    })?;
    let receive = Mutex::new(receive);
    let wait = |time| receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time);
    loop {
        match py.detach(|| wait(TICK)) {
            Ok(answer) => return answer.map_err(|stop| stopped(py, &stop)),
            Err(RecvTimeoutError::Disconnected) => {
                drop(worker.join());
                return Err(PyRuntimeError::new_err(
                    "kohort stopped unexpectedly: please report it",
                ));
            }
            Err(RecvTimeoutError::Timeout) => {
                let shown = py.check_signals().and_then(|()| match (progress, latest.take()) {
                    (Some(progress), Some(now)) => progress.call1(now).map(drop),
                    _ => Ok(()),
                });
                if let Err(error) = shown {
                    cancel.cancel();
                    let Some(patience) = patience else {
                        let end = py.detach(|| wait(Duration::MAX));
                        return end.ok().and_then(Result::ok).ok_or(error);
                    };
                    let asked = Instant::now();
                    py.detach(|| {
                        while asked.elapsed() < patience && !worker.is_finished() {
                            thread::sleep(Duration::from_millis(5));
                        }
                    });
                    return Err(error);
                }
            }
        }
    }
}

/// An answer as JSON, in the words of the surface that the thread speaks on.
pub(crate) fn json_of(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("an answer is JSON")
}

/// The threads that were asked for; 0 is one for each core.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Lets jobs use at most this many threads; the answer does not depend on it. `None` is one for each core.
#[pyfunction]
#[pyo3(signature = (n=None))]
pub(crate) fn set_threads(py: Python<'_>, n: Option<usize>) -> PyResult<()> {
    if n == Some(0) {
        return Err(plan_error(py, "`n` must be at least 1, but is 0", None));
    }
    THREADS.store(n.unwrap_or(0), Ordering::Relaxed);
    Ok(())
}
